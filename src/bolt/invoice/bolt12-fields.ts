/**
 * All fields of offers, invoice requests, invoices and invoice errors (BOLT 12, "TLV Fields").
 *
 * Recurrence exists under two sets of type numbers: those of the proposal (24..29, 92..94, 177), and corresponding
 * numbers in the experimental ranges, which Core Lightning uses until the proposal is merged. Both are read. Fields
 * named `...Draft` are those of the proposal.
 */

import { msat } from '../../model/msat.ts';
import type { WirePolicyTerms } from '../../model/policy.ts';
import type { ByteReader, ByteWriter } from '../bytes.ts';
import {
  anyBytes,
  decodeTruncated,
  encodeTruncated,
  fieldsOf,
  fixedBytes,
  flag,
  point,
  tu32,
  tu64,
  tu64Msat,
  utf8,
  type ValueCoding,
} from '../coding.ts';
import { SIGNATURE_BYTES } from '../crypto/curve.ts';
import { HASH_BYTES } from '../crypto/hashes.ts';
import { blindedPaths } from '../onion/blinded-path.ts';
import { type TlvValues, tlvCodec } from '../tlv.ts';
import { WireError } from '../wire-error.ts';
import { MAX_RECORDS } from './bolt12-merkle.ts';

/** How often a recurring offer is due. */
export interface RecurrencePeriod {
  /** 0 means seconds, 1 days, 2 months. Other values are refused where an offer is checked. */
  readonly timeUnit: number;
  readonly period: number;
}

/** When the periods of a recurring offer start. */
export interface RecurrenceBase {
  /** Whether a payment within a period covers only the remaining part of the period. */
  readonly isProportional: boolean;
  /** Start of period 0, in UNIX seconds. */
  readonly basetime: bigint;
}

/** The seconds before and after a period's start in which the period may be paid. */
export interface RecurrencePaywindow {
  readonly secondsBefore: number;
  readonly secondsAfter: number;
}

/** A human-readable name `name@domain` that stands for an offer (BIP-353). */
export interface Bip353Name {
  readonly name: string;
  readonly domain: string;
}

/** The fees, delay, HTLC limits and features of payments over one blinded path. */
export interface BlindedPayInfo extends WirePolicyTerms {
  readonly features: Uint8Array;
}

/** An on-chain address that the payer may use instead: a witness program and its version (BOLT 12, "Invoices"). */
export interface FallbackAddress {
  /** Version of the witness program. BOLT 11 also has 17 (hash of a public key) and 18 (hash of a script). */
  readonly version: number;
  readonly address: Uint8Array;
}

/** A list of items of one kind, up to the end of the value. */
function listOf<V>(write: (writer: ByteWriter, item: V) => void, read: (reader: ByteReader) => V) {
  return fieldsOf<readonly V[]>(
    (writer, items) => {
      for (const item of items) write(writer, item);
    },
    (reader) => {
      const items: V[] = [];
      while (reader.remaining > 0) items.push(read(reader));
      return items;
    },
  );
}

function readBoolean(reader: ByteReader): boolean {
  const byte = reader.u8();
  if (byte > 1) throw new WireError('invalid', `${byte} is not 0 or 1`);
  return byte === 1;
}

const hash = fixedBytes(HASH_BYTES);
const chains = listOf<Uint8Array>(
  (writer, chain) => void writer.put(hash.encode(chain)),
  (reader) => reader.take(HASH_BYTES),
);

const recurrencePeriod = fieldsOf<RecurrencePeriod>(
  (writer, { timeUnit, period }) => void writer.u8(timeUnit).put(encodeTruncated(period, 4)),
  (reader) => ({ timeUnit: reader.u8(), period: Number(decodeTruncated(reader.rest(), 4)) }),
);

const recurrenceBase = fieldsOf<RecurrenceBase>(
  (writer, { isProportional, basetime }) =>
    void writer.u8(isProportional ? 1 : 0).put(encodeTruncated(basetime, 8)),
  (reader) => ({ isProportional: readBoolean(reader), basetime: decodeTruncated(reader.rest(), 8) }),
);

