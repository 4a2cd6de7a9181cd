/**
 * Sends changes of layers to the workers. Each change is packed once and kept until every worker has it.
 *
 * Changes are recorded when they happen, and packed when the next message leaves. A cell that changed several times in
 * between is sent once. Each batch is a numbered chunk. A new worker, or one so far behind that its chunks are gone,
 * gets all layers from scratch. Everything kept here is bounded, even without route requests.
 *
 * A layer is sent from the first query on that names it while it has contents. The lessons of payments, for example,
 * are in two layers, and searches usually name only the one in which they fade (src/payments/learn/learned-beliefs.ts).
 * Each kernel would keep the cells of the other one for nothing.
 */
import { GLOBAL_LAYER_ID, type LayerBook } from '../../layers/layer-book.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import { encode, type LayerChange, oddsChange, packCell } from '../question/messages.ts';
import type { LayerDelta } from '../question/route-request.ts';

/**
 * Maximum bytes of chunks kept for workers that lag behind. Beyond this size, it is cheaper to send such a worker all
 * layers.
 */
const KEPT_BYTES = 32 * 1024 * 1024;
/** Maximum number of recorded changes. Beyond this number, the changes are packed even if no message leaves. */
const NOTED = 10_000;
/** Maximum number of cells per chunk when everything is sent. */
const BATCH = 10_000;

/** The part of the layer book that the feed reads. */
export type FeedSource = Pick<
  LayerBook,
  'subscribe' | 'layerIds' | 'cells' | 'channelCell' | 'nodeCell' | 'odds'
>;

interface Dirty {
  readonly channels: Set<ShortChannelId>;
  readonly nodes: Set<NodeId>;
}

/** Follows a layer book and sends each worker what it lacks. */
export class LayerFeed {
  readonly #book: FeedSource;
  readonly #dirty = new Map<number, Dirty>();
  #noted = 0;
  readonly #removed = new Set<number>();
  /** Layers whose odds changed since the last chunk. */
  readonly #newOdds = new Set<number>();
  /** Layers that workers have or will get. Changes of other layers are not recorded. */
  readonly #followed = new Set([GLOBAL_LAYER_ID]);
  /** Whether any worker has received layers. */
  #hasReaders = false;
  /** Layers that were sent to workers. Only the removal of these layers must be sent. */
  readonly #sent = new Set<number>();
  /** Packed chunks by number, from `#first` on. */
  readonly #chunks = new Map<number, Uint8Array>();
  #first = 0;
  #bytes = 0;
  readonly #unsubscribe: () => void;

