/** The value of a field that a rune is tested against, or why it cannot be read. */

/** The value of a field. An integer is also compared as text. */
export type FieldValue =
  | { readonly kind: 'integer'; readonly integer: bigint }
  | { readonly kind: 'text'; readonly text: string };

/** A field that only the main thread knows. Its conditions are left to the main thread. */
export interface JudgedElsewhere {
  readonly kind: 'elsewhere';
}

/** A field that cannot be read. It holds the reason, as a complaint. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly complaint: string;
}
