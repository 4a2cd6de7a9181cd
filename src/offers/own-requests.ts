/**
 * Invoice requests of our own that are not based on an offer. Whoever gets one may send us an invoice, for a
 * refund or a prize. This node pays no invoices, so every invoice that arrives is answered with an error that
 * says so.
 */
import { randomBytes } from 'node:crypto';
import { decodeInvoice, encodeInvoiceError } from '../bolt/bolt12-invoice.ts';
import { createInvoiceRequest } from '../bolt/bolt12-invoice-request.ts';
import { invoiceRequestId } from '../bolt/bolt12-merkle.ts';
import { CHAIN_HASHES, encodeOffer } from '../bolt/bolt12-offer.ts';
import { concatBytes, equalBytes, toHex } from '../bolt/bytes.ts';
import { WireError } from '../bolt/wire-error.ts';
import type { Msat } from '../model/msat.ts';
import { type NodeId, nodeIdToBytes } from '../model/node-id.ts';
import type { InvoiceRequestRow, OfferRepository } from '../store/offer-repository.ts';
import { offerPath, secretFor } from './offer-path.ts';
import { OfferRefused } from './refusal.ts';

/** An invoice request that is to be made. The expiry is in UNIX seconds. */
export interface NewInvoiceRequest {
  readonly amountMsat: Msat;
  readonly description: string | undefined;
  readonly issuer: string | undefined;
  readonly absoluteExpiry: bigint | undefined;
  readonly label: string | undefined;
  readonly singleUse: boolean;
}

/** What making invoice requests needs of the node. */
export interface OwnRequestsOptions {
  readonly nodeId: NodeId;
  readonly nodeSecretKey: Uint8Array;
  readonly chainHash: Uint8Array;
  readonly repository: OfferRepository;
  /** Nodes that pass messages on to us, when we are not public. */
  readonly fronts: () => readonly NodeId[];
}

const METADATA_BYTES = 16;

/** The invoice requests of our own node. */
export class OwnRequests {
  readonly #options: OwnRequestsOptions;
  readonly #requests: Map<string, InvoiceRequestRow>;

  private constructor(options: OwnRequestsOptions, known: readonly InvoiceRequestRow[]) {
    this.#options = options;
    this.#requests = new Map(known.map((request) => [toHex(request.requestId), request]));
  }

  /** Resolves when those of earlier are known. */
  static async open(options: OwnRequestsOptions): Promise<OwnRequests> {
    return new OwnRequests(options, await options.repository.invoiceRequests());
  }

  /** Makes a request. Resolves when it is on disk. @throws FulguriteError storeFailed */
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
    this.#requests.set(toHex(row.requestId), row);
    repository.putInvoiceRequest(row);
    await repository.durable();
    return row;
  }

  /** The requests in the order in which they were made. */
  list(): Iterable<InvoiceRequestRow> {
    return this.#requests.values();
  }

  /**
   * Ends a request: no invoice for it is wanted any more. Resolves when that is on disk.
   * @throws OfferRefused; FulguriteError storeFailed
   */
  async disable(requestId: Uint8Array): Promise<InvoiceRequestRow> {
    const request = this.#requests.get(toHex(requestId));
    if (request === undefined) throw new OfferRefused({ kind: 'unknownRequest' });
    if (!request.active) throw new OfferRefused({ kind: 'requestDisabled' });
    const disabled = { ...request, active: false };
    this.#requests.set(toHex(requestId), disabled);
    this.#options.repository.putInvoiceRequest(disabled);
    await this.#options.repository.durable();
    return disabled;
  }

  /** The invoice_error for an invoice that arrived. Never throws for anything that a stranger can send. */
  refusal(invoice: Uint8Array, pathId: Uint8Array | undefined): Uint8Array {
    return encodeInvoiceError({ error: this.#whyNot(invoice, pathId) });
  }

  #whyNot(bytes: Uint8Array, pathId: Uint8Array | undefined): string {
    try {
      const { invreqMetadata, invreqPaths } = decodeInvoice(bytes).fields;
      const expected = invreqPaths && this.#pathId(invreqMetadata ?? new Uint8Array(0));
      // A request that is not ours and a wrong path get the same answer. Otherwise strangers could probe our
      // paths.
      const cameRight =
        expected === undefined ? pathId === undefined : pathId && equalBytes(pathId, expected);
      const request = this.#requests.get(toHex(invoiceRequestId(bytes)));
      if (request === undefined || !cameRight) return 'Unknown invoice_request ID';
      return request.active ? 'This node pays no invoices' : 'invoice_request no longer available';
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return 'Invalid invoice';
    }
  }

  #pathId(metadata: Uint8Array): Uint8Array {
    return secretFor(this.#options.nodeSecretKey, 'request path', metadata);
  }
}
