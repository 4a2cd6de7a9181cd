/** BOLT 11 invoices as `decode` shows them, with Core Lightning's names. */

import { toHex } from '../../bolt/bytes.ts';
import type { Bolt11Currency } from '../../bolt/invoice/bolt11-amount.ts';
import { LETTERS, type RouteHintHop, type TaggedField } from '../../bolt/invoice/bolt11-fields.ts';
import {
  DEFAULT_EXPIRY_SECONDS,
  DEFAULT_MIN_FINAL_CLTV_EXPIRY_DELTA,
  parseBolt11,
} from '../../bolt/invoice/bolt11-invoice.ts';
import type { FallbackAddress } from '../../bolt/invoice/bolt12-fields.ts';
import { type AddressPrefix, addressScript, addressText, addressType } from '../../bolt/onchain-address.ts';
import { formatShortChannelId } from '../../model/short-channel-id.ts';

const ADDRESS_PREFIXES: Readonly<Record<Bolt11Currency, AddressPrefix>> = {
  ...{ bc: 'bc', tb: 'tb', tbs: 'tb', bcrt: 'bcrt' },
};

/** The members of an invoice. @throws WireError for a malformed invoice, or one that must not be paid */
export function bolt11Json(text: string) {
  const { currency, fields, ...invoice } = parseBolt11(text);
  const prefix = ADDRESS_PREFIXES[currency];
  return {
    type: 'bolt11 invoice',
    currency,
    created_at: invoice.timestamp,
    expiry: fields.expirySeconds ?? DEFAULT_EXPIRY_SECONDS,
    payee: toHex(invoice.payee),
    amount_msat: invoice.amountMsat,
    description: fields.description,
    description_hash: fields.descriptionHash && toHex(fields.descriptionHash),
    min_final_cltv_expiry: fields.minFinalCltvExpiryDelta ?? DEFAULT_MIN_FINAL_CLTV_EXPIRY_DELTA,
    payment_secret: toHex(fields.paymentSecret),
    features: fields.features && toHex(fields.features),
    payment_metadata: fields.paymentMetadata && toHex(fields.paymentMetadata),
    fallbacks: unlessEmpty(fields.fallbacks?.map((address) => fallbackJson(address, prefix))),
    routes: unlessEmpty(fields.routeHints?.map((hops) => hops.map(hopJson))),
    extra: unlessEmpty(invoice.ignored.map(extraJson)),
    payment_hash: toHex(fields.paymentHash),
    signature: derOf(invoice.signature),
    valid: true,
  };
}

function unlessEmpty<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list?.length === 0 ? undefined : list;
}

function fallbackJson(address: FallbackAddress, prefix: AddressPrefix) {
  return {
    type: addressType(address),
    addr: addressText(address, prefix),
    hex: toHex(addressScript(address)),
  };
}

function hopJson(hop: RouteHintHop) {
  return {
    pubkey: toHex(hop.nodeId),
    short_channel_id: formatShortChannelId(hop.shortChannelId),
    fee_base_msat: hop.feeBaseMsat,
    fee_proportional_millionths: hop.feeProportionalMillionths,
    cltv_expiry_delta: hop.cltvExpiryDelta,
  };
}

/** An ignored field: its letter, and its 5-bit words in bech32 letters. */
function extraJson({ tag, words }: TaggedField) {
  return { tag, data: Array.from(words, (word) => LETTERS[word]).join('') };
}

/** The signature in DER, as Bitcoin encodes signatures. */
function derOf(compact: Uint8Array): string {
  const integer = (bytes: Uint8Array): string => {
    let hex = toHex(bytes).replace(/^(00)+(?=..)/, '');
    if (Number.parseInt(hex.slice(0, 2), 16) >= 0x80) hex = `00${hex}`;
    return `02${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`;
  };
  const body = integer(compact.subarray(0, 32)) + integer(compact.subarray(32));
  return `30${(body.length / 2).toString(16).padStart(2, '0')}${body}`;
}
