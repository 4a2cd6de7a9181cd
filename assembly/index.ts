/**
 * The functions of the kernel that the host may call.
 *
 * Each thread has one instance, and all share one memory. Call `init` once and `attach` for each new graph. For each
 * question write the `Question`, call `applyStack`, `applyEnds` and `solve`, and read the `Verdict` and the parts.
 * All state is in the workspace (workspace.ts). Addresses, indexes and lengths are u32; amounts i64 msat; costs f64
 * msat.
 *
 * The module has no static data and no heap (graph/arena.ts), because a new instance must not overwrite shared memory.
 */
import * as arena from './graph/arena';
import * as build from './graph/build';
import { Column } from './graph/column';
import { DirectionRecord } from './graph/direction';
import * as graph from './graph/graph';
import { Region } from './graph/region';
import * as burdens from './overlay/burdens';
import { BoundsStep, ChannelCell, HeldBlock, UpdateBlock } from './overlay/cells';
import * as createdChannels from './overlay/created-channels';
import * as createdNodes from './overlay/created-nodes';
import * as effective from './overlay/effective';
import * as entries from './overlay/entries';
import { NodeEntry } from './overlay/entries';
import * as layers from './overlay/layers';
import * as overlay from './overlay/overlay';
import * as scratch from './overlay/scratch';
import * as shelves from './overlay/shelves';
import * as stack from './overlay/stack';
import { Question, Verdict } from './record';
import * as construct from './solve/flow/construct';
import * as flow from './solve/flow/flow';
import * as parts from './solve/flow/parts';
import { Part } from './solve/flow/parts';
import * as explore from './solve/path/explore';
import * as searches from './solve/path/search';
import * as effort from './solve/question/effort';
import * as odds from './solve/question/odds';
import * as prices from './solve/question/prices';
import * as task from './solve/question/task';
import * as stages from './solve/solve';
import { newWorkspace, Workspace } from './workspace';

export { allocatePages } from './graph/arena';
export { beforeFee, exp, feeMsat, keyedUniform, ln, negLogComplement } from './graph/numbers';
export { regionBytes, regionLayout } from './graph/region';
export * from './layout';
export { cellSide } from './overlay/layers';

/** The workspace of this instance, created by `init`. */
let workspace: Workspace = changetype<Workspace>(0);

/**
 * Prepares this instance by creating its workspace. Not needed for `allocatePages`, arithmetic, and the functions
 * about regions.
 */
export function init(): void {
  workspace = newWorkspace();
  entries.entriesInit(workspace.entries);
  layers.layersInit(workspace.cells);
  overlay.overlayInit(workspace);
  parts.partsInit(workspace);
}

/** Number of memory blocks that this instance has allocated and not yet freed. */
export function blocksUsed(): u32 {
  return arena.blocksUsed(workspace.arena);
}

/** Builds the tables of a region filled by the host. Afterwards any instance may attach it. */
export function regionBuild(region: Region): void {
  build.regionBuild(region);
}

/** Index of a channel of the graph, or NONE. */
export function findChannel(shortChannelId: u64): u32 {
  return graph.findChannel(workspace.graph, shortChannelId);
}

/** Index of a node of the graph by its 33 bytes at `id`, or NONE. */
export function findNode(id: usize): u32 {
  return graph.findNode(workspace.graph, id);
}

/** Capacity of a channel of the graph or of the applied layers, msat. */
export function capacityOf(channel: u32): i64 {
  return createdChannels.capacityOf(workspace, channel);
}

/** Node at end 0 or 1 of a channel. */
export function endOf(channel: u32, end: u32): u32 {
  return createdChannels.endOf(workspace, channel, end);
}

/** End node of an arc. */
export function headOfArc(arc: u32): u32 {
  return createdChannels.headOfArc(workspace, arc);
}

/** Short channel id of a channel, including those created by layers. */
export function shortChannelIdOf(channel: u32): u64 {
  return createdChannels.shortChannelIdOf(workspace, channel);
}

/** Number of node indexes beyond those of the graph, including vacant ones. */
export function extraNodeCount(): u32 {
  return createdNodes.extraNodeCount(workspace.createdNodes);
}

