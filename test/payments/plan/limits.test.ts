import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { frameBytes } from '../../../src/bolt/onion/sphinx.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { msat, msatFromSat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { type ShortChannelId, shortChannelId } from '../../../src/model/short-channel-id.ts';
import { onionHops } from '../../../src/network/onions/htlc-onion.ts';
import type { Payment } from '../../../src/payments/payment.ts';
import { keysendMaxfee, xkeysendMaxfee } from '../../../src/payments/plan/limits.ts';
import { hopsThatFit, recipientOf } from '../../../src/payments/plan/recipient.ts';
import { draws, lighterThan, NO_SHADOW, shadowOffset } from '../../../src/payments/plan/shadow.ts';
import { toldBy } from '../../in-words.ts';
import { binomialRange, countWithin } from '../../statistics.ts';
import { keysendRequest } from '../simulation/simulated-node.ts';

describe('fee limits', () => {
  test.each([
    // amount, maxfeepercent in millionths, exemptfee, maxfee → limit
    [1_000_000n, undefined, undefined, undefined, 5_000n],
    [1_000_000_000n, undefined, undefined, undefined, 5_000_000n],
    [1_000_001n, 500_000n, 0n, undefined, 5_000n],
    [999_999n, 1_000_000n, 0n, undefined, 9_999n],
    [1_000_000n, 0n, 0n, undefined, 0n],
    // Steps of 0.0001 %: 0.00019 % counts as 0.0001 %.
    [1_000_000n, 190n, 0n, undefined, 1n],
    [1_000_000n, undefined, 7_000n, undefined, 7_000n],
    [1_000_000n, undefined, undefined, 0n, 0n],
    [1_000_000n, undefined, undefined, 10n, 10n],
  ])('%s msat, %s, %s, %s → %s', (amount, percent, exempt, maxfee, expected) => {
    const limit = keysendMaxfee(msat(amount), {
      maxfeepercentMillionths: percent,
      exemptfeeMsat: exempt === undefined ? undefined : msat(exempt),
      maxfeeMsat: maxfee === undefined ? undefined : msat(maxfee),
    });
    expect(limit).toBe(expected);
  });

  test('maxfee excludes the other limits; a percentage may overflow', () => {
    const maxfeeMsat = msat(1);
    expect(toldBy(() => keysendMaxfee(msat(1), { maxfeeMsat, exemptfeeMsat: msat(1) }))).toThrow(
      'If you specify maxfee',
    );
    expect(toldBy(() => keysendMaxfee(msat(2n ** 63n), { maxfeepercentMillionths: 2n ** 64n - 1n }))).toThrow(
      'Overflow when computing fee budget',
    );
  });

  test('default to one per cent for xkeysend, but at least five sat', () => {
    expect([1n, 500_000n, 500_100n, 10_000_000n].map((a) => xkeysendMaxfee(msat(a)))).toEqual([
      5_000n,
      5_000n,
      5_001n,
      100_000n,
    ]);
  });
});

