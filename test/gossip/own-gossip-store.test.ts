/**
 * Our own gossip_store. Appended records are read back, no matter how many of them survive a crash. The size
 * of the file stays in proportion to the graph.
 */

import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { CHAIN_HASHES } from '../../src/bolt/invoice/bolt12-offer.ts';
import {
  decodeChannelAnnouncement,
  decodeChannelUpdate,
  decodeNodeAnnouncement,
  encodeChannelUpdate,
} from '../../src/bolt/peer/gossip-messages.ts';
import { messageType } from '../../src/bolt/peer/peer-messages.ts';
import { loadGossipStore } from '../../src/gossip/gossip-store.ts';
import { OwnGossipStore } from '../../src/gossip/own-gossip-store.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { GossipGraph } from '../../src/network/peer/gossip-apply.ts';
import { SignedNetwork } from '../network/peer/signed-gossip.ts';
import { picture, record } from './store-builder.ts';

const NOW = 1_700_000_000;
const chainHash = CHAIN_HASHES.regtest;
const network = new SignedNetwork({ nodes: 6, channels: 8, chainHash, timestamp: NOW });
const directory = mkdtempSync(join(tmpdir(), 'fulgurite-own-store-'));
const path = join(directory, 'gossip_store');

afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => rmSync(path, { force: true }));

/** The graph after peers have sent these messages. */
function apply(graph: ChannelGraph, messages: readonly Uint8Array[]): ChannelGraph {
  const target = new GossipGraph(graph, chainHash, () => NOW + 1_000_000);
  for (const bytes of messages) {
    if (messageType(bytes) === 256) target.addChannel(decodeChannelAnnouncement(bytes));
    else if (messageType(bytes) === 257) target.setNode(decodeNodeAnnouncement(bytes), bytes);
    else target.setPolicy(decodeChannelUpdate(bytes));
  }
  return graph;
}

/** The graph that is read from the file at a start. */
async function reopened(messages: readonly Uint8Array[] = []) {
  const graph = new ChannelGraph();
  const said: string[] = [];
  const log = { info: () => undefined, unusual: (text: string) => void said.push(text) };
  const store = await OwnGossipStore.open(path, graph, log);
  await store.append(messages);
  apply(graph, messages);
  await store.close();
  return { graph, said };
}

