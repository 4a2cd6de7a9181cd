/**
 * Executes a rebalancing plan: a few parts at a time, each with one or more payments to ourselves. If a payment fails,
 * half of its amount is tried next, down to the smallest amount worth moving. If the outcome of a payment is unknown,
 * nothing more is sent for its part, because the payment may still arrive.
 */
import { type Msat, msat } from '../../model/msat.ts';
import { feeLimitPpm, type PlannedMove, type RebalanceLimits } from '../plan/rebalance.ts';

/** Number of parts sent at a time. */
const AT_ONCE = 4;
/** Maximum number of payments for one part of a plan. */
const MAX_PIECES = 8;
const PPM = 1_000_000n;

/** The amount that one payment moved, and its fee. Both are 0 if it failed, or while its outcome is unknown. */
export interface Moved {
  readonly amountMsat: bigint;
  readonly feeMsat: bigint;
  /**
   * Whether the outcome is still unknown. The payment may then still move its amount, at a cost of up to its fee limit.
   */
  readonly isOpen?: boolean;
}

/** Makes one payment to ourselves, within a fee limit. Does not reject if the payment fails. */
export type MoveOnce<T extends Moved> = (piece: PlannedMove, maxfeeMsat: Msat) => Promise<T>;

/**
 * Moves all parts of a plan, `AT_ONCE` at a time.
 * @returns the result of each payment, in the order in which they ended
 */
export async function carryOut<T extends Moved>(
  moves: readonly PlannedMove[],
  limits: RebalanceLimits,
  moveOnce: MoveOnce<T>,
): Promise<T[]> {
  const outcomes: T[] = [];
  const fees = new FeeShares(limits.maxfeeMsat, moves);
  const send = async (move: PlannedMove, amountMsat: Msat): Promise<T> => {
    const shareMsat = (amountMsat * BigInt(feeLimitPpm(limits, move.in))) / PPM;
    const maxfeeMsat = fees.take(move, shareMsat);
    const outcome = await moveOnce({ ...move, amountMsat }, maxfeeMsat);
    if (outcome.isOpen !== true) fees.giveBack(maxfeeMsat - outcome.feeMsat);
    outcomes.push(outcome);
    return outcome;
  };
  /** Moves one part of the plan, in smaller pieces if a payment for the whole part fails. */
  const sendInPieces = async (move: PlannedMove): Promise<void> => {
    let remainingMsat: bigint = move.amountMsat;
    let pieceMsat = remainingMsat;
    for (let tries = 0; tries < MAX_PIECES && pieceMsat >= limits.leastMsat && pieceMsat > 0n; tries++) {
      const { amountMsat, isOpen } = await send(move, msat(pieceMsat));
      if (isOpen === true) return;
      remainingMsat -= amountMsat;
      if (amountMsat === 0n) pieceMsat /= 2n;
      else if (pieceMsat > remainingMsat) pieceMsat = remainingMsat;
    }
  };
  const waiting = [...moves];
  const sendAll = async (): Promise<void> => {
    for (let move = waiting.shift(); move !== undefined; move = waiting.shift()) await sendInPieces(move);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendAll));
  return outcomes;
}

/**
 * Divides the total fee limit among parts. Each part may use everything that is left, except the planned fees of the
 * parts that have not started.
 */
class FeeShares {
  #leftMsat: bigint;
  readonly #planned: Map<PlannedMove, bigint>;

  constructor(maxfeeMsat: bigint, moves: readonly PlannedMove[]) {
    this.#leftMsat = maxfeeMsat;
    this.#planned = new Map(moves.map((move) => [move, move.feeMsat]));
  }

  /** Reserves fees for a payment of this part, at most `shareMsat`. @returns the fee limit of the payment */
  take(move: PlannedMove, shareMsat: bigint): Msat {
    this.#planned.delete(move);
    const needed = [...this.#planned.values()].reduce((sum, feeMsat) => sum + feeMsat, 0n);
    const freeMsat = this.#leftMsat > needed ? this.#leftMsat - needed : 0n;
    const maxfeeMsat = shareMsat < freeMsat ? shareMsat : freeMsat;
    this.#leftMsat -= maxfeeMsat;
    return msat(maxfeeMsat);
  }

  giveBack(unusedMsat: bigint): void {
    this.#leftMsat += unusedMsat;
  }
}
