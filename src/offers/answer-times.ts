/**
 * How long answers take at the moment, over all fetches.
 *
 * When many fetches are in progress, an answer may take long only because all of us have much to do. To send the
 * same request again would add to that: all would be served later, and finally none in time. So a request is
 * late only when it takes twice as long as the answers that are coming in.
 */

/** Answers that are looked at: the last ones, if so many came within this time. */
const LOOKED_AT = 32;
const AT_LEAST = 8;
const RECENT_MS = 2000;
/** How many times as long as the others an answer takes when it is late. */
const LATE = 2;

/** The last answers: when each came, and how long after its request. */
export class AnswerTimes {
  #answers: { readonly atMs: number; readonly tookMs: number }[] = [];

  /** Takes note of an answer that came now. */
  note(nowMs: number, tookMs: number): void {
    this.#answers.push({ atMs: nowMs, tookMs });
    if (this.#answers.length > LOOKED_AT) this.#answers.shift();
  }

  /** Milliseconds after which an answer is late. 0 when too few answers come in to say so. */
  lateMs(nowMs: number): number {
    const recent = this.#answers.filter(({ atMs }) => nowMs - atMs <= RECENT_MS);
    if (recent.length < AT_LEAST) return 0;
    const times = recent.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
    return LATE * times[times.length >> 1]!;
  }
}
