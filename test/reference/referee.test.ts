/**
 * Tests of the referee: a correct answer passes, and for every rule, an answer that violates only that rule
 * is caught.
 *
 *          fee 100+1000, delay 40           fee 0+500, delay 14
 *     A ───────────── 0x1x0 ───────────── B ─────────────────── C     capacities 100,000 sat
 *     A ─────────────────────── 2x2x2 ──────────────────────── C      fee 0+0, delay 6, 30,000 sat
 *
 * 20,000 sat in two parts: 15,000,000 msat through B, 5,000,000 directly.
 *   B-C passes 15,000,000, fee floor(15,000,000 * 500 / 10^6) = 7,500;
 *   A-B passes 15,007,500, fee 100 + floor(15,007,500 * 1000 / 10^6) = 15,107; so A starts from 15,022,607.
 *   P = (1 - 15,007,500/100,000,000) * (1 - 0.15) * (1 - 5/30) = 0.849925 * 0.85 * 0.8333… = 0.602030…
 */
import { describe, expect, it } from 'vitest';
import type { RouteAnswer, RouteQuery } from '../../src/engine/question/route.ts';
import { msat } from '../../src/model/msat.ts';
import { answerOf } from './naive-solver.ts';
import { referee, withAutomaticLayers } from './referee.ts';
import { nodeNamed, tinyGraph } from './tiny-graph.ts';

const GRAPH = tinyGraph([
  'A-B 0x1x0 cap=100000sat fee=100+1000 delay=40',
  'B-C 1x2x1 cap=100000sat fee=0+500 delay=14',
  'A-C 2x2x2 cap=30000sat fee=0+0 delay=6',
  'A-C 3x2x3 cap=30000sat off',
  'A-D 4x3x4',
  'D-C 5x2x5',
]);

const QUERY: RouteQuery = {
  source: nodeNamed('A'),
  destination: nodeNamed('C'),
  amountMsat: msat(20_000_000),
  layers: [],
  maxfeeMsat: msat(22_607),
  finalCltv: 18,
  maxdelay: 72,
  maxparts: 2,
};

const along = (...names: string[]) =>
  names.map((name) => GRAPH.directions.find((direction) => direction.name === name)!);

// A's id is greater than B's and C's, so its channels leave it in direction 1; B's id is greater than C's.
const THROUGH_B = along('0x1x0/1', '1x2x1/1');
const DIRECT = along('2x2x2/1');

const RIGHT = answerOf(QUERY, [
  { path: THROUGH_B, deliveredMsat: 15_000_000n },
  { path: DIRECT, deliveredMsat: 5_000_000n },
]);

const judge = (answer: RouteAnswer, query = QUERY, graph = GRAPH) => referee(graph.lookup, query, answer);
const rules = (violations: readonly string[]) => violations.map((text) => text.slice(0, text.indexOf(':')));

interface HopDraft {
  shortChannelIdDir: { shortChannelId: bigint };
  nodeIdOut: string;
  amountInMsat: bigint;
  cltvIn: number;
}

interface Draft {
  probabilityPpm: number;
  routes: { probabilityPpm: number; amountMsat: bigint; finalCltv: number; path: HopDraft[] }[];
}

type Change = (draft: Draft) => void;

/** One hop of a modified answer. */
const hopOf = (draft: Draft, route: number, hop: number) => draft.routes[route]!.path[hop]!;

/** A modified copy of the correct answer. */
function mutated(change: Change): RouteAnswer {
  const draft = structuredClone(RIGHT) as unknown as Draft;
  change(draft);
  return draft as unknown as RouteAnswer;
}

