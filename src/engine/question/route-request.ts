/** What a request for a route, and the changes of layers that go with it, contain on their way to a solver. */
import type { Question } from './question.ts';

/**
 * Brings a worker's copy of the layers from chunk `from` to chunk `to`. With `from` −1 it starts from
 * nothing.
 */
export interface LayerDelta {
  readonly from: number;
  readonly to: number;
  readonly chunks: readonly Uint8Array[];
}

/** A route query on its way to a solver, with the changes of layers that the solver lacks. */
export interface RouteRequest {
  readonly task: number;
  /** UNIX milliseconds. After it the answer is no longer needed. */
  readonly deadline: number;
  /** Version of the graph that the answer is for. A later one will do. */
  readonly graph: number;
  readonly layers: LayerDelta;
  /**
   * Packed changes that hold for this request alone, of layers that otherwise say nothing here. A solver on another
   * machine gets so what only the daemon that asks knows.
   */
  readonly own?: Uint8Array;
  readonly query: Question;
}
