/** Core Lightning's names for the states of a channel. */
import type { ChannelPhase } from './port.ts';

const STATES: Readonly<Record<ChannelPhase, string>> = {
  opening: 'CHANNELD_AWAITING_LOCKIN',
  normal: 'CHANNELD_NORMAL',
  onchain: 'ONCHAIN',
};

/** Core Lightning's name for the state of a channel. */
export const channelState = (phase: ChannelPhase): string => STATES[phase];
