/**
 * Payments during a failover: two daemons pay continuously while their primary is killed and its standby is
 * promoted. Requests in between are refused with a typed error, and then payments continue. The network's
 * records, the journal and the callers' answers are compared.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toHex } from '../../src/bolt/bytes.ts';
import type { FulguriteError } from '../../src/model/errors.ts';
import type { PaymentRequest } from '../../src/payments/payment.ts';
import { describeNeeding } from '../needs.ts';
import { POSTGRES_PROGRAMS } from '../store/postgres-server.ts';
import { type Daemon, FailoverWorld, hashOf } from './failover-world.ts';

const LONG = { timeout: 30_000 };
const isAsked = process.env.FULGURITE_FAILOVER === '1';

describeNeeding('failover', isAsked && POSTGRES_PROGRAMS !== undefined, 'payments during a failover', () => {
  let world: FailoverWorld;
  beforeEach(async () => {
    world = await FailoverWorld.open();
  });
  afterEach(() => world.close());

  for (const isSynchronous of [true, false]) {
    const kind = isSynchronous ? 'a synchronous' : 'an asynchronous';
    test(`payments continue with ${kind} standby, each paid once and reported correctly`, async () => {
      if (isSynchronous) await world.makeSynchronous();
      const daemons = [await world.daemon('a'), await world.daemon('b')];
      const told = new Map<PaymentRequest, string>();
      const refusals = new Set<string>();
      let isOver = false;
      const payer = async ({ engine }: Daemon): Promise<void> => {
        for (; !isOver; await sleep(10)) {
          const request = world.invoiceRequest();
          const answer = await engine.pay(request).catch((error: FulguriteError) => error);
          if (answer instanceof Error)
            refusals.add(`${answer.name} ${(answer as FulguriteError).data?.reason}`);
          told.set(request, answer instanceof Error ? 'refused' : answer.status);
        }
      };
      const payers = daemons.flatMap((each) => [payer(each), payer(each), payer(each)]);
      const complete = (): number => [...told.values()].filter((one) => one === 'complete').length;
      await expect.poll(complete, LONG).toBeGreaterThan(20);
      if (!isSynchronous) {
        await world.stopReplication();
        const before = complete();
        await expect.poll(complete, LONG).toBeGreaterThan(before + 10);
      }
      await world.promote();
      await expect
        .poll(
          () =>
            refusals.has('storeFailed inDoubt') && daemons.every(({ store }) => !store.payments.doubt.isOpen),
          LONG,
        )
        .toBe(true);
      const before = complete();
      await expect.poll(complete, LONG).toBeGreaterThan(before + 10);
      isOver = true;
      await Promise.all(payers);

      const rows = await daemons[0]!.store.payments.payments();
      expect(rows.filter(({ payment }) => payment.status === 'pending')).toEqual([]);
      const hasRow = new Set(rows.map(({ payment }) => toHex(payment.paymentHash)));
      await daemons[0]!.store.payments.doubt.refresh();
      const unknown = new Set(
        daemons[0]!.store.payments.doubt.unknown.map(({ paymentHash }) => toHex(paymentHash)),
      );
      expect(new Set(world.received.values())).toEqual(new Set([1]));
      for (const [request, status] of told) {
        if (status !== 'refused')
          expect([status, world.times(request)]).toEqual([status, status === 'complete' ? 1 : 0]);
        if (world.times(request) === 1)
          expect(hasRow.has(hashOf(request)) !== unknown.has(hashOf(request))).toBe(true);
      }
      expect(unknown.size > 0).toBe(!isSynchronous);
      expect([...refusals].every((one) => one.startsWith('storeFailed'))).toBe(true);
    });
  }
});
