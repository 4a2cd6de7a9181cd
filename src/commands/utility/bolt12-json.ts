/** BOLT 12 messages as `decode` shows them, with Core Lightning's names. */

import { equalBytes, toHex } from '../../bolt/bytes.ts';
import type {
  BlindedPayInfo,
  FallbackAddress,
  InvoiceFields,
  InvoiceRequestFields,
  OfferFields,
} from '../../bolt/invoice/bolt12-fields.ts';
import {
  DEFAULT_RELATIVE_EXPIRY,
  MAX_WITNESS_VERSION,
  WITNESS_BYTES,
} from '../../bolt/invoice/bolt12-invoice.ts';
import { offerId } from '../../bolt/invoice/bolt12-merkle.ts';
import { CHAIN_HASHES } from '../../bolt/invoice/bolt12-offer.ts';
import { invoiceBasetime, recurrenceOf, requestedPeriod } from '../../bolt/invoice/bolt12-recurrence.ts';
import { STATIC_RELATIVE_EXPIRY, type StaticInvoice } from '../../bolt/invoice/bolt12-static-invoice.ts';
import { type AddressPrefix, addressText, isAddressLength } from '../../bolt/onchain-address.ts';
import type { BlindedPath } from '../../bolt/onion/blinded-path.ts';
import type { TlvRecord } from '../../bolt/tlv.ts';
import { formatShortChannelId } from '../../model/short-channel-id.ts';
import { minorUnitDigits } from '../offers/currency.ts';

const hexOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : toHex(bytes);

/** Members `offer_…` of an offer, or of a request or invoice that repeats it. */
export function offerJson(fields: OfferFields) {
  const { offerCurrency: currency, offerAmount: amount } = fields;
  const digits = currency === undefined ? undefined : minorUnitDigits(currency);
  return {
    offer_chains: fields.offerChains?.map(toHex),
    offer_metadata: hexOf(fields.offerMetadata),
    offer_currency: currency,
    currency_minor_unit: digits,
    warning_unknown_offer_currency:
      currency !== undefined && digits === undefined ? `unknown currency ${currency}` : undefined,
    offer_amount: currency === undefined ? undefined : amount,
    offer_amount_msat: currency === undefined ? amount : undefined,
    offer_description: fields.offerDescription,
    offer_issuer: fields.offerIssuer,
    offer_features: hexOf(fields.offerFeatures),
    offer_absolute_expiry: fields.offerAbsoluteExpiry,
    offer_paths: fields.offerPaths?.map((path) => pathJson(path)),
    offer_quantity_max: fields.offerQuantityMax,
    offer_recurrence: recurrenceJson(fields),
    offer_issuer_id: hexOf(fields.offerIssuerId),
  };
}

const UNIT_NUMBERS = { seconds: 0, days: 1, months: 2 } as const;

function recurrenceJson(fields: OfferFields) {
  const recurrence = recurrenceOf(fields);
  if (recurrence === undefined) return undefined;
  const { base, paywindow, limit, unit, period } = recurrence;
  return {
    compulsory_field: recurrence.isCompulsory,
    time_unit: UNIT_NUMBERS[unit],
    time_unit_name: unit,
    period,
    basetime: base?.basetime,
    proportional_amount: base?.isProportional ? true : undefined,
    limit,
    paywindow: paywindow && {
      seconds_before: paywindow.secondsBefore,
      seconds_after: paywindow.secondsAfter,
    },
  };
}

/** Members `invreq_…` of a request, or of an invoice that repeats it. */
export function invoiceRequestJson(fields: InvoiceRequestFields) {
  const { counter, start } = requestedPeriod(fields);
  return {
    invreq_metadata: hexOf(fields.invreqMetadata),
    invreq_payer_id: hexOf(fields.invreqPayerId),
    invreq_chain: hexOf(fields.invreqChain),
    invreq_amount_msat: fields.invreqAmountMsat,
    invreq_features: hexOf(fields.invreqFeatures),
    invreq_quantity: fields.invreqQuantity,
    invreq_payer_note: fields.invreqPayerNote,
    invreq_paths: fields.invreqPaths?.map((path) => pathJson(path)),
    invreq_bip_353_name: fields.invreqBip353Name,
    invreq_recurrence_counter: counter,
    invreq_recurrence_start: start,
    invreq_recurrence_cancel: fields.invreqRecurrenceCancel ?? fields.invreqRecurrenceCancelDraft,
  };
}

