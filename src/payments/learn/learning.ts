/**
 * Writes lessons to layers, where later searches find them.
 *
 * Shared lessons go into the persistent layer `xpay`, a name that clients of Core Lightning know. Its records expire
 * after an hour, because by then half of a channel's liquidity has moved. If lessons fade with age, they expire after a
 * day. Private lessons go into one layer per payment, which is created when needed and removed with the payment.
 *
 * A lesson may be outdated by the time its attempt fails, because payments that settled meanwhile moved money, and
 * payments that failed released money. So a lesson is weakened by the amounts that moved since the attempt was sent,
 * and the layer never claims more than is true.
 *
 * If the shared layer has more than `MAX_RECORDS` records at an expiry run, the older half is removed. If it has records
 * from a time that is yet to come, the clock was ahead when they were written, and all records are removed: those would
 * otherwise count as new until that time.
 */
import type { RouteHop } from '../../engine/question/route.ts';
import { boundsIn } from '../../layers/beliefs.ts';
import { directionKey } from '../../layers/cell.ts';
import type { Layer } from '../../layers/layer.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import { PAIR_LAYER } from '../../layers/pair-beliefs.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { type Msat, msat } from '../../model/msat.ts';
import type { ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { Learned, Lesson } from './lesson.ts';

/** Name of the layer of shared lessons. Core Lightning's `xpay` stores its lessons in a layer of this name. */
export const SHARED_LAYER = 'xpay';
/** Seconds after which lessons expire. */
export const FORGET_AFTER_S = 3600;
/** Seconds after which lessons expire if they fade with age (learned-beliefs.ts): a day. */
export const FADING_FORGOTTEN_S = 86_400;
/** Minimum seconds between two expiry runs. */
const AGE_EVERY_S = 60;
/**
 * Maximum number of expiry runs of the shared layer during the lifetime of a record. Each run examines all its records.
 */
const SHARED_AGEINGS = 60;
const MAX_RECORDS = 200_000;
/** Bias of a direction that may be at fault. It makes the direction a last resort. */
const SUSPICION = -100;
/**
 * After an amount has failed across a direction, the payment sends at most three quarters of it across this direction.
 */
const LESS = { of: 3n, in: 4n };

/** Name of the layer of bounds revealed by the node's own payments, if the node lists them (node-history.ts). */
export const HISTORY_LAYER = 'nodehistory';

/** Names of the existing layers with what our node learned from its own payments. */
export const nodeLayers = (book: Pick<LayerBook, 'layer'>): string[] =>
  [PAIR_LAYER, HISTORY_LAYER].filter((name) => book.layer(name) !== undefined);

/** Names of the layers whose lessons apply to all payments. */
export const commonLayers = (book: Pick<LayerBook, 'layer'>): string[] => [SHARED_LAYER, ...nodeLayers(book)];

/** The layer with the private lessons of one payment, created for the first lesson. */
export class PrivateLayer {
  readonly #book: LayerBook;
  readonly #name: string;
  #layer: Layer | undefined;

  constructor(book: LayerBook, name: string) {
    this.#book = book;
    this.#name = name;
  }

  /** List with the name of the layer. Empty before the first lesson. */
  get names(): readonly string[] {
    return this.#layer === undefined ? [] : [this.#layer.name];
  }

  get layer(): Layer {
    this.#layer ??= this.#book.createLayer(this.#unusedName(), false);
    return this.#layer;
  }

  remove(): void {
    if (this.#layer !== undefined) this.#book.removeLayer(this.#layer);
    this.#layer = undefined;
  }

  /** An unused name for the layer. A client may have created a layer with our preferred name. */
  #unusedName(): string {
    let name = this.#name;
    for (let n = 2; this.#book.layer(name) !== undefined; n++) name = `${this.#name}-${n}`;
    return name;
  }
}

/** Later than every timestamp, in UNIX seconds. */
const END_OF_TIME = BigInt(Number.MAX_SAFE_INTEGER);

/** Whether less than `seconds` have passed since `from`. False if the clock was set back since. */
const isWithin = (now: number, from: number, seconds: number): boolean => now >= from && now < from + seconds;

/** Whether a layer has a record from after `until`, in UNIX seconds. */
function isAhead(layer: Layer, until: number): boolean {
  for (const { timestamp } of layer.records) if (timestamp > until) return true;
  return false;
}

/** Money that a settled attempt moved across a direction, or that a failed attempt released. */
interface Move {
  readonly at: number;
  readonly key: bigint;
  readonly amountMsat: bigint;
  readonly isReturn: boolean;
}

/**
 * Maximum number of moves remembered, enough for a few thousand payments. If an attempt was sent before the oldest
 * remembered move, its lessons about liquidity are not learned.
 */
const MAX_MOVES = 20_000;

/** Stores what attempts taught, for all payments of this node. */
export class Learning {
  readonly #book: LayerBook;
  readonly #graph: () => ChannelGraph;
  readonly #forgetAfterS: number;
  #agedAt = 0;
  #sharedAgedAt = 0;
  /** A counter that increases with each ended attempt, used as the time of moves and attempts. */
  #now = 0;
  /** All moves after this time are in `#moves`. Earlier moves were forgotten. */
  #movesFrom = 0;
  #moves: Move[] = [];

  /** @param forgetAfterS age in seconds at which shared lessons are removed */
  constructor(book: LayerBook, graph: () => ChannelGraph, forgetAfterS = FORGET_AFTER_S) {
    this.#forgetAfterS = forgetAfterS;
    this.#book = book;
    this.#graph = graph;
  }

  /** The shared layer, created if it does not exist or a client removed it. */
  shared(): Layer {
    return this.#book.layer(SHARED_LAYER) ?? this.#book.createLayer(SHARED_LAYER, true);
  }

  /** Removes old lessons. Call it when a payment starts. */
  age(): void {
    const now = this.#book.now();
    if (isWithin(now, this.#agedAt, AGE_EVERY_S)) return;
    this.#agedAt = now;
    for (const name of nodeLayers(this.#book))
      this.#book.age(this.#book.layer(name)!, BigInt(Math.max(0, now - FORGET_AFTER_S)));
    if (isWithin(now, this.#sharedAgedAt, this.#forgetAfterS / SHARED_AGEINGS)) return;
    const mayBeAhead = this.#sharedAgedAt === 0 || now < this.#sharedAgedAt;
    this.#sharedAgedAt = now;
    const shared = this.shared();
    if (mayBeAhead && isAhead(shared, now + this.#forgetAfterS)) this.#book.age(shared, END_OF_TIME);
    this.#book.age(shared, BigInt(Math.max(0, now - this.#forgetAfterS)));
    const surplus = shared.records.length - MAX_RECORDS;
    if (surplus > 0) {
      const timestamps = Array.from(shared.records, ({ timestamp }) => timestamp);
      this.#book.age(shared, BigInt(timestamps[Math.floor(timestamps.length / 2)]!));
    }
  }

  /**
   * The current value of the counter. Record the value when an attempt is sent, and pass it to `learn` when the attempt
   * has ended.
   */
  get now(): number {
    return this.#now;
  }

  /**
   * Learns the lessons that still hold, and returns the new ones. Call it after releasing the attempt's own
   * reservations: the reservations that remain belong to other attempts, which filled the channel.
   * @param sentAt the value of `now` when the attempt was sent; undefined if an earlier process sent it
   */
  learn(lessons: readonly Lesson[], ofPayment: PrivateLayer, sentAt: number | undefined): Lesson[] {
    return lessons
      .map((lesson) => this.#stillTrue(lesson, sentAt))
      .filter((lesson) => lesson !== undefined)
      .map((lesson) => this.#learn(lesson, ofPayment))
      .filter((lesson) => lesson !== undefined);
  }

  /** The part of the lesson that still holds. Undefined when no part holds, or when that cannot be determined. */
  #stillTrue(lesson: Lesson, sentAt: number | undefined): Lesson | undefined {
    if (lesson.kind !== 'carried' && lesson.kind !== 'blocked') return lesson;
    if (sentAt === undefined || sentAt < this.#movesFrom) return undefined;
    const { shortChannelId, direction } = lesson.of;
    const forth = directionKey(shortChannelId, direction);
    const back = directionKey(shortChannelId, direction === 0 ? 1 : 0);
    if (lesson.kind === 'blocked') {
      const gained = this.#moved(back, sentAt, false) + this.#moved(forth, sentAt, true);
      return { ...lesson, amountMsat: msat(lesson.amountMsat + gained) };
    }
    const lost = this.#moved(forth, sentAt, false);
    return lost < lesson.amountMsat ? { ...lesson, amountMsat: msat(lesson.amountMsat - lost) } : undefined;
  }

  /**
   * The amount in msat that settled attempts moved across a direction after `since`. With `isReturn`, the amount that
   * failed attempts released.
   */
  #moved(key: bigint, since: number, isReturn: boolean): bigint {
    let sum = 0n;
    for (let i = this.#moves.length - 1; i >= 0 && this.#moves[i]!.at > since; i--) {
      const move = this.#moves[i]!;
      if (move.key === key && move.isReturn === isReturn) sum += move.amountMsat;
    }
    return sum;
  }

  /** Learns a lesson. Returns it as it was learned; undefined if it was not new. */
  #learn(lesson: Lesson, ofPayment: PrivateLayer): Lesson | undefined {
    const book = this.#book;
    switch (lesson.kind) {
      case 'carried':
      case 'blocked':
        return this.#learnLiquidity(lesson, ofPayment);
      case 'refused':
        book.informChannel(ofPayment.layer, lesson.of, lesson.amountMsat, 'constrained');
        return lesson;
      case 'policy':
        book.updateChannel(ofPayment.layer, lesson.of, lesson.policy);
        return lesson;
      case 'minimum':
        book.updateChannel(ofPayment.layer, lesson.of, { htlcMinimumMsat: lesson.minimumMsat });
        return lesson;
      case 'suspected':
        book.biasChannel(ofPayment.layer, lesson.of, {
          bias: SUSPICION,
          relative: false,
          description: undefined,
        });
        return lesson;
      case 'avoidDirection':
        book.updateChannel(ofPayment.layer, lesson.of, { enabled: false });
        return lesson;
      case 'avoidNode':
        book.disableNode(ofPayment.layer, lesson.node);
        return lesson;
    }
  }

  /**
   * Learns a lesson about liquidity. The returned lesson includes the layer's bounds before and after if the channel is
   * in the graph, so that clients can show what a payment learned. Returns undefined if the lesson is not new.
   */
  #learnLiquidity(
    lesson: Extract<Lesson, { kind: 'carried' | 'blocked' }>,
    ofPayment: PrivateLayer,
  ): Lesson | undefined {
    const { kind, of, amountMsat } = lesson;
    const layer = this.#layerFor(of, ofPayment);
    const graph = this.#graph();
    const { bounds: before } = boundsIn(layer, of, graph);
    if (kind === 'carried' && before.minMsat >= amountMsat) return undefined;
    this.#book.informChannel(layer, of, amountMsat, kind === 'carried' ? 'unconstrained' : 'constrained');
    if (kind === 'blocked') tryLess(this.#book, of, amountMsat, ofPayment.layer);
    if (graph.channelIndex(of.shortChannelId) < 0) return lesson;
    return { ...lesson, bounds: { before, after: boundsIn(layer, of, graph).bounds } };
  }

  /**
   * Learns from a settled attempt that the amounts it carried have moved to the other side of each channel. Our own
   * channels are left out, because the network reports their balances.
   */
  settled(path: readonly RouteHop[], ofPayment: PrivateLayer): Learned[] {
    this.#remember(path, false);
    return path.slice(1).map(({ shortChannelIdDir: of, amountOutMsat }) => {
      this.#book.informChannel(this.#layerFor(of, ofPayment), of, amountOutMsat, 'succeeded');
      return { kind: 'delivered', of, amountMsat: amountOutMsat };
    });
  }

  /** Records that an attempt failed and released the amounts that it held on these hops. This alone teaches nothing. */
  returned(hops: readonly RouteHop[]): void {
    this.#remember(hops, true);
  }

  #remember(hops: readonly RouteHop[], isReturn: boolean): void {
    this.#now++;
    if (this.#moves.length > MAX_MOVES) {
      this.#moves = this.#moves.slice(MAX_MOVES / 2);
      this.#movesFrom = this.#moves[0]!.at;
    }
    for (const { shortChannelIdDir: of, amountOutMsat } of hops.slice(1)) {
      const key = directionKey(of.shortChannelId, of.direction);
      this.#moves.push({ at: this.#now, key, amountMsat: amountOutMsat, isReturn });
    }
  }

  /**
   * The layer for a lesson about liquidity of this channel: the private layer for channels that only this payment knows
   * (from route hints), the shared layer for all others.
   */
  #layerFor({ shortChannelId }: ShortChannelIdDir, ofPayment: PrivateLayer): Layer {
    return this.#graph().channelIndex(shortChannelId) < 0 ? ofPayment.layer : this.shared();
  }
}

/**
 * After an amount has failed, a slightly smaller one would probably fail too. So the payment tries a clearly smaller
 * amount, or a different direction. This is not a fact about the direction, so other payments do not learn it.
 * @param layer the payment's private layer
 */
export function tryLess(book: LayerBook, of: ShortChannelIdDir, amountMsat: Msat, layer: Layer): void {
  book.informChannel(layer, of, msat((amountMsat * LESS.of) / LESS.in + 1n), 'constrained');
}

/** The reservations of an attempt: the amount that each direction is about to carry. */
export function reservationsOf(
  path: readonly RouteHop[],
): { shortChannelIdDir: ShortChannelIdDir; amountMsat: Msat }[] {
  return path.map(({ shortChannelIdDir, amountOutMsat }) => ({
    shortChannelIdDir,
    amountMsat: amountOutMsat,
  }));
}

/**
 * A text that identifies a route by its directions, amounts and delays, so that a failed route is not tried again while
 * nothing else has changed.
 */
export function routeKey(path: readonly RouteHop[]): string {
  return path
    .map(({ shortChannelIdDir: of, amountOutMsat, cltvOut }) =>
      [directionKey(of.shortChannelId, of.direction), amountOutMsat, cltvOut].join(':'),
    )
    .join(' ');
}
