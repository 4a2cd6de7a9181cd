/** The host's view of the kernel: the exports of its module. */
import type { LayoutExports } from './kernel-layout.ts';

/**
 * The functions of the kernel as the host sees them; assembly/index.ts documents them. A u32 arrives as a number that
 * may be negative, an i64 as bigint.
 */
export interface KernelExports extends LayoutExports {
  init(): void;
  allocatePages(bytes: bigint): number;
  blocksUsed(): number;
  // The graph.
  regionBytes(nodes: number, channels: number): number;
  regionLayout(region: number, nodes: number, channels: number): void;
  regionBuild(region: number): void;
  findChannel(scid: bigint): number;
  findNode(id: number): number;
  // The graph with layers applied.
  attach(region: number): void;
  ensureLayerSlots(slots: number): void;
  nextStackInput(): number;
  applyStack(length: number): void;
  applyEnds(source: number, destination: number): void;
  nodeById(id: number): number;
  nodeIdOf(node: number): number;
  endOf(channel: number, end: number): number;
  capacityOf(channel: number): bigint;
  shortChannelIdOf(channel: number): bigint;
  headOfArc(arc: number): number;
  extraNodeCount(): number;
  layerDisablesNode(layer: number, node: number): number;
  burdenOf(node: number): number;
  channelChanged(layer: number, scid: bigint): void;
  nodeChanged(layer: number, entry: number, changesTerms: number): void;
  clearLayer(layer: number): void;
  reserveShelves(bytes: number, leastCells: number): void;
  recordOf(arc: number): number;
  // The contents of layers.
  channelCell(layer: number, scid: bigint): number;
  channelCellReset(layer: number, scid: bigint): number;
  channelCellRemove(layer: number, scid: bigint): void;
  cellCreate(cell: number, node1: number, node2: number, capacity: bigint): void;
  cellUpdate(cell: number, direction: number): number;
  cellBounds(cell: number, direction: number): number;
  cellHeld(cell: number, direction: number): number;
  cellSide(cell: number, direction: number): number;
  nodeEntry(id: number): number;
  nodeCellSet(
    layer: number,
    entry: number,
    disabled: number,
    inBias: number,
    outBias: number,
    burden: number,
  ): number;
  cellsUsed(): number;
  // The effort of searches.
  searchSteps(): number;
  setEffort(steps: number): void;
  effortSpent(): number;
  wasSpent(): number;
  // Learned odds, tasks, and single searches.
  oddsInput(): number;
  setOdds(isLearned: number): void;
  beginTask(cancelAddress: number, task: number): void;
  search(
    source: number,
    destination: number,
    amount: bigint,
    maxHops: number,
    maxDelay: number,
    riskPrice: number,
    delayRate: number,
  ): number;
  searchesRun(): number;
  nodesSettled(): number;
  // Questions and their answers.
  /** Address of the question, which the host writes before it calls `solve`. */
  question(): number;
  /** Address of the verdict. */
  verdict(): number;
  solve(): number;
  deliverableAmount(): bigint;
  enoughCapacity(): number;
  partAt(part: number): number;
  // Maximum flows and minimum cuts.
  maxFlow(source: number, destination: number, wanted: bigint): bigint;
  listCut(limit: number): number;
  provenByFlow(): number;
  // Lists of arcs.
  arcList(): number;
  listArcs(node: number, leaving: number): number;
  fewestHopPath(source: number, destination: number): number;
  // Arithmetic.
  feeMsat(amount: bigint, base: number, ppm: number): bigint;
  beforeFee(total: bigint, base: number, ppm: number): bigint;
  negLogComplement(q: number): number;
  ln(x: number): number;
  exp(x: number): number;
  keyedUniform(seed: bigint, key: bigint): number;
}
