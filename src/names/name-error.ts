/** Why a human-readable name was not resolved. */

/** The kinds of failure; the values of `data.reason`. */
export type NameFault =
  /** The resolver was unreachable, or its answer was late, too large or malformed. */
  | 'resolver'
  /** The record does not exist. */
  | 'absent'
  /** A required signature, key or proof of absence is missing, usually because the zone is not signed. */
  | 'unsigned'
  /** A signature does not match, has expired, or uses a method that is too weak. */
  | 'invalid'
  /** The record is proven, but contains no usable payment instruction. */
  | 'instructions'
  /** Too many names are being resolved. */
  | 'busy';

/** Thrown when a name was not resolved. The message is the reason as text. */
export class NameError extends Error {
  override readonly name = 'NameError';
  readonly fault: NameFault;

  constructor(fault: NameFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
