/** The kernel's input and output, and a direction as the kernel sees it. */
import type { Policy } from '../../model/policy.ts';
import type { Direction, ShortChannelId } from '../../model/short-channel-id.ts';
import type { QuestionFlags } from '../question/question.ts';
import type { Unfinished } from '../question/route.ts';
import type { SolveGoal, SolveStatus } from './kernel-layout.ts';

/** A direction with its terms and bounds, under the applied stack of layers. */
export interface EffectiveArc extends Policy<bigint, number> {
  readonly shortChannelId: ShortChannelId;
  readonly direction: Direction;
  readonly tail: number;
  readonly head: number;
  readonly known: boolean;
  readonly minMsat: bigint;
  readonly maxMsat: bigint;
  readonly factor: number;
}

/**
 * A part found by the kernel: the amount that arrives (with `auto.include_fees`, the amount that enters the route), and
 * the arcs from source to destination.
 */
export interface KernelPart {
  readonly amountMsat: bigint;
  readonly arcs: readonly number[];
}

/**
 * The contents of the kernel's record of a question (assembly/record.ts). Absent fields are 0, except the goal, which
 * is `best`, and the weight of fees, which is 1.
 */
export interface Asked extends QuestionFlags {
  /** The kernel's numbers of the source and of the destination. */
  readonly source: number;
  readonly destination: number;
  readonly amountMsat: bigint;
  readonly maxfeeMsat: bigint;
  /** Maximum total delay of a part's directions, in blocks: `maxdelay` minus the recipient's own final delta. */
  readonly maxPathDelay: number;
  readonly maxparts: number;
  readonly maxhops: number;
  readonly goal?: SolveGoal | undefined;
  readonly feeWeight?: number;
  readonly riskPrice?: number;
  readonly delayRate?: number;
  readonly partPrice?: number;
  readonly noiseSeed?: bigint;
  readonly noiseSpread?: number;
}

/** The result of a search, and what it proved if it found nothing. */
export interface Solution {
  readonly status: SolveStatus;
  /** The parts of the answer. Empty unless the status is `ok`. */
  readonly parts: readonly KernelPart[];
  /**
   * Present when there is an answer that is not proven to be (nearly) the best: its cost, and a lower bound of the cost
   * of any answer.
   */
  readonly unfinished?: Unfinished;
  /**
   * The fees, delay and parts that the answer takes. With `tooDear` and `perhapsTooDear`, those of an answer that keeps
   * all limits except the fee limit. Otherwise zeros. `pathDelay` does not include the recipient's own final delta.
   */
  readonly takes: { readonly feeMsat: bigint; readonly pathDelay: number; readonly parts: number };
  /** After a failure: how much can be delivered. If `isProven`, it is the maximum under any limits. */
  readonly deliverableMsat: bigint;
  readonly isProven: boolean;
  /**
   * With `tooDear`: whether it is proven that every answer within the other limits costs at least 99 % of the fees in
   * `takes`.
   */
  readonly isFeeLeast: boolean;
  /** With `tooDear` and `perhapsTooDear`: steps of the search for lowest fees until it found the answer in `takes`. */
  readonly dearSteps: number;
  /** Whether any limit was an obstacle during the search, and whether the delay limit was an obstacle. */
  readonly isLimited: boolean;
  readonly isDelayLimited: boolean;
}
