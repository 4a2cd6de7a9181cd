/** The value of a field against which a rune is tested, or why it cannot be read. */

/** The value of a field. An integer is also compared as text. */
export type FieldValue =
  | { readonly kind: 'integer'; readonly integer: bigint }
  | { readonly kind: 'text'; readonly text: string };

/** A field that only the main thread knows. The main thread checks its conditions. */
export interface JudgedElsewhere {
  readonly kind: 'elsewhere';
}

/** An unreadable field, with the reason as a complaint. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly complaint: string;
}
