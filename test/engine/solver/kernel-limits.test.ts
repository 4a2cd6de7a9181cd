/**
 * Limits exact to the msat, block and hop, the order of layers, and biases: on graphs drawn and computed by
 * hand.
 */
import { describe, expect, test } from 'vitest';
import { NoRouteError } from '../../../src/engine/question/no-route.ts';
import type { RouteQuery } from '../../../src/engine/question/route.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { msat } from '../../../src/model/msat.ts';
import type { Direction } from '../../../src/model/short-channel-id.ts';
import { formatShortChannelId, shortChannelId } from '../../../src/model/short-channel-id.ts';
import { InProcessEngine, InProcessKernel } from '../../payments/in-process-engine.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';
import { kernelSolver } from './kernel-solver.ts';

const query = (to: string, amountMsat: bigint, more: Partial<RouteQuery> = {}): RouteQuery => ({
  source: nodeNamed('A'),
  destination: nodeNamed(to),
  amountMsat: msat(amountMsat),
  layers: [],
  maxfeeMsat: msat(1_000_000_000n),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts: 1,
  ...more,
});

/** The channels of A ── B ── … in a row of this many hops, without fees and delays. */
function rowOf(hops: number): string[] {
  const letter = (place: number) => String.fromCharCode('A'.charCodeAt(0) + place);
  return Array.from({ length: hops }, (_, i) => `${letter(i)}-${letter(i + 1)} fee=0+0 delay=0`);
}

