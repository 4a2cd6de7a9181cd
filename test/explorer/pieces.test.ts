/** Parts of the start page and the map without a browser. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Aliases } from '../../src/explorer/aliases.ts';
import { boundsOf } from '../../src/explorer/layers/layer-bounds.ts';
import { linksInView, nodeAt, pointsToDraw, viewOf, wholeView } from '../../src/explorer/map/map-draw.ts';
import { feeClasses, neighbourhood, ringsFrom } from '../../src/explorer/map/neighbourhood.ts';
import { medianOf, Rates } from '../../src/explorer/node-figures.ts';
import { connectedNodes, Directory, degreesOf } from '../../src/explorer/nodes.ts';
import { LastPayments, SHOWN_PAYMENTS, type ShownPayment } from '../../src/explorer/pay/live-payments.ts';
import { pasted } from '../../src/explorer/pay/pasted.ts';
import { questionOf, routeParams, usualFeeLimit } from '../../src/explorer/pay/query.ts';
import { oddsWords } from '../../src/explorer/pay/remedy.ts';
import { frontOf, tellingApart } from '../../src/explorer/pictures/front.ts';
import type { MapColumns } from '../../src/map-files/columns.ts';

const ID = `02${'ab'.repeat(32)}`;

test.each([
  [ID, { kind: 'node', id: ID }],
  [` ${ID.toUpperCase()}@1.2.3.4:9735 `, { kind: 'node', id: ID }],
  ['ab'.repeat(32), { kind: 'payment', hash: 'ab'.repeat(32) }],
  ['700000x12x1', { kind: 'channel', scid: '700000x12x1' }],
  ['700000x12x1/0', { kind: 'channel', scid: '700000x12x1' }],
  ['lno1qcp4256ypq+\n pugwfk', { kind: 'encoded', text: 'lno1qcp4256ypqpugwfk' }],
  [
    'lightning:LNBC20M1PVJLUEZPP5QQQSYQCYQ5RQWZQF',
    { kind: 'encoded', text: 'LNBC20M1PVJLUEZPP5QQQSYQCYQ5RQWZQF' },
  ],
  ['lnbigger', { kind: 'name', text: 'lnbigger' }],
  ['Alice’s node', { kind: 'name', text: 'Alice’s node' }],
])('%j is recognised', (text, what) => expect(pasted(text)).toEqual(what));

describe('a query in an address', () => {
  const asked = (query: string) => routeParams(questionOf(new URLSearchParams(query)), '03'.padEnd(66, '1'));

  test('gets the usual values of our own payments', () => {
    expect(asked(`to=${ID}&amount=100000`)).toEqual({
      source: '03'.padEnd(66, '1'),
      destination: ID,
      amount_msat: 100_000_000n,
      layers: ['auto.localchans', 'auto.sourcefree'],
      maxfee_msat: 1_000_000n,
      final_cltv: 18,
      maxparts: 16,
    });
  });

  test('is used as given', () => {
    const query = `from=${ID}&to=${'02'.padEnd(66, '2')}&amount=5msat&layers=a,%20b,&maxfee=0&maxparts=3&maxdelay=99&final_cltv=9`;
    expect(asked(query)).toEqual({
      source: ID,
      destination: '02'.padEnd(66, '2'),
      amount_msat: 5n,
      layers: ['a', 'b'],
      maxfee_msat: 0n,
      final_cltv: 9,
      maxparts: 3,
      maxdelay: 99,
    });
  });

  test('that is malformed or incomplete sends nothing', () => {
    for (const query of [
      '',
      `to=${ID}`,
      'amount=5',
      `to=xy&amount=5`,
      `to=${ID}&amount=-5`,
      `to=${ID}&amount=0`,
    ]) {
      expect(asked(query)).toBeUndefined();
    }
  });

  test('has the fee limit that xkeysend has', () => {
    expect([usualFeeLimit(100_000n), usualFeeLimit(500_000n), usualFeeLimit(1_000_000n)]).toEqual([
      5000n,
      5000n,
      10_000n,
    ]);
  });
});

describe('the last payments', () => {
  const payment = (index: number, completedAt?: number): ShownPayment => ({
    index,
    hash: String(index),
    status: completedAt === undefined ? 'pending' : 'complete',
    destination: undefined,
    amountMsat: 1,
    sentMsat: 1,
    label: undefined,
    reason: undefined,
    createdAt: index,
    completedAt,
  });

  test('are the newest ones, newest first', () => {
    const last = new LastPayments();
    for (let index = 1; index <= 3 * SHOWN_PAYMENTS; index++) last.add(payment(index));
    last.add(payment(1, 5));
    expect(last.list.map(({ index }) => index)).toEqual(
      Array.from({ length: SHOWN_PAYMENTS }, (_, at) => 3 * SHOWN_PAYMENTS - at),
    );
  });

  test('stay ended if an older event arrives late', () => {
    const last = new LastPayments();
    last.add(payment(1, 5));
    last.add(payment(1));
    expect(last.list[0]!.status).toBe('complete');
  });
});

describe('figures', () => {
  const stats = (time: number, complete: number, failed: number) =>
    ({ time, payments_complete: complete, payments_failed: failed }) as never;

  test('are rates over the last ten seconds, and the success rate since the start', () => {
    const rates = new Rates();
    expect([rates.paymentsPerSecond, rates.successShare]).toEqual([undefined, undefined]);
    // 30 payments per second, of which 3 fail: after 20 seconds, 540 of 600 have arrived.
    for (let second = 0; second <= 20; second++) rates.add(stats(1000 + second, 27 * second, 3 * second));
    expect([rates.paymentsPerSecond, rates.successShare]).toEqual([30, 0.9]);
  });

  test('the median is found within its bucket, over all label sets', () => {
    const text = [
      'x_bucket{a="1",le="0.001"} 2',
      'x_bucket{a="1",le="0.01"} 4',
      'x_bucket{a="1",le="+Inf"} 4',
      'x_bucket{a="2",le="0.001"} 0',
      'x_bucket{a="2",le="0.01"} 4',
      'x_bucket{a="2",le="+Inf"} 6',
    ].join('\n');
    // 10 values in total: 2 up to 1 ms, 8 up to 10 ms. The fifth is halfway between: 1 + 9 · (5 − 2) / (8 −
    // 2) = 5.5 ms.
    expect(medianOf(text, 'x')).toBeCloseTo(0.0055, 9);
    expect(medianOf('', 'x')).toBeUndefined();
  });
});

test('only answers that no other answer dominates are kept', () => {
  const point = (fee: number, odds: number) => ({ feeMsat: BigInt(fee), oddsPpm: odds, parts: 1 });
  const points = [point(5, 900), point(1, 500), point(3, 400), point(2, 800), point(2, 700)];
  expect(frontOf(points).map(({ feeMsat, oddsPpm }) => [Number(feeMsat), oddsPpm])).toEqual([
    [1, 500],
    [2, 800],
    [5, 900],
  ]);
});

test('of answers whose odds are displayed alike, the cheapest is offered', () => {
  const points = [220_000, 221_000, 224_999, 226_000, 700_000].map((oddsPpm, at) => ({
    feeMsat: BigInt(at),
    oddsPpm,
    parts: 1,
  }));
  // 22 %, 22 %, 22 %, 23 % and 70 %. Answers that differ by only 0.1 % are displayed alike.
  expect(tellingApart(points).map(({ feeMsat }) => Number(feeMsat))).toEqual([0, 3, 4]);
});

/** 0 ─ 1 ─ 2 ─ 3 in a row, 4 linked to 1, and 5 isolated. Links are in order of capacity. */
const COLUMNS: MapColumns = {
  version: 1,
  isSettled: true,
  x: Uint16Array.of(0, 20_000, 40_000, 65_535, 20_000, 50_000),
  y: Uint16Array.of(32_768, 32_768, 32_768, 32_768, 50_000, 60_000),
  from: Uint16Array.of(0, 1, 2, 1),
  to: Uint16Array.of(1, 2, 3, 4),
  capacity: Uint8Array.of(200, 190, 180, 170),
  flags: Uint8Array.of(3, 3, 3, 3),
};
const SIZE = { width: 655, height: 655 };

