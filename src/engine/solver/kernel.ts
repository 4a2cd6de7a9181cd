/**
 * One kernel instance, called synchronously by a worker, or within the process by tests and benchmarks.
 *
 * It reads the published graph, holds the layers sent to it, and answers route queries. All access to the kernel goes
 * through this class, which knows nothing about threads and messages.
 */

import { AMOUNT_CAP_MSAT, capped } from '../../layers/bounds-fold.ts';
import type { ChannelCell, NodeCell } from '../../layers/cell.ts';
import type { OddsTable } from '../../layers/learned-odds.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { type Msat, msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Direction, ShortChannelId } from '../../model/short-channel-id.ts';
import { QUESTION_RECORD, type QuestionFlags } from '../question/question.ts';
import type { Unfinished } from '../question/route.ts';
import { CellWriter } from './cell-writer.ts';
import type { KernelExports } from './kernel-exports.ts';
import { type KernelLayout, kernelLayout, NONE, SOURCEFREE_SLOT, type SolveStatus } from './kernel-layout.ts';
import {
  cancelAddress,
  createSharedKernel,
  GraphPublisher,
  instantiate,
  type KernelBuild,
  NoticeBoard,
  type SharedKernel,
} from './kernel-memory.ts';
import type { Asked, EffectiveArc, KernelPart, Solution } from './solution.ts';

/** Maximum number of a cut's directions that are reported. */
const CUT_LIMIT = 100;
/** A strained answer counts as finished if no answer can cost less than this share of its cost. */
const CLOSE_TO_BEST = 0.99;

/** For each type of field, the function that writes a value. */
const WRITERS = {
  u32: (view: DataView, at: number, value: unknown) => view.setUint32(at, value as number, true),
  f64: (view: DataView, at: number, value: unknown) => view.setFloat64(at, value as number, true),
  i64: (view: DataView, at: number, value: unknown) => view.setBigInt64(at, value as bigint, true),
  u64: (view: DataView, at: number, value: unknown) => view.setBigUint64(at, value as bigint, true),
};
type RecordFlag = keyof QuestionFlags;
type RecordNumber = Exclude<keyof typeof QUESTION_RECORD, RecordFlag>;
const RECORD_FIELDS = Object.entries(QUESTION_RECORD);
const FLAG_NAMES = RECORD_FIELDS.flatMap(([name, type]) => (type === 'flag' ? [name as RecordFlag] : []));
const NUMBER_WRITERS = RECORD_FIELDS.flatMap(([name, type]) =>
  type === 'flag' ? [] : [[name as RecordNumber, WRITERS[type]] as const],
);

/** One kernel instance and its notes on the notice board. Only for use by one thread. */
export class Kernel {
  readonly #shared: SharedKernel;
  readonly #kernel: KernelExports;
  readonly #layout: KernelLayout;
  /** The statuses, by the kernel's numbers. */
  readonly #statuses: ReadonlyMap<number, SolveStatus>;
  readonly #board: NoticeBoard;
  readonly #workerIndex: number;
  readonly #cells: CellWriter;
  #epoch = -1;
  #view: DataView;
  #bytes: Buffer<ArrayBufferLike>;
  #scratch: number;
  /** The odds in use, and those in the kernel's table. */
  #odds: OddsTable | undefined;
  #written: OddsTable | undefined;