describe('shadows', () => {
  const graph = generateSyntheticGraph({ nodeCount: 300, seed: 3 });
  const ids = Array.from({ length: graph.nodeCount }, (_, node) => graph.nodeId(node));

  test('never exceed a quarter of the caller’s limits, nor a thousandth of the amount', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2n ** 64n - 1n),
        fc.nat(ids.length - 1),
        fc.bigInt(1n, 10n ** 10n),
        fc.bigInt(0n, 10n ** 8n),
        fc.nat(2016),
        (seed, node, amount, maxfee, maxdelay) => {
          const limits = { amountMsat: msat(amount), maxfeeMsat: msat(maxfee), maxdelay, finalCltv: 42 };
          const { delayBlocks, amountMsat } = shadowOffset(graph, ids[node]!, limits, draws(seed));
          expect(delayBlocks).toBeLessThanOrEqual(Math.max(0, (maxdelay - 42) / 4));
          expect(amountMsat * 4n).toBeLessThanOrEqual(maxfee);
          expect(amountMsat * 1_000n).toBeLessThanOrEqual(amount);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('are absent half of the time, and differ otherwise', () => {
    const limits = {
      ...{ amountMsat: msat(100_000_000n), maxfeeMsat: msat(500_000n) },
      ...{ maxdelay: 2016, finalCltv: 42 },
    };
    const hub = ids.reduce((a, b) =>
      graph.channelsOf(graph.nodeIndex(b)).length > graph.channelsOf(graph.nodeIndex(a)).length ? b : a,
    );
    const offsets = Array.from({ length: 1_000 }, (_, seed) =>
      shadowOffset(graph, hub, limits, draws(BigInt(seed))),
    );
    const none = offsets.filter(({ delayBlocks }) => delayBlocks === 0).length;
    // The walk ends before its first step with probability one half.
    expect(countWithin(none, binomialRange(1_000, 0.5)), 'seeds 0 to 999').toBe(none);
    expect(shadowOffset(graph, hub, limits, draws(5n))).toEqual(shadowOffset(graph, hub, limits, draws(5n)));
  });
});

/**
 *     A ── B, one channel: base 1,000 msat + 100 ppm, 40 blocks, in both directions
 *
 * A walk from A goes to B, back to A, and to B again.
 */
describe('a shadow over one channel', () => {
  const graph = new ChannelGraph();
  const [a, b] = [1, 2].map((key) => curve.publicKey(new Uint8Array(32).fill(key))).sort(Buffer.compare);
  const channel = graph.addChannel(
    shortChannelId(1, 1, 1),
    graph.internNode(a!),
    graph.internNode(b!),
    msatFromSat(10_000_000),
  );
  const policy = {
    enabled: true,
    htlcMinimumMsat: 0n,
    htlcMaximumMsat: 10_000_000_000n,
    feeBaseMsat: 1_000,
    feeProportionalMillionths: 100,
    cltvExpiryDelta: 40,
  };
  for (const direction of [0, 1] as const) graph.setPolicy(channel, direction, policy as never);
  const destination = nodeIdFromBytes(a!);
  /**
   * Random draws in order: whether to step (below ½), the channel, and the extra amount if the fee does not
   * fit.
   */
  const walk = (sat: bigint, maxfee: bigint, maxdelay: number, ...drawn: number[]) => {
    const offset = shadowOffset(
      graph,
      destination,
      { amountMsat: msatFromSat(sat), maxfeeMsat: msat(maxfee), maxdelay, finalCltv: 42 },
      () => drawn.shift()!,
    );
    expect(drawn).toEqual([]);
    return offset;
  };

  test('is the fee if it is within the thousandth and the quarter', () => {
    // 1,000 msat + 100 ppm of 100,000 sat is 11,000 msat. A thousandth of the amount is 100,000 msat.
    expect(walk(100_000n, 500_000n, 2016, 0.1, 0, 0.9)).toEqual({ delayBlocks: 40, amountMsat: 11_000n });
    expect(walk(100_000n, 500_000n, 2016, 0.1, 0, 0.1, 0, 0.1, 0)).toEqual({
      delayBlocks: 120,
      amountMsat: 33_000n,
    });
  });

  test('is drawn uniformly from the allowed amounts if the fee exceeds them; the delay stays', () => {
    expect(walk(1n, 5_000n, 2016, 0.1, 0, 0.499, 0.9)).toEqual({ delayBlocks: 40, amountMsat: 0n });
    expect(walk(1n, 5_000n, 2016, 0.1, 0, 0.5, 0.9)).toEqual({ delayBlocks: 40, amountMsat: 1n });
    // A thousandth of 100 sat is 100 msat. Of the 101 possible values, the 51st is drawn.
    expect(walk(100n, 5_000n, 2016, 0.1, 0, 0.5, 0.9)).toEqual({ delayBlocks: 40, amountMsat: 50n });
    expect(walk(100n, 5_000n, 2016, 0.1, 0, 0.9999, 0.9)).toEqual({ delayBlocks: 40, amountMsat: 100n });
    // A quarter of the limit of 12 msat is less: 3 msat.
    expect(walk(100n, 12n, 2016, 0.1, 0, 0.9999, 0.9)).toEqual({ delayBlocks: 40, amountMsat: 3n });
    expect(walk(100n, 0n, 2016, 0.1, 0, 0.9999, 0.9)).toEqual({ delayBlocks: 40, amountMsat: 0n });
    // The first step used up all 100 msat, so the next step gets none.
    expect(walk(100n, 5_000n, 2016, 0.1, 0, 0.9999, 0.1, 0, 0.9999, 0.9)).toEqual({
      delayBlocks: 80,
      amountMsat: 100n,
    });
  });

  test('does not grow with the fee limit', () => {
    expect(walk(1n, 10n ** 18n, 2016, 0.1, 0, 0.9999, 0.9)).toEqual({ delayBlocks: 40, amountMsat: 1n });
  });

  test('is absent if its delay exceeds a quarter of the blocks beyond the recipient’s 42', () => {
    expect(walk(100_000n, 500_000n, 42 + 4 * 40, 0.1, 0, 0.9)).toMatchObject({ delayBlocks: 40 });
    expect(walk(100_000n, 500_000n, 42 + 4 * 40 - 1, 0.1, 0)).toEqual(NO_SHADOW);
  });
});

test('a shadow that leaves no route loses its amount first and its delay last', () => {
  const whole = { delayBlocks: 40, amountMsat: msat(7) };
  const delayOnly = lighterThan(whole);
  expect(delayOnly).toEqual({ delayBlocks: 40, amountMsat: 0n });
  expect(lighterThan(delayOnly!)).toEqual(NO_SHADOW);
  expect(lighterThan(NO_SHADOW)).toBeUndefined();
  expect(lighterThan({ delayBlocks: 0, amountMsat: msat(7) })).toEqual(NO_SHADOW);
});

describe('onions', () => {
  /** A hop with amount, expiry and channel id of maximum width. */
  const hop = {
    nodeId: `02${'11'.repeat(32)}` as NodeId,
    shortChannelId: (2n ** 64n - 1n) as ShortChannelId,
    amountMsat: msat(2n ** 64n - 1n),
    cltvExpiry: 0xffff_ffff,
  };

  test('have room for the maximum number of hops of the search, with any records', () => {
    fc.assert(
      fc.property(fc.nat(1_150), fc.boolean(), (length, withSecret) => {
        const extraTlvs = [{ type: 65_537n, value: new Uint8Array(length) }];
        const request = keysendRequest(hop.nodeId, { extraTlvs });
        const hops = hopsThatFit(request, withSecret);
        const payment = {
          request,
          preimage: new Uint8Array(32),
          paymentSecret: new Uint8Array(32),
          totalMsat: msat(2n ** 64n - 1n),
        } as unknown as Payment;
        const path = Array.from({ length: hops }, () => hop);
        const finalPayload = recipientOf(request).finalPayload(payment, withSecret);
        const bytes = onionHops({ path, finalPayload }).reduce(
          (sum, { payload }) => sum + frameBytes(payload.length),
          0,
        );
        expect(hops).toBeGreaterThanOrEqual(1);
        expect(bytes).toBeLessThanOrEqual(1300);
      }),
    );
  });

  test('are refused before anything is sent if the records do not fit', () => {
    const extraTlvs = [{ type: 65_537n, value: new Uint8Array(1_250) }];
    expect(toldBy(() => hopsThatFit(keysendRequest(hop.nodeId, { extraTlvs }), false))).toThrow(
      'Payloads exceed maximum onion packet size',
    );
  });
});
