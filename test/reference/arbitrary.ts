/**
 * Random graphs and queries for properties. A graph is generated as the lines of a drawing (see
 * tiny-graph.ts), so a counterexample is readable, and can be pasted into a test unchanged.
 *
 * Figures are drawn from short lists rather than from ranges. Errors hide in ties, zeros, exactly met limits,
 * and amounts near a capacity. Wide ranges hardly ever contain those.
 */
import fc from 'fast-check';
import type { RouteQuery } from '../../src/engine/question/route.ts';
import { msat } from '../../src/model/msat.ts';
import { nodeId, tinyGraph } from './tiny-graph.ts';

/** The possible features of a random graph and query. */
export interface Shape {
  readonly nodes: number;
  readonly channels: number;
  readonly baseFees: boolean;
  /** Whether there are HTLC minimums and maximums other than 0 and the capacity. */
  readonly htlcLimits: boolean;
  /** Whether limits on delay and parts are tight. If not, they are 2016 blocks and 100 parts. */
  readonly tightLimits: boolean;
}

/** A drawing and a query on it. */
export interface Instance {
  readonly lines: readonly string[];
  readonly source: number;
  readonly destination: number;
  readonly amountMsat: bigint;
  readonly maxfeeMsat: bigint;
  readonly maxdelay: number;
  readonly maxparts: number;
  readonly layers: readonly string[];
}

const letter = (n: number) => String.fromCharCode('A'.charCodeAt(0) + n);
const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);

const often = <T>(weight: number, usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare });

const capacitySat = often(
  12,
  fc.oneof(oneOf(10_000, 10_000, 20_000, 100_000), fc.integer({ min: 4_000, max: 60_000 })),
  oneOf(1, 50, 1000, 1_000_000, 100_000_000),
);

const baseFee = often(8, oneOf(0, 0, 0, 1, 1000), oneOf(5000, 1_000_000));
const ppm = often(
  8,
  fc.oneof(oneOf(0, 1, 10, 100, 500), fc.integer({ min: 0, max: 3000 })),
  oneOf(5000, 100_000, 1_000_000),
);
const delay = often(12, oneOf(0, 6, 14, 34, 40, 80, 144), oneOf(500, 1900));

function settings(shape: Shape): fc.Arbitrary<string> {
  const fee = fc
    .tuple(shape.baseFees ? baseFee : fc.constant(0), ppm)
    .map(([base, rate]) => `fee=${base}+${rate}`);
  const delays = shape.tightLimits ? delay : oneOf(0, 6, 34, 40, 80);
  const minimum = oneOf('', '', '', 'min=1', 'min=1000', 'min=1000000', 'min=3000sat');
  const maximum = oneOf(
    '',
    '',
    '',
    'max=5000sat',
    'max=9900sat',
    'max=1000sat',
    'max=100sat',
    'max=1000',
    'max=0',
  );
  const limits = fc.tuple(minimum, maximum).map((pair) => pair.join(' '));
  const state = often(12, fc.constant(''), oneOf('off', 'none'));
  return fc
    .tuple(fee, delays, shape.htlcLimits ? limits : fc.constant(''), state)
    .map(([fees, blocks, bounds, off]) =>
      `${fees} delay=${blocks} ${bounds} ${off}`.replace(/\s+/g, ' ').trim(),
    );
}

function channel(shape: Shape, nodes: number): fc.Arbitrary<string> {
  const ends = fc
    .tuple(fc.nat(nodes - 1), fc.integer({ min: 1, max: nodes - 1 }))
    .map(([from, step]) => `${letter(from)}-${letter((from + step) % nodes)}`);
  return fc
    .tuple(ends, capacitySat, settings(shape), settings(shape))
    .map(([pair, capacity, along, against]) => `${pair} cap=${capacity}sat > ${along} < ${against}`);
}

/**
 * Drawings with few nodes, so that many paths connect two of them. They always contain the first two nodes.
 */
function drawings(shape: Shape): fc.Arbitrary<string[]> {
  return fc.integer({ min: 2, max: shape.nodes }).chain((nodes) =>
    fc.array(channel(shape, nodes), {
      minLength: Math.min(nodes, shape.channels),
      maxLength: shape.channels,
      size: 'max',
    }),
  );
}

const amount = often(
  6,
  fc.oneof(
    fc.bigInt({ min: 1n, max: 12_000_000n }),
    fc.bigInt({ min: 8_000_000n, max: 40_000_000n }),
    oneOf(1_000_000n, 1_000_001n, 5_000_000n, 10_000_000n, 10_000_001n, 20_000_000n),
  ),
  oneOf(1n, 999n, 1000n, 100_000n, 100_000_000n),
);

