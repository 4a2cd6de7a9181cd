/**
 * Gossip with a real, independent node. LDK receives the gossip of a made-up network message by message, and
 * the daemon learns the network from LDK. LDK sends everything it has after a timestamp filter, lists its
 * channels after a range query, and does not answer `query_short_channel_ids`.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { CHAIN_HASHES } from '../../../src/bolt/invoice/bolt12-offer.ts';
import * as gossip from '../../../src/bolt/peer/gossip-messages.ts';
import * as queries from '../../../src/bolt/peer/gossip-queries.ts';
import { decodePing, messageType, PING_TYPE, pongFor } from '../../../src/bolt/peer/peer-messages.ts';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { formatShortChannelId, type ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { GossipGraph } from '../../../src/network/peer/gossip-apply.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { SignedNetwork } from '../../network/peer/signed-gossip.ts';
import { WirePeer } from '../../network/peer/wire-peer.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { haveLdk, LdkProcess } from './ldk-process.ts';

const chainHash = CHAIN_HASHES.regtest;
const NOW = Math.floor(Date.now() / 1000);
/** LDK sends one ping per 32 gossip messages, so about a hundred pings for these channels. */
const CHANNELS = 1000;
const network = new SignedNetwork({ nodes: 100, channels: CHANNELS, chainHash, timestamp: NOW - 7200 });

/** The expected `listchannels`: the graph that our own rules derive from the same messages. */
function expectedChannels() {
  const graph = new ChannelGraph();
  const target = new GossipGraph(graph, chainHash, () => NOW);
  for (const bytes of network.messages()) {
    if (messageType(bytes) === 256) target.addChannel(gossip.decodeChannelAnnouncement(bytes));
    else if (messageType(bytes) === 258) target.setPolicy(gossip.decodeChannelUpdate(bytes));
  }
  return Array.from({ length: graph.channelCount * 2 }, (_, directionIndex) => {
    const policy = graph.policy(directionIndex)!;
    return {
      short_channel_id: formatShortChannelId(graph.shortChannelIds[directionIndex >> 1]!),
      direction: directionIndex & 1,
      source: graph.nodeId(((directionIndex & 1) === 0 ? graph.node1 : graph.node2)[directionIndex >> 1]!),
      base_fee_millisatoshi: policy.feeBaseMsat,
      fee_per_millionth: policy.feeProportionalMillionths,
      delay: policy.cltvExpiryDelta,
      last_update: policy.timestamp,
      active: policy.enabled,
    };
  });
}

describeNeeding('ldk', haveLdk, 'the graph of an LDK node', () => {
  const home = mkdtempSync(join(tmpdir(), 'fulgurite-ldk-gossip-'));
  let ldk: LdkProcess;
  let teller: WirePeer;
  let connectOption: string[];
  let daemon: Daemon;

  async function start(...more: string[]): Promise<void> {
    const argv = ['--network', 'peer', '--chain', 'regtest', '--data-dir', home, ...more];
    daemon = await startTestDaemon(argv);
  }

  async function stop(): Promise<void> {
    await daemon?.stop();
  }

  const ask = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);

  /** The channels that LDK lists in reply to a range query. */
  async function listedByLdk(): Promise<ShortChannelId[]> {
    teller.received.length = 0;
    const range = { chainHash, firstBlock: 0, blockCount: 0xffff_ffff };
    teller.send(queries.encodeChannelRangeQuery(range));
    const replies = () =>
      teller.received.filter((bytes) => messageType(bytes) === queries.REPLY_CHANNEL_RANGE_TYPE);
    await vi.waitFor(() => expect(replies()).not.toHaveLength(0), { timeout: 20_000 });
    return replies().flatMap((bytes) => queries.decodeChannelRangeReply(bytes).shortChannelIds);
  }

  const eventually = <T>(check: () => Promise<T>): Promise<T> =>
    vi.waitFor(check, { timeout: 60_000, interval: 100 });

  beforeAll(async () => {
    ldk = await LdkProcess.start(41);
    const port = await ldk.ask<number>('listen');
    teller = await WirePeer.dial(ldk.nodeId, port);
    // LDK disconnects peers that do not answer its pings.
    teller.onMessage = (bytes) => {
      if (messageType(bytes) === PING_TYPE) teller.send(pongFor(decodePing(bytes))!);
      else teller.received.push(bytes);
    };
    teller.sendInit(chainHash);
    for (const bytes of network.messages()) teller.send(bytes);
    await eventually(async () => expect(await listedByLdk()).toHaveLength(CHANNELS));
    connectOption = ['--connect', `${ldk.nodeId}@127.0.0.1:${port}`];
    await start(...connectOption);
  }, 120_000);
  afterAll(async () => {
    teller?.socket.destroy();
    await stop();
    await ldk?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('is learned completely: channels, policies, nodes, routes', { timeout: 120_000 }, async () => {
    await eventually(async () => {
      const { channels } = await ask('listchannels');
      expect(channels).toHaveLength(2 * CHANNELS);
    });
    const { channels } = await ask('listchannels');
    const bySlot = (one: { short_channel_id: string; direction: number }) =>
      `${one.short_channel_id}/${one.direction}`;
    const learned = new Map(channels.map((one: never) => [bySlot(one), one]));
    for (const one of expectedChannels()) expect(learned.get(bySlot(one))).toMatchObject(one);
    await eventually(async () => {
      const { nodes } = await ask('listnodes');
      expect(
        nodes.filter(({ last_timestamp }: { last_timestamp?: number }) => last_timestamp === NOW - 7200),
      ).toHaveLength(100);
    });
    const [source, destination] = [0, 30].map((i) =>
      nodeIdFromBytes(gossip.decodeChannelAnnouncement(network.channels[i]!.announcement).nodeId1),
    );
    const limits = { layers: [], maxfee_msat: 1_000_000, final_cltv: 18 };
    await eventually(async () => {
      const answer = await ask('getroutes', { source, destination, amount_msat: 10_000, ...limits });
      expect(answer).toMatchObject({ routes: [{ amount_msat: 10_000, final_cltv: 18 }] });
    });
  });

  it('is followed: an update passed on by LDK is applied, and still known after a restart', {
    timeout: 120_000,
  }, async () => {
    const [channel] = network.channels;
    const scid = formatShortChannelId(channel!.shortChannelId);
    teller.send(network.update(channel!, { timestamp: NOW, feeBaseMsat: 4242 }));
    const updated = async (): Promise<void> => {
      const listed = await ask('listchannels', { short_channel_id: scid });
      expect(listed.channels).toContainEqual(expect.objectContaining({ base_fee_millisatoshi: 4242 }));
    };
    await eventually(updated);
    await stop();
    await start();
    await updated();
    expect((await ask('listchannels')).channels).toHaveLength(2 * CHANNELS);
  });

  it('a channel announced later arrives too', { timeout: 120_000 }, async () => {
    await stop();
    await start(...connectOption);
    await eventually(async () =>
      expect(await ask('listpeers')).toMatchObject({ peers: [{ connected: true }] }),
    );
    const bigger = new SignedNetwork({ nodes: 100, channels: CHANNELS + 1, chainHash, timestamp: NOW - 60 });
    for (const bytes of bigger.about(bigger.channels.at(-1)!)) teller.send(bytes);
    await eventually(async () => {
      expect((await ask('listchannels')).channels).toHaveLength(2 * CHANNELS + 2);
    });
  });
});
