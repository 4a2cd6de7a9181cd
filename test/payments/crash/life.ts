/**
 * One life of a process that pays. It resumes payments that an earlier life left in flight, pays, and reports
 * what it knows.
 */
import { join } from 'node:path';
import { toHex } from '../../../src/bolt/bytes.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NetworkPort } from '../../../src/network/port.ts';
import { type Reconciliation, reconcile } from '../../../src/payments/books/reconciliation.ts';
import type { PaymentRequest } from '../../../src/payments/payment.ts';
import { PaymentEngine } from '../../../src/payments/payment-engine.ts';
import type { WriteStep } from '../../../src/store/database.ts';
import { Store } from '../../../src/store/store.ts';
import { LedgerNetwork, RECIPIENT, TwoHopRoutes } from './ledger-network.ts';

/** The callers. Each makes a third of the payments, one after the other. */
const CALLERS = [0, 1, 2];

export interface LifeOptions {
  /** Directory with the database and the network's ledger. */
  readonly directory: string;
  readonly payments: number;
  /** The number of the first payment. Default: 0. */
  readonly first?: number;
  /** Whether the database has its own thread. If so, `onStep` is not called. */
  readonly hasThread?: boolean;
  /** Called at every write step of the store. */
  readonly onStep: (step: WriteStep) => void;
  /**
   * Called with the journal that an earlier life left, then `begin`; with `HASH STATUS` for each answer; and
   * at the end with `end`, then the whole journal.
   */
  readonly say: (line: string) => void;
}

function request(label: string): PaymentRequest {
  return {
    kind: 'keysend',
    destination: RECIPIENT,
    amountMsat: msat(1000),
    label,
    maxfeeMsat: msat(5000),
    maxdelay: 2016,
    retryForS: 60,
    extraTlvs: [],
    routeHints: [],
    layers: [],
    seed: 1n,
    isSeedChosen: true,
    useShadow: false,
    randomize: false,
    idempotencyKey: label,
  };
}

export class Life {
  readonly #options: LifeOptions;
  readonly #store: Store;
  readonly #network: LedgerNetwork;
  readonly #payments: PaymentEngine;

  static async begin(options: LifeOptions): Promise<Life> {
    const { directory, onStep, hasThread = false } = options;
    const store = new Store(join(directory, 'node.sqlite'), { onStep, hasThread });
    const book = new LayerBook();
    await store.layers.attach(book);
    return new Life(options, store, book);
  }

  private constructor(options: LifeOptions, store: Store, book: LayerBook) {
    this.#options = options;
    this.#store = store;
    this.#network = new LedgerNetwork(join(options.directory, 'ledger'));
    this.#payments = new PaymentEngine({
      network: this.#network as unknown as NetworkPort,
      engine: new TwoHopRoutes(),
      book,
      graph: () => new ChannelGraph(),
      repository: this.#store.payments,
    });
  }

  /** Resolves when everything is paid and reported. Rejects if the life is closed earlier. */
  async run(): Promise<void> {
    const { say } = this.#options;
    const { journal } = this.#payments;
    await this.#sayJournal();
    say('begin');
    await this.#payments.start();
    await Promise.all(CALLERS.map((caller) => this.#payInTurn(caller)));
    while ([...this.#payments.live()].length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await journal.durable();
    say('end');
    await this.#sayJournal();
  }

  async #sayJournal(): Promise<void> {
    for await (const {
      paymentHash,
      status,
      request: { label },
      attempts,
    } of this.#payments.journal.payments()) {
      const states = attempts.map((attempt) => `${attempt.id}:${attempt.status}`).join(',');
      this.#options.say(`${toHex(paymentHash)} ${status} ${label} ${states}`);
    }
  }

  /** Compares our journal with the network's ledger, as the command `reconcile` does. Call it after `run`. */
  reconcile(): Promise<Reconciliation> {
    this.#network.endAll();
    const network = this.#network as unknown as NetworkPort;
    return reconcile({ journal: this.#payments.journal, network, list: undefined, sinceMs: 0 });
  }

  async close(): Promise<void> {
    await this.#payments.close();
    this.#network.close();
    this.#store.close();
  }

  async #payInTurn(caller: number): Promise<void> {
    const { first = 0, payments } = this.#options;
    for (let n = first + caller; n < payments; n += CALLERS.length) {
      const { paymentHash, status } = await this.#payments.pay(request(`payment ${n}`));
      this.#options.say(`${toHex(paymentHash)} ${status}`);
    }
  }
}
