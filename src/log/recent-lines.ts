/** The last lines of the log, for the command `getlog`. Only lines permitted by the rules are kept. */
import type { LogRecord, RecentLog } from '../rpc/log.ts';

/** Maximum number of lines kept, and maximum total length of their messages in characters. */
const MAX_LINES = 2000;
const MAX_CHARACTERS = 1_000_000;

/** Keeps the last lines. */
export class RecentLines implements RecentLog {
  readonly maxCharacters = MAX_CHARACTERS;
  readonly startedAtMs: number;
  readonly #records: LogRecord[] = [];
  #first = 0;
  #characters = 0;
  #dropped = 0;

  constructor(startedAtMs: number) {
    this.startedAtMs = startedAtMs;
  }

  add(record: LogRecord): void {
    this.#records.push(record);
    this.#characters += sizeOf(record);
    while (this.#records.length - this.#first > MAX_LINES || this.#characters > MAX_CHARACTERS) {
      this.#characters -= sizeOf(this.#records[this.#first]!);
      this.#first++;
      this.#dropped++;
    }
    if (this.#first < MAX_LINES) return;
    this.#records.splice(0, this.#first);
    this.#first = 0;
  }

  /** The lines, oldest first. */
  get lines(): readonly LogRecord[] {
    return this.#records.slice(this.#first);
  }

  get characters(): number {
    return this.#characters;
  }

  get dropped(): number {
    return this.#dropped;
  }
}

const sizeOf = ({ message }: LogRecord): number => message.length;
