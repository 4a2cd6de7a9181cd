/** Detects the kind of a pasted text from its form alone. */

/** The kinds of pasted texts, each with its content. */
export type Pasted =
  | { readonly kind: 'node'; readonly id: string }
  | { readonly kind: 'channel'; readonly scid: string }
  | { readonly kind: 'payment'; readonly hash: string }
  /** An offer, an invoice request, or an invoice (BOLT 11 or BOLT 12), which `decode` can read. */
  | { readonly kind: 'encoded'; readonly text: string }
  /** Any other text. The aliases of nodes are searched for it. */
  | { readonly kind: 'name'; readonly text: string };

const SCID = /^(\d{1,8}x\d{1,8}x\d{1,5})(?:\/[01])?$/;
/** BOLT 12 texts begin with `lno`, `lnr` or `lni`, and BOLT 11 invoices with `lnbc` or similar. */
const ENCODED = /^(?:lightning:)?(ln(?:o|r|i)1[a-z0-9+\s]+|ln(?:bcrt|bc|tbs|tb)[0-9a-z]{20,})$/i;

/** Detects the kind of a text. */
export function pasted(given: string): Pasted {
  const text = given.trim();
  const lower = text.toLowerCase();
  // The id may be followed by `@` and the node's address.
  const id = /^(0[23][0-9a-f]{64})(?:@\S+)?$/.exec(lower)?.[1];
  if (id !== undefined) return { kind: 'node', id };
  if (/^[0-9a-f]{64}$/.test(lower)) return { kind: 'payment', hash: lower };
  const scid = SCID.exec(lower)?.[1];
  if (scid !== undefined) return { kind: 'channel', scid };
  const encoded = ENCODED.exec(text)?.[1];
  if (encoded !== undefined) return { kind: 'encoded', text: encoded.replace(/\+?\s+/g, '') };
  return { kind: 'name', text };
}
