/**
 * A sender of a simulation, which behaves like our daemon. It has layers (`xpay` with lessons from all its payments,
 * one per payment with private lessons, and reservations for amounts in flight), its own channels, and the code that
 * learns.
 *
 * The layers are in the sender's own `LayerBook`. Changes of layers are recorded here and sent to the sender's kernel
 * with its next question.
 */

import { packCell } from '../../engine/question/messages.ts';
import type { RouteHop } from '../../engine/question/route.ts';
import { SOURCEFREE_SLOT } from '../../engine/solver/kernel-layout.ts';
import { exactly, IDENTITY_FOLD } from '../../layers/bounds-fold.ts';
import type { ChannelCell } from '../../layers/cell.ts';
import { GLOBAL_LAYER_ID, LayerBook, LEARNED_LAYER_ID } from '../../layers/layer-book.ts';
import type { OddsTable } from '../../layers/learned-odds.ts';
import { PAIR_LAYER, takePairBeliefs } from '../../layers/pair-beliefs.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import type { PairBelief } from '../../model/pair-belief.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import { LearnedBeliefs } from '../../payments/learn/learned-beliefs.ts';
import { FADING_FORGOTTEN_S, Learning, PrivateLayer, reservationsOf } from '../../payments/learn/learning.ts';
import type { Lesson } from '../../payments/learn/lesson.ts';
import { type AttemptEnd, type KnownHop, OddsModel } from '../../payments/learn/odds-model.ts';
import type { AttemptTime } from '../../payments/learn/settle-times.ts';
import { type Circle, openCircle } from '../../payments/plan/circle.ts';
import { knownHops } from '../../payments/plan/known-hops.ts';
import { ChannelUse } from '../../payments/probes/choice.ts';
import type { SpendableWatch, TrueChannels } from '../truth/true-channels.ts';
import type { KernelLane } from './kernel-pool.ts';
import type { SlotChange } from './messages.ts';

interface DirtyCells {
  readonly channels: Set<ShortChannelId>;
  readonly nodes: Set<NodeId>;
}

/**
 * The current layers of a sender: the changes that its kernel has not received yet, and the stack of layers for a
 * search.
 */
export interface SenderView {
  readonly changes: readonly SlotChange[];
  readonly stack: readonly number[];
  readonly oddsSlot?: number | undefined;
}

/** A circle (a payment to oneself), and the channels of the node that pays itself. */
export interface OpenedCircle {
  readonly circle: Circle;
  readonly ourId: NodeId;
  readonly channels: readonly OwnChannel[];
}

/** How a sender learns. */
export interface SenderOptions {
  /** Whether lessons are kept after their payment has ended. */
  readonly keeps: boolean;
  /** Whether searches use learned odds, as the daemon's do. */
  readonly searchesLearned: boolean;
  /** Price of a second by which a node is slower than the average, in nats. Default: the daemon's. */
  readonly natsPerSecond?: number | undefined;
  /** Initial beliefs about pairs of nodes. */
  readonly believed?: readonly PairBelief[];
  /** The clock of the simulation. */
  readonly nowUs: () => number;
}

/** Below this many attempts, searches use the odds of an untrained model. */
const FEW_ATTEMPTS = 25;

/** The beliefs of one sender. */
export class Sender {
  readonly #node: number;
  readonly #lane: KernelLane;
  readonly #channels: TrueChannels;
  readonly #book: LayerBook;
  readonly #learning: Learning;
  readonly #keeps: boolean;
  readonly #private = new Map<number, PrivateLayer>();
  readonly #slots = new Map<number, number>();
  readonly #dirty = new Map<number, DirtyCells>();
  readonly #ownSlot: number;
  /** The odds of attempts, learned from this sender's own attempts. */
  readonly odds: OddsModel;
  /** The channels recently used by this sender's payments. */
  readonly use = new ChannelUse();
  /**
   * The beliefs from learned odds. Undefined if searches do not use learned odds, or while there are not enough
   * attempts.
   */
  #beliefs: LearnedBeliefs | undefined;
  readonly #searchesLearned: boolean;
  readonly #natsPerSecond: number | undefined;
  /** Collects the sender's outgoing directions whose spendable amounts may differ from what the kernel knows. */
  readonly #own: SpendableWatch;
  /** The spendable amounts that the kernel knows, by direction. */
  readonly #ownMsat = new Map<number, bigint>();
  /** The odds that the kernel knows. Null: those of an untrained model. Undefined: none. */
  #sentOdds: OddsTable | null | undefined;
  /**
   * Increases with every change of a layer that all searches of this sender use. Changes of the sender's own balances
   * do not count.
   */
  #version = 0;
  /** Whether anything was learned from attempts since the last refresh. */
  #hasLearned = false;

