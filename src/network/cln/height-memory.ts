/**
 * Notices a node that has fewer blocks than it had. After a crash it reads the last blocks again, and its `getinfo` does not warn
 * from the first moment on. HTLCs that are sent then expire too soon for their recipient, which refuses them for good.
 */

/** A chain may lose so many blocks to another branch. A node that is further back is catching up. */
const MAX_REORG_BLOCKS = 6;
/** After this time the lower height is believed. */
const CATCH_UP_MS = 600_000;

/** The largest height that the node has reported. */
export class HeightMemory {
  #highest = 0;
  /** Since when the node has been behind that. Undefined when it is not. */
  #behindSinceMs: number | undefined;

  /** Notes a height. @returns why the node's height is unreliable, undefined when it is not */
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
