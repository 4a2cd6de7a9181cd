/**
 * The result file of sim-ln (`simln-lib/src/lib.rs`, `PaymentResult`), written in addition to ours for sim-ln
 * scenarios: one row for each payment, in the order in which payments end.
 *
 *     source,destination,amount_msat,hash,dispatch_time,htlc_count,payment_outcome
 *
 * The clock of a run begins at 1970, and times are in milliseconds. Hashes are derived from the seed and the payment's
 * number. The outcome of a payment whose only attempt failed on the way is the index of the last hop that held the
 * HTLC. If the first channel refused the HTLC, the index is 0 too.
 */
import { createHash } from 'node:crypto';
import type { NodeId } from '../../model/node-id.ts';
import type { PaymentOutcome } from '../payment-run.ts';
import { CsvFile } from './csv-file.ts';

const COLUMNS = [
  'source',
  'destination',
  'amount_msat',
  'hash',
  'dispatch_time',
  'htlc_count',
  'payment_outcome',
];

/** Writes sim-ln's rows for a router. */
export class SimLnResultFile {
  readonly #file: CsvFile;
  readonly #seed: bigint;
  readonly #nodeId: (node: number) => NodeId;

  /** @throws FulguriteError `storeFailed` */
  constructor(path: string, seed: bigint, nodeId: (node: number) => NodeId) {
    this.#file = new CsvFile(path, COLUMNS);
    this.#seed = seed;
    this.#nodeId = nodeId;
  }

  add(outcome: PaymentOutcome): void {
    const { order, attempts } = outcome;
    const settled = attempts.filter(({ end }) => end.kind === 'settled').length;
    const hash = createHash('sha256').update(`${this.#seed}:${order.id}`).digest('hex');
    this.#file.row([
      this.#nodeId(order.sender),
      this.#nodeId(order.receiver),
      order.amountMsat,
      outcome.outcome === 'routerFailed' ? 'Unknown' : hash,
      Math.floor(order.startUs / 1000),
      settled,
      simLnOutcome(outcome),
    ]);
  }

  /** @returns the SHA-256 of the file, in hex */
  close(): string {
    return this.#file.close();
  }
}

/**
 * The outcome of a payment as sim-ln writes it: a name, or, if its only attempt failed on the way, the index of the
 * last hop that held the HTLC.
 */
export function simLnOutcome({ outcome, attempts }: PaymentOutcome): string {
  if (outcome === 'complete') return 'Success';
  if (outcome === 'routerFailed') return 'NotDispatched';
  const last = attempts.at(-1)?.end;
  if (last === undefined || last.kind === 'settled')
    return outcome === 'noRoute' ? 'RouteNotFound' : 'PaymentExpired';
  if (outcome === 'recipientRefused') return 'IncorrectPaymentDetails';
  if (attempts.length > 1) return outcome === 'outOfTime' ? 'PaymentExpired' : 'RetriesExhausted';
  return String(Math.max(0, last.index - 1));
}
