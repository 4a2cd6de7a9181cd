/** Parameter types of the commands about offers. */

import type { Bip353Name, RecurrencePaywindow, RecurrencePeriod } from '../../bolt/invoice/bolt12-fields.ts';
import { checkOffer, type Offer, parseOffer } from '../../bolt/invoice/bolt12-offer.ts';
import { WireError } from '../../bolt/wire-error.ts';
import type { NodeId } from '../../model/node-id.ts';
import {
  arrayOf,
  atMost,
  BadToken,
  MAX_TEXT_BYTES,
  nodeId,
  type ParamType,
  string,
  stringOrNumber,
  textType,
} from '../../rpc/param-types.ts';
import type { NodeParamType } from '../context.ts';
import { type AmountTerms, parseAmount, parsePaywindow, parseRecurrence } from './offer-terms.ts';

/** Maximum bytes of a note: half of the bytes that fit in an onion message. The other half is left for the offer. */
const MAX_NOTE_BYTES = 16 * 1024;
/**
 * Maximum characters of an offer, including `+` and white space. Without them, an offer that fits in an onion message
 * has at most about 52,000 characters.
 */
const MAX_OFFER_CHARACTERS = 128 * 1024;
const MAX_FRONTS = 16;

/** A label that links the invoices of a series: a text or a number of at most 4096 bytes. A number is used as text. */
export const seriesLabel = atMost(stringOrNumber, MAX_TEXT_BYTES);

/** Text that is sent to other nodes. It may not contain a zero byte, because they would refuse it. */
const sentText: ParamType<string> = {
  ...string,
  parse(token, context) {
    const text = string.parse(token, context);
    if (text.includes('\0')) throw new BadToken('should not contain a zero byte', token);
    return text;
  },
};

/** Text that becomes part of an offer or a request. */
export const offerText = atMost(sentText, MAX_TEXT_BYTES);
/** A note to the issuer: text of at most 16 KiB without a zero byte. */
export const payerNote = atMost(sentText, MAX_NOTE_BYTES);

/** At most 16 node ids of peers that become entry points of blinded paths. */
export const frontingNodes: ParamType<readonly NodeId[]> = {
  ...arrayOf(nodeId),
  parse(token, context) {
    const nodes = arrayOf(nodeId).parse(token, context);
    if (nodes.length > MAX_FRONTS) throw new BadToken(`should be at most ${MAX_FRONTS} nodes`, token);
    return nodes;
  },
};

/** An offer for this node's chain; the handler receives the parsed and checked offer. */
export const offerString: NodeParamType<Offer> = {
  name: 'offer',
  schema: { type: 'string' },
  parse(token, { offers }) {
    try {
      if (token.text.length > MAX_OFFER_CHARACTERS) throw new BadToken('Unparsable offer: too long', token);
      const offer = parseOffer(token.text);
      checkOffer(offer, offers.chainHash);
      return offer;
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new BadToken(`Unparsable offer: ${error.message}`, token);
    }
  },
};

const MAX_PART = 255;
const BITCOIN_SIGN = '\u20bf';
const ALLOWED = /^[0-9A-Za-z._-]+$/;

/**
 * Parses a human-readable name `NAME@DOMAIN` (BIP 353), optionally prefixed with the bitcoin sign ₿. For any other
 * text, returns the reason for the refusal.
 */
export function parseBip353Name(text: string): Bip353Name | string {
  const at = text.indexOf('@');
  if (at < 0) return 'missing @';
  const name = text.slice(text.startsWith(BITCOIN_SIGN) ? 1 : 0, at);
  const domain = text.slice(at + 1);
  const isGood = [name, domain].every((part) => part.length <= MAX_PART && ALLOWED.test(part));
  return isGood ? { name, domain } : 'not a bip353 name';
}

/** A human-readable name as a parameter. */
export const bip353Name: ParamType<Bip353Name> = {
  name: 'bip353 name',
  schema: { type: 'string' },
  parse(token) {
    const name = parseBip353Name(token.text);
    if (typeof name === 'string') throw new BadToken(name, token);
    return name;
  },
};

/** Bytes given as text. An even number of hex digits is decoded as hex; any other text as UTF-8. */
const anyMetadata: ParamType<Uint8Array> = {
  name: 'string or hex',
  schema: { type: 'string' },
  parse(token) {
    if (token.kind !== 'string' && token.kind !== 'number') throw new BadToken('should be a string', token);
    if (token.text === '') throw new BadToken('should not be empty: the payer id is derived from it', token);
    const isHex = token.text.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(token.text);
    return new Uint8Array(Buffer.from(token.text, isHex ? 'hex' : 'utf8'));
  },
};

/** The metadata from which the payer id is derived: 1 to 4096 bytes, as text or hex. */
export const metadata = atMost(anyMetadata, MAX_TEXT_BYTES);

/** An unsigned 32-bit integer, with the error text of offer commands. */
export const number32 = textType('u32', 'should be an integer', { type: 'integer', minimum: 0 }, (text) => {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value <= 0xffff_ffff ? value : undefined;
});

/**
 * The amount of an offer: `any`, an amount of bitcoin, or an amount of a currency (ISO 4217) such as
 * `10.05USD`.
 */
export const offerAmount: ParamType<AmountTerms> = {
  name: 'amount',
  schema: { oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
  parse(token) {
    const terms = parseAmount(token.text);
    if (typeof terms === 'string') throw new BadToken(terms, token);
    return terms;
  },
};

/** How often an offer recurs: a number with a unit, such as `2weeks` (BOLT 12, recurrence). */
export const recurrencePeriod: ParamType<RecurrencePeriod> = textType(
  'recurrence',
  'not a valid time',
  { type: 'string' },
  parseRecurrence,
);

/** When a period may be paid: `-BEFORE+AFTER`, in seconds before and after its start. */
export const paywindow: ParamType<RecurrencePaywindow> = textType(
  'paywindow',
  'expected -time+time',
  { type: 'string' },
  parsePaywindow,
);
