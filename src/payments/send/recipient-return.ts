/**
 * Waits while the peers of a recipient are briefly away. If a recipient restarts, its peers disable their channels to it
 * in gossip, and enable them again as soon as it is back. A payment that finds no route in between would find one a few
 * seconds later.
 *
 *     too few enabled channels to the recipient, and one was disabled recently      wait for an update that enables it
 *     all were disabled long ago                                                    the recipient is probably offline
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { Clock } from '../../model/clock.ts';
import type { ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { NoPlan } from '../plan/no-plan.ts';
import { RETURN_MS } from './channel-return.ts';
import type { ExpectedReturn } from './expected-return.ts';
import type { Pauses } from './pauses.ts';

/** A channel that was disabled longer ago is not expected to return soon. In seconds. */
export const RECENTLY_S = 300;
/** Pause between an update in the graph and the next search, in milliseconds, because searches get the graph later. */
const PUBLISHED_MS = 1_000;

/** Waits, on behalf of one payment, for channels to its recipient: at most `RETURN_MS` after the first failed search. */
export class RecipientReturn implements ExpectedReturn {
  readonly endsLessons = true;
  readonly #graph: () => ChannelGraph;
  readonly #clock: Clock;
  readonly #pauses: Pauses;
  #awaited: readonly ShortChannelIdDir[] = [];
  #untilMs: number | undefined;

  constructor(graph: () => ChannelGraph, clock: Clock, pauses: Pauses) {
    this.#graph = graph;
    this.#clock = clock;
    this.#pauses = pauses;
  }

  /** Whether a payment that found no route, for this reason, should wait. */
  isWorthwhile(noPlan: NoPlan): boolean {
    const nowS = this.#clock.nowMs() / 1000;
    this.#awaited = disabledChannels(noPlan).filter((of) => {
      const policy = this.#policyOf(of);
      return policy !== undefined && !policy.enabled && nowS - policy.timestamp < RECENTLY_S;
    });
    if (this.#awaited.length === 0) return false;
    this.#untilMs ??= this.#clock.monotonicMs() + RETURN_MS;
    return this.#clock.monotonicMs() < this.#untilMs;
  }

  /**
   * Resolves once one of the channels is enabled, the time is over, or the pauses are ended.
   * @param waitMs maximum wait in milliseconds
   */
  async wait(waitMs: number): Promise<void> {
    const endsAtMs = Math.min(this.#untilMs ?? 0, this.#clock.monotonicMs() + waitMs);
    await this.#pauses.until(() => this.#isBack(), endsAtMs);
    const leftMs = Math.max(0, endsAtMs - this.#clock.monotonicMs());
    await this.#pauses.wait(Math.min(PUBLISHED_MS, leftMs));
  }

  #isBack(): boolean {
    return this.#awaited.some((of) => this.#policyOf(of)?.enabled === true);
  }

  #policyOf({ shortChannelId, direction }: ShortChannelIdDir) {
    const graph = this.#graph();
    const channel = graph.channelIndex(shortChannelId);
    return channel < 0 ? undefined : graph.policy(2 * channel + direction);
  }
}

/** All channels to the recipient, if the disabled ones among them are why there is no route. */
function disabledChannels(noPlan: NoPlan): readonly ShortChannelIdDir[] {
  if (noPlan.kind !== 'noRoute') return [];
  const { binding } = noPlan.noRoute;
  return binding.kind === 'endCapacity' &&
    binding.end === 'destination' &&
    binding.shortage.kind === 'disabled'
    ? binding.channels
    : [];
}