/** Index of a node by its 33 bytes at `id`, including nodes known only to layers, or NONE. */
export function nodeById(id: usize): u32 {
  return createdNodes.nodeById(workspace, id);
}

/** Address of the 33 id bytes of a node. */
export function nodeIdOf(node: u32): usize {
  return createdNodes.nodeIdOf(workspace, node);
}

/** Whether a layer disables a node. */
export function layerDisablesNode(layer: u32, node: u32): bool {
  return effective.layerDisablesNode(workspace, layer, node);
}

/** Level of the extra cost of passing through a node, under the applied stack (overlay/burdens.ts). */
export function burdenOf(node: u32): u32 {
  return burdens.burdenOf(workspace.scratch, node);
}

/** The entry of a node id in layers (overlay/entries.ts), created if missing. */
export function nodeEntry(id: usize): NodeEntry {
  return entries.nodeEntry(workspace, id);
}

/** Inserts a step before the existing steps of a direction's bounds, and returns it. The host writes its fields. */
export function cellBounds(cell: ChannelCell, direction: u32): BoundsStep {
  return layers.cellBounds(workspace.arena, cell, direction);
}

/** Marks in a cell that the layer creates the channel. */
export function cellCreate(cell: ChannelCell, node1: NodeEntry, node2: NodeEntry, capacity: i64): void {
  layers.cellCreate(workspace, cell, node1, node2, capacity);
}

/** The reservations of a direction in a cell, created if missing. The host writes their fields. */
export function cellHeld(cell: ChannelCell, direction: u32): HeldBlock {
  return layers.cellHeld(workspace.arena, cell, direction);
}

/** Number of cells of all layers. */
export function cellsUsed(): u32 {
  return layers.cellsUsed(workspace.cells);
}

/** The changed terms of a direction in a cell, created if missing. The host writes their fields. */
export function cellUpdate(cell: ChannelCell, direction: u32): UpdateBlock {
  return layers.cellUpdate(workspace.arena, cell, direction);
}

/** A layer's cell of a channel, or null. */
export function channelCell(layer: u32, shortChannelId: u64): ChannelCell | null {
  return layers.channelCell(workspace.cells, layer, shortChannelId);
}

/** Removes a layer's cell of a channel. */
export function channelCellRemove(layer: u32, shortChannelId: u64): void {
  layers.channelCellRemove(workspace, layer, shortChannelId);
}

/** Empties a layer's cell of a channel and returns it; creates it if missing. */
export function channelCellReset(layer: u32, shortChannelId: u64): ChannelCell {
  return layers.channelCellReset(workspace, layer, shortChannelId);
}

/**
 * Sets a layer's cell of a node, or removes it if all values are defaults.
 * @returns whether the change affects directions of the node, not just its burden
 */
export function nodeCellSet(
  layer: u32,
  entry: NodeEntry,
  disabled: bool,
  inBias: i32,
  outBias: i32,
  burden: u32,
): bool {
  return layers.nodeCellSet(workspace, layer, entry, disabled, inBias, outBias, burden);
}

/** Applies everything that depends on the ends of the next question. Call it after `applyStack`. */
export function applyEnds(source: u32, destination: u32): void {
  overlay.applyEnds(workspace, source, destination);
}

/** Applies the stack of `length` layers in `nextStackInput`. */
export function applyStack(length: u32): void {
  overlay.applyStack(workspace, length);
}

/** Updates the applied stack after a change of a layer's cell of a channel. */
export function channelChanged(layer: u32, shortChannelId: u64): void {
  overlay.channelChanged(workspace, layer, shortChannelId);
}

/** Removes all cells of a layer, and updates the applied stack. */
export function clearLayer(layer: u32): void {
  overlay.clearLayer(workspace, layer);
}

/** Makes room for layers numbered below `slots`. */
export function ensureLayerSlots(slots: u32): void {
  overlay.ensureLayerSlots(workspace, slots);
}

/** Updates the applied stack after a change of a layer's cell of a node. */
export function nodeChanged(layer: u32, entry: NodeEntry, changesTerms: bool): void {
  overlay.nodeChanged(workspace, layer, entry, changesTerms);
}

/** Switches to a new graph. */
export function attach(region: Region): void {
  overlay.overlayAttach(workspace, region);
}

