/**
 * Keeps answers to requests with an `Idempotency-Key`, so that a repeated request is not executed twice.
 *
 * An answer is kept in memory for a day, or until there are too many answers. Payments are protected for longer: the
 * key is stored with the payment in the journal (`idempotency_key` of the command), so a payment is not repeated after
 * a restart either.
 */
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { CallAnswer } from './call-forms.ts';

const KEPT_MS = 86_400_000;
const MAX_KEPT = 10_000;
/** Maximum number of characters in one answer, and in all answers together. A longer answer is not kept. */
const MAX_CHARACTERS = 256 * 1024;
const MAX_ALL_CHARACTERS = 16 * 1024 * 1024;

/** A request that was executed, or is being executed. */
interface KeptAnswer {
  readonly digest: string;
  readonly answer: Promise<CallAnswer>;
  readonly atMs: number;
  /** Number of characters in the answer. Undefined while the request is in progress. */
  characters: number | undefined;
}

/** A digest that identifies a request's content. */
export function digestOf(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return hash.digest('base64');
}

/** Keeps answers by name. A name consists of a rune's unique id and an `Idempotency-Key`. */
export class KeptAnswers {
  readonly #kept = new Map<string, KeptAnswer>();
  #characters = 0;

  /** The request that was executed under a name, if it is still kept. */
  find(name: string): { readonly digest: string; readonly answer: Promise<CallAnswer> } | undefined {
    const kept = this.#kept.get(name);
    if (kept === undefined || performance.now() - kept.atMs < KEPT_MS) return kept;
    this.#forget(name, kept);
    return undefined;
  }

  /** Executes a request. Keeps its answer if anything was done, and the answer is neither too long nor a list. */
  async keep(name: string, digest: string, run: () => Promise<CallAnswer>): Promise<CallAnswer> {
    const answer = run().then(inText);
    const kept: KeptAnswer = { digest, answer, atMs: performance.now(), characters: undefined };
    this.#kept.set(name, kept);
    try {
      const done = await answer;
      if (!done.isCarriedOut || !Array.isArray(done.pieces)) this.#forget(name, kept);
      else this.#count(kept, done.pieces.join('').length);
      return done;
    } catch (error) {
      this.#forget(name, kept);
      throw error;
    }
  }

  #count(kept: KeptAnswer, characters: number): void {
    kept.characters = characters;
    this.#characters += characters;
    for (const [name, one] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT && this.#characters <= MAX_ALL_CHARACTERS) break;
      if (one.characters !== undefined && one !== kept) this.#forget(name, one);
    }
  }

  #forget(name: string, kept: KeptAnswer): void {
    this.#kept.delete(name);
    this.#characters -= kept.characters ?? 0;
  }
}

/**
 * The answer as text that can be written repeatedly. An answer that is too long, or that waits for a list, stays
 * unchanged.
 */
function inText(answer: CallAnswer): CallAnswer {
  const iterator = answer.pieces[Symbol.iterator]();
  const taken: string[] = [];
  let characters = 0;
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    const piece = next.value;
    if (typeof piece !== 'string' || characters + piece.length > MAX_CHARACTERS) {
      return { ...answer, pieces: resumed([...taken, piece], iterator) };
    }
    taken.push(piece);
    characters += piece.length;
  }
  return { ...answer, pieces: taken };
}

function* resumed<T>(taken: readonly T[], rest: Iterator<T>): Generator<T, void> {
  yield* taken;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}
