import { once } from 'node:events';
import { appendFile, mkdtemp, open, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drain, loadGossipStore, openStore } from '../../src/gossip/gossip-store.ts';
import { GossipStoreFollower } from '../../src/gossip/gossip-store-follower.ts';
import { GossipStoreLoader } from '../../src/gossip/gossip-store-loader.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import type { FulguriteError } from '../../src/model/errors.ts';
import { formatShortChannelId, shortChannelId } from '../../src/model/short-channel-id.ts';
import * as store from './store-builder.ts';

const [A, B, C] = [1, 2, 3].map((block) => shortChannelId(block, 0, 0)) as bigint[] as [
  bigint,
  bigint,
  bigint,
];
const head = (fill: number) => Buffer.concat([store.version(), store.uuid(fill)]);
const LIST_A = Buffer.concat([head(1), store.channel(A, 0, 1, 1000)]);

let directory: string;
let path: string;
const opened: GossipStoreFollower[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fulgurite-store-'));
  path = join(directory, 'gossip_store');
});
afterEach(async () => {
  for (const follower of opened.splice(0)) await follower.stop();
  await rm(directory, { recursive: true });
});

async function follow(bytes: Uint8Array) {
  await writeFile(path, bytes);
  const follower = await GossipStoreFollower.open(path, { pollIntervalMs: 20, coalesceMs: 5 });
  opened.push(follower);
  const log: string[] = [];
  follower.on('change', (graph) => log.push(`change ${scids(graph)}`));
  follower.on('problem', (error) => log.push(`problem ${error.message.replace(directory, '')}`));
  return { follower, log, graph: follower.graph };
}

function scids(graph: ChannelGraph): string {
  return Array.from(graph.shortChannelIds.subarray(0, graph.channelCount), formatShortChannelId)
    .sort()
    .join(' ');
}

/** Replaces the file at the path with a new one, as compaction does. */
async function replace(bytes: Uint8Array): Promise<void> {
  await writeFile(`${path}.compact`, bytes);
  await rename(`${path}.compact`, path);
}

describe('loadGossipStore', () => {
  it('reads the same through a small buffer as through a large one', async () => {
    const many = Array.from({ length: 900 }, (_, i) => store.channel(BigInt(i), i % 30, 31, i + 1));
    await writeFile(path, Buffer.concat([head(1), ...many]));
    const whole = await loadGossipStore(path);
    expect(whole.graph.channelCount).toBe(900);
    const loader = new GossipStoreLoader(new ChannelGraph());
    const file = await openStore(path);
    await drain(file, loader, 1);
    await file.close();
    expect(store.picture(loader.graph)).toEqual(store.picture(whole.graph));
  });

  it('reads the largest records', async () => {
    const large = store.record(Buffer.concat([Buffer.from([0x7f, 0xff]), Buffer.alloc(0xfffd)]));
    await writeFile(path, Buffer.concat([head(1), large, large, large, store.channel(A, 0, 1, 1)]));
    const loader = new GossipStoreLoader(new ChannelGraph());
    const file = await openStore(path);
    await drain(file, loader, 1);
    await file.close();
    expect([loader.graph.channelCount, loader.ignored.unknownType]).toEqual([1, 3]);
  });

  it('reports where and why a file is corrupt', async () => {
    const bytes = Buffer.concat([LIST_A, store.update(A)]);
    bytes[LIST_A.length + 50]! ^= 4;
    await writeFile(path, bytes);
    await expect(loadGossipStore(path)).rejects.toMatchObject({
      name: 'graphSource',
      message: expect.stringMatching(/gossip_store: checksum [0-9a-f]+ does not match .* at offset 513$/),
      data: { offset: LIST_A.length },
    });
  });

  it('an empty file, a missing one and a folder are errors', async () => {
    await writeFile(path, '');
    await expect(loadGossipStore(path)).rejects.toMatchObject({
      name: 'graphSource',
      message: expect.stringContaining('gossip_store: the file is empty at offset 0'),
    });
    await expect(loadGossipStore(`${path}.missing`)).rejects.toMatchObject({ name: 'graphSource' });
    await expect(loadGossipStore(directory)).rejects.toMatchObject({ name: 'graphSource' });
  });
});

/** The possible actions of the file's writer. */
const writerStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('open' as const), n: fc.nat(20) }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('update' as const), n: fc.nat(20), ppm: fc.nat(999) }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('close' as const), n: fc.nat(20) }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constantFrom('compact', 'replace', 'rewrite'), n: fc.nat(20) }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('look' as const) }) },
);

type WriterStep = typeof writerStep extends fc.Arbitrary<infer T> ? T : never;

