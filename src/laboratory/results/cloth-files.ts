/**
 * CLoTH's output files, written in addition to ours for a CLoTH network. Ids are CLoTH's row numbers, amounts are in
 * msat, and times in ms.
 *
 *     channels_output.csv   edges_output.csv   payments_output.csv   nodes_output.csv   cloth_output.json
 *
 * For a payment in parts, CLoTH writes one row with the longer route and the sum of fees. We write the longest route of
 * the parts that arrived, or, if none arrived, the last route tried. Payments are in the order of their ids, as CLoTH
 * writes them: its script takes the start time of the last row. `tot_flows` counts the HTLCs that an edge carried.
 *
 * `cloth_output.json` has the figures of CLoTH's `batch-means.py`: 30 batches by start time, after a first batch that
 * is left out. The script uses Student's t at 0.475, so its "95 %" intervals cover only about 5 %; ours use 0.975.
 */
import { join } from 'node:path';
import { EDGE_COLUMNS } from '../formats/cloth.ts';
import type { ClothEdges } from '../formats/network-input.ts';
import type { PaymentOutcome, PlayedAttempt } from '../payment-run.ts';
import type { LabWorld } from '../truth/world.ts';
import { CsvFile, type CsvValue } from './csv-file.ts';
import { batchMeans } from './statistics.ts';
import { writeResult } from './whole-file.ts';

const PAYMENT_COLUMNS = [
  'id',
  'sender_id',
  'receiver_id',
  'amount',
  'start_time',
  'end_time',
  'mpp',
  'is_success',
  'no_balance_count',
  'offline_node_count',
  'timeout_exp',
  'attempts',
  'route',
  'total_fee',
];
const BATCHES = 30;

/** The data of a payment that the figures need. */
interface ClothRow {
  readonly startMs: number;
  readonly timeMs: number;
  readonly attempts: number;
  readonly edges: number;
  readonly end: 'Success' | 'FailNoPath' | 'FailNoBalance' | 'FailOfflineNode' | 'FailTimeoutExpired';
}

/** Writes CLoTH's output files for a router. */
export class ClothFiles {
  readonly #directory: string;
  readonly #edges: ClothEdges;
  readonly #world: LabWorld;
  readonly #payments: CsvFile;
  readonly #flows: Uint32Array;
  readonly #rows: ClothRow[] = [];
  /** Rows of payments that ended before a payment with a lower id, by id. */
  readonly #early = new Map<number, readonly CsvValue[]>();
  #nextId = 0;

  /** @throws FulguriteError `storeFailed` */
  constructor(directory: string, edges: ClothEdges, world: LabWorld) {
    this.#directory = directory;
    this.#edges = edges;
    this.#world = world;
    this.#payments = new CsvFile(join(directory, 'payments_output.csv'), PAYMENT_COLUMNS);
    this.#flows = new Uint32Array(2 * world.graph.channelCount);
  }

