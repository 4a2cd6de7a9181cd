/**
 * Two daemons of one Lightning node on one PostgreSQL are asked to pay the same invoice at the same moment, without a
 * common idempotency key. Each asks the journal before either has written a payment. Exactly one pays.
 *
 *     we ── L2 ── L3            both daemons send over our channel to L2
 */
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseBolt11 } from '../../src/bolt/invoice/bolt11-invoice.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { type Deferred, deferred } from '../../src/model/deferred.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import { InProcessPort } from '../../src/network/simulated/in-process-port.ts';
import type { Simulation } from '../../src/network/simulated/simulation.ts';
import { InvoiceTaken } from '../../src/payments/books/invoice-guard.ts';
import type { Payment, PaymentRequest } from '../../src/payments/payment.ts';
import { PaymentEngine } from '../../src/payments/payment-engine.ts';
import { payableBolt11 } from '../../src/payments/plan/payable-invoice.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { describeNeeding } from '../needs.ts';
import { InProcessEngine, InProcessKernel } from '../payments/in-process-engine.ts';
import { L3, lineNode } from '../payments/line-graph.ts';
import { keysendRequest, OWN_ID, type SimulatedNode } from '../payments/simulation/simulated-node.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../store/postgres-database.ts';
import { POSTGRES_PROGRAMS, sharedPostgres } from '../store/postgres-server.ts';
import { portsOn } from './ports-on.ts';

const AMOUNT_MSAT = msatFromSat(1_000);
/** An amount above the balance of L2 towards L3. */
const FAR_TOO_MUCH_MSAT = msatFromSat(600_000);

/** A barrier that opens once this number of callers have arrived. */
class Gate {
  readonly #opened: Deferred = deferred();
  #missing: number;

  constructor(count: number) {
    this.#missing = count;
  }

