/**
 * The worked examples of askrene that need no layers. Each runs on its own graph and on both builds of the
 * kernel.
 *
 * Defaults of a channel: 1,000,000 sat, fee 0 + 1 ppm, delay 6, HTLC limits 0 to capacity (tiny-graph.ts).
 * Nodes are numbers, so that channel ids equal those of askrene's own tests: channel i between a and b is
 * (i+a)x(b)x(i). Where the published answer is not the best one, our answer must reach the better value, and
 * the reason is given.
 */
import { describe, expect, it } from 'vitest';
import type { RouteAnswer, RouteQuery } from '../../../src/engine/question/route.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { msat } from '../../../src/model/msat.ts';
import { formatShortChannelIdDir } from '../../../src/model/short-channel-id.ts';
import { referee, withAutomaticLayers } from '../../reference/referee.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';
import { kernelSolver } from './kernel-solver.ts';

interface Ask {
  readonly from: string;
  readonly to: string;
  readonly msat: bigint;
  readonly maxfee?: bigint;
  readonly maxdelay?: number;
  readonly maxparts?: number;
  readonly finalCltv?: number;
  readonly layers?: readonly string[];
}

const queryOf = (ask: Ask): RouteQuery => ({
  source: nodeNamed(ask.from),
  destination: nodeNamed(ask.to),
  amountMsat: msat(ask.msat),
  layers: ask.layers ?? [],
  maxfeeMsat: msat(ask.maxfee ?? ask.msat + 10_000_000n),
  finalCltv: ask.finalCltv ?? 99,
  maxdelay: ask.maxdelay ?? 2016,
  maxparts: ask.maxparts ?? 100,
});

/** `SCID/D in>out cltvIn>cltvOut`, one line per hop, routes in descending order of amount. */
function lines(answer: RouteAnswer): string[][] {
  const routes = answer.routes.toSorted((a, b) => Number(b.amountMsat - a.amountMsat));
  return routes.map((route) =>
    route.path.map((hop) => {
      const name = formatShortChannelIdDir(hop.shortChannelIdDir);
      return `${name} ${hop.amountInMsat}>${hop.amountOutMsat} ${hop.cltvIn}>${hop.cltvOut}`;
    }),
  );
}

/*
 *   0 ──10000 ppm──▶ 1 ──20000 ppm──▶ 3
 *   0 ── 9,000 sat ── 2
 *   0 ──10,000 sat ── 2 ──1 ppm, delay 2000──▶ 4
 */
const G1 = [
  '0-1 > fee=0+10000',
  '0-2 cap=9000sat',
  '1-3 > fee=0+20000',
  '0-2 cap=10000sat',
  '2-4 > delay=2000',
];

/* Two paths of two hops, with reverse directions disabled: 20,000 sat at 10000 ppm, 10,000 sat at 1 ppm. */
const G2 = [
  '0-1 cap=20000sat > fee=0+10000 < off',
  '1-3 cap=20000sat > fee=0+10000 < off',
  '0-2 cap=10000sat > fee=0+1 < off',
  '2-3 cap=10000sat > fee=0+1 < off',
];

/* Three hops, with a different fee at each: 1 + 10000 ppm, 2 + 20000 ppm, 3 + 30000 ppm. */
const FEE_CHAIN = ['0-1 fee=1+10000 delay=5', '1-2 fee=2+20000 delay=5', '2-3 fee=3+30000 delay=5'];

const chainOf = (hops: number) =>
  Array.from({ length: hops }, (_, hop) => `${hop}-${hop + 1} fee=0+0 delay=1`);

interface AnswerCase {
  readonly name: string;
  readonly graph: readonly string[];
  readonly ask: Ask;
  readonly probabilityPpm: number;
  readonly routes: readonly (readonly string[])[];
}

