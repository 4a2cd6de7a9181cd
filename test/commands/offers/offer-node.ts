/** A node on a simulated network in this thread, in real time without latency, served on a socket. */
import { join } from 'node:path';
import type { OfferFields } from '../../../src/bolt/invoice/bolt12-fields.ts';
import { offerId } from '../../../src/bolt/invoice/bolt12-merkle.ts';
import { decodeOffer, encodeOffer, formatOffer } from '../../../src/bolt/invoice/bolt12-offer.ts';
import type { NodeContext } from '../../../src/commands/context.ts';
import { COMMANDS } from '../../../src/commands/index.ts';
import { nodeIdToBytes } from '../../../src/model/node-id.ts';
import type { NetworkPort } from '../../../src/network/port.ts';
import { InProcessPort, networkMapOf, Simulation } from '../../../src/network/simulated/index.ts';
import type { FetchEvent } from '../../../src/offers/fetch-event.ts';
import { type Offers, openOffers } from '../../../src/offers/index.ts';
import { simulatedOffers } from '../../../src/simulated-issuers/index.ts';
import { messageGraphOf, SimulatedIssuers } from '../../../src/simulated-issuers/issuers.ts';
import type { OfferKind, SimulatedOffer } from '../../../src/simulated-issuers/offers.ts';
import { Store } from '../../../src/store/store.ts';
import { A, CAPACITY, lineGraph, OWN_ID } from '../../network/simulated/line.ts';
import { RawClient, serve, type TestServer, temporaryDirectory } from '../../rpc/support.ts';
import { withListedError } from '../books/listed-errors.ts';

interface Answer {
  readonly result?: Record<string, unknown>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data: Record<string, unknown>;
  };
}

const SECRET_KEY = new Uint8Array(32).fill(9);

export class OfferNode {
  readonly simulation: Simulation;
  readonly issuers: SimulatedIssuers;
  port!: NetworkPort;
  offers!: Offers;
  /** Fetches reported so far. */
  readonly events: FetchEvent[] = [];
  readonly #directory = temporaryDirectory();
  readonly #mayConnect: boolean;
  readonly #chainHash: Uint8Array | undefined;
  #store!: Store;
  #server!: TestServer;
  #timer: NodeJS.Timeout | undefined;

  constructor({ mayConnect = true, chainHash }: { mayConnect?: boolean; chainHash?: Uint8Array } = {}) {
    this.#mayConnect = mayConnect;
    this.#chainHash = chainHash;
    const map = networkMapOf(lineGraph());
    this.simulation = new Simulation(map, {
      ownNodeId: OWN_ID,
      ownChannels: [{ peerId: A, capacityMsat: CAPACITY, localMsat: CAPACITY }],
      startMs: Date.now(),
      latencyMs: { least: 0, most: 0 },
      jitterMs: 0,
    });
    this.issuers = new SimulatedIssuers(messageGraphOf(map), {
      chainHash: chainHash ?? this.simulation.identity.chainHash,
    });
    this.simulation.setMessageHandler(this.issuers.handle);
  }

  async start(): Promise<void> {
    const port: NetworkPort = new InProcessPort(this.simulation, { secretKey: SECRET_KEY });
    this.port = port;
    const chainHash = this.#chainHash ?? port.identity.chainHash;
    Object.defineProperty(port, 'identity', { value: { ...port.identity, chainHash } });
    this.#store = new Store(join(this.#directory.path, 'node.sqlite'));
    this.offers = await openOffers({
      port,
      graph: lineGraph(),
      nodeSecretKey: SECRET_KEY,
      repository: this.#store.offers,
      allTakeMessages: true,
      mayConnect: this.#mayConnect,
      onEvent: (event) => void this.events.push(event),
    });
    this.#timer = setInterval(() => this.simulation.advanceTo(Date.now()), 1);
    this.#server = await serve(COMMANDS, {
      offers: this.offers,
      networkPort: port,
      simulatedOffers: simulatedOffers(lineGraph()),
    } as Partial<NodeContext> as NodeContext);
  }

  async restart(): Promise<void> {
    await this.#close();
    await this.start();
  }

  async destroy(): Promise<void> {
    await this.#close();
    this.#directory.remove();
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#server.stop();
    this.offers.close();
    this.#store.close();
  }

  /** Creates an offer with these terms, issued by the node that issued the existing offer. */
  async reissue(fields: OfferFields): Promise<string> {
    const { nodeId } = this.kind('fixed');
    const offerIssuerId = nodeIdToBytes(nodeId);
    const offer = decodeOffer(encodeOffer({ ...fields, offerPaths: undefined, offerIssuerId }));
    const string = formatOffer(offer);
    // The simulation creates an issuer on the first request to it.
    if (this.issuers.issuer(nodeId) === undefined) {
      const terms = { offerChains: fields.offerChains, offerIssuerId };
      const unknown = formatOffer({ bytes: encodeOffer(terms) });
      await this.call('fetchinvoice', { offer: unknown, amount_msat: 1 });
    }
    const standing = { label: undefined, singleUse: false, active: true, used: false };
    const issued = { ...standing, offer, offerId: offerId(offer.bytes), pathIds: [] };
    this.issuers.issuer(nodeId)?.book.putOffer(issued);
    return string;
  }

  kind(kind: OfferKind): SimulatedOffer {
    return this.issuers.offers.find((one) => one.kind === kind) as SimulatedOffer;
  }

  offer(kind: OfferKind): string {
    return formatOffer(this.kind(kind).offer);
  }

  async call(method: string, params: object): Promise<Answer> {
    const answer = await this.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    return withListedError(method, answer);
  }

  async send(request: string): Promise<Answer> {
    const client = new RawClient(this.#server.path);
    const text = await client.ask(request);
    client.close();
    return JSON.parse(text as string) as Answer;
  }

  async result(method: string, params: object): Promise<Record<string, unknown>> {
    const { result, error } = await this.call(method, params);
    if (result === undefined) throw new Error(`${method}: ${error?.code} ${error?.message}`);
    return result;
  }

  /** `code message` of a call that must fail. */
  async error(method: string, params: object): Promise<string> {
    const { error } = await this.call(method, params);
    return error === undefined ? 'no error' : `${error.code} ${error.message}`;
  }
}
