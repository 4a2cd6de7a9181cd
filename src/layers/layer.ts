/**
 * One layer: its entries by kind, in order of creation, and the resulting cells.
 *
 * Every mutation is O(1), except ageing, which examines all entries that can age if there may be anything to remove. A
 * kind without entries takes no memory, because each payment gets a layer, and most of these layers have only a few
 * entries.
 */
import type { NodeId } from '../model/node-id.ts';
import type { Direction, ShortChannelId } from '../model/short-channel-id.ts';
import { type BoundsFold, clampAmount, IDENTITY_FOLD } from './bounds-fold.ts';
import {
  type ChannelCell,
  directionKey,
  type LayerCells,
  type LayerSubscriber,
  type NodeCell,
  type PerDirection,
} from './cell.ts';
import { ChannelHistory } from './channel-history.ts';
import type {
  ChannelBiasEntry,
  ChannelUpdateEntry,
  CreatedChannelEntry,
  LayerMutation,
  NodeBiasEntry,
} from './entries.ts';
import { LiquidityRecords } from './liquidity-records.ts';

const NO_RECORDS = new LiquidityRecords();
const NO_BOUNDS: ChannelCell['bounds'] = [IDENTITY_FOLD, IDENTITY_FOLD];
const NEITHER: PerDirection<undefined> = [undefined, undefined];

/** The entries of the two directions of a channel. */
function both<T>(
  entries: ReadonlyMap<bigint, T> | undefined,
  channel: ShortChannelId,
): PerDirection<T | undefined> {
  if (entries === undefined || entries.size === 0) return NEITHER;
  return [entries.get(directionKey(channel, 0)), entries.get(directionKey(channel, 1))];
}

const isNeither = ([forward, backward]: PerDirection<unknown>): boolean =>
  forward === undefined && backward === undefined;

/** One layer of a route request: what a user or a payment added about channels and nodes. */
export class Layer implements LayerCells {
  /** Id of the layer, never reused. 0 is the global pseudo-layer, which contains only global reservations. */
  readonly id: number;
  readonly name: string;
  readonly persistent: boolean;
  readonly #subscriber: LayerSubscriber;

  #disabledNodes: NodeId[] | undefined;
  #disabled: Set<NodeId> | undefined;
  #created: Map<ShortChannelId, CreatedChannelEntry> | undefined;
  #updates: Map<bigint, ChannelUpdateEntry> | undefined;
  #records: LiquidityRecords | undefined;
  #histories: Map<ShortChannelId, ChannelHistory> | undefined;
  #biases: Map<bigint, ChannelBiasEntry> | undefined;
  #nodeBiases: Map<NodeId, NodeBiasEntry> | undefined;
  #reserved: Map<bigint, bigint> | undefined;
  /** No entry that can age is older than this, in UNIX seconds. So ageing costs nothing if there are no old entries. */
  #oldest = Number.POSITIVE_INFINITY;

  constructor(id: number, name: string, persistent: boolean, subscriber: LayerSubscriber) {
    this.id = id;
    this.name = name;
    this.persistent = persistent;
    this.#subscriber = subscriber;
  }

  /** Ids passed to `askrene-disable-node`, including repetitions. */
  get disabledNodes(): readonly NodeId[] {
    return this.#disabledNodes ?? [];
  }
  get createdChannels(): Iterable<CreatedChannelEntry> {
    return this.#created?.values() ?? [];
  }
  get channelUpdates(): Iterable<ChannelUpdateEntry> {
    return this.#updates?.values() ?? [];
  }
  /**
   * All constraints and impressions, in order of insertion. Only appended to: once old records are removed, this is
   * another object.
   */
  get records(): Omit<LiquidityRecords, 'push' | 'pop' | 'link'> {
    return this.#records ?? NO_RECORDS;
  }
  get biases(): Iterable<ChannelBiasEntry> {
    return this.#biases?.values() ?? [];
  }
  get nodeBiases(): Iterable<NodeBiasEntry> {
    return this.#nodeBiases?.values() ?? [];
  }

  createdChannel(shortChannelId: ShortChannelId): CreatedChannelEntry | undefined {
    return this.#created?.get(shortChannelId);
  }
  channelUpdate(shortChannelId: ShortChannelId, direction: Direction): ChannelUpdateEntry | undefined {
    return this.#updates?.get(directionKey(shortChannelId, direction));
  }
  channelBias(shortChannelId: ShortChannelId, direction: Direction): ChannelBiasEntry | undefined {
    return this.#biases?.get(directionKey(shortChannelId, direction));
  }
  nodeBias(node: NodeId): NodeBiasEntry | undefined {
    return this.#nodeBiases?.get(node);
  }
  /** Sum of the direction's reservations tagged with this layer. */
  reservedMsat(shortChannelId: ShortChannelId, direction: Direction): bigint {
    return this.#reserved?.get(directionKey(shortChannelId, direction)) ?? 0n;
  }

