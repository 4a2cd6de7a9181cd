/**
 * Failures on the mainnet snapshot, with layers and limits on fee, delay and parts. A second request that
 * follows the remedy must get an answer that obeys the rules. Unless the remedy is marked as not minimal, a
 * request with slightly less must fail (reference/remedied.ts defines "slightly"). If there is no remedy,
 * brute force looks for one in a single parameter. FULGURITE_SNAPSHOT_FAILURES sets the number of failures
 * (1,000 by hand, 200 usually), and FULGURITE_TEST_SEED sets the seed.
 */
import { expect, it } from 'vitest';
import type { RouteQuery } from '../../src/engine/question/route.ts';
import { Kernel } from '../../src/engine/solver/kernel.ts';
import type { Terms } from '../../src/engine/solver/remedy.ts';
import { IDENTITY_FOLD, IDENTITY_STEP } from '../../src/layers/bounds-fold.ts';
import type { ChannelCell } from '../../src/layers/cell.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { msat } from '../../src/model/msat.ts';
import { AUTOMATIC, askKernel } from '../engine/solver/kernel-solver.ts';
import { describeNeeding } from '../needs.ts';
import { helpfulParameters } from '../reference/brute-remedy.ts';
import { remedied } from '../reference/remedied.ts';
import { likeDrawn } from '../statistics.ts';
import { hasSample, snapshotGraph } from './cln/cln-sample.ts';
import { randomNode, randomNumbers } from './random-ends.ts';

const FAILURES = Number(process.env.FULGURITE_SNAPSHOT_FAILURES ?? 200);
const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
/** Layer slots: `known` for liquidity, `closed` for closed channels. */
const SLOTS = new Map([...AUTOMATIC, ['known', 1], ['closed', 2]]);
const CELLS = 5_000;

const CELL: ChannelCell = {
  updates: [undefined, undefined],
  bias: [0, 0],
  bounds: [IDENTITY_FOLD, IDENTITY_FOLD],
  reservedMsat: [0n, 0n],
};

/**
 * `known` sets a maximum and a reservation on some directions. `closed` disables both directions of some
 * channels.
 */
function fillLayers(kernel: Kernel, graph: ChannelGraph, random: () => number): void {
  kernel.ensureLayerSlots(3);
  for (let i = 0; i < CELLS; i++) {
    const channel = Math.floor(random() * graph.channelCount);
    const capacity = graph.capacityMsat[channel]!;
    const share = BigInt(Math.floor(random() * 1000));
    const maximum = [{ ...IDENTITY_STEP, maxHigh: (capacity * share) / 1000n }];
    const known: ChannelCell = {
      ...CELL,
      bounds: [maximum, IDENTITY_FOLD],
      reservedMsat: [0n, capacity / 4n],
    };
    kernel.setChannelCell(1, graph.shortChannelIds[channel]!, known);
    const other = graph.shortChannelIds[Math.floor(random() * graph.channelCount)]!;
    kernel.setChannelCell(2, other, { ...CELL, updates: [{ enabled: false }, { enabled: false }] });
  }
}

/** Amounts from 1 sat to 1 BTC, evenly on a logarithmic scale; limits from tight to none. */
function randomQuery(graph: ChannelGraph, random: () => number): RouteQuery {
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!;
  const source = randomNode(graph, random);
  let destination = randomNode(graph, random);
  while (destination === source) destination = randomNode(graph, random);
  const amountMsat = msat(Math.floor(10 ** (3 + random() * 8)));
  const fees = [0n, amountMsat / 10_000n, amountMsat / 1000n, amountMsat / 200n, amountMsat + 10_000_000n];
  const layers = ['auto.sourcefree', 'known', 'closed'].filter(() => random() < 0.4);
  if (random() < 0.15) layers.push('auto.no_mpp_support');
  if (random() < 0.15) layers.push('auto.include_fees');
  return {
    source,
    destination,
    amountMsat,
    layers,
    maxfeeMsat: msat(pick(fees)),
    finalCltv: pick([0, 18, 144]),
    maxdelay: pick([2016, 2016, 1008, 400, 200, 100]),
    maxparts: pick([100, 100, 10, 3, 2, 1]),
  };
}

/**
 * Requests that once received a fee limit more than 1 % too high: the first value of each row. In three of
 * them, an answer in more parts costs less. In the other two, a costlier onward path lifts a small amount
 * over an HTLC minimum.
 */
