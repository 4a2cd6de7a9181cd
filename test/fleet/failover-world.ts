/**
 * Daemons of one Lightning node on a PostgreSQL server with a standby, and a simulated network that counts
 * what arrives. The standby can be cut off, and promoted.
 *
 *     we ── L2 ── L3            daemons ── link ── primary ──▶ standby        after the failover, the link
 *     leads to the standby
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { toHex } from '../../src/bolt/bytes.ts';
import { parseBolt11 } from '../../src/bolt/invoice/bolt11-invoice.ts';
import { databaseStatus } from '../../src/fleet/status.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import { InProcessPort } from '../../src/network/simulated/in-process-port.ts';
import type { PaymentRequest } from '../../src/payments/payment.ts';
import { PaymentEngine } from '../../src/payments/payment-engine.ts';
import { payableBolt11 } from '../../src/payments/plan/payable-invoice.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { InProcessEngine, InProcessKernel } from '../payments/in-process-engine.ts';
import { L3, lineNode } from '../payments/line-graph.ts';
import { keysendRequest, OWN_ID } from '../payments/simulation/simulated-node.ts';
import { CutLink } from '../store/cut-link.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../store/postgres-database.ts';
import { type PostgresServer, startPostgres, startStandby } from '../store/postgres-server.ts';
import { portsOn } from './ports-on.ts';

const AMOUNT_MSAT = msatFromSat(1_000);
const LEASE_MS = 400;

export interface Daemon {
  readonly engine: PaymentEngine;
  readonly store: PostgresStore;
  readonly close: () => Promise<void>;
}

/** Everything that one test needs. The test must close it. */
export class FailoverWorld {
  readonly node = lineNode();
  /** Number of times the recipient was paid, by payment hash. */
  readonly received = new Map<string, number>();
  /** Whether time passes on the network. */
  isPassing = true;
  /** The network lists its HTLCs once this is resolved. */
  mayList: Promise<void> = Promise.resolve();
  readonly #newPort = portsOn(this.node.simulation);
  readonly #closers: (() => unknown)[] = [];
  #parts!: { primary: PostgresServer; standby: PostgresServer; database: PreparedDatabase; link: CutLink };
  #nonce = 0;
  #isOver = false;

  static async open(): Promise<FailoverWorld> {
    const world = new FailoverWorld();
    const closers = world.#closers;
    world.node.simulation.onReceived = ({ paymentHash }) => {
      const hash = toHex(paymentHash);
      world.received.set(hash, (world.received.get(hash) ?? 0) + 1);
    };
    const passing = world.#pass();
    closers.push(async () => {
      world.#isOver = true;
      await passing;
      await world.node.destroy();
    });
    const primary = await startPostgres();
    closers.push(() => primary.stop());
    const database = await newPreparedDatabase(primary);
    const standby = await startStandby(primary);
    closers.push(() => standby.stop());
    const link = await CutLink.to(primary.port);
    closers.push(() => link.close());
    world.#parts = { primary, standby, database, link };
    return world;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }

