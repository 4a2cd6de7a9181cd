import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGraphSource } from '../../src/gossip/source.ts';
import * as store from './store-builder.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fulgurite-source-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** A file of the given bytes. */
async function file(name: string, bytes: Uint8Array | string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, bytes);
  return path;
}

/** One channel of 5 sat between nodes 0 and 1; every policy value is 1, htlc_maximum the special 0. */
const SNAPSHOT = gzipSync(
  Buffer.concat([
    Buffer.from('GOSSMAP_COMPRESSv1\0', 'latin1'),
    Buffer.from([1, 0, 1, 2, 1, 5, 0, ...[1, 1, 0, 0], ...[1, 0, 0, 0], ...[1, 1, 0, 0], ...[1, 1, 0, 0]]),
    Buffer.from([1, 1, 0, 0]),
  ]),
);

describe('openGraphSource', () => {
  it('makes synthetic networks, by seed', async () => {
    const { graph, describe: text, follow } = await openGraphSource('synthetic:50', { seed: 9n });
    expect(text).toBe(`synthetic network (seed 9): 50 nodes, ${graph.channelCount} channels`);
    expect(follow).toBeUndefined();
    const other = await openGraphSource('synthetic:50', { seed: 10 });
    expect(store.picture(other.graph)).not.toEqual(store.picture(graph));
  });

  it('reads a compressed snapshot with any name, in corrected or exact units', async () => {
    const path = await file('graph.dat', SNAPSHOT);
    const { graph, describe: text, follow } = await openGraphSource(path);
    expect(text).toBe(`compressed snapshot ${path}: 2 nodes, 1 channels`);
    expect([follow, graph.policy(0)!.htlcMaximumMsat]).toEqual([undefined, 5000n]);
    const exact = await openGraphSource(path, { exactUnits: true });
    expect(exact.graph.policy(0)!.htlcMaximumMsat).toBe(5n);
  });

  it('reads and follows a gossip_store, and reports problems', async () => {
    const path = await file('gossip_store', Buffer.concat([store.version(), store.channel(1n, 0, 1, 5)]));
    const log: string[] = [];
    const collect = { info: (text: string) => log.push(text), unusual: (text: string) => log.push(text) };
    const { graph, follow } = await openGraphSource(path, { log: collect });
    await appendFile(path, Buffer.concat([store.channel(2n, 1, 2, 5), store.record(Buffer.alloc(1))]));
    await follow!.poll();
    await follow!.stop();
    expect(graph.channelCount).toBe(2);
    expect(log).toEqual([
      `gossip_store ${path}: 2 nodes, 1 channels`,
      `${path}: a record of 1 bytes is too short at offset 933`,
    ]);
  });

  it.each([
    'synthetic:',
    'synthetic:1',
    'synthetic:-5',
    'synthetic:1000001',
    'synthetic:9999999999',
    'synthetics',
  ])('refuses %s', async (spec) => {
    await expect(openGraphSource(spec)).rejects.toMatchObject({
      name: 'graphSource',
      message: expect.stringContaining('synthetic:NODES'),
    });
  });

  it.each([
    ['a missing file', () => Promise.resolve(join(directory, 'missing')), /ENOENT/],
    ['a folder', () => Promise.resolve(directory), /not a file/],
    ['a device', () => Promise.resolve('/dev/null'), /not a file/],
    ['something else', () => file('else', 'hello'), /not a gossip_store, or one of an unsupported version/],
    ['a gzip of something else', () => file('else.gz', gzipSync('hello')), /the magic is missing/],
  ])('refuses %s', async (_, path, message) => {
    await expect(openGraphSource(await path())).rejects.toMatchObject({
      name: 'graphSource',
      message: expect.stringMatching(message),
    });
  });
});
