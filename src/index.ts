/**
 * The library: what `import … from 'fulgurite'` gives. The parts of the daemon can be used one by one, without
 * a daemon and its socket. `examples/library/` has a program for each.
 *
 * - Routes: a `ChannelGraph` (made up by `generateSyntheticGraph`, or read by `openGraphSource`), a `LayerBook`
 *   with what is known beyond it, and a `RouteEngine`.
 * - A simulated network: `openSimulatedNetwork` opens a `SimulatedNetwork` on a graph, in a thread of its own.
 * - A simulation of many senders: `loadScenario` reads a scenario, `simulate` plays it and reports each payment.
 * - A whole node in this process: `startNode`.
 * - A node in another process: `FulguriteClient`.
 *
 * Amounts are `bigint` millisatoshi (`msat`, `msatFromSat`). Errors are `FulguriteError` with the codes of
 * `ERRORS`. Before version 1, names may change with any release; CHANGELOG.md says which.
 */
export { type NodeInProcess, startNode } from './cli/library.ts';
export { FulguriteClient, RpcError } from './client/client.ts';
export type { Methods } from './client/methods.ts';
export { RouteEngine } from './engine/host/engine.ts';
export type { EngineOptions, RouteOptions } from './engine/host/engine-options.ts';
export { NoRouteError } from './engine/question/no-route.ts';
export { DEFAULT_OBJECTIVE, type ObjectiveKnobs } from './engine/question/objective.ts';
export type { Route, RouteAnswer, RouteHop, RouteQuery } from './engine/question/route.ts';
export { type GraphSource, openGraphSource } from './gossip/source.ts';
export { generateSyntheticGraph } from './gossip/synthetic.ts';
export type { WorldControl } from './laboratory/control.ts';
export type { Summary } from './laboratory/results/summary.ts';
export { type LoadedScenario, loadScenario, parseSetting } from './laboratory/scenario/load-scenario.ts';
export type { Scenario } from './laboratory/scenario/scenario.ts';
export { type RunOptions, type SimulationEvent, simulate } from './laboratory/simulate.ts';
export { LayerBook } from './layers/layer-book.ts';
export { ChannelGraph } from './model/channel-graph.ts';
export { ERRORS, type ErrorName, FulguriteError } from './model/errors.ts';
export { type Msat, msat, msatFromSat, parseMsat } from './model/msat.ts';
export type { NodeId } from './model/node-id.ts';
export type { ShortChannelId, ShortChannelIdDir } from './model/short-channel-id.ts';
export type { NetworkPort, OwnChannelReport } from './network/port.ts';
export {
  networkMapOf,
  openSimulatedNetwork,
  type SimulatedNetworkOptions,
  type SimulationOptions,
  WorkerPort as SimulatedNetwork,
} from './network/simulated/index.ts';
