/**
 * A node that pays over the line of line-graph.ts, served on a socket. Virtual time passes while calls are
 * open.
 */
import type { NodeContext } from '../../src/commands/context.ts';
import { COMMANDS } from '../../src/commands/index.ts';
import { requestPayer } from '../../src/commands/payments/request-payer.ts';
import { networkMapOf } from '../../src/network/simulated/index.ts';
import { type Offers, openOffers } from '../../src/offers/index.ts';
import { messageGraphOf, SimulatedIssuers } from '../../src/simulated-issuers/issuers.ts';
import { lineNode } from '../payments/line-graph.ts';
import {
  type NodeOptions,
  OWN_ID,
  OWN_KEY,
  type SimulatedNode,
} from '../payments/simulation/simulated-node.ts';
import { memoryLog, RawClient, serve, type TestServer } from '../rpc/support.ts';
import type { Answer } from './askrene/askrene-node.ts';
import { withListedError } from './books/listed-errors.ts';

export class PaymentNode {
  readonly node: SimulatedNode;
  readonly issuers: SimulatedIssuers;
  /** Reports of the node to its operator. */
  readonly log = memoryLog();
  /** The context that commands receive; available after `start`. */
  context!: NodeContext;
  #offers: Offers | undefined;
  #server: TestServer | undefined;
  #client: RawClient | undefined;
  #nextId = 0;
  #isRunning = true;
  /** While true, virtual time stands still, so HTLCs stay in flight. */
  isHeld = false;
  #time: Promise<void> | undefined;

  constructor(options: NodeOptions = {}) {
    const onRequestPaid = (id: Uint8Array): void => this.#offers!.own.requests.markUsed(id);
    this.node = lineNode({ ...options, engine: { onRequestPaid, ...options.engine } });
    const map = networkMapOf(options.hiddenGraph ?? this.node.graph);
    const { chainHash } = this.node.simulation.identity;
    this.issuers = new SimulatedIssuers(messageGraphOf(map), { chainHash });
    this.node.simulation.setMessageHandler(this.issuers.handle);
    this.node.simulation.onReceived = this.issuers.received;
  }

  async start(developer = true): Promise<void> {
    const { node } = this;
    const offers = await openOffers({
      port: node.port,
      graph: node.graph,
      nodeSecretKey: OWN_KEY,
      repository: node.store.offers,
      allTakeMessages: true,
      mayConnect: true,
      clock: node,
    });
    this.#offers = offers;
    const context = {
      chain: 'bitcoin',
      log: this.log,
      offers,
      simulatedInvoice: async (...[id, wishes]: Parameters<typeof node.simulation.issueInvoice>) =>
        node.simulation.issueInvoice(id, wishes),
      identity: { id: OWN_ID },
      graph: node.graph,
      get blockheight() {
        return node.port.blockHeight();
      },
      get layers() {
        return node.book;
      },
      get engine() {
        return node.routes;
      },
      get networkPort() {
        return node.port;
      },
      get payments() {
        return node.payments;
      },
      layersDurable: () => node.store.committer.durable(),
    };
    this.context = context as unknown as NodeContext;
    offers.own.requests.payer = requestPayer(this.context);
    this.#server = await serve(COMMANDS, this.context, {}, developer);
    this.#client = new RawClient(this.#server.path);
    this.#time = this.#runTime();
  }

  /** Lets virtual time pass only while a call is in progress, so that each run of a test is the same. */
  async #runTime(): Promise<void> {
    while (this.#isRunning) {
      const isBusy =
        [...this.node.payments.live()].length > 0 || !this.node.simulation.isIdle || this.node.timersSet > 0;
      if (isBusy && !this.isHeld) await this.node.pass();
      else await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#time;
    this.#client?.close();
    this.#offers?.close();
    await this.#server?.stop();
    await this.node.destroy();
  }

  get path(): string {
    return this.#server!.path;
  }

  client(): RawClient {
    return new RawClient(this.#server!.path);
  }

  raw(request: string): Promise<string | undefined> {
    return this.#client!.ask(request);
  }

  async call(method: string, params: object = {}): Promise<Answer> {
    const text = JSON.stringify({ jsonrpc: '2.0', id: this.#nextId++, method, params }, (_key, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    );
    return withListedError(method, JSON.parse((await this.raw(text))!) as Answer);
  }

  /** The result of a call that must succeed. Throws the text of the error otherwise. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are JSON, compared whole or member by member
  async result(method: string, params: object = {}): Promise<any> {
    const { result, error } = await this.call(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  async error(method: string, params: object = {}): Promise<any> {
    const { error } = await this.call(method, params);
    return error;
  }
}
