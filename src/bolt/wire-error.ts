/**
 * The error for bytes that violate the protocol.
 *
 * Whatever the bytes, no decoder throws any other error. `reason` is machine-readable and determines the failure code
 * that a node returns. The message is for people. A decoder never puts secrets, or more than a few bytes of its input,
 * into the message.
 */

/** The ways in which bytes can violate the protocol. */
export type WireErrorReason =
  /** The bytes end before the field does. */
  | 'truncated'
  /** There are more bytes than the format allows. */
  | 'trailing'
  /** A number is not in its shortest form (BOLT 1: bigsize, truncated integers). */
  | 'notMinimal'
  /** TLV types are not strictly increasing. */
  | 'order'
  /** A TLV type is even and unknown. */
  | 'unknownEven'
  /** A field has an invalid value. */
  | 'invalid'
  /** A required field is missing, or a field is present that is not allowed. */
  | 'fields'
  /** A size exceeds what the format, or our own limit, allows. */
  | 'tooLong'
  /** Authenticated decryption failed. */
  | 'decryption'
  /** A signature is missing or wrong. */
  | 'signature'
  /** The version byte of an onion is not 0 (failure `invalid_onion_version`). */
  | 'onionVersion'
  /** The HMAC of an onion is wrong (failure `invalid_onion_hmac`). */
  | 'onionHmac'
  /** The ephemeral key of an onion is not a point (failure `invalid_onion_key`). */
  | 'onionKey';

/** Thrown for bytes that violate the protocol. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly reason: WireErrorReason;
  /** The TLV type at fault, if any. The failure `invalid_onion_payload` reports it. */
  readonly tlvType: bigint | undefined;
  /** Byte offset in the decoded stream, if known. */
  readonly offset: number | undefined;

  constructor(reason: WireErrorReason, message: string, at: { tlvType?: bigint; offset?: number } = {}) {
    super(message);
    this.reason = reason;
    this.tlvType = at.tlvType;
    this.offset = at.offset;
  }
}

/** The error for a field that breaks a rule of its message. @param reason text for people */
export function fieldError(reason: string, tlvType: bigint): WireError {
  return new WireError('fields', reason, { tlvType });
}