  add(outcome: PaymentOutcome): void {
    const { order, attempts, endedUs } = outcome;
    const isComplete = outcome.outcome === 'complete';
    const counts = { noBalance: 0, offline: 0 };
    for (const attempt of attempts) {
      this.#countFlows(attempt);
      if (attempt.end.kind === 'settled') continue;
      if (this.#isOffline(attempt)) counts.offline++;
      else counts.noBalance++;
    }
    const shown = shownAttempt(attempts);
    const edges = shown?.route.directions.map((direction) => this.#edges.idOf[direction]!) ?? [];
    const [startMs, endMs] = [Math.floor(order.startUs / 1000), Math.floor(endedUs / 1000)];
    const isLate = outcome.outcome === 'outOfTime';
    this.#early.set(order.id, [
      order.id,
      this.#edges.nodeIdOf(order.sender),
      this.#edges.nodeIdOf(order.receiver),
      order.amountMsat,
      startMs,
      endMs,
      Number(attempts.filter(({ end }) => end.kind === 'settled').length > 1),
      Number(isComplete),
      counts.noBalance,
      counts.offline,
      Number(isLate),
      attempts.length,
      edges.length === 0 ? '-1' : edges.join('-'),
      edges.length === 0 ? '' : isComplete ? outcome.feeMsat : feeOf(shown!),
    ]);
    while (this.#early.has(this.#nextId)) this.#writePayment(this.#nextId++);
    this.#rows.push({
      startMs,
      timeMs: endMs - startMs,
      attempts: attempts.length,
      edges: edges.length,
      end: isComplete
        ? 'Success'
        : isLate
          ? 'FailTimeoutExpired'
          : edges.length === 0
            ? 'FailNoPath'
            : counts.offline > counts.noBalance
              ? 'FailOfflineNode'
              : 'FailNoBalance',
    });
  }

  /**
   * Writes the remaining files, and closes all. @returns SHA-256 of each CSV file, in hex
   * @throws FulguriteError `storeFailed`
   */
  close(): Readonly<Record<string, string>> {
    // Some ids are missing if the run was interrupted.
    for (const id of [...this.#early.keys()].sort((a, b) => a - b)) this.#writePayment(id);
    writeResult(this.#directory, 'cloth_output.json', clothFigures(this.#rows));
    return {
      'payments_output.csv': this.#payments.close(),
      'channels_output.csv': this.#writeChannels(),
      'edges_output.csv': this.#writeEdges(),
      'nodes_output.csv': this.#writeNodes(),
    };
  }

  #writePayment(id: number): void {
    this.#payments.row(this.#early.get(id)!);
    this.#early.delete(id);
  }

  #countFlows({ route, end }: PlayedAttempt): void {
    const taken = end.kind === 'settled' ? route.directions.length : end.index;
    for (const direction of route.directions.slice(0, taken)) this.#flows[direction]!++;
  }

  /**
   * Whether an attempt failed because the next node did not answer, or was offline according to the current state of
   * the simulation.
   */
  #isOffline({ htlc, route, end }: PlayedAttempt): boolean {
    const direction = end.kind === 'failed' ? route.directions[end.index] : undefined;
    if (direction === undefined || end.kind === 'settled') return false;
    const world = this.#world;
    return world.isFaulty(htlc, end.index) || !world.isOnline(world.head(direction));
  }

  #writeChannels(): string {
    const { graph } = this.#world;
    const columns = ['id', 'edge1', 'edge2', 'node1', 'node2', 'capacity', 'is_closed'];
    const file = new CsvFile(join(this.#directory, 'channels_output.csv'), columns);
    for (let channel = 0; channel < graph.channelCount; channel++) {
      const first = this.#edges.firstOf(channel);
      file.row([
        channel,
        this.#edges.idOf[first]!,
        this.#edges.idOf[first ^ 1]!,
        this.#edges.nodeIdOf(this.#world.tail(first)),
        this.#edges.nodeIdOf(this.#world.head(first)),
        graph.capacityMsat[channel]!,
        0,
      ]);
    }
    return file.close();
  }

  #writeEdges(): string {
    const { graph, channels } = this.#world;
    const columns = [...EDGE_COLUMNS, 'is_closed', 'tot_flows'];
    const file = new CsvFile(join(this.#directory, 'edges_output.csv'), columns);
    for (const direction of this.#edges.inOrder()) {
      file.row([
        this.#edges.idOf[direction]!,
        direction >>> 1,
        this.#edges.idOf[direction ^ 1]!,
        this.#edges.nodeIdOf(this.#world.tail(direction)),
        this.#edges.nodeIdOf(this.#world.head(direction)),
        channels.balanceMsat(direction),
        graph.feeBaseMsat[direction]!,
        graph.feeProportionalMillionths[direction]!,
        graph.htlcMinimumMsat[direction]!,
        graph.cltvExpiryDelta[direction]!,
        0,
        this.#flows[direction]!,
      ]);
    }
    return file.close();
  }

  #writeNodes(): string {
    const { graph } = this.#world;
    const file = new CsvFile(join(this.#directory, 'nodes_output.csv'), ['id', 'open_edges']);
    const open: number[][] = Array.from({ length: graph.nodeCount }, () => []);
    for (const direction of this.#edges.inOrder())
      open[this.#world.tail(direction)]!.push(this.#edges.idOf[direction]!);
    for (const [node, edges] of open.entries())
      file.row([this.#edges.nodeIdOf(node), edges.length === 0 ? '-1' : edges.join('-')]);
    return file.close();
  }
}

/**
 * The attempt whose route represents the payment: of the attempts that arrived, the one with the longest route. If none
 * arrived, the last attempt.
 */
function shownAttempt(attempts: readonly PlayedAttempt[]): PlayedAttempt | undefined {
  const length = ({ route }: PlayedAttempt): number => route.directions.length;
  const settled = attempts.filter(({ end }) => end.kind === 'settled');
  const longest = settled.reduce<PlayedAttempt | undefined>(
    (best, each) => (best === undefined || length(each) > length(best) ? each : best),
    undefined,
  );
  return longest ?? attempts.at(-1);
}

const feeOf = ({ route: { amountsMsat } }: PlayedAttempt): bigint => amountsMsat[0]! - amountsMsat.at(-1)!;

const ENDS = ['Success', 'FailNoPath', 'FailNoBalance', 'FailOfflineNode', 'FailTimeoutExpired'] as const;

/** The figures of `batch-means.py`, with intervals of 95 %. */
export function clothFigures(rows: readonly ClothRow[]): string {
  const last = Math.max(0, ...rows.map(({ startMs }) => startMs));
  const endMs = last - (last % (BATCHES + 1));
  const lengthMs = endMs / (BATCHES + 1);
  const batches: ClothRow[][] = Array.from({ length: BATCHES }, () => []);
  for (const row of rows) {
    if (row.startMs < lengthMs || row.startMs >= endMs) continue;
    batches[Math.floor(row.startMs / lengthMs) - 1]!.push(row);
  }
  const figure = (of: (batch: readonly ClothRow[]) => number): object => {
    const means = batches.map(of).filter(Number.isFinite);
    const { mean, low, high } = batchMeans(means);
    const variance = means.reduce((sum, each) => sum + (each - mean) ** 2, 0) / means.length;
    const text = (value: number): string => value.toFixed(10);
    return {
      Mean: text(mean),
      Variance: text(variance),
      ConfidenceMin: text(low),
      ConfidenceMax: text(high),
    };
  };
  const ofSuccesses = (value: (row: ClothRow) => number) =>
    figure((batch) => {
      const arrived = batch.filter(({ end }) => end === 'Success');
      return arrived.reduce((sum, row) => sum + value(row), 0) / arrived.length;
    });
  const figures = {
    ...Object.fromEntries(
      ENDS.map((name) => [
        name,
        figure((batch) => batch.filter(({ end }) => end === name).length / batch.length),
      ]),
    ),
    Time: ofSuccesses(({ timeMs }) => timeMs),
    Attempts: ofSuccesses(({ attempts }) => attempts),
    RouteLength: ofSuccesses(({ edges }) => edges),
  };
  return `${JSON.stringify(figures, undefined, 4)}\n`;
}
