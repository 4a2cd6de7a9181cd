/**
 * The layer book: all layers by name, every checked change of them, and the reservations.
 *
 * A change is first checked and converted to a `LayerMutation`, which contains its time. If the layer is persistent,
 * the mutation is then passed to the journal. Then it is applied. Replaying the journal rebuilds the layers.
 * Subscribers are notified of changed cells. The book does not depend on requests, memory layouts or databases.
 *
 * Ids: 0 is the global pseudo-layer, which has only global reservations. 1 to 3 are automatic layers. Each further
 * layer, created here or foreign, gets the next id. Ids are never reused, so a copy cannot confuse a new layer with an
 * old one of the same name.
 */
import { type Msat, U64_MAX } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import type { PolicyUpdate } from '../model/policy.ts';
import type { ShortChannelId, ShortChannelIdDir } from '../model/short-channel-id.ts';
import { AUTOMATIC, AUTOMATIC_PREFIX } from './automatic.ts';
import type { ChannelCell, LayerCells, LayerSubscriber, NodeCell } from './cell.ts';
import type { ChannelBiasEntry, LayerMutation, NodeBiasEntry } from './entries.ts';
import { ForeignLayers } from './foreign-layers.ts';
import { ForeignReservations } from './foreign-reservations.ts';
import { Layer } from './layer.ts';
import { LearnedLayer } from './learned-layer.ts';
import type { OddsTable } from './learned-odds.ts';
import { LocalChannelsLayer } from './local-channels.ts';
import { PurseLayer } from './purse-layer.ts';
import { LayerRefused } from './refusal.ts';
import {
  type Reservation,
  type ReservationRequest,
  Reservations,
  type ReservationWatcher,
} from './reservations.ts';
import { type Splice, splicedEntries } from './splice.ts';

/** Id of the pseudo-layer with the reservations that apply to every request. */
export const GLOBAL_LAYER_ID = 0;

/** Id of the automatic layer `auto.localchans`. */
export const LOCAL_CHANNELS_LAYER_ID = 1;

/** Id of the automatic layer `auto.purse`. */
export const PURSE_LAYER_ID = 2;

/** Id of the automatic layer `auto.learned`. */
export const LEARNED_LAYER_ID = 3;

/** Returns the time in UNIX seconds. */
export type SecondsClock = () => number;

/**
 * Stores persistent layers. Called synchronously and in order, before each change takes effect. If it throws, the
 * change does not happen.
 */
export interface LayerJournal {
  created(layer: Layer): void;
  mutated(layer: Layer, mutation: LayerMutation): void;
  /**
   * If present, called instead of `mutated`, because changes may have to be undone. @returns a function to which the
   * undo function is passed
   */
  mutatedForNow?(layer: Layer, mutation: LayerMutation): (undo: () => void) => void;
  removed(layer: Layer): void;
}

/**
 * Called synchronously after a named layer was created, changed or removed. Changes of reservations and of automatic
 * layers are not reported. A watcher must not change the book.
 */
export interface LayerWatcher {
  created(layer: Layer): void;
  changed(layer: Layer): void;
  removed(layer: Layer): void;
}

/** What a payment showed about a direction: it could not carry the amount, could carry it, or did carry it. */
export type Inform = 'constrained' | 'unconstrained' | 'succeeded';

/** A new value for a bias, absolute or relative to the current one. The result is clamped to -100..100. */
export interface BiasChange {
  readonly bias: number;
  readonly relative: boolean;
  readonly description: string | undefined;
}

/** The record made by `askrene-inform-channel`, as the command returns it. The timestamp is in UNIX seconds. */
export interface InformRecord {
  readonly kind: 'minimum' | 'maximum' | 'impression';
  readonly amountMsat: bigint;
  readonly timestamp: number;
}

const clampBias = (bias: number): number => Math.max(-100, Math.min(100, bias));

/** Ids of the automatic layers that have cells, by name. */
const AUTOMATIC_IDS: ReadonlyMap<string, number> = new Map([
  [AUTOMATIC.localchans.name, LOCAL_CHANNELS_LAYER_ID],
  [AUTOMATIC.purse.name, PURSE_LAYER_ID],
  [AUTOMATIC.learned.name, LEARNED_LAYER_ID],
]);

