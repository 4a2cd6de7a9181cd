/**
 * The log of everything that happens in a simulated network, as lines of text. Only its digest is kept: SHA-256 over
 * the lines. Two runs are equal if their digests are equal. A listener can receive the lines.
 */
import { createHash } from 'node:crypto';

/** Hashes the lines of the log, and passes them to a listener if there is one. */
export class EventLog {
  private readonly hash = createHash('sha256');
  private readonly listener: ((line: string) => void) | undefined;
  private pending = '';
  lines = 0;

  constructor(listener?: (line: string) => void) {
    this.listener = listener;
  }

  add(line: string): void {
    this.lines++;
    this.pending += `${line}\n`;
    // The hash gets several kilobytes at a time, because each call has a fixed cost.
    if (this.pending.length > 8192) this.flush();
    this.listener?.(line);
  }

  /** Hex digest of all lines so far. */
  digest(): string {
    this.flush();
    return this.hash.copy().digest('hex');
  }

  private flush(): void {
    this.hash.update(this.pending);
    this.pending = '';
  }
}
