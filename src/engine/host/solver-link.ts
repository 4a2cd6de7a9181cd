/**
 * A link to a solver. A solver is a kernel that answers one route query at a time, wherever it runs. The route engine
 * (engine.ts) decides which solver gets which request, and when. A link transports the request and the reply.
 *
 * Messages are packed (messages.ts). A request includes the layer changes that the solver lacks, and the required
 * version of the graph, so every solver gives the same answer.
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';

/** The solver is gone. The message describes how it ended. */
export class SolverLost extends Error {
  /** Whether the solver had started the request. If not, this request did not cause its end. */
  readonly hadBegun: boolean;

  constructor(cause: Error, hadBegun: boolean) {
    super(cause.message, { cause });
    this.hadBegun = hadBegun;
  }
}

/** What the engine needs from a link. */
export interface SolverLink {
  /**
   * Maximum number of requests that the solver should hold now: one runs, and another is ready when it ends, or several
   * if they are short. A solver answers in order of arrival.
   */
  readonly depth: number;
  /**
   * Sends the request to the solver.
   * @param task a number for cancelling the request
   * @returns the packed reply. Rejects when the solver is gone, like all other requests that it held. The link then has
   *   a new solver, which has seen no layers. A link that knows which requests had started rejects with `SolverLost`;
   *   otherwise the first request counts as started.
   */
  send(task: number, request: Uint8Array): Promise<Uint8Array>;
  /** Asks the solver to stop the task, now or when it starts. The reply contains what was found by then. */
  cancel(task: number): void;
  /** Terminates an unresponsive solver, as if it had died. Its open requests are rejected. */
  reset(): void;
}

/** All solvers of one engine, and their graph. */
export interface Solvers {
  readonly links: readonly SolverLink[];
  /** Bytes of memory held by the solvers. */
  readonly memoryBytes: number;
  /**
   * Gives the solvers the current graph, to which later requests may refer.
   * @returns the version of the graph. Versions increase.
   */
  publish(graph: ChannelGraph): number;
  /** Stops the solvers. Requests that they hold are rejected. */
  close(): Promise<void>;
}
