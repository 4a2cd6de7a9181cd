/**
 * Provides the files of the map. They are generated at the first request, in a separate thread, and again when the
 * graph has changed and the last ones are old. Until then, the last ones are served: all three contain their version.
 */
import { Worker } from 'node:worker_threads';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { NODE_ID_BYTES } from '../model/node-id.ts';
import type { BackdropFile, BackdropFiles, BackdropName, BackdropOrder } from './files.ts';
import type { GraphCopy } from './links.ts';

/** Milliseconds for which files of an older graph are still served. A live graph changes every second. */
const FRESH_MS = 60_000;
const ALIAS_BYTES = 32;

/** Options of the desk. */
export interface BackdropOptions {
  readonly graph: ChannelGraph;
  /** File in the data directory for the layout. */
  readonly layoutFile: string;
  /** Called when the thread fails. The next request starts another one. */
  readonly onFault: (error: Error) => void;
  /** Layout steps for a new graph. */
  readonly stepsNew?: number;
}

/** Generates and caches the files of the map. */
export class Backdrop {
  readonly #options: BackdropOptions;
  #worker: Worker | undefined;
  #files: BackdropFiles | undefined;
  #madeAtMs = 0;
  /** Version that the thread is working on. */
  #ordered: number | undefined;
  #waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(options: BackdropOptions) {
    this.#options = options;
  }

  /** One file. @throws Error when the thread failed */
  async file(name: BackdropName): Promise<BackdropFile> {
    const { topologyVersion } = this.#options.graph;
    const isOld = this.#files?.version !== topologyVersion && Date.now() - this.#madeAtMs > FRESH_MS;
    if (isOld && this.#ordered === undefined) this.#order(topologyVersion);
    if (this.#files === undefined) {
      await new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    }
    return this.#files![name];
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    this.#fail(new Error('the service is stopping'));
    await this.#worker?.terminate();
  }

  #order(version: number): void {
    this.#worker ??= this.#start();
    this.#ordered = version;
    const graph = copyOf(this.#options.graph);
    const { stepsNew } = this.#options;
    this.#worker.postMessage({ graph, stepsNew } satisfies BackdropOrder, transfers(graph));
  }

  #start(): Worker {
    const { layoutFile, onFault } = this.#options;
    const worker = new Worker(compiledWorker(), { workerData: { layoutFile }, stdin: false });
    // The map must not keep the process alive.
    worker.unref();
    worker.on('message', (files: BackdropFiles) => {
      this.#files = files;
      this.#madeAtMs = Date.now();
      if (files.isSettled) this.#ordered = undefined;
      for (const { resolve } of this.#waiting.splice(0)) resolve();
    });
    worker.on('error', (error) => {
      this.#worker = undefined;
      this.#ordered = undefined;
      onFault(error);
      this.#fail(error);
    });
    return worker;
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** The compiled thread. Under a test runner this file is a source, and the build is next to `src`. */
function compiledWorker(): URL {
  const isCompiled = import.meta.url.endsWith('.js');
  return new URL(isCompiled ? './worker.js' : '../../build/program/backdrop/worker.js', import.meta.url);
}

/** Copies of the columns needed for a picture. */
export function copyOf(graph: ChannelGraph): GraphCopy {
  const { nodeCount, channelCount } = graph;
  const aliases = new Uint8Array(nodeCount * ALIAS_BYTES);
  for (const [node, { alias }] of graph.announcements) {
    aliases.set(alias.subarray(0, ALIAS_BYTES), node * ALIAS_BYTES);
  }
  return {
    version: graph.topologyVersion,
    ids: graph.nodeIds.slice(0, nodeCount * NODE_ID_BYTES),
    aliases,
    node1: graph.node1.slice(0, channelCount),
    node2: graph.node2.slice(0, channelCount),
    capacityMsat: graph.capacityMsat.slice(0, channelCount),
    policyFlags: graph.policyFlags.slice(0, channelCount * 2),
  };
}

const transfers = ({ ids, aliases, node1, node2, capacityMsat, policyFlags }: GraphCopy): ArrayBuffer[] =>
  [ids, aliases, node1, node2, capacityMsat, policyFlags].map(({ buffer }) => buffer as ArrayBuffer);
