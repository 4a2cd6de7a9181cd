/** Requirements on every `PaymentRepository`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PaymentRepository } from '../../../src/store/payment-repository.ts';
import { randomFrom } from '../layer-actions.ts';
import { act, attemptRow, paymentRow, snapshot } from '../payment-actions.ts';
import { paymentsInMemory } from './in-memory.ts';
import { type Implementation, withStore } from './under-test.ts';

const OWNER = {};

/** The content of the reference store after this much work. */
function expected(seed: number, steps: number): Promise<string> {
  return withStore(paymentsInMemory.newPlace(), async (repository) => {
    const random = randomFrom(seed);
    for (let step = 0; step < steps; step++) act(repository, step, random);
    await repository.durable();
    return snapshot(repository);
  });
}

export function paymentRepositoryConformance({
  name,
  runs: numRuns = 6,
  newPlace,
}: Implementation<PaymentRepository>): void {
  describe(`a repository of payments: ${name}`, () => {
    test('answers every query according to added and removed rows, even after a restart', async () => {
      const runs = fc.asyncProperty(
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.integer({ min: 0, max: 60 }),
        async (seed, steps) => {
          const place = newPlace();
          const random = randomFrom(seed);
          const live = await withStore(place, async (repository) => {
            for (let step = 0; step < steps; step++) act(repository, step, random);
            await repository.durable();
            return snapshot(repository);
          });
          const wanted = await expected(seed, steps);
          expect(live).toBe(wanted);
          expect(await withStore(place, snapshot)).toBe(wanted);
        },
      );
      await fc.assert(runs, { numRuns });
    });

    test('keeps the key of a removed payment, and frees the key of a failed one', async () => {
      const place = newPlace();
      await withStore(place, async (repository) => {
        repository.put(OWNER, paymentRow(1, { idempotencyKey: 'spent', status: 'complete' }), []);
        repository.put(OWNER, paymentRow(2, { idempotencyKey: 'free', status: 'failed' }), []);
        repository.put(OWNER, paymentRow(3, { idempotencyKey: 'kept', status: 'pending' }), []);
        repository.remove(1, undefined);
        repository.freeKey(2);
        repository.freeKey(3);
        repository.put(OWNER, paymentRow(4, { idempotencyKey: 'free', status: 'pending' }), []);
        await repository.durable(OWNER);
      });
      await withStore(place, async (repository) => {
        const indexOf = async (idempotencyKey: string): Promise<number | undefined> =>
          (await repository.payments({ idempotencyKey }))[0]?.payment.createdIndex;
        expect([await indexOf('spent'), await indexOf('free'), await indexOf('kept')]).toEqual([
          undefined,
          4,
          3,
        ]);
        expect(await repository.spentKey('spent')).toMatchObject({
          paymentHash: paymentRow(1).paymentHash,
          status: 'complete',
        });
        expect(await repository.spentKey('free')).toBeUndefined();
      });
    });

    test('finds only the payments that have every given key', async () => {
      await withStore(newPlace(), async (repository) => {
        const paymentHash = new Uint8Array(32).fill(7);
        repository.put(OWNER, paymentRow(1, { paymentHash, idempotencyKey: 'first', status: 'failed' }), []);
        repository.put(OWNER, paymentRow(2, { paymentHash, idempotencyKey: 'second' }), []);
        repository.put(OWNER, paymentRow(3, { idempotencyKey: 'third' }), []);
        await repository.durable(OWNER);
        const found = async (idempotencyKey: string): Promise<number[]> =>
          (await repository.payments({ paymentHash, idempotencyKey })).map(
            ({ payment }) => payment.createdIndex,
          );
        expect([await found('first'), await found('second'), await found('third')]).toEqual([[1], [2], []]);
      });
    });

    test('knows the last position of a payment after its removal and after a restart', async () => {
      const place = newPlace();
      await withStore(place, async (repository) => {
        if (repository.lastPlace === undefined) return;
        repository.put(OWNER, paymentRow(1, { createdOrder: 7 }), []);
        repository.put(OWNER, paymentRow(2, { createdOrder: 5 }), []);
        repository.remove(1, undefined);
        await repository.durable(OWNER);
        expect(await repository.lastPlace()).toBe(7);
        repository.remove(2, undefined);
        await repository.durable(OWNER);
        expect(await repository.lastPlace()).toBe(7);
      });
      await withStore(place, async (repository) => {
        if (repository.lastPlace !== undefined) expect(await repository.lastPlace()).toBe(7);
      });
    });

    test('still has all acknowledged changes after a crash', async () => {
      const place = newPlace();
      const store = await place.open();
      store.repository.put(OWNER, paymentRow(1), [attemptRow(1, 0)]);
      await store.repository.durable(OWNER);
      await store.crash();
      await withStore(place, async (repository) => {
        const [record] = await repository.unfinished();
        expect(record).toMatchObject({ payment: paymentRow(1), attempts: [attemptRow(1, 0)] });
      });
    });

    test('never has only half of one call’s changes: an outcome and its effect on the payment', async () => {
      const place = newPlace();
      const store = await place.open();
      const settled = attemptRow(1, 0, { status: 'settled', updatedIndex: 1 });
      store.repository.put(OWNER, paymentRow(1), [attemptRow(1, 0)]);
      await store.repository.durable(OWNER);
      store.repository.put(OWNER, paymentRow(1, { status: 'complete' }), [settled]);
      // This call is not awaited. Afterwards either both changes or neither must exist.
      await store.crash();
      await withStore(place, async (repository) => {
        const [{ payment, attempts }] = (await repository.payments()) as [
          Awaited<ReturnType<PaymentRepository['payments']>>[number],
        ];
        expect([
          ['pending', 'sent'],
          ['complete', 'settled'],
        ]).toContainEqual([payment.status, attempts[0]?.status]);
      });
    });

    test('reports to waiting callers that it cannot write, and writes everything later in order', async () => {
      const place = newPlace();
      await withStore(place, async (repository, store) => {
        store.refuse(true);
        repository.put(OWNER, paymentRow(1), [attemptRow(1, 0)]);
        await expect(repository.durable(OWNER)).rejects.toMatchObject({ name: 'storeFailed' });
        repository.put(OWNER, paymentRow(1, { status: 'failed' }), [attemptRow(1, 0, { status: 'failed' })]);
        let isWritten = false;
        repository.whenWritten(() => {
          isWritten = true;
        });
        expect(isWritten).toBe(false);
        store.refuse(false);
        await repository.durable(OWNER);
        expect(isWritten).toBe(true);
        expect(await repository.payments()).toMatchObject([{ payment: { status: 'failed' } }]);
      });
    });

    test('refuses inconsistent rows, and only their owner gets the error', async () => {
      await withStore(newPlace(), async (repository) => {
        const other = {};
        repository.put(OWNER, undefined, [attemptRow(5, 0)]);
        repository.put(other, paymentRow(1), [attemptRow(1, 0)]);
        await expect(repository.durable(OWNER)).rejects.toMatchObject({ name: 'storeFailed' });
        await repository.durable(other);
        expect(await repository.payments()).toMatchObject([{ payment: { createdIndex: 1 } }]);
        expect(await repository.attempts('created', 1, 10)).toHaveLength(1);
      });
    });

    test('calls back at once if the queue is empty', async () => {
      await withStore(newPlace(), async (repository) => {
        let calls = 0;
        repository.whenWritten(() => void calls++);
        expect(calls).toBe(1);
      });
    });
  });
}
