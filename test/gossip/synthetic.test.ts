import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as shape from '../../src/gossip/mainnet-shape.ts';
import { snapshotNodeIds } from '../../src/gossip/node-keys.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { type ChannelGraph, POLICY_ENABLED, POLICY_KNOWN } from '../../src/model/channel-graph.ts';
import { picture } from './store-builder.ts';

/** Number of nodes that node 0 reaches over channels enabled in both directions. */
function reachable(graph: ChannelGraph): number {
  const seen = new Set([0]);
  for (const node of seen) {
    for (const channel of graph.channelsOf(node)) {
      if (!graph.policy(channel * 2)!.enabled || !graph.policy(channel * 2 + 1)!.enabled) continue;
      seen.add(graph.node1[channel] === node ? graph.node2[channel]! : graph.node1[channel]!);
    }
  }
  return seen.size;
}

const DIGEST = '7e5820ce788c139e5d4edcb9a494ade4b3840d2566719369e05b259dc896788a';
const digest = (graph: ChannelGraph) => createHash('sha256').update(picture(graph).join('\n')).digest('hex');

/** The quantile of the values at p. */
function quantile(values: readonly number[], p: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(p * values.length)]!;
}

describe('synthetic networks', () => {
  it('are the same for the same seed and size, on every machine', () => {
    expect(digest(generateSyntheticGraph({ nodeCount: 500, seed: 1 }))).toBe(DIGEST);
    expect(digest(generateSyntheticGraph({ nodeCount: 500, seed: 1n << 40n }))).not.toBe(DIGEST);
  });

  it('of any size and seed are valid: connected, no self-channel, limits in order', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 120 }), fc.bigInt(0n, 2n ** 64n - 1n), (nodeCount, seed) => {
        const graph = generateSyntheticGraph({ nodeCount, seed });
        expect(graph.nodeCount).toBe(nodeCount);
        expect(reachable(graph)).toBe(nodeCount);
        for (let channel = 0; channel < graph.channelCount; channel++) {
          for (const directionIndex of [channel * 2, channel * 2 + 1]) {
            const policy = graph.policy(directionIndex)!;
            expect(policy.htlcMinimumMsat <= policy.htlcMaximumMsat).toBe(true);
            expect(policy.htlcMaximumMsat <= graph.capacityMsat[channel]!).toBe(true);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('have keys derived as for a snapshot, the largest node first', () => {
    const graph = generateSyntheticGraph({ nodeCount: 300 });
    expect(graph.nodeIds.subarray(0, 300 * 33)).toEqual(snapshotNodeIds(300));
    expect(Math.max(...graph.nodeDegree.subarray(0, 300))).toBe(graph.nodeDegree[0]);
  });

  it('announce aliases, colors and features', () => {
    const graph = generateSyntheticGraph({ nodeCount: 10 });
    const { alias, color, features, addresses } = graph.announcements.get(7)!;
    expect(Buffer.from(alias).toString('latin1')).toBe('synthetic-7'.padEnd(32, '\0'));
    expect(Buffer.from(color).toString('hex')).toBe(graph.nodeId(7).slice(2, 8));
    expect(Buffer.from(features).toString('hex')).toBe('80008002024100');
    expect(addresses).toHaveLength(0);
  });

  it('have the shape of the main network', () => {
    const graph = generateSyntheticGraph({ nodeCount: 6000, seed: 3 });
    const directionIndexes = Array.from(
      { length: graph.channelCount * 2 },
      (_, directionIndex) => directionIndex,
    );
    const enabled = directionIndexes.filter(
      (directionIndex) => (graph.policyFlags[directionIndex]! & POLICY_ENABLED) !== 0,
    );
    const of = (column: ArrayLike<number | bigint>, at: readonly number[]) =>
      at.map((i) => Number(column[i]));
    expect(
      directionIndexes.every((directionIndex) => (graph.policyFlags[directionIndex]! & POLICY_KNOWN) !== 0),
    ).toBe(true);
    expect(graph.channelCount / 6000).toBeCloseTo(shape.MEAN_CHANNELS_PER_NODE, 1);
    expect(1 - enabled.length / directionIndexes.length).toBeCloseTo(0.352, 1);
    expect(Math.max(...graph.nodeDegree)).toBeLessThanOrEqual(6000 * shape.MAX_DEGREE_SHARE);
    const capacities = of(graph.capacityMsat, directionIndexes.slice(0, graph.channelCount)).map(
      (msat) => msat / 1000,
    );
    for (const [measured, values] of [
      [shape.CAPACITY_SAT, capacities],
      [shape.FEE_PROPORTIONAL_MILLIONTHS, of(graph.feeProportionalMillionths, enabled)],
      [shape.CLTV_EXPIRY_DELTA, of(graph.cltvExpiryDelta, enabled)],
      [shape.HTLC_MINIMUM_MSAT, of(graph.htlcMinimumMsat, enabled)],
      [shape.FEE_BASE_MSAT, of(graph.feeBaseMsat, enabled)],
    ] as const) {
      // At most 5 % of the values may differ: the quantile lies between the measured quantiles about 5 %
      // below and above p.
      for (const p of [0.1, 0.25, 0.5, 0.75, 0.9]) {
        const value = quantile(values, p);
        expect(value).toBeGreaterThanOrEqual(shape.stepQuantile(measured, p - 0.05));
        expect(value).toBeLessThanOrEqual(shape.stepQuantile(measured, p + 0.06));
      }
    }
  });

  it.each([0, 1, 1.5, Number.NaN, 1_000_001])('refuses %s nodes', (nodeCount) => {
    expect(() => generateSyntheticGraph({ nodeCount })).toThrow(RangeError);
  });
});

describe('quantile tables', () => {
  it('give measured values at their probabilities and lie in between elsewhere', () => {
    expect(shape.stepQuantile(shape.DEGREE, 0)).toBe(1);
    expect(shape.stepQuantile(shape.DEGREE, 0.99)).toBe(74);
    expect(shape.stepQuantile(shape.DEGREE, 0.9999)).toBe(1771);
    expect(shape.smoothQuantile(shape.DEGREE, 0.99)).toBe(74);
    expect(shape.smoothQuantile(shape.DEGREE, 0.9925)).toBe(98); // sqrt(74 * 131)
    expect(shape.smoothQuantile(shape.DEGREE, 1)).toBe(1989);
  });

  it('never decrease', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (a, b) => {
          const [low, high] = [Math.min(a, b), Math.max(a, b)];
          for (const table of [shape.CAPACITY_SAT, shape.FEE_BASE_MSAT]) {
            for (const at of [shape.stepQuantile, shape.smoothQuantile]) {
              expect(at(table, low)).toBeLessThanOrEqual(at(table, high));
            }
          }
        },
      ),
    );
  });
});
