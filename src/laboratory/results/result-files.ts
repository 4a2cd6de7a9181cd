/**
 * The files of a run. The rows of a payment are written when it ends, so rows are in the order in which payments end.
 *
 *     payments.csv    one row for each payment and router
 *     attempts.csv    one row for each HTLC (optional)
 *     channels.csv    one row for each channel and world, at the end (optional)
 *     nodes.csv       one row for each node with channels and world, at the end (optional)
 *     balances.csv    one row for each snapshot, channel and world, if snapshots are requested
 *
 * In the last three files, the column `router` has the names of all routers of the world.
 */
import { join } from 'node:path';
import type { NodeId } from '../../model/node-id.ts';
import { formatShortChannelId } from '../../model/short-channel-id.ts';
import type { PaymentOutcome } from '../payment-run.ts';
import type { LabWorld } from '../truth/world.ts';
import type { ChannelBooks } from './channel-books.ts';
import { CsvFile } from './csv-file.ts';

const PAYMENT_COLUMNS = [
  'id',
  'router',
  'sender',
  'receiver',
  'amount_msat',
  'started_us',
  'ended_us',
  'outcome',
  'reason',
  'attempts',
  'parts',
  'fee_msat',
  'hops',
  'possible',
  'probability_ppm',
];
const ATTEMPT_COLUMNS = [
  'payment',
  'router',
  'part',
  'path',
  'amounts_msat',
  'sent_us',
  'ended_us',
  'outcome',
  'failing_hop',
  'code',
  'probability_ppm',
];
const CHANNEL_COLUMNS = [
  'scid',
  'router',
  'node1',
  'node2',
  'capacity_msat',
  'balance1_start_msat',
  'balance1_end_msat',
  'forwards_0',
  'forwards_1',
  'fees_0_msat',
  'fees_1_msat',
];
const BALANCE_COLUMNS = ['at_us', 'router', 'scid', 'balance1_msat', 'in_flight_0_msat', 'in_flight_1_msat'];
const NODE_COLUMNS = ['node', 'router', 'channels', 'sent', 'received', 'fees_msat'];

/** The names of the result files, with their columns. */
const FILES = {
  payments: PAYMENT_COLUMNS,
  attempts: ATTEMPT_COLUMNS,
  channels: CHANNEL_COLUMNS,
  nodes: NODE_COLUMNS,
  balances: BALANCE_COLUMNS,
} as const;

type FileName = keyof typeof FILES;

/** Writes the rows of all routers. */
export class ResultFiles {
  readonly #files: Readonly<Partial<Record<FileName, CsvFile>>>;
  readonly #nodeId: (node: number) => NodeId;

  /**
   * @param wanted the optional files to write
   * @throws FulguriteError `storeFailed`
   */
  constructor(
    directory: string,
    wanted: { readonly attempts: boolean; readonly channels: boolean; readonly snapshotUs: number },
    nodeId: (node: number) => NodeId,
  ) {
    this.#nodeId = nodeId;
    const names: FileName[] = ['payments'];
    if (wanted.attempts) names.push('attempts');
    if (wanted.channels) names.push('channels', 'nodes');
    if (wanted.snapshotUs > 0) names.push('balances');
    this.#files = Object.fromEntries(
      names.map((name) => [name, new CsvFile(join(directory, `${name}.csv`), FILES[name])]),
    );
  }

  add(router: string, outcome: PaymentOutcome, isPossible: boolean | undefined, world: LabWorld): void {
    const { order, attempts } = outcome;
    const isComplete = outcome.outcome === 'complete';
    const settled = attempts.filter(({ end }) => end.kind === 'settled');
    this.#files.payments?.row([
      order.id,
      router,
      this.#nodeId(order.sender),
      this.#nodeId(order.receiver),
      order.amountMsat,
      order.startUs,
      outcome.endedUs,
      isComplete ? 'complete' : 'failed',
      isComplete ? '' : outcome.outcome,
      attempts.length,
      settled.length,
      isComplete ? outcome.feeMsat : '',
      isComplete ? Math.max(...settled.map(({ route }) => route.directions.length)) : '',
      isComplete ? 1 : isPossible === undefined ? '' : Number(isPossible),
      outcome.firstProbabilityPpm,
    ]);
    if (this.#files.attempts !== undefined) this.#addAttempts(this.#files.attempts, router, outcome, world);
  }

  #addAttempts(
    file: CsvFile,
    router: string,
    { order, attempts }: PaymentOutcome,
    { graph }: LabWorld,
  ): void {
    for (const { part, route, sentUs, endedUs, end } of attempts) {
      const hops = route.directions.map(
        (direction) => `${formatShortChannelId(graph.shortChannelIds[direction >>> 1]!)}/${direction & 1}`,
      );
      file.row([
        order.id,
        router,
        part,
        hops.join(' '),
        route.amountsMsat.join(' '),
        sentUs,
        endedUs,
        end.kind,
        end.kind === 'failed' ? end.index : '',
        end.kind === 'failed' ? end.failure.code : '',
        route.probabilityPpm,
      ]);
    }
  }

  /** Adds the current balances. */
  addSnapshot(router: string, atUs: number, { graph, channels }: LabWorld): void {
    for (let channel = 0; channel < graph.channelCount; channel++) {
      this.#files.balances?.row([
        atUs,
        router,
        formatShortChannelId(graph.shortChannelIds[channel]!),
        channels.balanceMsat(2 * channel),
        channels.inFlightMsat(2 * channel),
        channels.inFlightMsat(2 * channel + 1),
      ]);
    }
  }

  /** Adds the rows of channels and nodes, which are known only when all payments of a world have ended. */
  addNetwork(router: string, world: LabWorld, books: ChannelBooks): void {
    const { graph, channels } = world;
    const { channels: file, nodes } = this.#files;
    if (file === undefined) return;
    for (let channel = 0; channel < graph.channelCount; channel++) {
      file.row([
        formatShortChannelId(graph.shortChannelIds[channel]!),
        router,
        this.#nodeId(graph.node1[channel]!),
        this.#nodeId(graph.node2[channel]!),
        graph.capacityMsat[channel]!,
        books.startingMsat[channel]!,
        channels.balanceMsat(2 * channel),
        books.forwards[2 * channel]!,
        books.forwards[2 * channel + 1]!,
        books.feesMsat[2 * channel]!,
        books.feesMsat[2 * channel + 1]!,
      ]);
    }
    for (let node = 0; node < graph.nodeCount; node++) {
      if (graph.nodeDegree[node] === 0) continue;
      const fees = Math.round(books.nodeFeesMsat[node]!);
      nodes?.row([
        this.#nodeId(node),
        router,
        graph.nodeDegree[node]!,
        books.sent[node]!,
        books.received[node]!,
        fees,
      ]);
    }
  }

  /** Closes all files. @returns their SHA-256, in hex */
  close(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.#files).map(([name, file]) => [`${name}.csv`, file.close()]),
    );
  }
}