  pass(): Promise<void> {
    if (--this.#missing <= 0) this.#opened.resolve();
    return this.#opened.promise;
  }
}

interface Daemon {
  readonly engine: PaymentEngine;
  readonly store: PostgresStore;
  readonly close: () => Promise<void>;
}

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'one invoice and two daemons', () => {
  let database: PreparedDatabase;
  let node: SimulatedNode;
  let newPort: () => Simulation;
  let nonce = 0;
  const daemons: Daemon[] = [];
  beforeAll(async () => {
    database = await newPreparedDatabase(await sharedPostgres());
  });
  beforeEach(() => {
    node = lineNode();
    newPort = portsOn(node.simulation);
  });
  afterEach(async () => {
    for (const { close } of daemons.splice(0)) await close();
    await node.destroy();
  });

  /** @param gate delays the journal's answer about an invoice */
  async function daemon(name: string, gate: Gate): Promise<Daemon> {
    const store = await PostgresStore.open(database.daemon, {
      ...{ daemon: name, ownNode: name, payingNode: OWN_ID },
      ...{ network: 'simulated', chain: 'regtest' },
    });
    const ask = store.payments.payments.bind(store.payments);
    store.payments.payments = async (filter = {}) => {
      const answer = await ask(filter);
      if (filter.paymentHash !== undefined || filter.localRequestId !== undefined) await gate.pass();
      return answer;
    };
    const book = new LayerBook();
    const port = new InProcessPort(newPort());
    const engine = new PaymentEngine({
      ...{ network: port, book, graph: () => node.graph, repository: store.payments },
      engine: new InProcessEngine(book, new InProcessKernel(node.graph)),
    });
    await engine.start();
    const close = async () => {
      await engine.close();
      await port.close();
      store.close();
    };
    const made = { engine, store, close };
    daemons.push(made);
    return made;
  }

  /** A request to pay a new invoice of L3. */
  function invoiceRequest(more: Partial<PaymentRequest> = {}): PaymentRequest {
    const text = node.simulation.issueInvoice(L3, {
      ...{ currency: 'bc', amountMsat: AMOUNT_MSAT, description: '', expirySeconds: 2 ** 31 },
      ...{ minFinalCltvExpiryDelta: 18, hints: 0, hasMetadata: false },
      nonce: new Uint8Array(9).fill(++nonce),
    });
    const { terms, routeHints } = payableBolt11(parseBolt11(text), text, AMOUNT_MSAT);
    const asked = { invstring: text, payerNote: undefined };
    return keysendRequest(L3, { kind: 'xpay', useShadow: false, invoice: terms, routeHints, asked, ...more });
  }

  /**
   * Sends the request to both at once. @returns which daemon paid, which was notified of it, and the
   * notification
   */
  async function payBoth(first: PaymentRequest, second: PaymentRequest, gate = new Gate(2)) {
    const [a, b] = [await daemon('a', gate), await daemon('b', gate)];
    const told = await node.until(Promise.allSettled([a.engine.pay(first), b.engine.pay(second)]));
    const isA = told[0]!.status === 'fulfilled';
    const [paid, other] = isA ? told : [told[1]!, told[0]!];
    expect([paid.status, other.status]).toEqual(['fulfilled', 'rejected']);
    return {
      payer: isA ? a : b,
      other: isA ? b : a,
      payment: (paid as PromiseFulfilledResult<Payment>).value,
      error: (other as PromiseRejectedResult).reason as unknown,
    };
  }

  const attemptsSettled = async ({ store }: Daemon, paymentHash: Uint8Array): Promise<number[]> =>
    (await store.payments.payments({ paymentHash })).map(
      ({ attempts }) => attempts.filter(({ status }) => status === 'settled').length,
    );

  test('one daemon pays; the other is informed of that payment, and so are later requests', async () => {
    const request = invoiceRequest();
    const { payer, other, payment, error } = await payBoth(request, request);
    expect([payment.status, payment.attempts.length]).toEqual(['complete', 1]);
    expect(error).toBeInstanceOf(InvoiceTaken);
    expect(error).toMatchObject({ by: 'invoice', payment: { id: payment.id } });
    expect(await attemptsSettled(payer, payment.paymentHash)).toEqual([1]);
    expect(node.simulation.stats()).toMatchObject({ repeatedPayments: 0, pendingAttempts: 0 });
    for (const { engine } of [other, payer]) {
      const late = node.until(engine.pay(request));
      await expect(late).rejects.toMatchObject({
        by: 'invoice',
        payment: { id: payment.id, status: 'complete' },
      });
    }
  });

  test('the same holds for two invoices for one single-use request, each with an idempotency key', async () => {
    const localRequest = { id: new Uint8Array(32).fill(7), publisher: 'us', singleUse: true } as const;
    const [first, second] = ['one', 'two'].map((idempotencyKey) => {
      const request = invoiceRequest({ idempotencyKey });
      return { ...request, asked: { ...request.asked!, localRequest } };
    }) as [PaymentRequest, PaymentRequest];
    const { payer, payment, error } = await payBoth(first, second);
    expect(error).toBeInstanceOf(InvoiceTaken);
    expect(error).toMatchObject({ by: 'request', payment: { id: payment.id } });
    const rows = await payer.store.payments.payments({ localRequestId: localRequest.id });
    expect(rows.map(({ payment: { id, status } }) => [id, status])).toEqual([[payment.id, 'complete']]);
    expect(node.simulation.stats().pendingAttempts).toBe(0);
  });

  test('a failed invoice is paid by the other daemon when requested again', async () => {
    const request = invoiceRequest();
    const [a, b] = [await daemon('a', new Gate(1)), await daemon('b', new Gate(1))];
    const vain = await node.until(
      a.engine.pay({ ...request, amountMsat: FAR_TOO_MUCH_MSAT, maxfeeMsat: AMOUNT_MSAT, retryForS: 0 }),
    );
    expect([vain.status, vain.attempts.length > 0]).toEqual(['failed', true]);
    const paid = await node.until(b.engine.pay(request));
    expect(paid.status).toBe('complete');
    expect(await attemptsSettled(a, paid.paymentHash)).toEqual([0, 1]);
  });
});