const TOO_HIGH: [bigint, string, string, Terms & Pick<RouteQuery, 'layers'>][] = [
  [
    410072n,
    '02e80802d5da5306900c1aa0e252747887dbd31ae16e1ce3386e5602977f6c6f6a',
    '036c40930f3936da65ec6fa50f666597479af79fdabc188bc9671bea17310f0395',
    {
      amountMsat: msat(2811500519n),
      maxfeeMsat: msat(281150n),
      finalCltv: 144,
      maxdelay: 2016,
      maxparts: 100,
      layers: [],
    },
  ],
  [
    514n,
    '028920204fd8b5749991cc84abb61d2777965005459c5e5cd9251f5e49fbcdcc64',
    '03e41a8158848d95dd1d9d29b349cffa67b341aa02d2c103574daadeba8bcd125e',
    {
      amountMsat: msat(3058572n),
      maxfeeMsat: msat(305n),
      finalCltv: 18,
      maxdelay: 1008,
      maxparts: 100,
      layers: [],
    },
  ],
  [
    1000n,
    '0348c01e556a151791e88108c63b18c3a0ac46ec75a9c597c8d046f8aef5ce4706',
    '020c23b754d56ed4512e22209a11e42f79b80bc2594a1ed561a70435bd393c5309',
    { amountMsat: msat(145n), maxfeeMsat: msat(0n), finalCltv: 18, maxdelay: 200, maxparts: 10, layers: [] },
  ],
  [
    150n,
    '0394ed8c64b3eb0ae19a583d6241cc194a0dfdec0cf1c55ebc30d0f2e518c9cbdf',
    '03b9d278d105da657ad0a6672c638253c87753b05a4cce7bdeb6801236aadaa98a',
    {
      amountMsat: msat(24107705n),
      maxfeeMsat: msat(0n),
      finalCltv: 144,
      maxdelay: 2016,
      maxparts: 10,
      layers: [],
    },
  ],
  [
    685n,
    '036a6334dc158375b7829f97f955d76eb1b5f6068e35e7971cc60b169fc3c2f3a2',
    '03c934fad2c7a25c71af2b8449f5b2744f883f3acb1af7a8e2c48f0467c9e33621',
    {
      amountMsat: msat(402n),
      maxfeeMsat: msat(0n),
      finalCltv: 0,
      maxdelay: 200,
      maxparts: 100,
      layers: [],
    },
  ],
];

const asText = (value: unknown) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v));

let read: ChannelGraph | undefined;
const snapshot = (): ChannelGraph => {
  read ??= snapshotGraph();
  return read;
};

describeNeeding('routes', hasSample, 'remedies on the snapshot', () => {
  it(`work, and are minimal (${FAILURES} failures of seed ${SEED})`, () => {
    const graph = snapshot();
    const kernel = Kernel.inProcess(graph);
    const random = randomNumbers(SEED);
    kernel.reading(() => fillLayers(kernel, graph, random));
    const wrong: string[] = [];
    const silent: string[] = [];
    const kinds = new Map<string, number>();
    const isAnswered = (query: RouteQuery) => !(askKernel(kernel, query, SLOTS) instanceof FulguriteError);
    for (let failures = 0; failures < FAILURES; ) {
      const query = randomQuery(graph, random);
      const error = askKernel(kernel, query, SLOTS);
      if (!(error instanceof FulguriteError)) continue;
      failures++;
      const better = remedied(query, error);
      const { binding } = error.data as { binding: { kind: string } };
      const kind = `${error.code} ${binding.kind}: ${better?.kind ?? 'none'}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      if (better === undefined) {
        const helpful = helpfulParameters(query, isAnswered);
        if (helpful.length > 0) silent.push(`${kind}, ${helpful.join(' or ')}: ${asText(query)}`);
        continue;
      }
      const text = `${asText(query)} -> ${asText(error.data?.remedy)}`;
      if (query.layers.includes('auto.no_mpp_support') && better.kind.includes('maxparts'))
        wrong.push(`parts: ${text}`);
      if (!isAnswered(better.query)) wrong.push(`does not help: ${text}`);
      for (const [name, less] of better.less)
        if (isAnswered(less)) wrong.push(`less ${name} would do: ${text}`);
    }
    process.stdout.write(
      `${asText(Object.fromEntries([...kinds].sort()))}; no remedy although one helps: ${silent.length}\n`,
    );
    expect(wrong).toEqual([]);
    // Failures without a remedy although one helps: 14 of 2,000 when this test was written, and 45 of 600 before
    // remedies of last resort were added.
    const unsaid = likeDrawn({ seed: 2, trials: 2_000, count: 14 }, SEED, FAILURES);
    expect(silent.length, silent.join('\n')).toBeLessThanOrEqual(unsaid.most);
    const helped = [...kinds].filter(([kind]) => !kind.endsWith('none'));
    // At least as many remedies as when this test was written.
    const usual = likeDrawn({ seed: 1, trials: 600, count: 148 }, SEED, FAILURES);
    expect(helped.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThanOrEqual(usual.least);
  }, 1_200_000);

  it('are minimal fee limits for requests that once received higher ones', () => {
    const kernel = Kernel.inProcess(snapshot());
    const isAnswered = (query: RouteQuery) => !(askKernel(kernel, query) instanceof FulguriteError);
    let told = 0;
    for (const [wasTold, source, destination, terms] of TOO_HIGH) {
      const query = { ...terms, source, destination } as RouteQuery;
      const better = remedied(query, askKernel(kernel, query) as FulguriteError);
      // If the effort ends before a lower limit is known to fail, the remedy is marked as not minimal.
      if (better === undefined || !better.isMinimal) continue;
      told++;
      expect(better.kind, asText(query)).toBe('maxfee_msat');
      expect(better.query.maxfeeMsat).toBeLessThan(wasTold);
      expect(isAnswered(better.query), asText(query)).toBe(true);
      for (const less of better.less.values()) expect(isAnswered(less), asText(query)).toBe(false);
    }
    expect(told).toBeGreaterThan(0);
  });
});
