/**
 * The recipient of a payment: it collects parts until their sum reaches the total (BOLT 4, "Basic Multi-Part
 * Payments"), then settles all of them. If the sum is still too small 60 s after the first part, all parts fail with
 * `mpp_timeout`.
 */
import type { Failure } from '../../bolt/onion/failure.ts';
import { failureOf } from './forwarding.ts';
import type { DeliveredHtlc } from './htlc-flow.ts';
import type { LabWorld } from './world.ts';

/** Time in microseconds for which the first part waits for the others. */
const MPP_TIMEOUT_US = 60_000_000;
/** `min_final_cltv_expiry_delta` of every recipient. */
const MIN_FINAL_CLTV = 18;

/** Collects the parts of one payment. */
export class PartsRecipient {
  readonly #world: LabWorld;
  readonly #totalMsat: bigint;
  readonly #order: number;
  /**
   * Time in microseconds for which each part is held before it fails. Undefined if the recipient accepts the payment.
   */
  readonly #holdUs: number | undefined;
  #parts: DeliveredHtlc[] = [];
  #receivedMsat = 0n;
  #rounds = 0;
  /** Simulated time at which the sum was complete. Undefined until then. */
  settledAtUs: number | undefined;

  constructor(world: LabWorld, totalMsat: bigint, order: number, holdUs?: number) {
    this.#world = world;
    this.#totalMsat = totalMsat;
    this.#order = order;
    this.#holdUs = holdUs;
  }

  take(part: DeliveredHtlc): void {
    if (this.#holdUs !== undefined) {
      this.#world.after(this.#holdUs, this.#order, () => part.fail(this.#details()));
      return;
    }
    if (this.settledAtUs !== undefined || part.expiry < this.#world.height + MIN_FINAL_CLTV) {
      part.fail(this.#details());
      return;
    }
    if (this.#parts.length === 0) this.#startTimer();
    this.#parts.push(part);
    this.#receivedMsat += part.amountMsat;
    if (this.#receivedMsat < this.#totalMsat) return;
    this.settledAtUs = this.#world.nowUs;
    for (const each of this.#parts) each.settle();
    this.#parts = [];
  }

  #startTimer(): void {
    const round = ++this.#rounds;
    this.#world.after(MPP_TIMEOUT_US, this.#order, () => {
      if (round !== this.#rounds || this.settledAtUs !== undefined) return;
      const late = this.#parts;
      this.#parts = [];
      this.#receivedMsat = 0n;
      for (const part of late) part.fail(failureOf('mpp_timeout'));
    });
  }

  #details(): Failure {
    return failureOf('incorrect_or_unknown_payment_details', { height: this.#world.height });
  }
}
