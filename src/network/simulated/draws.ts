/**
 * Random draws of a simulated network. They are not taken from one sequence. A draw depends only on the seed, on
 * its purpose, and on its subject (a channel, or one hop of one attempt). It does not depend on what was drawn
 * before. So neither the order in which payments arrive nor the number of workers changes a draw.
 */
import { mixWord } from '../../model/node-table.ts';

/** What a number is drawn for. Draws for different purposes are independent. */
export const PURPOSE = {
  balance: 1,
  balanceSide: 2,
  latency: 3,
  jitter: 4,
  offline: 5,
  unresponsive: 6,
  keysend: 7,
  attribution: 8,
  heightOffset: 9,
  unreportedPolicy: 10,
  unreportedFactor: 11,
  stuck: 12,
  stuckToExpiry: 13,
  garble: 14,
  blockInterval: 15,
  messageLoss: 16,
  peers: 17,
} as const;

/** What a draw is for. Different purposes give different numbers. */
export type Purpose = (typeof PURPOSE)[keyof typeof PURPOSE];

const STEP = 0x9e37_79b9;

/** Draws numbers that depend only on the seed, the purpose and the subject. */
export class Draws {
  private readonly low: number;
  private readonly high: number;

  /** @param seed 64 bits. */
  constructor(seed: bigint | number) {
    const seed64 = BigInt.asUintN(64, BigInt(seed));
    this.low = Number(seed64 & 0xffff_ffffn);
    this.high = Number(seed64 >> 32n);
  }

  /**
   * A number in [0, 1) with 32 bits, for this purpose and for up to three 32-bit words that say what it is
   * about.
   */
  uniform(purpose: Purpose, a: number, b = 0, c = 0): number {
    let word = mixWord(this.low ^ Math.imul(purpose, STEP));
    word = mixWord(word ^ this.high);
    word = mixWord((word + Math.imul(a, STEP)) ^ a);
    word = mixWord((word + Math.imul(b, STEP)) ^ b);
    word = mixWord((word + Math.imul(c, STEP)) ^ c);
    return word / 0x1_0000_0000;
  }

  /** The same for a 64-bit id. */
  uniformOf(purpose: Purpose, id: bigint, c = 0): number {
    return this.uniform(purpose, Number(id & 0xffff_ffffn), Number((id >> 32n) & 0xffff_ffffn), c);
  }

  /** Whether something of this probability happens. */
  happens(probability: number, purpose: Purpose, a: number, b = 0, c = 0): boolean {
    return probability > 0 && this.uniform(purpose, a, b, c) < probability;
  }
}
