/**
 * How gossip gets into the graph: signed messages of two made-up nodes, a peer that records what we send it, and the
 * thread that checks signatures.
 *
 *     node 1 --- 600000x1x0 --- node 2
 */

import { describe, expect, it, vi } from 'vitest';
import { compareBytes } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { CHAIN_HASHES } from '../../../src/bolt/invoice/bolt12-offer.ts';
import * as messages from '../../../src/bolt/peer/gossip-messages.ts';
import * as queries from '../../../src/bolt/peer/gossip-queries.ts';
import { messageType } from '../../../src/bolt/peer/peer-messages.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { msat } from '../../../src/model/msat.ts';
import { nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { GossipGraph } from '../../../src/network/peer/gossip-apply.ts';
import { checkPackedGossip, packGossip } from '../../../src/network/peer/gossip-check.ts';
import { GossipIntake } from '../../../src/network/peer/gossip-intake.ts';
import { type GossipChecker, GossipPool } from '../../../src/network/peer/gossip-pool.ts';
import { GossipSync } from '../../../src/network/peer/gossip-sync.ts';
import { MAX_RANGE_IDS, MAX_RANGE_REPLIES, MAX_WAITING_GOSSIP } from '../../../src/network/peer/limits.ts';
import { OUR_FEATURES } from '../../../src/network/peer/our-features.ts';
import { Throttle } from '../../../src/network/peer/throttle.ts';

const NOW = 1_700_000_000;
const chainHash = CHAIN_HASHES.regtest;
const SCID = shortChannelId(600_000, 1, 0);
const keys = [1, 2].map((byte) => new Uint8Array(32).fill(byte));
keys.sort((a, b) => compareBytes(curve.publicKey(a), curve.publicKey(b)));
const [key1, key2] = keys as [Uint8Array, Uint8Array];
const [id1, id2] = [curve.publicKey(key1), curve.publicKey(key2)];

const inThisThread: GossipChecker = {
  check: async (batch) => checkPackedGossip(packGossip(batch)),
  close: async () => undefined,
};

class FakePeer {
  readonly nodeId = nodeIdFromBytes(id1);
  readonly host = '127.0.0.1';
  readonly isOutgoing = true;
  isTrusted = true;
  features = OUR_FEATURES;
  readonly sent: Uint8Array[] = [];
  readonly refused: string[] = [];
  paused = false;
  send(message: Uint8Array): void {
    this.sent.push(message);
  }
  markUseful(): void {
    // No test here needs this method.
  }
  refuse(reason: string): void {
    this.refused.push(reason);
  }
  setPaused(paused: boolean): void {
    this.paused = paused;
  }
}

function setup(checker = inThisThread) {
  let now = NOW;
  const nowSeconds = (): number => now;
  const graph = new ChannelGraph();
  const target = new GossipGraph(graph, chainHash, nowSeconds);
  const failures: Error[] = [];
  const failed = (error: Error): void => void failures.push(error);
  const intake = new GossipIntake({ target, checker, changed: () => undefined, failed, batchMs: 0 });
  const changes = new Throttle(() => undefined, 1);
  const sync = new GossipSync({ target, intake, chainHash, queryAnswerMs: 1000, idsPerQuery: 1000, changes });
  const peer = new FakePeer();
  sync.peerReady(peer);
  const tell = async (...told: Uint8Array[]): Promise<void> => {
    for (const bytes of told) sync.message(peer, messageType(bytes), bytes);
    await intake.settled();
  };
  return { graph, target, intake, sync, peer, tell, failures, pass: (seconds: number) => (now += seconds) };
}

const announcement = (scid = SCID, chain = chainHash): Uint8Array =>
  messages.createChannelAnnouncement(
    {
      features: new Uint8Array(0),
      chainHash: chain,
      shortChannelId: scid,
      nodeId1: id1,
      nodeId2: id2,
      bitcoinKey1: id1,
      bitcoinKey2: id2,
    },
    { node1: key1, node2: key2, bitcoin1: key1, bitcoin2: key2 },
  );

const update = (
  given: Partial<messages.UpdateTerms> = {},
  key = given.direction === 1 ? key2 : key1,
): Uint8Array =>
  messages.createChannelUpdate(
    {
      chainHash,
      shortChannelId: SCID,
      timestamp: NOW,
      direction: 0,
      isDisabled: false,
      cltvExpiryDelta: 40,
      htlcMinimumMsat: msat(1n),
      feeBaseMsat: 1000,
      feeProportionalMillionths: 10,
      htlcMaximumMsat: msat(5_000_000n),
      ...given,
    },
    key,
  );

const node = (timestamp: number, alias: number, key = key1): Uint8Array =>
  messages.createNodeAnnouncement(
    {
      features: new Uint8Array(0),
      timestamp,
      nodeId: curve.publicKey(key),
      rgbColor: new Uint8Array(3),
      alias: new Uint8Array(32).fill(alias),
      addresses: new Uint8Array(0),
    },
    key,
  );

describe('gossip in the graph', () => {
  it('adds a channel, both policies and a node that arrive together', async () => {
    const { graph, tell, peer } = setup();
    await tell(
      announcement(),
      update(),
      update({ direction: 1, isDisabled: true, htlcMaximumMsat: msat(7n) }),
      node(5, 9),
    );
    expect(graph.channelCount).toBe(1);
    expect(graph.policy(0)).toMatchObject({ enabled: true, feeBaseMsat: 1000, timestamp: NOW });
    expect(graph.policy(1)).toMatchObject({ enabled: false, htlcMaximumMsat: 7n });
    expect(graph.capacityMsat[0]).toBe(5_000_000n);
    expect(graph.announcements.get(graph.nodeIndexOfBytes(id1))?.alias[0]).toBe(9);
    expect(peer.refused).toEqual([]);
  });

  it('assumes an unchecked capacity: the current limits of its ends, up to a maximum', async () => {
    const { graph, tell } = setup();
    await tell(announcement(), update({ htlcMaximumMsat: msat(2_100_000_000_000_000_000n) }));
    // The update allows 21 million bitcoin, but only 2^24 - 1 sat are assumed.
    expect(graph.capacityMsat[0]).toBe(16_777_215_000n);
    await tell(update({ timestamp: NOW + 1, htlcMaximumMsat: msat(3_000_000n) }));
    expect(graph.capacityMsat[0]).toBe(3_000_000n);
  });

  it('accepts an update of today even if the stored policy is dated in the future', async () => {
    const { graph, tell } = setup();
    await tell(announcement(), update());
    graph.policyTimestamp[0] = NOW + 86_400;
    const target = new GossipGraph(graph, chainHash, () => NOW);
    expect(target.isNewUpdate(messages.decodeChannelUpdate(update({ timestamp: NOW + 1 })))).toBe(true);
  });

  it('is replaced only by newer messages', async () => {
    const { graph, tell } = setup();
    await tell(announcement(), update(), node(5, 1));
    await tell(
      update({ feeBaseMsat: 2 }),
      update({ timestamp: NOW - 1, feeBaseMsat: 3 }),
      node(5, 2),
      announcement(),
    );
    expect(graph.policy(0)?.feeBaseMsat).toBe(1000);
    await tell(update({ timestamp: NOW + 1, feeBaseMsat: 4 }), node(6, 2));
    expect(graph.policy(0)?.feeBaseMsat).toBe(4);
    expect(graph.announcements.get(graph.nodeIndexOfBytes(id1))?.alias[0]).toBe(2);
  });

  it.each([
    ['an update of an unknown channel', update()],
    ['a node without a channel', node(5, 1)],
    ['another chain', announcement(SCID, CHAIN_HASHES.bitcoin)],
  ])('does not come from %s', async (_, bytes) => {
    const { graph, tell, peer } = setup();
    await tell(bytes);
    expect([graph.channelCount, graph.announcements.size, peer.refused]).toEqual([0, 0, []]);
  });

  it.each([
    ['from the future', update({ timestamp: NOW + 25 * 3600 })],
    ['from the next quarter of an hour', update({ timestamp: NOW + 601 })],
    ['two weeks old', update({ timestamp: NOW - 15 * 24 * 3600 })],
    ['with a maximum below the minimum', update({ htlcMaximumMsat: msat(0n) })],
    ['of more bitcoin than exist', update({ htlcMaximumMsat: msat(2n ** 62n) })],
    ['of another chain', update({ chainHash: CHAIN_HASHES.bitcoin })],
  ])('ignores an update %s', async (_, bytes) => {
    const { graph, tell } = setup();
    await tell(announcement(), bytes);
    expect(graph.policy(0)).toBeUndefined();
  });

  it.each([
    ['update by the wrong end', [announcement(), update({}, key2)]],
    ['changed announcement', [announcement().with(20, 0x55)]],
    ['node announced by another', [announcement(), node(5, 1).with(20, 0x55)]],
  ])('with a wrong signature ends the connection: %s', async (_, told) => {
    const { tell, peer } = setup();
    await tell(...told);
    expect(peer.refused).toEqual(['a gossip message with an invalid signature']);
  });

  it('gets the same verdicts from the thread', async () => {
    const pool = new GossipPool();
    const { graph, tell, peer, failures } = setup(pool);
    await tell(announcement(), update(), update({ timestamp: NOW + 1 }, key2));
    await pool.close();
    expect(failures).toEqual([]);
    expect(graph.policy(0)?.timestamp).toBe(NOW);
    expect(peer.refused).toHaveLength(1);
  });

  it('forgets channels after two weeks of silence, and channels without any update at the second check', async () => {
    const { graph, target, tell, pass } = setup();
    await tell(announcement(), update(), announcement(shortChannelId(600_001, 1, 0)));
    expect([target.prune(), graph.channelCount]).toEqual([0, 2]);
    expect([target.prune(), graph.channelCount]).toEqual([1, 1]);
    pass(14 * 24 * 3600 + 1);
    expect([target.prune(), graph.channelCount]).toEqual([1, 0]);
  });

  it('forgets a channel once one of its ends has been silent for two weeks', async () => {
    const { graph, target, tell, pass } = setup();
    await tell(announcement(), update(), update({ direction: 1, isDisabled: true }));
    pass(13 * 24 * 3600);
    await tell(update({ timestamp: NOW + 13 * 24 * 3600 }));
    expect([target.prune(), graph.channelCount]).toEqual([0, 1]);
    pass(24 * 3600 + 1);
    const removed: bigint[] = [];
    target.onRemoved = (ids) => void removed.push(...ids);
    expect([target.prune(), graph.channelCount, removed]).toEqual([1, 0, [SCID]]);
  });

  it('pauses a peer that sends more than can wait, until there is room', async () => {
    const { sync, intake, peer } = setup();
    const bytes = update();
    for (let i = 0; i < MAX_WAITING_GOSSIP; i++) sync.message(peer, 258, bytes);
    expect(peer.paused).toBe(true);
    await intake.settled();
    expect(peer.paused).toBe(false);
  });
});

describe('peers are asked', () => {
  const EVERYTHING = { chainHash, firstBlock: 0, blockCount: 0xffff_ffff, syncComplete: true };

  it('for new messages, for the list of channels, and for those that we lack', async () => {
    const { sync, peer, tell } = setup();
    expect(peer.sent.map(messageType)).toEqual([265, 263]);
    await tell(announcement(), update(), update({ direction: 1 }), node(5, 1), node(5, 1, key2));
    const other = shortChannelId(1, 2, 3);
    const reply = queries.encodeChannelRangeReply({ ...EVERYTHING, shortChannelIds: [other, SCID] });
    sync.message(peer, 264, reply);
    expect(queries.decodeChannelIdsQuery(peer.sent[2]!).shortChannelIds).toEqual([other]);
    sync.message(peer, 262, queries.encodeChannelIdsEnd({ chainHash, fullInformation: true }));
    expect(peer.sent).toHaveLength(3);
    await sync.close();
  });

  it.each([
    ['the announcement', []],
    ['one end', [update(), node(5, 1), node(5, 1, key2)]],
    ['the other end', [update({ direction: 1 }), node(5, 1), node(5, 1, key2)]],
    ['one node', [update(), update({ direction: 1 }), node(5, 1)]],
  ])('again for a channel of which only %s is known', async (_, told) => {
    const { sync, peer, tell } = setup();
    await tell(announcement(), ...told);
    const reply = queries.encodeChannelRangeReply({ ...EVERYTHING, shortChannelIds: [SCID] });
    sync.message(peer, 264, reply);
    expect(queries.decodeChannelIdsQuery(peer.sent[2]!).shortChannelIds).toEqual([SCID]);
    sync.message(peer, 262, queries.encodeChannelIdsEnd({ chainHash, fullInformation: true }));
    const second = new FakePeer();
    sync.peerReady(second);
    sync.message(second, 264, reply);
    expect(second.sent.map(messageType)).toEqual([265, 263]);
    await sync.close();
  });

  it('only up to the end of the list: later replies and unexpected ends are ignored', async () => {
    const { sync, peer } = setup();
    const end = queries.encodeChannelIdsEnd({ chainHash, fullInformation: true });
    const [first, second] = [1, 2].map((block) => shortChannelId(block, 2, 3));
    sync.message(peer, 262, end);
    expect(peer.sent).toHaveLength(2);
    sync.message(peer, 264, queries.encodeChannelRangeReply({ ...EVERYTHING, shortChannelIds: [first!] }));
    sync.message(peer, 264, queries.encodeChannelRangeReply({ ...EVERYTHING, shortChannelIds: [second!] }));
    expect(peer.sent.slice(2).map((bytes) => queries.decodeChannelIdsQuery(bytes).shortChannelIds)).toEqual([
      [first],
    ]);
    sync.message(peer, 262, end);
    sync.message(peer, 262, end);
    expect(peer.sent).toHaveLength(3);
    await sync.close();
  });

  it('not endlessly: a list that never ends, or has too many channels, is an error', async () => {
    const { sync, peer } = setup();
    const endless = queries.encodeChannelRangeReply({ ...EVERYTHING, blockCount: 1, shortChannelIds: [] });
    const replies = () => {
      for (let i = 0; i <= MAX_RANGE_REPLIES; i++) sync.message(peer, 264, endless);
    };
    expect(replies).toThrow('too many channels listed');
    await sync.close();

    const other = setup();
    const ids = Array.from({ length: 8000 }, (_, i) => shortChannelId(i, 2, 3));
    const long = queries.encodeChannelRangeReply({ ...EVERYTHING, blockCount: 1, shortChannelIds: ids });
    const many = () => {
      for (let i = 0; i <= MAX_RANGE_IDS / 8000; i++) other.sync.message(other.peer, 264, long);
    };
    expect(many).toThrow('too many channels listed');
    await other.sync.close();
  });

  it('for a limited time: a peer that does not answer is skipped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { sync, peer } = setup();
    const second = new FakePeer();
    sync.peerReady(second);
    sync.message(peer, 264, queries.encodeChannelRangeReply({ ...EVERYTHING, shortChannelIds: [SCID] }));
    vi.advanceTimersByTime(999);
    expect(second.sent.map(messageType)).toEqual([265]);
    vi.advanceTimersByTime(1);
    expect(second.sent.map(messageType)).toEqual([265, 263]);
    await sync.close();
    vi.useRealTimers();
  });

  it('for everything since the first message that we may have missed', async () => {
    const { sync, tell } = setup();
    await tell(announcement(), update({ timestamp: NOW - 5000 }));
    const second = new FakePeer();
    sync.peerReady(second);
    expect(queries.decodeTimestampFilter(second.sent[0]!).firstTimestamp).toBe(NOW - 5000 - 3600);
    await sync.close();
  });

  it('one after the other; when a peer leaves, the next is asked', async () => {
    const { sync, peer } = setup();
    const second = new FakePeer();
    sync.peerReady(second);
    expect(second.sent.map(messageType)).toEqual([265]);
    sync.peerGone(peer);
    expect(second.sent.map(messageType)).toEqual([265, 263]);
    await sync.close();
  });

  it('only if they support gossip queries', async () => {
    const { sync } = setup();
    const plain = new FakePeer();
    plain.features = new Uint8Array(0);
    sync.peerReady(plain);
    expect(plain.sent).toEqual([]);
    await sync.close();
  });

  it('but their own queries get empty answers, and only a limited number of times', async () => {
    const { sync, peer } = setup();
    peer.sent.length = 0;
    const asked = queries.encodeChannelRangeQuery({ chainHash, firstBlock: 1, blockCount: 2 });
    for (let i = 0; i < 50; i++) sync.message(peer, 263, asked);
    expect(peer.sent).toHaveLength(20);
    expect(queries.decodeChannelRangeReply(peer.sent[0]!)).toEqual({
      chainHash,
      firstBlock: 1,
      blockCount: 2,
      syncComplete: false,
      shortChannelIds: [],
    });
    await sync.close();
  });
});
