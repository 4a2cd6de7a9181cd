/**
 * Writes lessons to layers, where every later search finds them.
 *
 * Shared lessons go into the persistent layer `xpay`, the name that Core Lightning's clients know. Its records expire
 * after an hour, because by then half of a channel's liquidity has moved, or after a day if lessons fade with age.
 * Private lessons go into one layer per payment, which is created when needed and removed with the payment.
 *
 * A lesson may be outdated by the time its attempt fails, because payments that settled meanwhile moved money, and
 * those that failed released what they held. So a lesson is weakened by what moved since the attempt was sent. The
 * layer then never claims more than is true.
 *
 * The shared layer holds at most `MAX_RECORDS` records. If there are more, the older half is removed.
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

/** The layer of lessons that hold for everyone. Core Lightning's `xpay` stores its lessons in a layer of this name. */
export const SHARED_LAYER = 'xpay';
/** Seconds after which lessons expire. */
export const FORGET_AFTER_S = 3600;
/** If lessons fade with age (learned-beliefs.ts), they are kept for a day. */
export const FADING_FORGOTTEN_S = 86_400;
/** Seconds between two expiry runs, which examine every record. */
const AGE_EVERY_S = 60;
const MAX_RECORDS = 200_000;
/** Bias of a direction that may be at fault, which makes it a last resort. */
const SUSPICION = -100;
/**
 * After a failure, a payment sends at most this share of the failed amount across the same direction: three quarters.
 */
const LESS = { of: 3n, in: 4n };

/** The layer with what the node's own payments showed, if the node lists them (node-history.ts). */
export const HISTORY_LAYER = 'nodehistory';

/** The layers with what our node learned from its own payments, as far as they exist. */
export const nodeLayers = (book: Pick<LayerBook, 'layer'>): string[] =>
  [PAIR_LAYER, HISTORY_LAYER].filter((name) => book.layer(name) !== undefined);

/** The names of the layers that all payments learned. */
export const commonLayers = (book: Pick<LayerBook, 'layer'>): string[] => [SHARED_LAYER, ...nodeLayers(book)];

/** The layer with the private lessons of one payment. It exists only once there is a lesson. */
export class PrivateLayer {
  readonly #book: LayerBook;
  readonly #name: string;
  #layer: Layer | undefined;

  constructor(book: LayerBook, name: string) {
    this.#book = book;
    this.#name = name;
  }

  /** The name of the layer, as a list of layers. Empty if there is no layer. */
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

  /** A free name for the layer, because a client may have created a layer with our preferred name. */
  #unusedName(): string {
    let name = this.#name;
    for (let n = 2; this.#book.layer(name) !== undefined; n++) name = `${this.#name}-${n}`;
    return name;
  }
}

/** Money that moved: a settled payment moves it across a direction, a failed payment releases it. */
interface Move {
  readonly at: number;
  readonly key: bigint;
  readonly amountMsat: bigint;
  readonly isReturn: boolean;
}

/**
 * Maximum number of moves remembered, enough for a few thousand payments. Lessons from before the oldest move are not
 * learned.
 */
const MAX_MOVES = 20_000;

/** Stores what attempts taught, for all payments of this node. */
export class Learning {
  readonly #book: LayerBook;
  readonly #graph: () => ChannelGraph;
  readonly #forgetAfterS: number;
  #agedAt = 0;
  /** A counter raised by each event. It serves as the time of moves and attempts. */
  #now = 0;
  /** All moves after this time are in `#moves`. Older ones were forgotten. */
  #movesFrom = 0;
  #moves: Move[] = [];

  /** @param forgetAfterS age at which shared lessons are removed, seconds */
  constructor(book: LayerBook, graph: () => ChannelGraph, forgetAfterS = FORGET_AFTER_S) {
    this.#forgetAfterS = forgetAfterS;
    this.#book = book;
    this.#graph = graph;
  }

  /** The shared layer. It is created again if a client removed it. */
  shared(): Layer {
    return this.#book.layer(SHARED_LAYER) ?? this.#book.createLayer(SHARED_LAYER, true);
  }

  /** Removes old lessons. Call it when a payment starts. */
  age(): void {
    const now = this.#book.now();
    if (now < this.#agedAt + AGE_EVERY_S) return;
    this.#agedAt = now;
    const shared = this.shared();
    this.#book.age(shared, BigInt(Math.max(0, now - this.#forgetAfterS)));
    for (const name of nodeLayers(this.#book))
      this.#book.age(this.#book.layer(name)!, BigInt(Math.max(0, now - FORGET_AFTER_S)));
    const surplus = shared.records.length - MAX_RECORDS;
    if (surplus > 0) {
      const middle = shared.records[Math.floor(shared.records.length / 2)]!;
      this.#book.age(shared, BigInt(middle.timestamp));
    }
  }

  /**
   * The current time of the counter. Record it when an attempt is sent, and pass it to `learn` when the attempt is
   * over.
   */
  get now(): number {
    return this.#now;
  }

  /**
   * Learns the lessons that still hold, and returns the new ones. Call it after releasing the attempt's own
   * reservations. The remaining ones are those of others, which filled the channel.
   * @param sentAt `now` when the attempt was sent; undefined when an earlier process sent it.
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

  /** What moved across a direction after `since`: by settled payments, or, with `isReturn`, back from failed ones. */
  #moved(key: bigint, since: number, isReturn: boolean): bigint {
    let sum = 0n;
    for (let i = this.#moves.length - 1; i >= 0 && this.#moves[i]!.at > since; i--) {
      const move = this.#moves[i]!;
      if (move.key === key && move.isReturn === isReturn) sum += move.amountMsat;
    }
    return sum;
  }

  /** The lesson as learned. Undefined when it was not new. */
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

  /** Records the layer's bounds before and after, so that a payment can be shown with its lessons. */
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
   * Learns from a settled attempt: what it carried has moved to the other side of each channel. Our own
   * channels are left out, because the network reports them.
   */
  settled(path: readonly RouteHop[], ofPayment: PrivateLayer): Learned[] {
    this.#remember(path, false);
    return path.slice(1).map(({ shortChannelIdDir: of, amountOutMsat }) => {
      this.#book.informChannel(this.#layerFor(of, ofPayment), of, amountOutMsat, 'succeeded');
      return { kind: 'delivered', of, amountMsat: amountOutMsat };
    });
  }

  /** Records that an attempt failed: what it held on these hops is free again. That alone teaches nothing. */
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
   * The layer for a lesson about this channel. Lessons about channels known only to this payment (route hints) stay
   * private.
   */
  #layerFor({ shortChannelId }: ShortChannelIdDir, ofPayment: PrivateLayer): Layer {
    return this.#graph().channelIndex(shortChannelId) < 0 ? ofPayment.layer : this.shared();
  }
}

/**
 * After an amount has failed, a slightly smaller one would probably fail too. So the payment tries clearly less, or
 * another direction. This is not a fact about the direction, so other payments do not learn it.
 * @param layer the payment's
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
 * A text that identifies a route by its directions, amounts and delays. A failed route is not tried again while nothing
 * else has changed.
 */
export function routeKey(path: readonly RouteHop[]): string {
  return path
    .map(({ shortChannelIdDir: of, amountOutMsat, cltvOut }) =>
      [directionKey(of.shortChannelId, of.direction), amountOutMsat, cltvOut].join(':'),
    )
    .join(' ');
}
