/**
 * Issuers in a simulated network. They answer invoice requests on behalf of their nodes, over the reply path and
 * through the graph, as real nodes do. Tests can make them misbehave.
 */
import { toHex } from '../bolt/bytes.ts';
import { publicKeysCurve } from '../bolt/crypto/curve.ts';
import type { InvoiceErrorFields, InvoiceFields } from '../bolt/invoice/bolt12-fields.ts';
import { decodeInvoice, encodeInvoiceError } from '../bolt/invoice/bolt12-invoice.ts';
import type { BlindedPath } from '../bolt/onion/blinded-path.ts';
import type { MessageContent } from '../bolt/onion/onion-message.ts';
import { ScidTable } from '../model/graph/scid-table.ts';
import { NODE_ID_BYTES, type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../model/node-id.ts';
import { NodeTable } from '../model/node-table.ts';
import { randomBytes } from '../model/random-bytes.ts';
import { onionAlong } from '../network/onion-message-end.ts';
import type { NetworkMap, ReceivedContent, ReceivedPayment } from '../network/simulated/index.ts';
// The following file is imported directly, because the entry point of its folder would also load the thread pools of
// the main thread.
import { makeTicket, NONCE_BYTES, ticketPreimage } from '../network/simulated/own/payment-ticket.ts';
import { Issuer, type PaymentToReceive, type Receivable } from '../offers/issuer.ts';
import { type MessageGraph, MessageRoutes } from '../offers/message-routes.ts';
import { type IssuedInvoice, OfferBook, type OfferJournal } from '../offers/offer-book.ts';
import { offerPathKey } from '../offers/offer-path.ts';
import type { CurrencyConverter } from '../offers/request-check.ts';
import type { InvoiceRow, OfferRepository } from '../store/offer-repository.ts';
import { LIES, type LieName } from './lies.ts';
import { type SimulatedOffer, simulatedOffers } from './offers.ts';
import { MIN_FINAL_CLTV_EXPIRY_DELTA, type PathPlan, PaymentPaths } from './payment-paths.ts';

/** Length in bytes of the secret key of a path. */
const SECRET_BYTES = 32;

/** Value in msat of a minor unit of each currency, with a bitcoin at 100,000 dollars. */
const MSAT_PER_MINOR_UNIT: Readonly<Record<string, bigint>> = { USD: 10_000n, EUR: 11_000n, JPY: 7_000n };

const convert: CurrencyConverter = (currency, minorUnits) => {
  const rate = MSAT_PER_MINOR_UNIT[currency];
  return rate === undefined ? undefined : minorUnits * rate;
};

/** What a misbehaving issuer does instead of answering properly. */
export type IssuerFault =
  | { readonly kind: 'silent' }
  | { readonly kind: 'refusing'; readonly error: InvoiceErrorFields | Uint8Array }
  | { readonly kind: 'lying'; readonly lie: LieName }
  /** A reply provided by the test. */
  | {
      readonly kind: 'replying';
      readonly reply: (asked: {
        readonly request: Uint8Array;
        readonly secretKey: Uint8Array;
      }) => MessageContent;
    }
  | { readonly kind: 'empty' };

/** The chain of the issuers, and where they store their state. */
export interface SimulatedIssuersOptions {
  readonly chainHash: Uint8Array;
  /**
   * Whether each invoice of a series must be paid before the next one. Default: false, so that users can try a series
   * without paying.
   */
  readonly requiresPayment?: boolean;
  /** The issuers' state from earlier runs, and its store. Without it, the state is lost at a restart. */
  readonly memory?: IssuersMemory;
}

/** The state of the issuers from earlier runs, and its store. */
export interface IssuersMemory {
  /** Opens the store of changes. @throws StoreError */
  readonly repository: () => OfferRepository;
  readonly invoices: readonly InvoiceRow[];
  /** Labels of the invoices that must not be issued, because their payers cancelled the period. */
  readonly cancelled: readonly string[];
}

/** The shapes of the paths over which an invoice can be paid: one path of each shape. */
const PLANS: readonly PathPlan[] = [
  { hops: 2, dummies: 0 },
  { hops: 1, dummies: 2, byChannel: true },
  { hops: 3, dummies: 1 },
];

/** The offers of a network, their issuers, and the faults of issuers by offer id. */
interface Offered {
  readonly offers: readonly SimulatedOffer[];
  readonly issuerIds: ReadonlySet<NodeId>;
  readonly faults: Map<string, IssuerFault>;
}

function offeredIn(graph: IssuersGraph): Offered {
  const offers = simulatedOffers(graph);
  const faults = offers.flatMap(({ offerId, fault }) =>
    fault === undefined ? [] : [[toHex(offerId), DEFAULT_FAULTS[fault]] as const],
  );
  return { offers, issuerIds: new Set(offers.map(({ nodeId }) => nodeId)), faults: new Map(faults) };
}

/** All issuers of one simulated network. */
export class SimulatedIssuers {
  readonly #routes: MessageRoutes;
  readonly #graph: IssuersGraph;
  readonly #paths: PaymentPaths;
  readonly #options: SimulatedIssuersOptions;
  readonly #issuers = new Map<NodeId, Issuer>();
  #offered: Offered | undefined;
  /** Block height when the last message was received. */
  #height = 0;
  /** Returns the secret keys of nodes. It is replaced with each message. */
  #secretKeyOf: ReceivedContent['secretKeyOf'] = () => undefined;

  constructor(graph: IssuersGraph, options: SimulatedIssuersOptions) {
    this.#graph = graph;
    this.#paths = new PaymentPaths(graph);
    this.#routes = new MessageRoutes(graph);
    this.#options = options;
  }

  get offers(): readonly SimulatedOffer[] {
    return this.#known.offers;
  }

  /** Made on first use, because signing the offers takes longer than creating the network. */
  get #known(): Offered {
    this.#offered ??= offeredIn(this.#graph);
    return this.#offered;
  }

  /**
   * Makes the issuer misbehave from now on when it answers requests for this offer. If `fault` is undefined, the issuer
   * answers them properly again.
   */
  setFault(offerId: Uint8Array, fault: IssuerFault | undefined): void {
    if (fault === undefined) this.#known.faults.delete(toHex(offerId));
    else this.#known.faults.set(toHex(offerId), fault);
  }

  /** The issuer of a node. Undefined until the node receives its first request. */
  issuer(nodeId: NodeId): Issuer | undefined {
    return this.#issuers.get(nodeId);
  }

  /** Handles the messages that reach an issuer in the simulation. */
  readonly handle = (received: ReceivedContent): void => {
    const { invoiceRequest, replyPath } = received.content;
    if (invoiceRequest === undefined) return;
    this.#height = received.height;
    this.#secretKeyOf = received.secretKeyOf;
    const { nodeId } = received;
    const issuer = this.#issuerOf(nodeId, received.secretKey);
    const nowSeconds = BigInt(Math.floor(received.nowMs / 1000));
    const reply = issuer.answer({ bytes: invoiceRequest, pathId: received.pathId, nowSeconds });
    if (reply === undefined || replyPath === undefined) return;
    if ('invoiceError' in reply) {
      this.#send(received, nodeId, replyPath, { invoiceError: reply.invoiceError });
      return;
    }
    const fault = this.#known.faults.get(toHex(reply.issued.offerId));
    const { invoice } = reply;
    const content = fault === undefined ? { invoice } : faultyContent(fault, invoice, received);
    if (content !== undefined) this.#send(received, nodeId, replyPath, content);
  };

  /** Records that an invoice of an issuer is paid, so that the issuer does not send it again. */
  readonly received = ({ nodeId, secretKey, paymentHash }: ReceivedPayment): void => {
    if (!this.#known.issuerIds.has(nodeId)) return;
    const { book } = this.#issuerOf(nodeId, secretKey);
    const invoice = book.invoiceOfHash(paymentHash);
    if (invoice !== undefined) book.markPaid(invoice.label);
  };

  #issuerOf(nodeId: NodeId, secretKey: Uint8Array): Issuer {
    let issuer = this.#issuers.get(nodeId);
    if (issuer === undefined) {
      issuer = new Issuer({
        nodeSecretKey: secretKey,
        nodeId,
        chainHash: this.#options.chainHash,
        book: this.#bookOf(nodeId, secretKey),
        receive: (payment) => this.#receive(nodeId, secretKey, payment),
        convert,
        requiresPayment: this.#options.requiresPayment ?? false,
      });
      this.#issuers.set(nodeId, issuer);
    }
    return issuer;
  }

  /**
   * Makes the payment receivable. The path id contains the terms of the invoice, so the node need not store anything to
   * accept the payment.
   */
  #receive(nodeId: NodeId, secretKey: Uint8Array, { amountMsat, expiresAt }: PaymentToReceive): Receivable {
    const minFinalCltvExpiryDelta = MIN_FINAL_CLTV_EXPIRY_DELTA;
    const terms = { form: 'bolt12', amountMsat, expiresAt, minFinalCltvExpiryDelta } as const;
    const pathId = makeTicket(secretKey, terms, randomBytes(NONCE_BYTES));
    const node = this.#graph.nodeIndex(nodeId);
    const target = { node, pathId, amountMsat, height: this.#height, secretKeyOf: this.#secretKeyOf };
    return {
      preimage: ticketPreimage(secretKey, pathId),
      paths: this.#paths.build(target, PLANS, () => randomBytes(SECRET_BYTES)),
    };
  }

  #bookOf(nodeId: NodeId, secretKey: Uint8Array): OfferBook {
    const { memory } = this.#options;
    const book = new OfferBook(memory && journalOf(memory));
    for (const { offer, offerId, paths } of this.offers.filter((one) => one.nodeId === nodeId)) {
      book.putOffer({
        offer,
        offerId,
        pathIds: paths.map(({ pathId }) => pathId),
        pathSecretKeys: paths.map(({ front, sessionKey }) => offerPathKey(front, secretKey, sessionKey)),
        label: undefined,
        singleUse: false,
        active: true,
        used: false,
      });
    }
    if (memory !== undefined) restore(book, memory);
    return book;
  }

  /**
   * Sends a reply through the graph to the start of its path. A reply that cannot be delivered is dropped, as by real
   * nodes.
   */
  #send({ send }: ReceivedContent, nodeId: NodeId, replyPath: BlindedPath, content: MessageContent): void {
    const { firstNode } = replyPath;
    const introduction =
      firstNode instanceof Uint8Array ? nodeIdFromBytes(firstNode) : this.#routes.resolve(firstNode);
    if (introduction === undefined) return;
    const found = this.#routes.find([nodeId], introduction, { takesMessages: () => true }) ?? [
      nodeId,
      introduction,
    ];
    // If the path begins at the issuer itself, the issuer peels the first layer.
    const route = found.length === 1 ? found : found.slice(1);
    send(route[0] as NodeId, onionAlong({ route, path: replyPath, content }, nodeId, publicKeysCurve));
  }
}

