/**
 * The failures of payments in the journal: stored as typed values today, but as sentences in release 0.1.0.
 * Journals of that release can still be read. Their failures must be reported as release 0.1.0 did, and equal
 * failures must be reported in the same way today.
 *
 *     us ── L2 ──104x1x0── L3      L2 asks for 40,000 msat + 10 ppm, but announces 1 msat + 10 ppm
 *
 * The fee limit is 30,000 msat.
 *
 * `journal-0.1.0.json` contains the packed columns (hex) that release 0.1.0 wrote for this payment, and its
 * report of the failure.
 */
import { readFileSync } from 'node:fs';
import { Packr } from 'msgpackr/pack';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fromHex } from '../../src/bolt/bytes.ts';
import { payStatusJson } from '../../src/commands/payments/books/payment-json.ts';
import { failureInWords } from '../../src/commands/payments/failure-words.ts';
import { msat } from '../../src/model/msat.ts';
import type { Payment } from '../../src/payments/payment.ts';
import { toJson } from '../../src/rpc/json-write.ts';
import { collected } from '../collected.ts';
import { L2, L2_L3, L3, leaving, lineNode } from './line-graph.ts';
import { keysendRequest, type SimulatedNode } from './simulation/simulated-node.ts';

const older = JSON.parse(readFileSync(new URL('../vectors/journal-0.1.0.json', import.meta.url), 'utf8'));
/** The value that replaces every random choice, in release 0.1.0 and in this test. */
const randomBytes = (length: number) => new Uint8Array(length).fill(7);

let node: SimulatedNode;
beforeEach(() => {
  node = lineNode({ engine: { randomBytes } });
});
afterEach(() => node.destroy());

const asJson = (value: object) => JSON.parse(toJson(value));
const told = (payment: Payment) => asJson(failureInWords(payment)!);
const status = (payment: Payment) => asJson(payStatusJson(payment, 1_770_076_900_000));

async function failNow(): Promise<Payment> {
  node.simulation.setPolicy(leaving(L2, L3, L2_L3), { feeBaseMsat: 40_000 });
  const limits = { amountMsat: msat(1_000_000), maxfeeMsat: msat(30_000), retryForS: 5 };
  return node.pay(keysendRequest(L3, { kind: 'xkeysend', useShadow: false, ...limits }));
}

test('the failure is reported as in release 0.1.0, from memory and from the journal', async () => {
  const payment = await failNow();
  expect([told(payment), status(payment)]).toEqual([older.told, older.paystatus]);
  await node.payments.journal.written();
  await node.crash();
  await node.open();
  const [stored] = await collected(node.payments.journal.payments());
  expect(stored).not.toBe(payment);
  expect([told(stored!), status(stored!)]).toEqual([older.told, older.paystatus]);
});

test('a journal of release 0.1.0 yields the same report', async () => {
  const payment = await failNow();
  const [record] = await node.store.payments.payments();
  const replace = (columns: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(columns).map(([name, hex]) => [name, fromHex(hex)]));
  const row = { ...record!.payment, ...replace(older.payment) };
  const attempts = record!.attempts.map((attempt) => ({ ...attempt, ...replace(older.attempt) }));
  node.store.payments.put(payment, row, attempts);
  await node.store.payments.durable();
  await node.crash();
  await node.open();
  const [stored] = await collected(node.payments.journal.payments());
  expect(stored!.attempts[0]!.learned).toEqual(['104x1x0/1 asks for 40000msat + 10ppm, 6 blocks']);
  expect([told(stored!), status(stored!)]).toEqual([older.told, older.paystatus]);
});

test('a failure is stored as typed values today, without sentences', async () => {
  await failNow();
  await node.payments.journal.written();
  const [record] = await node.store.payments.payments();
  const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });
  const [attempt] = record!.attempts;
  const values = [record!.payment.failure!, attempt!.failure!, attempt!.learned!].map((bytes) =>
    packr.unpack(bytes),
  );
  const texts = (value: unknown): string[] => {
    if (typeof value === 'string') return [value];
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
    return Object.values(value).flatMap(texts);
  };
  expect(values.map((value) => texts(value).length)).not.toContain(0);
  expect(texts(values).filter((text) => text.includes(' '))).toEqual([]);
});