/** Random instances with the given features. Source and destination differ, and both have a channel. */
export function instances(shape: Shape): fc.Arbitrary<Instance> {
  const whole = <T>(usual: T, ...rare: T[]) =>
    shape.tightLimits ? often(4, fc.constant(usual), oneOf(...rare)) : fc.constant(usual);
  return fc
    .record({
      lines: drawings(shape),
      ends: fc.tuple(fc.nat(), fc.nat()),
      amountMsat: amount,
      feeRule: often(4, fc.constant('generous'), oneOf('none', 'tight', 'one percent')),
      maxdelay: whole(2016, 18, 58, 100, 200),
      maxparts: whole(100, 1, 2, 3),
      layers: oneOf<readonly string[]>([], [], ['auto.sourcefree']),
    })
    .map(({ ends, feeRule: rule, ...rest }) => ({
      ...rest,
      ...chosenEnds(rest.lines, ends),
      maxfeeMsat: feeCap(rule, rest.amountMsat),
    }));
}

/**
 * Graphs in which the amount that the cheapest path from N to B requires at N may be too small or too large
 * for the cheapest path from A to N. The costlier paths from N differ in fees and risk. Elsewhere capacity is
 * ample: where risk is steep, a search with one label for each node is not exact
 * (assembly/solve/path/search.ts).
 *
 *     A ──── P ════ N ════ B        P-N has an HTLC minimum or maximum, close to the amount
 *     ├───── Q ─────┤      │
 *     └────────────────────┘
 */
export const detours: fc.Arbitrary<Instance> = fc
  .record({
    isTiny: fc.boolean(),
    onward: fc.array(fc.nat(), { minLength: 2, maxLength: 4 }),
    inward: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
    limits: fc.array(fc.nat(), { minLength: 1, maxLength: 2 }),
    isDirect: fc.boolean(),
    maxdelay: often(3, fc.constant(2016), oneOf(58, 78, 118, 158)),
    maxparts: oneOf(1, 1, 100),
    layers: oneOf<readonly string[]>([], [], ['auto.sourcefree']),
    feeRule: often(4, fc.constant('generous'), oneOf('tight', 'one percent')),
  })
  .map(({ isTiny, onward, inward, limits, isDirect, maxparts, feeRule, ...rest }) => {
    const amountMsat = isTiny ? 845n : 5_000_000n;
    const way = (ends: string, draw: number, scale: number, limit = '') => {
      const fee = [0, 1, 100, 155, 500][draw % 5]! * scale * (isTiny ? 1 : 20);
      const capacity = ends === 'N-B' ? [5_100, 6_000, 20_000, 1_000_000][draw % 4] : 1_000_000;
      const blocks = [0, 6, 40, 80][draw % 7] ?? 6;
      return `${ends} cap=${capacity}sat > fee=${fee}+0 delay=${blocks} ${limit} < off`;
    };
    const least = isTiny ? [845, 846, 900, 1000, 1000] : [5_000_001, 5_002_000, 5_003_100];
    const most = isTiny ? [846, 900, 1000] : [5_000_000, 5_000_020, 5_002_000, 5_003_100];
    const bounds = limits.map((draw) =>
      draw % 2 === 0 ? `min=${least[draw % least.length]}` : `max=${most[draw % most.length]}`,
    );
    const lines = [
      ...onward.map((draw) => way('N-B', draw, 1)),
      way('A-P', inward[0]!, 0),
      ...bounds.map((bound) => way('P-N', inward[1]!, 0, bound)),
      way('A-Q', inward[2]!, 2),
      way('Q-N', inward[3]!, 1),
      ...(isDirect ? [way('A-B', inward[3]! + inward[2]!, 4)] : []),
    ];
    const ends = { source: 0, destination: 1 };
    // Larger amounts are split into parts if that is worth it. Then a comparison with the best single path
    // proves nothing.
    const parts = isTiny ? maxparts : 1;
    return { lines, ...ends, ...rest, amountMsat, maxparts: parts, maxfeeMsat: feeCap(feeRule, amountMsat) };
  });

function feeCap(rule: string, amountMsat: bigint): bigint {
  if (rule === 'none') return 0n;
  if (rule === 'tight') return amountMsat / 1000n;
  return rule === 'one percent' ? amountMsat / 100n : amountMsat + 10_000_000n;
}

/** Two different nodes among those that have a channel. */
function chosenEnds(lines: readonly string[], [a, b]: readonly [number, number]) {
  const used = [...new Set(lines.flatMap((line) => [line.charAt(0), line.charAt(2)]))].sort();
  const source = a % used.length;
  const destination = (source + 1 + (b % (used.length - 1))) % used.length;
  const number = (index: number) => used[index]!.charCodeAt(0) - 'A'.charCodeAt(0);
  return { source: number(source), destination: number(destination) };
}

/** The graph and the query of an instance. */
export function realized(instance: Instance) {
  const query: RouteQuery = {
    source: nodeId(instance.source),
    destination: nodeId(instance.destination),
    amountMsat: msat(instance.amountMsat),
    layers: instance.layers,
    maxfeeMsat: msat(instance.maxfeeMsat),
    finalCltv: 18,
    maxdelay: instance.maxdelay,
    maxparts: instance.maxparts,
  };
  return { graph: tinyGraph(instance.lines), query };
}
