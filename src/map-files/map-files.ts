/**
 * Provides the files of the map. They are generated at the first request, in a separate thread. If the graph has
 * changed and the files are old, they are generated again. The old files are served until the new ones are ready. Each
 * file contains its version, so the page can tell old files from new ones.
 */
import { Worker } from 'node:worker_threads';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { NODE_ID_BYTES } from '../model/node-id.ts';
import { THREAD_OPTIONS } from '../model/threads/thread-options.ts';
import type { MapFile, MapFileName, MapFileSet, MapOrder } from './files.ts';
import type { GraphCopy } from './links.ts';

/** Milliseconds after which files are generated again if the graph has changed. A live graph changes often. */
const FRESH_MS = 60_000;
const ALIAS_BYTES = 32;

/** Options of `MapFiles`. */
export interface MapFilesOptions {
  readonly graph: ChannelGraph;
  /** Path of the file in which the layout is stored. */
  readonly layoutFile: string;
  /** Called when the thread fails. The next request starts a new thread. */
  readonly onFault: (error: Error) => void;
  /** Number of layout steps for a new graph. */
  readonly stepsNew?: number;
}

/** Generates and caches the files of the map. */
export class MapFiles {
  readonly #options: MapFilesOptions;
  #worker: Worker | undefined;
  #files: MapFileSet | undefined;
  #madeAtMs = Number.NEGATIVE_INFINITY;
  /** Version of the graph that the thread is working on. */
  #ordered: number | undefined;
  #waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(options: MapFilesOptions) {
    this.#options = options;
  }

  /** Returns a file. Generates the files first if needed. @throws Error if the thread fails or the service stops */
  async file(name: MapFileName): Promise<MapFile> {
    const { topologyVersion } = this.#options.graph;
    const isOld = this.#files?.version !== topologyVersion && performance.now() - this.#madeAtMs > FRESH_MS;
    if (isOld && this.#ordered === undefined) this.#order(topologyVersion);
    if (this.#files === undefined) {
      await new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    }
    return this.#files![name];
  }

  /** Rejects the waiting requests, and ends the thread. */
  async close(): Promise<void> {
    this.#fail(new Error('the service is stopping'));
    await this.#worker?.terminate();
  }

  #order(version: number): void {
    this.#worker ??= this.#start();
    this.#ordered = version;
    const graph = copyOf(this.#options.graph);
    const { stepsNew } = this.#options;
    this.#worker.postMessage({ graph, stepsNew } satisfies MapOrder, transfers(graph));
  }

  #start(): Worker {
    const { layoutFile, onFault } = this.#options;
    const worker = new Worker(compiledWorker(), {
      ...THREAD_OPTIONS,
      workerData: { layoutFile },
      stdin: false,
    });
    // The thread must not keep the process alive.
    worker.unref();
    worker.on('message', (files: MapFileSet) => {
      this.#files = files;
      this.#madeAtMs = performance.now();
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

/** The address of the compiled worker. In tests this file runs from its source, and the build is next to `src`. */
function compiledWorker(): URL {
  const isCompiled = import.meta.url.endsWith('.js');
  return new URL(isCompiled ? './worker.js' : '../../build/program/map-files/worker.js', import.meta.url);
}

/** Copies those columns of a graph that the map needs. */
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
