/**
 * The benchmark on a graph that the caller chooses. One small graph is written by hand in each supported
 * format:
 *
 *         c0         c1            1,000,000 sat each, 40 blocks, htlc_minimum 0, htlc_maximum the capacity
 *     0 ------- 1 ------- 2        c1 charges 1000 msat + 500 ppm in both directions, the others 100 ppm
 *      \                 /         c1 is disabled from 2 to 1
 *       `-- 3 ----------'
 *       c2       c3
 *
 * Ids of nodes and channels are those that the compressed format derives from positions: channel c between
 * its first end f and its second end s is (c + f) x s x c.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnswerRow, ROW_FORMATS } from '../../bench/answer-rows.ts';
import { pairsOf } from '../../bench/pairs.ts';
import { pairsOfCsv } from '../../bench/question-pairs.ts';
import { answerAll, type Questions } from '../../bench/research.ts';
import { snapshotNodeIds } from '../../src/gossip/node-keys.ts';
import { openGraphSource } from '../../src/gossip/source.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { rapidSnapshot } from '../gossip/rapid-snapshot-builder.ts';
import * as store from '../gossip/store-builder.ts';

const CAPACITY_SAT = 1_000_000;
/** For each channel: its first and second end, fee base and ppm. */
const CHANNELS = [
  { first: 0, second: 1, base: 0, ppm: 100 },
  { first: 1, second: 2, base: 1000, ppm: 500 },
  { first: 0, second: 3, base: 0, ppm: 100 },
  { first: 3, second: 2, base: 0, ppm: 100 },
];
const IDS = Array.from({ length: 4 }, (_, node) =>
  Buffer.from(snapshotNodeIds(4).subarray(node * 33, node * 33 + 33)),
);
const hex = (node: number) => IDS[node]!.toString('hex');
const scidOf = (c: number) =>
  (BigInt(c + CHANNELS[c]!.first) << 40n) | (BigInt(CHANNELS[c]!.second) << 16n) | BigInt(c);
/** The ends of a channel, smaller id first: node1 and node2 of BOLT 7. */
const inOrder = (c: number) =>
  [CHANNELS[c]!.first, CHANNELS[c]!.second].sort((a, b) => Buffer.compare(IDS[a]!, IDS[b]!));
const isDisabled = (c: number, from: number) => c === 1 && from === 2;

function asStore(): Buffer {
  const rank = (node: number) => store.IDS.findIndex((id) => id.equals(IDS[node]!));
  const records = CHANNELS.flatMap(({ base, ppm }, c) => {
    const [node1, node2] = inOrder(c);
    const fields = { base, ppm, delta: 40, max: CAPACITY_SAT * 1000 };
    return [
      store.channel(scidOf(c), rank(node1!), rank(node2!), CAPACITY_SAT),
      store.update(scidOf(c), { ...fields, direction: 0, disabled: isDisabled(c, node1!) }),
      store.update(scidOf(c), { ...fields, direction: 1, disabled: isDisabled(c, node2!) }),
    ];
  });
  return Buffer.concat([store.version(), ...records]);
}

/** Integers of BOLT 1 (bigsize): one byte below 253; two after fd; four after fe. */
const bigsize = (n: number): number[] => {
  if (n < 0xfd) return [n];
  if (n <= 0xffff) return [0xfd, n >> 8, n & 255];
  return [0xfe, n >>> 24, (n >> 16) & 255, (n >> 8) & 255, n & 255];
};

function asSnapshot(): Buffer {
  const alike = [0, 0, 0, 0, 0, 0, 0, 0];
  const numbers = [
    ...[4, /* first ends */ 0, 1, 0, 3, /* second ends */ 1, 2, 3, 2],
    ...[/* disabled: c1 from its second end */ 3, 8],
    ...[/* capacity */ 1, CAPACITY_SAT, 0, 0, 0, 0],
    ...[/* minimum */ 1, 0, ...alike, /* maximum: the capacity */ 1, 0, ...alike],
    ...[/* base */ 2, 0, 1000, 0, 0, 1, 1, 0, 0, 0, 0],
    ...[/* ppm */ 2, 100, 500, 0, 0, 1, 1, 0, 0, 0, 0],
    ...[/* delay */ 1, 40, ...alike],
  ];
  const bytes = Buffer.from(numbers.flatMap(bigsize));
  return gzipSync(Buffer.concat([Buffer.from('GOSSMAP_COMPRESSv1\0', 'latin1'), bytes]));
}

