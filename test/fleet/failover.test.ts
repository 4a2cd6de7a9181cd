/**
 * A promoted asynchronous standby has missed committed attempts. Nothing is paid before all HTLCs are matched
 * with rows, and nothing is paid twice or lost. A last test removes the rule, and then a payment is made
 * twice.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toHex } from '../../src/bolt/bytes.ts';
import { deferred } from '../../src/model/deferred.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { describeNeeding } from '../needs.ts';
import { OWN_ID } from '../payments/simulation/simulated-node.ts';
import { POSTGRES_PROGRAMS } from '../store/postgres-server.ts';
import { FailoverWorld, hashOf } from './failover-world.ts';

const LONG = { timeout: 30_000 };

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'a failover that lost attempts', () => {
  let world: FailoverWorld;
  beforeEach(async () => {
    world = await FailoverWorld.open();
  });
  afterEach(() => world.close());

  /**
   * Daemon `a` pays while the standby is cut off, and dies together with the primary.
   * @returns the payments that the standby lacks: an invoice in progress, a paid invoice and a paid keysend
   */
  async function lose() {
    const a = await world.daemon('a');
    const known = await a.engine.pay(world.invoiceRequest());
    expect(known.status).toBe('complete');
    // The attempt of this payment reaches the standby, but its outcome does not.
    world.isPassing = false;
    const halfKnown = world.invoiceRequest();
    void a.engine.pay(halfKnown).catch(() => undefined);
    const sentRows = `SELECT 1 FROM fulgurite.attempt WHERE status = 'sent'`;
    await expect.poll(async () => (await world.askStandby(sentRows)).length, LONG).toBe(1);
    await expect.poll(() => world.node.simulation.stats().pendingAttempts, LONG).toBe(1);
    await world.stopReplication();
    world.isPassing = true;
    const paid = world.invoiceRequest();
    expect((await a.engine.pay(paid)).status).toBe('complete');
    expect((await a.engine.pay(world.keyed('once'))).status).toBe('complete');
    await expect.poll(() => world.times(halfKnown)).toBe(1);
    world.isPassing = false;
    const underWay = world.invoiceRequest();
    void a.engine.pay(underWay).catch(() => undefined);
    await expect.poll(() => world.node.simulation.stats().pendingAttempts, LONG).toBe(1);
    await a.close();
    await world.promote();
    expect(world.received.size).toBe(4);
    return { halfKnown, paid, underWay };
  }

  test('payments lost by an asynchronous standby are made once, and nothing is paid before this is certain', async () => {
    const { halfKnown, paid, underWay } = await lose();
    const listing = deferred();
    world.mayList = listing.promise;
    const b = await world.daemon('b');
    const early = await b.engine.pay(world.invoiceRequest()).catch((error) => error);
    expect(early).toBeInstanceOf(FulguriteError);
    expect(early).toMatchObject({ name: 'storeFailed', data: { reason: 'inDoubt', waits_for: [OWN_ID] } });
    expect(b.engine.doubt).toMatchObject({ message: early.message });
    expect(await world.status()).toMatchObject({ inDoubt: [OWN_ID], unknownHtlcs: [] });
    listing.resolve();
    await expect.poll(() => b.store.payments.doubt.isOpen, LONG).toBe(false);

    expect(b.engine.doubt).toBeUndefined();
    const { inDoubt, unknownHtlcs } = await world.status();
    expect([inDoubt, unknownHtlcs.length]).toEqual([[], 3]);

    const hash = { reason: 'unknownHtlc', payment_hash: hashOf(underWay) };
    await expect(b.engine.pay(underWay)).rejects.toMatchObject({ name: 'storeFailed', data: hash });
    world.isPassing = true;
    await expect
      .poll(() => b.engine.pay(underWay).catch((error) => error.data.payment_preimage), LONG)
      .toMatch(/^[0-9a-f]{64}$/);
    for (const request of [paid, world.keyed('once')]) {
      await expect(b.engine.pay(request)).rejects.toMatchObject({ data: { reason: 'unknownHtlc' } });
    }
    // The known attempt is sent again, and its payment completes.
    const own = { paymentHash: halfKnown.invoice!.paymentHash };
    const status = async () => (await b.store.payments.payments(own))[0]?.payment.status;
    await expect.poll(status, LONG).toBe('complete');
    const next = await b.engine.pay(world.invoiceRequest());
    expect(next.status).toBe('complete');
    // Numbers that may have been lost are not reused.
    expect(next.createdIndex).toBeGreaterThan(60_000);
    expect((await world.status()).unknownHtlcs.map(({ isSettled }) => isSettled)).toEqual([true, true, true]);
    expect(new Set(world.received.values())).toEqual(new Set([1]));
    // Nothing is lost: each payment that the recipient received has a row or is listed as unknown.
    const rows = (await b.store.payments.payments()).filter(({ payment }) => payment.status === 'complete');
    const told = [...rows.map(({ payment }) => payment), ...b.store.payments.doubt.unknown];
    expect(told.map(({ paymentHash }) => toHex(paymentHash)).sort()).toEqual(
      [...world.received.keys()].sort(),
    );
    expect(told.every(({ preimage }) => preimage !== undefined)).toBe(true);

    // Without the rule, the keysend is paid twice with the same key, and a paid invoice is reported as
    // failed.
    await b.close();
    const c = await world.daemon('c', { isDoubting: false });
    const before = world.received.size;
    expect([(await c.engine.pay(world.keyed('once'))).status, world.received.size]).toEqual([
      'complete',
      before + 1,
    ]);
    expect([(await c.engine.pay(paid)).status, world.times(paid)]).toEqual(['failed', 1]);
  });
});
