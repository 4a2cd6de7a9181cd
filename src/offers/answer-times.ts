/**
 * Measures how long answers to requests currently take, over all fetches.
 *
 * When many fetches are in progress, answers may be slow only because this node and the network are busy. Sending
 * requests again would make that worse, until no answer arrived in time. So an answer counts as late only if it takes
 * twice as long as recent answers.
 */

/** Maximum number of recent answers considered. */
const LOOKED_AT = 32;
const AT_LEAST = 8;
const RECENT_MS = 2000;
/** An answer is late if it takes this many times the median of recent answers. */
const LATE = 2;

const ascending = (a: number, b: number): number => a - b;

/** The recent answers: when each arrived, and how long it took, by a monotonic clock. */
export class AnswerTimes {
  #answers: { readonly atMs: number; readonly tookMs: number }[] = [];

  /** Records an answer that arrived now. */
  note(nowMs: number, tookMs: number): void {
    this.#answers.push({ atMs: nowMs, tookMs });
    if (this.#answers.length > LOOKED_AT) this.#answers.shift();
  }

  /** Milliseconds after which an answer is late. 0 if there are too few recent answers to decide. */
  lateMs(nowMs: number): number {
    const times: number[] = [];
    for (const { atMs, tookMs } of this.#answers) if (nowMs - atMs <= RECENT_MS) times.push(tookMs);
    if (times.length < AT_LEAST) return 0;
    times.sort(ascending);
    return LATE * times[times.length >> 1]!;
  }
}