/** The graph in the format of `lncli describegraph`. */
function asDescribed(change: (edge: Record<string, unknown>, c: number) => object = (edge) => edge): string {
  const edges = CHANNELS.map(({ base, ppm }, c) => {
    const [node1, node2] = inOrder(c);
    const policy = (from: number) => ({
      time_lock_delta: 40,
      min_htlc: '0',
      fee_base_msat: String(base),
      fee_rate_milli_msat: String(ppm),
      disabled: isDisabled(c, from),
      max_htlc_msat: String(CAPACITY_SAT * 1000),
      last_update: 0,
      custom_records: {},
      inbound_fee_base_msat: 0,
      inbound_fee_rate_milli_msat: 0,
    });
    const edge = {
      channel_id: String(scidOf(c)),
      chan_point: `${'00'.repeat(32)}:0`,
      last_update: 0,
      node1_pub: hex(node1!),
      node2_pub: hex(node2!),
      capacity: String(CAPACITY_SAT),
      node1_policy: policy(node1!),
      node2_policy: policy(node2!),
      custom_records: {},
    };
    return change(edge, c);
  });
  return JSON.stringify({ nodes: [], edges }, null, 4);
}

/** The graph as a server of LDK's rapid gossip sync sends it to a client that has no earlier data. */
function asRapidSnapshot(): Uint8Array {
  const usual = { delta: 40, minimum: 0n, base: 0, ppm: 100, maximum: BigInt(CAPACITY_SAT) * 1000n };
  const rank = [...IDS].sort((a, b) => Buffer.compare(a, b));
  const inAscent = CHANNELS.map((_, c) => c).sort((a, b) => (scidOf(a) < scidOf(b) ? -1 : 1));
  return rapidSnapshot({
    ...{ version: 1, timestamp: 1_700_000_000, nodes: rank, usual },
    channels: inAscent.map((c) => {
      const [node1, node2] = inOrder(c).map((node) => rank.indexOf(IDS[node]!));
      return { scid: scidOf(c), ends: [node1!, node2!] };
    }),
    updates: inAscent.flatMap((c) =>
      ([0, 1] as const).map((direction) => {
        const { base, ppm } = CHANNELS[c]!;
        return { scid: scidOf(c), direction, disabled: isDisabled(c, inOrder(c)[direction]!), base, ppm };
      }),
    ),
  });
}

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fulgurite-research-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function file(name: string, bytes: Uint8Array | string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, bytes);
  return path;
}

async function graphOf(name: string, bytes: Uint8Array | string): Promise<ChannelGraph> {
  const { graph, follow } = await openGraphSource(await file(name, bytes));
  await follow?.stop();
  return graph;
}

const UNKNOWN = `02${'11'.repeat(32)}`;
const QUESTIONS: Questions = {
  amountsSat: [100_000, 1_500_000],
  maxparts: [1, 16],
  count: 5,
  pairs: pairsOfCsv(`source,destination\n${hex(0)},${hex(2)}\n${hex(2)},${hex(0)}\n${hex(0)},${UNKNOWN}\n`),
};

/** A result row without the columns that differ between runs. */
const lasting = ({ processor_us, ms, ...row }: AnswerRow) => row;

describe('answers of the bench', () => {
  it('are the same for every format of the graph, and as computed by hand', async () => {
    const graphs = [
      await graphOf('store', asStore()),
      await graphOf('snapshot', asSnapshot()),
      await graphOf('described', asDescribed()),
      await graphOf('rapid', asRapidSnapshot()),
    ];
    const answers = graphs.map((graph) => answerAll(graph, QUESTIONS).map(lasting));
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(answers[3]).toEqual(answers[0]);

    // 0 → 2, 100,000 sat, through 3: its fee is 100 ppm of 10⁸ msat. Each of two channels holds ten times as
    // much.
    const asked = { pairs: 'csv', source: hex(0), destination: hex(2), amount_msat: 100_000_000 };
    const found = { status: 'route', code: null, fee_msat: 10_000, parts: 1, delay: 18 + 40 };
    expect(answers[0]![0]).toEqual({
      ...asked,
      ...found,
      maxparts: 1,
      probability: expect.closeTo(0.9 * 0.9, 4),
    });
    // 1,500,000 sat exceed one channel, but not two together. From 0 to 2 there are two paths, so 16 parts are
    // enough and one is not. From 2 to 0 there is only one path, so there is no route.
    const short = answers[0]!.map(({ maxparts, status, parts, code }) => [maxparts, status, parts, code]);
    const none = [null, 205];
    expect(short).toEqual([
      [1, 'route', 1, null],
      [1, 'route', 1, null],
      [1, 'no route', ...none],
      [16, 'route', 1, null],
      [16, 'route', 1, null],
      [16, 'no route', ...none],
      [1, 'no route', ...none],
      [1, 'no route', ...none],
      [1, 'no route', ...none],
      [16, 'route', 2, null],
      [16, 'no route', ...none],
      [16, 'no route', ...none],
    ]);
  });

  it('are read back from CSV and from JSON lines as they were', async () => {
    const rows = answerAll(await graphOf('described', asDescribed()), QUESTIONS);
    const fromJson = ROW_FORMATS['.jsonl']!(rows)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(fromJson).toEqual(rows);
    const csv = ROW_FORMATS['.csv']!(rows);
    const [names, ...lines] = csv
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    const texts = ['pairs', 'source', 'destination', 'status'];
    const readAs = (name: string, text: string) =>
      texts.includes(name) ? text : text === '' ? null : Number(text);
    const fromCsv = lines.map((values) =>
      Object.fromEntries(names!.map((name, i) => [name, readAs(name, values[i]!)])),
    );
    expect(fromCsv).toEqual(rows);
    // The answers of one run can be used as the pairs of the next.
    expect(pairsOfCsv(csv)).toEqual(rows.map(({ source, destination }) => ({ source, destination })));
  });

  it('exist for both classes of pairs, and for none if no node qualifies', async () => {
    const graph = await graphOf('store', asStore());
    const { pairs: _, ...drawn } = QUESTIONS;
    const rows = answerAll(graph, drawn);
    // No node has the eight channels of the class `big`.
    expect(new Set(rows.map((row) => row.pairs))).toEqual(new Set(['feas']));
    expect(rows).toHaveLength(2 * 2 * 5);
    expect(pairsOf(new ChannelGraph(), 'feas', 1, 5)).toEqual([]);
  });
});