/** A writer of the file, with the records of each open channel. */
class Writer {
  readonly live = new Map<number, Buffer[]>();
  private generation = 1;

  async step(step: WriterStep): Promise<void> {
    if (step.op === 'look') return;
    const records = this.live.get(step.n);
    const scid = BigInt(step.n);
    if (step.op === 'open' && records === undefined) {
      this.live.set(step.n, [store.channel(scid, step.n, step.n + 1, 1000 + step.n)]);
      await appendFile(path, this.live.get(step.n)![0]!);
    } else if (step.op === 'update' && 'ppm' in step && records !== undefined) {
      records[1] = store.update(scid, { ppm: step.ppm });
      await appendFile(path, records[1]);
    } else if (step.op === 'close' && records !== undefined) {
      this.live.delete(step.n);
      await appendFile(path, store.tombstone(scid));
    } else if (step.op === 'rewrite') await writeFile(path, this.compacted());
    else if (step.op === 'replace') await replace(this.compacted());
    else if (step.op === 'compact') await this.compact();
  }

  private compacted(): Buffer {
    return Buffer.concat([head(++this.generation), ...[...this.live.values()].flat()]);
  }

  private async compact(): Promise<void> {
    const old = await open(path, 'a');
    const bytes = this.compacted();
    await replace(bytes);
    await old.write(store.ended(bytes.length, this.generation));
    await old.close();
  }
}

