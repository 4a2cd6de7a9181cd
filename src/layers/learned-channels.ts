/**
 * Bounds and biases of many channels, stored in columns: about 100 bytes per channel. Objects would take five times as
 * much memory, and a simulation keeps such a table for each of thousands of senders.
 */
import type { ShortChannelId } from '../model/short-channel-id.ts';
import {
  AMOUNT_CAP_MSAT,
  type Bounds,
  type BoundsFold,
  IDENTITY_FOLD,
  IDENTITY_STEP,
} from './bounds-fold.ts';
import type { ChannelCell, PerDirection } from './cell.ts';

const FIRST_ROOM = 8;
/** The due time of a belief that does not change with time. */
export const NEVER_DUE = Number.POSITIVE_INFINITY;
/** Number of amounts per channel: minimum and maximum of each direction. */
const NUMBERS = 4;
/** The maximum that marks a direction as unknown. */
const UNKNOWN = -1n;
const NOTHING_RESERVED: PerDirection<bigint> = [0n, 0n];
const NO_UPDATES: ChannelCell['updates'] = [undefined, undefined];

/** Beliefs about channels. */
export class LearnedChannels {
  readonly #places = new Map<ShortChannelId, number>();
  /** Indexes of deleted channels, which can be reused. */
  readonly #free: number[] = [];
  #boundsMsat = new BigInt64Array(NUMBERS * FIRST_ROOM);
  #biases = new Int8Array(2 * FIRST_ROOM);
  /** When each belief is next due for examination, in seconds. */
  #dueS = new Float64Array(FIRST_ROOM);

  ids(): IterableIterator<ShortChannelId> {
    return this.#places.keys();
  }

  /** @returns whether there was a belief to delete */
  delete(channel: ShortChannelId): boolean {
    const place = this.#places.get(channel);
    if (place === undefined) return false;
    this.#places.delete(channel);
    this.#free.push(place);
    return true;
  }

  /** The channels whose beliefs are due for examination. */
  *due(nowS: number): Generator<ShortChannelId> {
    for (const [channel, place] of this.#places) if (this.#dueS[place]! <= nowS) yield channel;
  }

  /**
   * @param bounds undefined for a direction about which nothing is known
   * @param dueS when the belief is next due for examination, in seconds
   * @returns whether the channel is new, or its bounds or biases changed
   */
  set(
    channel: ShortChannelId,
    bounds: PerDirection<Bounds | undefined>,
    bias: PerDirection<number>,
    dueS: number = NEVER_DUE,
  ): boolean {
    const known = this.#places.get(channel);
    const place = known ?? this.#newPlace(channel);
    this.#dueS[place] = dueS;
    const hasNews = [
      this.#setDirection(place, 0, bounds[0], bias[0]),
      this.#setDirection(place, 1, bounds[1], bias[1]),
    ];
    return known === undefined || hasNews.includes(true);
  }

  /** The cell of a channel. Undefined if there is no belief about it. */
  cell(channel: ShortChannelId): ChannelCell | undefined {
    const place = this.#places.get(channel);
    if (place === undefined) return undefined;
    return {
      updates: NO_UPDATES,
      bias: [this.#biases[2 * place]!, this.#biases[2 * place + 1]!],
      bounds: [this.#fold(NUMBERS * place), this.#fold(NUMBERS * place + 2)],
      reservedMsat: NOTHING_RESERVED,
    };
  }

  #setDirection(place: number, direction: 0 | 1, bounds: Bounds | undefined, bias: number): boolean {
    const minAt = NUMBERS * place + 2 * direction;
    const minMsat = bounds?.minMsat ?? 0n;
    const maxMsat = bounds === undefined ? UNKNOWN : atMost(bounds.maxMsat, AMOUNT_CAP_MSAT);
    const biasAt = 2 * place + direction;
    const isSame =
      this.#boundsMsat[minAt] === minMsat &&
      this.#boundsMsat[minAt + 1] === maxMsat &&
      this.#biases[biasAt] === bias;
    this.#boundsMsat[minAt] = minMsat;
    this.#boundsMsat[minAt + 1] = maxMsat;
    this.#biases[biasAt] = bias;
    return !isSame;
  }

  #fold(minAt: number): BoundsFold {
    const maxHigh = this.#boundsMsat[minAt + 1]!;
    if (maxHigh === UNKNOWN) return IDENTITY_FOLD;
    return [{ ...IDENTITY_STEP, minLow: this.#boundsMsat[minAt]!, maxHigh }];
  }

  #newPlace(channel: ShortChannelId): number {
    const place = this.#free.pop() ?? this.#places.size;
    this.#places.set(channel, place);
    if (2 * place === this.#biases.length) {
      const [boundsMsat, biases] = [this.#boundsMsat, this.#biases];
      this.#boundsMsat = new BigInt64Array(2 * boundsMsat.length);
      this.#boundsMsat.set(boundsMsat);
      this.#biases = new Int8Array(2 * biases.length);
      this.#biases.set(biases);
      const dueS = this.#dueS;
      this.#dueS = new Float64Array(2 * dueS.length);
      this.#dueS.set(dueS);
    }
    return place;
  }
}

const atMost = (amountMsat: bigint, mostMsat: bigint): bigint =>
  amountMsat > mostMsat ? mostMsat : amountMsat;
