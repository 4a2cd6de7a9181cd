import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameBytes } from '../../src/bolt/sphinx.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { msat } from '../../src/model/msat.ts';
import { keysendMaxfee, xkeysendMaxfee } from '../../src/payments/budget.ts';
import { hopsThatFit, onionHops } from '../../src/payments/onion-hops.ts';
import { draws, shadowOffset } from '../../src/payments/shadow.ts';

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

  test('maxfee excludes the others; a percentage may overflow', () => {
    const maxfeeMsat = msat(1);
    expect(() => keysendMaxfee(msat(1), { maxfeeMsat, exemptfeeMsat: msat(1) })).toThrow(
      'If you specify maxfee',
    );
    expect(() => keysendMaxfee(msat(2n ** 63n), { maxfeepercentMillionths: 2n ** 64n - 1n })).toThrow(
      'Overflow when computing fee budget',
    );
  });

  test('xkeysend: one per cent, at least five sat', () => {
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

  test('never take more than a quarter of what the caller allows', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2n ** 64n - 1n),
        fc.nat(ids.length - 1),
        fc.bigInt(1n, 10n ** 10n),
        fc.bigInt(0n, 10n ** 8n),
        fc.nat(2016),
        (seed, node, amount, maxfee, maxdelay) => {
          const limits = { amountMsat: msat(amount), maxfeeMsat: msat(maxfee), maxdelay };
          const { delayBlocks, amountMsat } = shadowOffset(graph, ids[node]!, limits, draws(seed));
          expect(delayBlocks).toBeLessThanOrEqual(Math.max(0, (maxdelay - 42) / 4));
          expect(amountMsat * 4n).toBeLessThanOrEqual(maxfee);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('are none half of the time, and differ otherwise', () => {
    const limits = { amountMsat: msat(100_000_000n), maxfeeMsat: msat(500_000n), maxdelay: 2016 };
    const hub = ids.reduce((a, b) =>
      graph.channelsOf(graph.nodeIndex(b)).length > graph.channelsOf(graph.nodeIndex(a)).length ? b : a,
    );
    const offsets = Array.from({ length: 1_000 }, (_, seed) =>
      shadowOffset(graph, hub, limits, draws(BigInt(seed))),
    );
    const none = offsets.filter(({ delayBlocks }) => delayBlocks === 0).length;
    expect(none).toBeGreaterThan(400);
    expect(none).toBeLessThan(600);
    expect(new Set(offsets.map(({ delayBlocks }) => delayBlocks)).size).toBeGreaterThan(5);
    expect(shadowOffset(graph, hub, limits, draws(5n))).toEqual(shadowOffset(graph, hub, limits, draws(5n)));
  });
});

describe('onions', () => {
  const hop = (n: number) => ({
    shortChannelIdDir: { shortChannelId: (2n ** 64n - 1n) as never, direction: 0 as const },
    nodeIdIn: `02${'11'.repeat(32)}` as never,
    nodeIdOut: `02${'11'.repeat(32)}` as never,
    amountInMsat: msat(2n ** 64n - 1n),
    amountOutMsat: msat(2n ** 64n - 1n),
    cltvIn: 4_000_000 + n,
    cltvOut: 4_000_000 + n,
  });

  test('as many hops fit as the search is told, whatever the records', () => {
    fc.assert(
      fc.property(fc.nat(1_150), fc.boolean(), (length, withSecret) => {
        const extraTlvs = [{ type: 65_537n, value: new Uint8Array(length) }];
        const hops = hopsThatFit(extraTlvs, withSecret);
        const final = {
          preimage: new Uint8Array(32),
          extraTlvs,
          paymentSecret: withSecret ? new Uint8Array(32) : undefined,
          totalMsat: msat(2n ** 64n - 1n),
        };
        const bytes = onionHops(
          Array.from({ length: hops }, (_, n) => hop(n)),
          100,
          final,
        ).reduce((sum, { payload }) => sum + frameBytes(payload.length), 0);
        expect(hops).toBeGreaterThanOrEqual(1);
        expect(bytes).toBeLessThanOrEqual(1300);
      }),
    );
  });

  test('records that fit no onion are refused before anything is sent', () => {
    expect(() => hopsThatFit([{ type: 65_537n, value: new Uint8Array(1_250) }], false)).toThrow(
      'Payloads exceed maximum onion packet size',
    );
  });
});