describe('GossipStoreFollower', () => {
  it('ends with the graph in the file, regardless of the writer’s actions between two checks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(writerStep, { maxLength: 40 }), async (steps) => {
        const { follower, graph, log } = await follow(head(1));
        const writer = new Writer();
        for (const step of steps) {
          await writer.step(step);
          if (step.op === 'look') await follower.poll();
        }
        for (let poll = 0; poll < 5; poll++) await follower.poll();
        expect(store.picture(graph)).toEqual(store.picture((await loadGossipStore(path)).graph));
        expect(graph.channelCount).toBe(writer.live.size);
        expect(log.filter((line) => line.startsWith('problem'))).toEqual([]);
        await follower.stop();
      }),
      { numRuns: 150 },
    );
  });

  it('applies appended records, in any pieces, with one change event per check', async () => {
    const { follower, log } = await follow(LIST_A);
    const tail = Buffer.concat([store.channel(B, 1, 2, 5), store.channel(C, 0, 2, 5), store.tombstone(A)]);
    for (let at = 0; at < tail.length; at += 233) {
      await appendFile(path, tail.subarray(at, at + 233));
      await follower.poll();
    }
    await follower.poll();
    expect(log).toEqual(['change 1x0x0 2x0x0', 'change 1x0x0 2x0x0 3x0x0', 'change 2x0x0 3x0x0']);
    expect(follower.offset).toBe(LIST_A.length + tail.length);
  });

  it('sees a record completed in place', async () => {
    const pending = Buffer.concat([
      store.record(store.announcementBody(B, 1, 2), { flags: 0 }),
      store.record(store.amountBody(4), { flags: 0 }),
    ]);
    const { follower, log } = await follow(Buffer.concat([LIST_A, pending]));
    await follower.poll();
    const file = await open(path, 'r+');
    await file.write(Buffer.from([0x20]), 0, 1, LIST_A.length);
    await follower.poll();
    expect(log).toEqual([]);
    await file.write(Buffer.from([0x20]), 0, 1, LIST_A.length + 444);
    await file.close();
    await follower.poll();
    expect(log).toEqual(['change 1x0x0 2x0x0']);
  });

  it('notices changes by itself, until it is stopped', async () => {
    const { follower, graph } = await follow(LIST_A);
    follower.start();
    const changed = once(follower, 'change');
    await appendFile(path, store.channel(B, 1, 2, 5));
    expect(await changed).toEqual([graph]);
    await follower.stop();
    await appendFile(path, store.channel(C, 1, 2, 5));
    await follower.poll();
    expect(scids(graph)).toBe('1x0x0 2x0x0');
  });

  it('continues in the successor at the equivalent offset', async () => {
    const { follower, log, graph } = await follow(LIST_A);
    const old = await open(path, 'a');
    // A real writer would not change the content before the equivalent offset. Here it differs, to show that the
    // follower does not read it again.
    const successor = Buffer.concat([head(2), store.channel(C, 5, 6, 9)]);
    await replace(Buffer.concat([successor, store.channel(B, 1, 2, 5)]));
    await follower.poll();
    await old.write(store.ended(successor.length, 2));
    await old.close();
    await follower.poll();
    await appendFile(path, store.tombstone(A));
    await follower.poll();
    expect(log).toEqual(['change 1x0x0 2x0x0', 'change 2x0x0']);
    expect(follower.graph).toBe(graph);
  });

  it.each([
    ['another uuid', 3, 47],
    ['an offset beyond its end', 2, 100_000],
    ['an offset inside its head', 2, 3],
  ])('starts over when the successor does not fit: %s', async (_, fill, offset) => {
    const { follower, log, graph } = await follow(LIST_A);
    const old = await open(path, 'a');
    await replace(Buffer.concat([head(2), store.channel(B, 1, 2, 5)]));
    await old.write(store.ended(offset, fill));
    await old.close();
    await follower.poll();
    expect(log).toEqual(['change 2x0x0']);
    expect(store.picture(graph)).toEqual(store.picture((await loadGossipStore(path)).graph));
  });

  it('starts over when the file is replaced without a closing record, after a grace period', async () => {
    const { follower, log } = await follow(LIST_A);
    await replace(Buffer.concat([head(2), store.channel(B, 1, 2, 5)]));
    for (let poll = 0; poll < 3; poll++) await follower.poll();
    expect(log).toEqual(['change 2x0x0']);
    await appendFile(path, store.channel(C, 1, 2, 5));
    await follower.poll();
    expect(log.at(-1)).toBe('change 2x0x0 3x0x0');
  });

  it('starts over when the file is rewritten in place, shorter or longer', async () => {
    const { follower, log } = await follow(Buffer.concat([LIST_A, store.channel(B, 1, 2, 5)]));
    await writeFile(path, Buffer.concat([head(2), store.channel(C, 1, 2, 5)]));
    await follower.poll();
    const longer = [A, B, C].map((scid) => store.channel(scid, 1, 2, 5));
    await writeFile(path, Buffer.concat([head(3), ...longer]));
    await follower.poll();
    expect(log).toEqual(['change 3x0x0', 'change 1x0x0 2x0x0 3x0x0']);
  });

  it.each([
    ['version 15, which has no uuid', Buffer.concat([store.version(15), store.channel(A, 0, 1, 1000)])],
    ['the same uuid', LIST_A],
  ])('starts over when the file is cut: %s', async (_, start) => {
    const { follower, log } = await follow(Buffer.concat([start, store.channel(B, 1, 2, 5)]));
    await truncate(path, start.length);
    await follower.poll();
    await appendFile(path, store.channel(C, 1, 2, 5));
    await follower.poll();
    expect(log).toEqual(['change 1x0x0', 'change 1x0x0 3x0x0']);
  });

  it('keeps the graph while the file is corrupt, emptied or gone, and reports each cause once', async () => {
    const { follower, log, graph } = await follow(LIST_A);
    const corrupt = store.update(A);
    corrupt[40]! ^= 1;
    await appendFile(path, corrupt);
    for (let poll = 0; poll < 3; poll++) await follower.poll();
    await truncate(path, 0);
    for (let poll = 0; poll < 3; poll++) await follower.poll();
    await rm(path);
    for (let poll = 0; poll < 3; poll++) await follower.poll();
    expect(scids(graph)).toBe('1x0x0');
    expect(log).toEqual([
      expect.stringMatching(/^problem \/gossip_store: checksum .* at offset 513$/),
      'problem /gossip_store: the file is empty at offset 0',
    ]);
  });

  it('reports the same cause again after it was gone', async () => {
    const { follower, log } = await follow(LIST_A);
    const spare = `${path}.spare`;
    for (let time = 0; time < 2; time++) {
      await rename(path, spare);
      await follower.poll();
      await rename(spare, path);
      await follower.poll();
    }
    expect(log).toEqual(Array(2).fill(expect.stringMatching(/^problem .*ENOENT/)));
  });

  it('reports a missing path once and continues with the open file', async () => {
    const { follower, log } = await follow(LIST_A);
    const file = await open(path, 'a');
    await rm(path);
    await follower.poll();
    await file.write(store.channel(B, 1, 2, 5));
    await file.close();
    await follower.poll();
    expect(log).toEqual([expect.stringMatching(/^problem .*ENOENT/), 'change 1x0x0 2x0x0']);
  });

  it('refuses a corrupt file at the start, with a typed error', async () => {
    await writeFile(path, 'not a store');
    const error = (await GossipStoreFollower.open(path).catch((reason) => reason)) as FulguriteError;
    expect(error.name).toBe('graphSource');
    expect(error.message).toMatch(
      /not a gossip_store, or one of an unsupported version \(3\.14\) at offset 0$/,
    );
  });
});