describe('the map', () => {
  test('draws the links in the window when zoomed in', () => {
    expect([...linksInView(COLUMNS, wholeView(SIZE), SIZE)]).toEqual([0, 1, 2, 3]);
    const close = { x: 20_000, y: 50_000, scale: wholeView(SIZE).scale * 20 };
    expect([...linksInView(COLUMNS, close, SIZE)]).toEqual([3]);
  });

  test('finds the node under the pointer, and none at unlinked nodes', () => {
    const view = wholeView(SIZE);
    const degree = Uint32Array.of(1, 3, 2, 1, 1, 0);
    const place = (node: number): [number, number] => [
      (COLUMNS.x[node]! - view.x) * view.scale + 327.5,
      (COLUMNS.y[node]! - view.y) * view.scale + 327.5,
    ];
    for (const node of [0, 1, 2, 3, 4])
      expect(nodeAt(COLUMNS, degree, view, SIZE, ...place(node))).toBe(node);
    expect(nodeAt(COLUMNS, degree, view, SIZE, ...place(5))).toBeUndefined();
  });

  test('shows the requested nodes', () => {
    const { x, scale } = viewOf([0, 1], COLUMNS, SIZE);
    expect(x).toBe(10_000);
    // 20,000 units and a margin of 35 % fill the width of 655 pixels.
    expect(scale).toBeCloseTo(655 / 27_000, 6);
    expect(viewOf([], COLUMNS, SIZE)).toEqual(wholeView(SIZE));
  });

  test('finds the surroundings of a node', () => {
    expect(neighbourhood(COLUMNS, 1)).toEqual({ direct: [0, 1, 3], further: [2], count: 3 });
    expect(neighbourhood(COLUMNS, 3)).toEqual({ direct: [2], further: [1], count: 1 });
  });

  test('from a node is drawn as rings by hops, with sectors as wide as the nodes behind them require', () => {
    const { columns, counts } = ringsFrom(COLUMNS, 1);
    expect(counts).toEqual([1, 3, 1]);
    const from = (node: number): [number, number] => [columns.x[node]! - 32_767, columns.y[node]! - 32_767];
    const radius = [0, 2, 3, 4].map((node) => Math.hypot(...from(node)));
    expect(radius[0]).toBeCloseTo(radius[1]!, -2);
    // Radii grow with the square root of the hops.
    expect(radius[2]! / radius[0]!).toBeCloseTo(Math.SQRT2, 2);
    // Node 3 is behind node 2: their sector is half of the circle, and both are in its middle.
    const angle = (node: number): number => Math.atan2(from(node)[1], from(node)[0]);
    expect(angle(2)).toBeCloseTo(angle(3), 2);
  });

  test('counts fees in classes', () => {
    const counts = feeClasses([0, 0, 5, 50, 99, 5000]).filter(({ count }) => count > 0);
    expect(counts.map(({ label, count }) => [label, count])).toEqual([
      ['0', 2],
      ['1–9', 1],
      ['50–99', 2],
      ['2500+', 1],
    ]);
  });
});

