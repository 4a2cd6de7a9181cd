/**
 * Splits a stream of bytes into JSON texts: consecutive objects or arrays, with or without white space in between.
 * Texts have neither a length prefix nor a terminator. A text ends where its brackets balance.
 *
 * Each byte is examined once, regardless of chunk sizes. An unfinished text is kept in one buffer that doubles, so many
 * tiny chunks cost no more than a few large ones. Only brackets and strings are interpreted here; the parser decides
 * whether the text is JSON. The first byte must be `{` or `[`. Anything else is refused immediately, because the end of
 * such a text cannot be found.
 */
import { FulguriteError } from '../model/errors.ts';
import type { InputBudget } from './input-budget.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The only bit that differs between `{` and `[`, and between `}` and `]`. */
const BRACE_BIT = 0x20;
const OPENING = 0x5b;
const CLOSING = 0x5d;

/** Initial size of the buffer for an unfinished text, in bytes. */
const FIRST_BYTES = 4096;

const NOTHING = Buffer.alloc(0);

/** Maximum number of characters of unreadable input shown in an error. */
const MAX_BYTES_SHOWN = 200;

/** The error for input that is not JSON, with the start of the input. The text is that of Core Lightning. */
export function unparsable(input: string, reason: string): FulguriteError {
  const text = input.length <= MAX_BYTES_SHOWN ? input : `${input.slice(0, MAX_BYTES_SHOWN)}…`;
  return new FulguriteError('parseError', `Failed to parse RPC JSON response '${text}'`, { reason });
}

/** Accepts bytes as they arrive and returns complete JSON texts. */
export class Framer {
  private readonly maxBytes: number;
  private readonly budget: InputBudget;
  /** Chunks with unprocessed bytes. In the first chunk, these begin at `at`. */
  private readonly chunks: Buffer[] = [];
  private at = 0;
  /** Buffer with the incomplete text so far, which fills its first `heldBytes` bytes. */
  private held: Buffer = NOTHING;
  private heldBytes = 0;
  /** Number of open brackets. 0 between texts. */
  private depth = 0;
  private inString = false;
  private escaped = false;

  constructor(maxBytes: number, budget: InputBudget) {
    this.maxBytes = maxBytes;
    this.budget = budget;
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  get unfinished(): boolean {
    return this.depth > 0;
  }

  /**
   * The bytes of the next text. Undefined when more chunks are needed.
   * @throws FulguriteError parseError, tooLarge, busy. The rest of the stream is then unreadable.
   */
  next(): Buffer | undefined {
    for (let chunk = this.chunks[0]; chunk !== undefined; chunk = this.chunks[0]) {
      const text = this.depth > 0 || this.skipSpace(chunk) ? this.readChunk(chunk) : undefined;
      if (text !== undefined) return text;
      this.chunks.shift();
      this.at = 0;
    }
    return undefined;
  }

  /** Moves to the start of the next text. Returns false if the chunk contains none. */
  private skipSpace(chunk: Buffer): boolean {
    while (this.at < chunk.length) {
      const byte = chunk[this.at]!;
      if ((byte | BRACE_BIT) === (OPENING | BRACE_BIT)) return true;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
        const rest = chunk.toString('utf8', this.at, this.at + MAX_BYTES_SHOWN + 1);
        throw unparsable(rest, 'expected an object or an array');
      }
      this.at++;
    }
    return false;
  }

  /** Takes the rest of the text in progress from a chunk. Undefined if the text does not end in this chunk. */
  private readChunk(chunk: Buffer): Buffer | undefined {
    const start = this.at;
    const end = this.scan(chunk, start);
    const bytes = this.heldBytes + (end - start);
    if (bytes > this.maxBytes) {
      throw new FulguriteError('tooLarge', `A request exceeds ${this.maxBytes} bytes`, {
        limit: this.maxBytes,
      });
    }
    const part = chunk.subarray(start, end);
    this.at = end;
    if (this.depth === 0 && this.heldBytes === 0) return part;
    this.hold(part, bytes);
    if (this.depth > 0) return undefined;
    const text = this.held.subarray(0, bytes);
    this.release();
    return text;
  }

  private hold(part: Buffer, bytes: number): void {
    if (bytes > this.held.length) {
      const size = Math.max(bytes, FIRST_BYTES, Math.min(this.held.length * 2, this.maxBytes));
      if (!this.budget.tryReserve(size - this.held.length)) {
        const limit = this.budget.maxBytes;
        throw new FulguriteError('busy', `The requests of all clients exceed ${limit} bytes`, { limit });
      }
      const larger = Buffer.allocUnsafeSlow(size);
      this.held.copy(larger, 0, 0, this.heldBytes);
      this.held = larger;
    }
    part.copy(this.held, this.heldBytes);
    this.heldBytes = bytes;
  }

  /** Releases the buffered text, because it is complete or its client is gone. */
  release(): void {
    this.budget.release(this.held.length);
    this.held = NOTHING;
    this.heldBytes = 0;
  }

  /** Offset just after the text, or the length of the chunk when the text continues. Updates the state. */
  private scan(chunk: Buffer, start: number): number {
    let { depth, inString, escaped } = this;
    let at = start;
    for (; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) {
        inString = true;
      } else if ((byte | BRACE_BIT) === (OPENING | BRACE_BIT)) {
        depth++;
      } else if ((byte | BRACE_BIT) === (CLOSING | BRACE_BIT) && --depth === 0) {
        at++;
        break;
      }
    }
    this.depth = depth;
    this.inString = inString;
    this.escaped = escaped;
    return at;
  }
}