/**
 * The journal in which issuers store changes of their offers. The offers themselves are derived from the graph and need
 * not be stored.
 */
function journalOf({ repository }: IssuersMemory): OfferJournal {
  return {
    offerChanged: () => undefined,
    invoiceChanged: (invoice) => repository().putInvoice(invoice),
    invoiceRemoved: ({ label }) => repository().removeInvoice(label),
    periodCancelled: (label) => repository().putCancelledPeriod(label),
  };
}

function restore(book: OfferBook, { invoices, cancelled }: IssuersMemory): void {
  const isOurs = ({ offerId }: IssuedInvoice): boolean => book.offer(offerId) !== undefined;
  book.restore([], invoices.filter(isOurs), cancelled);
}

const DEFAULT_FAULTS = {
  silent: { kind: 'silent' },
  refusing: { kind: 'refusing', error: { error: 'No more of this today' } },
  lying: { kind: 'lying', lie: 'otherNode' },
} as const satisfies Record<string, IssuerFault>;

/** The reply of a misbehaving issuer. Undefined if it is silent. */
function faultyContent(
  fault: IssuerFault,
  invoice: Uint8Array,
  { content, secretKey }: ReceivedContent,
): MessageContent | undefined {
  switch (fault.kind) {
    case 'silent':
      return undefined;
    case 'empty':
      return {};
    case 'replying':
      return fault.reply({ request: content.invoiceRequest as Uint8Array, secretKey });
    case 'refusing': {
      const { error } = fault;
      return { invoiceError: error instanceof Uint8Array ? error : encodeInvoiceError(error) };
    }
    case 'lying': {
      const request = content.invoiceRequest as Uint8Array;
      const own = ownFields(decodeInvoice(invoice).fields);
      return { invoice: LIES[fault.lie].tell({ request, own, secretKey }) };
    }
  }
}