describe('our own gossip_store', () => {
  it('removed channels stay gone, and channels that came back have their capacity, also after a rewrite', async () => {
    const [first, second] = network.channels.map(({ announcement }) => announcement) as [
      Uint8Array,
      Uint8Array,
    ];
    const ids = [first, second].map((bytes) => decodeChannelAnnouncement(bytes).shortChannelId);
    const graph = new ChannelGraph();
    const store = await OwnGossipStore.open(path, graph);
    await store.append([first, second]);
    await store.forget(ids);
    await store.append([second], 4321n);
    await store.close();
    const after = (await reopened()).graph;
    expect([after.channelCount, after.shortChannelIds[0], after.capacityMsat[0]]).toEqual([
      1,
      ids[1],
      4_321_000n,
    ]);
    // A replaced update stays in the file until the file is rewritten.
    const again = new ChannelGraph();
    const larger = await OwnGossipStore.open(path, again);
    const target = new GossipGraph(again, chainHash, () => NOW + 1_000_000);
    const [replaced, last] = [NOW, NOW + 1].map((timestamp) =>
      network.update(network.channels[1]!, { timestamp }),
    ) as [Uint8Array, Uint8Array];
    target.setPolicy(decodeChannelUpdate(last));
    await larger.append([last]);
    for (let written = 0; larger.size >= written; ) {
      written = larger.size;
      await larger.append(Array.from({ length: 5000 }, () => replaced));
    }
    expect(larger.size).toBeLessThan(10_000);
    await larger.close();
    const { graph: kept } = await reopened();
    expect([kept.channelCount, kept.capacityMsat[0], kept.policyTimestamp[0]]).toEqual([
      1,
      4_321_000n,
      NOW + 1,
    ]);
  });

  it('reads back what was appended, and other readers read it too', async () => {
    const messages = network.messages();
    const first = await reopened(messages);
    expect(first.graph.channelCount).toBe(8);
    const second = await reopened();
    expect(picture(second.graph)).toEqual(picture(first.graph));
    expect(second.said).toEqual([]);
    const { graph, problem, minorVersion, uuid } = await loadGossipStore(path);
    expect([graph.channelCount, problem, minorVersion, uuid?.length]).toEqual([8, undefined, 16, 64]);
  });

  it('cut at any byte: a prefix is read, and so is everything appended later', async () => {
    const messages = network.messages();
    await reopened(messages);
    const whole = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
        writeFileSync(path, whole.subarray(0, length));
        const cut = await reopened();
        // The complete messages yield the same graph.
        const kept = messages.findIndex(
          (_, count) =>
            picture(apply(new ChannelGraph(), messages.slice(0, count))).join() === picture(cut.graph).join(),
        );
        expect(kept).toBeGreaterThanOrEqual(0);
        await reopened(messages);
        const again = await reopened();
        expect(picture(again.graph)).toEqual(picture(apply(new ChannelGraph(), messages)));
        expect(again.said).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('zeros at the end are cut off, with a line in the log', async () => {
    await reopened(network.messages());
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(5000)]));
    expect((await reopened()).said).toEqual([expect.stringMatching(/truncated 5000 bytes at offset \d+: /)]);
    expect((await reopened()).said).toEqual([]);
  });

  it('any flipped bit after the version loses at most its own message, which is set aside', async () => {
    const messages = network.messages();
    await reopened(messages);
    const whole = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 8, max: whole.length * 8 - 1 }), async (bit) => {
        const bytes = Buffer.from(whole);
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        writeFileSync(path, bytes);
        rmSync(`${path}.bad`, { force: true });
        const mended = await reopened();
        const kept = picture(mended.graph).join();
        const candidates = [
          messages,
          ...messages.map((_, left) => messages.filter((_, index) => index !== left)),
        ];
        expect(candidates.map((some) => picture(apply(new ChannelGraph(), some)).join())).toContain(kept);
        // If the last record seems to extend beyond the end, a crash may have cut it off, so it is dropped.
        if (mended.said.length > 0 && !mended.said[0]!.includes('the last record is incomplete')) {
          expect(mended.said).toEqual([expect.stringMatching(/set aside in .*\.bad, \d+ records kept/)]);
          expect(bytes.includes(readFileSync(`${path}.bad`))).toBe(true);
        }
        expect((await reopened()).said).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('a record with a valid checksum that no reader accepts is the only one set aside', async () => {
    await reopened(network.messages());
    const broken = record(Buffer.concat([Buffer.of(1, 2), Buffer.alloc(20)]));
    writeFileSync(path, Buffer.concat([readFileSync(path), broken]));
    await reopened();
    expect(readFileSync(`${path}.bad`).equals(broken)).toBe(true);
    expect((await reopened()).graph.channelCount).toBe(8);
  });

  it.each([
    ['a newer version', (bytes: Buffer) => bytes.fill(17, 0, 1), '0.17'],
    ['another format', () => Buffer.from('something else entirely'), '3.19'],
  ])('%s is refused, and the file is unchanged', async (_, spoil, version) => {
    await reopened(network.messages());
    writeFileSync(path, spoil(readFileSync(path)));
    const before = readFileSync(path);
    await expect(reopened()).rejects.toThrow(`this release does not support version ${version} of the file`);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is rewritten when most of it is obsolete, with the same content', async () => {
    const graph = new ChannelGraph();
    const store = await OwnGossipStore.open(path, graph);
    const append = async (messages: Uint8Array[]): Promise<void> => {
      apply(graph, messages);
      await store.append(messages);
    };
    await append(network.messages());
    // Nothing checks signatures here.
    const update = decodeChannelUpdate(network.update(network.channels[0]!));
    let most = 0;
    for (let i = 1; i <= 80; i++) {
      const news = Array.from({ length: 1000 }, (_, j) =>
        encodeChannelUpdate({ ...update, timestamp: NOW + i * 1000 + j, feeBaseMsat: i }),
      );
      await append(news);
      most = Math.max(most, store.size);
    }
    await store.close();
    // Without a rewrite the file would hold 80,000 updates of 150 bytes.
    expect(most).toBeLessThan(9 * 1024 * 1024);
    expect(statSync(path).size).toBeLessThan(5 * 1024 * 1024);
    const again = await reopened();
    expect(picture(again.graph)).toEqual(picture(graph));
    expect(again.graph.policy(0)?.feeBaseMsat).toBe(80);
  });

  it('a failing disk ends the writing, but not the node', async () => {
    const said: string[] = [];
    const log = { info: () => undefined, unusual: (text: string) => void said.push(text) };
    const store = await OwnGossipStore.open(path, new ChannelGraph(), log);
    const { file } = store as unknown as { file: { close(): Promise<void> } };
    await file.close();
    await store.append(network.messages());
    await store.append(network.messages());
    expect(said).toEqual([expect.stringContaining('cannot store gossip any more')]);
  });

  it('killed repeatedly while writing: a prefix is read', async () => {
    const script = join(directory, 'writer.mjs');
    const module = new URL('../../build/src/gossip/own-gossip-store.js', import.meta.url).href;
    const model = new URL('../../build/src/model/channel-graph.js', import.meta.url).href;
    const messages = network.messages();
    writeFileSync(join(directory, 'messages'), JSON.stringify(messages.map((one) => [...one])));
    writeFileSync(
      script,
      `import { readFileSync } from 'node:fs';
       import { OwnGossipStore } from '${module}';
       import { ChannelGraph } from '${model}';
       const messages = JSON.parse(readFileSync('${join(directory, 'messages')}')).map((one) => Uint8Array.from(one));
       const store = await OwnGossipStore.open('${path}', new ChannelGraph());
       for (;;) for (const one of messages) { await store.append([one]); process.send('written'); }`,
    );
    for (let round = 0; round < 5; round++) {
      const child = fork(script, { stdio: 'ignore' });
      await new Promise<void>((resolve) => {
        let written = 0;
        child.on('message', () => {
          if (++written === 10 + round * 7) resolve();
        });
      });
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
      const { graph } = await reopened();
      expect(graph.channelCount).toBeGreaterThan(2);
    }
    expect(picture((await reopened(messages)).graph)).toEqual(picture(apply(new ChannelGraph(), messages)));
  });

  it('killed during a rewrite: everything acknowledged is there', async () => {
    const script = join(directory, 'rewriter.mjs');
    const build = new URL('../../build/src/', import.meta.url).href;
    writeFileSync(join(directory, 'messages'), JSON.stringify(network.messages().map((one) => [...one])));
    // An endless stream of updates of one channel; every fiftieth append or so rewrites the file.
    writeFileSync(
      script,
      `import { readFileSync } from 'node:fs';
       import { decodeChannelUpdate, encodeChannelUpdate } from '${build}bolt/peer/gossip-messages.js';
       import { OwnGossipStore } from '${build}gossip/own-gossip-store.js';
       import { ChannelGraph } from '${build}model/channel-graph.js';
       const messages = JSON.parse(readFileSync('${join(directory, 'messages')}')).map((one) => Uint8Array.from(one));
       const graph = new ChannelGraph();
       const store = await OwnGossipStore.open('${path}', graph);
       if (graph.channelCount === 0) await store.append(messages.slice(0, 3));
       const update = decodeChannelUpdate(messages[1]);
       const node = graph.internNode(new Uint8Array(33).fill(2)), other = graph.internNode(new Uint8Array(33).fill(3));
       if (graph.channelCount === 0) graph.addChannel(update.shortChannelId, node, other, 0n);
       for (let timestamp = Math.max(update.timestamp, graph.policyTimestamp[0]); ; ) {
         const batch = Array.from({ length: 1000 }, () => encodeChannelUpdate({ ...update, timestamp: ++timestamp }));
         graph.setPolicy(0, 0, { ...update, enabled: true, timestamp });
         await store.append(batch);
         process.send(timestamp);
       }`,
    );
    for (const appends of [54, 20, 57, 56, 55]) {
      const child = fork(script, { stdio: 'ignore' });
      let written = 0;
      let count = 0;
      await new Promise<void>((resolve) => {
        child.on('message', (timestamp: number) => {
          written = timestamp;
          if (++count === appends) resolve();
        });
      });
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
      const { graph } = await reopened();
      expect(graph.channelCount).toBe(1);
      expect(graph.policyTimestamp[0]).toBeGreaterThanOrEqual(written);
      expect(statSync(path).size).toBeLessThan(9 * 1024 * 1024);
    }
  });
});