const ANSWERS: readonly AnswerCase[] = [
  {
    // 10 = floor(1000 * 10000 / 10^6); P = 1 - 1000/10^9
    name: 'one hop, for which the source itself charges',
    graph: G1,
    ask: { from: '0', to: '1', msat: 1000n },
    probabilityPpm: 999_999,
    routes: [['0x1x0/1 1010>1000 105>99']],
  },
  {
    // 1-3 charges 2000 for 100000, and 0-1 charges 1020 for 102000; P = (1 - 0.000102) * (1 - 0.0001)
    name: 'fees add up from the destination',
    graph: G1,
    ask: { from: '0', to: '3', msat: 100_000n },
    probabilityPpm: 999_798,
    routes: [['0x1x0/1 103020>102000 111>105', '3x3x2/1 102000>100000 105>99']],
  },
  {
    name: 'a fee cap of exactly the fee',
    graph: G1,
    ask: { from: '0', to: '3', msat: 100_000n, maxfee: 3020n },
    probabilityPpm: 999_798,
    routes: [['0x1x0/1 103020>102000 111>105', '3x3x2/1 102000>100000 105>99']],
  },
  {
    // 2000 + 6 + 6 = 2012; P = (1 - 100000/10^7) * (1 - 100000/10^9) = 0.989901
    name: 'a long delay within the limit',
    graph: G1,
    ask: { from: '0', to: '4', msat: 100_000n, finalCltv: 6 },
    probabilityPpm: 989_901,
    routes: [['3x2x3/1 100000>100000 2012>2006', '6x4x4/0 100000>100000 2006>6']],
  },
  {
    // The residuals are 9,000 and 9,000 sat. A split gains nothing: P = 1 - 1/10.
    name: 'the larger of two channels',
    graph: G1,
    ask: { from: '0', to: '2', msat: 1_000_000n },
    probabilityPpm: 900_000,
    routes: [['3x2x3/1 1000001>1000000 105>99']],
  },
  {
    // The amount is the whole capacity, so one part has P = 0.
    name: 'one part that takes a whole channel',
    graph: G1,
    ask: { from: '0', to: '2', msat: 10_000_000n, maxparts: 1 },
    probabilityPpm: 0,
    routes: [['3x2x3/1 10000010>10000000 105>99']],
  },
  {
    name: 'auto.sourcefree, one hop',
    graph: G1,
    ask: { from: '0', to: '1', msat: 1000n, layers: ['auto.sourcefree'] },
    probabilityPpm: 999_999,
    routes: [['0x1x0/1 1000>1000 99>99']],
  },
  {
    name: 'auto.sourcefree, two hops',
    graph: G1,
    ask: { from: '0', to: '3', msat: 100_000n, layers: ['auto.sourcefree'] },
    probabilityPpm: 999_798,
    routes: [['0x1x0/1 102000>102000 105>105', '3x3x2/1 102000>100000 105>99']],
  },
  {
    // Only the 10,000 sat channel fits. 10,000,000 of 10,000,000 msat gives P = 0; the fee is 10.
    name: 'a single path as wide as the amount',
    graph: ['0-1', '1-2 cap=9000sat', '1-2 cap=10000sat'],
    ask: { from: '1', to: '2', msat: 10_000_000n, maxparts: 1 },
    probabilityPpm: 0,
    routes: [['3x2x2/1 10000010>10000000 105>99']],
  },
  {
    name: 'a path as wide as the amount, one hop further away',
    graph: ['0-1', '1-2 cap=9000sat', '1-2 cap=10000sat'],
    ask: { from: '0', to: '2', msat: 10_000_000n, maxparts: 1 },
    probabilityPpm: 0,
    routes: [['0x1x0/1 10000020>10000010 111>105', '3x2x2/1 10000010>10000000 105>99']],
  },
  {
    // 10000 * 10000 ppm = 100. Two hops cost 201, including the fee on the fee, so with 200 only the cheap
    // path is left.
    name: 'the cheap path when the fee limit is 1 msat too low',
    graph: G2,
    ask: { from: '0', to: '3', msat: 10_000n, maxfee: 200n },
    probabilityPpm: 998_001,
    routes: [['2x2x2/1 10000>10000 111>105', '5x3x3/0 10000>10000 105>99']],
  },
  {
    name: 'slow and cheap by default',
    graph: ['0-1 fee=0+10000 delay=80', '0-1 fee=0+20000 delay=40'],
    ask: { from: '0', to: '1', msat: 1000n },
    probabilityPpm: 999_999,
    routes: [['0x1x0/1 1010>1000 179>99']],
  },
  {
    name: 'fast and expensive when delays are limited',
    graph: ['0-1 fee=0+10000 delay=80', '0-1 fee=0+20000 delay=40'],
    ask: { from: '0', to: '1', msat: 1000n, maxdelay: 170 },
    probabilityPpm: 999_999,
    routes: [['1x1x1/1 1020>1000 139>99']],
  },
  {
    name: 'around an HTLC minimum',
    graph: ['0-1 min=2000', '0-1 fee=0+1000'],
    ask: { from: '0', to: '1', msat: 1000n },
    probabilityPpm: 999_999,
    routes: [['1x1x1/1 1001>1000 105>99']],
  },
  {
    // Of a capacity of 21 million bitcoin, 100 msat leave P within 5 * 10^-17 of 1.
    name: 'the largest possible channel',
    graph: ['0-1 cap=21000000btc fee=0+0'],
    ask: { from: '0', to: '1', msat: 100n },
    probabilityPpm: 999_999,
    routes: [['0x1x0/1 100>100 105>99']],
  },
  {
    // (1234567 - 600000) / 1234567 = 0.513999…
    name: 'a capacity that is not a round number',
    graph: ['0-1 cap=1234567sat fee=0+0'],
    ask: { from: '0', to: '1', msat: 600_000_000n, maxparts: 1 },
    probabilityPpm: 513_999,
    routes: [['0x1x0/1 600000000>600000000 105>99']],
  },
  {
    // A mantissa of 11 bits would round 1234567 sat down to 1233920. Here the exact capacity counts, so 567 of
    // 1234567 sat are left.
    name: 'an amount above the rounded capacity',
    graph: ['0-1 cap=1234567sat fee=0+0'],
    ask: { from: '0', to: '1', msat: 1_234_000_000n, maxparts: 1 },
    probabilityPpm: 459,
    routes: [['0x1x0/1 1234000000>1234000000 105>99']],
  },
  {
    // 1000 in; 1 + floor(990 * 1 %) = 10 leaves 990; 2 + floor(969 * 2 %) = 21: 969; 3 + floor(938 * 3 %) = 31: 938
    name: 'auto.include_fees over one hop',
    graph: FEE_CHAIN,
    ask: { from: '0', to: '1', msat: 1000n, layers: ['auto.include_fees'] },
    probabilityPpm: 999_999,
    routes: [['0x1x0/1 1000>990 104>99']],
  },
  {
    name: 'auto.include_fees over three hops',
    graph: FEE_CHAIN,
    ask: { from: '0', to: '3', msat: 1000n, layers: ['auto.include_fees'] },
    probabilityPpm: 999_997,
    routes: [['0x1x0/1 1000>990 114>109', '2x2x1/1 990>969 109>104', '4x3x2/0 969>938 104>99']],
  },
  {
    // 2 + floor(979 * 2 %) = 21: 979; 3 + floor(948 * 3 %) = 31: 948
    name: 'auto.include_fees after auto.sourcefree',
    graph: FEE_CHAIN,
    ask: { from: '0', to: '3', msat: 1000n, layers: ['auto.sourcefree', 'auto.include_fees'] },
    probabilityPpm: 999_997,
    routes: [['0x1x0/1 1000>1000 109>109', '2x2x1/1 1000>979 109>104', '4x3x2/0 979>948 104>99']],
  },
  {
    // 1066 = 1055 + 1 + 10, 1055 = 1033 + 2 + 20, 1033 = 1000 + 3 + 30
    name: 'three hops with fees on top of the amount',
    graph: FEE_CHAIN,
    ask: { from: '0', to: '3', msat: 1000n },
    probabilityPpm: 999_996,
    routes: [['0x1x0/1 1066>1055 114>109', '2x2x1/1 1055>1033 109>104', '4x3x2/0 1033>1000 104>99']],
  },
  {
    // 2 msat buy nearly the same as 10,025 msat: (1 - 1/990)^2 = 0.997980 against (1 - 1/1000)^2 = 0.997996
    name: 'the cheaper of two paths that are almost equally reliable',
    graph: ['0-1 fee=0+5000', '1-3 fee=0+5000', '0-2 cap=990000sat', '2-3 cap=990000sat'],
    ask: { from: '0', to: '3', msat: 1_000_000n },
    probabilityPpm: 997_980,
    routes: [['2x2x2/1 1000002>1000001 111>105', '5x3x3/0 1000001>1000000 105>99']],
  },
  {
    name: 'an amount 1 msat below the capacity of the only channel',
    graph: ['0-1 cap=10000sat fee=0+0'],
    ask: { from: '0', to: '1', msat: 9_999_999n },
    probabilityPpm: 0,
    routes: [['0x1x0/1 9999999>9999999 105>99']],
  },
  {
    name: 'a path of twenty hops',
    graph: chainOf(20),
    ask: { from: '0', to: '20', msat: 1000n },
    probabilityPpm: 999_980,
    routes: [],
  },
  {
    // Each half pays floor(1.5) = 1. The whole would pay 3, which is 1 msat more than the first channel has.
    name: 'two parts over one path, because one fee is larger than two rounded down',
    graph: ['0-1 cap=3000002msat max=4000000 > fee=0+0 < off', '1-2 > fee=0+1 < off'],
    ask: { from: '0', to: '2', msat: 3_000_000n, maxparts: 2 },
    probabilityPpm: 0,
    routes: [
      ['0x1x0/1 1500001>1500001 111>105', '2x2x1/1 1500001>1500000 105>99'],
      ['0x1x0/1 1500001>1500001 111>105', '2x2x1/1 1500001>1500000 105>99'],
    ],
  },
];

