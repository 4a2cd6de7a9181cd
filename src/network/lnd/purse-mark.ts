/**
 * A mark on an LND node that names the purse to which the node belongs. Two purses with the same node would each count
 * the node's whole balance as their own, and spend below each other's floors.
 *
 * LND cannot store notes for other programs, but it never adds a second invoice with the same payment hash, and keeps
 * cancelled invoices. So a mark is an invoice with a publicly computable preimage, and with the id of the purse in its
 * memo:
 *
 *   mark n = SHA256("fulgurite purse mark n"), n = 0, 1, …      the first open mark counts
 *
 * Adding a mark is an atomic test-and-set. Cancelled marks, and expired marks (after a year), no longer count, and the
 * next number is used. The owner's daemons look at the mark when they start and once a day, and add the next mark when
 * it is older than half a year.
 */
import { toHex } from '../../bolt/bytes.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { LndError, STATUS } from './client/calls.ts';
import { lookUpInvoice } from './invoice.ts';
import type { LndLink } from './node-link.ts';

/** Lifetime of a mark, in seconds: LND's maximum, 365 days. */
const EXPIRY_S = 365 * 86_400;
const RENEW_AFTER_S = EXPIRY_S / 2;
/**
 * Maximum number of marks. A purse needs at most one new mark every half year, and one after each release of the node.
 */
const MAX_MARKS = 256;
const MEMO = 'fulgurite purse ';
/** `lnrpc.Invoice.InvoiceState`. */
const OPEN = 0;

/** The members of an invoice (lnrpc.Invoice) that are used here. */
interface MarkInvoice {
  readonly memo?: string;
  readonly state?: number;
  readonly creation_date?: string;
}

/** The owner of a node, and the mark that proves the ownership. */
export interface LndPurseMark {
  /** Id of the purse. */
  readonly owner: string;
  /** Payment hash of the mark's invoice. `lncli cancelinvoice` with this hash releases the node. */
  readonly paymentHash: string;
}

const preimageOf = (number: number): Uint8Array =>
  sha256(new TextEncoder().encode(`fulgurite purse mark ${number}`));

/**
 * Marks the node as part of a purse. @returns the mark that counts; if the node was already marked, it may belong to a
 * different purse
 * @throws FulguriteError nodeAway; notSupported when the macaroon does not permit AddInvoice or LookupInvoice; LndError
 */
export async function markLndForPurse(link: LndLink, purseId: string): Promise<LndPurseMark> {
  let own: LndPurseMark | undefined;
  for (let number = 0; number < MAX_MARKS; number++) {
    const preimage = preimageOf(number);
    const paymentHash = toHex(sha256(preimage));
    const found =
      (await lookUpInvoice<MarkInvoice>(link, sha256(preimage))) ?? (await addMark(link, preimage, purseId));
    if (found === 'added') return own ?? { owner: purseId, paymentHash };
    if (found.state !== undefined && found.state !== OPEN) continue;
    const owner = (found.memo ?? '').slice(MEMO.length);
    if (own === undefined && owner !== purseId) return { owner, paymentHash };
    own ??= { owner, paymentHash };
    // Another purse cannot have a later mark while our mark is open, because it would have found ours first.
    if (Date.now() / 1000 - Number(found.creation_date ?? 0) < RENEW_AFTER_S) return own;
  }
  throw new LndError(STATUS.resourceExhausted, `all ${MAX_MARKS} purse marks are in use`);
}

/**
 * The mark that counts, without adding one. Undefined if the node belongs to no purse.
 * @throws FulguriteError nodeAway; notSupported when the macaroon does not permit LookupInvoice; LndError
 */
export async function lndPurseMark(link: LndLink): Promise<LndPurseMark | undefined> {
  for (let number = 0; number < MAX_MARKS; number++) {
    const hash = sha256(preimageOf(number));
    const found = await lookUpInvoice<MarkInvoice>(link, hash);
    if (found === undefined) return undefined;
    if ((found.state ?? OPEN) === OPEN) {
      return { owner: (found.memo ?? '').slice(MEMO.length), paymentHash: toHex(hash) };
    }
  }
  return undefined;
}

/** Adds a mark. If another daemon was faster, returns the mark of that daemon. */
async function addMark(link: LndLink, preimage: Uint8Array, purseId: string): Promise<MarkInvoice | 'added'> {
  try {
    const terms = { memo: `${MEMO}${purseId}`, expiry: String(EXPIRY_S), r_preimage: preimage };
    await link.call('AddInvoice', terms);
    return 'added';
  } catch (error) {
    if (!(error instanceof LndError && /already exists/.test(error.message))) throw error;
    return (await lookUpInvoice<MarkInvoice>(link, sha256(preimage))) ?? {};
  }
}
