/** Detects the kind of a pasted text, by its form alone. */

/** Kinds of text, each with its content. */
export type Pasted =
  | { readonly kind: 'node'; readonly id: string }
  | { readonly kind: 'channel'; readonly scid: string }
  | { readonly kind: 'payment'; readonly hash: string }
  /** An offer, an invoice request, or an invoice of either form: `decode` reads it. */
  | { readonly kind: 'encoded'; readonly text: string }
  /** Anything else is searched among the aliases. */
  | { readonly kind: 'name'; readonly text: string };

const SCID = /^(\d{1,8}x\d{1,8}x\d{1,5})(?:\/[01])?$/;
/** BOLT 12 texts begin with `lno`, `lnr`, `lni`; BOLT 11 ones with `lnbc` and the like. */
const ENCODED = /^(?:lightning:)?(ln(?:o|r|i)1[a-z0-9+\s]+|ln(?:bcrt|bc|tbs|tb)[0-9a-z]{20,})$/i;

/** Recognises a text. */
export function pasted(given: string): Pasted {
  const text = given.trim();
  const lower = text.toLowerCase();
  // An address of a node may follow its id.
  const id = /^(0[23][0-9a-f]{64})(?:@\S+)?$/.exec(lower)?.[1];
  if (id !== undefined) return { kind: 'node', id };
  if (/^[0-9a-f]{64}$/.test(lower)) return { kind: 'payment', hash: lower };
  const scid = SCID.exec(lower)?.[1];
  if (scid !== undefined) return { kind: 'channel', scid };
  const encoded = ENCODED.exec(text)?.[1];
  if (encoded !== undefined) return { kind: 'encoded', text: encoded.replace(/\+?\s+/g, '') };
  return { kind: 'name', text };
}