  constructor(shared: SharedKernel, workerIndex: number) {
    this.#shared = shared;
    this.#workerIndex = workerIndex;
    this.#board = new NoticeBoard(shared);
    this.#kernel = instantiate(shared);
    this.#layout = kernelLayout(this.#kernel);
    const statuses = Object.entries(this.#layout.status) as [SolveStatus, number][];
    this.#statuses = new Map(statuses.map(([status, number]) => [number, status]));
    this.#cells = new CellWriter(this.#kernel, this.#layout, {
      view: () => this.view,
      entryOf: (id) => this.#entry(id),
    });
    this.#kernel.init();
    this.#scratch = this.#kernel.allocatePages(64n) >>> 0;
    this.#view = new DataView(shared.memory.buffer);
    this.#bytes = Buffer.from(shared.memory.buffer);
  }

  /** Creates a separate kernel over one graph, in this thread. */
  static inProcess(graph: ChannelGraph, build: KernelBuild = 'release'): Kernel {
    const shared = createSharedKernel(build);
    new GraphPublisher(shared).publish(graph);
    return new Kernel(shared, 0);
  }

  get exports(): KernelExports {
    return this.#kernel;
  }

  /** The graph version that was read last. −1 before the first read. */
  get graphVersion(): number {
    return this.#epoch;
  }

  /** A view of all memory, renewed when the memory has grown. */
  get view(): DataView {
    if (this.#view.buffer !== this.#shared.memory.buffer)
      this.#view = new DataView(this.#shared.memory.buffer);
    return this.#view;
  }

  /** Runs `work` on the current graph, which stays in place meanwhile. */
  reading<T>(work: () => T): T {
    const { region, epoch } = this.#board.enter(this.#workerIndex);
    try {
      if (epoch !== this.#epoch) {
        this.#kernel.attach(region);
        this.#epoch = epoch;
      }
      return work();
    } finally {
      this.#board.leave(this.#workerIndex);
    }
  }

  /**
   * Applies a stack of layer slots, which may contain `SOURCEFREE_SLOT`.
   * @throws RangeError if the stack has more layers than the kernel can hold.
   */
  applyStack(layerSlots: readonly number[]): void {
    // The length is checked before anything is written, because other data follow the stack in memory.
    if (layerSlots.length > this.#layout.stack.limit)
      throw new RangeError(`too many layers at once: ${layerSlots.length}`);
    this.#words(this.#kernel.nextStackInput(), layerSlots.length).set(layerSlots);
    this.#kernel.applyStack(layerSlots.length);
  }

  /**
   * Makes searches use learned odds, or uniform balances for `undefined`. If a table changes afterwards, call
   * `rereadOdds`.
   * @throws RangeError for a table of the wrong size
   */
  setOdds(odds: OddsTable | undefined): void {
    if (odds === this.#odds && (odds === undefined || odds === this.#written)) return;
    if (odds !== undefined && odds !== this.#written) {
      const { cells, classes, levels } = this.#layout.odds;
      if (odds.length !== levels + 2 * classes * (cells + 1))
        throw new RangeError(`a table of odds has the wrong size: ${odds.length} numbers`);
      const at = this.#kernel.oddsInput() >>> 0;
      new Float32Array(this.#shared.memory.buffer, at, odds.length).set(odds);
      this.#written = odds;
    }
    this.#odds = odds;
    this.#kernel.setOdds(odds === undefined ? 0 : 1);
  }

  /** Makes the next `setOdds` with this table read it again, because its contents have changed. */
  rereadOdds(odds: OddsTable): void {
    if (odds === this.#written) this.#written = undefined;
  }

  /** Index of a node that has a channel under the applied stack. Undefined for any other node. */
  nodeIndex(id: NodeId): number | undefined {
    this.#writeId(id);
    const node = this.#kernel.nodeById(this.#scratch) >>> 0;
    return node === NONE ? undefined : node;
  }

  nodeId(node: number): NodeId {
    const at = this.#kernel.nodeIdOf(node) >>> 0;
    if (this.#bytes.buffer !== this.#shared.memory.buffer)
      this.#bytes = Buffer.from(this.#shared.memory.buffer);
    // Only valid ids get into the graph, so the format is not checked again.
    return this.#bytes.toString('hex', at, at + this.#layout.region.nodeIdBytes) as NodeId;
  }

  /** Starts a task. `NoticeBoard.cancel` stops it by this number, which must not be 0. */
  beginTask(task: number): void {
    this.#kernel.beginTask(cancelAddress(this.#workerIndex), task);
  }

  /**
   * Searches under the applied stack, within the set effort.
   * @param flags an object with the flags of the question
   */
  solve(asked: Asked, flags: QuestionFlags = asked): Solution {
    const k = this.#kernel;
    k.applyEnds(asked.source, asked.destination);
    this.#write(asked, flags);
    const code = k.solve();
    const status = this.#statuses.get(code);
    if (status === undefined) throw new Error(`unknown kernel status ${code}`);
    const isOk = status === 'ok';
    const { amounts, numbers, costs } = this.#verdict();
    const isFound = isOk || status === 'tooDear' || status === 'perhapsTooDear';
    // Not `Array.from`, which takes a microsecond for a list of a few members.
    const parts: KernelPart[] = [];
    if (isOk) for (let index = 0; index < numbers('parts'); index++) parts.push(this.#part(index));
    return {
      status,
      parts,
      takes: isFound
        ? { feeMsat: amounts('feeMsat'), pathDelay: numbers('pathDelay'), parts: numbers('parts') }
        : { feeMsat: 0n, pathDelay: 0, parts: 0 },
      deliverableMsat: isOk ? asked.amountMsat : amounts('deliverableMsat'),
      isProven: numbers('isProven') !== 0,
      isFeeLeast: status === 'tooDear' && numbers('isFeeLeast') !== 0,
      dearSteps: costs('dearSteps'),
      isLimited: numbers('limitsMet') !== 0,
      isDelayLimited: (numbers('limitsMet') & this.#layout.met.delay) !== 0,
      ...(isOk && this.#isUnfinished(numbers('wasCut') !== 0) && { unfinished: this.#unfinished() }),
    };
  }

  /**
   * Writes the kernel's whole record of a question. All members are listed, because a spread takes several times as
   * long.
   */
  #write(asked: Asked, flags: QuestionFlags): void {
    const numbers: Readonly<Record<RecordNumber, unknown>> = {
      source: asked.source,
      destination: asked.destination,
      amountMsat: capped(asked.amountMsat),
      maxfeeMsat: capped(asked.maxfeeMsat),
      maxPathDelay: asked.maxPathDelay,
      maxparts: Math.min(asked.maxparts, 0xffff),
      maxhops: Math.min(asked.maxhops, this.#layout.part.maxHops),
      goal: this.#layout.goal[asked.goal ?? 'best'],
      feeWeight: asked.feeWeight ?? 1,
      riskPrice: asked.riskPrice ?? 0,
      delayRate: asked.delayRate ?? 0,
      partPrice: asked.partPrice ?? 0,
      noiseSeed: asked.noiseSeed ?? 0n,
      noiseSpread: asked.noiseSpread ?? 0,
    };
    const { view } = this;
    const { question } = this.#layout;
    const at = this.#kernel.question() >>> 0;
    for (const [name, write] of NUMBER_WRITERS) write(view, at + question[name], numbers[name]);
    for (const name of FLAG_NAMES) view.setUint32(at + question[name], flags[name] === true ? 1 : 0, true);
  }

  #verdict() {
    const at = this.#kernel.verdict() >>> 0;
    const { view } = this;
    const layout = this.#layout.verdict;
    return {
      amounts: (field: 'deliverableMsat' | 'feeMsat') => view.getBigInt64(at + layout[field], true),
      numbers: (field: 'pathDelay' | 'parts' | 'limitsMet' | 'isProven' | 'isFeeLeast' | 'wasCut') =>
        view.getUint32(at + layout[field], true),
      costs: (field: 'cost' | 'leastCost' | 'dearSteps') => view.getFloat64(at + layout[field], true),
    };
  }

  /** The objective of the last answer, in msat. 0 when there is none. */
  get answerCost(): number {
    return this.#verdict().costs('cost');
  }

  /** Whether the search was cut short, or the answer is strained and a better one may exist. */
  #isUnfinished(wasCut: boolean): boolean {
    const { costs } = this.#verdict();
    return wasCut || costs('leastCost') < costs('cost') * CLOSE_TO_BEST;
  }

  #unfinished(): Unfinished {
    const { costs } = this.#verdict();
    const costMsat = BigInt(Math.ceil(costs('cost')));
    const leastCostMsat = BigInt(Math.floor(costs('leastCost')));
    return { costMsat, leastCostMsat };
  }

  /**
   * The proven maximum that can be carried between the ends of the last question under any limits. Undefined unless a
   * maximum flow proves that the requested amount cannot be carried.
   */
  provenMost(): bigint | undefined {
    return this.#kernel.enoughCapacity() !== 0 ? undefined : this.#kernel.deliverableAmount();
  }

  #part(index: number): KernelPart {
    const at = this.#kernel.partAt(index) >>> 0;
    const view = this.view;
    const { part, hop } = this.#layout;
    const first = at + part.hops + hop.arc;
    const count = view.getUint32(at + part.hopCount, true);
    const arcs: number[] = [];
    for (let index = 0; index < count; index++) arcs.push(view.getUint32(first + index * hop.bytes, true));
    return { amountMsat: view.getBigInt64(at + part.amountMsat, true), arcs };
  }

  arc(arc: number): EffectiveArc {
    const at = this.#kernel.recordOf(arc) >>> 0;
    const view = this.view;
    const layout = this.#layout.direction;
    const flags = view.getUint16(at + layout.flags, true);
    const directionIndex = view.getUint32(at + layout.directionIndex, true);
    return {
      shortChannelId: BigInt.asUintN(
        64,
        this.#kernel.shortChannelIdOf(directionIndex >>> 1),
      ) as ShortChannelId,
      direction: (directionIndex & 1) as Direction,
      tail: view.getUint32(at + layout.tail, true),
      head: this.#kernel.headOfArc(arc) >>> 0,
      known: (flags & layout.isKnown) !== 0,
      enabled: (flags & layout.isEnabled) !== 0,
      htlcMinimumMsat: view.getBigInt64(at + layout.htlcMinimumMsat, true),
      htlcMaximumMsat: view.getBigInt64(at + layout.htlcMaximumMsat, true),
      feeBaseMsat: view.getUint32(at + layout.feeBaseMsat, true),
      feeProportionalMillionths: view.getUint32(at + layout.feeProportionalMillionths, true),
      cltvExpiryDelta: view.getUint16(at + layout.cltvExpiryDelta, true),
      minMsat: view.getBigInt64(at + layout.minMsat, true),
      maxMsat: view.getBigInt64(at + layout.maxMsat, true),
      factor: view.getFloat32(at + layout.factor, true),
    };
  }

  /** Capacity of the channel that an arc belongs to. */
  capacityMsat(arc: number): Msat {
    const directionIndex = this.view.getUint32(
      (this.#kernel.recordOf(arc) >>> 0) + this.#layout.direction.directionIndex,
      true,
    );
    return msat(this.#kernel.capacityOf(directionIndex >>> 1));
  }

  /** Every arc out of (or into) a node, usable or not. */
  arcsOf(node: number, leaving: boolean): number[] {
    return this.#listed(this.#kernel.listArcs(node, leaving ? 1 : 0));
  }

  /** The arcs of a path with the fewest hops, ignoring every limit. Empty when the nodes are not connected. */
  fewestHopPath(source: number, destination: number): number[] {
    return this.#listed(this.#kernel.fewestHopPath(source, destination));
  }

  /** Up to CUT_LIMIT arcs of the minimum cut, if a maximum flow proved the maximum. Otherwise empty. */
  cut(): number[] {
    return this.#kernel.provenByFlow() === 0 ? [] : this.#listed(this.#kernel.listCut(CUT_LIMIT));
  }

  /**
   * Work done since the instance was created, in steps (assembly/solve/question/effort.ts). It is the same on every
   * machine.
   */
  get effort(): number {
    return this.#kernel.effortSpent();
  }

  #listed(count: number): number[] {
    return Array.from(this.#words(this.#kernel.arcList(), count));
  }

  #words(address: number, length: number): Uint32Array {
    return new Uint32Array(this.#shared.memory.buffer, address >>> 0, length);
  }

  /** Address of a layer's cell of a channel. 0 when there is none. */
  #cell(layerSlot: number, scid: bigint): number {
    return layerSlot === SOURCEFREE_SLOT ? 0 : this.#kernel.channelCell(layerSlot, scid) >>> 0;
  }

  /** The address that a field of a layer's cell holds for one direction. 0 when there is none. */
  #said(
    layerSlot: number,
    scid: bigint,
    direction: Direction,
    field: keyof KernelLayout['directionCell'],
  ): number {
    const cell = this.#cell(layerSlot, scid);
    if (cell === 0) return 0;
    const side = this.#kernel.cellSide(cell, direction) >>> 0;
    return this.view.getUint32(side + this.#layout.directionCell[field], true);
  }

  layerCreates(layerSlot: number, scid: bigint): boolean {
    const cell = this.#cell(layerSlot, scid);
    return cell !== 0 && this.view.getUint32(cell + this.#layout.channelCell.created, true) !== 0;
  }

  /** Whether the layer's own update disables the direction. */
  layerDisables(layerSlot: number, scid: bigint, direction: Direction): boolean {
    const update = this.#said(layerSlot, scid, direction, 'update');
    if (update === 0) return false;
    const { enabled, hasEnabled, mask } = this.#layout.update;
    return (
      (this.view.getUint32(update + mask, true) & hasEnabled) !== 0 &&
      this.view.getUint32(update + enabled, true) === 0
    );
  }

  /** Whether records of the layer change the known maximum of the direction. */
  layerLimits(layerSlot: number, scid: bigint, direction: Direction): boolean {
    return this.#maximumSteps(layerSlot, scid, direction).some(
      ([shift, low, high]) => shift !== 0n || low !== 0n || high !== AMOUNT_CAP_MSAT,
    );
  }

  layerReserves(layerSlot: number, scid: bigint, direction: Direction): bigint {
    const held = this.#said(layerSlot, scid, direction, 'held');
    return held === 0 ? 0n : this.view.getBigInt64(held + this.#layout.held.reservedMsat, true);
  }

  layerDisablesNode(layerSlot: number, node: number): boolean {
    return layerSlot !== SOURCEFREE_SLOT && this.#kernel.layerDisablesNode(layerSlot, node) !== 0;
  }

  /** What the layer's records do to the known maximum of the direction, step by step. */
  #maximumSteps(
    layerSlot: number,
    scid: bigint,
    direction: Direction,
  ): [shift: bigint, low: bigint, high: bigint][] {
    const view = this.view;
    const { maxShift, maxLow, maxHigh, next } = this.#layout.boundsStep;
    const steps: [bigint, bigint, bigint][] = [];
    let at = this.#said(layerSlot, scid, direction, 'bounds');
    while (at !== 0) {
      steps.push([
        view.getBigInt64(at + maxShift, true),
        view.getBigInt64(at + maxLow, true),
        view.getBigInt64(at + maxHigh, true),
      ]);
      at = view.getUint32(at + next, true);
    }
    return steps;
  }

  /** The maximum that a direction can carry according to a stack of layers, before subtracting reservations. */
  maximumBeforeReservations(arc: number, terms: EffectiveArc, stack: readonly number[]): bigint {
    const capacity: bigint = this.capacityMsat(arc);
    let highest = capacity;
    for (const layerSlot of stack) {
      for (const [shift, low, high] of this.#maximumSteps(layerSlot, terms.shortChannelId, terms.direction)) {
        const shifted = highest + shift;
        const raised = shifted < low ? low : shifted;
        const most = high < capacity ? high : capacity;
        highest = raised > most ? most : raised;
      }
    }
    return highest;
  }

  /** Makes all layer slots below this number usable. */
  ensureLayerSlots(layerSlots: number): void {
    this.#kernel.ensureLayerSlots(layerSlots);
  }

  /** Replaces a layer's data about a channel. `undefined` deletes it. */
  setChannelCell(layerSlot: number, scid: bigint, cell: ChannelCell | undefined): void {
    const k = this.#kernel;
    if (cell === undefined) k.channelCellRemove(layerSlot, scid);
    else this.#cells.write(k.channelCellReset(layerSlot, scid) >>> 0, cell);
    if (this.#epoch >= 0) k.channelChanged(layerSlot, scid);
  }

  setNodeCell(layerSlot: number, id: NodeId, cell: NodeCell | undefined): void {
    const entry = this.#entry(id);
    const { disabled = false, inBias = 0, outBias = 0, burden = 0 } = cell ?? {};
    const k = this.#kernel;
    const changesTerms = k.nodeCellSet(layerSlot, entry, disabled ? 1 : 0, inBias, outBias, burden);
    if (this.#epoch >= 0) k.nodeChanged(layerSlot, entry, changesTerms);
  }

  clearLayer(layerSlot: number): void {
    this.#kernel.clearLayer(layerSlot);
  }

  #entry(id: NodeId): number {
    this.#writeId(id);
    return this.#kernel.nodeEntry(this.#scratch) >>> 0;
  }

  /** Not via a buffer from Node.js's pool: the heap of a worker grows so little that these would pile up for minutes. */
  #writeId(id: NodeId): void {
    this.#bytes.write(id, this.#scratch, 'hex');
  }
}
