/**
 * The terms for sending over one direction of a channel (BOLT 7, `channel_update`). The fee is:
 *
 *     fee = feeBaseMsat + floor(amount · feeProportionalMillionths / 10⁶)
 *
 * The amount is the one that crosses the channel. The direction's start node charges the fee (BOLT 7, "HTLC Fees"). On
 * the wire and in the columns of the graph, the base fee is a 32-bit number. Layers may set any 64-bit value, so in
 * layers it is an amount.
 */
import type { Msat } from './msat.ts';

/** One direction's policy. Amounts are in msat, and the delay is in blocks. */
export interface Policy<Amount extends bigint = Msat, BaseFee extends bigint | number = Amount> {
  readonly enabled: boolean;
  readonly htlcMinimumMsat: Amount;
  readonly htlcMaximumMsat: Amount;
  readonly feeBaseMsat: BaseFee;
  readonly feeProportionalMillionths: number;
  readonly cltvExpiryDelta: number;
}

/** A policy in wire form, with a base fee of 32 bits. */
export type WirePolicy = Policy<Msat, number>;

/** A policy without `enabled`, for code that stores `enabled` elsewhere or does not know it. */
export type PolicyTerms = Omit<Policy, 'enabled'>;

/** A policy as in a `channel_update`, where `enabled` is part of the flags. */
export type WirePolicyTerms = Omit<WirePolicy, 'enabled'>;

/** The cost of crossing a channel, in fees and blocks. */
export type Toll = Pick<Policy, 'feeBaseMsat' | 'feeProportionalMillionths' | 'cltvExpiryDelta'>;

/** A toll with the base fee as the 32-bit number of the wire. */
export type WireToll = Pick<WirePolicy, keyof Toll>;

/** Changes of a policy: the given fields replace those of the policy, and absent fields stay unchanged. */
export type PolicyUpdate = Partial<Policy<bigint>>;

/**
 * A node's charge for amounts arriving over one of its channels, in addition to the fee of the outgoing channel (bLIP
 * 18): in msat, and in parts per million of the incoming amount before this fee. A negative value is a discount.
 */
export interface InboundFee {
  readonly baseMsat: number;
  readonly ppm: number;
}

/** Base fee and rate. The base fee may be in wire form or an amount. */
export type ForwardingFees = Pick<
  Policy<bigint, bigint | number>,
  'feeBaseMsat' | 'feeProportionalMillionths'
>;

const MILLION = 1_000_000n;

/** floor(amount · millionths / 10⁶), in msat. */
export function proportionalMsat(amountMsat: bigint, millionths: bigint | number): bigint {
  return (amountMsat * BigInt(millionths)) / MILLION;
}

/** The fee for sending `amountMsat` across a direction, in msat. It may exceed 64 bits. */
export function forwardingFeeMsat(terms: ForwardingFees, amountMsat: bigint): bigint {
  return BigInt(terms.feeBaseMsat) + proportionalMsat(amountMsat, terms.feeProportionalMillionths);
}
