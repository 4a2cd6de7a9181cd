/**
 * The policies in force. They are those of gossip, except for directions whose fees changed without it: there the node
 * asks for 1.1 to 3 times the announced fees, and says so in its failures (`fee_insufficient`).
 */
import { type ChannelGraph, POLICY_ENABLED, POLICY_KNOWN } from '../../model/channel-graph.ts';
import type { Draws } from '../../model/draws.ts';
import { msat } from '../../model/msat.ts';
import type { WirePolicy } from '../../model/policy.ts';
import { PURPOSE } from '../purposes.ts';

const LEAST_FACTOR = 1.1;
const MOST_FACTOR = 3;
const MAX_U32 = 0xffff_ffff;

/** Reads policies by direction index, without an object where only numbers are needed. */
export class TruePolicies {
  readonly #graph: ChannelGraph;
  readonly #changed = new Map<
    number,
    { readonly feeBaseMsat: number; readonly feeProportionalMillionths: number }
  >();

  /** @param share of directions whose fees changed without gossip */
  constructor(graph: ChannelGraph, draws: Draws, share: number) {
    this.#graph = graph;
    if (share === 0) return;
    for (let direction = 0; direction < 2 * graph.channelCount; direction++) {
      const scid = graph.shortChannelIds[direction >>> 1]!;
      const side = direction & 1;
      if (draws.uniformOf(PURPOSE.unreported, scid, side) >= share) continue;
      const draw = draws.uniformOf(PURPOSE.unreportedFactor, scid, side);
      const factor = LEAST_FACTOR + draw * (MOST_FACTOR - LEAST_FACTOR);
      const raised = (fee: number): number => Math.min(MAX_U32, Math.ceil(fee * factor));
      this.#changed.set(direction, {
        feeBaseMsat: raised(graph.feeBaseMsat[direction]!),
        feeProportionalMillionths: raised(graph.feeProportionalMillionths[direction]!),
      });
    }
  }

  isEnabled(direction: number): boolean {
    return this.#graph.policyFlags[direction] === (POLICY_KNOWN | POLICY_ENABLED);
  }

  /** Fee for sending the amount across the direction, as its node asks for it now. */
  feeMsat(direction: number, amountMsat: bigint): bigint {
    const { feeBaseMsat, feeProportionalMillionths } = this.#fees(direction);
    return BigInt(feeBaseMsat) + (amountMsat * BigInt(feeProportionalMillionths)) / 1_000_000n;
  }

  /** The whole policy in force. */
  policy(direction: number): WirePolicy {
    const graph = this.#graph;
    return {
      enabled: this.isEnabled(direction),
      htlcMinimumMsat: msat(graph.htlcMinimumMsat[direction]!),
      htlcMaximumMsat: msat(graph.htlcMaximumMsat[direction]!),
      cltvExpiryDelta: graph.cltvExpiryDelta[direction]!,
      ...this.#fees(direction),
    };
  }

  #fees(direction: number): { readonly feeBaseMsat: number; readonly feeProportionalMillionths: number } {
    const changed = this.#changed.get(direction);
    if (changed !== undefined) return changed;
    return {
      feeBaseMsat: this.#graph.feeBaseMsat[direction]!,
      feeProportionalMillionths: this.#graph.feeProportionalMillionths[direction]!,
    };
  }
}
