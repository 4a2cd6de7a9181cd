/**
 * Reads payments from a file. There are two formats, each with one header line, which is ignored:
 *
 *     ours    start_us,sender,receiver,amount_msat[,max_fee_msat]    nodes by id or alias, in the order of time
 *     CLoTH   id,sender_id,receiver_id,amount,start_time             nodes by number, msat, ms; ids count from 0
 */
import { type CsvRow, csvRows } from '../formats/csv-rows.ts';
import type { TrafficPayment, TrafficSource } from './traffic.ts';

const COLUMNS = {
  file: ['start_us', 'sender', 'receiver', 'amount_msat', 'max_fee_msat'],
  cloth: ['id', 'sender_id', 'receiver_id', 'amount', 'start_time'],
};
const MAX_TIME_US = 10n ** 15n;
const MAX_AMOUNT_MSAT = 2_100_000_000_000_000_000n;
const MS_US = 1000;

/** @throws FulguriteError `scenario`, with the line */
export function paymentsFromFile(
  { kind, file }: { readonly kind: 'file' | 'cloth'; readonly file: string },
  source: TrafficSource,
): TrafficPayment[] {
  const orders: TrafficPayment[] = [];
  for (const row of csvRows(file, COLUMNS[kind])) {
    const order = (kind === 'file' ? ours : cloth)(row, orders.length, source);
    const before = orders.at(-1);
    if (kind === 'file' && before !== undefined && before.startUs > order.startUs) {
      row.refuse('start_us', 'rows in the order of time', String(order.startUs));
    }
    orders.push(order);
  }
  return orders.sort((a, b) => a.startUs - b.startUs || a.id - b.id);
}

function ours(row: CsvRow, id: number, { names }: TrafficSource): TrafficPayment {
  const node = (column: string): number =>
    names.tryFind(row.text(column)) ??
    row.refuse(column, 'a node of the graph, by id or alias', row.text(column));
  const [sender, receiver] = [node('sender'), node('receiver')];
  if (sender === receiver) row.refuse('receiver', 'a receiver other than the sender', row.text('receiver'));
  return {
    id,
    startUs: Number(row.bigint('start_us', 0n, MAX_TIME_US)),
    sender,
    receiver,
    amountMsat: row.bigint('amount_msat', 1n, MAX_AMOUNT_MSAT),
    ...(row.text('max_fee_msat') !== '' && { maxfeeMsat: row.bigint('max_fee_msat', 0n, MAX_AMOUNT_MSAT) }),
  };
}

function cloth(row: CsvRow, id: number, { names }: TrafficSource): TrafficPayment {
  const node = (column: string): number =>
    names.tryFind(row.text(column)) ?? row.refuse(column, 'the number of a node', row.text(column));
  const [sender, receiver] = [node('sender_id'), node('receiver_id')];
  if (row.text('id') !== String(id)) row.refuse('id', `the row number ${id}`, row.text('id'));
  if (sender === receiver)
    row.refuse('receiver_id', 'a receiver other than the sender', row.text('receiver_id'));
  return {
    id,
    sender,
    receiver,
    amountMsat: row.bigint('amount', 1n, MAX_AMOUNT_MSAT),
    startUs: Number(row.bigint('start_time', 0n, MAX_TIME_US / BigInt(MS_US))) * MS_US,
  };
}