  async #pass(): Promise<void> {
    for (; !this.#isOver; await sleep(1)) {
      for (let n = 0; n < 20 && this.isPassing; n++) await this.node.pass();
    }
  }

  /**
   * @param isDoubting false removes the rule: nothing is in doubt, and preimages are not derived from keys
   */
  async daemon(name: string, { isDoubting = true } = {}): Promise<Daemon> {
    const { database, link } = this.#parts;
    const url = new URL(database.daemon);
    url.port = `${link.port}`;
    const user = { daemon: name, ownNode: name, payingNode: OWN_ID, network: 'simulated', chain: 'regtest' };
    const store = await PostgresStore.open(url.href, user, { leaseMs: LEASE_MS, retryMs: 50 });
    if (!isDoubting) {
      const nothing = { isOpen: false, unknown: [], ownUnknown: [] };
      Object.defineProperty(store.payments, 'doubt', { value: nothing });
      Object.defineProperty(store.payments, 'bytesOf', { value: undefined });
    }
    const book = new LayerBook();
    const port = new InProcessPort(this.#newPort());
    const list = port.sentHtlcs.bind(port);
    port.sentHtlcs = () => this.mayList.then(list);
    const engine = new PaymentEngine({
      ...{ network: port, book, graph: () => this.node.graph, repository: store.payments },
      engine: new InProcessEngine(book, new InProcessKernel(this.node.graph)),
    });
    await engine.start();
    let isClosed = false;
    const close = async () => {
      if (isClosed) return;
      isClosed = true;
      store.close();
      await engine.close();
      await port.close();
    };
    this.#closers.push(close);
    return { engine, store, close };
  }

  #at(server: PostgresServer, sql: string, database = 'postgres') {
    const administrator = server.connect(server.url('postgres', database));
    return administrator.unsafe(sql).finally(() => administrator.end());
  }

  /** The data that `fulgurite fleet status` reads from the database. */
  status(): ReturnType<typeof databaseStatus> {
    const url = new URL(this.#parts.database.daemon);
    url.port = `${this.#parts.link.port}`;
    return databaseStatus(url.href);
  }

  /** Queries the standby. */
  askStandby(sql: string) {
    const { standby, database } = this.#parts;
    return this.#at(standby, sql, new URL(database.owner).pathname.slice(1));
  }

  /** From now on, commits wait for the standby. */
  async makeSynchronous(): Promise<void> {
    const { primary } = this.#parts;
    await this.#at(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await this.#at(primary, 'SELECT pg_reload_conf()');
    const state = async () => (await this.#at(primary, 'SELECT sync_state FROM pg_stat_replication'))[0];
    await expect.poll(async () => (await state())?.sync_state).toBe('sync');
  }

  /** Cuts the standby off from further changes. */
  async stopReplication(): Promise<void> {
    const { primary, standby } = this.#parts;
    await this.#at(standby, `ALTER SYSTEM SET primary_conninfo = ''`);
    await this.#at(standby, 'SELECT pg_reload_conf()');
    const senders = () => this.#at(primary, 'SELECT 1 FROM pg_stat_replication');
    await expect.poll(async () => (await senders()).length).toBe(0);
  }

  /** Kills the primary and promotes its standby. */
  async promote(): Promise<void> {
    const { primary, standby, link } = this.#parts;
    await primary.kill('SIGKILL');
    await this.#at(standby, 'SELECT pg_promote()');
    link.leadTo(standby.port);
  }

  /** A request to pay a new invoice of L3. */
  invoiceRequest(): PaymentRequest {
    const nonce = new Uint8Array(9);
    new DataView(nonce.buffer).setUint32(0, ++this.#nonce);
    const text = this.node.simulation.issueInvoice(L3, {
      ...{ currency: 'bc', amountMsat: AMOUNT_MSAT, description: '', expirySeconds: 2 ** 31 },
      ...{ minFinalCltvExpiryDelta: 18, hints: 0, hasMetadata: false, nonce },
    });
    const { terms, routeHints } = payableBolt11(parseBolt11(text), text, AMOUNT_MSAT);
    const asked = { invstring: text, payerNote: undefined };
    return keysendRequest(L3, { kind: 'xpay', useShadow: false, invoice: terms, routeHints, asked });
  }

  /** A keysend to L3 under an idempotency key. */
  keyed(idempotencyKey: string): PaymentRequest {
    return keysendRequest(L3, { amountMsat: AMOUNT_MSAT, useShadow: false, idempotencyKey });
  }

  /** The number of times an invoice was paid. */
  times(request: PaymentRequest): number {
    return this.received.get(hashOf(request)) ?? 0;
  }
}

export const hashOf = ({ invoice }: PaymentRequest): string => toHex(invoice!.paymentHash);
