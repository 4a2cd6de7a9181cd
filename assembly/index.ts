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

// Where the host finds the fields of records that it reads or writes itself, and what their bits mean.
export {
  A_BASE,
  A_CLTV,
  A_FACTOR,
  A_FLAGS,
  A_HTLC_MAX,
  A_HTLC_MIN,
  A_MAX,
  A_MIN,
  A_PPM,
  A_SLOT,
  A_TAIL,
  FLAG_ENABLED,
  FLAG_KNOWN,
  NODE_ID_BYTES,
  R_BASE,
  R_CAPACITY,
  R_CLTV,
  R_HTLC_MAX,
  R_HTLC_MIN,
  R_NODE1,
  R_NODE2,
  R_NODE_IDS,
  R_POLICY_FLAGS,
  R_PPM,
  R_SCIDS,
} from './graph/graph';
export {
  B_MAX,
  B_MIN,
  B_NEXT,
  C_BOUNDS,
  C_CREATED,
  C_HELD,
  C_UPDATE,
  H_EXTRA_HTLC,
  H_RESERVED,
  MASK_BASE,
  MASK_CLTV,
  MASK_ENABLED,
  MASK_HTLC_MAX,
  MASK_HTLC_MIN,
  MASK_PPM,
  T_HIGH,
  T_LOW,
  T_SHIFT,
  U_BASE,
  U_CLTV,
  U_ENABLED,
  U_HTLC_MAX,
  U_HTLC_MIN,
  U_MASK,
  U_PPM,
} from './overlay/layers';
export {
  P_AMOUNT,
  P_ARCS,
  P_HOPS,
} from './solve/parts';

/** Prepares this instance; once, before anything else. */
export function init(): void {
  layersInit();
  overlayInit();
  partsInit();
}
