/** The value of a field that a rune tests, or the reason why the value is not available. */

/** The value of a field. An integer is also compared as text. */
export type FieldValue =
  | { readonly kind: 'integer'; readonly integer: bigint }
  | { readonly kind: 'text'; readonly text: string };

/** A field whose value only the main thread has, so only the main thread can check conditions on it. */
export interface JudgedElsewhere {
  readonly kind: 'elsewhere';
}

/** A field that cannot be read, with the reason as a complaint. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly complaint: string;
}
