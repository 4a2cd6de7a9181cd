/**
 * The actual policies. They equal those of gossip, except for directions whose fees differ without gossip: their nodes
 * report the required fees in failures (`fee_insufficient`). A share of the directions requires 1.1 to 3 times the
 * announced fees. Fees may also change repeatedly, at exponentially distributed intervals, to between half and twice
 * the announced fees, and a program can set them.
 */
import { type ChannelGraph, POLICY_ENABLED, POLICY_KNOWN } from '../../model/channel-graph.ts';
import type { Draws } from '../../model/draws.ts';
import { msat } from '../../model/msat.ts';
import { forwardingFeeMsat, type WirePolicy } from '../../model/policy.ts';
import { exponential } from '../distributions.ts';
import { PURPOSE } from '../purposes.ts';
import type { NetworkScenario } from '../scenario/scenario.ts';

const MIN_FACTOR = 1.1;
const MAX_FACTOR = 3;
const MAX_U32 = 0xffff_ffff;

interface Fees {
  readonly feeBaseMsat: number;
  readonly feeProportionalMillionths: number;
}

/** The fees of a direction that change over time. */
interface FeeTimeline {
  fees: Fees;
  untilUs: number;
  changes: number;
}

/** Reads policies by direction index. */
export class TruePolicies {
  readonly #graph: ChannelGraph;
  readonly #draws: Draws;
  readonly #changeUs: number;
  readonly #nowUs: () => number;
  readonly #changed = new Map<number, Fees>();
  readonly #timelines = new Map<number, FeeTimeline>();

  /** @param nowUs the clock of the simulation, which is monotonic */
  constructor(
    graph: ChannelGraph,
    draws: Draws,
    { unreportedFees: share, feeChangeUs }: Pick<NetworkScenario, 'unreportedFees' | 'feeChangeUs'>,
    nowUs: () => number,
  ) {
    this.#graph = graph;
    this.#draws = draws;
    this.#changeUs = feeChangeUs;
    this.#nowUs = nowUs;
    if (share === 0) return;
    for (let direction = 0; direction < 2 * graph.channelCount; direction++) {
      const scid = graph.shortChannelIds[direction >>> 1]!;
      const side = direction & 1;
      if (draws.uniformOf(PURPOSE.unreported, scid, side) >= share) continue;
      const draw = draws.uniformOf(PURPOSE.unreportedFactor, scid, side);
      const factor = MIN_FACTOR + draw * (MAX_FACTOR - MIN_FACTOR);
      this.#changed.set(direction, this.#scaled(direction, factor));
    }
  }

  /** Sets the fees of a direction. Gossip does not report the change. */
  setFees(direction: number, feeBaseMsat: number, feeProportionalMillionths: number): void {
    this.#timelines.set(direction, {
      fees: { feeBaseMsat, feeProportionalMillionths },
      untilUs: Number.POSITIVE_INFINITY,
      changes: 0,
    });
  }

  isEnabled(direction: number): boolean {
    return this.#graph.policyFlags[direction] === (POLICY_KNOWN | POLICY_ENABLED);
  }

  /** The fee that the node of the direction currently requires for the amount. */
  feeMsat(direction: number, amountMsat: bigint): bigint {
    return forwardingFeeMsat(this.#fees(direction), amountMsat);
  }

  /** The complete actual policy. */
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

  #fees(direction: number): Fees {
    if (this.#changeUs === 0) {
      const set = this.#timelines.size === 0 ? undefined : this.#timelines.get(direction)?.fees;
      return set ?? this.#startingFees(direction);
    }
    const timeline = this.#timelineOf(direction);
    while (this.#nowUs() >= timeline.untilUs) {
      timeline.changes++;
      timeline.untilUs += this.#waitUs(direction, timeline.changes);
      const draw = this.#drawn(PURPOSE.feeChangeFactor, direction, timeline.changes);
      timeline.fees = this.#scaled(direction, 2 ** (2 * draw - 1));
    }
    return timeline.fees;
  }

  #startingFees(direction: number): Fees {
    return this.#changed.get(direction) ?? this.#scaled(direction, 1);
  }

  #timelineOf(direction: number): FeeTimeline {
    const known = this.#timelines.get(direction);
    if (known !== undefined) return known;
    const fresh = { fees: this.#startingFees(direction), untilUs: this.#waitUs(direction, 0), changes: 0 };
    this.#timelines.set(direction, fresh);
    return fresh;
  }

  #waitUs(direction: number, change: number): number {
    const draw = this.#drawn(PURPOSE.feeChange, direction, change);
    return Math.max(1, Math.floor(exponential(draw, this.#changeUs)));
  }

  #drawn(purpose: number, direction: number, change: number): number {
    return this.#draws.uniformOf(
      purpose,
      this.#graph.shortChannelIds[direction >>> 1]!,
      2 * change + (direction & 1),
    );
  }

  /** The announced fees times a factor, rounded up. */
  #scaled(direction: number, factor: number): Fees {
    const scaled = (fee: number): number => Math.min(MAX_U32, Math.ceil(fee * factor));
    return {
      feeBaseMsat: scaled(this.#graph.feeBaseMsat[direction]!),
      feeProportionalMillionths: scaled(this.#graph.feeProportionalMillionths[direction]!),
    };
  }
}