describe.each(['release', 'debug'] as const)('the %s build', (build) => {
  const solver = kernelSolver(build);

  /** The amount that enters the first channel, with its delay, or the error's name. */
  const outcome = (lines: readonly string[], asked: RouteQuery): string => {
    const answer = solver.solve(tinyGraph(lines), asked);
    if (answer instanceof FulguriteError) return answer.name;
    const { amountInMsat, cltvIn } = answer.routes[0]!.path[0]!;
    return `${amountInMsat} msat, ${cltvIn} blocks`;
  };

  // The channel A ── B passes 5,000 to 9,000 msat.
  test.each([
    [4_999n, 'routeNotFound'],
    [5_000n, '5000 msat, 24 blocks'],
    [9_000n, '9000 msat, 24 blocks'],
    [9_001n, 'routeNotFound'],
  ])('HTLC limits include both ends: %i msat', (amount, expected) => {
    expect(outcome(['A-B min=5000 max=9000 fee=0+0'], query('B', amount))).toBe(expected);
  });

  // A ──── P ──── N ════ B    845 msat are below the minimum of P-N, which is 1,000. With the costlier N-B, which
  // └───── Q ─────┘           charges 155, they just suffice. The path over Q charges 500. A-B is too slow.
  test('a costlier onward path that lifts the amount to an HTLC minimum is used if it is cheaper overall', () => {
    const lines = ['A-P', 'P-N min=1000', 'A-Q', 'Q-N', 'N-B', 'N-B', 'A-B'].map(
      (text, i) => `${text} fee=${[0, 0, 500, 0, 0, 155, 0][i]}+0 delay=${i === 6 ? 1000 : 6}`,
    );
    // A charges nothing for its own channel to P, and the payment does not use Q.
    expect(outcome(lines, query('B', 845n, { maxdelay: 200 }))).toBe('1000 msat, 36 blocks');
  });

  // The same graph with 5,000,000 msat, where P-N passes at most 5,000,500. One N-B charges 1,000 msat, which
  // is too much for P-N. The other is free, but passes the amount with a probability of only 3/4, which costs
  // -ln(0.75) · 7,000 = 2,014 msat. The path over Q charges 5,000.
  test('an onward path with lower fees but a higher price is used if an HTLC maximum requires it', () => {
    const lines = ['A-P fee=0+0', 'P-N fee=0+0 max=5000500', 'A-Q fee=5000+0', 'Q-N fee=0+0'];
    lines.push('N-B fee=1000+0', 'N-B fee=0+0 cap=20000sat');
    expect(outcome(lines, query('B', 5_000_000n))).toBe('5000000 msat, 36 blocks');
  });

  // A ──── C ════ B    A-C has a minimum of 3,000 msat. One C-B passes exactly 10,000 msat, the other up to
  // 7,000. Parts of 5,000 and 7,000 over the second C-B are an answer. The search tries 10,000 first, which
  // leaves 2,000: too little for A-C.
  test('if a share was below an HTLC minimum, nothing is claimed without proof', () => {
    const lines = ['A-C min=3000', 'C-B min=10000 max=10000', 'C-B max=7000'].map(
      (line) => `${line} fee=0+0`,
    );
    expect(outcome(lines, query('B', 12_000n, { maxparts: 3 }))).toBe('undecided');
  });

  // A ──── C ════ B    A-C has a minimum of 1,010 msat. With 1,000 msat delivered, only the C-B that charges
  // 10 msat reaches it. Each path takes 6 + 20 blocks, plus 18 for the recipient.
  test.each([
    [43, 'routeNotFound'],
    [44, '1010 msat, 44 blocks'],
  ])('a path lifted by fees may use up the maximum delay: maxdelay %i', (maxdelay, expected) => {
    const lines = ['A-C min=1010 fee=0+0 delay=6', 'C-B fee=0+0 delay=20', 'C-B fee=10+0 delay=20'];
    expect(outcome(lines, query('B', 1_000n, { maxdelay }))).toBe(expected);
  });

  // A ── B ── C: 1,000 ppm of 1,999 msat is 1.999 msat; B charges 1, and A charges 1,000 ppm of 2,000, which
  // is 2.
  test('fees are rounded down at each hop', () => {
    const lines = ['A-B fee=0+1000 delay=0', 'B-C fee=0+1000 delay=0'];
    expect(outcome(lines, query('C', 1_999n))).toBe('2002 msat, 18 blocks');
  });

  // A ── B ── C: 40 and 34 blocks, plus 18 for the recipient: 92.
  test.each([
    [91, 'routeTooExpensive'],
    [92, '1000 msat, 92 blocks'],
  ])('delays of all hops and the recipient count: maxdelay %i', (maxdelay, expected) => {
    const lines = ['A-B fee=0+0 delay=40', 'B-C fee=0+0 delay=34'];
    expect(outcome(lines, query('C', 1_000n, { maxdelay }))).toBe(expected);
  });

  // A ── B ── C: 40 and 34 blocks for 1 msat. A ── C: 200 blocks, free. In both cases plus 18 blocks for the
  // recipient.
  test.each([
    [91, 'routeTooExpensive'],
    [92, '1001 msat, 92 blocks'],
    [217, '1001 msat, 92 blocks'],
    [218, '1000 msat, 218 blocks'],
  ])(
    'the maximum delay is unaffected by a cheaper path that is too slow: maxdelay %i',
    (maxdelay, expected) => {
      const lines = ['A-B fee=0+0 delay=40', 'B-C fee=1+0 delay=34', 'A-C fee=0+0 delay=200'];
      expect(outcome(lines, query('C', 1_000n, { maxdelay }))).toBe(expected);
    },
  );

  /*
   *        900 msat, 80        free, least HTLC 1,000 msat
   *      ┌──────────── C ────────────┐   ┌── free, 40 ─────┐
   *    A ┤                           E ──┼── 155 msat, 40 ── B
   *      └──────────── D ────────────┘   └── 700 msat, 6 ──┘
   *        free, 80            free, 80
   *
   * 845 msat within 150 − 18 blocks. The path through D takes at least 166 blocks. Through C, 1,000 msat must
   * leave for E, so at least 155 msat must be paid after E. That costs 1,055 in 120 blocks; with the quickest
   * channel it costs 1,600 in 86. The cheapest path from E delivers too little to C, so its cost is no lower
   * bound for the rest of the path from C.
   */
  test('with an amount below an HTLC minimum and a maximum delay, the cheapest path is found', () => {
    const one = (ends: string, settings: string) => `${ends} > ${settings} < off`;
    const lines = [
      one('A-C', 'fee=900+0 delay=80'),
      one('A-D', 'fee=0+0 delay=80'),
      one('C-E', 'fee=0+0 delay=0 min=1000'),
      one('D-E', 'fee=0+0 delay=80'),
      one('E-B', 'fee=155+0 delay=40'),
      one('E-B', 'fee=0+0 delay=40'),
      one('E-B', 'fee=700+0 delay=6'),
    ];
    expect(outcome(lines, query('B', 845n, { maxdelay: 150 }))).toBe('1900 msat, 138 blocks');
  });

  // A ── B ── … in a row, without fees and delays.
  test.each([
    ['U', 20, '1000 msat, 18 blocks'],
    ['V', 21, 'routeNotFound'],
  ])('20 hops are the maximum: %s is %i hops away', (to, hops, expected) => {
    expect(outcome(rowOf(hops), query(to, 1_000n))).toBe(expected);
  });
});

