/**
 * Payments from a file. Two forms, each with one header line that is not read:
 *
 *     ours    start_us,sender,receiver,amount_msat[,max_fee_msat]    nodes by id or alias, in the order of time
 *     CLoTH   id,sender_id,receiver_id,amount,start_time             nodes by number, msat, ms; ids count from 0
 */
import { readFileSync } from 'node:fs';
import { scenarioError } from '../scenario/scenario-error.ts';
import type { PaymentOrder, TrafficSource } from './traffic.ts';

const MAX_TIME_US = 1e15;
const MS_US = 1000;

/** @throws FulguriteError `scenario`, with the line */
export function paymentsFromFile(
  { kind, file }: { readonly kind: 'file' | 'cloth'; readonly file: string },
  source: TrafficSource,
): PaymentOrder[] {
  const orders: PaymentOrder[] = [];
  const rows = readText(file).split(/\r?\n/);
  for (const [index, row] of rows.entries()) {
    if (index === 0 || row.trim() === '') continue;
    const cells = new Row(file, index + 1, row.split(','));
    orders.push(kind === 'file' ? ours(cells, orders.length, source) : cloth(cells, orders.length, source));
    const [before, last] = [orders.at(-2), orders.at(-1)!];
    if (before !== undefined && before.startUs > last.startUs && kind === 'file') {
      cells.refuse('start_us', 'rows in the order of time', String(last.startUs));
    }
  }
  return orders.sort((a, b) => a.startUs - b.startUs || a.id - b.id);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw scenarioError({ file, field: '', expected: 'a readable file', found: (error as Error).message });
  }
}

/** The cells of one line. */
class Row {
  readonly #file: string;
  readonly #line: number;
  readonly #cells: readonly string[];

  constructor(file: string, line: number, cells: readonly string[]) {
    this.#file = file;
    this.#line = line;
    this.#cells = cells;
  }

  get file(): string {
    return this.#file;
  }

  text(column: number): string {
    return this.#cells[column]?.trim() ?? '';
  }

  integer(column: number, field: string, least: bigint, most: bigint): bigint {
    const text = this.text(column);
    const value = /^\d{1,19}$/.test(text) ? BigInt(text) : -1n;
    return value >= least && value <= most ? value : this.refuse(field, `an integer from ${least} to ${most}`, text);
  }

  refuse(field: string, expected: string, found: string): never {
    throw scenarioError({ file: this.#file, line: this.#line, field, expected, found });
  }
}

const MAX_AMOUNT_MSAT = 2_100_000_000_000_000_000n;

function ours(row: Row, id: number, { names }: TrafficSource): PaymentOrder {
  const sender = names.find(row.text(1), 'sender', row.file);
  const receiver = names.find(row.text(2), 'receiver', row.file);
  if (sender === receiver) row.refuse('receiver', 'a receiver other than the sender', row.text(2));
  return {
    id,
    startUs: Number(row.integer(0, 'start_us', 0n, BigInt(MAX_TIME_US))),
    sender,
    receiver,
    amountMsat: row.integer(3, 'amount_msat', 1n, MAX_AMOUNT_MSAT),
    ...(row.text(4) !== '' && { maxfeeMsat: row.integer(4, 'max_fee_msat', 0n, MAX_AMOUNT_MSAT) }),
  };
}

function cloth(row: Row, id: number, { graph }: TrafficSource): PaymentOrder {
  const most = BigInt(graph.nodeCount - 1);
  const sender = Number(row.integer(1, 'sender_id', 0n, most));
  const receiver = Number(row.integer(2, 'receiver_id', 0n, most));
  if (Number(row.integer(0, 'id', 0n, BigInt(MAX_TIME_US))) !== id) row.refuse('id', `the row number ${id}`, row.text(0));
  if (sender === receiver) row.refuse('receiver_id', 'a receiver other than the sender', row.text(2));
  return {
    id,
    sender,
    receiver,
    amountMsat: row.integer(3, 'amount', 1n, MAX_AMOUNT_MSAT),
    startUs: Number(row.integer(4, 'start_time', 0n, BigInt(MAX_TIME_US / MS_US))) * MS_US,
  };
}