  /** Whether ageing may remove something. If this returns false, it certainly removes nothing. O(1). */
  mayAge(cutoff: bigint): boolean {
    return cutoff > this.#oldest;
  }

  /** Applies a checked mutation and notifies the subscriber. @returns the number of entries that ageing removed. */
  apply(mutation: LayerMutation): number {
    switch (mutation.type) {
      case 'createChannel':
        this.#created ??= new Map();
        this.#created.set(mutation.shortChannelId, createdEntry(mutation));
        return this.#channelChanged(mutation.shortChannelId);
      case 'updateChannel':
        this.#mergeUpdate(mutation);
        return this.#channelChanged(mutation.shortChannelId);
      case 'removeChannelUpdate':
        this.#updates?.delete(directionKey(mutation.shortChannelId, mutation.direction));
        return this.#channelChanged(mutation.shortChannelId);
      case 'inform':
        this.#inform(mutation);
        return this.#channelChanged(mutation.shortChannelId);
      case 'biasChannel':
        this.#setBias(mutation);
        return this.#channelChanged(mutation.shortChannelId);
      case 'biasNode':
        this.#setNodeBias(mutation);
        return this.#nodeChanged(mutation.node);
      case 'disableNode':
        this.#disabledNodes ??= [];
        this.#disabledNodes.push(mutation.node);
        this.#disabled ??= new Set();
        this.#disabled.add(mutation.node);
        return this.#nodeChanged(mutation.node);
      case 'age':
        return this.#age(mutation.cutoff);
    }
  }

  /**
   * Like `apply`, but also returns a function that undoes the mutation, including the order of entries. Call it only in
   * the state right after this mutation, so undo several mutations in reverse order.
   */
  applyReversibly(mutation: LayerMutation): { readonly affected: number; readonly undo: () => void } {
    const oldest = this.#oldest;
    const restore = this.#restoring(mutation);
    const affected = this.apply(mutation);
    const undo = (): void => {
      restore();
      this.#oldest = oldest;
    };
    return { affected, undo };
  }

