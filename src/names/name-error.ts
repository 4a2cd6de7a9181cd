/** Why a human-readable name was not resolved. */

/** The kinds of failure, as `data.reason` shows them. */
export type NameFault =
  /** The resolver was not reached, or its answer was late, too large or malformed. */
  | 'resolver'
  /** There is no such record. */
  | 'absent'
  /** A signature, a key or a proof of absence that is needed is missing: most zones of this kind are not signed. */
  | 'unsigned'
  /** A signature does not match, or has expired, or uses a method that is too weak. */
  | 'invalid'
  /** The record is proven, but it is no payment instruction that we can use. */
  | 'instructions'
  /** Too many names are being resolved. */
  | 'busy';

/** A name that was not resolved, with the reason in words. */
export class NameError extends Error {
  override readonly name = 'NameError';
  readonly fault: NameFault;

  constructor(fault: NameFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
