/**
 * The kernel: what the host may call.
 *
 * Each thread has one instance, and all share one memory. Call `init` once and `attach` at each new graph. For each
 * question write the `Question`, call `applyStack`, `applyEnds` and `solve`, and read the `Verdict` and the parts. Addresses, indexes and counts are u32;
 * amounts i64 msat; costs f64 msat. Each function is documented where it is defined.
 *
 * The module has no static data and no heap (graph/arena.ts): a new instance must not write to memory that others use.
 */
import * as arena from './graph/arena';
import * as build from './graph/build';
import { Column } from './graph/column';
import { DirectionRecord } from './graph/direction';
import * as graph from './graph/graph';
import { Region } from './graph/region';
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

/** The workspace of this instance; made by `init`. */
let workspace: Workspace = changetype<Workspace>(0);

/** Prepares this instance; once, before anything else. */
export function init(): void {
  workspace = newWorkspace();
  entries.entriesInit(workspace.entries);
  layers.layersInit(workspace.cells);
  overlay.overlayInit(workspace);
  parts.partsInit(workspace);
}

export function blocksUsed(): u32 {
  return arena.blocksUsed(workspace.arena);
}

export function regionBuild(region: Region): void {
  build.regionBuild(region);
}

export function findChannel(shortChannelId: u64): u32 {
  return graph.findChannel(workspace.graph, shortChannelId);
}

export function findNode(id: usize): u32 {
  return graph.findNode(workspace.graph, id);
}

export function capacityOf(channel: u32): i64 {
  return createdChannels.capacityOf(workspace, channel);
}

export function endOf(channel: u32, end: u32): u32 {
  return createdChannels.endOf(workspace, channel, end);
}

export function headOfArc(arc: u32): u32 {
  return createdChannels.headOfArc(workspace, arc);
}

export function shortChannelIdOf(channel: u32): u64 {
  return createdChannels.shortChannelIdOf(workspace, channel);
}

export function extraNodeCount(): u32 {
  return createdNodes.extraNodeCount(workspace.createdNodes);
}

export function nodeById(id: usize): u32 {
  return createdNodes.nodeById(workspace, id);
}

export function nodeIdOf(node: u32): usize {
  return createdNodes.nodeIdOf(workspace, node);
}

export function layerDisablesNode(layer: u32, node: u32): bool {
  return effective.layerDisablesNode(workspace, layer, node);
}

export function nodeEntry(id: usize): NodeEntry {
  return entries.nodeEntry(workspace, id);
}

export function cellBounds(cell: ChannelCell, direction: u32): BoundsStep {
  return layers.cellBounds(workspace.arena, cell, direction);
}

export function cellCreate(cell: ChannelCell, node1: NodeEntry, node2: NodeEntry, capacity: i64): void {
  layers.cellCreate(workspace.arena, cell, node1, node2, capacity);
}

export function cellHeld(cell: ChannelCell, direction: u32): HeldBlock {
  return layers.cellHeld(workspace.arena, cell, direction);
}

export function cellsUsed(): u32 {
  return layers.cellsUsed(workspace.cells);
}

export function cellUpdate(cell: ChannelCell, direction: u32): UpdateBlock {
  return layers.cellUpdate(workspace.arena, cell, direction);
}

export function channelCell(layer: u32, shortChannelId: u64): ChannelCell | null {
  return layers.channelCell(workspace.cells, layer, shortChannelId);
}

export function channelCellRemove(layer: u32, shortChannelId: u64): void {
  layers.channelCellRemove(workspace, layer, shortChannelId);
}

export function channelCellReset(layer: u32, shortChannelId: u64): ChannelCell {
  return layers.channelCellReset(workspace, layer, shortChannelId);
}

export function nodeCellSet(
  layer: u32,
  entry: NodeEntry,
  disabled: bool,
  inBias: i32,
  outBias: i32,
  burden: u32,
): void {
  layers.nodeCellSet(workspace, layer, entry, disabled, inBias, outBias, burden);
}

export function applyEnds(source: u32, destination: u32): void {
  overlay.applyEnds(workspace, source, destination);
}

export function applyStack(length: u32): void {
  overlay.applyStack(workspace, length);
}

export function channelChanged(layer: u32, shortChannelId: u64): void {
  overlay.channelChanged(workspace, layer, shortChannelId);
}

export function clearLayer(layer: u32): void {
  overlay.clearLayer(workspace, layer);
}

export function ensureLayerSlots(slots: u32): void {
  overlay.ensureLayerSlots(workspace, slots);
}

export function nodeChanged(layer: u32, entry: NodeEntry): void {
  overlay.nodeChanged(workspace, layer, entry);
}

export function attach(region: Region): void {
  overlay.overlayAttach(workspace, region);
}

export function recordOf(arc: u32): DirectionRecord {
  return scratch.recordOf(workspace, arc);
}

export function reserveShelves(bytes: u32, least: u32): void {
  shelves.reserveShelves(workspace, bytes, least);
}

export function oddsInput(): Column<f32> {
  return odds.oddsInput(workspace);
}

export function setOdds(isLearned: bool): void {
  odds.setOdds(workspace, isLearned);
}

export function nextStackInput(): Column<u32> {
  return stack.nextStackInput(workspace.stack);
}

export function enoughCapacity(): bool {
  return construct.enoughCapacity(workspace.question, workspace);
}

export function provenByFlow(): bool {
  return construct.provenByFlow(workspace.shortage);
}

export function listCut(limit: u32): u32 {
  return flow.listCut(workspace, limit);
}

export function maxFlow(source: u32, destination: u32, wanted: i64): i64 {
  return flow.maxFlow(workspace, source, destination, wanted);
}

export function partAt(part: u32): Part {
  return parts.partAt(workspace.parts, part);
}

export function arcList(): Column<u32> {
  return explore.arcList(workspace.explored);
}

export function fewestHopPath(source: u32, destination: u32): u32 {
  return explore.fewestHopPath(workspace, source, destination);
}

export function listArcs(node: u32, leaving: bool): u32 {
  return explore.listArcs(workspace, node, leaving);
}

export function nodesSettled(): f64 {
  return searches.nodesSettled(workspace.search);
}

export function searchesRun(): f64 {
  return searches.searchesRun(workspace.search);
}

export function effortSpent(): f64 {
  return effort.effortSpent(workspace.effort);
}

export function searchSteps(): f64 {
  return effort.searchSteps(workspace.graph);
}

export function setEffort(steps: f64): void {
  effort.setEffort(workspace.effort, steps);
}

export function wasSpent(): bool {
  return effort.wasSpent(workspace.effort);
}

export function beginTask(address: usize, number: u32): void {
  task.beginTask(workspace.task, address, number);
}

/** Address of the question, which the host writes. */
export function question(): Question {
  return workspace.question;
}

/** Address of the verdict on the last question. */
export function verdict(): Verdict {
  return workspace.verdict;
}

/** Solves the question that the host has written. Returns a status. */
export function solve(): u32 {
  return stages.solve(workspace.question, workspace);
}

/** How much the last flow passes, msat (`enoughCapacity`). */
export function deliverableAmount(): i64 {
  return workspace.shortage.deliverable;
}

/** A single search, for measurements. */
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