describe('described graphs', () => {
  it('have unknown directions, unchecked capacities, and aliases', async () => {
    const graph = await graphOf(
      'special',
      asDescribed((edge, c) => {
        if (c === 0) return { ...edge, node1_policy: null };
        if (c === 1) return { ...edge, capacity: '0' };
        if (c === 2) return { ...edge, channel_id: String(16_000_000n << 40n) };
        return { ...edge, node2_policy: { ...(edge.node2_policy as object), max_htlc_msat: '0' } };
      }),
    );
    expect(graph.channelCount).toBe(3);
    expect([graph.policy(0), graph.policy(1)?.enabled]).toEqual([undefined, true]);
    expect(graph.capacityMsat[1]).toBe(1_000_000_000n);
    expect(graph.policy(2 * 2 + 1)!.htlcMaximumMsat).toBe(1_000_000_000n);
  });

  it.each([
    ['a truncated file', asDescribed().slice(0, -20), /not JSON/],
    ['no edges', '{"nodes": []}', /it has no list "edges"/],
    ['an edge that is no object', '{"edges": [7]}', /edges\[0\]: not an object/],
    [
      'an id rounded by another program',
      described({ channel_id: 2 ** 60 }),
      /edges\[3\]: channel_id is not an integer/,
    ],
    ['a negative amount', described({ capacity: '-1' }), /edges\[3\]: capacity is not an integer/],
    ['a channel twice', described({ channel_id: '65536' }), /edges\[3\]: channel 65536 already exists/],
    ['no node', described({ node1_pub: '02abcd' }), /edges\[3\]: node1_pub is not a node id/],
    [
      'a policy without a fee',
      described({ node1_policy: {} }),
      /edges\[3\]: node1_policy: min_htlc is not an integer/,
    ],
    [
      'an end joined with itself',
      described({ node1_pub: hex(2), node2_pub: hex(2) }),
      /not in ascending order/,
    ],
  ])('are refused with %s', async (_, text, cause) => {
    await expect(graphOf('broken', text)).rejects.toMatchObject({
      name: 'graphSource',
      message: expect.stringMatching(cause),
    });
  });
});

/** The graph with the given fields in its last edge. */
function described(fields: object): string {
  return asDescribed((edge, c) => (c === 3 ? { ...edge, ...fields } : edge));
}

describe('lists of pairs', () => {
  it.each([
    ['', 'there are no pairs'],
    ['source\n', 'line 1: there is no column "destination"'],
    [`${UNKNOWN},${UNKNOWN}\n${UNKNOWN}`, 'line 2: the destination is not a node id (66 hex digits)'],
    [`source,destination\n\nfoo,${UNKNOWN}`, 'line 3: the source is not a node id (66 hex digits)'],
  ])('are refused if they are malformed: %j', (text, message) => {
    expect(() => pairsOfCsv(text)).toThrow(message);
  });
});

describe('the command', () => {
  const main = fileURLToPath(new URL('../../build/bench/main.js', import.meta.url));
  const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, [main, ...args]);

  it('writes rows, and reports the circumstances of the measurement', async () => {
    const graph = await file('graph.json', asDescribed());
    const out = join(directory, 'rows.csv');
    const { stdout } = await run('--graph', graph, '--amounts', '1000', '--count', '3', '--out', out);
    expect(stdout).toContain(`described graph ${graph}: 4 nodes, 4 channels`);
    expect(stdout).toMatch(/load average/);
    expect(stdout).toMatch(/stealPercent/);
    expect((await readFile(out, 'utf8')).split('\n')).toHaveLength(1 + 2 * 3 + 1);
  });

  it('refuses a broken file, and invalid options', async () => {
    const broken = await file('broken.json', '{');
    await expect(run('--graph', broken)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not JSON'),
    });
    await expect(run('--graph', broken, '--amounts', '0')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--amounts: "0" is not an integer'),
    });
  });
});