/** The name of the automatic layer with this id. Undefined for other ids. */
export function nameOfAutomatic(layerId: number): string | undefined {
  for (const [name, id] of AUTOMATIC_IDS) if (id === layerId) return name;
  return undefined;
}

/** Holds all layers and checks every change to them. */
export class LayerBook {
  readonly #clock: SecondsClock;
  #journal: LayerJournal | undefined;
  readonly #subscribers = new Set<LayerSubscriber>();
  readonly #watchers = new Set<LayerWatcher>();
  readonly #layers = new Map<string, Layer>();
  readonly #byId = new Map<number, Layer>();
  #nextId = LEARNED_LAYER_ID + 1;
  readonly #global: Layer;
  readonly #reservations: Reservations;
  /** Reservations of other daemons of the fleet. */
  readonly foreignReservations: ForeignReservations;
  /** Automatic layers of other daemons of the fleet. Only solvers have them. */
  readonly foreignLayers: ForeignLayers;
  /** Our own channels. The owner of the network connection updates this layer. */
  readonly localChannels: LocalChannelsLayer;
  /** All our nodes as one source. The owner of the network connections updates this layer. */
  readonly purse: PurseLayer;
  /** Knowledge from attempts. `LearnedBeliefs` updates this layer. */
  readonly learned: LearnedLayer;

  /** The new ids of spliced channels. Entries for the old id apply to the new one. */
  readonly #successors = new Map<ShortChannelId, ShortChannelId>();

