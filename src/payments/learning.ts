/**
 * Lessons put into layers, where every later search finds them.
 *
 * Shared: the persistent layer `xpay` (the name under which clients know such a layer), which forgets what is
 * older than an hour: by then half of what a channel carries has moved. Private: one layer per payment, made
 * when there is something to put into it and removed with the payment.
 *
 * What was true when an attempt crossed a channel may have changed by the time it comes back: payments that
 * settled meanwhile moved money, those that failed gave back what they held. A lesson is weakened by what moved
 * since the attempt was sent, so that the layer never claims what is not so.
 *
 * The shared layer holds at most `MAX_RECORDS` records; the oldest half goes first when there are more.
 */
import type { RouteHop } from '../engine/route.ts';
import { AMOUNT_CAP_MSAT, applyFold } from '../layers/bounds-fold.ts';
import { directionKey } from '../layers/cell.ts';
import type { Layer } from '../layers/layer.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { type Msat, msat } from '../model/msat.ts';
import { formatShortChannelIdDir, type ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { Lesson } from './lesson.ts';

export const SHARED_LAYER = 'xpay';
const FORGET_AFTER_S = 3600;
/** Ageing looks at every record, so not more often than this. */
const AGE_EVERY_S = 60;
const MAX_RECORDS = 200_000;

/** The private layer of one payment. */
export class PrivateLayer {
  readonly #book: LayerBook;
  readonly #name: string;
  #layer: Layer | undefined;

  constructor(book: LayerBook, name: string) {
    this.#book = book;
    this.#name = name;
  }

  /** The layer's name in a list of layers: none while there is no layer. */
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

  /** A client may have made a layer of our name. */
  #unusedName(): string {
    let name = this.#name;
    for (let n = 2; this.#book.layer(name) !== undefined; n++) name = `${this.#name}-${n}`;
    return name;
  }
}

/** Money that a settled payment moved across a direction, or that one which failed gave back to it. */
interface Move {
  readonly at: number;
  readonly key: bigint;
  readonly amountMsat: bigint;
  readonly isReturn: boolean;
}

/** Moves remembered: those of the last few thousand payments; what is older than they reach is not learned. */
const MAX_MOVES = 20_000;

export class Learning {
  readonly #book: LayerBook;
  readonly #graph: () => ChannelGraph;
  #agedAt = 0;
  /** Counts what happens: the time of moves and attempts. */
  #now = 0;
  /** All moves after this time are in `#moves`. */
  #movesFrom = 0;
  #moves: Move[] = [];

  constructor(book: LayerBook, graph: () => ChannelGraph) {
    this.#book = book;
    this.#graph = graph;
  }

  /** The shared layer; made anew when a client removed it. */
  shared(): Layer {
    return this.#book.layer(SHARED_LAYER) ?? this.#book.createLayer(SHARED_LAYER, true);
  }

  /** Forgets what is old. Call when a payment begins. */
  age(): void {
    const now = this.#book.now();
    if (now < this.#agedAt + AGE_EVERY_S) return;
    this.#agedAt = now;
    const shared = this.shared();
    this.#book.age(shared, BigInt(Math.max(0, now - FORGET_AFTER_S)));
    const surplus = shared.records.length - MAX_RECORDS;
    if (surplus > 0) {
      const middle = shared.records[Math.floor(shared.records.length / 2)]!;
      this.#book.age(shared, BigInt(middle.timestamp));
    }
  }

  /** The present, for an attempt to be judged by when it comes back. */
  get now(): number {
    return this.#now;
  }

  /**
   * Learns lessons and says what was learned, one line each. Call when the attempt's reservations are
   * released: what else is reserved then is what made a channel too full.
   * @param sentAt `now` when the attempt was sent; undefined when that was before this process began.
   */
  learn(lessons: readonly Lesson[], ofPayment: PrivateLayer, sentAt: number | undefined): string[] {
    const lines: string[] = [];
    for (const lesson of lessons) {
      const holds = this.#stillTrue(lesson, sentAt);
      const line = holds && this.#learn(holds, ofPayment);
      if (line !== undefined) lines.push(line);
    }
    return lines;
  }

  /** The lesson as it holds now; undefined when nothing is left of it, or nobody can tell. */
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

  /** What settled payments moved across a direction since then, or failed ones gave back to it. */
  #moved(key: bigint, since: number, isReturn: boolean): bigint {
    let sum = 0n;
    for (let i = this.#moves.length - 1; i >= 0 && this.#moves[i]!.at > since; i--) {
      const move = this.#moves[i]!;
      if (move.key === key && move.isReturn === isReturn) sum += move.amountMsat;
    }
    return sum;
  }

  #learn(lesson: Lesson, ofPayment: PrivateLayer): string | undefined {
    const book = this.#book;
    switch (lesson.kind) {
      case 'carried': {
        const layer = this.#layerFor(lesson.of, ofPayment);
        if (this.#knowsMinimum(layer, lesson.of, lesson.amountMsat)) return undefined;
        book.informChannel(layer, lesson.of, lesson.amountMsat, 'unconstrained');
        return `${formatShortChannelIdDir(lesson.of)} can carry ${lesson.amountMsat}msat`;
      }
      case 'blocked':
        book.informChannel(this.#layerFor(lesson.of, ofPayment), lesson.of, lesson.amountMsat, 'constrained');
        return `${formatShortChannelIdDir(lesson.of)} cannot carry ${lesson.amountMsat}msat`;
      case 'refused':
        book.informChannel(ofPayment.layer, lesson.of, lesson.amountMsat, 'constrained');
        return `${formatShortChannelIdDir(lesson.of)} of ours does not take ${lesson.amountMsat}msat now`;
      case 'policy': {
        const { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta, enabled } = lesson.policy;
        book.updateChannel(ofPayment.layer, lesson.of, lesson.policy);
        const terms = `${feeBaseMsat}msat + ${feeProportionalMillionths}ppm, ${cltvExpiryDelta} blocks`;
        return `${formatShortChannelIdDir(lesson.of)} ${enabled ? `asks for ${terms}` : 'is disabled'}`;
      }
      case 'minimum':
        book.updateChannel(ofPayment.layer, lesson.of, { htlcMinimumMsat: lesson.minimumMsat });
        return `${formatShortChannelIdDir(lesson.of)} takes at least ${lesson.minimumMsat}msat`;
      case 'avoidDirection':
        book.updateChannel(ofPayment.layer, lesson.of, { enabled: false });
        return `avoiding ${formatShortChannelIdDir(lesson.of)} for this payment`;
      case 'avoidNode':
        book.disableNode(ofPayment.layer, lesson.node);
        return `avoiding node ${lesson.node} for this payment`;
    }
  }

  /** A payment went through: what it carried has moved to the other side. Our own channels we know anyway. */
  settled(path: readonly RouteHop[], ofPayment: PrivateLayer): string[] {
    this.#remember(path, false);
    return path.slice(1).map(({ shortChannelIdDir: of, amountOutMsat }) => {
      this.#book.informChannel(this.#layerFor(of, ofPayment), of, amountOutMsat, 'succeeded');
      return `${formatShortChannelIdDir(of)} carried ${amountOutMsat}msat`;
    });
  }

  /** An attempt failed: what it held along these hops is back where it was. Teaches nothing by itself. */
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

  /** Channels that only this payment knows of (route hints) are nobody else's business. */
  #layerFor({ shortChannelId }: ShortChannelIdDir, ofPayment: PrivateLayer): Layer {
    return this.#graph().channelIndex(shortChannelId) < 0 ? ofPayment.layer : this.shared();
  }

  /** Whether the layer's own records already say that the direction carries this much. */
  #knowsMinimum(layer: Layer, { shortChannelId, direction }: ShortChannelIdDir, amountMsat: bigint): boolean {
    const fold = layer.channelCell(shortChannelId)?.bounds[direction];
    if (fold === undefined) return false;
    const graph = this.#graph();
    const channel = graph.channelIndex(shortChannelId);
    const capacityMsat =
      channel < 0
        ? (layer.createdChannel(shortChannelId)?.capacityMsat ?? AMOUNT_CAP_MSAT)
        : graph.capacityMsat[channel]!;
    return applyFold(fold, { minMsat: 0n, maxMsat: capacityMsat }, capacityMsat).minMsat >= amountMsat;
  }
}

/** Reservations of an attempt: what each direction is about to carry. */
export function reservationsOf(
  path: readonly RouteHop[],
): { shortChannelIdDir: ShortChannelIdDir; amountMsat: Msat }[] {
  return path.map(({ shortChannelIdDir, amountOutMsat }) => ({
    shortChannelIdDir,
    amountMsat: amountOutMsat,
  }));
}

/** A route's identity for "never the same again without news": directions and the amounts across them. */
export function routeKey(path: readonly RouteHop[]): string {
  return path
    .map(({ shortChannelIdDir: of, amountOutMsat, cltvOut }) =>
      [directionKey(of.shortChannelId, of.direction), amountOutMsat, cltvOut].join(':'),
    )
    .join(' ');
}
