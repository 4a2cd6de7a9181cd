/**
 * The kernel: what the host may call. Addresses and indexes are u32; amounts i64 msat; see each module.
 *
 * One instance per thread over one shared memory. `init` once, `attach` at each new graph, then per query
 * `applyStack` and `solve`, and read the parts.
 */
import { layersInit } from './layers';
import { overlayInit } from './overlay';
import { partsInit } from './parts';

export { allocatePages, blocksUsed } from './arena';
export { deliverableAmount, enoughCapacity, isProven, provenByFlow } from './construct';
export { beginEffort, effortSpent, searchSteps, setEffort, wasCutShort } from './effort';
export { arcList, fewestHopPath, listArcs } from './explore';
export { listCut, maxFlow } from './flow';
export { findChannel, findNode, regionBuild, regionBytes, regionLayout } from './graph';
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
} from './layers';
export { exp, feeMsat, keyedUniform, ln, negLogComplement } from './numbers';
export { capacityOf, endOf, extraNodeCount, headOfArc, nodeById, nodeIdOf, scidOf } from './created';
export { layerDisablesNode } from './effective';
export { applyEnds, applyStack, channelChanged, clearLayer, ensureLayerSlots, nodeChanged, overlayAttach as attach } from './overlay';
export { nextStackInput } from './stack';
export { answerParts, beforeFee, partAt, totalFee, worstDelay } from './parts';
export { metLimits } from './question';
export { recordOf } from './scratch';
export { beginTask, nodesSettled, search, searchesRun, setNoise, setPartPrice, setPrices } from './search';
export { answerCost, answerLeastCost, solve } from './solve';

/** Prepares this instance; once, before anything else. */
export function init(): void {
  layersInit();
  overlayInit();
  partsInit();
}
