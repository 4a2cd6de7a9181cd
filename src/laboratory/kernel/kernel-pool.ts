/**
 * The kernels of a run. Most are in other threads, if there are any, and the rest in this thread. All share a graph in
 * shared memory.
 *
 * Each sender is assigned to one kernel, the only one that has the sender's layers. Each large node has its own kernel.
 * A kernel answers its questions in order. Before each answer, it applies the changes that were sent with the question.
 * So an answer depends on earlier questions of the same sender, and not on the number of threads.
 *
 * Threads search ahead of time, which pays off only if the sender's channels do not change in the meantime. So the more
 * channels a node has, the later its questions are asked. The very largest nodes forward so many payments that their
 * kernels are in this thread and answer only when a payment begins.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import {
  createSharedKernel,
  GraphPublisher,
  PAGE_BYTES,
  type SharedKernel,
} from '../../engine/solver/kernel-memory.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { type Deferred, deferred } from '../../model/deferred.ts';
import { largestNodes } from '../../model/graph/node-capacities.ts';
import { NODE_ID_BYTES } from '../../model/node-id.ts';
import { POOL_THREAD_OPTIONS } from '../../model/threads/thread-options.ts';
import type { Plan } from '../routers/router.ts';
import { KernelHost } from './kernel-host.ts';
import type { KernelWorkerData } from './kernel-worker.ts';
import type { KernelPlace, KernelQuestion, KernelReply, NumberedQuestion, SlotChange } from './messages.ts';

/** Slot 0 of every kernel is for global reservations, which simulated senders do not have. */
const FIRST_SLOT = 1;
/** A search is requested at most this many payments before the payment that needs it. */
export const MAX_REACH = 48;
/**
 * For a sender with n channels, a search is requested this number / n payments before the payment that needs it, but at
 * least one payment before. For the very largest nodes, it is not requested ahead of time.
 */
const REACH_TIMES_CHANNELS = 1_200;
/**
 * How many of the nodes with the largest capacity can have their own kernels. The large layers of such a node
 * stay applied in its kernel. All other senders of a thread share one kernel, which copies their applied layers at each
 * change of sender. A kernel takes 2 to 8 MB and is created when its node first pays.
 */
const OWN_KERNELS = 32;
/** How many of the nodes with the largest capacity can have their own kernels in this thread. */
const KERNELS_HERE = 8;
/**
 * For a node with its own kernel, a search is requested at most this many payments before the payment that needs it.
 * With this maximum, 93 % of the answers can be used.
 */
const MAX_OWN_REACH = 2;
/** Nodes with no more channels than this have no kernel of their own, because their layers are small. */
const MAX_CHANNELS_SHARED = 24;
/**
 * Maximum bytes of applied layers that a shared kernel keeps, and that all shared kernels keep together. Kernels have
 * 32-bit addresses.
 */
const KEPT_STACKS_BYTES = 64 << 20;
const KEPT_STACKS_BYTES_TOGETHER = 1 << 30;
/** Maximum bytes of applied layers that a kernel with a single sender keeps. */
const OWN_KEPT_STACKS_BYTES = 4 << 20;

/** A kernel and its free layer slots. */
export class KernelLane {
  readonly #ask: (question: KernelQuestion) => Plan | Promise<Plan>;
  /** Whether the kernel runs in a separate thread, so that searches can be requested ahead of time. */
  readonly isThreaded: boolean;
  readonly #free: number[] = [];
  readonly #toClear: number[] = [];
  #next = FIRST_SLOT;

  constructor(ask: (question: KernelQuestion) => Plan | Promise<Plan>, isThreaded: boolean) {
    this.#ask = ask;
    this.isThreaded = isThreaded;
  }

  ask(question: KernelQuestion): Plan | Promise<Plan> {
    if (this.#toClear.length === 0) return this.#ask(question);
    const clearing = this.#toClear.map((slot): SlotChange => ['clear', slot]);
    this.#toClear.length = 0;
    return this.#ask({ ...question, changes: [...clearing, ...question.changes] });
  }

  takeSlot(): number {
    return this.#free.pop() ?? this.#next++;
  }

  /** Frees a slot. It can be reused at once, because it is cleared before the next question. */
  giveSlot(slot: number): void {
    this.#toClear.push(slot);
    this.#free.push(slot);
  }
}

/** All kernels of a run. */
export class KernelPool {
  /** The kernels shared by nodes without a kernel of their own. */
  readonly #lanes: readonly KernelLane[];
  readonly #threads: readonly KernelThread[];
  readonly #degrees: Uint32Array;
  /** The nodes with their own kernels, and those among them whose kernels are in this thread. */
  readonly #large: ReadonlySet<number>;
  readonly #largest: ReadonlySet<number>;
  /** The kernels of nodes that have their own, by node. */
  readonly #own = new Map<number, KernelLane>();
  readonly #newLane: (kernel: Omit<KernelPlace, 'index'>, isHere: boolean) => KernelLane;

