/**
 * The layer book: all layers by name, every checked mutation of them, and the reservations.
 *
 * A mutation is checked, turned into a fact with its time (`LayerMutation`), applied, and, when the layer is
 * persistent, handed to the journal; replaying the journal rebuilds the layers. Subscribers learn which
 * cells changed. Nothing here knows of requests, memory layouts or databases.
 *
 * Ids: 0 the global pseudo-layer (global reservations only), 1 `auto.localchans`, then one per created layer,
 * never reused, so that whoever keeps a copy can never take a new layer for an old one of the same name.
 */
import { FulguriteError } from '../model/errors.ts';
import { type Msat, U64_MAX } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import type { PolicyUpdate } from '../model/policy.ts';
import type { ShortChannelId, ShortChannelIdDir } from '../model/short-channel-id.ts';
import { AUTOMATIC, AUTOMATIC_PREFIX } from './automatic.ts';
import type { ChannelCell, LayerCells, LayerSubscriber, NodeCell } from './cell.ts';
import type { ChannelBiasEntry, LayerMutation, NodeBiasEntry } from './entries.ts';
import { Layer } from './layer.ts';
import { LocalChannelsLayer } from './local-channels.ts';
import { type Reservation, type ReservationRequest, Reservations } from './reservations.ts';

/** Id of the pseudo-layer with the reservations that count for every request. */
export const GLOBAL_LAYER_ID = 0;

/** Id of the automatic layer `auto.localchans`. */
export const LOCAL_CHANNELS_LAYER_ID = 1;

/** The time in UNIX seconds. */
export type SecondsClock = () => number;

/**
 * Keeps persistent layers: called synchronously, in order, before each change takes effect. One that throws
 * keeps the change from happening.
 */
export interface LayerJournal {
  created(layer: Layer): void;
  mutated(layer: Layer, mutation: LayerMutation): void;
  removed(layer: Layer): void;
}

/** What a payment taught about a direction: it could not carry the amount, it could, or it did. */
export type Inform = 'constrained' | 'unconstrained' | 'succeeded';

/** A new value for a bias: absolute, or relative to the present one; either way clamped to -100..100. */
export interface BiasChange {
  readonly bias: number;
  readonly relative: boolean;
  readonly description: string | undefined;
}

/** What `askrene-inform-channel` recorded, as it is answered. The timestamp is in UNIX seconds. */
export interface InformRecord {
  readonly kind: 'minimum' | 'maximum' | 'impression';
  readonly amountMsat: bigint;
  readonly timestamp: number;
}

const clampBias = (bias: number): number => Math.max(-100, Math.min(100, bias));

const invalid = (parameter: string, reason: string, message = reason): FulguriteError =>
  new FulguriteError('invalidParams', message, { parameter, reason });

/** Holds all layers and checks every change to them. */
export class LayerBook {
  readonly #clock: SecondsClock;
  #journal: LayerJournal | undefined;
  readonly #subscribers = new Set<LayerSubscriber>();
  readonly #layers = new Map<string, Layer>();
  readonly #byId = new Map<number, Layer>();
  #nextId = LOCAL_CHANNELS_LAYER_ID + 1;
  readonly #global: Layer;
  readonly #reservations: Reservations;
  /** Our own channels; whoever owns the network connection refreshes it. */
  readonly localChannels: LocalChannelsLayer;

