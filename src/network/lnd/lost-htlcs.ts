/**
 * HTLCs that never left although LND believes them to be in flight.
 *
 * LND stores an attempt, hands it to the link of its first channel, and the link commits it some 50 ms later. If LND is
 * killed in between, the attempt stays `IN_FLIGHT` in its database forever, because no link has it any more and the
 * payment is never notified. (Seen with LND 0.20.3 and 0.21.)
 *
 * The HTLC's absence from all channels is no proof: a list of channels shows only our commitment, and until the peer
 * has answered, the HTLC may be only on the peer's commitment. The proof is a later HTLC on the same channel that the
 * peer has answered. Links process HTLCs in order, and a peer commits them in order (BOLT 2). So the earlier HTLC would
 * have been on our commitment by then. It would still be there, or LND would know how it ended.
 *
 * We send the later HTLC for this purpose: the smallest amount, to the peer itself, with a random hash. The peer
 * refuses this HTLC, so it costs nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { toHex } from '../../bolt/bytes.ts';
import { randomBytes } from '../../model/random-bytes.ts';
import { formatShortChannelId, type ShortChannelId } from '../../model/short-channel-id.ts';
import type { Log } from '../../rpc/log.ts';
import type { HtlcKey } from '../port.ts';
import type { HtlcAttempt } from './answers.ts';
import type { LndChannelWatch } from './channel-watch.ts';
import type { LndConnection, LndLink } from './node-link.ts';
import type { LndTiming } from './timing.ts';

/** Number of blocks until the HTLC expires, counted when it reaches the peer. LND accepts no fewer than 18. */
const DELAY_BLOCKS = 40;
/** Maximum number of HTLCs that are offered to prove one loss. */
const MAX_FENCES = 3;
/** Smallest amount to try, in msat. */
const MIN_MSAT = 1_000n;

/** The parts of the adapter that `LostHtlcs` needs. */
export interface LostHtlcsOptions {
  readonly link: LndLink;
  readonly channels: LndChannelWatch;
  readonly height: () => number;
  readonly timing: LndTiming;
  readonly log: Log;
}

/** Determines whether an HTLC that LND believes to be in flight is on a channel. */
export class LostHtlcs {
  readonly #options: LostHtlcsOptions;
  /**
   * For each channel, whether the peer answers the HTLC that we sent as proof, and the connection that we sent it over.
   */
  readonly #fences = new Map<ShortChannelId, { connection: LndConnection; answered: Promise<boolean> }>();

  constructor(options: LostHtlcsOptions) {
    this.#options = options;
  }

  /**
   * True when the HTLC is certainly on no channel and never will be. It may then also have ended normally during this
   * call, so check afterwards whether LND has reported an outcome. False when the HTLC is on a channel, or when nothing
   * is proven yet.
   * @param connection the connection to the current node process. The HTLC must have been sent before this connection
   *   opened, or its call must have ended.
   * @throws LndError; FulguriteError nodeAway
   */
  async isLost({ paymentHash, path = [] }: HtlcKey, connection: LndConnection): Promise<boolean> {
    const { channels, timing } = this.#options;
    const hash = toHex(paymentHash);
    const channel = path[0]?.shortChannelId;
    if (channel === undefined) return false;
    await channels.lookedAgain();
    if (channels.pendingHashes.has(hash)) return false;
    await connection.fence();
    if (!(await this.#isFenced(channel, connection))) return false;
    await channels.lookedAgain();
    // During this pause, LND stores the outcomes of HTLCs that were removed from the channel a moment ago.
    await sleep(timing.fenceMs);
    return connection.isOpen && !channels.pendingHashes.has(hash);
  }

  /**
   * Whether the peer of a channel answered a later HTLC. Tries a few times, because a channel may temporarily refuse an
   * HTLC.
   */
  async #isFenced(channel: ShortChannelId, connection: LndConnection): Promise<boolean> {
    const { channels, timing } = this.#options;
    for (let left = MAX_FENCES; ; ) {
      if (await this.#fence(channel, connection)) return true;
      if (--left === 0 || !connection.isOpen) return false;
      await sleep(timing.firstDoubtMs);
      await channels.lookedAgain();
    }
  }

  /**
   * Whether the peer of a channel answers a later HTLC. Offers it, unless one was already offered under this
   * connection.
   */
  #fence(channel: ShortChannelId, connection: LndConnection): Promise<boolean> {
    const known = this.#fences.get(channel);
    if (known?.connection === connection) return known.answered;
    const answered = this.#offer(channel);
    this.#fences.set(channel, { connection, answered });
    const forget = (): void => {
      if (this.#fences.get(channel)?.answered === answered) this.#fences.delete(channel);
    };
    answered.then((isAnswered) => {
      if (!isAnswered) forget();
    }, forget);
    return answered;
  }

  async #offer(channel: ShortChannelId): Promise<boolean> {
    const { link, channels, height, timing, log } = this.#options;
    const unproven = (why: string): false => {
      log.info(
        `cannot prove that channel ${formatShortChannelId(channel)} lost an HTLC: it did not accept another HTLC (${why})`,
      );
      return false;
    };
    const own = channels.report.channels.find(({ shortChannelId }) => shortChannelId === channel);
    if (own === undefined || !own.usable) return unproven('it cannot be used');
    const minimum = own.localPolicy?.htlcMinimumMsat ?? 0n;
    const amount = String(minimum > MIN_MSAT ? minimum : MIN_MSAT);
    const expiry = height() + DELAY_BLOCKS;
    const hop = { chan_id: String(channel), pub_key: own.peerId, amt_to_forward_msat: amount, expiry };
    const request = {
      payment_hash: randomBytes(32),
      route: { total_time_lock: expiry, total_amt_msat: amount, hops: [hop] },
    };
    const { failure } = await link.call<HtlcAttempt>('SendToRouteV2', request, timing.callMs);
    if (failure !== null && failure.failure_source_index > 0) return true;
    return unproven(`failure ${failure?.code} of our own node`);
  }
}
