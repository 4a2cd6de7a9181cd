/**
 * Journals from before invoices could be paid: every old payment keeps its preimage, while later payments may
 * lack one.
 */
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Database } from '../../src/store/database.ts';
import { SCHEMA } from '../../src/store/schema.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryDirectory } from '../rpc/support.ts';

/** Number of migrations before preimages could be unknown. */
const BEFORE = 6;
const directory = temporaryDirectory();
afterEach(() => directory.remove());

const bytes = (fill: number) => new Uint8Array(32).fill(fill);

test('an older journal opens with all its preimages, attempts and indexes', async () => {
  const path = join(directory.path, 'node.sqlite');
  const old = new Database(path, SCHEMA.slice(0, BEFORE));
  old.transaction(() => {
    old.run(
      `INSERT INTO payment (id, uid, payment_hash, preimage, group_id, total_msat, request, idempotency_key, status, created_at)
       VALUES (1, 'a', ?, ?, 0, 5, ?, '"key"', 'complete', 7)`,
      bytes(1),
      bytes(2),
      bytes(3),
    );
    old.run(
      `INSERT INTO attempt (id, uid, payment, part_id, amount_msat, amount_sent_msat, probability_ppm, height,
         part_of_several, session_key, path, status, created_at)
       VALUES (1, 'b', 1, 0, 5, 6, 7, 8, 0, ?, ?, 'settled', 9)`,
      bytes(4),
      bytes(5),
    );
  });
  old.close();

  const store = new Store(path);
  const [record] = await store.payments.payments({ paymentHash: bytes(1) });
  expect(record!.payment).toMatchObject({ id: 'a', status: 'complete', idempotencyKey: 'key' });
  expect(Uint8Array.from(record!.payment.preimage!)).toEqual(bytes(2));
  expect(record!.attempts).toHaveLength(1);
  const late = {
    ...record!.payment,
    id: 'c',
    createdIndex: 2,
    paymentHash: bytes(6),
    idempotencyKey: undefined,
    localRequestId: undefined,
  };
  store.payments.put(late, { ...late, preimage: undefined, status: 'pending' }, []);
  await store.payments.durable();
  const read = async () => (await store.payments.payments({ paymentHash: bytes(6) }))[0]!.payment.preimage;
  expect(await read()).toBeUndefined();
  store.payments.put(late, { ...late, preimage: bytes(7) }, []);
  await store.payments.durable();
  expect(Uint8Array.from((await read())!)).toEqual(bytes(7));
  store.close();
});
