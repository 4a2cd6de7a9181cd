/**
 * Indexes of payments and attempts that no other daemon uses. They are taken from the database in blocks, in advance,
 * so that assigning one never waits. Indexes left in a block when the process ends are never used.
 */
import type { PaymentIndexes, PaymentNumbers } from '../payment-repository.ts';
import { SKIP_LOST } from './commit-order.ts';
import type { PostgresLine } from './line.ts';
import { storeFailed } from './refusal.ts';
import { THIS_SERVER } from './schema.ts';

type NumberKind = keyof PaymentIndexes;

/**
 * Numbers taken at a time. Lists by index examine every number, even unused ones, so unused numbers have a small cost.
 */
const BLOCK = 1024;
/** A failover may lose the record of which numbers were assigned, so this many are skipped after it. */
const LOST = 64 * BLOCK;
const TAKE = `
  UPDATE number_block SET server = ${THIS_SERVER},
    next = next + $2 + CASE WHEN server IN ('', ${THIS_SERVER}) THEN 0 ELSE ${LOST} END
  WHERE kind = $1 RETURNING next - $2 AS first`;

interface NumberBlock {
  next: number;
  end: number;
  /** First number of the block after this one. */
  after: number | undefined;
  isAsking: boolean;
}

/** Numbers taken from the database and not yet assigned. */
export class NumberBlocks implements PaymentNumbers {
  /** The first number for a payment of this run. This run starts no payment with a lower number. */
  readonly first: number;
  readonly #line: PostgresLine;
  readonly #blocks: Readonly<Record<NumberKind, NumberBlock>>;

  private constructor(line: PostgresLine, blocks: Readonly<Record<NumberKind, NumberBlock>>) {
    this.#line = line;
    this.#blocks = blocks;
    this.first = blocks.payment.next;
  }

  /** Takes the first blocks. @throws FulguriteError storeFailed */
  static async open(line: PostgresLine): Promise<NumberBlocks> {
    const block = async (kind: NumberKind): Promise<NumberBlock> => {
      const next = await take(line, kind);
      return { next, end: next + BLOCK, after: undefined, isAsking: false };
    };
    const [payment, attempt, updated] = await Promise.all([
      block('payment'),
      block('attempt'),
      block('updated'),
    ]);
    await line.ask(SKIP_LOST.sql);
    return new NumberBlocks(line, { payment, attempt, updated });
  }

  next(kind: NumberKind): number {
    const block = this.#blocks[kind];
    if (block.next === block.end) {
      if (block.after === undefined) {
        void this.#askMore(kind);
        throw storeFailed(`it did not assign more numbers for ${kind} rows in time`);
      }
      block.next = block.after;
      block.end = block.after + BLOCK;
      block.after = undefined;
    }
    if (block.after === undefined && block.end - block.next <= BLOCK / 2) void this.#askMore(kind);
    return block.next++;
  }

  async #askMore(kind: NumberKind): Promise<void> {
    const block = this.#blocks[kind];
    if (block.isAsking || block.after !== undefined) return;
    block.isAsking = true;
    try {
      block.after = await take(this.#line, kind);
    } catch {
      // The next call requests the block again.
    } finally {
      block.isAsking = false;
    }
  }
}

async function take(line: PostgresLine, kind: NumberKind): Promise<number> {
  const [row] = await line.ask(TAKE, [kind, BLOCK]);
  return Number(row!.first);
}