/** The terms and bounds of a direction under the applied stack. */
export function recordOf(arc: u32): DirectionRecord {
  return scratch.recordOf(workspace, arc);
}

/**
 * Empties the cache of kept stacks and sets its size to `bytes`. From then on, a stack is kept only if it has a layer
 * of at least `least` cells.
 */
export function reserveShelves(bytes: u32, least: u32): void {
  shelves.reserveShelves(workspace, bytes, least);
}

/** The address for the table of learned odds. */
export function oddsInput(): Column<f32> {
  return odds.oddsInput(workspace);
}

/** Uses the learned odds in `oddsInput` if `isLearned`, else assumes uniform balances. */
export function setOdds(isLearned: bool): void {
  odds.setOdds(workspace, isLearned);
}

/** The address for the next stack of layers, for `applyStack`. */
export function nextStackInput(): Column<u32> {
  return stack.nextStackInput(workspace.stack);
}

/** False if a maximum flow proves that the amount of the question cannot be delivered. */
export function enoughCapacity(): bool {
  return construct.enoughCapacity(workspace.question, workspace);
}

/** Whether the last shortage was proven by a maximum flow. */
export function provenByFlow(): bool {
  return construct.provenByFlow(workspace.shortage);
}

/** Lists up to `limit` arcs of the minimum cut in `arcList`, after a flow that fell short. Returns their number. */
export function listCut(limit: u32): u32 {
  return flow.listCut(workspace, limit);
}

/** The maximum flow between two nodes, capped at `wanted`, msat. */
export function maxFlow(source: u32, destination: u32, wanted: i64): i64 {
  return flow.maxFlow(workspace, source, destination, wanted);
}

/** A part of the last answer. */
export function partAt(part: u32): Part {
  return parts.partAt(workspace.parts, part);
}

/** The list of arcs that `listCut`, `fewestHopPath` and `listArcs` fill. */
export function arcList(): Column<u32> {
  return explore.arcList(workspace.explored);
}

/** Fills `arcList` with the path that has the fewest hops. Returns its length, or 0 if there is none. */
export function fewestHopPath(source: u32, destination: u32): u32 {
  return explore.fewestHopPath(workspace, source, destination);
}

/** Fills `arcList` with the arcs from or into a node. Returns their number. */
export function listArcs(node: u32, leaving: bool): u32 {
  return explore.listArcs(workspace, node, leaving);
}

/** Number of nodes that searches for paths have settled from destinations since `init`. */
export function nodesSettled(): f64 {
  return searches.nodesSettled(workspace.search);
}

/** Number of searches for a path with one label per node (search.ts) since `init`. */
export function searchesRun(): f64 {
  return searches.searchesRun(workspace.search);
}

/** Steps taken since `init`. */
export function effortSpent(): f64 {
  return effort.effortSpent(workspace.effort);
}

/** Estimated steps of one search over the whole graph. */
export function searchSteps(): f64 {
  return effort.searchSteps(workspace.graph);
}

/** Begins a question with this maximum number of steps. */
export function setEffort(steps: f64): void {
  effort.setEffort(workspace.effort, steps);
}

/** Whether more effort could have changed the result. */
export function wasSpent(): bool {
  return effort.wasSpent(workspace.effort);
}

/** Begins a task. The host stops it by writing `number` to `address`. */
export function beginTask(address: usize, number: u32): void {
  task.beginTask(workspace.task, address, number);
}

/** Address of the question that the host writes. */
export function question(): Question {
  return workspace.question;
}

/** Address of the verdict on the last question. */
export function verdict(): Verdict {
  return workspace.verdict;
}

/** Solves the question written by the host. Returns a status. */
export function solve(): u32 {
  return stages.solve(workspace.question, workspace);
}

/** The deliverable amount that the last question or `enoughCapacity` found, msat. */
export function deliverableAmount(): i64 {
  return workspace.shortage.deliverable;
}

/** Runs a single search, for measurements. Returns whether it found a path. */
export function search(
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  riskPrice: f64,
  delayRate: f64,
): bool {
  prices.setPrices(workspace.prices, 1.0, riskPrice, delayRate);
  return searches.search(workspace, source, destination, amount, maxHops, maxDelay);
}
