/**
 * The ticket is the secret that a simulated node puts into its own invoice: the payment secret of BOLT 11, or the path
 * id of a blinded path. It contains the terms of the invoice. When a payment arrives, the node reads the terms from the
 * ticket. So the node need not store invoices, and they stay valid after a restart.
 *
 *     ticket   = form (1) || amount msat (8; 0 any) || expiry, UNIX seconds (4) || final delta (2) || nonce (9)
 *                || mac (8)
 *     mac      = first 8 bytes of HMAC(key, "ticket" || the bytes before it)      key: the node's secret key
 *     preimage = HMAC(key, "preimage" || ticket)        metadata = HMAC(key, "metadata" || ticket)
 */
import { ByteReader, ByteWriter, equalBytes } from '../../../bolt/bytes.ts';
import { hmacSha256 } from '../../../bolt/crypto/hashes.ts';
import { type Msat, msat, ZERO_MSAT } from '../../../model/msat.ts';

/** How an invoice must be paid: as in BOLT 11, without or with metadata, or over a blinded path, as in BOLT 12. */
const FORMS = ['bolt11', 'bolt11WithMetadata', 'bolt12'] as const;

/** How an invoice must be paid. */
export type TicketForm = (typeof FORMS)[number];

/** The terms of an invoice. */
export interface TicketTerms {
  readonly form: TicketForm;
  /** Undefined when the payer chooses the amount. */
  readonly amountMsat: Msat | undefined;
  /** The last second, in UNIX time, at which the invoice may be paid. */
  readonly expiresAt: bigint;
  readonly minFinalCltvExpiryDelta: number;
}

/** Length of a nonce in bytes. */
export const NONCE_BYTES = 9;
const MAC_BYTES = 8;
const TICKET_BYTES = 32;
const MAX_SECONDS = 0xffff_ffffn;

const keyed = (purpose: string, secretKey: Uint8Array, bytes: Uint8Array): Uint8Array =>
  hmacSha256(secretKey, new Uint8Array(Buffer.from(purpose, 'ascii')), bytes);

/** Makes a ticket. @param nonce distinguishes invoices with equal terms. */
export function makeTicket(secretKey: Uint8Array, terms: TicketTerms, nonce: Uint8Array): Uint8Array {
  const expiresAt = terms.expiresAt < MAX_SECONDS ? terms.expiresAt : MAX_SECONDS;
  const head = new ByteWriter(TICKET_BYTES)
    .u8(FORMS.indexOf(terms.form))
    .u64(terms.amountMsat ?? 0n)
    .u32(Number(expiresAt))
    .u16(terms.minFinalCltvExpiryDelta)
    .put(nonce.subarray(0, NONCE_BYTES))
    .finish();
  const mac = keyed('ticket', secretKey, head).subarray(0, MAC_BYTES);
  return Uint8Array.from([...head, ...mac]);
}

/** Reads a ticket. Undefined when this node did not write it. */
export function readTicket(secretKey: Uint8Array, ticket: Uint8Array): TicketTerms | undefined {
  if (ticket.length !== TICKET_BYTES) return undefined;
  const head = ticket.subarray(0, TICKET_BYTES - MAC_BYTES);
  const mac = keyed('ticket', secretKey, head).subarray(0, MAC_BYTES);
  if (!equalBytes(mac, ticket.subarray(TICKET_BYTES - MAC_BYTES))) return undefined;
  const reader = new ByteReader(head);
  const form = FORMS[reader.u8()];
  const amountMsat = msat(reader.u64());
  const expiresAt = BigInt(reader.u32());
  const minFinalCltvExpiryDelta = reader.u16();
  if (form === undefined) return undefined;
  return {
    ...{ form, expiresAt, minFinalCltvExpiryDelta },
    amountMsat: amountMsat === ZERO_MSAT ? undefined : amountMsat,
  };
}

/** The preimage that the node releases when the invoice is paid. */
export function ticketPreimage(secretKey: Uint8Array, ticket: Uint8Array): Uint8Array {
  return keyed('preimage', secretKey, ticket);
}

/** The metadata that the payer must include, if the invoice has any. */
export function ticketMetadata(secretKey: Uint8Array, ticket: Uint8Array): Uint8Array {
  return keyed('metadata', secretKey, ticket);
}
