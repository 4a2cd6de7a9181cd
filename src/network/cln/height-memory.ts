/**
 * Detects that the node has fewer blocks than before. After a crash, a node reads the last blocks again, and at first
 * its `getinfo` does not warn of that. HTLCs sent during that time expire too soon for their recipients, who refuse
 * them permanently.
 */

/**
 * Maximum number of blocks that a reorganisation of the chain may remove. A node that has lost more blocks is catching
 * up.
 */
const MAX_REORG_BLOCKS = 6;
/** Milliseconds after which a lower height than the greatest one counts as correct. */
const CATCH_UP_MS = 600_000;

/** Remembers the greatest height that the node has reported. */
export class HeightMemory {
  #highest = 0;
  /** When the node fell behind the greatest height. Undefined while it is not behind. */
  #behindSinceMs: number | undefined;

  /** Records a height. @returns why the height is unreliable; undefined when it is reliable */
  note(height: number, nowMs: number): string | undefined {
    if (height < this.#highest - MAX_REORG_BLOCKS) {
      this.#behindSinceMs ??= nowMs;
      if (nowMs - this.#behindSinceMs < CATCH_UP_MS) {
        return `the node is at block ${height} and was at ${this.#highest}: it is catching up`;
      }
      this.#highest = height;
    }
    this.#behindSinceMs = undefined;
    this.#highest = Math.max(this.#highest, height);
    return undefined;
  }
}
