/**
 * sim-ln's order of checks, as its sources have it (`simln-lib/src/sim_node.rs`: `check_htlc_forward`, then
 * `check_outgoing_addition`), reimplemented here as a plain model:
 *
 *     delta of expiry, fee | largest, smallest amount, number in flight, sum in flight, balance
 *
 * Both sides of one channel receive random HTLCs one after the other; some are settled or failed in between.
 * Every decision and every reported reason must equal the model's.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeForward } from '../../src/laboratory/truth/forwarding.ts';
import { TruePolicies } from '../../src/laboratory/truth/policies.ts';
import { TrueChannels } from '../../src/laboratory/truth/true-channels.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { Draws } from '../../src/model/draws.ts';
import { msat } from '../../src/model/msat.ts';
import { nodeIdToBytes, parseNodeId } from '../../src/model/node-id.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';

const CAPACITY = 1_000_000n;
const HEIGHT = 1_000_000;

interface Terms {
  readonly count: number;
  readonly inFlight: bigint;
  readonly least: bigint;
  readonly most: bigint;
  readonly delta: number;
  readonly base: number;
  readonly rate: number;
}

const amount = (most: number) => fc.integer({ min: 1, max: most }).map(BigInt);
const terms: fc.Arbitrary<Terms> = fc.record({
  count: fc.integer({ min: 1, max: 6 }),
  inFlight: amount(1_000_000),
  least: amount(20_000),
  most: fc.integer({ min: 20_000, max: 1_000_000 }).map(BigInt),
  delta: fc.integer({ min: 1, max: 144 }),
  base: fc.nat(2000),
  rate: fc.nat(5000),
});
const step = fc.record({
  direction: fc.nat(1),
  amountMsat: fc.oneof(amount(30_000), amount(400_000), amount(1_100_000)),
  moreFee: fc.integer({ min: -1, max: 3 }).map(BigInt),
  moreDelta: fc.integer({ min: -1, max: 3 }),
  /** What first happens to an older HTLC: nothing, or it is settled or failed. */
  before: fc.constantFrom('none', 'settle', 'fail'),
});

/** sim-ln's channel: two sides, each with its balance and HTLCs. */
class ModelSide {
  balance = CAPACITY / 2n;
  readonly flying: bigint[] = [];

  check(of: Terms, amountMsat: bigint, fee: bigint, delta: number): string | undefined {
    if (delta < of.delta) return 'InsufficientCltvDelta';
    if (fee < (amountMsat * BigInt(of.rate)) / 1_000_000n + BigInt(of.base)) return 'InsufficientFee';
    if (amountMsat > of.most) return 'MoreThanMaximum';
    if (amountMsat < of.least) return 'LessThanMinimum';
    if (this.flying.length + 1 > of.count) return 'ExceedsInFlightCount';
    if (this.flying.reduce((sum, each) => sum + each, 0n) + amountMsat > of.inFlight)
      return 'ExceedsInFlightTotal';
    return amountMsat > this.balance ? 'InsufficientBalance' : undefined;
  }
}

/** BOLT 4's name for each of sim-ln's refusals, plus our channel's reason if that name is ambiguous. */
const NAMES: Readonly<Record<string, readonly [failure: string, full?: string]>> = {
  InsufficientCltvDelta: ['incorrect_cltv_expiry'],
  InsufficientFee: ['fee_insufficient'],
  MoreThanMaximum: ['temporary_channel_failure'],
  LessThanMinimum: ['amount_below_minimum'],
  ExceedsInFlightCount: ['temporary_channel_failure', 'tooMany'],
  ExceedsInFlightTotal: ['temporary_channel_failure', 'tooMuchInFlight'],
  InsufficientBalance: ['temporary_channel_failure', 'noBalance'],
};

function channelOf(sides: readonly Terms[]): TrueChannels {
  const graph = new ChannelGraph(2, 1);
  for (const node of [1, 2])
    graph.internNode(nodeIdToBytes(parseNodeId(`02${String(node).padStart(64, '0')}`)!));
  graph.addChannel(shortChannelId(1, 1, 1), 0, 1, CAPACITY);
  for (const [direction, { least, most, delta, base, rate }] of sides.entries()) {
    graph.setPolicy(0, direction as 0 | 1, {
      enabled: true,
      htlcMinimumMsat: msat(least),
      htlcMaximumMsat: msat(most),
      feeBaseMsat: base,
      feeProportionalMillionths: rate,
      cltvExpiryDelta: delta,
    });
  }
  return new TrueChannels(graph, BigInt64Array.of(CAPACITY / 2n), {
    slots: Uint16Array.from(sides, ({ count }) => count),
    maxInFlightMsat: BigUint64Array.from(sides, ({ inFlight }) => inFlight),
    reserveMsat: new BigUint64Array(2),
  });
}

