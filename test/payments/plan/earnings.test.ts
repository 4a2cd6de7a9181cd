/** Earnings of channels, and which channels are worth filling, with numbers computed by hand. */
import { expect, test } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import type { OwnChannel } from '../../../src/model/own-channel.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { earningsOf, ratePpm, wantedByEarnings } from '../../../src/payments/plan/earnings.ts';

const [A, B, C] = [1n, 2n, 3n] as ShortChannelId[];
const DAY_S = 86_400;

const channel = (shortChannelId: ShortChannelId, spendable: number, receivable: number): OwnChannel => ({
  ...{ shortChannelId, peerId: `02${'11'.repeat(32)}` as NodeId, usable: true, openedByUs: true },
  ...{ spendableMsat: msat(spendable), receivableMsat: msat(receivable), feeratePerKw: 0 },
  ...{ capacityMsat: msat(spendable + receivable), localPolicy: undefined, remotePolicy: undefined },
  ...{ theirMaxInFlightMsat: msat(10n ** 12n), ourMaxInFlightMsat: msat(10n ** 12n) },
});

const forward = (from: ShortChannelId, out: ShortChannelId, inMsat: number, outMsat: number) => ({
  ...{ in: from, out, inMsat: msat(inMsat), outMsat: msat(outMsat) },
});

test('fees are earned by the outgoing channel of a payment', () => {
  const earned = earningsOf([
    forward(A, B, 1_001_000, 1_000_000),
    forward(C, B, 3_009_000, 3_000_000),
    forward(B, A, 500_000, 500_000),
  ]);
  expect(earned.get(A)).toEqual({ outMsat: 500_000n, inMsat: 1_001_000n, earnedMsat: 0n });
  expect(earned.get(B)).toEqual({ outMsat: 4_000_000n, inMsat: 500_000n, earnedMsat: 10_000n });
  expect(earned.get(C)).toEqual({ outMsat: 0n, inMsat: 3_009_000n, earnedMsat: 0n });
  // 10,000 of 4,000,000
  expect(ratePpm(earned.get(B)!)).toBe(2500);
  expect(ratePpm(earned.get(C)!)).toBe(0);
});

test('a payment that enters and leaves through the same channel counts once in each direction', () => {
  const earned = earningsOf([forward(A, A, 1_010, 1_000)]);
  expect(earned.get(A)).toEqual({ outMsat: 1_000n, inMsat: 1_010n, earnedMsat: 10n });
});

test('a channel is filled to the amount that it will forward; channels with more give the excess', () => {
  // In 7 days B forwarded 70 million msat, so for 2 days it needs 20 million; it has 5 million. A needs 10
  // million and has 100 million. C earned nothing.
  const byChannel = earningsOf([
    forward(C, B, 71_000_000, 70_000_000),
    forward(C, A, 36_000_000, 35_000_000),
  ]);
  const channels = [channel(A, 100_000_000, 0), channel(B, 5_000_000, 95_000_000), channel(C, 0, 50_000_000)];
  const earnings = { byChannel, periodS: 7 * DAY_S, aheadS: 2 * DAY_S };
  expect(wantedByEarnings(channels, earnings, msat(1_000_000))).toEqual({
    circle: {
      out: [{ shortChannelId: A, mostMsat: 90_000_000n }],
      in: [{ shortChannelId: B, mostMsat: 15_000_000n }],
    },
    wantedMsat: 15_000_000n,
  });
  // Deficits below the minimum are ignored, and no channel is filled beyond its capacity.
  expect(wantedByEarnings(channels, earnings, msat(15_000_001)).circle.in).toEqual([]);
  const long = { ...earnings, aheadS: 70 * DAY_S };
  expect(wantedByEarnings(channels, long, msat(1)).circle.in).toEqual([
    { shortChannelId: B, mostMsat: 95_000_000n },
  ]);
});

test('an unusable channel neither gives nor receives', () => {
  const byChannel = earningsOf([forward(C, B, 71_000_000, 70_000_000)]);
  const channels = [channel(A, 100_000_000, 0), { ...channel(B, 0, 100_000_000), usable: false }];
  const { circle, wantedMsat } = wantedByEarnings(
    channels,
    { byChannel, periodS: DAY_S, aheadS: DAY_S },
    msat(1),
  );
  expect(circle.in).toEqual([]);
  expect(wantedMsat).toBe(0n);
});
