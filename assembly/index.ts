/**
 * The kernel: what the host may call.
 *
 * Each thread has one instance, and all share one memory. Call `init` once and `attach` at each new graph. For each
 * question call `applyStack`, `applyEnds` and `solve`, and read the parts. Addresses, indexes and counts are u32;
 * amounts i64 msat; costs f64 msat. Each function is documented where it is defined.
 *
 * The module has no static data and no heap (graph/arena.ts): a new instance must not write to memory that others use.
 */
import { entriesInit } from './overlay/entries';
import { layersInit } from './overlay/layers';
import { overlayInit } from './overlay/overlay';
import { partsInit } from './solve/flow/parts';

export { allocatePages, blocksUsed } from './graph/arena';
export { regionBuild } from './graph/build';
export { findChannel, findNode } from './graph/graph';
export { beforeFee, exp, feeMsat, keyedUniform, ln, negLogComplement } from './graph/numbers';
export { regionBytes, regionLayout } from './graph/region';
export * from './layout';
export { capacityOf, endOf, headOfArc, shortChannelIdOf } from './overlay/created-channels';
export { extraNodeCount, nodeById, nodeIdOf } from './overlay/created-nodes';
export { layerDisablesNode } from './overlay/effective';
export { nodeEntry } from './overlay/entries';
export {
  cellBounds,
  cellCreate,
  cellHeld,
  cellSide,
  cellsUsed,
  cellUpdate,
  channelCell,
  channelCellRemove,
  channelCellReset,
  nodeCellSet,
} from './overlay/layers';
export {
  applyEnds,
  applyStack,
  channelChanged,
  clearLayer,
  ensureLayerSlots,
  nodeChanged,
  overlayAttach as attach,
} from './overlay/overlay';
export { recordOf } from './overlay/scratch';
export { reserveShelves } from './overlay/shelves';
export { nextStackInput } from './overlay/stack';
export { isFeeLeast } from './solve/answer';
export { deliverableAmount, enoughCapacity, isProven, provenByFlow } from './solve/flow/construct';
export { listCut, maxFlow } from './solve/flow/flow';
export { answerParts, partAt, totalFee, worstDelay } from './solve/flow/parts';
export { arcList, fewestHopPath, listArcs } from './solve/path/explore';
export { setTreesKept } from './solve/path/kept-tree';
export { nodesSettled, search, searchesRun } from './solve/path/search';
export { effortSpent, searchSteps, setEffort, wasCutShort, wasSpent } from './solve/question/effort';
export { setNoise, setPartPrice, setPrices } from './solve/question/prices';
export { metLimits, setGoal } from './solve/question/question';
export { beginTask } from './solve/question/task';
export { answerCost, answerLeastCost, solve } from './solve/solve';

/** Prepares this instance; once, before anything else. */
export function init(): void {
  entriesInit();
  layersInit();
  overlayInit();
  partsInit();
}
