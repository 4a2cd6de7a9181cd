/**
 * Receives payments on the simulated network. It issues invoices of our own node, which simulated nodes pay when `pay`
 * is called. A payment's id is derived from the invoice, and the network stores its outcome. So each payment is made
 * only once, even if a process dies halfway.
 */
import { randomBytes } from 'node:crypto';
import { toHex } from '../../../bolt/bytes.ts';
import { sha256 } from '../../../bolt/crypto/hashes.ts';
import type { Bolt11Currency } from '../../../bolt/invoice/bolt11-amount.ts';
import { createBolt11, DEFAULT_MIN_FINAL_CLTV_EXPIRY_DELTA } from '../../../bolt/invoice/bolt11-invoice.ts';
import { FEATURE, featuresOf, optional } from '../../../bolt/peer/features.ts';

import type { Clock } from '../../../model/clock.ts';
import { msat } from '../../../model/msat.ts';
import { type NodeId, nodeIdToBytes } from '../../../model/node-id.ts';
import type { NetworkPort } from '../../port.ts';
import type { InvoiceReceiver, MadeInvoice, PaidListener, ReceiverTerms } from '../../receiver.ts';
import type { ControlName } from '../messages.ts';
import type { Simulation } from '../simulation.ts';

const ATTEMPT_BYTES = 16;
const MAX_HINTS = 3;

/** The functions of the simulation that the receiver needs. The simulation is in another thread. */
export interface ReceivingNetwork extends Pick<NetworkPort, 'ownChannels'> {
  control<K extends ControlName>(
    name: K,
    ...args: Parameters<Simulation[K]>
  ): Promise<ReturnType<Simulation[K]>>;
}

/** An invoice to be paid by a simulated node. */
export interface ArrivingInvoice {
  readonly paymentHash: Uint8Array;
  readonly preimage: Uint8Array;
  readonly amountMsat: bigint;
}

/** Issues invoices under our key, and lets nodes pay them. */
export class SimulatedReceiver implements InvoiceReceiver {
  readonly #network: ReceivingNetwork;
  readonly #secretKey: Uint8Array;
  readonly #currency: Bolt11Currency;
  readonly #clock: Clock;
  #listener: PaidListener | undefined;
  #last = 0n;

  constructor(network: ReceivingNetwork, secretKey: Uint8Array, currency: Bolt11Currency, clock: Clock) {
    this.#network = network;
    this.#secretKey = secretKey;
    this.#currency = currency;
    this.#clock = clock;
  }

  async make(terms: ReceiverTerms): Promise<MadeInvoice> {
    const { amountMsat, description, isHashOnly, expirySeconds, preimage, minFinalCltvExpiryDelta } = terms;
    const paymentSecret = new Uint8Array(randomBytes(32));
    const features = [FEATURE.var_onion_optin, FEATURE.payment_secret, optional(FEATURE.basic_mpp)];
    const bolt11 = createBolt11(
      {
        currency: this.#currency,
        amountMsat: amountMsat === undefined ? undefined : msat(amountMsat),
        timestamp: this.#nowSeconds(),
        fields: {
          ...{ paymentHash: sha256(preimage), paymentSecret },
          ...(isHashOnly ? { descriptionHash: sha256(Buffer.from(description)) } : { description }),
          expirySeconds: BigInt(expirySeconds),
          minFinalCltvExpiryDelta: minFinalCltvExpiryDelta ?? DEFAULT_MIN_FINAL_CLTV_EXPIRY_DELTA,
          features: featuresOf(features),
          routeHints: terms.hasPrivateHints ? this.#hints() : [],
        },
      },
      this.#secretKey,
    );
    return { bolt11, paymentSecret };
  }

  /** Reports invoices that were paid before this call only when `recover` is called. */
  onPaid(afterIndex: bigint, listener: PaidListener): () => void {
    this.#last = afterIndex;
    this.#listener = listener;
    return () => {
      this.#listener = undefined;
    };
  }

  /** Nothing to do, because nodes pay only when `pay` is called. */
  async cancel(): Promise<void> {}

  /**
   * Lets a node pay an invoice, at most once. Resolves when the payment has been recorded. @returns the fee, which the
   * payer bears
   * @throws FulguriteError invalidParams for unknown nodes, routeNotFound
   */
  async pay(from: NodeId, invoice: ArrivingInvoice): Promise<{ readonly feeMsat: bigint }> {
    const { preimage, amountMsat } = invoice;
    const attemptId = attemptOf(invoice);
    const { feeMsat } = await this.#network.control('payUs', from, { attemptId, amountMsat, preimage });
    await this.#note(invoice);
    return { feeMsat };
  }

  /** Records which of these invoices a node paid before the process died. */
  async recover(invoices: readonly ArrivingInvoice[]): Promise<void> {
    const states = await this.#network.control('lookUpHtlcs', invoices.map(attemptOf));
    for (const [at, invoice] of invoices.entries())
      if (states[at]?.status === 'settled') await this.#note(invoice);
  }

  async #note({ paymentHash, amountMsat }: ArrivingInvoice): Promise<void> {
    const notice = { paymentHash, receivedMsat: amountMsat, paidAt: this.#nowSeconds(), index: ++this.#last };
    await this.#listener?.paid(notice);
  }

  #hints() {
    const { channels } = this.#network.ownChannels();
    const usable = channels.filter(({ usable: isUsable, receivableMsat }) => isUsable && receivableMsat > 0n);
    usable.sort((a, b) => (a.receivableMsat > b.receivableMsat ? -1 : 1));
    return usable.slice(0, MAX_HINTS).flatMap(({ peerId, shortChannelId, remotePolicy }) => {
      if (shortChannelId === undefined || remotePolicy === undefined) return [];
      const { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta } = remotePolicy;
      const toll = { feeBaseMsat: Number(feeBaseMsat), feeProportionalMillionths, cltvExpiryDelta };
      return [[{ nodeId: nodeIdToBytes(peerId), shortChannelId, ...toll }]];
    });
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock.nowMs() / 1000);
  }
}

function attemptOf({ paymentHash }: ArrivingInvoice): string {
  return toHex(sha256(Buffer.concat([Buffer.from('paid to us'), paymentHash])).subarray(0, ATTEMPT_BYTES));
}