const paywindow = fieldsOf<RecurrencePaywindow>(
  (writer, { secondsBefore, secondsAfter }) =>
    void writer.u32(secondsBefore).put(encodeTruncated(secondsAfter, 4)),
  (reader) => ({ secondsBefore: reader.u32(), secondsAfter: Number(decodeTruncated(reader.rest(), 4)) }),
);

/** Written with one byte per character. `checkInvoiceRequest` checks which characters are allowed. */
const bip353Name = fieldsOf<Bip353Name>(
  (writer, { name, domain }) => {
    for (const part of [name, domain]) {
      const bytes = Buffer.from(part, 'latin1');
      writer.u8(bytes.length).put(bytes);
    }
  },
  (reader) => {
    const part = (): string => Buffer.from(reader.take(reader.u8())).toString('latin1');
    return { name: part(), domain: part() };
  },
);

const blindedPay: ValueCoding<readonly BlindedPayInfo[]> = listOf<BlindedPayInfo>(
  (writer, info) =>
    void writer
      .u32(info.feeBaseMsat)
      .u32(info.feeProportionalMillionths)
      .u16(info.cltvExpiryDelta)
      .u64(info.htlcMinimumMsat)
      .u64(info.htlcMaximumMsat)
      .u16(info.features.length)
      .put(info.features),
  (reader) => ({
    feeBaseMsat: reader.u32(),
    feeProportionalMillionths: reader.u32(),
    cltvExpiryDelta: reader.u16(),
    htlcMinimumMsat: msat(reader.u64()),
    htlcMaximumMsat: msat(reader.u64()),
    features: reader.take(reader.u16()),
  }),
);

const fallbacks: ValueCoding<readonly FallbackAddress[]> = listOf<FallbackAddress>(
  (writer, { version, address }) => void writer.u8(version).u16(address.length).put(address),
  (reader) => ({ version: reader.u8(), address: reader.take(reader.u16()) }),
);

const offerTable = {
  offerChains: { type: 2n, ...chains },
  offerMetadata: { type: 4n, ...anyBytes },
  offerCurrency: { type: 6n, ...utf8 },
  /** The amount in msat, or in minor units of the currency. */
  offerAmount: { type: 8n, ...tu64 },
  offerDescription: { type: 10n, ...utf8 },
  offerFeatures: { type: 12n, ...anyBytes },
  /** Seconds since 1970. */
  offerAbsoluteExpiry: { type: 14n, ...tu64 },
  offerPaths: { type: 16n, ...blindedPaths },
  offerIssuer: { type: 18n, ...utf8 },
  /** 0 means any number. */
  offerQuantityMax: { type: 20n, ...tu64 },
  offerIssuerId: { type: 22n, ...point },
  offerRecurrenceCompulsoryDraft: { type: 24n, ...recurrencePeriod },
  offerRecurrenceOptionalDraft: { type: 25n, ...recurrencePeriod },
  offerRecurrenceBaseDraft: { type: 26n, ...recurrenceBase },
  offerRecurrencePaywindowDraft: { type: 27n, ...paywindow },
  offerRecurrenceLimitDraft: { type: 29n, ...tu32 },
  offerRecurrenceCompulsory: { type: 1_000_000_024n, ...recurrencePeriod },
  offerRecurrenceOptional: { type: 1_000_000_025n, ...recurrencePeriod },
  offerRecurrenceBase: { type: 1_000_000_026n, ...recurrenceBase },
  offerRecurrencePaywindow: { type: 1_000_000_027n, ...paywindow },
  offerRecurrenceLimit: { type: 1_000_000_029n, ...tu32 },
} as const;

