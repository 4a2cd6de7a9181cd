/** What a request for a route, and the changes of layers that go with it, contain on their way to a solver. */
import type { ObjectiveKnobs } from './objective.ts';
import type { RemedyRules } from './resolved-query.ts';
import type { RouteQuery } from './route.ts';

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
  readonly query: WireQuery;
}

/** A route query with its layers resolved to ids, and automatic layers to the options they stand for. */
export interface WireQuery extends Omit<RouteQuery, 'layers'> {
  /** `SOURCEFREE` (−1) stands for that automatic layer. */
  readonly layerIds: readonly number[];
  readonly layerNames: readonly string[];
  readonly includeFees: boolean;
  readonly maxhops: number;
  readonly knobs?: ObjectiveKnobs;
  /**
   * Whether it is one of many that are asked together. Then searches share work (assembly/solve/path/kept-tree.ts), and of
   * several answers of the same cost it may get another one than alone.
   */
  readonly inBatch?: boolean;
  readonly remedies?: RemedyRules;
}
