/**
 * Waits while the peers of our channels are briefly away: a peer restarts, or a node reconnects when a splice locks in.
 * A payment that finds no route during that time would find one a few seconds later.
 *
 *     no channel usable, and one was until a moment ago     wait for a report with a usable channel
 *     our channel refused an attempt with "peer away"       the same, or pause briefly if the channel is
 *                                                           still reported as usable
 */
import type { Clock } from '../../model/clock.ts';
import type { NetworkPort, OwnChannelReport } from '../../network/port.ts';
import type { ExpectedReturn } from './expected-return.ts';
import type { Pauses } from './pauses.ts';

/** Maximum time in milliseconds for which a payment waits for peers to return. */
export const RETURN_MS = 30_000;
/**
 * First pause, in milliseconds, before another search if the channel that refused is reported as usable. Each later
 * pause is twice as long.
 */
const FIRST_PAUSE_MS = 500;

/** Tracks since when none of our channels has been usable. */
export class ChannelPresence {
  readonly #clock: Clock;
  #wasUsable = false;
  #lostAtMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a report of our channels. */
  reported({ channels }: OwnChannelReport): void {
    const isUsable = channels.some(({ usable }) => usable);
    if (isUsable) this.#lostAtMs = undefined;
    else if (this.#wasUsable) this.#lostAtMs = this.#clock.monotonicMs();
    this.#wasUsable = isUsable;
  }

  /**
   * Time, in milliseconds of the monotonic clock, at which the last usable channel was lost. Undefined if a channel is
   * usable, or none has ever been.
   */
  get lostAtMs(): number | undefined {
    return this.#lostAtMs;
  }
}

/** Waits, on behalf of one payment, for lost channels: until at most `RETURN_MS` after the first loss. */
export class ChannelReturn implements ExpectedReturn {
  readonly endsLessons = true;
  readonly #network: Pick<NetworkPort, 'refreshed'>;
  readonly #presence: ChannelPresence;
  readonly #clock: Clock;
  readonly #pauses: Pauses;
  #untilMs: number | undefined;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(
    network: Pick<NetworkPort, 'refreshed'>,
    presence: ChannelPresence,
    clock: Clock,
    pauses: Pauses,
  ) {
    this.#network = network;
    this.#presence = presence;
    this.#clock = clock;
    this.#pauses = pauses;
  }

  /**
   * Whether a payment without a route should wait.
   * @param refusedAtMs time, on the monotonic clock, at which one of our channels refused the payment's latest attempt
   *   because the peer was away; undefined if none did
   */
  isWorthwhile(refusedAtMs: number | undefined): boolean {
    const lostAtMs = this.#presence.lostAtMs ?? refusedAtMs;
    if (lostAtMs === undefined) return false;
    this.#untilMs ??= lostAtMs + RETURN_MS;
    return this.#clock.monotonicMs() < this.#untilMs;
  }

  /**
   * Resolves once a channel is usable, the time is over, or the pauses are ended. If a channel is already reported as
   * usable, pauses first.
   * @param waitMs maximum wait in milliseconds
   */
  async wait(waitMs: number): Promise<void> {
    const endsAtMs = Math.min(this.#untilMs ?? 0, this.#clock.monotonicMs() + waitMs);
    if (this.#presence.lostAtMs === undefined) {
      const leftMs = Math.max(0, endsAtMs - this.#clock.monotonicMs());
      await this.#pauses.wait(Math.min(this.#pauseMs, leftMs));
      this.#pauseMs *= 2;
    }
    await this.#network.refreshed?.();
    await this.#pauses.until(() => this.#presence.lostAtMs === undefined, endsAtMs);
  }
}
