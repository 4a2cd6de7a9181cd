/**
 * The kernel: what the host may call. Addresses and indexes are u32; amounts i64 msat; see each module.
 *
 * One instance per thread over one shared memory. `init` once, `attach` at each new graph, then per query
 * `applyStack` and `solve`, and read the parts.
 */
import { layersInit } from './overlay/layers';
import { overlayInit } from './overlay/overlay';
import { partsInit } from './solve/parts';

export { allocatePages, blocksUsed } from './graph/arena';
export { deliverableAmount, enoughCapacity, isProven, provenByFlow } from './solve/construct';
export { beginEffort, effortSpent, searchSteps, setEffort, wasCutShort } from './solve/effort';
export { arcList, fewestHopPath, listArcs } from './solve/explore';
export { listCut, maxFlow } from './solve/flow';
export { findChannel, findNode, regionBuild, regionBytes, regionLayout } from './graph/graph';
export {
  cellBias,
  cellBounds,
  cellHeld,
  cellCreate,
  cellsUsed,
  cellUpdate,
  channelCell,
  channelCellRemove,
  channelCellReset,
  nodeCellSet,
  nodeEntry,
} from './overlay/layers';
export { exp, feeMsat, keyedUniform, ln, negLogComplement } from './graph/numbers';
export { capacityOf, endOf, extraNodeCount, headOfArc, nodeById, nodeIdOf, scidOf } from './overlay/created';
export { layerDisablesNode } from './overlay/effective';
export { applyEnds, applyStack, channelChanged, clearLayer, ensureLayerSlots, nodeChanged, overlayAttach as attach } from './overlay/overlay';
export { nextStackInput } from './overlay/stack';
export { answerParts, beforeFee, partAt, totalFee, worstDelay } from './solve/parts';
export { metLimits } from './solve/question';
export { recordOf } from './overlay/scratch';
export { beginTask, nodesSettled, search, searchesRun, setNoise, setPartPrice, setPrices } from './solve/search';
export { answerCost, answerLeastCost, solve } from './solve/solve';

/** Prepares this instance; once, before anything else. */
export function init(): void {
  layersInit();
  overlayInit();
  partsInit();
}
