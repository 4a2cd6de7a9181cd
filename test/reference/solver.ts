/**
 * The subject of the properties: a search that answers a query on a graph, or gives the reason for a refusal
 * as a typed error.
 */

import type { RouteAnswer, RouteQuery } from '../../src/engine/question/route.ts';
import type { FulguriteError } from '../../src/model/errors.ts';
import type { Prices } from './exhaustive.ts';
import type { TinyGraph } from './tiny-graph.ts';

export interface Solver {
  readonly name: string;
  solve(graph: TinyGraph, query: RouteQuery): RouteAnswer | FulguriteError;
  /** The prices in the solver's objective for an amount. */
  prices(amountMsat: bigint): Prices;
}