interface RefusalCase {
  readonly name: string;
  readonly graph: readonly string[];
  readonly ask: Ask;
  readonly code: number;
  readonly says: string;
}

const REFUSALS: readonly RefusalCase[] = [
  {
    name: 'a fee cap',
    graph: G1,
    ask: { from: '0', to: '3', msat: 100_000n, maxfee: 100n },
    code: 206,
    says: 'Could not find route without excessive cost',
  },
  {
    name: 'a fee cap 1 msat below the fee',
    graph: G1,
    ask: { from: '0', to: '3', msat: 100_000n, maxfee: 3019n },
    code: 206,
    says: 'Could not find route without excessive cost',
  },
  {
    // 2006 + 99 blocks
    name: 'a delay cap',
    graph: G1,
    ask: { from: '0', to: '4', msat: 100_000n },
    code: 206,
    says: 'Could not find route without excessive delays',
  },
  {
    name: 'a channel too small',
    graph: G1,
    ask: { from: '0', to: '1', msat: 1_000_000_001n },
    code: 205,
    says: "The shortest path is 0x1x0, but 0x1x0/1 isn't big enough to carry 1000000001msat.",
  },
  {
    name: 'a source too small',
    graph: G1,
    ask: { from: '0', to: '1', msat: 2_000_000_001n },
    code: 215,
    says: 'Total source capacity is only 1019000000msat (in 3 channels).',
  },
  {
    name: 'a destination too small',
    graph: G1,
    ask: { from: '0', to: '4', msat: 1_000_000_001n },
    code: 220,
    says: 'Total destination capacity is only 1000000000msat (in 1 channels).',
  },
  {
    name: 'one part wider than any channel',
    graph: ['0-1', '1-2 cap=9000sat', '1-2 cap=10000sat'],
    ask: { from: '0', to: '2', msat: 10_000_001n, maxparts: 1 },
    code: 205,
    says: '',
  },
  {
    name: 'an HTLC minimum that not even the fees reach',
    graph: ['0-1 min=2000'],
    ask: { from: '0', to: '1', msat: 1999n },
    code: 205,
    says: 'below htlc_minumum_msat ~2000msat',
  },
  {
    // 0.5 bitcoin at 10 %: 5 * 10^9 msat
    name: 'a fee of 0.05 bitcoin',
    graph: ['0-1 cap=1btc fee=0+100000'],
    ask: { from: '0', to: '1', msat: 50_000_000_000n, maxfee: 5_000_000n },
    code: 206,
    says: 'Could not find route without excessive cost',
  },
  {
    // The base fee alone equals the HTLC maximum of the first channel.
    name: 'a fee that exceeds an HTLC maximum',
    graph: ['0-1 max=11000000 fee=0+0', '1-2 fee=11000000+0'],
    ask: { from: '0', to: '2', msat: 1_000_000n, maxfee: 100_000_000n },
    code: 205,
    says: 'exceeds htlc_maximum_msat ~11000000msat',
  },
  {
    name: 'a path of twenty-one hops',
    graph: chainOf(21),
    ask: { from: '0', to: '21', msat: 1000n },
    code: 205,
    says: 'hops',
  },
  {
    name: 'a closed direction',
    graph: ['0-1 > off'],
    ask: { from: '0', to: '1', msat: 1000n },
    code: 205,
    says: 'All 1 channels to the source are disabled.',
  },
  {
    name: 'an unknown source',
    graph: ['0-1'],
    ask: { from: '5', to: '1', msat: 1000n },
    code: 205,
    says: `Unknown source node ${nodeNamed('5')}`,
  },
  {
    name: 'an unknown destination',
    graph: ['0-1'],
    ask: { from: '0', to: '5', msat: 1000n },
    code: 205,
    says: `Unknown destination node ${nodeNamed('5')}`,
  },
  {
    name: 'no connection between the ends',
    graph: ['0-1', '2-3'],
    ask: { from: '0', to: '3', msat: 1000n },
    code: 205,
    says: 'There is no connection between source and destination at all',
  },
];