  constructor(
    node: number,
    lane: KernelLane,
    channels: TrueChannels,
    { keeps, searchesLearned, natsPerSecond, nowUs, believed = [] }: SenderOptions,
  ) {
    this.#natsPerSecond = natsPerSecond;
    this.#searchesLearned = keeps && searchesLearned;
    this.#node = node;
    this.#lane = lane;
    this.#channels = channels;
    this.#keeps = keeps;
    this.#book = new LayerBook(() => Math.floor(nowUs() / 1e6));
    const forgetAfterS = this.#searchesLearned ? FADING_FORGOTTEN_S : undefined;
    this.#learning = new Learning(this.#book, () => channels.graph, forgetAfterS);
    this.odds = new OddsModel(() => Math.floor(nowUs() / 1e6));
    this.#ownSlot = lane.takeSlot();
    this.#own = channels.watchSpendable(node);
    for (const channel of channels.graph.channelsOf(node)) this.#own.changed.add(this.#outgoing(channel));
    this.#book.subscribe({
      channelChanged: (layerId, shortChannelId) => void this.#of(layerId).channels.add(shortChannelId),
      nodeChanged: (layerId, nodeId) => void this.#of(layerId).nodes.add(nodeId),
      oddsChanged: () => void this.#version++,
      layerRemoved: (layerId) => this.#removed(layerId),
    });
    if (believed.length > 0) takePairBeliefs(this.#book, believed, channels.graph, 0);
  }

  get lane(): KernelLane {
    return this.#lane;
  }

  get learning(): Learning {
    return this.#learning;
  }

  /** Removes old lessons, if the sender keeps lessons. */
  age(): void {
    if (this.#keeps) this.#learning.age();
  }

  /**
   * A value that stays the same as long as neither the layers that all searches use nor the spendable amounts change.
   * Then a search for a payment without private lessons gives the same result.
   */
  fingerprint(): string {
    return `${this.#version}:${this.#own.revision}`;
  }

  /**
   * Updates the layer of learned beliefs. The effect of a refresh depends on the time and on earlier refreshes. So
   * refreshes must happen at the same simulated times for any number of workers, and in a resumed run.
   */
  refresh(): void {
    this.#hasLearned = false;
    if (!this.#searchesLearned) return;
    if (this.#beliefs === undefined && this.odds.observed < FEW_ATTEMPTS) return;
    if (this.#beliefs === undefined) {
      const graph = () => this.#channels.graph;
      this.#beliefs = new LearnedBeliefs({
        ...{ model: this.odds, book: this.#book, graph },
        natsPerSecond: this.#natsPerSecond,
      });
      this.#version++;
    }
    this.#beliefs.refresh();
  }

  /** Whether a refresh may change the beliefs for reasons other than the passage of time. */
  get hasLearned(): boolean {
    return this.#hasLearned;
  }

  /** Learns odds from how an attempt ended. */
  observe(known: readonly KnownHop[], end: AttemptEnd, time: AttemptTime): void {
    this.#hasLearned = true;
    this.odds.observe(known, end, time);
  }

  /** What this sender knows about the hops of a path. */
  known(path: readonly RouteHop[]): KnownHop[] {
    return knownHops(path, this.#channels.graph, this.#book, [this.#learning.shared()]);
  }

  /** Records the reservations of an attempt that is about to be sent. */
  reserve(path: readonly RouteHop[], payment: number): void {
    this.#book.reserve(reservationsOf(path.slice(1)), String(payment));
  }

  unreserve(path: readonly RouteHop[]): void {
    this.#book.unreserve(reservationsOf(path.slice(1)));
  }

  /** Learns the lessons of an attempt. Later payments use them only if the sender is configured to keep lessons. */
  learn(lessons: readonly Lesson[], payment: number, sentAt: number): void {
    this.#hasLearned = true;
    if (this.#keeps) {
      this.#learning.learn(lessons, this.layerOf(payment), sentAt);
      return;
    }
    const layer = this.layerOf(payment).layer;
    for (const lesson of lessons) {
      if (lesson.kind === 'carried') continue;
      if (lesson.kind === 'blocked')
        this.#book.informChannel(layer, lesson.of, lesson.amountMsat, 'constrained');
      else this.#learning.learn([lesson], this.layerOf(payment), sentAt);
    }
  }

  settled(path: readonly RouteHop[], payment: number): void {
    this.#hasLearned = true;
    if (this.#keeps) this.#learning.settled(path, this.layerOf(payment));
  }

  /** The layer of a payment's private lessons. */
  layerOf(payment: number): PrivateLayer {
    const known = this.#private.get(payment);
    if (known !== undefined) return known;
    const fresh = new PrivateLayer(this.#book, `payment-${payment}`);
    this.#private.set(payment, fresh);
    return fresh;
  }

  forget(payment: number): void {
    this.#private.get(payment)?.remove();
    this.#private.delete(payment);
  }

  /** Frees all slots. The sender must not be used afterwards. */
  retire(): void {
    this.#channels.unwatchSpendable(this.#node, this.#own);
    this.#lane.giveSlot(this.#ownSlot);
    for (const slot of this.#slots.values()) this.#lane.giveSlot(slot);
  }

  /**
   * Searches for a circle: calls `ask` with the view of a search in which routes end at `CIRCLE_END` (circle.ts).
   * @param channels the current channels of this node
   */
  withCircle<T>(payment: number, { circle, ourId, channels }: OpenedCircle, ask: (view: SenderView) => T): T {
    const ends = new PrivateLayer(this.#book, `circle-${payment}`);
    openCircle(this.#book, ends.layer, ourId, channels, circle);
    try {
      return ask(this.view(payment, ends.layer.id));
    } finally {
      ends.remove();
    }
  }

  /**
   * The changes that the kernel has not received yet, and the layers of a search for this payment. The changes then
   * count as sent.
   * @param last layer that is applied after all others
   */
  view(payment: number, last?: number): SenderView {
    const changes: SlotChange[] = [];
    this.#ownChanges(changes);
    for (const [layerId, { channels, nodes }] of this.#dirty) {
      const slot = this.#slotOf(layerId);
      for (const scid of channels) {
        const cell = this.#book.channelCell(layerId, scid);
        changes.push(['channel', slot, scid, cell === undefined ? null : packCell(cell)]);
      }
      for (const node of nodes)
        changes.push(['node', slot, node, this.#book.nodeCell(layerId, node) ?? null]);
    }
    this.#dirty.clear();
    this.#oddsChange(changes);
    const oddsSlot = this.#searchesLearned ? this.#ownSlot : undefined;
    return { changes, stack: this.#stack(payment, last), oddsSlot };
  }

  /** Adds the table of odds if it has changed. A table is large, so it is sent only once. */
  #oddsChange(changes: SlotChange[]): void {
    const odds = this.#book.learned.odds ?? null;
    if (!this.#searchesLearned || odds === this.#sentOdds) return;
    this.#sentOdds = odds;
    changes.push(['odds', this.#ownSlot, odds]);
  }

  #stack(payment: number, last: number | undefined): number[] {
    const stack = [this.#ownSlot, SOURCEFREE_SLOT];
    const privateName = this.#private.get(payment)?.names[0];
    const privateId = privateName === undefined ? undefined : this.#book.layer(privateName)?.id;
    for (const id of [...this.#commonLayers(), privateId, last]) {
      const slot = id === undefined ? undefined : this.#slots.get(id);
      if (slot !== undefined) stack.push(slot);
    }
    return stack;
  }

  /** The layers that all searches of this sender use. */
  #commonLayers(): (number | undefined)[] {
    const learnedId = this.#beliefs === undefined ? this.#learning.shared().id : LEARNED_LAYER_ID;
    return [GLOBAL_LAYER_ID, this.#keeps ? learnedId : undefined, this.#book.layer(PAIR_LAYER)?.id];
  }

  #of(layerId: number): DirtyCells {
    if (this.#commonLayers().includes(layerId)) this.#version++;
    const known = this.#dirty.get(layerId);
    if (known !== undefined) return known;
    const fresh = { channels: new Set<ShortChannelId>(), nodes: new Set<NodeId>() };
    this.#dirty.set(layerId, fresh);
    return fresh;
  }

  #removed(layerId: number): void {
    this.#dirty.delete(layerId);
    const slot = this.#slots.get(layerId);
    if (slot === undefined) return;
    this.#slots.delete(layerId);
    this.#lane.giveSlot(slot);
  }

  #slotOf(layerId: number): number {
    const known = this.#slots.get(layerId);
    if (known !== undefined) return known;
    const slot = this.#lane.takeSlot();
    this.#slots.set(layerId, slot);
    return slot;
  }

  /** The direction of a channel of this node that leaves the node. */
  #outgoing(channel: number): number {
    return 2 * channel + (this.#channels.graph.node1[channel] === this.#node ? 0 : 1);
  }

  #ownChanges(changes: SlotChange[]): void {
    const { shortChannelIds } = this.#channels.graph;
    for (const direction of this.#own.changed) {
      const spendableMsat = this.#channels.spendableMsat(direction);
      if (this.#ownMsat.get(direction) === spendableMsat) continue;
      this.#ownMsat.set(direction, spendableMsat);
      const scid = shortChannelIds[direction >>> 1]!;
      changes.push(['channel', this.#ownSlot, scid, packCell(ownCell(direction, spendableMsat))]);
    }
    this.#own.changed.clear();
  }
}

/** A layer cell with exact knowledge of the amount that the direction can send. */
function ownCell(direction: number, spendableMsat: bigint): ChannelCell {
  const fold = exactly(spendableMsat);
  return {
    updates: [undefined, undefined],
    bias: [0, 0],
    bounds: (direction & 1) === 0 ? [fold, IDENTITY_FOLD] : [IDENTITY_FOLD, fold],
    reservedMsat: [0n, 0n],
  };
}