/** Members `invoice_…` of an invoice. Fallback addresses are written for the chain of its request. */
export function invoiceJson(fields: InvoiceFields) {
  return {
    invoice_paths: fields.invoicePaths?.map((path, i) => pathJson(path, fields.invoiceBlindedPay?.[i])),
    invoice_created_at: fields.invoiceCreatedAt,
    invoice_relative_expiry: fields.invoiceRelativeExpiry ?? DEFAULT_RELATIVE_EXPIRY,
    invoice_payment_hash: hexOf(fields.invoicePaymentHash),
    invoice_amount_msat: fields.invoiceAmountMsat,
    invoice_fallbacks: fields.invoiceFallbacks?.map((one) => fallbackJson(one, fields.invreqChain)),
    invoice_features: hexOf(fields.invoiceFeatures),
    invoice_node_id: hexOf(fields.invoiceNodeId),
    invoice_recurrence_basetime: invoiceBasetime(fields),
    signature: hexOf(fields.signature),
  };
}

/** A static invoice as `decode` shows it, without `valid`. It is for the chain of its offer. */
export function staticInvoiceJson({ fields, bytes, unknown }: StaticInvoice) {
  const { offerChains, invoiceRelativeExpiry = STATIC_RELATIVE_EXPIRY } = fields;
  return {
    type: 'bolt12 static invoice',
    offer_id: toHex(offerId(bytes)),
    ...offerJson(fields),
    ...invoiceJson({ ...fields, invoiceRelativeExpiry, invreqChain: offerChains?.[0] }),
    invoice_message_paths: fields.invoiceMessagePaths?.map((path) => pathJson(path)),
    unknown_invoice_tlvs: unknownJson(unknown),
  };
}

/**
 * A fallback address. If payers must ignore the address, it has a warning instead of its text, and the invoice stays
 * valid.
 */
function fallbackJson(fallback: FallbackAddress, chain = CHAIN_HASHES.bitcoin as Uint8Array) {
  const { version, address } = fallback;
  const shown = { version, hex: toHex(address) };
  if (version > MAX_WITNESS_VERSION)
    return { ...shown, warning_invalid_invoice_fallbacks_version: 'invoice fallback version > 16' };
  if (address.length < WITNESS_BYTES.least || address.length > WITNESS_BYTES.most)
    return { ...shown, warning_invalid_invoice_fallbacks_address: 'invoice fallback address bad length' };
  if (!isAddressLength(version, address.length)) {
    const text = 'invalid fallback address for this version';
    return { ...shown, warning_invalid_invoice_fallbacks_address: text };
  }
  const prefix = ADDRESS_PREFIXES.find(([hash]) => equalBytes(hash, chain))?.[1];
  return { ...shown, address: prefix && addressText(fallback, prefix) };
}

const ADDRESS_PREFIXES: readonly (readonly [chainHash: Uint8Array, AddressPrefix])[] = [
  [CHAIN_HASHES.bitcoin, 'bc'],
  [CHAIN_HASHES.testnet, 'tb'],
  [CHAIN_HASHES.testnet4, 'tb'],
  [CHAIN_HASHES.signet, 'tb'],
  [CHAIN_HASHES.regtest, 'bcrt'],
];

/** Records whose types the specification does not define. Undefined when there are none. */
export function unknownJson(records: readonly TlvRecord[]) {
  if (records.length === 0) return undefined;
  return records.map(({ type, value }) => ({ type, length: value.length, value: toHex(value) }));
}

function pathJson({ firstNode, firstPathKey, hops }: BlindedPath, payInfo?: BlindedPayInfo) {
  const first =
    firstNode instanceof Uint8Array
      ? { first_node_id: toHex(firstNode) }
      : { first_scid: formatShortChannelId(firstNode.shortChannelId), first_scid_dir: firstNode.direction };
  return {
    ...first,
    first_path_key: toHex(firstPathKey),
    payinfo: payInfo && {
      fee_base_msat: payInfo.feeBaseMsat,
      fee_proportional_millionths: payInfo.feeProportionalMillionths,
      cltv_expiry_delta: payInfo.cltvExpiryDelta,
      htlc_minimum_msat: payInfo.htlcMinimumMsat,
      htlc_maximum_msat: payInfo.htlcMaximumMsat,
      features: toHex(payInfo.features),
    },
    path: hops.map(({ blindedNodeId, encryptedRecipientData }) => ({
      blinded_node_id: toHex(blindedNodeId),
      encrypted_recipient_data: toHex(encryptedRecipientData),
    })),
  };
}