interface BetterCase {
  readonly name: string;
  readonly graph: readonly string[];
  readonly ask: Ask;
  /** Minimum probability in ppm. */
  readonly leastPpm: number;
  readonly mostPpm?: number;
  readonly parts?: number;
  readonly mostFeeMsat?: bigint;
}

const PARALLEL = [100, 90, 80, 70, 60].map((size) => `0-1 cap=${size}000sat`);
const spread = (sat: bigint, ppm: number): BetterCase => ({
  name: `${sat} sat over five parallel channels of 100 to 60 thousand sat`,
  graph: PARALLEL,
  ask: { from: '0', to: '1', msat: sat * 1000n },
  leastPpm: Math.floor(ppm * 0.999),
  mostPpm: Math.ceil(ppm * 1.0005),
});

const BETTER: readonly BetterCase[] = [
  {
    // equal residuals of 4,500 sat each: 4,500/9,000 * 4,500/10,000 = 0.225
    name: '10,000 sat over channels of 9,000 and 10,000',
    graph: G1,
    ask: { from: '0', to: '2', msat: 10_000_000n },
    leastPpm: 224_900,
    mostPpm: 225_000,
    parts: 2,
  },
  spread(20_000n, 802_777),
  spread(50_000n, 547_736),
  spread(100_000n, 257_142),
  spread(150_000n, 103_339),
  spread(200_000n, 33_862),
  spread(300_000n, 1058),
  ...[94_900_000n, 95_000_000n, 96_000_000n, 99_900_000n].map(
    (amount): BetterCase => ({
      // The whole capacity can be used, without an unusable rest of 5 %.
      name: `${amount} msat of 100,000 sat`,
      graph: ['0-1 cap=100000sat'],
      ask: { from: '0', to: '1', msat: amount },
      leastPpm: Number((100_000_000n - amount) / 100n) - 1,
      mostPpm: Number((100_000_000n - amount) / 100n),
      parts: 1,
    }),
  ),
  {
    // two HTLCs through one channel: P = 1 - 8/500
    name: '8,000 sat over 500,000 whose HTLC maximum is 5,000',
    graph: ['0-1 cap=500000sat max=5000sat'],
    ask: { from: '0', to: '1', msat: 8_000_000n },
    leastPpm: 984_000,
    mostPpm: 984_000,
    parts: 2,
  },
  {
    // 3,000 + 3,000 has 0.7 * 0.7; all on one side has only 0.4.
    name: '6,000 sat over two channels of 10,000, one with an HTLC minimum of 3,000',
    graph: ['0-1 cap=10000sat', '0-1 cap=10000sat min=3000sat'],
    ask: { from: '0', to: '1', msat: 6_000_000n },
    leastPpm: 489_900,
    mostPpm: 490_000,
    parts: 2,
  },
  {
    // 1,000,000 + 19,000,000 has P = 0.998 * 0.05; several HTLCs of 1,000,000 on the wide channel are better.
    name: '20,000 sat over 500,000 with HTLCs of 1,000 and over 20,000',
    graph: ['0-1 cap=500000sat max=1000000', '0-1 cap=20000sat'],
    ask: { from: '0', to: '1', msat: 20_000_000n },
    leastPpm: 49_900,
  },
  {
    // Any two of the three paths, for 10 % each, are worse than all three. The second hop is the expensive one, so
    // the first hop carries 10 % more.
    name: '1.4 million sat over three disjoint paths',
    graph: ['0-1', '1-4 fee=0+100000', '0-2', '2-4 fee=0+100000', '0-3', '3-4 fee=0+100000'],
    ask: { from: '0', to: '4', msat: 1_400_000_000n, maxfee: 200_000_000n },
    leastPpm: 1,
    parts: 3,
  },
  {
    name: '1.4 million sat over three disjoint paths, in at most two parts',
    graph: ['0-1', '1-4 fee=0+100000', '0-2', '2-4 fee=0+100000', '0-3', '3-4 fee=0+100000'],
    ask: { from: '0', to: '4', msat: 1_400_000_000n, maxfee: 200_000_000n, maxparts: 2 },
    leastPpm: 1,
    parts: 2,
  },
  {
    // The path over 1 costs 1,002,500 msat for P = 0.81, and the path over 2 only 200 msat for P = 0.808. A split
    // over both has a higher P. A million msat is never worth 0.2 %.
    name: '100,000 sat over two paths that are about equally good',
    graph: ['0-1 fee=0+5000', '1-3 fee=0+5000', '0-2 cap=990000sat', '2-3 cap=990000sat'],
    ask: { from: '0', to: '3', msat: 100_000_000n },
    leastPpm: 808_000,
    mostFeeMsat: 600_000n,
  },
];

