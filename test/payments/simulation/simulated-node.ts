/**
 * A whole node on a simulated network, in one thread and in virtual time: payment engine, layers, store and
 * kernel. It can be dropped at any moment, as in a crash, and reopened from what its disk contains.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import type { ChannelGraph } from '../../../src/model/channel-graph.ts';
import type { Clock } from '../../../src/model/clock.ts';
import { msat, msatFromSat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import type { OnionBuilder } from '../../../src/network/onions/onion-builder.ts';
import type { NetworkPort } from '../../../src/network/port.ts';
import {
  DEFAULT_NODE_SETTINGS,
  OwnNode,
  type OwnNodeSettings,
  OwnNodes,
  type SaveSettings,
  SeveralNetwork,
} from '../../../src/network/several/index.ts';
import { InProcessPort } from '../../../src/network/simulated/in-process-port.ts';
import { networkMapOf, withAddedNodes } from '../../../src/network/simulated/network-map.ts';
import type { SimulationOptions } from '../../../src/network/simulated/options.ts';
import { OwnNodePort } from '../../../src/network/simulated/own/own-node-port.ts';
import { Simulation } from '../../../src/network/simulated/simulation.ts';
import type { Payment, PaymentRequest } from '../../../src/payments/payment.ts';
import { PaymentEngine, type PaymentEngineOptions } from '../../../src/payments/payment-engine.ts';
import { Store } from '../../../src/store/store.ts';
import { InProcessEngine, InProcessKernel } from '../in-process-engine.ts';

/** A crash here loses only uncommitted data. So a file system in memory is as good as a disk, and faster. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export const OWN_KEY = new Uint8Array(32).fill(0x42);
export const OWN_ID: NodeId = nodeIdFromBytes(curve.publicKey(OWN_KEY));

export interface NodeOptions {
  /** Builds the onions of the node's HTLCs. Default: in this thread. */
  readonly onions?: OnionBuilder;
  readonly graph?: ChannelGraph;
  /** The whole network, including the parts that we do not know: a graph that contains `graph`. */
  readonly hiddenGraph?: ChannelGraph;
  readonly nodes?: number;
  readonly simulation?: Partial<SimulationOptions>;
  /** Number of our nodes that pay together. Default: only the node whose key is `OWN_KEY`. */
  readonly ownNodes?: number;
  /** Returns a wrapper for the port of one of our nodes. */
  readonly wrap?: (port: NetworkPort, at: number) => NetworkPort;
  readonly engine?: Partial<PaymentEngineOptions>;
  /** Called before every search. If it throws, the search fails with that error. */
  readonly breakRoutes?: () => void;
  /** An engine that replaces the kernel in this thread. */
  readonly routes?: (book: LayerBook) => PaymentEngineOptions['engine'];
  /** Whether other threads are busy with our work. Until they are done, virtual time stands still. */
  readonly isBusy?: () => boolean;
}

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

/** Everything that is lost with the process. */
interface Running {
  readonly store: Store;
  readonly book: LayerBook;
  readonly routes: InProcessEngine;
  readonly port: InProcessPort;
  readonly several: SeveralNetwork | undefined;
  readonly payments: PaymentEngine;
}

export class SimulatedNode implements Clock {
  readonly graph: ChannelGraph;
  readonly simulation: Simulation;
  /** Ids of our nodes, if there are several. */
  readonly ownNodeIds: readonly NodeId[];
  /** The settings of our nodes, which outlive the process. */
  readonly settings = new Map<string, OwnNodeSettings>();
  readonly #directory = mkdtempSync(join(MEMORY, 'fulgurite-node-'));
  readonly #options: NodeOptions;
  readonly #kernel: InProcessKernel;
  #invoices = 0;
  #timers = new Set<Timer>();
  /** By how much the time of day was set ahead. */
  #setByMs = 0;
  #running: Running | undefined;

  constructor(options: NodeOptions = {}) {
    this.#options = options;
    this.graph = options.graph ?? generateSyntheticGraph({ nodeCount: options.nodes ?? 200, seed: 1 });
    const { map, added } = withAddedNodes(
      networkMapOf(options.hiddenGraph ?? this.graph),
      options.ownNodes ?? 0,
    );
    this.ownNodeIds = added;
    this.simulation = new Simulation(map, {
      ownNodeId: OWN_ID,
      ...(added.length > 0 && { ownNodes: added }),
      ...options.simulation,
    });
    this.#kernel = new InProcessKernel(this.graph);
    void this.open();
  }

  get payments(): PaymentEngine {
    return this.#running!.payments;
  }
  get book(): LayerBook {
    return this.#running!.book;
  }
  get store(): Store {
    return this.#running!.store;
  }
  get port(): InProcessPort {
    return this.#running!.port;
  }
  get routes(): InProcessEngine {
    return this.#running!.routes;
  }

  /** Publishes the current graph to searches. The simulated network keeps its original graph. */
  republish(): void {
    this.#kernel.publish(this.graph);
  }

