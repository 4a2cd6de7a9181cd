/**
 * The memory that all kernel instances share, and how a graph gets into it.
 *
 * It is one `WebAssembly.Memory` on a SharedArrayBuffer. Page 0 is the notice board:
 *
 *   word REGION    address of the current region (the published graph)
 *   word EPOCH     counts publications
 *   from byte WORKERS_AT on, WORKER_BYTES (a cache line) for each worker:
 *     word READS   the region that it reads, 0 if none
 *     word STOPS   the task that it must stop
 *
 * Only the publisher writes regions. It builds each new version in an unused region, and then switches REGION. A reader
 * records the region at its index before it reads, and clears it afterwards. So a search in progress finishes on the
 * graph on which it started.
 */
import { readFileSync } from 'node:fs';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { KernelExports } from './kernel-exports.ts';
import { type KernelLayout, kernelLayout } from './kernel-layout.ts';

/** Bytes of one page of WebAssembly memory. */
export const PAGE_BYTES = 65536;
/** Maximum number of instances that share one memory, besides the publisher. */
export const MAX_WORKERS = 256;
const WORKERS_AT = 256;
const WORKER_BYTES = 64;
const BOARD_BYTES = WORKERS_AT + MAX_WORKERS * WORKER_BYTES;
const WORD_BYTES = Int32Array.BYTES_PER_ELEMENT;
const REGION = 0;
const EPOCH = 1;
const READS = 0;
const STOPS = 1;
/** Maximum number of pages, because addresses have 32 bits. The system allocates a page only when it is used. */
const MAX_PAGES = 65535;

/** The debug build checks the invariants of assembly/; the release build does not. */
export type KernelBuild = 'release' | 'debug';

/** What a kernel instance needs. It can be cloned into worker threads. */
export interface SharedKernel {
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
}

/** A fresh memory and the compiled kernel (`build/kernel.wasm`, or with checks `build/kernel.debug.wasm`). */
export function createSharedKernel(build: KernelBuild = 'release'): SharedKernel {
  const file = build === 'debug' ? 'kernel.debug.wasm' : 'kernel.wasm';
  const module = new WebAssembly.Module(readFileSync(kernelFile(file)));
  const pages = Math.ceil(BOARD_BYTES / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: MAX_PAGES, shared: true });
  return { memory, module };
}

/** Location of the built kernel in `build/`. The path depends on whether sources or compiled sources run. */
function kernelFile(name: string): URL {
  const compiled = import.meta.url.endsWith('.js');
  return new URL(compiled ? `../../../${name}` : `../../../build/${name}`, import.meta.url);
}

/** Creates an instance over the shared memory. @throws when module and memory do not match. */
export function instantiate(shared: SharedKernel): KernelExports {
  const instance = new WebAssembly.Instance(shared.module, { env: { memory: shared.memory } });
  return instance.exports as unknown as KernelExports;
}

/** The notice board, seen by all users of the memory. */
export class NoticeBoard {
  readonly #words: Int32Array;

  constructor(shared: SharedKernel) {
    this.#words = new Int32Array(shared.memory.buffer, 0, BOARD_BYTES / WORD_BYTES);
  }