  /** @param workers number of threads of the run, including the calling thread */
  constructor(graph: ChannelGraph, workers: number) {
    const shared = createSharedKernel();
    new GraphPublisher(shared).publish(graph);
    this.#degrees = graph.nodeDegree;
    const bySize = [...largestNodes(graph, OWN_KERNELS)];
    const hasMany = (node: number): boolean => graph.nodeDegree[node]! > MAX_CHANNELS_SHARED;
    this.#large = new Set(bySize.filter(hasMany));
    this.#largest = new Set(bySize.slice(0, KERNELS_HERE).filter(hasMany));
    const others = threads(graph, shared, workers - 1);
    this.#threads = others;
    let kernels = 0;
    this.#newLane = (kernel, isHere) => {
      const place = { index: kernels++, ...kernel };
      const thread = isHere ? undefined : others[place.index % others.length];
      if (thread !== undefined) return new KernelLane((question) => thread.ask(place, question), true);
      const host = new KernelHost(shared, place, graph);
      return new KernelLane((question) => host.answer(question), false);
    };
    const keptStacksBytes = Math.min(
      KEPT_STACKS_BYTES,
      PAGE_BYTES * Math.floor(KEPT_STACKS_BYTES_TOGETHER / PAGE_BYTES / workers),
    );
    const common = { isShared: true, keptStacksBytes };
    this.#lanes = Array.from({ length: Math.max(1, workers - 1) }, () => this.#newLane(common, false));
  }

  laneOf(sender: number): KernelLane {
    if (this.#large.has(sender)) return this.#ownLane(sender);
    return this.#lanes[sender % this.#lanes.length]!;
  }

  /**
   * A search for this sender is requested this many payments before the payment that needs it. The number depends on
   * the sender's number of channels, because a search is repeated if any of them has changed when the payment begins.
   * It does not depend on the number of workers.
   */
  reachOf(sender: number): number {
    if (this.#largest.has(sender)) return 0;
    const reach = Math.floor(REACH_TIMES_CHANNELS / Math.max(1, this.#degrees[sender]!));
    return Math.min(this.#large.has(sender) ? MAX_OWN_REACH : MAX_REACH, Math.max(1, reach));
  }

  /**
   * Receives the plans that threads have found so far. Without this call, they are received at the next turn of the
   * event loop.
   */
  receive(): void {
    for (const thread of this.#threads) thread.receive();
  }

  #ownLane(sender: number): KernelLane {
    const known = this.#own.get(sender);
    if (known !== undefined) return known;
    const kernel = { isShared: false, keptStacksBytes: OWN_KEPT_STACKS_BYTES };
    const lane = this.#newLane(kernel, this.#largest.has(sender));
    this.#own.set(sender, lane);
    return lane;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

/** A thread with kernels, connected by a port. */
class KernelThread {
  readonly #pool: Piscina;
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, Deferred<Plan>>();
  #asked = 0;
  #isClosed = false;

  constructor(workerData: KernelWorkerData) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#pool = new Piscina({
      filename: workerFile(),
      minThreads: 1,
      maxThreads: 1,
      workerData,
      ...POOL_THREAD_OPTIONS,
    });
    this.#pool.run(port2, { transferList: [port2] }).catch((error: unknown) => {
      // An interrupted run no longer needs answers, so their loss is not an error.
      if (!this.#isClosed) this.#fail(error);
    });
    port1.on('message', (reply: KernelReply) => this.#receive(reply));
  }

  /** Receives the replies that have arrived, without waiting for a turn of the event loop. */
  receive(): void {
    for (;;) {
      const arrived = receiveMessageOnPort(this.#port) as { readonly message: KernelReply } | undefined;
      if (arrived === undefined) return;
      this.#receive(arrived.message);
    }
  }

  #receive(reply: KernelReply): void {
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if ('plan' in reply) waiting?.resolve(reply.plan);
    else waiting?.reject(new Error(reply.fault));
  }

  ask(kernel: KernelPlace, question: KernelQuestion): Promise<Plan> {
    const number = this.#asked++;
    const answer = deferred<Plan>();
    this.#waiting.set(number, answer);
    this.#port.postMessage({ number, kernel, question } satisfies NumberedQuestion);
    return answer.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#port.close();
    await this.#pool.destroy();
  }

  #fail(cause: unknown): void {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

function threads(graph: ChannelGraph, shared: SharedKernel, count: number): KernelThread[] {
  const nodeIds = sharedBytes(graph.nodeIds.subarray(0, graph.nodeCount * NODE_ID_BYTES));
  const shortChannelIds = new BigUint64Array(new SharedArrayBuffer(8 * graph.channelCount));
  shortChannelIds.set(graph.shortChannelIds.subarray(0, graph.channelCount));
  return Array.from({ length: count }, () => new KernelThread({ shared, nodeIds, shortChannelIds }));
}

function sharedBytes(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** The URL of the compiled worker. In tests this file runs from its source, and the build is next to `src`. */
function workerFile(): string {
  const compiled = import.meta.url.endsWith('.js');
  return new URL(
    compiled ? './kernel-worker.js' : '../../../build/program/laboratory/kernel/kernel-worker.js',
    import.meta.url,
  ).href;
}