/** The fields of an invoice, except those repeated from the request. */
function ownFields(fields: InvoiceFields): InvoiceFields {
  const isOwn = ([name]: [string, unknown]): boolean => name.startsWith('invoice');
  return Object.fromEntries(Object.entries(fields).filter(isOwn)) as InvoiceFields;
}

/** A simulated network as columns, which is also a graph for routing messages. */
export type IssuersGraph = MessageGraph & NetworkMap;

/** Tables of node and channel indexes by id. */
interface IdTables {
  readonly nodes: NodeTable;
  readonly channels: ScidTable;
}

const idTables = ({ nodeIds, shortChannelIds }: NetworkMap): IdTables => ({
  nodes: NodeTable.of(nodeIds),
  channels: ScidTable.of(shortChannelIds),
});

/**
 * The columns of a simulated network as a graph for message routes. Only messages look up ids, so the tables of ids are
 * built when the first message arrives.
 */
export function messageGraphOf(map: NetworkMap): IssuersGraph {
  let made: IdTables | undefined;
  const tables = (): IdTables => {
    made ??= idTables(map);
    return made;
  };
  return {
    ...map,
    topologyVersion: 0,
    nodeId: (node) => nodeIdFromBytes(map.nodeIds.subarray(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES)),
    nodeIndex: (id) => tables().nodes.find(nodeIdToBytes(id), 0),
    channelIndex: (scid) => tables().channels.find(scid),
  };
}
