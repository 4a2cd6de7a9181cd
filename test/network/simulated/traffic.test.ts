import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/gossip/random.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import type { HtlcOutcome } from '../../../src/network/port.ts';
import {
  type FaultRates,
  networkMapOf,
  Simulation,
  type SimulationOptions,
} from '../../../src/network/simulated/index.ts';
import { binomialRange, countWithin } from '../../statistics.ts';
import { TestPort } from './htlc-client.ts';
import { OWN_ID } from './line.ts';
import type { BuiltAttempt } from './payer.ts';
import { randomAttempt } from './traffic.ts';

const graph = generateSyntheticGraph({ nodeCount: 60, seed: 3 });
const map = networkMapOf(graph);

const FAULTS: FaultRates = {
  offlineNodes: 0.05,
  unresponsiveNodes: 0.03,
  garbledFailures: 0.1,
  stuckHtlcs: 0.02,
  stuckToExpiry: 0.3,
  unreportedPolicies: 0.1,
  heightDisagreement: 0.1,
};

interface Run {
  readonly digest: string;
  readonly outcomes: readonly HtlcOutcome[];
  readonly spentMsat: bigint;
  readonly settledMsat: bigint;
  readonly wrong: readonly string[];
}

/** Sends in waves. With `reversed` the attempts of each wave are sent in reverse order. */
async function run(
  seed: number,
  count: number,
  options: Partial<SimulationOptions>,
  reversed = false,
): Promise<Run> {
  const simulation = new Simulation(map, { ownNodeId: OWN_ID, seed, faults: FAULTS, ...options });
  const port = new TestPort(simulation);
  const random = seededRandom(seed, 99);
  const total = (): bigint =>
    simulation.ownChannels().channels.reduce((sum, { spendableMsat }) => sum + spendableMsat, 0n);
  const before = total();
  const sent: [BuiltAttempt, Promise<HtlcOutcome>][] = [];
  const wrong: string[] = [];
  for (let wave = 0; sent.length < count && wave < count; wave++) {
    const attempts = Array.from({ length: 8 }, (_, i) => randomAttempt(graph, port, `${wave}.${i}`, random));
    const built = attempts.filter((attempt) => attempt !== undefined);
    for (const attempt of reversed ? built.reverse() : built)
      sent.push([attempt, port.sendHtlc(attempt.offer)]);
    simulation.advanceTo(simulation.nowMs + 100);
    wrong.push(...simulation.checkConservation());
  }
  expect(simulation.runUntilIdle()).toBe(true);
  wrong.push(...simulation.checkConservation());
  const outcomes = await Promise.all(sent.map(([, outcome]) => outcome));
  let settledMsat = 0n;
  for (const [i, outcome] of outcomes.entries()) {
    const [attempt] = sent[i]!;
    if (outcome.status !== 'settled') continue;
    expect(outcome.preimage).toEqual(attempt.preimage);
    settledMsat += attempt.offer.amountMsat;
  }
  return { digest: simulation.logDigest(), outcomes, spentMsat: before - total(), settledMsat, wrong };
}

describe('random traffic', () => {
  test('with faults neither creates nor loses money, for any seed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.constantFrom('uniform' as const, 'bimodal' as const),
        async (seed, balances) => {
          const { wrong, outcomes, spentMsat, settledMsat } = await run(seed, 400, { balances });
          expect(wrong).toEqual([]);
          // The amount that left us equals the settled amount, to the last msat. Everything else was returned.
          expect(spentMsat).toBe(settledMsat);
          expect(new Set(outcomes.map(({ status }) => status)).size).toBeGreaterThan(1);
        },
      ),
      { numRuns: 8 },
    );
  });

  test('with equal seeds gives equal logs, regardless of the order of simultaneous attempts', async () => {
    const [first, again, reversed, other] = [
      await run(7, 200, {}),
      await run(7, 200, {}),
      await run(7, 200, {}, true),
      await run(8, 200, {}),
    ];
    expect(again.digest).toBe(first.digest);
    expect(reversed.digest).toBe(first.digest);
    expect(other.digest).not.toBe(first.digest);
  });

  test('finds hidden balances drawn as configured: even, or at either end', () => {
    const outside = (balances: 'uniform' | 'bimodal'): number => {
      const simulation = new Simulation(map, { ownNodeId: OWN_ID, balances });
      let outer = 0;
      for (let channel = 0; channel < map.channelCount; channel++) {
        const scid = map.shortChannelIds[channel]! as never;
        const balance = simulation.balanceMsat({ shortChannelId: scid, direction: 0 });
        const share = Number(balance) / Number(map.capacityMsat[channel]!);
        if (share < 0.2 || share > 0.8) outer++;
      }
      return outer;
    };
    // With uniform shares, two fifths of the balances are in the two outer fifths. The other distribution
    // decreases exponentially from either end, with width 0.1, and is cut off at the other end: (1 − e⁻² +
    // e⁻⁸ − e⁻¹⁰) / (1 − e⁻¹⁰), nearly 0.865.
    const bimodal = (1 - Math.exp(-2) + Math.exp(-8) - Math.exp(-10)) / (1 - Math.exp(-10));
    for (const [balances, chance] of [
      ['uniform', 0.4],
      ['bimodal', bimodal],
    ] as const) {
      const count = outside(balances);
      const range = binomialRange(map.channelCount, chance);
      expect(countWithin(count, range), `${balances}, of ${map.channelCount}`).toBe(count);
    }
  });
});
