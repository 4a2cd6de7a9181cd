/**
 * A link to a solver: a kernel that answers one route query after the other, wherever it stands. The route engine
 * (engine.ts) decides who is asked what, and when; a link carries the request there and the reply back.
 *
 * Messages are packed (messages.ts). A request brings the changes of layers that the solver lacks, and names the version
 * of the graph that it is for; so whoever answers it answers the same.
 */
import type { ChannelGraph } from '../model/channel-graph.ts';

export interface SolverLink {
  /**
   * Requests it should have at hand at most, one of which runs: the next one is there when that ends. A solver answers
   * in order of arrival.
   */
  readonly depth: number;
  /**
   * Hands the request to the solver.
   * @param task the number it is cancelled by
   * @returns the packed reply. Rejects when the solver is gone, and with it everything that it had at hand; the link
   *   has another one then, which has seen no layers.
   */
  send(task: number, request: Uint8Array): Promise<Uint8Array>;
  /** Asks the solver to stop the task, now or when it comes to it: its reply tells what was found until then. */
  cancel(task: number): void;
  /** Ends a solver that does not listen, as if it had gone by itself: what it has at hand rejects. */
  reset(): void;
}

/** All solvers of one engine, and the graph on which they answer. */
export interface Solvers {
  readonly links: readonly SolverLink[];
  /** Bytes that they keep. */
  readonly memoryBytes: number;
  /**
   * Gives them the graph as it is now; requests sent from here on may name it.
   * @returns its version; versions grow
   */
  publish(graph: ChannelGraph): number;
  /** Ends them; what they have at hand rejects. */
  close(): Promise<void>;
}
