/** What the kernel is asked and its reply, and a direction as the kernel sees it. */
import type { Policy } from '../../model/policy.ts';
import type { Direction, ShortChannelId } from '../../model/short-channel-id.ts';
import type { QuestionFlags } from '../question/question.ts';
import type { Unfinished } from '../question/route.ts';
import type { SolveGoal, SolveStatus } from './kernel-layout.ts';

/** A direction with its terms and bounds, under the stack of layers that is applied. */
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

/** A part as the kernel found it: the amount that arrives, and the arcs from source to destination. */
export interface KernelPart {
  readonly amountMsat: bigint;
  readonly arcs: readonly number[];
}

/**
 * What is written to the kernel's record of a question (assembly/record.ts). Fields that are absent are 0,
 * but for the goal, which is `best`, and the weight of fees, which is 1.
 */
export interface Asked extends QuestionFlags {
  /** Number of a node, as the other end. */
  readonly source: number;
  readonly destination: number;
  readonly amountMsat: bigint;
  readonly maxfeeMsat: bigint;
  /** Maximum blocks that the directions of a part may add up to: `maxdelay` less the recipient's own final delta. */
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

/** What a search found, and what it proved if it found nothing. */
export interface Solution {
  readonly status: SolveStatus;
  /** The parts of the answer. Empty with `tooDear`. */
  readonly parts: readonly KernelPart[];
  /**
   * Present when the effort ended before the best answer was found: the cost of this one, and the least that
   * any can cost.
   */
  readonly unfinished?: Unfinished;
  /**
   * What the answer takes. With `tooDear` and `perhapsTooDear`, what an answer takes that keeps all limits but
   * the fee's. Otherwise zeros. `pathDelay` does not contain the recipient's own final delta.
   */
  readonly takes: { readonly feeMsat: bigint; readonly pathDelay: number; readonly parts: number };
  /** After a failure: how much can be delivered. When `isProven`, it is the most under any limits. */
  readonly deliverableMsat: bigint;
  readonly isProven: boolean;
  /** With `tooDear`: whether no answer within the other limits costs a hundredth less in fees than `takes` says. */
  readonly isFeeLeast: boolean;
  /** Whether any limit stood in the way during the search, and whether the one on delay did. */
  readonly isLimited: boolean;
  readonly isDelayLimited: boolean;
}
