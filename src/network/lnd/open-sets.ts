/**
 * Ends sets of parts that LND would otherwise believe to be in flight forever.
 *
 * If a payment has several parts, we send each part with `skip_temp_err`, so that its failure does not end the others.
 * LND then leaves the payment open after all parts have failed: it stays `IN_FLIGHT` until LND restarts, and a later
 * payment with the same hash by `lncli` is refused ("payment is in transition"). LND has no call that ends the payment,
 * but the payment ends when another part fails without `skip_temp_err`. We send such a part over a nonexistent channel,
 * so it fails inside LND, and no peer ever sees it.
 *
 *     parts in flight ──all failed──▶ waiting ──a while without another part──▶ closing ──▶ closed
 *                 ▲                      │                                          │
 *                 └──────────────────────┴────────── another part ◀── waits until closed
 *
 * A part that follows later starts the payment again, which LND allows once the payment has failed.
 */
import { toHex } from '../../bolt/bytes.ts';
import type { Log } from '../../rpc/log.ts';
import type { HtlcKey, HtlcOutcome, OutgoingHtlc } from '../port.ts';
import type { HtlcAttempt } from './answers.ts';
import type { LndLink } from './node-link.ts';
import type { LndTiming } from './timing.ts';

/** The id of a nonexistent channel: its block is the genesis block. */
const NO_CHANNEL = '1';
const MIN_MSAT = '1';

/** The parts of the adapter that `OpenSets` needs. */
export interface OpenSetsOptions {
  readonly link: LndLink;
  readonly timing: LndTiming;
  readonly log: Log;
}

interface OpenSet {
  /** Our attempts with an unknown outcome. */
  readonly inFlight: Set<string>;
  /** One of the set's parts. The part that ends the payment copies the common fields from it. */
  readonly part: OutgoingHtlc;
  isPaid: boolean;
  timer: NodeJS.Timeout | undefined;
  closing: Promise<void> | undefined;
}

/** Ends the payments of sets whose parts have all failed, unless another part follows soon. */
export class OpenSets {
  readonly #options: OpenSetsOptions;
  readonly #sets = new Map<string, OpenSet>();

  constructor(options: OpenSetsOptions) {
    this.#options = options;
  }

  /** Records a part before it is sent. Resolves once it may be sent. */
  async begin(htlc: OutgoingHtlc): Promise<void> {
    const hash = toHex(htlc.paymentHash);
    await this.#sets.get(hash)?.closing;
    const set = this.#sets.get(hash);
    clearTimeout(set?.timer);
    if (set !== undefined) set.inFlight.add(htlc.attemptId);
    else {
      this.#sets.set(hash, {
        ...{ inFlight: new Set([htlc.attemptId]), part: htlc },
        ...{ isPaid: false, timer: undefined, closing: undefined },
      });
    }
  }

  /** Records how a part ended. When all parts of its set have failed, the set is closed after a while. */
  end({ attemptId, paymentHash }: HtlcKey, outcome: HtlcOutcome): void {
    const hash = toHex(paymentHash);
    const set = this.#sets.get(hash);
    if (set === undefined || !set.inFlight.delete(attemptId)) return;
    set.isPaid ||= outcome.status === 'settled';
    if (set.inFlight.size > 0) return;
    if (set.isPaid) this.#sets.delete(hash);
    else set.timer = setTimeout(() => this.#close(hash, set), this.#options.timing.openSetMs).unref();
  }

  /** Closes waiting sets immediately. Resolves when they are closed, or after a short time. */
  async flush(): Promise<void> {
    const waiting = [...this.#sets].filter(([, { inFlight }]) => inFlight.size === 0);
    for (const [hash, set] of waiting) this.#close(hash, set);
    await Promise.all(waiting.map(([, { closing }]) => closing));
    for (const { timer } of this.#sets.values()) clearTimeout(timer);
    this.#sets.clear();
  }

  #close(hash: string, set: OpenSet): void {
    clearTimeout(set.timer);
    set.closing ??= this.#fail(set).finally(() => this.#sets.delete(hash));
  }

  async #fail({ part }: OpenSet): Promise<void> {
    const { link, timing, log } = this.#options;
    const { paymentHash, path, finalPayload } = part;
    const first = path[0]!;
    const { paymentData } = finalPayload;
    if (paymentData === undefined) return;
    const hop = {
      ...{ chan_id: NO_CHANNEL, pub_key: first.nodeId, amt_to_forward_msat: MIN_MSAT },
      expiry: first.cltvExpiry,
      mpp_record: {
        payment_addr: paymentData.paymentSecret,
        total_amt_msat: String(paymentData.totalMsat),
      },
    };
    const route = { total_time_lock: first.cltvExpiry, total_amt_msat: MIN_MSAT, hops: [hop] };
    try {
      await link.call<HtlcAttempt>(
        'SendToRouteV2',
        { payment_hash: paymentHash, route },
        Math.min(timing.callMs, MAX_CLOSE_MS),
      );
    } catch (error) {
      // LND ends the payment at its next start. If the payment has already failed or settled, LND refuses the part,
      // which is fine too.
      log.debug(`${toHex(paymentHash)} stays open in LND: ${(error as Error).message}`);
    }
  }
}

/**
 * Maximum time, in milliseconds, that another part waits while its set is closed. LND answers immediately, because the
 * closing part never leaves LND.
 */
const MAX_CLOSE_MS = 2_000;