  readonly #fanOut: LayerSubscriber = {
    channelChanged: (layerId, shortChannelId) => {
      for (const subscriber of this.#subscribers) subscriber.channelChanged(layerId, shortChannelId);
    },
    nodeChanged: (layerId, nodeId) => {
      for (const subscriber of this.#subscribers) subscriber.nodeChanged(layerId, nodeId);
    },
    layerRemoved: (layerId) => {
      for (const subscriber of this.#subscribers) subscriber.layerRemoved(layerId);
    },
  };

  constructor(clock: SecondsClock = () => Math.floor(Date.now() / 1000)) {
    this.#clock = clock;
    this.#global = new Layer(GLOBAL_LAYER_ID, '', false, this.#fanOut);
    this.#byId.set(GLOBAL_LAYER_ID, this.#global);
    this.#reservations = new Reservations(this.#global);
    this.localChannels = new LocalChannelsLayer(LOCAL_CHANNELS_LAYER_ID, this.#fanOut);
  }

  /** Starts journaling persistent layers. Layers that exist already are taken to be in the journal. */
  journalTo(journal: LayerJournal): void {
    this.#journal = journal;
  }

  /** @returns a function that ends the subscription. */
  subscribe(subscriber: LayerSubscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  // ---------------------------------------------------------------- reading

  layer(name: string): Layer | undefined {
    return this.#layers.get(name);
  }

  /** All named layers, in the order in which they were created. */
  layers(): Iterable<Layer> {
    return this.#layers.values();
  }

  layerIdByName(name: string): number | undefined {
    return name === AUTOMATIC.localchans.name ? LOCAL_CHANNELS_LAYER_ID : this.#layers.get(name)?.id;
  }

  /** For messages: the name behind an id; undefined for the global pseudo-layer and removed layers. */
  layerNameById(layerId: number): string | undefined {
    if (layerId === GLOBAL_LAYER_ID) return undefined;
    return layerId === LOCAL_CHANNELS_LAYER_ID ? AUTOMATIC.localchans.name : this.#byId.get(layerId)?.name;
  }

  /** Every id that has or may get cells: the two fixed ones and all layers. For a fresh copy of the book. */
  layerIds(): number[] {
    return [LOCAL_CHANNELS_LAYER_ID, ...this.#byId.keys()];
  }

  channelCell(layerId: number, shortChannelId: ShortChannelId): ChannelCell | undefined {
    return this.#cellsOf(layerId)?.channelCell(shortChannelId);
  }

  nodeCell(layerId: number, nodeId: NodeId): NodeCell | undefined {
    return this.#cellsOf(layerId)?.nodeCell(nodeId);
  }

  /** Ids of all channels and nodes that have a cell in the layer; none when there is no such layer. */
  cells(layerId: number): { channelIds: Iterable<ShortChannelId>; nodeIds: Iterable<NodeId> } {
    const cells = this.#cellsOf(layerId);
    return { channelIds: cells?.channelIds() ?? [], nodeIds: cells?.nodeIds() ?? [] };
  }

  #cellsOf(layerId: number): LayerCells | undefined {
    return layerId === LOCAL_CHANNELS_LAYER_ID ? this.localChannels : this.#byId.get(layerId);
  }

  // ---------------------------------------------------------------- layers

  /**
   * The named layer, created unless `persistent` is asked and there is one (which then stays as it is).
   * @throws FulguriteError -32602 for an automatic name, or a name that is taken.
   */
  createLayer(name: string, persistent: boolean): Layer {
    if (name.startsWith(AUTOMATIC_PREFIX)) throw invalid('layer', 'Cannot create auto layer');
    const existing = this.#layers.get(name);
    if (existing !== undefined) {
      if (persistent) return existing;
      throw invalid('layer', 'Layer already exists');
    }
    const layer = new Layer(this.#nextId++, name, persistent, this.#fanOut);
    if (persistent) this.#journal?.created(layer);
    this.#layers.set(name, layer);
    this.#byId.set(layer.id, layer);
    return layer;
  }

  /** Removes the layer and the reservations tagged with it. */
  removeLayer(layer: Layer): void {
    if (this.#byId.get(layer.id) !== layer || layer === this.#global) return;
    if (layer.persistent) this.#journal?.removed(layer);
    this.#reservations.removeLayer(layer);
    this.#layers.delete(layer.name);
    this.#byId.delete(layer.id);
    this.#fanOut.layerRemoved(layer.id);
  }

  /** Applies a fact of the journal while the book is being rebuilt; nothing is journaled. */
  replay(layer: Layer, mutation: LayerMutation): void {
    layer.apply(mutation);
  }

  #commit(layer: Layer, mutation: LayerMutation): number {
    this.#checkAlive(layer);
    if (layer.persistent) this.#journal?.mutated(layer, mutation);
    return layer.apply(mutation);
  }

  /** A layer object outlives its removal in the hands of whoever holds it, but takes no more changes. */
  #checkAlive(layer: Layer): void {
    if (this.#byId.get(layer.id) !== layer)
      throw invalid('layer', 'Unknown layer', `layer: Unknown layer ${layer.name}`);
  }

  // ---------------------------------------------------------------- entries

  /**
   * Adds a channel between two nodes, in either order. Its directions stay unusable until updated.
   * @throws FulguriteError -32602 when both ends are one node, or this layer already made the channel.
   */
  createChannel(
    layer: Layer,
    source: NodeId,
    destination: NodeId,
    shortChannelId: ShortChannelId,
    capacityMsat: Msat,
  ): void {
    if (source === destination) throw invalid('destination', 'source and destination must be different');
    if (layer.createdChannel(shortChannelId) !== undefined)
      throw invalid('short_channel_id', 'channel already exists');
    const [node1, node2] = source < destination ? [source, destination] : [destination, source];
    this.#commit(layer, { type: 'createChannel', shortChannelId, node1, node2, capacityMsat });
  }

  /** Overrides the given fields; those of earlier calls stay. */
  updateChannel(layer: Layer, of: ShortChannelIdDir, update: PolicyUpdate): void {
    const { shortChannelId, direction } = of;
    this.#commit(layer, { type: 'updateChannel', shortChannelId, direction, update });
  }

  /** Forgets all overrides of the direction, if there are any. */
  removeChannelUpdate(layer: Layer, of: ShortChannelIdDir): void {
    const { shortChannelId, direction } = of;
    if (layer.channelUpdate(shortChannelId, direction) === undefined) return;
    this.#commit(layer, { type: 'removeChannelUpdate', shortChannelId, direction });
  }

  /**
   * Records what a payment taught. `constrained`: the amount on top of what was reserved at the time (for
   * everyone, or for this layer) did not fit, so at most one msat less does.
   * @throws FulguriteError -32602 when amount and reservations exceed 64 bits.
   */
  informChannel(layer: Layer, of: ShortChannelIdDir, amountMsat: Msat, inform: Inform): InformRecord {
    const record = {
      kind: ({ constrained: 'maximum', unconstrained: 'minimum', succeeded: 'impression' } as const)[inform],
      amountMsat: inform === 'constrained' ? this.#largestThatFits(layer, of, amountMsat) : amountMsat,
      timestamp: this.#clock(),
    };
    const { shortChannelId, direction } = of;
    this.#commit(layer, { type: 'inform', shortChannelId, direction, ...record });
    return record;
  }

  #largestThatFits(layer: Layer, of: ShortChannelIdDir, amountMsat: Msat): bigint {
    const { shortChannelId, direction } = of;
    const reserved =
      this.#global.reservedMsat(shortChannelId, direction) + layer.reservedMsat(shortChannelId, direction);
    const failed = amountMsat + reserved;
    if (failed > U64_MAX) throw invalid('amount_msat', 'Amount overflow with reserves');
    return failed === 0n ? 0n : failed - 1n;
  }

  /** @returns the entry, or undefined when the new bias is 0 and the entry is gone. */
  biasChannel(layer: Layer, of: ShortChannelIdDir, change: BiasChange): ChannelBiasEntry | undefined {
    const { shortChannelId, direction } = of;
    const before = layer.channelBias(shortChannelId, direction)?.bias ?? 0;
    const bias = clampBias(change.relative ? before + change.bias : change.bias);
    const entry = { shortChannelId, direction, bias, ...this.#annotation(change) };
    this.#commit(layer, { type: 'biasChannel', ...entry });
    return layer.channelBias(shortChannelId, direction);
  }

  /** @returns the entry, or undefined when both its biases are 0 and it is gone. */
  biasNode(layer: Layer, node: NodeId, side: 'in' | 'out', change: BiasChange): NodeBiasEntry | undefined {
    const before = layer.nodeBias(node);
    const biases = { inBias: before?.inBias ?? 0, outBias: before?.outBias ?? 0 };
    const field = side === 'in' ? 'inBias' : 'outBias';
    biases[field] = clampBias(change.relative ? biases[field] + change.bias : change.bias);
    this.#commit(layer, { type: 'biasNode', node, ...biases, ...this.#annotation(change) });
    return layer.nodeBias(node);
  }

  #annotation({ description }: BiasChange): { description: string | undefined; timestamp: number } {
    return { description, timestamp: this.#clock() };
  }

  /** Blocks every direction out of and into the node (but not payments to itself). */
  disableNode(layer: Layer, node: NodeId): void {
    this.#commit(layer, { type: 'disableNode', node });
  }

  /** Forgets constraints, impressions and biases made before `cutoff` (UNIX seconds), and counts them. */
  age(layer: Layer, cutoff: bigint): number {
    if (!layer.mayAge(cutoff)) return 0;
    return this.#commit(layer, { type: 'age', cutoff });
  }

  // ---------------------------------------------------------------- reservations

  /**
   * Reserves every element of a path.
   * @throws FulguriteError -32602 when one names a layer that was removed; then nothing is reserved.
   */
  reserve(path: readonly ReservationRequest[], commandId: string): void {
    for (const { layer } of path) if (layer !== undefined) this.#checkAlive(layer);
    this.#reservations.reserve(path, this.#clock(), commandId);
  }

  /** @throws FulguriteError -32602 naming the first element that is not reserved; then nothing changed. */
  unreserve(path: readonly ReservationRequest[]): void {
    this.#reservations.unreserve(path);
  }

  unreserveAll(): void {
    this.#reservations.clear();
  }

  /** The reservations that count for everyone, or those of a layer, oldest first. */
  reservations(layer?: Layer): Iterable<Reservation> {
    return this.#reservations.list(layer);
  }

  /** UNIX seconds by this book's clock. */
  now(): number {
    return this.#clock();
  }
}