describe.each(['release', 'debug'] as const)('askrene, %s build', (build) => {
  const solver = kernelSolver(build);

  function answered(lines: readonly string[], ask: Ask): RouteAnswer {
    const graph = tinyGraph(lines);
    const query = queryOf(ask);
    const answer = solver.solve(graph, query);
    if (answer instanceof FulguriteError) throw new Error(`${answer.code} ${answer.message}`);
    expect(referee(withAutomaticLayers(graph.lookup, query), query, answer)).toEqual([]);
    return answer;
  }

  it.each(ANSWERS)('answers: $name', ({ graph, ask, probabilityPpm, routes }) => {
    const answer = answered(graph, ask);
    expect(Math.abs(answer.probabilityPpm - probabilityPpm)).toBeLessThanOrEqual(1);
    if (routes.length > 0) expect(lines(answer)).toEqual(routes);
  });

  it.each(REFUSALS)('refuses: $name', ({ graph, ask, code, says }) => {
    const error = solver.solve(tinyGraph(graph), queryOf(ask));
    if (!(error instanceof FulguriteError)) throw new Error(`answered ${lines(error).join('; ')}`);
    expect({ code: error.code, message: error.message }).toEqual({
      code,
      message: expect.stringContaining(says),
    });
  });

  it.each(BETTER)(
    'is better than askrene: $name',
    ({ graph, ask, leastPpm, mostPpm, parts, mostFeeMsat }) => {
      const answer = answered(graph, ask);
      const sent = answer.routes.reduce((sum, route) => sum + route.path[0]!.amountInMsat, 0n);
      expect(answer.probabilityPpm).toBeGreaterThanOrEqual(leastPpm);
      if (mostPpm !== undefined) expect(answer.probabilityPpm).toBeLessThanOrEqual(mostPpm);
      if (parts !== undefined) expect(answer.routes.length).toBe(parts);
      if (mostFeeMsat !== undefined) expect(sent - ask.msat <= mostFeeMsat).toBe(true);
    },
  );
});
