/**
 * Our node and a simulated network of three nodes with issuers, in virtual time.
 *
 *     we ---- A ---- B ---- C
 */
import type { OfferFields } from '../../src/bolt/invoice/bolt12-fields.ts';
import { offerId } from '../../src/bolt/invoice/bolt12-merkle.ts';
import { CHAIN_HASHES, decodeOffer, encodeOffer, type Offer } from '../../src/bolt/invoice/bolt12-offer.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import type { NetworkPort } from '../../src/network/port.ts';
import type { SimulationOptions } from '../../src/network/simulated/index.ts';
import { InProcessPort, networkMapOf, Simulation } from '../../src/network/simulated/index.ts';
import { type FetchedInvoice, InvoiceFetcher } from '../../src/offers/fetch.ts';
import type { FetchParameters } from '../../src/offers/fetch-parameters.ts';
import { MessageRoutes } from '../../src/offers/message-routes.ts';
import { OnionMessenger } from '../../src/offers/messenger.ts';
import { PayerKeys } from '../../src/offers/payer-keys.ts';
import { SeriesInMemory } from '../../src/offers/series.ts';
import { messageGraphOf, SimulatedIssuers } from '../../src/simulated-issuers/issuers.ts';
import type { OfferKind, SimulatedOffer } from '../../src/simulated-issuers/offers.ts';
import { A, CAPACITY, lineGraph, OWN_ID } from '../network/simulated/line.ts';
import { VirtualTime } from './virtual-time.ts';

export const OWN_SECRET = new Uint8Array(32).fill(9);

export interface WorldOptions {
  readonly simulation?: Partial<SimulationOptions>;
  readonly mayConnect?: boolean;
  readonly takesMessages?: (node: number) => boolean;
  readonly requiresPayment?: boolean;
  readonly graph?: ChannelGraph;
  /** Replacements for parts of our side of the network. */
  readonly port?: Partial<NetworkPort>;
}

export class OfferWorld {
  readonly simulation: Simulation;
  readonly time: VirtualTime;
  readonly issuers: SimulatedIssuers;
  readonly messenger: OnionMessenger;
  readonly series = new SeriesInMemory();
  readonly fetcher: InvoiceFetcher;

  constructor(options: WorldOptions = {}) {
    const { graph = lineGraph(), requiresPayment = false } = options;
    const map = networkMapOf(graph);
    this.simulation = new Simulation(map, {
      ownNodeId: OWN_ID,
      ownChannels: [{ peerId: A, capacityMsat: CAPACITY, localMsat: CAPACITY }],
      ...options.simulation,
    });
    this.time = new VirtualTime(this.simulation);
    this.issuers = new SimulatedIssuers(messageGraphOf(map), {
      chainHash: CHAIN_HASHES.bitcoin,
      requiresPayment,
    });
    this.simulation.setMessageHandler(this.issuers.handle);
    this.messenger = new OnionMessenger({
      port: Object.assign(new InProcessPort(this.simulation, { secretKey: OWN_SECRET }), options.port),
      routes: new MessageRoutes(graph),
      takesMessages: options.takesMessages ?? (() => true),
    });
    this.fetcher = new InvoiceFetcher({
      messenger: this.messenger,
      payerKeys: new PayerKeys(OWN_SECRET),
      series: this.series,
      clock: this.time,
      chainHash: CHAIN_HASHES.bitcoin,
      mayConnect: options.mayConnect ?? true,
    });
  }

  offer(kind: OfferKind): SimulatedOffer {
    return this.issuers.offers.find((one) => one.kind === kind) as SimulatedOffer;
  }

  /**
   * The offer of this kind with the given fields, by the same issuer. The issuer refuses requests with the
   * error `reached`, because failures list the steps.
   */
  async reissued(kind: OfferKind, fields: OfferFields): Promise<Offer> {
    const known = this.offer(kind);
    const offer = decodeOffer(encodeOffer({ ...known.offer.fields, ...fields }));
    const id = offerId(offer.bytes);
    // The simulation creates an issuer on the first request to it.
    await this.fetch(kind);
    const book = this.issuers.issuer(known.nodeId)?.book;
    const issued = book?.offer(known.offerId);
    if (issued === undefined) throw new Error(`${kind} was not issued`);
    book?.putOffer({ ...issued, offer, offerId: id });
    this.issuers.setFault(id, { kind: 'refusing', error: { error: 'reached' } });
    return offer;
  }

  issuerOf(kind: OfferKind) {
    return this.offer(kind).nodeId;
  }

  fetch(
    kind: OfferKind | Offer,
    parameters: Partial<Omit<FetchParameters, 'offer'>> = {},
  ): Promise<FetchedInvoice> {
    const offer = typeof kind === 'string' ? this.offer(kind).offer : kind;
    return this.time.run(this.fetcher.fetch({ offer, timeoutMs: 60_000, ...parameters }));
  }
}
