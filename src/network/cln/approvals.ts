/**
 * Asks the node whether it agrees to a payment (`preapprovekeysend` or `preapproveinvoice`). It is asked once
 * for each payment, before its first part. A remote signer that was not asked would refuse the HTLC later.
 */
import { toHex } from '../../bolt/bytes.ts';
import type { OutgoingHtlc } from '../port.ts';
import { NodeError } from './answer.ts';
import type { NodeLink } from './node-link.ts';
import { PAY } from './wait-outcome.ts';

/** Maximum number of payments whose answer is remembered: more than may be in progress. */
const MAX_REMEMBERED = 50_000;
/** The error code of a node that is too old to know the question. */
const UNKNOWN_METHOD = -32601;

/** Asks the node for its consent, once for each payment. */
export class Approvals {
  readonly #link: NodeLink;
  readonly #asked = new Map<string, Promise<string | undefined>>();

  constructor(link: NodeLink) {
    this.#link = link;
  }

  /**
   * @returns why the node declines the payment of this HTLC, in its words; undefined when it agrees.
   * @throws NodeError; FulguriteError nodeAway
   */
  of(htlc: OutgoingHtlc): Promise<string | undefined> {
    const hash = toHex(htlc.paymentHash);
    const known = this.#asked.get(hash);
    if (known !== undefined) return known;
    const asked = this.#ask(hash, htlc);
    this.#asked.set(hash, asked);
    // When there was no answer, the node is asked again next time.
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