const invoiceRequestTable = {
  invreqMetadata: { type: 0n, ...anyBytes },
  ...offerTable,
  invreqChain: { type: 80n, ...hash },
  invreqAmountMsat: { type: 82n, ...tu64Msat },
  invreqFeatures: { type: 84n, ...anyBytes },
  invreqQuantity: { type: 86n, ...tu64 },
  invreqPayerId: { type: 88n, ...point },
  invreqPayerNote: { type: 89n, ...utf8 },
  invreqPaths: { type: 90n, ...blindedPaths },
  invreqBip353Name: { type: 91n, ...bip353Name },
  invreqRecurrenceCounterDraft: { type: 92n, ...tu32 },
  invreqRecurrenceStartDraft: { type: 93n, ...tu32 },
  invreqRecurrenceCancelDraft: { type: 94n, ...flag },
  invreqRecurrenceCounter: { type: 2_000_000_092n, ...tu32 },
  invreqRecurrenceStart: { type: 2_000_000_093n, ...tu32 },
  invreqRecurrenceCancel: { type: 2_000_000_094n, ...flag },
  signature: { type: 240n, ...fixedBytes(SIGNATURE_BYTES) },
} as const;

const invoiceTable = {
  ...invoiceRequestTable,
  invoicePaths: { type: 160n, ...blindedPaths },
  invoiceBlindedPay: { type: 162n, ...blindedPay },
  /** Seconds since 1970. */
  invoiceCreatedAt: { type: 164n, ...tu64 },
  /** Validity of the invoice after its creation, in seconds. Default 7200. */
  invoiceRelativeExpiry: { type: 166n, ...tu32 },
  invoicePaymentHash: { type: 168n, ...hash },
  invoiceAmountMsat: { type: 170n, ...tu64Msat },
  invoiceFallbacks: { type: 172n, ...fallbacks },
  invoiceFeatures: { type: 174n, ...anyBytes },
  invoiceNodeId: { type: 176n, ...point },
  invoiceRecurrenceBasetimeDraft: { type: 177n, ...tu64 },
  invoiceRecurrenceBasetime: { type: 3_000_000_177n, ...tu64 },
} as const;

const staticInvoiceTable = {
  ...invoiceTable,
  /** Message paths over which the payer informs the recipient that the HTLC is held. */
  invoiceMessagePaths: { type: 236n, ...blindedPaths },
} as const;

/** The TLV stream of an offer. Decoding throws `WireError`. */
export const offerCodec = tlvCodec(offerTable, MAX_RECORDS);

/** The TLV stream of an invoice request, the mirrored fields of its offer included. Decoding throws `WireError`. */
export const invoiceRequestCodec = tlvCodec(invoiceRequestTable, MAX_RECORDS);

/** The TLV stream of an invoice, all mirrored fields included. Decoding throws `WireError`. */
export const invoiceCodec = tlvCodec(invoiceTable, MAX_RECORDS);

/** The TLV stream of a static invoice (bolts#1149). Decoding throws `WireError`. */
export const staticInvoiceCodec = tlvCodec(staticInvoiceTable, MAX_RECORDS);

/** The TLV stream of an invoice error. Decoding throws `WireError`. */
export const invoiceErrorCodec = tlvCodec({
  /** TLV type of the invalid field. `suggestedValue` is a valid value for it. */
  erroneousField: { type: 1n, ...tu64 },
  suggestedValue: { type: 3n, ...anyBytes },
  error: { type: 5n, ...utf8 },
});

/** The fields of an offer, by name. */
export type OfferFields = TlvValues<typeof offerTable>;

/**
 * The fields of an invoice request by name, including those that it repeats from the offer. (BOLT 12 says "mirrors".)
 */
export type InvoiceRequestFields = TlvValues<typeof invoiceRequestTable>;

/** The fields of an invoice by name, including those that it repeats from the request. */
export type InvoiceFields = TlvValues<typeof invoiceTable>;

/** The fields of a static invoice by name, including those that it repeats from the offer. */
export type StaticInvoiceFields = TlvValues<typeof staticInvoiceTable>;

/** The fields of an invoice error, by name. */
export type InvoiceErrorFields = TlvValues<typeof invoiceErrorCodec.table>;
