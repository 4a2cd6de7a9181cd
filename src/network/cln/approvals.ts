/**
 * Asks the node whether it agrees to a payment (`preapprovekeysend` or `preapproveinvoice`). The node is asked once per
 * payment, before the first part. Without its approval, a remote signer would refuse the HTLC later.
 */
import { toHex } from '../../bolt/bytes.ts';
import type { OutgoingHtlc } from '../port.ts';
import { NodeError } from './answer.ts';
import type { NodeLink } from './node-link.ts';
import { PAY } from './wait-outcome.ts';

/** Maximum number of remembered answers. The oldest are forgotten first. */
const MAX_REMEMBERED = 50_000;
/** The error code of a node too old to have the command. */
const UNKNOWN_METHOD = -32601;

/** Requests the node's approval, once per payment. */
export class Approvals {
  readonly #link: NodeLink;
  readonly #asked = new Map<string, Promise<string | undefined>>();

  constructor(link: NodeLink) {
    this.#link = link;
  }

  /**
   * @returns the node's reason for declining this HTLC's payment; undefined when the node approves, or is too old to be
   *   asked.
   * @throws NodeError; FulguriteError nodeAway
   */
  of(htlc: OutgoingHtlc): Promise<string | undefined> {
    const hash = toHex(htlc.paymentHash);
    const known = this.#asked.get(hash);
    if (known !== undefined) return known;
    const asked = this.#ask(hash, htlc);
    this.#asked.set(hash, asked);
    // If the node did not answer, the next call repeats the request.
    asked.catch(() => this.#asked.delete(hash));
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= MAX_REMEMBERED) break;
      this.#asked.delete(oldest);
    }
    return asked;
  }

  async #ask(hash: string, htlc: OutgoingHtlc): Promise<string | undefined> {
    const { invoice } = htlc;
    try {
      if (invoice === undefined) await this.#link.call('preapprovekeysend', keysendOf(hash, htlc));
      else await this.#link.call('preapproveinvoice', { bolt11: invoice });
      return undefined;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      if (error.code === UNKNOWN_METHOD) return undefined;
      if (error.code === PAY.keysendDeclined || error.code === PAY.invoiceDeclined) return error.message;
      throw error;
    }
  }
}

function keysendOf(payment_hash: string, { path, finalPayload }: OutgoingHtlc) {
  const { nodeId: destination, amountMsat } = path.at(-1)!;
  return { destination, payment_hash, amount_msat: finalPayload.paymentData?.totalMsat ?? amountMsat };
}