describe('the referee', () => {
  it('recomputes the example by hand', () => {
    expect(RIGHT).toMatchObject({
      probabilityPpm: 602030,
      routes: [
        {
          probabilityPpm: 722436,
          path: [
            { amountInMsat: 15_022_607n, amountOutMsat: 15_007_500n, cltvIn: 72, cltvOut: 32 },
            { amountInMsat: 15_007_500n, amountOutMsat: 15_000_000n, cltvIn: 32, cltvOut: 18 },
          ],
        },
        { probabilityPpm: 833333, path: [{ amountInMsat: 5_000_000n, cltvIn: 24, cltvOut: 18 }] },
      ],
    });
    expect(judge(RIGHT)).toEqual([]);
  });

  it.each<[string, Change, string[]]>([
    ['an amount that is 1 msat too high', (a) => (hopOf(a, 0, 0).amountInMsat += 1n), ['amount', 'fee']],
    ['an amount that is 1 msat too low', (a) => (hopOf(a, 0, 0).amountInMsat -= 1n), ['amount']],
    ['hops that do not meet', (a) => (hopOf(a, 0, 1).amountInMsat -= 1n), ['amount']],
    [
      'a route that claims to deliver more than its last hop',
      (a) => {
        a.routes[0]!.amountMsat += 1n;
        a.routes[1]!.amountMsat -= 1n;
      },
      ['amount', 'amount', 'amount', 'amount', 'amount'],
    ],
    ['a wrong delay', (a) => (hopOf(a, 0, 0).cltvIn += 1), ['cltv']],
    ['a wrong final delay', (a) => (a.routes[1]!.finalCltv = 17), ['cltv']],
    ['a wrong end of a hop', (a) => (hopOf(a, 1, 0).nodeIdOut = nodeNamed('B')), ['path']],
    [
      'a route probability that is 2 ppm off',
      (a) => (a.routes[0]!.probabilityPpm -= 2),
      ['route probability'],
    ],
    ['a probability 2 ppm off', (a) => (a.probabilityPpm += 2), ['probability']],
    ['a probability that is not an integer', (a) => (a.probabilityPpm += 0.5), ['probability']],
    [
      'an unknown channel',
      (a) => (hopOf(a, 1, 0).shortChannelIdDir.shortChannelId = 7n),
      ['direction', 'probability'],
    ],
    ['no routes', (a) => (a.routes = []), ['parts', 'total', 'probability']],
    ['an empty route', (a) => (a.routes[1]!.path = []), ['path', 'route probability', 'probability']],
    ['a missing part', (a) => a.routes.pop(), ['total', 'probability']],
  ])('catches %s', (_, change, expected) => {
    expect(rules(judge(mutated(change))).sort()).toEqual([...expected].sort());
  });

  it.each<[string, Partial<RouteQuery>, string[]]>([
    ['a fee beyond the cap by 1 msat', { maxfeeMsat: msat(22_606) }, ['fee']],
    ['a delay beyond the cap by one block', { maxdelay: 71 }, ['delay']],
    ['one part too many', { maxparts: 1 }, ['parts']],
    ['two parts without MPP', { layers: ['auto.no_mpp_support'] }, ['parts']],
    ['1 msat too little', { amountMsat: msat(20_000_001) }, ['total']],
    ['another source', { source: nodeNamed('D') }, ['path', 'path']],
    ['another destination', { destination: nodeNamed('D') }, ['path', 'path']],
  ])('catches %s', (_, change, expected) => {
    expect(rules(judge(RIGHT, { ...QUERY, ...change }))).toEqual(expected);
  });

  const changed = (lines: string[]) => judge(RIGHT, QUERY, tinyGraph(lines));
  const [AB, BC, AC] = [
    'A-B 0x1x0 cap=100000sat fee=100+1000 delay=40',
    'B-C 1x2x1 cap=100000sat fee=0+500 delay=14',
    'A-C 2x2x2 cap=30000sat fee=0+0 delay=6',
  ];

  it.each<[string, string[], string[]]>([
    ['a disabled direction', [AB, BC, `${AC} off`], ['enabled']],
    ['a direction without a policy', [AB, BC, `${AC} none`], ['direction', 'probability']],
    ['less than the HTLC minimum', [`${AB} min=15007501`, BC, AC], ['htlc_minimum']],
    ['more than the HTLC maximum', [`${AB} max=15007499`, BC, AC], ['htlc_maximum']],
  ])('catches %s', (_, lines, expected) => {
    expect(rules(changed(lines))).toEqual(expected);
    expect(changed([`${AB} min=15007500 max=15007500`, BC, AC])).toEqual([]);
  });

  it('catches parts that together exceed the maximum of a direction', () => {
    const graph = tinyGraph(['A-B cap=10000sat fee=0+0', 'B-C fee=0+0', 'B-C fee=0+0']);
    const [ab, bc1, bc2] = ['0x1x0', '2x2x1', '3x2x2'].map(
      (scid) => graph.directions.find((direction) => direction.name === `${scid}/1`)!,
    ) as [(typeof graph.directions)[0], (typeof graph.directions)[0], (typeof graph.directions)[0]];
    const query = { ...QUERY, amountMsat: msat(10_000_000) };
    const answer = answerOf(query, [
      { path: [ab, bc1], deliveredMsat: 6_000_000n },
      { path: [ab, bc2], deliveredMsat: 4_000_000n },
    ]);
    expect(referee(graph.lookup, query, answer)).toEqual([]);
    const narrow = tinyGraph(['A-B cap=9999999 fee=0+0', 'B-C fee=0+0', 'B-C fee=0+0']);
    expect(rules(referee(narrow.lookup, query, answer))).toEqual(expect.arrayContaining(['capacity']));
  });

  it('catches two routes over one path, unless one HTLC could not carry both', () => {
    const twice = (graph: typeof GRAPH) => {
      const path = graph.directions.filter((direction) => direction.name === '0x1x0/1');
      const query = { ...QUERY, destination: nodeNamed('B'), amountMsat: msat(8_000_000) };
      const part = { path, deliveredMsat: 4_000_000n };
      return rules(referee(graph.lookup, query, answerOf(query, [part, part])));
    };
    expect(twice(tinyGraph(['A-B max=8000sat']))).toEqual(['duplicate']);
    expect(twice(tinyGraph(['A-B max=7999999']))).toEqual([]);
  });

  it('catches a node visited twice', () => {
    const graph = tinyGraph(['A-B', 'B-C', 'C-A', 'A-D']);
    const loop = ['0x1x0/1', '2x2x1/1', '4x0x2/0', '3x3x3/1'].map(
      (name) => graph.directions.find((direction) => direction.name === name)!,
    );
    const query = { ...QUERY, destination: nodeNamed('D'), maxdelay: 2016 };
    const answer = answerOf(query, [{ path: loop, deliveredMsat: 20_000_000n }]);
    expect(rules(referee(graph.lookup, query, answer))).toEqual(['loop']);
  });

  it.each([
    [20, []],
    [21, ['hops']],
    [24, ['hops', 'onion']],
  ])('checks the length of a path of %i hops', (hops, expected) => {
    const names = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.slice(0, hops + 1);
    const graph = tinyGraph([...names].slice(1).map((name, index) => `${names[index]}-${name}`));
    const path = graph.directions.filter(
      (direction) =>
        names.indexOf(letterOf(direction.source)) < names.indexOf(letterOf(direction.destination)),
    );
    const query = { ...QUERY, destination: nodeNamed(names.at(-1)!), maxdelay: 2016 };
    const answer = answerOf(query, [{ path, deliveredMsat: 20_000_000n }]);
    expect(rules(referee(graph.lookup, query, answer))).toEqual(expected);
  });

  it('takes into account that the source charges nothing with auto.sourcefree', () => {
    const query = { ...QUERY, layers: ['auto.sourcefree'] };
    expect(rules(referee(withAutomaticLayers(GRAPH.lookup, query), query, RIGHT))).toEqual([
      'amount',
      'cltv',
      'cltv',
    ]);
  });

  /*
   * auto.include_fees: 1000 msat leave A; three hops charge 1+10000, 2+20000, 3+30000 (askrene's own example).
   *   A-B: 990 + 1 + 9 = 1000; B-C: 969 + 2 + 19 = 990; C-D: 938 + 3 + 28 = 969.
   */
  it('computes forward when the recipient pays the fees', () => {
    const graph = tinyGraph([
      'A-B fee=1+10000 delay=5',
      'B-C fee=2+20000 delay=5',
      'C-D fee=3+30000 delay=5',
    ]);
    const query = {
      ...QUERY,
      amountMsat: msat(1000),
      destination: nodeNamed('D'),
      layers: ['auto.include_fees'],
      maxdelay: 33,
    };
    const path = ['0x1x0/1', '2x2x1/1', '4x3x2/0'].map(
      (name) => graph.directions.find((direction) => direction.name === name)!,
    );
    const answer = answerOf({ ...query, amountMsat: msat(938) }, [{ path, deliveredMsat: 938n }]);
    expect(answer.routes[0]!.path.map((hop) => hop.amountOutMsat)).toEqual([990n, 969n, 938n]);
    expect(referee(graph.lookup, query, answer)).toEqual([]);
    expect(rules(referee(graph.lookup, { ...query, amountMsat: msat(1001) }, answer))).toEqual(['total']);
  });
});

function letterOf(id: string): string {
  return [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].find((name) => nodeNamed(name) === id)!;
}
