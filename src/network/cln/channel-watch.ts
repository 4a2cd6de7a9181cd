/**
 * Watches our channels on a Core Lightning node. The node reports changes of an HTLC (`wait htlcs`), of a connection
 * (`wait networkevents`), and blocks. Changes without an event, such as the peer's policy, a fee rate, or a channel
 * that becomes usable between two blocks, are noticed at the next poll (`NodeTiming.pollMs`), or before a route search
 * (`refreshed`).
 */
import { FulguriteError } from '../../model/errors.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { Log } from '../../rpc/log.ts';
import { ChannelWatch, type Listing } from '../channel-watch.ts';
import { NodeError } from './answer.ts';
import type { NodeConnection, NodeLink } from './node-link.ts';
import { absentPeersOf, CHANNEL_FILTER, ownChannelsOf, splicedOf } from './own-channels.ts';
import { peersOf } from './peers.ts';
import type { ClnTiming } from './timing.ts';

/** Subsystems and indexes of `wait` that report changes. Older nodes have only some of them. */
const EVENTS = [
  ['htlcs', 'created'],
  ['htlcs', 'updated'],
  ['networkevents', 'created'],
] as const;

/** Dependencies of the watch. */
export interface ClnChannelWatchOptions {
  readonly link: NodeLink;
  readonly timing: ClnTiming;
  readonly log: Log;
  /**
   * Whether gossip shows that a channel's funding is spent. Such a channel is not used, unless the node reports a
   * splice in progress. While the node still lists such a channel, channels are listed often, because a splice gives
   * the channel a new id without an event.
   */
  readonly isDying: (shortChannelId: ShortChannelId) => boolean;
}

/** Watches our channels on a Core Lightning node. */
export class ClnChannelWatch extends ChannelWatch<NodeConnection> {
  readonly #options: ClnChannelWatchOptions;
  #soon: NodeJS.Timeout | undefined;
  /** Peers with a channel in normal operation that were not connected in the last listing. */
  #absent: ReadonlySet<string> = new Set();
  readonly #skipped = new Set<string>();

  constructor(options: ClnChannelWatchOptions) {
    super(options.link, options.timing);
    this.#options = options;
    this.start();
  }

  override close(): void {
    super.close();
    clearTimeout(this.#soon);
  }

  protected lacksPeers(expected: ReadonlySet<string>): boolean {
    if ([...expected].some((peer) => this.#absent.has(peer))) return true;
    return this.#absent.size > 0 && !this.report.channels.some(({ usable }) => usable);
  }

  protected follow(connection: NodeConnection): void {
    for (const [subsystem, indexname] of EVENTS) void this.#awaitEvents(connection, subsystem, indexname);
  }

  /** Lists the channels after each event of one kind, until the connection ends. */
  async #awaitEvents({ socket }: NodeConnection, subsystem: string, indexname: string): Promise<void> {
    let nextvalue = 0n;
    try {
      while (socket.isOpen && !this.isClosed) {
        const event = await socket.call('wait', { subsystem, indexname, nextvalue });
        if (nextvalue > 0n) this.look();
        nextvalue = event.requireWhole(indexname) + 1n;
      }
    } catch (error) {
      if (error instanceof NodeError) this.#options.log.info(`no events of ${subsystem}: ${error.message}`);
      else if (!(error instanceof FulguriteError)) throw error;
    }
  }

  protected async list(): Promise<Listing> {
    const { link } = this.#options;
    const [channels, peers] = await Promise.all([
      link.call('listpeerchannels', {}, { filter: CHANNEL_FILTER }),
      link.call('listpeers'),
    ]);
    this.#absent = absentPeersOf(channels);
    const ours = ownChannelsOf(channels, (why) => this.#skip(why));
    return { channels: this.#withoutDying(ours, splicedOf(channels)), peers: peersOf(peers) };
  }

  protected notListed(error: unknown): void {
    if (!(error instanceof FulguriteError || error instanceof NodeError)) throw error;
  }

  #withoutDying(
    channels: readonly OwnChannel[],
    spliced: ReadonlySet<ShortChannelId | undefined>,
  ): readonly OwnChannel[] {
    const { timing, isDying } = this.#options;
    clearTimeout(this.#soon);
    const isSpent = ({ shortChannelId }: OwnChannel): boolean =>
      shortChannelId !== undefined && isDying(shortChannelId);
    if (!channels.some(isSpent)) return channels;
    this.#soon = setTimeout(() => this.look(), timing.troubledMs).unref();
    const isGone = (channel: OwnChannel): boolean => isSpent(channel) && !spliced.has(channel.shortChannelId);
    return channels.map((channel) => (isGone(channel) ? { ...channel, usable: false } : channel));
  }

  #skip(why: string): void {
    if (this.#skipped.has(why)) return;
    this.#skipped.add(why);
    this.#options.log.unusual(why);
  }
}
