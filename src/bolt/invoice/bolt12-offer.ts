/** Decodes and makes offers (BOLT 12, "Offers"), and checks the rules that a payer must check first. */

import { equalBytes, fromHex } from '../bytes.ts';
import { unknownRequiredFeature } from '../peer/features.ts';
import type { TlvRecord } from '../tlv.ts';
import { fieldError, WireError } from '../wire-error.ts';
import { type OfferFields, offerCodec } from './bolt12-fields.ts';
import { isInRanges, OFFER_RANGES } from './bolt12-merkle.ts';
import { checkRecurrence } from './bolt12-recurrence.ts';
import { decodeBolt12String, encodeBolt12String } from './bolt12-string.ts';

/** Chain hashes, in wire byte order. */
export const CHAIN_HASHES = {
  bitcoin: fromHex('6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000'),
  testnet: fromHex('43497fd7f826957108f4a30fd9cec3aeba79972084e90ead01ea330900000000'),
  testnet4: fromHex('43f08bdab050e35b567c864b91f47f50ae725ae2de53bcfbbaf284da00000000'),
  signet: fromHex('f61eee3b63a380a477a063af32b2bbc97c9ff9f01f2c4225e973988108000000'),
  regtest: fromHex('06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f'),
} as const;

/** An offer: its fields, and its bytes as they were received. */
export interface Offer {
  readonly fields: OfferFields;
  /** Records of unknown odd types. They are mirrored and hashed like known records. */
  readonly unknown: readonly TlvRecord[];
  readonly bytes: Uint8Array;
}

/**
 * Parses the text of an offer without checking the rules; see `checkOffer`.
 * @throws WireError whose message is the reason, in Core Lightning's words.
 */
export function parseOffer(text: string): Offer {
  const { prefix, data } = decodeBolt12String(text);
  if (prefix !== 'lno') throw new WireError('invalid', `unexpected prefix ${prefix}`);
  return decodeOffer(data);
}

/** Decodes without checking the rules. @throws WireError `invalid offer data` */
export function decodeOffer(bytes: Uint8Array): Offer {
  try {
    const { values, unknown } = offerCodec.decode(bytes);
    return { fields: values, unknown, bytes };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new WireError(error.reason, 'invalid offer data', { tlvType: error.tlvType, offset: error.offset });
  }
}

/** The stream of an offer. @throws WireError when a value is out of range. */
export function encodeOffer(fields: OfferFields, unknown?: readonly TlvRecord[]): Uint8Array {
  return offerCodec.encode(fields, unknown);
}

/** The text form `lno1…` of an offer. */
export function formatOffer({ bytes }: Pick<Offer, 'bytes'>): string {
  return encodeBolt12String('lno', bytes);
}

/**
 * Checks whether an offer is usable. Reports only the first rule that it violates.
 * @param chainHash the chain on which we pay. Without it, an offer for any chain passes.
 * @throws WireError whose message is the reason.
 */
export function checkOffer(offer: Offer, chainHash?: Uint8Array): void {
  const { fields } = offer;
  const isForNone = fields.offerChains?.length === 0;
  if (isForNone || (chainHash !== undefined && !isForChain(fields, chainHash)))
    throw fieldError('wrong chain', 2n);
  const bit = unknownRequiredFeature(fields.offerFeatures ?? new Uint8Array(0), []);
  if (bit !== undefined) throw fieldError(`unknown feature bit ${bit}`, 12n);
  const outside = offer.unknown.find(({ type }) => !isInRanges(type, OFFER_RANGES));
  if (outside !== undefined)
    throw fieldError(`Offer ${outside.type} field outside offer range`, outside.type);
  if (fields.offerAmount !== undefined && fields.offerDescription === undefined) {
    throw fieldError('Offer does not contain a description, but contains an amount', 10n);
  }
  if (fields.offerAmount === 0n) throw fieldError('Offer contains a zero amount', 8n);
  if (fields.offerCurrency !== undefined && fields.offerAmount === undefined) {
    throw fieldError('Offer contains a currency with no amount', 6n);
  }
  if (fields.offerIssuerId === undefined && fields.offerPaths === undefined) {
    throw fieldError('Offer does not contain an issuer_id or paths', 22n);
  }
  if (fields.offerPaths !== undefined && !hasHops(fields.offerPaths)) {
    throw fieldError('Offer contains an empty offer_path', 16n);
  }
  checkRecurrence(fields);
}

/** Whether an offer is for this chain. An offer without a list of chains is for Bitcoin's main chain. */
export function isForChain({ offerChains }: OfferFields, chainHash: Uint8Array): boolean {
  const chains = offerChains ?? [CHAIN_HASHES.bitcoin];
  return chains.some((chain) => equalBytes(chain, chainHash));
}

/** Whether there is at least one path, and every path has a hop. */
export function hasHops(paths: readonly { readonly hops: readonly unknown[] }[]): boolean {
  return paths.length > 0 && paths.every(({ hops }) => hops.length > 0);
}

/**
 * The public key that must sign the invoice: the issuer's or, without an issuer, the last blinded node id of the path
 * that was used.
 * @throws WireError when the offer has no such path.
 */
export function expectedInvoiceNodeId(
  { offerIssuerId, offerPaths }: OfferFields,
  usedPath: number,
): Uint8Array {
  const nodeId = offerIssuerId ?? offerPaths?.[usedPath]?.hops.at(-1)?.blindedNodeId;
  if (nodeId === undefined) throw new WireError('fields', `the offer has no path ${usedPath}`);
  return nodeId;
}
