/**
 * The issuer's side of this node: our offers, the requests that arrive for them, and our invoice requests that others
 * may answer. Every change is on disk before the answer is sent.
 *
 * An invoice is created only if we can be paid. If the network's port cannot receive payments, offers can still be
 * created. The result then states that they cannot be paid, and requests are answered with this reason.
 */

import { concatBytes, equalBytes } from '../bolt/bytes.ts';
import type { OfferFields } from '../bolt/invoice/bolt12-fields.ts';
import { withLength } from '../bolt/invoice/bolt12-invoice.ts';
import { offerId } from '../bolt/invoice/bolt12-merkle.ts';
import { CHAIN_HASHES, checkOffer, decodeOffer, encodeOffer } from '../bolt/invoice/bolt12-offer.ts';
import type { MessageContent } from '../bolt/onion/onion-message.ts';
import { WireError } from '../bolt/wire-error.ts';
import { type Clock, secondsOf } from '../model/clock.ts';
import { type NodeId, nodeIdToBytes } from '../model/node-id.ts';
import type { OfferRepository, OfferRow } from '../store/offer-repository.ts';
import { Issuer, type IssuerOptions } from './issuer.ts';
import type { OnionMessenger, UnsolicitedMessage } from './messenger.ts';
import { type IssuedInvoice, type IssuedOffer, OfferBook, type OfferJournal } from './offer-book.ts';
import { offerPath, secretFor } from './offer-path.ts';
import { OwnRequests } from './own-requests.ts';
import { OfferRefused } from './refusal.ts';

/** What our issuer needs from the node. */
export interface OwnOffersOptions {
  readonly messenger: OnionMessenger;
  readonly nodeSecretKey: Uint8Array;
  readonly chainHash: Uint8Array;
  readonly repository: OfferRepository;
  readonly clock: Clock;
  /** Returns how we can be paid. Absent if the network cannot receive payments. */
  readonly receive?: IssuerOptions['receive'];
  /** Returns a peer that forwards messages to us, for the offers of a node that is not public. */
  readonly front: () => NodeId | undefined;
}

/** An offer to be created. */
export interface NewOffer {
  readonly fields: OfferFields;
  readonly label: string | undefined;
  readonly singleUse: boolean;
  /** Nodes through which we can be reached. Default: our best peer, if we are not public. */
  readonly fronts?: readonly NodeId[];
}

/**
 * Maximum number of replies in progress for one peer, so that no peer can use up our capacity. Messages from unknown
 * peers count together.
 */
const MAX_REPLIES_PER_PEER = 8;

/** The offers of our own node. */
export class OwnOffers {
  readonly book: OfferBook;
  readonly requests: OwnRequests;
  readonly #options: OwnOffersOptions;
  readonly #issuer: Issuer;
  /** Replies in progress, by the requesting peer. */
  readonly #replies = new Map<NodeId | undefined, number>();