// A ── B ── … ── V: 21 hops. An onion holds at most 20, even if a caller of the engine allows more.
test.each([20, 21])('a caller who allows %i hops gets no path of 21', async (maxhops) => {
  const engine = new InProcessEngine(new LayerBook(() => 1), new InProcessKernel(tinyGraph(rowOf(21)).graph));
  const { path } = (await engine.getroutes(query('U', 1_000n), { maxhops })).routes[0]!;
  expect(path).toHaveLength(20);
  await expect(engine.getroutes(query('V', 1_000n), { maxhops })).rejects.toThrow(NoRouteError);
  engine.close();
});

/** A ══ B: two channels that differ only by 1 msat of fee. */
describe('layers', () => {
  const CHEAP = shortChannelId(1, 1, 1);
  const DEAR = shortChannelId(2, 2, 2);
  const direction: Direction = nodeNamed('A') < nodeNamed('B') ? 0 : 1;
  const { graph } = tinyGraph(['A-B 1x1x1 fee=100+0', 'A-B 2x2x2 fee=101+0']);
  const kernel = new InProcessKernel(graph);

  const biasOf = (bias: number) => ({ bias, relative: false, description: undefined });

  /** The chosen channel and its fee. */
  async function chosen(book: LayerBook, layers: readonly string[]): Promise<string> {
    const engine = new InProcessEngine(book, kernel);
    const { path } = (await engine.getroutes(query('B', 1_000n, { layers }))).routes[0]!;
    engine.close();
    const { shortChannelIdDir, amountInMsat, amountOutMsat } = path[0]!;
    return `${formatShortChannelId(shortChannelIdDir.shortChannelId)} for ${amountInMsat - amountOutMsat}`;
  }

  test('later layers override earlier ones', async () => {
    const book = new LayerBook(() => 1);
    for (const [name, feeBaseMsat] of [
      ['seven', 7n],
      ['nine', 9n],
    ] as const) {
      book.updateChannel(book.createLayer(name, false), { shortChannelId: DEAR, direction }, { feeBaseMsat });
    }
    expect(await chosen(book, ['seven', 'nine'])).toBe('2x2x2 for 9');
    expect(await chosen(book, ['nine', 'seven'])).toBe('2x2x2 for 7');
  });

  test('a positive bias makes a direction cheaper, a negative bias more expensive', async () => {
    const book = new LayerBook(() => 1);
    const [liked, disliked] = [book.createLayer('liked', false), book.createLayer('disliked', false)];
    book.biasChannel(liked, { shortChannelId: DEAR, direction }, biasOf(10));
    book.biasChannel(disliked, { shortChannelId: CHEAP, direction }, biasOf(-10));
    expect(await chosen(book, [])).toBe('1x1x1 for 100');
    expect(await chosen(book, ['liked'])).toBe('2x2x2 for 101');
    expect(await chosen(book, ['disliked'])).toBe('2x2x2 for 101');
  });
});
