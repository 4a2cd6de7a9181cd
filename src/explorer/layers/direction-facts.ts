/**
 * Gossip about the channels on the routes of an answer. It is requested channel by channel, and cached while the page
 * is open.
 */
import type { DirectionFacts } from '../pictures/ladder.ts';
import type { Rpc } from '../rpc.ts';

/** Maximum number of channels requested for one answer. */
const MAX_DIRECTIONS = 60;
/**
 * Number of concurrent requests. A browser opens at most six connections to a server, and one of them is used for
 * events.
 */
const AT_ONCE = 4;

/** The facts about channel directions that are known so far. */
export class KnownDirections {
  readonly #rpc: Rpc;
  readonly #left: AbortSignal;
  readonly #known = new Map<string, DirectionFacts>();
  readonly #asked = new Set<string>();

  constructor(rpc: Rpc, left: AbortSignal) {
    this.#rpc = rpc;
    this.#left = left;
  }

  /** The facts of a direction, such as `1x2x3/0`. */
  get(scidDir: string): DirectionFacts | undefined {
    return this.#known.get(scidDir);
  }

  /** Requests those channels of these directions that were not requested before. Resolves after the last response. */
  async learn(scidDirs: readonly string[]): Promise<void> {
    const channels = [...new Set(scidDirs.map((one) => one.split('/')[0]!))]
      .filter((one) => !this.#asked.has(one))
      .slice(0, MAX_DIRECTIONS);
    const askNext = async (): Promise<void> => {
      for (let channel = channels.pop(); channel !== undefined; channel = channels.pop()) {
        this.#asked.add(channel);
        await this.#ask(channel);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  }

  async #ask(channel: string): Promise<void> {
    try {
      const options = { signal: this.#left };
      const { channels } = await this.#rpc.call('listchannels', { short_channel_id: channel }, options);
      for (const one of channels) {
        this.#known.set(`${one.short_channel_id}/${one.direction}`, {
          capacityMsat: one.amount_msat,
          htlcMaximumMsat: one.htlc_maximum_msat,
          baseMsat: one.base_fee_millisatoshi,
          ppm: one.fee_per_millionth,
        });
      }
    } catch {
      // If the call fails, the picture only lacks these facts.
    }
  }
}
