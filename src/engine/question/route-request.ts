/** The contents of a route request, and of the layer changes that accompany it, as sent to a solver. */
import type { Question } from './question.ts';

/** Updates a worker's copy of the layers from chunk `from` to chunk `to`. With `from` −1 it starts from scratch. */
export interface LayerDelta {
  readonly from: number;
  readonly to: number;
  readonly chunks: readonly Uint8Array[];
}

/** A route query as sent to a solver, with the layer changes that the solver lacks. */
export interface RouteRequest {
  readonly task: number;
  /** Time after which the answer is no longer needed, in milliseconds of `machineMs`. */
  readonly deadline: number;
  /** The minimum graph version. The solver may use a later one. */
  readonly graph: number;
  readonly layers: LayerDelta;
  /**
   * Packed changes that create the layers of this request alone. For a solver on another machine, these layers contain
   * data that only the requesting daemon has.
   */
  readonly own?: Uint8Array;
  readonly query: Question;
}
