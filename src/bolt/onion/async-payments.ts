/**
 * What a payer of a static invoice sends besides an ordinary blinded payment (bolts#1149, "Async payments"). The
 * proposal is not merged, so the numbers and forms are those of LDK 0.2.
 *
 *     onion message `held_htlc_available` ──▶ recipient        "release the payment once you are online"
 *     onion message `release_held_htlc`   ◀── recipient        "send it now"
 *     final payload of the HTLC: the preimage, as for a keysend, and the invoice request of the payer
 *
 * Both messages are empty. LDK writes an empty TLV stream prefixed with its length, which is one zero byte.
 */
import type { TlvRecord } from '../tlv.ts';

/** TLV type of the payer's invoice request in the recipient's payload. */
const INVOICE_REQUEST_TYPE = 77_777n;

/** The contents of `held_htlc_available` and of `release_held_htlc`. */
export const EMPTY_BODY: Uint8Array = Uint8Array.of(0);

/** The record in the recipient's payload from which the recipient learns which offer is paid, and who pays. */
export const invoiceRequestRecord = (invoiceRequest: Uint8Array): TlvRecord => ({
  type: INVOICE_REQUEST_TYPE,
  value: invoiceRequest,
});
