/**
 * Rates probes by how much they are expected to teach: how much uncertainty they remove about channels that payments
 * use.
 *
 * A probe along hops 1 … n stops at the first hop that fails, so hop i is reached with probability r_i = c_1 · … ·
 * c_(i−1), where c is the probability that a hop carries the amount. The value of the hop's answer is its entropy
 *
 *     h(c) = −c · ln c − (1 − c) · ln(1 − c)      nats, at most ln 2, for c = ½
 *
 * weighted by the probability that a payment will cross the channel. The first such payment teaches the same as the
 * probe, so a probe prevents at most one surprise, however much the channel is used. If about n crossings are expected,
 * this probability is 1 − e^(−n). n is the number of times that recent attempts crossed the channel, plus one, because
 * payments will also use channels that none has crossed yet.
 *
 *     lesson = Σ r_i · h(c_i) · (1 − e^(−n_i))
 *
 * The lesson is not divided by the amount, because a probe of few satoshis would teach the most per satoshi, but
 * nothing about larger payments.
 */

/** Number of payment attempts remembered. */
const REMEMBERED = 500;
/** Crossings that are expected of a channel besides those of the remembered attempts. */
const FIRST_CROSSINGS = 1;

/** One hop of a probe: its channel, and the probability that it carries the amount. */
export interface ProbedHop {
  readonly channel: bigint;
  readonly chance: number;
}

/** How often recent payments crossed each channel. */
export class ChannelUse {
  readonly #attempts: (readonly bigint[])[] = [];
  readonly #times = new Map<bigint, number>();

  /** Records an attempt of a payment. @param channels the channels that it crosses, without our own */
  note(channels: readonly bigint[]): void {
    this.#attempts.push(channels);
    for (const channel of channels) this.#times.set(channel, (this.#times.get(channel) ?? 0) + 1);
    if (this.#attempts.length <= REMEMBERED) return;
    for (const channel of this.#attempts.shift()!) {
      const left = this.#times.get(channel)! - 1;
      if (left === 0) this.#times.delete(channel);
      else this.#times.set(channel, left);
    }
  }

  /** The average number of times that a recent attempt crossed the channel. */
  of(channel: bigint): number {
    return (this.#times.get(channel) ?? 0) / Math.max(1, this.#attempts.length);
  }

  /** The probability that a payment will cross the channel before as many attempts as are remembered have passed. */
  probability(channel: bigint): number {
    return 1 - Math.exp(-(REMEMBERED * this.of(channel) + FIRST_CROSSINGS));
  }
}

/** What a probe over these hops is expected to teach about channels that payments will cross, in nats. */
export function expectedLesson(hops: readonly ProbedHop[], use: ChannelUse): number {
  let reached = 1;
  let lesson = 0;
  for (const { channel, chance } of hops) {
    lesson += reached * entropy(chance) * use.probability(channel);
    reached *= chance;
  }
  return lesson;
}

function entropy(chance: number): number {
  const other = 1 - chance;
  return chance <= 0 || other <= 0 ? 0 : -chance * Math.log(chance) - other * Math.log(other);
}
