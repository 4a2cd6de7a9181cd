/**
 * Solvers in threads of this process, over one graph in shared memory. Each link (thread-link.ts) is a pool of one
 * thread. So the engine can choose the solver, and knows the state of each copy of the layers.
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { createSharedKernel, GraphPublisher, type KernelBuild } from '../solver/kernel-memory.ts';
import type { Solvers } from './solver-link.ts';
import { ThreadLink } from './thread-link.ts';

/** The number of threads and the module that they run. */
export interface LocalSolversOptions {
  /** Number of worker threads; default 2. */
  readonly workers?: number;
  readonly build?: KernelBuild;
  /** The module to run instead of worker.js. Tests use it to make workers fail. */
  readonly workerFile?: string;
  /** Size in bytes of each ring of a thread. Tests use small ones. */
  readonly ringBytes?: number;
}

/** Threads as solvers. `close` ends them. */
export class LocalSolvers implements Solvers {
  readonly links: readonly ThreadLink[];
  readonly #publisher: GraphPublisher;

  constructor({ workers = 2, build, workerFile = compiledWorker(), ringBytes }: LocalSolversOptions = {}) {
    const shared = createSharedKernel(build);
    this.#publisher = new GraphPublisher(shared);
    this.links = Array.from(
      { length: workers },
      (_, workerIndex) => new ThreadLink({ shared, workerIndex, filename: workerFile, ringBytes }),
    );
  }

  get memoryBytes(): number {
    return this.#publisher.memoryBytes;
  }

  publish(graph: ChannelGraph): number {
    return this.#publisher.publish(graph);
  }

  async close(): Promise<void> {
    await Promise.all(this.links.map((link) => link.close()));
  }
}

/**
 * The compiled module that threads run. Under a test runner this file is TypeScript source, and the build is next to
 * `src`.
 */
function compiledWorker(): string {
  const compiled = import.meta.url.endsWith('.js');
  return new URL(compiled ? './worker.js' : '../../../build/program/engine/host/worker.js', import.meta.url)
    .href;
}
