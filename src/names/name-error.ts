/** Why a human-readable name was not resolved. */

/** The kinds of failure; the values of `data.reason`. */
export type NameFault =
  /** The resolver was unreachable or gave no usable answer in time, or our node is stopping. */
  | 'resolver'
  /** The record does not exist, the name is not a domain name, or it leads through too many aliases. */
  | 'absent'
  /** A required signature, key or proof of absence is missing, usually because the zone is not signed. */
  | 'unsigned'
  /** A signature does not match, is not in force, uses an unknown or weak method, or breaks another rule of DNSSEC. */
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