  constructor(book: FeedSource) {
    this.#book = book;
    this.#unsubscribe = book.subscribe({
      channelChanged: (layerId, shortChannelId) => {
        if (this.#followed.has(layerId)) this.#noteChannel(layerId, shortChannelId);
      },
      nodeChanged: (layerId, nodeId) => {
        if (this.#followed.has(layerId)) this.#noteNode(layerId, nodeId);
      },
      oddsChanged: (layerId) => {
        if (this.#followed.has(layerId)) this.#newOdds.add(layerId);
      },
      layerRemoved: (layerId) => {
        this.#followed.delete(layerId);
        this.#dirty.delete(layerId);
        this.#newOdds.delete(layerId);
        if (this.#sent.delete(layerId)) this.#removed.add(layerId);
      },
    });
  }

  close(): void {
    this.#unsubscribe();
  }

  /** Number of the next chunk. A worker at this number has all chunks so far. */
  get head(): number {
    return this.#first + this.#chunks.size;
  }

  /**
   * The changes that a worker at chunk `from` lacks. −1 stands for a new worker.
   * @param named ids of the layers that the worker needs now. Default: all layers.
   */
  since(from: number, named: readonly number[] = this.#book.layerIds()): LayerDelta {
    for (const layerId of named) this.#follow(layerId);
    this.#hasReaders = true;
    this.#flush();
    if (from >= this.#first && from <= this.head) {
      const chunks: Uint8Array[] = [];
      for (let number = from; number < this.head; number++) chunks.push(this.#chunks.get(number)!);
      return { from, to: this.head, chunks };
    }
    return { from: -1, to: this.head, chunks: [...this.#everything()] };
  }

  /**
   * Drops chunks that every worker has, and the oldest chunks beyond `KEPT_BYTES`.
   * @param slowest chunk number of the worker that is furthest behind
   */
  trim(slowest: number): void {
    while (this.#chunks.size > 0 && (this.#first < slowest || this.#bytes > KEPT_BYTES)) {
      this.#bytes -= this.#chunks.get(this.#first)!.length;
      this.#chunks.delete(this.#first);
      this.#first++;
    }
  }

  /** Sends this layer to workers from now on, unless it is empty. */
  #follow(layerId: number): void {
    if (this.#followed.has(layerId)) return;
    const { channelIds, nodeIds } = this.#book.cells(layerId);
    const [channels, nodes] = [[...channelIds], [...nodeIds]];
    const hasOdds = this.#book.odds(layerId) !== undefined;
    if (channels.length + nodes.length === 0 && !hasOdds) return;
    this.#followed.add(layerId);
    // The first worker gets it whole.
    if (!this.#hasReaders) return;
    for (const shortChannelId of channels) this.#noteChannel(layerId, shortChannelId);
    for (const nodeId of nodes) this.#noteNode(layerId, nodeId);
    if (hasOdds) this.#newOdds.add(layerId);
  }

  #noteChannel(layerId: number, shortChannelId: ShortChannelId): void {
    this.#of(layerId).channels.add(shortChannelId);
    this.#noteOne();
  }

  #noteNode(layerId: number, nodeId: NodeId): void {
    this.#of(layerId).nodes.add(nodeId);
    this.#noteOne();
  }

  #noteOne(): void {
    this.#noted++;
    if (this.#noted >= NOTED) this.#flush();
  }

  #of(layerId: number): Dirty {
    const known = this.#dirty.get(layerId);
    if (known !== undefined) return known;
    const fresh = { channels: new Set<ShortChannelId>(), nodes: new Set<NodeId>() };
    this.#dirty.set(layerId, fresh);
    return fresh;
  }

  #flush(): void {
    if (this.#dirty.size === 0 && this.#removed.size === 0 && this.#newOdds.size === 0) return;
    const changes: LayerChange[] = [...this.#removed].map((layerId) => ['removed', layerId]);
    for (const [layerId, { channels, nodes }] of this.#dirty) {
      for (const shortChannelId of channels) changes.push(this.#channelChange(layerId, shortChannelId));
      for (const nodeId of nodes) changes.push(this.#nodeChange(layerId, nodeId));
      this.#sent.add(layerId);
    }
    for (const layerId of this.#newOdds) {
      changes.push(oddsChange(this.#book, layerId));
      this.#sent.add(layerId);
    }
    this.#newOdds.clear();
    this.#dirty.clear();
    this.#removed.clear();
    this.#noted = 0;
    const chunk = encode(changes);
    this.#chunks.set(this.head, chunk);
    this.#bytes += chunk.length;
    this.trim(this.#first);
  }

  #channelChange(layerId: number, shortChannelId: ShortChannelId): LayerChange {
    const cell = this.#book.channelCell(layerId, shortChannelId);
    return ['channel', layerId, shortChannelId, cell === undefined ? null : packCell(cell)];
  }

  #nodeChange(layerId: number, nodeId: NodeId): LayerChange {
    return ['node', layerId, nodeId, this.#book.nodeCell(layerId, nodeId) ?? null];
  }

  *#everything(): Generator<Uint8Array> {
    let changes: LayerChange[] = [];
    for (const change of this.#allCells()) {
      changes.push(change);
      if (changes.length < BATCH) continue;
      yield encode(changes);
      changes = [];
    }
    if (changes.length > 0) yield encode(changes);
  }

  *#allCells(): Generator<LayerChange> {
    for (const layerId of this.#book.layerIds()) {
      if (!this.#followed.has(layerId)) continue;
      const { channelIds, nodeIds } = this.#book.cells(layerId);
      this.#sent.add(layerId);
      for (const shortChannelId of channelIds) yield this.#channelChange(layerId, shortChannelId);
      for (const nodeId of nodeIds) yield this.#nodeChange(layerId, nodeId);
      if (this.#book.odds(layerId) !== undefined) yield oddsChange(this.#book, layerId);
    }
  }
}
