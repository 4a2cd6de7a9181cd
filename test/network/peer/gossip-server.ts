/**
 * A node driven by a test. It knows a network, and answers gossip queries as BOLT 7 requires, over real connections.
 */

import type { Server } from 'node:net';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { randomSecretKey } from '../../../src/bolt/crypto/noise.ts';
import * as queries from '../../../src/bolt/peer/gossip-queries.ts';
import { messageType } from '../../../src/bolt/peer/peer-messages.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import type { SignedNetwork } from './signed-gossip.ts';
import { WirePeer } from './wire-peer.ts';

/** Number of blocks covered by one reply to a range query. */
const BLOCKS_PER_REPLY = 500;
const ALL_BLOCKS = 0xffff_ffff;

export class GossipServer {
  readonly nodeId: NodeId;
  readonly port: number;
  readonly peers: WirePeer[] = [];
  /** Types of the filters and queries received, in order. */
  readonly asked: number[] = [];
  readonly filters: queries.TimestampFilter[] = [];
  private readonly server: Server;
  private readonly network: SignedNetwork;
  private readonly chainHash: Uint8Array;

  private constructor(
    listening: { server: Server; port: number },
    nodeId: NodeId,
    network: SignedNetwork,
    chainHash: Uint8Array,
  ) {
    this.server = listening.server;
    this.port = listening.port;
    this.nodeId = nodeId;
    this.network = network;
    this.chainHash = chainHash;
  }

  static async start(network: SignedNetwork, chainHash: Uint8Array): Promise<GossipServer> {
    const secretKey = randomSecretKey();
    const accepted = (peer: WirePeer): void => void made.accept(peer);
    const listening = await WirePeer.listen(secretKey, accepted);
    const made = new GossipServer(listening, nodeIdFromBytes(curve.publicKey(secretKey)), network, chainHash);
    return made;
  }

  /** Sends a message to every peer. */
  tell(bytes: Uint8Array): void {
    for (const peer of this.peers) if (!peer.socket.destroyed) peer.send(bytes);
  }

  stop(): void {
    this.server.close();
    for (const { socket } of this.peers) socket.destroy();
  }

  private async accept(peer: WirePeer): Promise<void> {
    this.peers.push(peer);
    peer.onMessage = (bytes) => this.answer(peer, bytes);
    await peer.opened;
    peer.sendInit(this.chainHash);
  }

  private answer(peer: WirePeer, bytes: Uint8Array): void {
    const type = messageType(bytes);
    if (type > 256) this.asked.push(type);
    if (type === queries.GOSSIP_TIMESTAMP_FILTER_TYPE)
      this.filters.push(queries.decodeTimestampFilter(bytes));
    else if (type === queries.QUERY_CHANNEL_RANGE_TYPE) this.answerRange(peer);
    else if (type === queries.QUERY_SHORT_CHANNEL_IDS_TYPE) this.answerIds(peer, bytes);
  }

  private answerRange(peer: WirePeer): void {
    const ids = this.network.channels.map(({ shortChannelId }) => shortChannelId);
    const last = Number((ids.at(-1) ?? 0n) >> 40n);
    for (let firstBlock = 0; ; firstBlock += BLOCKS_PER_REPLY) {
      const isLast = firstBlock + BLOCKS_PER_REPLY > last;
      const blockCount = isLast ? ALL_BLOCKS - firstBlock : BLOCKS_PER_REPLY;
      const shortChannelIds = ids.filter((id) => {
        const block = Number(id >> 40n);
        return block >= firstBlock && block < firstBlock + blockCount;
      });
      const range = { chainHash: this.chainHash, firstBlock, blockCount, syncComplete: true };
      peer.send(queries.encodeChannelRangeReply({ ...range, shortChannelIds }));
      if (isLast) return;
    }
  }

  private answerIds(peer: WirePeer, bytes: Uint8Array): void {
    const asked = new Set(queries.decodeChannelIdsQuery(bytes).shortChannelIds);
    const channels = this.network.channels.filter(({ shortChannelId }) => asked.has(shortChannelId));
    for (const channel of channels) for (const said of this.network.about(channel)) peer.send(said);
    for (const key of new Set(channels.flatMap(({ keys }) => keys))) peer.send(this.network.node(key));
    const { chainHash } = this;
    peer.send(queries.encodeChannelIdsEnd({ chainHash, fullInformation: true }));
  }
}
