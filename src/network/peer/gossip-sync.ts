/**
 * Learns the graph from peers (BOLT 7, "Query Messages"). Peers that support gossip queries are asked for new gossip.
 * One such peer at a time is also asked for its list of channels, and then, a bounded number at a time, for the
 * channels that we lack. A peer that stops answering loses its turn to the next peer. When peers query us, we
 * truthfully answer that we have nothing to relay: we store the contents of messages, not the messages themselves.
 */

import { FEATURE, hasFeature } from '../../bolt/peer/features.ts';
import {
  CHANNEL_ANNOUNCEMENT_TYPE,
  CHANNEL_UPDATE_TYPE,
  decodeChannelAnnouncement,
  decodeChannelUpdate,
  decodeNodeAnnouncement,
  NODE_ANNOUNCEMENT_TYPE,
} from '../../bolt/peer/gossip-messages.ts';
import * as queries from '../../bolt/peer/gossip-queries.ts';
import { WireError } from '../../bolt/wire-error.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import { TokenBucket } from '../../model/token-bucket.ts';
import type { GossipGraph } from './gossip-apply.ts';
import type { GossipIntake, GossipOrigin } from './gossip-intake.ts';
import { MAX_RANGE_IDS, MAX_RANGE_REPLIES, QUERIES_PER_SECOND, QUERY_BURST } from './limits.ts';
import type { Throttle } from './throttle.ts';

/** The part of a connection that gossip uses. */
export interface GossipPeer extends GossipOrigin {
  readonly features: Uint8Array;
  send(message: Uint8Array): void;
}

/** Dependencies of the synchronisation, and how much it requests from a peer at a time. */
export interface GossipSyncOptions {
  readonly target: GossipGraph;
  readonly intake: GossipIntake;
  readonly chainHash: Uint8Array;
  /** Maximum wait for the next part of an answer, in milliseconds. */
  readonly queryAnswerMs: number;
  /** Maximum number of ids per query for channels. The peer must answer for all of them before the next query. */
  readonly idsPerQuery: number;
  /** Requested when pruning changes the graph, and cancelled by `close`. */
  readonly changes: Throttle;
}

/** The synchronisation in progress with one peer. */
interface Running {
  readonly peer: GossipPeer;
  /** Ids of the channels that the peer listed and we lack. */
  readonly missing: ShortChannelId[];
  replies: number;
  /** Whether the peer's list is complete. */
  isListed: boolean;
  timer: NodeJS.Timeout | undefined;
}

const ALL_BLOCKS = 0xffff_ffff;
const PRUNE_MS = 3_600_000;
/** Milliseconds between checks whether the latest channels have been verified. */
const CHECKED_PAUSE_MS = 50;

/** Requests the missing parts of the public graph from peers. */
export class GossipSync {
  private readonly options: GossipSyncOptions;
  private readonly answers = new Map<GossipPeer, TokenBucket>();
  private readonly turns: GossipPeer[] = [];
  private running: Running | undefined;
  /**
   * Whether a synchronisation has been completed since the start. Before that, channels that a crash may have left
   * without updates or node announcements are requested too.
   */
  private isRepaired = false;
  private readonly pruning: NodeJS.Timeout;

  constructor(options: GossipSyncOptions) {
    this.options = options;
    this.pruning = setInterval(() => {
      if (options.target.prune() > 0) options.changes.request();
    }, PRUNE_MS);
    this.pruning.unref();
  }

  /**
   * Call this when a peer is connected. If it supports gossip queries, it immediately gets our gossip filter, and, if
   * `intake.hasSay(peer)`, is queried for the rest when its turn comes.
   */
  peerReady(peer: GossipPeer): void {
    this.answers.set(peer, new TokenBucket(QUERY_BURST, QUERIES_PER_SECOND));
    if (!hasFeature(peer.features, FEATURE.gossip_queries)) return;
    const { chainHash, target, intake } = this.options;
    const firstTimestamp = target.unheardSince;
    peer.send(queries.encodeTimestampFilter({ chainHash, firstTimestamp, timestampRange: ALL_BLOCKS }));
    if (!intake.hasSay(peer)) return;
    this.turns.push(peer);
    this.nextTurn();
  }

  peerGone(peer: GossipPeer): void {
    this.answers.delete(peer);
    this.options.intake.forget(peer);
    const turn = this.turns.indexOf(peer);
    if (turn >= 0) this.turns.splice(turn, 1);
    if (this.running?.peer === peer) this.endTurn();
  }

