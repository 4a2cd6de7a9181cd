/**
 * Our invoice requests that are not based on an offer. Anyone who receives one may send us an invoice, for a refund or
 * a prize. We pay an invoice that matches the request. The sender of any other invoice gets the reason for the refusal.
 */
import { randomBytes } from 'node:crypto';
import { concatBytes, equalBytes, toHex } from '../bolt/bytes.ts';
import {
  checkInvoice,
  checkInvoiceSignature,
  decodeInvoice,
  encodeInvoiceError,
  type Invoice,
} from '../bolt/invoice/bolt12-invoice.ts';
import { createInvoiceRequest, decodeInvoiceRequest } from '../bolt/invoice/bolt12-invoice-request.ts';
import { invoiceRequestId } from '../bolt/invoice/bolt12-merkle.ts';
import { CHAIN_HASHES, encodeOffer } from '../bolt/invoice/bolt12-offer.ts';
import { WireError } from '../bolt/wire-error.ts';
import type { Msat } from '../model/msat.ts';
import { type NodeId, nodeIdToBytes } from '../model/node-id.ts';
import type { InvoiceRequestRow, OfferRepository } from '../store/offer-repository.ts';
import { offerPath, secretFor } from './offer-path.ts';
import { OfferRefused } from './refusal.ts';

/** An invoice request to be created. The expiry is in UNIX seconds. */
export interface NewInvoiceRequest {
  readonly amountMsat: Msat;
  readonly description: string | undefined;
  readonly issuer: string | undefined;
  readonly absoluteExpiry: bigint | undefined;
  readonly label: string | undefined;
  readonly singleUse: boolean;
}

/** What invoice requests need from the node. */
export interface OwnRequestsOptions {
  readonly nodeId: NodeId;
  readonly nodeSecretKey: Uint8Array;
  readonly chainHash: Uint8Array;
  readonly repository: OfferRepository;
  /** Returns the nodes that forward messages to us, if we are not public. */
  readonly fronts: () => readonly NodeId[];
}

/**
 * Pays an invoice for the request with this id. Resolves to undefined if the invoice was paid, otherwise to the reason,
 * worded for the sender of the invoice. Never rejects.
 */
export type RequestPayer = (invoice: Invoice, requestId: Uint8Array) => Promise<string | undefined>;

const METADATA_BYTES = 16;

/** The invoice requests of this node. */
export class OwnRequests {
  /** Undefined if requests cannot be paid. */
  payer: RequestPayer | undefined;
  readonly #options: OwnRequestsOptions;
  readonly #requests: Map<string, InvoiceRequestRow>;

  private constructor(options: OwnRequestsOptions, known: readonly InvoiceRequestRow[]) {
    this.#options = options;
    this.#requests = new Map(known.map((request) => [toHex(request.requestId), request]));
  }

  /** Resolves when the requests of earlier runs have been read from the store. */
  static async open(options: OwnRequestsOptions): Promise<OwnRequests> {
    return new OwnRequests(options, await options.repository.invoiceRequests());
  }

  /** Creates a request. Resolves once it is on disk. @throws FulguriteError storeFailed */
  async create(wish: NewInvoiceRequest): Promise<InvoiceRequestRow> {
    const { nodeId, nodeSecretKey, chainHash, repository, fronts } = this.#options;
    const metadata = new Uint8Array(randomBytes(METADATA_BYTES));
    const pathId = this.#pathId(metadata);
    const key = (node: NodeId) =>
      secretFor(nodeSecretKey, 'request path key', concatBytes(pathId, nodeIdToBytes(node)));
    const paths = fronts().map((node) => offerPath(node, nodeId, pathId, key(node)));
    const terms = encodeOffer({
      offerDescription: wish.description ?? '',
      offerIssuer: wish.issuer,
      offerAbsoluteExpiry: wish.absoluteExpiry,
    });
    const fields = {
      invreqMetadata: metadata,
      invreqChain: equalBytes(chainHash, CHAIN_HASHES.bitcoin) ? undefined : chainHash,
      invreqAmountMsat: wish.amountMsat,
      invreqPaths: paths.length === 0 ? undefined : paths,
    };
    const bytes = createInvoiceRequest(terms, fields, nodeSecretKey);
    const { label, singleUse } = wish;
    const row = { requestId: invoiceRequestId(bytes), bytes, label, singleUse, active: true, used: false };
    this.#put(row);
    await repository.durable();
    return row;
  }

