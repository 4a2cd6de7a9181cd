/**
 * Recordings of gossip: they yield the same graph as a gossip_store with the same messages, except for
 * capacities, which are not recorded.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeBigSize } from '../../src/bolt/bigsize.ts';
import { ByteWriter } from '../../src/bolt/bytes.ts';
import { GossipStoreLoader } from '../../src/gossip/gossip-store-loader.ts';
import { openGraphSource } from '../../src/gossip/source.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import * as store from './store-builder.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fulgurite-dataset-'));
});
afterAll(() => rm(directory, { recursive: true }));

const HEAD = Buffer.from([...Buffer.from('GSP'), 1]);

const sized = (message: Uint8Array): Buffer =>
  Buffer.concat([writeBigSize(new ByteWriter(), message.length).finish(), message]);

const recording = (...messages: Uint8Array[]): Buffer => Buffer.concat([HEAD, ...messages.map(sized)]);

let files = 0;

async function read(bytes: Uint8Array): Promise<ChannelGraph> {
  const path = join(directory, `${files++}.gsp`);
  await writeFile(path, bytes);
  return (await openGraphSource(path)).graph;
}

/** Two weeks, after which a channel is stale, and a realistic timestamp. */
const STALE_S = 1_209_600;
const NOW = 1_695_000_000;

describe('a recording of gossip', () => {
  it('yields the graph of a gossip_store with the same messages and these capacities', async () => {
    const graph = new ChannelGraph();
    const [early, late] = [NOW - 1000, NOW];
    const messages = [
      store.announcementBody(1n, 0, 1),
      store.announcementBody(2n, 1, 2, Buffer.from([7])),
      store.updateBody(1n, { timestamp: early, max: 5_000_000, base: 1 }),
      store.updateBody(1n, { timestamp: early, direction: 1, max: 4_000_000, disabled: true }),
      store.updateBody(2n, { timestamp: late, max: 9_000_000, ppm: 3, delta: 80 }),
      store.nodeBody(1, late, 'one'),
    ];
    const stored = Buffer.concat([
      store.version(),
      ...[store.channel(1n, 0, 1, 5000), store.channel(2n, 1, 2, 9000, Buffer.from([7]))],
      ...messages.slice(2).map((body) => store.record(body)),
    ]);
    expect(new GossipStoreLoader(graph).apply(stored, stored.length)).toBe(stored.length);
    expect(store.picture(await read(recording(...messages)))).toEqual(store.picture(graph));
  });

  it('keeps the newest policy of each direction, regardless of the order of arrival', async () => {
    const graph = await read(
      recording(
        store.announcementBody(1n, 0, 1),
        store.announcementBody(1n, 0, 1),
        store.updateBody(1n, { timestamp: NOW, base: 2 }),
        store.updateBody(1n, { timestamp: NOW - 1, base: 1 }),
      ),
    );
    expect(graph.policy(0)).toMatchObject({ feeBaseMsat: 2 });
    expect(graph.policy(1)).toBeUndefined();
  });

  it('leaves out channels without an update in the two weeks before the newest one', async () => {
    const graph = await read(
      recording(
        ...[1n, 2n, 3n].map((scid) => store.announcementBody(scid, 0, 1)),
        store.updateBody(1n, { timestamp: NOW - STALE_S }),
        store.updateBody(2n, { timestamp: NOW - STALE_S - 1 }),
        store.updateBody(3n, { timestamp: NOW - 9 * STALE_S }),
        store.updateBody(3n, { timestamp: NOW, direction: 1 }),
      ),
    );
    expect([1n, 2n, 3n].map((scid) => graph.channelIndex(scid) >= 0)).toEqual([true, false, true]);
  });

  it('uses the larger htlc_maximum as capacity, and the capacity as maximum for an old update without one', async () => {
    const graph = await read(
      recording(
        store.announcementBody(1n, 0, 1),
        store.updateBody(1n, { timestamp: NOW, max: 7000 }),
        store.updateBody(1n, { timestamp: NOW, direction: 1, messageFlags: 0 }),
      ),
    );
    expect(graph.capacityMsat[0]).toBe(7000n);
    expect(graph.policy(1)).toMatchObject({ htlcMaximumMsat: 7000n });
  });

  it('reads messages that span the pieces of a large file, and skips queries', async () => {
    const query = Buffer.concat([Buffer.from([0x01, 0x07]), Buffer.alloc(60_000)]);
    const updates = Array.from({ length: 150 }, (_, at) => [
      store.updateBody(1n, { timestamp: NOW + at, base: at }),
      query,
    ]);
    const graph = await read(recording(store.announcementBody(1n, 0, 1), ...updates.flat()));
    expect(graph.policy(0)).toMatchObject({ feeBaseMsat: 149, timestamp: NOW + 149 });
  });

  it('reports the error and its position', async () => {
    const announced = sized(store.announcementBody(1n, 0, 1));
    const wrong: [Uint8Array, RegExp][] = [
      [Buffer.from('GSP'), /version undefined|version of the format/],
      [Buffer.from([...Buffer.from('GSP'), 2]), /version 2 of the format is unknown at offset 3/],
      [
        Buffer.concat([HEAD, announced, Buffer.from([1, 0])]),
        new RegExp(`a message cannot have 1 bytes at offset ${4 + announced.length}`),
      ],
      [Buffer.concat([HEAD, announced.subarray(0, 100)]), /a message of 432 bytes is cut short at offset 4/],
      [Buffer.concat([HEAD, Buffer.from([0xfd, 0, 9])]), /not minimal/],
      [recording(store.announcementBody(1n, 1, 0)), /ascending order/],
      [recording(store.updateBody(1n).subarray(0, 100)), /malformed channel_update/],
      [Buffer.from('BZh91AY'), /bunzip2/],
    ];
    for (const [bytes, cause] of wrong) await expect(read(bytes)).rejects.toThrow(cause);
  });

  it('turns mutated files into a graph or a typed error', async () => {
    const whole = recording(
      store.announcementBody(1n, 0, 1),
      store.updateBody(1n, { timestamp: NOW }),
      store.nodeBody(1, NOW, 'one', Buffer.from([1, 127, 0, 0, 1, 38, 7])),
    );
    const place = fc.nat(whole.length - 1);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(place, fc.nat(255)), { maxLength: 4 }),
        place,
        async (changes, end) => {
          const bytes = Buffer.from(whole.subarray(0, end + 1));
          for (const [at, value] of changes) if (at >= HEAD.length && at < bytes.length) bytes[at] = value;
          if (bytes.length < HEAD.length) return;
          const outcome = await read(bytes).catch((error: unknown) => error);
          expect(outcome instanceof ChannelGraph || outcome instanceof FulguriteError).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });
});