test('an HTLC may expire in 2 to 2016 blocks, and may leave exactly the reserve', () => {
  const open = { count: 9, inFlight: CAPACITY, least: 1n, most: CAPACITY, delta: 1, base: 0, rate: 0 };
  const { graph } = channelOf([open, open]);
  const channels = new TrueChannels(graph, BigInt64Array.of(CAPACITY / 2n), {
    slots: Uint16Array.of(9, 9),
    maxInFlightMsat: BigUint64Array.of(CAPACITY, CAPACITY),
    reserveMsat: BigUint64Array.of(10_000n, 10_000n),
  });
  const policies = new TruePolicies(graph, new Draws(1), { unreportedFees: 0, feeChangeUs: 0 }, () => 0);
  const failure = (blocks: number, amountMsat: bigint): string | undefined =>
    judgeForward(channels, policies, {
      ...{ direction: 0, amountMsat, incomingMsat: amountMsat, height: HEIGHT, isConnected: true },
      ...{ cltvExpiry: HEIGHT + blocks, incomingExpiry: HEIGHT + blocks + 1 },
    })?.name;
  expect([1, 2, 2016, 2017].map((blocks) => failure(blocks, 1_000n))).toEqual([
    ...['expiry_too_soon', undefined, undefined, 'expiry_too_far'],
  ]);
  // Half of the million minus the reserve.
  expect([490_000n, 490_001n].map((amountMsat) => failure(40, amountMsat))).toEqual([
    ...[undefined, 'temporary_channel_failure'],
  ]);
  expect(channels.spendableMsat(0)).toBe(490_000n);
});

test('decisions and reasons are those of sim-ln, in its order', () => {
  const seen: Record<string, number> = {};
  fc.assert(
    fc.property(fc.tuple(terms, terms), fc.array(step, { minLength: 5, maxLength: 40 }), (sides, steps) => {
      const channels = channelOf(sides);
      const fixed = { unreportedFees: 0, feeChangeUs: 0 };
      const policies = new TruePolicies(channels.graph, new Draws(1), fixed, () => 0);
      const model = [new ModelSide(), new ModelSide()] as const;
      for (const { direction, amountMsat, moreFee, moreDelta, before } of steps) {
        const side = model[direction as 0 | 1];
        const older = before === 'none' ? undefined : side.flying.shift();
        if (older !== undefined) {
          if (before === 'settle') channels.settle(direction, older);
          else channels.release(direction, older);
          if (before === 'settle') model[(1 - direction) as 0 | 1].balance += older;
          else side.balance += older;
        }
        const of = sides[direction as 0 | 1];
        const fee = (amountMsat * BigInt(of.rate)) / 1_000_000n + BigInt(of.base) + moreFee;
        const expected = side.check(of, amountMsat, fee, of.delta + moreDelta);
        const full = channels.refusal(direction, amountMsat);
        const failure = judgeForward(channels, policies, {
          direction,
          incomingMsat: amountMsat + fee,
          incomingExpiry: HEIGHT + 40 + of.delta + moreDelta,
          amountMsat,
          cltvExpiry: HEIGHT + 40,
          height: HEIGHT,
          isConnected: true,
        });
        const [name, reason] = expected === undefined ? [undefined] : NAMES[expected]!;
        expect(failure?.name).toBe(name);
        if (reason !== undefined) expect(full).toBe(reason);
        seen[expected ?? 'taken'] = (seen[expected ?? 'taken'] ?? 0) + 1;
        if (failure !== undefined) continue;
        channels.hold(direction, amountMsat);
        side.balance -= amountMsat;
        side.flying.push(amountMsat);
        channels.requireConservation(0);
        expect(channels.balanceMsat(direction)).toBe(side.balance);
      }
    }),
    { numRuns: 1000 },
  );
  for (const reason of [...Object.keys(NAMES), 'taken'])
    expect([reason, seen[reason]! > 20]).toEqual([reason, true]);
});
