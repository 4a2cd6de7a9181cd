/**
 * A program that follows `listpayments` continues after the last position that it has seen. It must see every
 * payment once, in the order of positions, though payments are not recorded in the order in which they began:
 *
 *   payment 1:  begins ─── searches for long ─────────── is recorded
 *   payment 2:       begins ─── is recorded
 *   reader:                            ▲ sees 2, continues after it, and must see 1
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { msat } from '../../src/model/msat.ts';
import { Journal } from '../../src/payments/books/journal.ts';
import type { Payment } from '../../src/payments/payment.ts';
import { recordedPlace } from '../../src/store/outlines.ts';
import { Store } from '../../src/store/store.ts';
import { MEMORY, temporaryDirectory } from '../rpc/support.ts';

const RUNS = Number(process.env.FULGURITE_TEST_RUNS ?? 15);

type Step =
  | { readonly kind: 'begin' }
  | { readonly kind: 'read' }
  | { readonly kind: 'removeLast' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'record' | 'fail'; readonly which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'begin' } as const) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('record' as const, 'fail' as const), which: fc.nat(9) }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'read' } as const) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'removeLast' } as const, { kind: 'restart' } as const) },
);

let unique = 0;

function newPayment(createdIndex: number): Payment {
  const paymentHash = new Uint8Array(32);
  new DataView(paymentHash.buffer).setUint32(0, ++unique);
  return {
    id: unique.toString(16).padStart(32, '0'),
    createdIndex,
    request: { kind: 'keysend' } as Payment['request'],
    paymentHash,
    preimage: undefined,
    groupId: 0n,
    paymentSecret: undefined,
    totalMsat: msat(1n),
    createdAtMs: 1,
    attempts: [],
    status: 'pending',
    completedAtMs: undefined,
    failure: undefined,
  };
}

/**
 * Plays the steps on a store of one process.
 * @returns the ids that the reader saw, and the ids that were recorded
 */
async function played(path: string, steps: readonly Step[]) {
  let store = new Store(path);
  let journal = new Journal(store.payments);
  await journal.open();
  let waiting: Payment[] = [];
  const recorded = new Set<string>();
  const removed = new Set<string>();
  const seen: string[] = [];
  let last = 0;
  const read = async (): Promise<void> => {
    await journal.written();
    for await (const page of journal.recorded({ start: last + 1 })) {
      for (const payment of page) {
        expect(recordedPlace(payment)).toBeGreaterThan(last);
        last = recordedPlace(payment);
        seen.push(payment.id);
      }
    }
  };
  for (const one of [...steps, { kind: 'read' } as const]) {
    if (one.kind === 'begin') waiting.push(newPayment(journal.nextPaymentIndex()));
    else if (one.kind === 'read') await read();
    else if (one.kind === 'restart') {
      await journal.written();
      store.close();
      store = new Store(path);
      journal = new Journal(store.payments);
      // Payments that were not recorded are forgotten. Pending payments continue, and are written again.
      waiting = [];
      for (const payment of await journal.open()) journal.put({ ...payment }, []);
    } else if (one.kind === 'removeLast') {
      await read();
      const newest: Payment[] = [];
      for await (const page of journal.recorded({ last: 1 })) newest.push(...page);
      for (const payment of newest) {
        journal.remove(payment, undefined);
        removed.add(payment.id);
      }
    } else {
      const payment = waiting[one.which % Math.max(1, waiting.length)];
      if (payment === undefined || removed.has(payment.id)) continue;
      if (one.kind === 'fail') payment.status = 'failed';
      journal.put(payment, []);
      recorded.add(payment.id);
    }
  }
  store.close();
  return { seen, recorded: [...recorded] };
}

test('a reader that continues after the last position sees every payment once, in order', async () => {
  const directory = temporaryDirectory(MEMORY);
  let runs = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 50 }), async (steps) => {
    const { seen, recorded } = await played(`${directory.path}/${++runs}.sqlite`, steps);
    expect([...seen].sort()).toEqual(recorded.sort());
  });
  await fc.assert(property, { numRuns: RUNS });
  directory.remove();
});

test('the last payments are the most recently recorded ones', async () => {
  const directory = temporaryDirectory(MEMORY);
  const store = new Store(`${directory.path}/node.sqlite`);
  const journal = new Journal(store.payments);
  await journal.open();
  const begun = Array.from({ length: 5 }, () => newPayment(journal.nextPaymentIndex()));
  for (const n of [3, 1, 4, 0]) journal.put(begun[n]!, []);
  const shown = async (from: Parameters<Journal['recorded']>[0]): Promise<number[]> => {
    await journal.written();
    const found: number[] = [];
    for await (const page of journal.recorded(from)) {
      for (const { id } of page) found.push(begun.findIndex((one) => one.id === id));
    }
    return found;
  };
  expect(await shown({ last: 2 })).toEqual([4, 0]);
  expect(await shown({ last: 99 })).toEqual([3, 1, 4, 0]);
  journal.put(begun[2]!, []);
  expect(await shown({ last: 2 })).toEqual([0, 2]);
  expect(await shown({ start: 5 })).toEqual([2]);
  store.close();
  directory.remove();
});