  /** Creates the undo function of a mutation that is about to be applied. */
  #restoring(mutation: LayerMutation): () => void {
    switch (mutation.type) {
      case 'createChannel': {
        const { shortChannelId } = mutation;
        const restore = restoring(this.#created, shortChannelId, false);
        return () => {
          restore(this.#created!);
          this.#channelChanged(shortChannelId);
        };
      }
      case 'updateChannel':
      case 'removeChannelUpdate': {
        const key = directionKey(mutation.shortChannelId, mutation.direction);
        const restore = restoring(this.#updates, key, mutation.type === 'removeChannelUpdate');
        return () => {
          if (this.#updates !== undefined) restore(this.#updates);
          this.#channelChanged(mutation.shortChannelId);
        };
      }
      case 'biasChannel': {
        const key = directionKey(mutation.shortChannelId, mutation.direction);
        const restore = restoring(this.#biases, key, mutation.bias === 0);
        return () => {
          restore(this.#biases!);
          this.#channelChanged(mutation.shortChannelId);
        };
      }
      case 'biasNode': {
        const { node, inBias, outBias } = mutation;
        const restore = restoring(this.#nodeBiases, node, inBias === 0 && outBias === 0);
        return () => {
          restore(this.#nodeBiases!);
          this.#nodeChanged(node);
        };
      }
      case 'inform':
        return () => this.#takeBackRecord(mutation.shortChannelId);
      case 'disableNode': {
        const wasDisabled = this.#disabled?.has(mutation.node) ?? false;
        return () => {
          this.#disabledNodes!.pop();
          if (!wasDisabled) this.#disabled!.delete(mutation.node);
          this.#nodeChanged(mutation.node);
        };
      }
      case 'age':
        return this.#restoringAged(mutation.cutoff);
    }
  }

  #takeBackRecord(shortChannelId: ShortChannelId): void {
    const history = this.#histories!.get(shortChannelId)!;
    history.pop(this.#records!);
    this.#records!.pop();
    if (history.size === 0) this.#histories!.delete(shortChannelId);
    this.#channelChanged(shortChannelId);
  }

  #restoringAged(cutoff: bigint): () => void {
    const records = this.#records;
    const [biases, nodeBiases] = [[...(this.#biases ?? [])], [...(this.#nodeBiases ?? [])]];
    return () => {
      this.#records = records;
      refill(this.#biases, biases);
      refill(this.#nodeBiases, nodeBiases);
      const isOld = ({ timestamp }: { readonly timestamp: number }): boolean => timestamp < cutoff;
      const changed = new Set(records?.since(cutoff).removed);
      for (const shortChannelId of changed) this.#histories!.set(shortChannelId, new ChannelHistory());
      for (let sequence = records?.first ?? 0; sequence < (records?.end ?? 0); sequence++) {
        const shortChannelId = records!.at(sequence)?.shortChannelId;
        if (shortChannelId !== undefined && changed.has(shortChannelId))
          this.#histories!.get(shortChannelId)!.append(records!, sequence);
      }
      for (const [, bias] of biases) if (isOld(bias)) changed.add(bias.shortChannelId);
      for (const shortChannelId of changed) this.#channelChanged(shortChannelId);
      for (const [node, bias] of nodeBiases) if (isOld(bias)) this.#nodeChanged(node);
    };
  }

  /** Changes the sum of reservations of a direction. The book keeps the reservations themselves. */
  addReserved(shortChannelId: ShortChannelId, direction: Direction, amountMsat: bigint): void {
    const key = directionKey(shortChannelId, direction);
    const sum = (this.#reserved?.get(key) ?? 0n) + amountMsat;
    this.#reserved ??= new Map();
    if (sum === 0n) this.#reserved.delete(key);
    else this.#reserved.set(key, sum);
    this.#channelChanged(shortChannelId);
  }

  channelCell(shortChannelId: ShortChannelId): ChannelCell | undefined {
    const created = this.#created?.get(shortChannelId);
    const history = this.#histories?.get(shortChannelId);
    const updates = both(this.#updates, shortChannelId);
    const biases = both(this.#biases, shortChannelId);
    const reserved = both(this.#reserved, shortChannelId);
    const hasEntries = created !== undefined || history !== undefined;
    if (!hasEntries && isNeither(updates) && isNeither(biases) && isNeither(reserved)) return undefined;
    return {
      updates: [updates[0]?.update, updates[1]?.update],
      bias: [biases[0]?.bias ?? 0, biases[1]?.bias ?? 0],
      bounds: history?.folds(this.#records!) ?? NO_BOUNDS,
      reservedMsat: [clampAmount(reserved[0] ?? 0n), clampAmount(reserved[1] ?? 0n)],
      ...(created !== undefined && { created }),
    };
  }

  /** Largest timestamp of a channel's records so far, in UNIX seconds. Undefined if the channel has no records. */
  latestRecord(shortChannelId: ShortChannelId): number | undefined {
    return this.#histories?.get(shortChannelId)?.latest;
  }

  /** The effect of a channel's records on its bounds. Undefined if there are no records. */
  bounds(shortChannelId: ShortChannelId): PerDirection<BoundsFold> | undefined {
    return this.#histories?.get(shortChannelId)?.folds(this.#records!);
  }

  /**
   * The effect of a channel's records on its bounds, where a maximum is dropped once a larger amount has passed.
   * Undefined if there are no records.
   */
  revisedBounds(shortChannelId: ShortChannelId): PerDirection<BoundsFold> | undefined {
    return this.#histories?.get(shortChannelId)?.revisedFolds(this.#records!);
  }

  /** The amount that a channel's records moved out of a direction, minus the amount moved into it. */
  movedMsat(shortChannelId: ShortChannelId, direction: Direction): bigint {
    return this.#histories?.get(shortChannelId)?.movedMsat(direction) ?? 0n;
  }

  nodeCell(node: NodeId): NodeCell | undefined {
    const disabled = this.#disabled?.has(node) ?? false;
    const bias = this.#nodeBiases?.get(node);
    if (!disabled && bias === undefined) return undefined;
    return { disabled, inBias: bias?.inBias ?? 0, outBias: bias?.outBias ?? 0 };
  }

  channelIds(): Iterable<ShortChannelId> {
    const ids = new Set<ShortChannelId>([
      ...(this.#created?.keys() ?? []),
      ...(this.#histories?.keys() ?? []),
    ]);
    for (const keyed of [this.#updates, this.#biases, this.#reserved]) {
      for (const key of keyed?.keys() ?? []) ids.add((key >> 1n) as ShortChannelId);
    }
    return ids;
  }

  nodeIds(): Iterable<NodeId> {
    return new Set<NodeId>([...(this.#disabled ?? []), ...(this.#nodeBiases?.keys() ?? [])]);
  }

  #channelChanged(shortChannelId: ShortChannelId): 0 {
    this.#subscriber.channelChanged(this.id, shortChannelId);
    return 0;
  }

  #nodeChanged(node: NodeId): 0 {
    this.#subscriber.nodeChanged(this.id, node);
    return 0;
  }

  #mergeUpdate({ shortChannelId, direction, update }: ChannelUpdateEntry): void {
    const key = directionKey(shortChannelId, direction);
    const merged = { ...this.#updates?.get(key)?.update, ...update };
    this.#updates ??= new Map();
    this.#updates.set(key, { shortChannelId, direction, update: merged });
  }

  #inform(mutation: LayerMutation & { type: 'inform' }): void {
    const { shortChannelId, timestamp } = mutation;
    this.#records ??= new LiquidityRecords();
    const sequence = this.#records.push(mutation);
    this.#histories ??= new Map();
    let history = this.#histories.get(shortChannelId);
    if (history === undefined) {
      history = new ChannelHistory();
      this.#histories.set(shortChannelId, history);
    }
    history.append(this.#records, sequence);
    this.#oldest = Math.min(this.#oldest, timestamp);
  }

  #setBias({ shortChannelId, direction, bias, description, timestamp }: ChannelBiasEntry): void {
    const key = directionKey(shortChannelId, direction);
    this.#biases ??= new Map();
    if (bias === 0) this.#biases.delete(key);
    else this.#biases.set(key, { shortChannelId, direction, bias, description, timestamp });
    this.#oldest = Math.min(this.#oldest, timestamp);
  }

  #setNodeBias({ node, inBias, outBias, description, timestamp }: NodeBiasEntry): void {
    this.#nodeBiases ??= new Map();
    if (inBias === 0 && outBias === 0) this.#nodeBiases.delete(node);
    else this.#nodeBiases.set(node, { node, inBias, outBias, description, timestamp });
    this.#oldest = Math.min(this.#oldest, timestamp);
  }

  #age(cutoff: bigint): number {
    if (!this.mayAge(cutoff)) return 0;
    const channels = this.#ageRecords(cutoff);
    const biases = removeWhere(this.#biases, ({ timestamp }) => timestamp < cutoff);
    const nodeBiases = removeWhere(this.#nodeBiases, ({ timestamp }) => timestamp < cutoff);
    this.#oldest = this.#findOldest();

    const changed = new Set(channels);
    for (const { shortChannelId } of biases) changed.add(shortChannelId);
    for (const shortChannelId of changed) this.#channelChanged(shortChannelId);
    for (const { node } of nodeBiases) this.#nodeChanged(node);
    return channels.length + biases.length + nodeBiases.length;
  }

  /** Removes old records. @returns the channel of each */
  #ageRecords(cutoff: bigint): readonly ShortChannelId[] {
    const { kept, removed } = this.#records?.since(cutoff) ?? { kept: undefined, removed: [] };
    if (kept === undefined || removed.length === 0) return removed;
    this.#records = kept;
    for (const shortChannelId of new Set(removed)) {
      const history = this.#histories?.get(shortChannelId);
      history?.age(kept);
      if (history?.size === 0) this.#histories?.delete(shortChannelId);
    }
    return removed;
  }

  #findOldest(): number {
    let oldest = this.#records?.oldest ?? Number.POSITIVE_INFINITY;
    const ageing = [this.#biases?.values(), this.#nodeBiases?.values()];
    for (const entries of ageing) {
      for (const { timestamp } of entries ?? []) oldest = Math.min(oldest, timestamp);
    }
    return oldest;
  }
}

function createdEntry({
  shortChannelId,
  node1,
  node2,
  capacityMsat,
}: CreatedChannelEntry): CreatedChannelEntry {
  return { shortChannelId, node1, node2, capacityMsat };
}

/**
 * Creates a function that restores an entry's present value and place in a map.
 * @param isRemoved whether the change removes the entry; its place is then lost, so all entries are restored
 */
function restoring<K, V>(map: Map<K, V> | undefined, key: K, isRemoved: boolean): (map: Map<K, V>) => void {
  const before = map?.get(key);
  if (map === undefined || before === undefined) return (now) => void now.delete(key);
  if (!isRemoved) return (now) => void now.set(key, before);
  const entries = [...map];
  return (now) => refill(now, entries);
}

function refill<K, V>(map: Map<K, V> | undefined, entries: readonly (readonly [K, V])[]): void {
  map?.clear();
  for (const [key, value] of entries) map?.set(key, value);
}

/** Deletes the matching entries of a map and returns them. */
function removeWhere<K, V>(map: Map<K, V> | undefined, matches: (value: V) => boolean): V[] {
  const removed: V[] = [];
  for (const [key, value] of map ?? []) {
    if (!matches(value)) continue;
    map?.delete(key);
    removed.push(value);
  }
  return removed;
}
