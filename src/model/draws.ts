/**
 * Random draws that are keyed by their use instead of taken from one sequence. A draw depends only on the seed, its
 * purpose and its subject (a channel, or one hop of one attempt), and never on earlier draws. So neither the order of
 * events nor the number of workers changes a draw.
 *
 * The mixer is the 32-bit finaliser that `NodeTable` uses for hashing. It is fast and reproducible, but not
 * cryptographically secure.
 */
import { mixWord } from './node-table.ts';

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
   * A number in [0, 1) with 32 bits.
   * @param purpose separates independent uses
   * @param a,b,c 32-bit words that identify the subject
   */
  uniform(purpose: number, a: number, b = 0, c = 0): number {
    let word = mixWord(this.low ^ Math.imul(purpose, STEP));
    word = mixWord(word ^ this.high);
    word = mixWord((word + Math.imul(a, STEP)) ^ a);
    word = mixWord((word + Math.imul(b, STEP)) ^ b);
    word = mixWord((word + Math.imul(c, STEP)) ^ c);
    return word / 0x1_0000_0000;
  }

  /** As `uniform`, with a 64-bit id as the subject. */
  uniformOf(purpose: number, id: bigint, c = 0): number {
    return this.uniform(purpose, Number(id & 0xffff_ffffn), Number((id >> 32n) & 0xffff_ffffn), c);
  }

  /** Whether an event with this probability happens. */
  happens(probability: number, purpose: number, a: number, b = 0, c = 0): boolean {
    return probability > 0 && this.uniform(purpose, a, b, c) < probability;
  }
}