  readonly #fanOut: LayerSubscriber = {
    channelChanged: (layerId, shortChannelId) => {
      for (const subscriber of this.#subscribers) subscriber.channelChanged(layerId, shortChannelId);
    },
    nodeChanged: (layerId, nodeId) => {
      for (const subscriber of this.#subscribers) subscriber.nodeChanged(layerId, nodeId);
    },
    oddsChanged: (layerId) => {
      for (const subscriber of this.#subscribers) subscriber.oddsChanged?.(layerId);
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
    this.foreignReservations = new ForeignReservations(this.#global);
    this.foreignLayers = new ForeignLayers(() => this.#nextId++, this.#fanOut);
    this.localChannels = new LocalChannelsLayer(LOCAL_CHANNELS_LAYER_ID, this.#fanOut);
    this.purse = new PurseLayer(PURSE_LAYER_ID, this.#fanOut);
    this.learned = new LearnedLayer(LEARNED_LAYER_ID, this.#fanOut);
  }

  /** Starts to journal persistent layers. Existing layers must already be in the journal. */
  journalTo(journal: LayerJournal): void {
    this.#journal = journal;
  }

  /** Subscribes to changes of cells. @returns a function that ends the subscription */
  subscribe(subscriber: LayerSubscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  /**
   * Notifies the watcher when any layer is created, changed or removed, except automatic ones.
   * @returns a function that ends the watch
   */
  watch(watcher: LayerWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  // ---------------------------------------------------------------- reading

  layer(name: string): Layer | undefined {
    return this.#layers.get(name);
  }

  /** All named layers, in order of creation. */
  layers(): Iterable<Layer> {
    return this.#layers.values();
  }

  layerIdByName(name: string): number | undefined {
    return AUTOMATIC_IDS.get(name) ?? this.#layers.get(name)?.id;
  }

  /** The name of the layer with this id. Undefined for the global pseudo-layer, foreign layers and removed layers. */
  layerNameById(layerId: number): string | undefined {
    if (layerId === GLOBAL_LAYER_ID) return undefined;
    return nameOfAutomatic(layerId) ?? this.#byId.get(layerId)?.name;
  }

  /** All ids that may have cells: the fixed ids, and the ids of all layers. Used for a full copy of the book. */
  layerIds(): number[] {
    const automatic = [...AUTOMATIC_IDS.values(), ...this.foreignLayers.ids()];
    return [...automatic, ...this.#byId.keys()];
  }

  /** Sum of the global reservations of a direction. */
  reservedMsat({ shortChannelId, direction }: ShortChannelIdDir): bigint {
    return this.#global.reservedMsat(shortChannelId, direction);
  }

  channelCell(layerId: number, shortChannelId: ShortChannelId): ChannelCell | undefined {
    return this.#cellsOf(layerId)?.channelCell(shortChannelId);
  }

  nodeCell(layerId: number, nodeId: NodeId): NodeCell | undefined {
    return this.#cellsOf(layerId)?.nodeCell(nodeId);
  }

  /** A layer's odds for all directions. */
  odds(layerId: number): OddsTable | undefined {
    return this.#cellsOf(layerId)?.odds;
  }

  /** Ids of all channels and nodes with a cell in the layer. Empty if the layer does not exist. */
  cells(layerId: number): { channelIds: Iterable<ShortChannelId>; nodeIds: Iterable<NodeId> } {
    const cells = this.#cellsOf(layerId);
    return { channelIds: cells?.channelIds() ?? [], nodeIds: cells?.nodeIds() ?? [] };
  }

  #cellsOf(layerId: number): LayerCells | undefined {
    if (layerId === LOCAL_CHANNELS_LAYER_ID) return this.localChannels;
    if (layerId === LEARNED_LAYER_ID) return this.learned;
    if (layerId === PURSE_LAYER_ID) return this.purse;
    return this.#byId.get(layerId) ?? this.foreignLayers.cellsOf(layerId);
  }

  // ---------------------------------------------------------------- layers

  /**
   * Creates a layer. If `persistent` is requested and the name exists, the existing layer is returned unchanged.
   * @throws LayerRefused for the name of an automatic layer, or a name in use
   */
  createLayer(name: string, persistent: boolean): Layer {
    if (name.startsWith(AUTOMATIC_PREFIX)) throw new LayerRefused({ kind: 'automaticName' });
    const existing = this.#layers.get(name);
    if (existing !== undefined) {
      if (persistent) return existing;
      throw new LayerRefused({ kind: 'nameTaken' });
    }
    const layer = new Layer(this.#nextId++, name, persistent, this.#fanOut);
    if (persistent) this.#journal?.created(layer);
    this.#add(layer);
    return layer;
  }

  #add(layer: Layer): void {
    this.#layers.set(layer.name, layer);
    this.#byId.set(layer.id, layer);
    for (const watcher of this.#watchers) watcher.created(layer);
  }

  /** Removes the layer and the reservations tagged with it. */
  removeLayer(layer: Layer): void {
    if (this.#byId.get(layer.id) !== layer || layer === this.#global) return;
    if (layer.persistent) this.#journal?.removed(layer);
    this.#drop(layer);
  }

  #drop(layer: Layer): void {
    this.#reservations.removeLayer(layer);
    this.#layers.delete(layer.name);
    this.#byId.delete(layer.id);
    this.#fanOut.layerRemoved(layer.id);
    for (const watcher of this.#watchers) watcher.removed(layer);
  }

  /** Applies a mutation from the journal during recovery. It is not journaled again. */
  replay(layer: Layer, mutation: LayerMutation): void {
    layer.apply(mutation);
  }

  // The next six methods are for a journal that several daemons share (`layer-replica.ts`). They journal nothing.

  /** Adds a persistent layer that another daemon made. It replaces a non-persistent layer of the same name. */
  adoptLayer(name: string): Layer {
    const passing = this.#layers.get(name);
    if (passing !== undefined) this.#drop(passing);
    const layer = new Layer(this.#nextId++, name, true, this.#fanOut);
    this.#add(layer);
    return layer;
  }

  /** Removes a layer that another daemon removed. */
  dropLayer(layer: Layer): void {
    if (this.#byId.get(layer.id) === layer) this.#drop(layer);
  }

  /** Applies a mutation that another daemon made. */
  follow(layer: Layer, mutation: LayerMutation): void {
    layer.apply(mutation);
    for (const watcher of this.#watchers) watcher.changed(layer);
  }

  /** Notifies subscribers of the removal of a layer, so that they drop their copies. */
  discard(layer: Layer): void {
    this.#fanOut.layerRemoved(layer.id);
  }

  /** Removes a layer temporarily, without notifications. @returns its place in the order of layers, for `putBack` */
  takeOut(layer: Layer): number {
    const place = [...this.#layers.keys()].indexOf(layer.name);
    this.#layers.delete(layer.name);
    this.#byId.delete(layer.id);
    return place;
  }

  /** Restores a layer, without notifications. @param place its place in the order of layers; by default the last */
  putBack(layer: Layer, place = this.#layers.size): void {
    const after = [...this.#layers].slice(place);
    for (const [name] of after) this.#layers.delete(name);
    this.#layers.set(layer.name, layer);
    for (const [name, one] of after) this.#layers.set(name, one);
    this.#byId.set(layer.id, layer);
  }

  /** Applies a mutation that was made and checked elsewhere, and journals it. */
  adopt(layer: Layer, mutation: LayerMutation): void {
    this.#commit(layer, mutation);
  }

  #commit(layer: Layer, mutation: LayerMutation): number {
    this.#checkAlive(layer);
    const affected = layer.persistent ? this.#journaled(layer, mutation) : layer.apply(mutation);
    for (const watcher of this.#watchers) watcher.changed(layer);
    return affected;
  }

  #journaled(layer: Layer, mutation: LayerMutation): number {
    if (this.#journal?.mutatedForNow === undefined) {
      this.#journal?.mutated(layer, mutation);
      return layer.apply(mutation);
    }
    const keep = this.#journal.mutatedForNow(layer, mutation);
    const { affected, undo } = layer.applyReversibly(mutation);
    keep(undo);
    return affected;
  }

  /** @throws LayerRefused for a removed layer. Callers may still have its object, but must not change it. */
  #checkAlive(layer: Layer): void {
    if (this.#byId.get(layer.id) !== layer) throw new LayerRefused({ kind: 'removed', name: layer.name });
  }

  // ---------------------------------------------------------------- splices

  /** The current id of a channel. It differs from the given id if the channel was spliced. */
  nowCalled(shortChannelId: ShortChannelId): ShortChannelId {
    let id = shortChannelId;
    for (let next = this.#successors.get(id); next !== undefined; next = this.#successors.get(id)) id = next;
    return id;
  }

  /**
   * Moves the reservations of the id `from` to the id `to`, and applies all further entries for `from` to `to`. Refuses
   * loops. @returns whether the alias is new
   */
  alias(from: ShortChannelId, to: ShortChannelId): boolean {
    if (this.#successors.has(from) || this.nowCalled(to) === from) return false;
    this.#successors.set(from, to);
    this.#reservations.rename(from, to);
    return true;
  }

  /**
   * Moves reservations, and copies beliefs, overrides and biases, to the new id of a spliced channel. The old id stays
   * an alias.
   * @param mayChange returns whether this book changes a layer; in a fleet, another daemon may do so
   */
  followSplice(splice: Splice, mayChange: (layer: Layer) => boolean = () => true): void {
    if (!this.alias(splice.from, splice.to)) return;
    for (const layer of this.#layers.values()) {
      if (!mayChange(layer)) continue;
      for (const mutation of splicedEntries(layer, splice)) this.#commit(layer, mutation);
    }
  }

  #renamed(of: ShortChannelIdDir): ShortChannelIdDir {
    if (this.#successors.size === 0) return of;
    return { ...of, shortChannelId: this.nowCalled(of.shortChannelId) };
  }

  #renamedPath(path: readonly ReservationRequest[]): readonly ReservationRequest[] {
    if (this.#successors.size === 0) return path;
    return path.map((one) => ({ ...one, shortChannelIdDir: this.#renamed(one.shortChannelIdDir) }));
  }

  // ---------------------------------------------------------------- entries

  /**
   * Adds a channel between two nodes, given in either order. Its directions are unusable until they are updated.
   * @throws LayerRefused if both ends are the same node, or this layer already has the channel
   */
  createChannel(
    layer: Layer,
    source: NodeId,
    destination: NodeId,
    shortChannelId: ShortChannelId,
    capacityMsat: Msat,
  ): void {
    if (source === destination) throw new LayerRefused({ kind: 'sameEnds' });
    if (layer.createdChannel(shortChannelId) !== undefined) throw new LayerRefused({ kind: 'channelExists' });
    const [node1, node2] = source < destination ? [source, destination] : [destination, source];
    this.#commit(layer, { type: 'createChannel', shortChannelId, node1, node2, capacityMsat });
  }

  /** Overrides the given fields of a direction's policy. Fields overridden by earlier calls stay overridden. */
  updateChannel(layer: Layer, of: ShortChannelIdDir, update: PolicyUpdate): void {
    const { shortChannelId, direction } = this.#renamed(of);
    this.#commit(layer, { type: 'updateChannel', shortChannelId, direction, update });
  }

  /** Removes all overrides of the direction, if any. */
  removeChannelUpdate(layer: Layer, of: ShortChannelIdDir): void {
    const { shortChannelId, direction } = this.#renamed(of);
    if (layer.channelUpdate(shortChannelId, direction) === undefined) return;
    this.#commit(layer, { type: 'removeChannelUpdate', shortChannelId, direction });
  }

  /**
   * Records what a payment showed. `constrained` means that the direction could not carry the amount in addition to the
   * current reservations (global, or of this layer). So the direction passes at most one msat less than their sum.
   * @throws LayerRefused if the sum of amount and reservations exceeds 64 bits
   */
  informChannel(layer: Layer, of: ShortChannelIdDir, amountMsat: Msat, inform: Inform): InformRecord {
    const now = this.#renamed(of);
    const record = {
      kind: ({ constrained: 'maximum', unconstrained: 'minimum', succeeded: 'impression' } as const)[inform],
      amountMsat: inform === 'constrained' ? this.#largestThatFits(layer, now, amountMsat) : amountMsat,
      timestamp: this.#clock(),
    };
    const { shortChannelId, direction } = now;
    this.#commit(layer, { type: 'inform', shortChannelId, direction, ...record });
    return record;
  }

  #largestThatFits(layer: Layer, of: ShortChannelIdDir, amountMsat: Msat): bigint {
    const { shortChannelId, direction } = of;
    const reserved =
      this.#global.reservedMsat(shortChannelId, direction) + layer.reservedMsat(shortChannelId, direction);
    const failed = amountMsat + reserved;
    if (failed > U64_MAX) throw new LayerRefused({ kind: 'amountOverflow' });
    return failed === 0n ? 0n : failed - 1n;
  }

  /** Changes the bias of a direction. @returns the entry; undefined if the new bias is 0, which removes the entry */
  biasChannel(layer: Layer, of: ShortChannelIdDir, change: BiasChange): ChannelBiasEntry | undefined {
    const { shortChannelId, direction } = this.#renamed(of);
    const before = layer.channelBias(shortChannelId, direction)?.bias ?? 0;
    const bias = clampBias(change.relative ? before + change.bias : change.bias);
    const entry = { shortChannelId, direction, bias, ...this.#annotation(change) };
    this.#commit(layer, { type: 'biasChannel', ...entry });
    return layer.channelBias(shortChannelId, direction);
  }

  /** Changes a bias of a node. @returns the entry; undefined if both biases are now 0, which removes the entry */
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

  /** Blocks every direction from the node, and every direction to it except in payments to this node. */
  disableNode(layer: Layer, node: NodeId): void {
    this.#commit(layer, { type: 'disableNode', node });
  }

  /** Removes constraints, impressions and biases from before `cutoff` (UNIX seconds). @returns how many were removed */
  age(layer: Layer, cutoff: bigint): number {
    if (!layer.mayAge(cutoff)) return 0;
    return this.#commit(layer, { type: 'age', cutoff });
  }

  // ---------------------------------------------------------------- reservations

  /**
   * Reserves every element of a path.
   * @throws LayerRefused if an element names a removed layer; then nothing is reserved
   */
  reserve(path: readonly ReservationRequest[], commandId: string): void {
    for (const { layer } of path) if (layer !== undefined) this.#checkAlive(layer);
    this.#reservations.reserve(this.#renamedPath(path), this.#clock(), commandId);
  }

  /**
   * Releases every element of a path.
   * @throws LayerRefused with the first element that has no reservation; then nothing has changed
   */
  unreserve(path: readonly ReservationRequest[]): void {
    this.#reservations.unreserve(this.#renamedPath(path));
  }

  unreserveAll(): void {
    this.#reservations.clear();
  }

  /**
   * The reservations of a layer, or the global reservations: first our own, oldest first, then those of other daemons.
   */
  *reservations(layer?: Layer): Iterable<Reservation> {
    yield* this.#reservations.list(layer);
    if (layer === undefined) yield* this.foreignReservations.list();
  }

  /** The global reservations made here, oldest first. */
  ownReservations(): Iterable<Reservation> {
    return this.#reservations.list();
  }

  /** Watches global reservations that are made or released here. @returns a function that ends the watch */
  watchReservations(watcher: ReservationWatcher): () => void {
    return this.#reservations.watch(watcher);
  }

  /** The time in UNIX seconds, by the clock of this book. */
  now(): number {
    return this.#clock();
  }
}
