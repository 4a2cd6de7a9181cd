/**
 * Finds the channels worth filling, and the maximum price for filling them, based on their past earnings.
 *
 * If a channel forwarded `out` msat away from us over a period and earned `fee` msat, then
 *
 *     rate = fee / out                     earnings per msat that leaves over the channel
 *     need = out · ahead / period          amount that will probably leave until money can be moved again
 *
 * A channel that can send less than its need receives the difference, at a price of at most `rate`: a higher price
 * would lose money even if the channel forwarded all that it received. A channel that can send more than its need gives
 * the excess. So a channel that earned nothing is never filled, and no channel gives away what it will probably
 * forward.
 *
 * An empty channel can forward only what came in before, so its need is underestimated. The estimate grows each time
 * that the channel is filled and forwards what it received.
 */

import { type Msat, msat } from '../../model/msat.ts';
import type { OwnChannel, SettledForward } from '../../model/own-channel.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { Circle, CircleChannel } from './circle.ts';

/** What one channel forwarded and earned in a period. */
export interface ChannelEarning {
  /** Amounts that were forwarded out of and into our node over this channel. */
  readonly outMsat: Msat;
  readonly inMsat: Msat;
  /** Fees earned with the amounts that left over this channel. */
  readonly earnedMsat: Msat;
}

/** What the channels of a node earned. */
export interface Earnings {
  readonly byChannel: ReadonlyMap<ShortChannelId, ChannelEarning>;
  readonly periodS: number;
  /** How far ahead needs are estimated: the time until money can be moved again. */
  readonly aheadS: number;
}

/** Earnings of a channel that forwarded nothing. */
export const NO_EARNING: ChannelEarning = { outMsat: msat(0n), inMsat: msat(0n), earnedMsat: msat(0n) };

const MILLION = 1_000_000n;

/** Adds up forwards by channel. */
export function earningsOf(forwards: Iterable<SettledForward>): Map<ShortChannelId, ChannelEarning> {
  const byChannel = new Map<ShortChannelId, ChannelEarning>();
  const at = (id: ShortChannelId): ChannelEarning => byChannel.get(id) ?? NO_EARNING;
  for (const { in: from, out, inMsat, outMsat } of forwards) {
    const [entry, exit] = [at(from), at(out)];
    byChannel.set(from, { ...entry, inMsat: msat(entry.inMsat + inMsat) });
    const before = from === out ? byChannel.get(out)! : exit;
    byChannel.set(out, {
      ...before,
      outMsat: msat(before.outMsat + outMsat),
      earnedMsat: msat(before.earnedMsat + inMsat - outMsat),
    });
  }
  return byChannel;
}

/** Earnings in ppm of the amount that left over the channel. */
export function ratePpm({ earnedMsat, outMsat }: ChannelEarning): number {
  return outMsat === 0n ? 0 : Number((earnedMsat * MILLION) / outMsat);
}

/**
 * Which channels give and receive to meet the needs. Differences below `leastMsat` are ignored.
 * @returns also, in `wantedMsat`, the lesser of what channels can give in total and what other channels lack in total
 */
export function wantedByEarnings(
  channels: readonly OwnChannel[],
  { byChannel, periodS, aheadS }: Earnings,
  leastMsat: Msat,
): { readonly circle: Circle; readonly wantedMsat: Msat } {
  const out: CircleChannel[] = [];
  const into: CircleChannel[] = [];
  for (const { usable, shortChannelId: id, spendableMsat, receivableMsat } of channels) {
    if (!usable || id === undefined) continue;
    const earning = byChannel.get(id) ?? NO_EARNING;
    const forwardedMsat = (earning.outMsat * BigInt(aheadS)) / BigInt(periodS);
    const wholeMsat = spendableMsat + receivableMsat;
    const needMsat = forwardedMsat < wholeMsat ? forwardedMsat : wholeMsat;
    const surplusMsat = spendableMsat - needMsat;
    if (surplusMsat >= leastMsat) out.push({ shortChannelId: id, mostMsat: msat(surplusMsat) });
    else if (-surplusMsat >= leastMsat && ratePpm(earning) > 0)
      into.push({ shortChannelId: id, mostMsat: msat(-surplusMsat) });
  }
  const total = (list: readonly CircleChannel[]): bigint =>
    list.reduce((sum, { mostMsat }) => sum + mostMsat!, 0n);
  const [giving, lacking] = [total(out), total(into)];
  return { circle: { out, in: into }, wantedMsat: msat(giving < lacking ? giving : lacking) };
}