test('aliases equal to the text come first, then those that begin with it, then better connected nodes', () => {
  const ids = new Uint8Array(6 * 33);
  for (let node = 0; node < 6; node++) ids.set([2, node, 0xcd], node * 33);
  const directory = new Directory(COLUMNS, ids, [
    'my acorn',
    'Acorn two',
    'acorn',
    'oak',
    'big acorn tree',
    'acorn alone',
  ]);
  // Node 5 has no link, so it cannot be paid.
  expect(directory.search('acorn').map(({ index }) => index)).toEqual([2, 1, 0, 4]);
  expect(directory.search('0203cd').map(({ index }) => index)).toEqual([3]);
  expect(directory.alias(directory.id(3))).toBe('oak');
  expect(directory.search('  ')).toEqual([]);
});

test('each id is found, even among ids that share a slot of the table, and no others are', () => {
  // The slot is computed from the last four bytes, which are the same for the first three ids.
  const ids = new Uint8Array(6 * 33);
  for (let node = 0; node < 6; node++) ids.set([3, node], node * 33);
  for (let node = 3; node < 6; node++) ids[node * 33 + 32] = node;
  const directory = new Directory(COLUMNS, ids, ['a', 'b', 'c', 'd', 'e', 'f']);
  expect([0, 1, 2, 3, 4, 5].map((node) => directory.indexOf(directory.id(node)))).toEqual([0, 1, 2, 3, 4, 5]);
  for (const unknown of [`0306${'00'.repeat(31)}`, '03', '', 'zz'.repeat(33)]) {
    expect(directory.indexOf(unknown)).toBeUndefined();
  }
  // These texts have an odd number of digits, so they end within a byte.
  expect(directory.search('0300000').map(({ index }) => index)).toEqual([0]);
  expect(directory.search('030500000').map(({ index }) => index)).toEqual([5]);
});