  /** The requests in the order of their creation. */
  list(): Iterable<InvoiceRequestRow> {
    return this.#requests.values();
  }

  find(requestId: Uint8Array): InvoiceRequestRow | undefined {
    return this.#requests.get(toHex(requestId));
  }

  /** Records that an invoice for the request was paid. This ends a single-use request. */
  markUsed(requestId: Uint8Array): void {
    const request = this.find(requestId);
    if (request === undefined || request.used) return;
    this.#put({ ...request, used: true, active: request.active && !request.singleUse });
  }

  #put(request: InvoiceRequestRow): void {
    this.#requests.set(toHex(request.requestId), request);
    this.#options.repository.putInvoiceRequest(request);
  }

  /**
   * Ends a request: no further invoice for it is accepted. Resolves when this is on disk.
   * @throws OfferRefused; FulguriteError storeFailed
   */
  async disable(requestId: Uint8Array): Promise<InvoiceRequestRow> {
    const request = this.#requests.get(toHex(requestId));
    if (request === undefined) throw new OfferRefused({ kind: 'unknownRequest' });
    if (!request.active) throw new OfferRefused({ kind: 'requestDisabled' });
    const disabled = { ...request, active: false };
    this.#put(disabled);
    await this.#options.repository.durable();
    return disabled;
  }

  /**
   * Pays a received invoice. Resolves to the invoice_error for its sender, or undefined if it was paid. Never rejects,
   * regardless of what a stranger sends.
   */
  async answer(invoice: Uint8Array, pathId: Uint8Array | undefined): Promise<Uint8Array | undefined> {
    const error = await this.#payOrRefuse(invoice, pathId);
    return error === undefined ? undefined : encodeInvoiceError({ error });
  }

  async #payOrRefuse(bytes: Uint8Array, pathId: Uint8Array | undefined): Promise<string | undefined> {
    try {
      const invoice = decodeInvoice(bytes);
      const { invreqMetadata, invreqPaths } = invoice.fields;
      const expected = invreqPaths && this.#pathId(invreqMetadata ?? new Uint8Array(0));
      // An unknown request gets the same answer as a wrong path. Otherwise strangers could probe our paths.
      const cameRight =
        expected === undefined ? pathId === undefined : pathId && equalBytes(pathId, expected);
      const request = this.find(invoiceRequestId(bytes));
      if (request === undefined || !cameRight) return 'Unknown invoice_request ID';
      if (!request.active) return 'invoice_request no longer available';
      if (this.payer === undefined) return 'This node cannot pay invoices';
      return whyWrong(invoice, request) ?? (await this.payer(invoice, request.requestId));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return 'Invalid invoice';
    }
  }

  #pathId(metadata: Uint8Array): Uint8Array {
    return secretFor(this.#options.nodeSecretKey, 'request path', metadata);
  }
}

/** Why the invoice does not match the request, or breaks the standard. Undefined if neither is the case. */
function whyWrong(invoice: Invoice, { bytes }: InvoiceRequestRow): string | undefined {
  try {
    checkInvoice(invoice);
    checkInvoiceSignature(invoice, invoice.fields.invoiceNodeId as Uint8Array);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return error.message;
  }
  const most = decodeInvoiceRequest(bytes).fields.invreqAmountMsat as Msat;
  return (invoice.fields.invoiceAmountMsat as Msat) > most ? 'invoice amount is too large' : undefined;
}