  /** Processes a message. @returns false if it is not gossip @throws WireError when it is malformed */
  message(peer: GossipPeer, type: number, bytes: Uint8Array): boolean {
    if (type === CHANNEL_ANNOUNCEMENT_TYPE) decodeChannelAnnouncement(bytes);
    else if (type === NODE_ANNOUNCEMENT_TYPE) decodeNodeAnnouncement(bytes);
    else if (type === CHANNEL_UPDATE_TYPE) decodeChannelUpdate(bytes);
    else return this.query(peer, type, bytes);
    this.options.intake.push(peer, type, bytes);
    return true;
  }

  async close(): Promise<void> {
    clearInterval(this.pruning);
    clearTimeout(this.running?.timer);
    this.running = undefined;
    this.turns.length = 0;
    this.options.changes.cancel();
    await this.options.intake.close();
  }

  private query(peer: GossipPeer, type: number, bytes: Uint8Array): boolean {
    if (type === queries.REPLY_CHANNEL_RANGE_TYPE) this.onRange(peer, bytes);
    else if (type === queries.REPLY_SHORT_CHANNEL_IDS_END_TYPE) this.onIdsEnd(peer, bytes);
    else if (type === queries.QUERY_CHANNEL_RANGE_TYPE) this.answerRange(peer, bytes);
    else if (type === queries.QUERY_SHORT_CHANNEL_IDS_TYPE) this.answerIds(peer, bytes);
    else if (type === queries.GOSSIP_TIMESTAMP_FILTER_TYPE) queries.decodeTimestampFilter(bytes);
    else return false;
    return true;
  }

  private onRange(peer: GossipPeer, bytes: Uint8Array): void {
    const { running } = this;
    if (running?.peer !== peer || running.isListed) return;
    const reply = queries.decodeChannelRangeReply(bytes);
    const { target } = this.options;
    for (const id of reply.shortChannelIds) {
      if (this.isRepaired ? !target.knowsChannel(id) : !target.isComplete(id)) running.missing.push(id);
    }
    running.replies++;
    if (running.missing.length > MAX_RANGE_IDS || running.replies > MAX_RANGE_REPLIES)
      throw new WireError('tooLong', 'too many channels listed');
    this.await(running);
    // The last reply is the one that reaches the end of the requested range (BOLT 7).
    if (reply.firstBlock + reply.blockCount < ALL_BLOCKS) return;
    running.isListed = true;
    this.askNext(running);
  }

  private onIdsEnd(peer: GossipPeer, bytes: Uint8Array): void {
    queries.decodeChannelIdsEnd(bytes);
    const { running } = this;
    if (running?.peer === peer && running.isListed) this.askNext(running);
  }

  /**
   * Requests the next channels. With a chain source, it first waits until most of the previously requested channels
   * have been verified.
   */
  private askNext(running: Running): void {
    const { chainHash, intake, idsPerQuery } = this.options;
    if (intake.unchecked > idsPerQuery / 5) {
      clearTimeout(running.timer);
      running.timer = setTimeout(() => this.askNext(running), CHECKED_PAUSE_MS);
      return;
    }
    const shortChannelIds = running.missing.splice(-idsPerQuery).sort((a, b) => (a < b ? -1 : 1));
    if (shortChannelIds.length === 0) {
      this.isRepaired = true;
      this.endTurn();
      return;
    }
    this.await(running);
    running.peer.send(queries.encodeChannelIdsQuery({ chainHash, shortChannelIds }));
  }

  private nextTurn(): void {
    if (this.running !== undefined) return;
    const peer = this.turns.shift();
    if (peer === undefined) return;
    this.running = { peer, missing: [], replies: 0, isListed: false, timer: undefined };
    this.await(this.running);
    const { chainHash } = this.options;
    peer.send(queries.encodeChannelRangeQuery({ chainHash, firstBlock: 0, blockCount: ALL_BLOCKS }));
  }

  private await(running: Running): void {
    clearTimeout(running.timer);
    running.timer = setTimeout(() => this.endTurn(), this.options.queryAnswerMs);
  }

  private endTurn(): void {
    clearTimeout(this.running?.timer);
    this.running = undefined;
    this.nextTurn();
  }

  private answerRange(peer: GossipPeer, bytes: Uint8Array): void {
    const { chainHash, firstBlock, blockCount } = queries.decodeChannelRangeQuery(bytes);
    if (!this.mayAnswer(peer)) return;
    const range = { chainHash, firstBlock, blockCount };
    peer.send(queries.encodeChannelRangeReply({ ...range, syncComplete: false, shortChannelIds: [] }));
  }

  private answerIds(peer: GossipPeer, bytes: Uint8Array): void {
    const { chainHash } = queries.decodeChannelIdsQuery(bytes);
    if (!this.mayAnswer(peer)) return;
    peer.send(queries.encodeChannelIdsEnd({ chainHash, fullInformation: false }));
  }

  private mayAnswer(peer: GossipPeer): boolean {
    return this.answers.get(peer)?.take() === true;
  }
}
