/**
 * The one error of this folder: bytes that are not what the protocol says they must be.
 *
 * Every decoder throws a `WireError` and nothing else, for any bytes. The reason is for programs. It decides
 * with which failure code a node answers. The message is for people. A decoder never puts secrets, or more than a few
 * bytes of its input, into the message.
 */

/** The ways in which bytes can break the protocol. */
export type WireErrorReason =
  /** The bytes end before the field does. */
  | 'truncated'
  /** Bytes follow where the format ends. */
  | 'trailing'
  /** A number is not in its shortest form (BOLT 1: bigsize, truncated integers). */
  | 'notMinimal'
  /** TLV types are not strictly increasing. */
  | 'order'
  /** A TLV type is even and unknown. */
  | 'unknownEven'
  /** A field has a value that its format excludes. */
  | 'invalid'
  /** A required field is missing, or one is present that must not be. */
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

/** Bytes that are not what the protocol says they must be. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly reason: WireErrorReason;
  /** The TLV type that is at fault, if there is one. The failure `invalid_onion_payload` reports it. */
  readonly tlvType: bigint | undefined;
  /** Byte offset in the stream that was being decoded, where it is known. */
  readonly offset: number | undefined;

  constructor(reason: WireErrorReason, message: string, at: { tlvType?: bigint; offset?: number } = {}) {
    super(message);
    this.reason = reason;
    this.tlvType = at.tlvType;
    this.offset = at.offset;
  }
}