  get region(): number {
    return Atomics.load(this.#words, REGION) >>> 0;
  }

  get epoch(): number {
    return Atomics.load(this.#words, EPOCH) >>> 0;
  }

  /** Makes a region the current one. @returns its epoch. */
  publish(region: number): number {
    Atomics.store(this.#words, REGION, region | 0);
    return (Atomics.add(this.#words, EPOCH, 1) + 1) >>> 0;
  }

  /** Records that `workerIndex` reads the current region. @returns its address and epoch. */
  enter(workerIndex: number): { region: number; epoch: number } {
    for (;;) {
      const epoch = this.epoch;
      const region = this.region;
      Atomics.store(this.#words, workerWord(workerIndex, READS), region | 0);
      if (this.region === region && this.epoch === epoch) return { region, epoch };
    }
  }

  leave(workerIndex: number): void {
    Atomics.store(this.#words, workerWord(workerIndex, READS), 0);
  }

  isRead(region: number): boolean {
    for (let workerIndex = 0; workerIndex < MAX_WORKERS; workerIndex++) {
      if (Atomics.load(this.#words, workerWord(workerIndex, READS)) >>> 0 === region) return true;
    }
    return false;
  }

  /** Asks the instance at `workerIndex` to stop the task with that number, now or when it starts. */
  cancel(workerIndex: number, task: number): void {
    Atomics.store(this.#words, workerWord(workerIndex, STOPS), task | 0);
  }
}

/** Index of a worker's word among all words of the board. */
const workerWord = (workerIndex: number, word: typeof READS | typeof STOPS): number =>
  (WORKERS_AT + workerIndex * WORKER_BYTES) / WORD_BYTES + word;

/** Address of the word that `NoticeBoard.cancel` writes. */
export const cancelAddress = (workerIndex: number): number => workerWord(workerIndex, STOPS) * WORD_BYTES;

interface Region {
  readonly address: number;
  readonly bytes: number;
}

/** Puts versions of a channel graph into the shared memory. Nothing else writes regions. */
export class GraphPublisher {
  readonly #shared: SharedKernel;
  readonly #kernel: KernelExports;
  readonly #layout: KernelLayout;
  readonly #board: NoticeBoard;
  readonly #regions: Region[] = [];

  constructor(shared: SharedKernel) {
    this.#shared = shared;
    this.#kernel = instantiate(shared);
    this.#layout = kernelLayout(this.#kernel);
    this.#board = new NoticeBoard(shared);
  }

  /** Bytes of shared memory in use by all instances. */
  get memoryBytes(): number {
    return this.#shared.memory.buffer.byteLength;
  }

  /**
   * Publishes the current graph. Searches that start from here on use it.
   * @returns its version, which counts publications
   * @throws RangeError when the graph does not fit the shared memory.
   */
  publish(graph: ChannelGraph): number {
    const bytes = this.#kernel.regionBytes(graph.nodeCount, graph.channelCount);
    const region = this.#freeRegion(bytes);
    this.#kernel.regionLayout(region, graph.nodeCount, graph.channelCount);
    this.#copyColumns(region, graph);
    this.#kernel.regionBuild(region);
    return this.#board.publish(region);
  }

  #freeRegion(bytes: number): number {
    const current = this.#board.region;
    const free = this.#regions.find(
      (r) => r.bytes >= bytes && r.address !== current && !this.#board.isRead(r.address),
    );
    if (free !== undefined) return free.address;
    // Leaves room for growth. A network gains channels, and pages are never freed.
    const reserved = Math.ceil(bytes * 1.25);
    const address = this.#kernel.allocatePages(BigInt(reserved)) >>> 0;
    if (address === 0) throw new RangeError('the graph does not fit the shared memory');
    this.#regions.push({ address, bytes: reserved });
    return address;
  }

  /** Copies each column to the address in the region's header. */
  #copyColumns(region: number, graph: ChannelGraph): void {
    const nodes = graph.nodeCount;
    const channels = graph.channelCount;
    const layout = this.#layout.region;
    const columns: readonly [
      pointer: number,
      column: Uint8Array | Uint16Array | Uint32Array | BigUint64Array,
      length: number,
    ][] = [
      [layout.nodeIds, graph.nodeIds, nodes * layout.nodeIdBytes],
      [layout.shortChannelIds, graph.shortChannelIds, channels],
      [layout.capacityMsat, graph.capacityMsat, channels],
      [layout.node1, graph.node1, channels],
      [layout.node2, graph.node2, channels],
      [layout.policyFlags, graph.policyFlags, channels * 2],
      [layout.htlcMinimumMsat, graph.htlcMinimumMsat, channels * 2],
      [layout.htlcMaximumMsat, graph.htlcMaximumMsat, channels * 2],
      [layout.feeBaseMsat, graph.feeBaseMsat, channels * 2],
      [layout.feeProportionalMillionths, graph.feeProportionalMillionths, channels * 2],
      [layout.cltvExpiryDelta, graph.cltvExpiryDelta, channels * 2],
    ];
    const buffer = this.#shared.memory.buffer;
    const header = new DataView(buffer, region);
    for (const [pointer, column, length] of columns) {
      const source = new Uint8Array(column.buffer, column.byteOffset, length * column.BYTES_PER_ELEMENT);
      new Uint8Array(buffer, header.getUint32(pointer, true), source.length).set(source);
    }
  }
}
