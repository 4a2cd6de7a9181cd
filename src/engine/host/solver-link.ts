/**
 * A link to a solver. A solver is a kernel that answers one route query after the other, wherever it runs.
 * The route engine (engine.ts) decides who is asked what, and when. A link carries the request there and the
 * reply back.
 *
 * Messages are packed (messages.ts). A request brings the changes of layers that the solver lacks, and names
 * the version of the graph that it is for. So every solver gives it the same answer.
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';

/** The solver is gone. Its message says how it ended. */
export class SolverLost extends Error {
  /** Whether the solver had taken the request in hand. If not, this request is not what ended it. */
  readonly hadBegun: boolean;

  constructor(cause: Error, hadBegun: boolean) {
    super(cause.message, { cause });
    this.hadBegun = hadBegun;
  }
}

/** What the engine asks of a link. */
export interface SolverLink {
  /**
   * Maximum number of requests that the solver should have at hand. One of them runs; another is there when that one ends.
   * A solver answers in order of arrival.
   */
  readonly depth: number;
  /**
   * Hands the request to the solver.
   * @param task the number by which the request is cancelled
   * @returns the packed reply. Rejects when the solver is gone, and with it everything that it had at hand.
   *   The link then has another solver, which has seen no layers. A link that knows which of the requests had
   *   begun rejects with `SolverLost`; else the first one counts as begun.
   */
  send(task: number, request: Uint8Array): Promise<Uint8Array>;
  /**
   * Asks the solver to stop the task, now or when it comes to it. Its reply has what was found until then.
   */
  cancel(task: number): void;
  /** Ends a solver that does not respond, as if it had died. Its open requests are rejected. */
  reset(): void;
}

/** All solvers of one engine, and the graph on which they answer. */
export interface Solvers {
  readonly links: readonly SolverLink[];
  /** Bytes of memory that the solvers keep. */
  readonly memoryBytes: number;
  /**
   * Gives the solvers the graph as it is now. Requests sent from here on may name it.
   * @returns the version of the graph. Versions grow.
   */
  publish(graph: ChannelGraph): number;
  /** Ends the solvers. What they have at hand rejects. */
  close(): Promise<void>;
}
