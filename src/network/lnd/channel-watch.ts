/**
 * Watches our channels on an LND node. The node reports changes of a channel (`SubscribeChannelEvents`; since LND 0.21
 * also after every balance change) and of a peer. LND's own payments and forwards are noticed before the next search at
 * the latest (`refreshed`).
 */
import { toHex } from '../../bolt/bytes.ts';
import { parseNodeId } from '../../model/node-id.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { Log } from '../../rpc/log.ts';
import { ChannelWatch, type Listing } from '../channel-watch.ts';
import { nodeAway } from '../kept-link.ts';
import type { OwnChannelRecord, Peer } from '../port.ts';
import type { Channel, PeerRow } from './answers.ts';
import { keepStream } from './client/kept-stream.ts';
import { ChannelPoliciesBook } from './graph/channel-policies.ts';
import { featureBytes } from './graph/feature-bytes.ts';
import { isNodeTrouble, type LndConnection, type LndLink } from './node-link.ts';
import { ownChannelsOf, shownChannelsOf } from './own-channels.ts';
import type { LndTiming } from './timing.ts';

const EVENTS = ['SubscribeChannelEvents', 'SubscribePeerEvents'] as const;

/** Dependencies of the watch. */
export interface LndChannelWatchOptions {
  readonly link: LndLink;
  readonly timing: LndTiming;
  readonly log: Log;
}

/** Watches our channels on an LND node. */
export class LndChannelWatch extends ChannelWatch<LndConnection> {
  readonly #options: LndChannelWatchOptions;
  readonly #policies: ChannelPoliciesBook;
  #pending: ReadonlySet<string> = new Set();
  /**
   * Failed HTLCs that the node may still list, by channel and hash, each with the number of listings started before it
   * failed. Only a later listing can show that the HTLC is gone.
   */
  readonly #returning = new Map<string, number>();

  constructor(options: LndChannelWatchOptions) {
    super(options.link, options.timing);
    this.#options = options;
    this.#policies = new ChannelPoliciesBook(options.link);
    this.start();
  }

  /** Hashes (hex) of the HTLCs offered by us, in the latest report. */
  get pendingHashes(): ReadonlySet<string> {
    return this.#pending;
  }

  /**
   * Records that one of our HTLCs has failed. LND reports the failure before it returns the amount to the channel's
   * balance, so the next search waits until no channel lists the HTLC, for a bounded time.
   */
  returning(shortChannelId: ShortChannelId, hash: string): void {
    const key = htlcKeyOf(shortChannelId, hash);
    this.#returning.set(key, this.begun);
    setTimeout(() => this.#returning.delete(key), this.#options.timing.returnMs).unref();
    this.look();
  }

  /** Called when the node's graph reports a new policy for a channel. Lists the channels again if it is one of ours. */
  policyChanged(shortChannelId: ShortChannelId): void {
    if (this.#policies.outdated(shortChannelId)) this.look();
  }

  /**
   * Resolves after a listing that started after this call. @throws FulguriteError nodeAway when the node could not list
   * the channels
   */
  async lookedAgain(): Promise<void> {
    if ((await this.lookAgain()) === undefined) throw nodeAway('LND did not list its channels');
  }

  /** Lists the channels, with all the details for `listpeerchannels`. @throws FulguriteError nodeAway; LndError */
  async shown(): Promise<OwnChannelRecord[]> {
    const { channels } = await this.#options.link.call<{ channels: Channel[] }>('ListChannels', {});
    return shownChannelsOf(channels, (one) => this.#policies.of(one));
  }

  protected override get isFresh(): boolean {
    return super.isFresh && this.#returning.size === 0;
  }

  protected lacksPeers(expected: ReadonlySet<string>): boolean {
    const { channels } = this.report;
    const there = new Set<string>(channels.flatMap(({ usable, peerId }) => (usable ? [peerId] : [])));
    if ([...expected].some((peer) => !there.has(peer))) return true;
    return there.size === 0 && channels.length > 0;
  }

  protected follow(connection: LndConnection): void {
    const { link, log } = this.#options;
    const look = (): void => this.look();
    for (const method of EVENTS) {
      keepStream(link, connection, method, {
        onMessage: look,
        onEnd: ({ message }) => log.debug(`${method} ended: ${message}`),
        onGap: look,
        onRefused: ({ message }) => log.unusual(`no events of ${method}: ${message}`),
      });
    }
  }

  protected async list(revision: number): Promise<Listing> {
    const { link } = this.#options;
    const [{ channels: rows }, { peers }] = await Promise.all([
      link.call<{ channels: Channel[] }>('ListChannels', {}),
      link.call<{ peers: PeerRow[] }>('ListPeers', {}),
    ]);
    await this.#policies.learn(rows.map(({ chan_id }) => BigInt(chan_id) as ShortChannelId));
    const offered = rows.flatMap((row) => row.pending_htlcs.filter(({ incoming }) => !incoming));
    this.#pending = new Set(offered.map(({ hash_lock }) => toHex(hash_lock)));
    if (this.#returning.size > 0) this.#forgetReturned(revision, rows);
    return { channels: ownChannelsOf(rows, (one) => this.#policies.of(one)), peers: peersOf(peers) };
  }

  protected notListed(error: unknown): void {
    if (!isNodeTrouble(error)) throw error;
    this.#options.log.debug(`cannot list the channels: ${error.message}`);
  }

  /** Forgets the failed HTLCs that are on no channel in this listing, if the listing started after they failed. */
  #forgetReturned(revision: number, rows: readonly Channel[]): void {
    const there = new Set(
      rows.flatMap(({ chan_id, pending_htlcs }) =>
        pending_htlcs.map(({ hash_lock }) => htlcKeyOf(BigInt(chan_id), toHex(hash_lock))),
      ),
    );
    for (const [key, begun] of this.#returning) {
      if (revision > begun && !there.has(key)) this.#returning.delete(key);
    }
  }
}

function peersOf(rows: readonly PeerRow[]): Peer[] {
  return rows.flatMap(({ pub_key, address, inbound, features }) => {
    const nodeId = parseNodeId(pub_key);
    if (nodeId === undefined) return [];
    const direction = inbound ? 'in' : 'out';
    return [{ nodeId, features: featureBytes(features), connected: true, address, direction }];
  });
}

const htlcKeyOf = (shortChannelId: bigint, hash: string): string => `${shortChannelId}/${hash}`;
