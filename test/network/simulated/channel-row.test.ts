/** Rows of our channels. Direction 0 of a channel leaves the end with the smaller id (BOLT 7). */
import { expect, it } from 'vitest';
import { shownChannel } from '../../../src/network/simulated/own/channel-row.ts';
import { A, B, line } from './line.ts';

it('the direction is that of the node that has the channel', () => {
  const [channel] = line().simulation.ownChannelRecords();
  const [low, high] = [A, B].sort();
  const directionOf = (ownNodeId: typeof A | undefined, ourId: typeof A, peerId: typeof A) =>
    shownChannel(ourId, { ...channel!, peerId, ownNodeId }).asShown.direction;
  expect(directionOf(undefined, low!, high!)).toBe(0);
  expect(directionOf(undefined, high!, low!)).toBe(1);
  expect(directionOf(low, high!, high!)).toBe(0);
  expect(directionOf(high, low!, low!)).toBe(1);
});
