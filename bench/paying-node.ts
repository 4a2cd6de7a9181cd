/**
 * A node that pays over a simulated network: the real route engine with its pool, the real journal, and real
 * onions. The network runs in this thread and in virtual time, or in a thread of its own and in real time.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RouteEngine } from '../src/engine/host/engine.ts';
import type { RouteOptions } from '../src/engine/host/engine-options.ts';
import type { RouteAnswer, RouteQuery } from '../src/engine/question/route.ts';
import { LayerBook } from '../src/layers/layer-book.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import { msatFromSat } from '../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../src/model/node-id.ts';
import type { NetworkPort } from '../src/network/port.ts';
import type { PaymentRequest } from '../src/payments/payment.ts';
import { PaymentEngine } from '../src/payments/payment-engine.ts';
import { Store } from '../src/store/store.ts';

/** The point 2 · G, which is not the id of any node in the graphs. */
export const OWN_ID = nodeIdFromBytes(
  Buffer.from('02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5', 'hex'),
);

/** How routes are chosen. */
export type Choice = 'full' | 'forgetful' | 'cheapest';

/**
 * A directory in which it costs nothing to make files durable. On systems other than Linux, the usual
 * temporary one.
 */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const NO_RISK_PRICE: NonNullable<RouteOptions['knobs']> = {
  riskPpmPerNat: 0,
  riskBaseMsatPerNat: 0,
  delayBillionthsPerBlock: 0,
  partPpm: 0,
  partBaseMsat: 0,
};

/** The network of a paying node, and how the node uses it. */
export interface PayingNodeOptions {
  readonly graph: ChannelGraph;
  readonly network: NetworkPort;
  readonly choice: Choice;
  /** Virtual time, if the network has it. Then the journal is in memory, and a commit takes no time. */
  readonly nowMs?: () => number;
}

/** A payment engine with everything that it runs on. */
export class PayingNode {
  readonly book: LayerBook;
  readonly payments: PaymentEngine;
  readonly #store: Store;
  readonly #engine: RouteEngine;
  readonly #directory: string;
  readonly #forgets: boolean;

  /** Opens an empty store in a directory of its own. */
  static async open(options: PayingNodeOptions): Promise<PayingNode> {
    const { nowMs } = options;
    const directory = mkdtempSync(join(nowMs === undefined ? tmpdir() : MEMORY, 'fulgurite-bench-'));
    const store = new Store(join(directory, 'node.sqlite'));
    const book = new LayerBook(() => Math.floor((nowMs ?? Date.now)() / 1000));
    await store.layers.attach(book);
    return new PayingNode(options, directory, store, book);
  }

  private constructor(
    { graph, network, choice, nowMs }: PayingNodeOptions,
    directory: string,
    store: Store,
    book: LayerBook,
  ) {
    this.#forgets = choice !== 'full';
    const now = nowMs ?? Date.now;
    this.#directory = directory;
    this.book = book;
    this.#store = store;
    this.#engine = new RouteEngine({
      book: this.book,
      workers: nowMs === undefined ? 2 : 1,
      queueSize: 10_000,
    });
    this.#engine.publish(graph);
    const engine = this.#engine;
    const cheapest = {
      getroutes: (query: RouteQuery, options?: RouteOptions): Promise<RouteAnswer> =>
        engine.getroutes(query, { ...options, knobs: NO_RISK_PRICE }),
    };
    this.payments = new PaymentEngine({
      network,
      engine: choice === 'cheapest' ? cheapest : engine,
      book: this.book,
      graph: () => graph,
      repository: this.#store.payments,
      clock: {
        nowMs: now,
        monotonicMs: now,
        after(ms, callback) {
          const timer = setTimeout(callback, nowMs === undefined ? ms : 0);
          return () => clearTimeout(timer);
        },
      },
    });
  }

  /** Forgets what earlier payments taught, for the baselines that do not learn. */
  forget(): void {
    if (!this.#forgets) return;
    this.book.removeLayer(this.book.createLayer('xpay', true));
    this.book.createLayer('xpay', true);
  }

  async close(): Promise<void> {
    await this.payments.close();
    await this.#engine.close();
    this.#store.close();
    rmSync(this.#directory, { recursive: true });
  }
}

/** A keysend with the default limits. */
export function requestTo(destination: NodeId, amountSat: number, seed: bigint): PaymentRequest {
  const amountMsat = msatFromSat(amountSat);
  return {
    kind: 'keysend',
    destination,
    amountMsat,
    label: undefined,
    maxfeeMsat: msatFromSat(Math.max(5, Math.floor(amountSat / 200))),
    maxdelay: 2016,
    retryForS: 60,
    extraTlvs: [],
    routeHints: [],
    layers: [],
    seed,
    isSeedChosen: true,
    useShadow: true,
    randomize: true,
    idempotencyKey: undefined,
  };
}