test('links are counted once per graph, however often a page is drawn', () => {
  let reads = 0;
  const from = COLUMNS.from;
  const columns: MapColumns = {
    ...COLUMNS,
    get from() {
      reads++;
      return from;
    },
  };
  // Node 5 has no link.
  expect([connectedNodes(columns), degreesOf(columns)[5]]).toEqual([5, 0]);
  const first = reads;
  for (let draw = 0; draw < 10; draw++) expect(connectedNodes(columns)).toBe(5);
  expect([first > 0, reads]).toEqual([true, first]);
});

test('a remedy that yields only a theoretical route is described as such', () => {
  expect(oddsWords(999)).toContain('the payment is very unlikely to arrive');
  expect(oddsWords(1000)).not.toContain('unlikely');
});

test('the tightest bounds of all layers count, and every layer with bounds is named', () => {
  const entry = (layer: string, minimum_msat?: number, maximum_msat?: number) => ({
    layer,
    short_channel_id_dir: '1x1x1/0',
    ...(minimum_msat !== undefined && { minimum_msat }),
    ...(maximum_msat !== undefined && { maximum_msat }),
  });
  const found = boundsOf([entry('a', 10), entry('b', 5, 90), entry('a', undefined, 70)]).get('1x1x1/0');
  expect(found).toEqual({ minimumMsat: 10n, maximumMsat: 70n, saidBy: ['a', 'b'] });
  expect(boundsOf([entry('a', 10)]).get('1x1x1/0')?.maximumMsat).toBeUndefined();
});

test('of many points at the same position, only a few are drawn, including the largest', () => {
  // 3,000 nodes at one position, of which the last has a thousand neighbours, and one node far away.
  const count = 3001;
  const places = new Uint16Array(count).fill(10_000);
  places[0] = 50_000;
  const degree = new Uint32Array(count).fill(1);
  degree[count - 1] = 1000;
  const drawn = pointsToDraw(places, places, degree, wholeView(SIZE), SIZE);
  expect(drawn).toContain(0);
  expect(drawn).toContain(count - 1);
  expect(drawn).toHaveLength(4);
});

describe('aliases', () => {
  afterEach(() => void vi.useRealTimers());
  const settled = () => vi.advanceTimersByTimeAsync(1000);

  /** Aliases from a daemon that answers at once: `id` has the alias `Node id`; ids with a 9 have none. */
  function aliases() {
    vi.useFakeTimers();
    const asked: string[][] = [];
    const left = new AbortController();
    let changes = 0;
    const callEach = (_method: string, each: readonly { readonly id?: string | undefined }[]) => {
      asked.push(each.map(({ id }) => id!));
      return Promise.resolve(
        each.map(({ id }) => ({ nodes: [{ nodeid: id, alias: id === '9' ? '' : `Node ${id}` }] })),
      );
    };
    const known = new Aliases({ callEach } as never, () => changes++, left.signal);
    return { known, asked, left, changes: () => changes };
  }

  test('that are needed together are fetched in one request, and cause one change', async () => {
    const { known, asked, changes } = aliases();
    for (const id of ['1', '2', '9', '1']) expect(known.of(id)).toBeUndefined();
    await settled();
    expect(asked).toEqual([['1', '2', '9']]);
    expect(changes()).toBe(1);
    expect([known.of('1'), known.of('9')]).toEqual(['Node 1', undefined]);
    await settled();
    expect(asked.length).toBe(1);
  });

  test('of a scrolled list are fetched when they are needed again', async () => {
    const { known, asked } = aliases();
    const ids = Array.from({ length: 200 }, (_, at) => `${1000 + at}`);
    for (const id of ids) known.of(id);
    await settled();
    expect(asked).toEqual([ids.slice(-64)]);
    expect(known.of(ids.at(-1)!)).toBe('Node 1199');
    expect(known.of(ids[0]!)).toBeUndefined();
    await settled();
    expect(asked[1]).toEqual([ids[0]]);
  });

  test('are not fetched once the reader has left', async () => {
    const { known, asked, left } = aliases();
    known.of('1');
    left.abort();
    await settled();
    expect(asked).toEqual([]);
  });
});