  /** Opens the node. Payments may begin at once. Resolves after payments in flight have been resumed. */
  async open(): Promise<void> {
    const store = new Store(join(this.#directory, 'node.sqlite'));
    const book = new LayerBook(() => Math.floor(this.nowMs() / 1000));
    // SQLite reads synchronously, so the layers are loaded before the payment engine starts.
    const attached = store.layers.attach(book);
    const routes = new InProcessEngine(book, this.#kernel, this.#options.breakRoutes);
    const { onions } = this.#options;
    const port = new InProcessPort(this.simulation, { secretKey: OWN_KEY, ...(onions && { onions }) });
    const several = this.#several(port);
    const payments = new PaymentEngine({
      network: several ?? port,
      ...(several !== undefined && { ownNodes: several.nodes }),
      engine: this.#options.routes?.(book) ?? routes,
      book,
      graph: () => this.graph,
      repository: store.payments,
      clock: this,
      ...this.#options.engine,
    });
    this.#running = { store, book, routes, port, several, payments };
    await attached;
    await payments.start();
  }

  /** Our nodes, which are used as one. Only for a node that was created with several `ownNodes`. */
  get nodes(): OwnNodes {
    return this.#running!.several!.nodes;
  }

  #several(shared: InProcessPort): SeveralNetwork | undefined {
    if (this.ownNodeIds.length === 0) return undefined;
    const { wrap = (port) => port } = this.#options;
    const list = this.ownNodeIds.map((nodeId, at) => {
      const name = String.fromCharCode(97 + at);
      const port = wrap(new OwnNodePort(shared, nodeId), at);
      const settings = this.settings.get(name) ?? DEFAULT_NODE_SETTINGS;
      return new OwnNode(name, at, port, settings, async (amountMsat, description) =>
        this.simulation.issueInvoice(nodeId, {
          ...{ currency: 'bc', amountMsat: msat(amountMsat), description, expirySeconds: 3600 },
          ...{
            minFinalCltvExpiryDelta: 18,
            hints: 8,
            hasMetadata: false,
            nonce: new Uint8Array(9).fill(++this.#invoices),
          },
        }),
      );
    });
    const save: SaveSettings = ({ name }, settings) => void this.settings.set(name, settings);
    return new SeveralNetwork({
      identity: shared.identity,
      nodes: new OwnNodes(list, save),
      messages: shared,
    });
  }

  /** Ends the process: uncommitted data is lost. */
  async crash(): Promise<void> {
    const { payments, port, routes, store } = this.#running!;
    await payments.close();
    await port.close();
    routes.close();
    this.#timers.clear();
    // Only the database is closed, and not its committer, so queued writes never reach the disk.
    store.database.close();
  }

  async destroy(): Promise<void> {
    const { payments, port, routes, store } = this.#running!;
    await payments.close();
    await port.close();
    routes.close();
    store.close();
    rmSync(this.#directory, { recursive: true });
  }

  /** Number of active timers. */
  get timersSet(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.simulation.nowMs + this.#setByMs;
  }

  monotonicMs(): number {
    return this.simulation.nowMs;
  }

  /** Sets the time of day ahead, or back if `ms` is negative. No time passes. */
  setClock(ms: number): void {
    this.#setByMs += ms;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { atMs: this.monotonicMs() + ms, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /**
   * Runs everything that needs no virtual time, including commits. Then runs the network's next event or the
   * next timer, whichever is due first, if there is one.
   */
  async pass(): Promise<void> {
    do await turn();
    while (this.store.committer.queued > 0 || this.#options.isBusy?.());
    if (!this.simulation.isIdle || this.#timers.size > 0) this.#step();
  }

  #step(): void {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.atMs < next.atMs) next = timer;
    if (next !== undefined && next.atMs <= this.simulation.nextEventAtMs) {
      this.#timers.delete(next);
      this.simulation.advanceTo(next.atMs);
      next.callback();
    } else this.simulation.step();
  }

  /** Pays, and lets virtual time pass until the payment has an outcome. */
  async pay(request: PaymentRequest): Promise<Payment> {
    return this.until(this.payments.pay(request));
  }

  /** Lets virtual time pass until the promise has settled. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const note = (): void => {
      settled = true;
    };
    promise.then(note, note);
    for (let steps = 0; !settled && steps < 1_000_000; steps++) {
      await this.pass();
    }
    return promise;
  }

  /** Ids of nodes that have a public channel, by index. */
  destinations(): NodeId[] {
    return Array.from({ length: this.graph.nodeCount }, (_, node) => node)
      .filter((node) => this.graph.nodeDegree[node]! > 0)
      .map((node) => this.graph.nodeId(node));
  }
}

/** One turn of the event loop. Runs everything that needs no virtual time, including commits. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function keysendRequest(destination: NodeId, more: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    kind: 'keysend',
    destination,
    amountMsat: msatFromSat(1000),
    label: undefined,
    maxfeeMsat: msatFromSat(50),
    maxdelay: 2016,
    retryForS: 60,
    extraTlvs: [],
    routeHints: [],
    layers: [],
    seed: 7n,
    isSeedChosen: true,
    useShadow: true,
    randomize: true,
    idempotencyKey: undefined,
    ...more,
  };
}