  private constructor(options: OwnOffersOptions, book: OfferBook, requests: OwnRequests) {
    this.#options = options;
    this.book = book;
    this.requests = requests;
    const { messenger, nodeSecretKey, chainHash } = options;
    const { nodeId } = messenger;
    this.#issuer = new Issuer({
      nodeSecretKey,
      nodeId,
      chainHash,
      book: this.book,
      receive: options.receive ?? (() => undefined),
    });
    messenger.onUnsolicited = (message) => {
      // The result is not awaited. A payer that gets no answer repeats its request.
      this.#receive(message).catch(() => undefined);
    };
  }

  /** Resolves once the stored offers have been read. Requests that arrive before that are not answered. */
  static async open(options: OwnOffersOptions): Promise<OwnOffers> {
    const { repository, messenger, nodeSecretKey, chainHash } = options;
    const { nodeId } = messenger;
    const book = new OfferBook(journalOf(repository));
    const [offers, invoices, cancelled] = await Promise.all([
      repository.offers(),
      repository.invoices(),
      repository.cancelledPeriods(),
    ]);
    book.restore(offers.map(issuedOffer), invoices, cancelled);
    const fronts = () => frontsOf(options);
    const requests = await OwnRequests.open({ nodeId, nodeSecretKey, chainHash, repository, fronts });
    return new OwnOffers(options, book, requests);
  }

  /** Whether requests for our offers are answered with invoices. */
  get canBePaid(): boolean {
    return this.#options.receive !== undefined;
  }

  /** Checks an offer before it is created. @throws OfferRefused */
  check(fields: OfferFields): void {
    requireValid(() => checkOffer(decodeOffer(encodeOffer(this.#ours(fields))), this.#options.chainHash));
  }

  /** Adds the fields common to all our offers. */
  #ours(fields: OfferFields): OfferFields {
    const { chainHash, messenger } = this.#options;
    const offerChains = equalBytes(chainHash, CHAIN_HASHES.bitcoin) ? undefined : [chainHash];
    return { ...fields, offerChains, offerIssuerId: nodeIdToBytes(messenger.nodeId) };
  }

  /**
   * Creates an offer, or returns an identical earlier one. Resolves once it is on disk.
   * @throws OfferRefused, also if an identical offer exists and is disabled; FulguriteError storeFailed
   */
  async create({
    fields,
    label,
    singleUse,
    fronts,
  }: NewOffer): Promise<{ issued: IssuedOffer; isNew: boolean }> {
    const { messenger, repository } = this.#options;
    this.check(fields);
    const plain = this.#ours(fields);
    const pathId = this.#secretFor('offer path', offerId(encodeOffer(plain)));
    const through = fronts ?? frontsOf(this.#options);
    // Paths are derived from the offer and their first node, so creating the same offer again gives the same bytes.
    const paths = through.map((node) => {
      const sessionKey = this.#secretFor('offer path key', concatBytes(pathId, nodeIdToBytes(node)));
      return offerPath(node, messenger.nodeId, pathId, sessionKey);
    });
    const offerPaths = paths.length === 0 ? undefined : paths;
    const offer = decodeOffer(encodeOffer({ ...plain, offerPaths }));
    const id = offerId(offer.bytes);
    const known = this.book.offer(id);
    if (known !== undefined) {
      if (!known.active) throw new OfferRefused({ kind: 'offerExists' });
      // A full disk may have prevented the first write of this offer, so wait until it is on disk.
      await repository.durable();
      return { issued: known, isNew: false };
    }
    const pathIds = offerPaths === undefined ? [] : [pathId];
    const issued = { offer, offerId: id, pathIds, label, singleUse, active: true, used: false };
    this.book.putOffer(issued);
    await repository.durable();
    return { issued, isNew: true };
  }

  /** Disables an offer. Resolves when this is on disk. @throws OfferRefused; FulguriteError storeFailed */
  async disable(id: Uint8Array): Promise<IssuedOffer> {
    const issued = this.book.offer(id);
    if (issued === undefined) throw new OfferRefused({ kind: 'unknownOffer' });
    if (!issued.active) throw new OfferRefused({ kind: 'offerDisabled' });
    const disabled = { ...issued, active: false };
    this.book.putOffer(disabled);
    await this.#options.repository.durable();
    return disabled;
  }

  #secretFor(purpose: string, id: Uint8Array): Uint8Array {
    return secretFor(this.#options.nodeSecretKey, purpose, id);
  }

  /**
   * Answers a request, or an invoice, over its reply path, once the changes that it caused are on disk. Since the path
   * was chosen by a stranger, no connection is made for it, and no answer is sent if no route leads to it.
   */
  async #receive({ content, pathId, from }: UnsolicitedMessage): Promise<void> {
    const underWay = this.#replies.get(from) ?? 0;
    // Requests that our node sends to itself are limited where they are sent.
    const isOwn = from === this.#options.messenger.nodeId;
    if (underWay >= MAX_REPLIES_PER_PEER && !isOwn) return;
    this.#replies.set(from, underWay + 1);
    try {
      const { messenger, repository } = this.#options;
      const reply = await this.#replyTo(content, pathId);
      await repository.durable();
      const { replyPath } = content;
      if (reply === undefined || replyPath === undefined) return;
      const route = messenger.findRoute(messenger.introduction(replyPath));
      if (route === undefined) return;
      // A reply to an unknown peer queues behind our own messages too.
      const askedBy = from ?? messenger.nodeId;
      for (const one of contentsOf(reply)) await messenger.send(route, replyPath, one, askedBy);
    } finally {
      const left = (this.#replies.get(from) as number) - 1;
      if (left === 0) this.#replies.delete(from);
      else this.#replies.set(from, left);
    }
  }

  async #replyTo(
    { invoiceRequest, invoice }: MessageContent,
    pathId: Uint8Array | undefined,
  ): Promise<Pick<MessageContent, 'invoice' | 'invoiceError'> | undefined> {
    const nowSeconds = secondsOf(this.#options.clock);
    if (invoiceRequest !== undefined)
      return this.#issuer.answer({ bytes: invoiceRequest, pathId, nowSeconds });
    const invoiceError = invoice && (await this.requests.answer(invoice, pathId));
    return invoiceError && { invoiceError };
  }
}

/** The peers through which we can be reached: our best peer, or none if we are public. */
function frontsOf({ messenger, front }: OwnOffersOptions): readonly NodeId[] {
  const peer = messenger.indexOf(messenger.nodeId) >= 0 ? undefined : front();
  return peer === undefined ? [] : [peer];
}

/** The messages for a reply. An error is sent in both forms in use; payers ignore the form that they do not know. */
function contentsOf({
  invoice,
  invoiceError,
}: Pick<MessageContent, 'invoice' | 'invoiceError'>): readonly MessageContent[] {
  if (invoiceError === undefined) return [{ invoice }];
  return [{ invoiceError }, { invoiceError: withLength(invoiceError) }];
}

function journalOf(repository: OfferRepository): OfferJournal {
  return {
    offerChanged({ offer, pathIds, ...issued }: IssuedOffer) {
      repository.putOffer({ ...issued, bytes: offer.bytes, pathId: pathIds[0] });
    },
    invoiceChanged: (invoice: IssuedInvoice) => repository.putInvoice(invoice),
    invoiceRemoved: ({ label }: IssuedInvoice) => repository.removeInvoice(label),
    periodCancelled: (label: string) => repository.putCancelledPeriod(label),
  };
}

function issuedOffer({ bytes, pathId, ...row }: OfferRow): IssuedOffer {
  return { ...row, offer: decodeOffer(bytes), pathIds: pathId === undefined ? [] : [pathId] };
}

function requireValid(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new OfferRefused({ kind: 'invalid', cause: error.message });
  }
}
