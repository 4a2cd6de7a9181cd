/**
 * The table of a payment in progress, redrawn in place at the bottom of a terminal.
 *
 * Only ANSI "cursor up" and "erase below" are used. Lines are cut to the terminal's width. Until the payment ends, the
 * table is also cut to the terminal's height, because lines that have scrolled away cannot be erased. The final table
 * is complete and stays on the screen.
 */
import type { JsonToken } from '../../rpc/json-token.ts';
import { membersOf } from '../../rpc/socket-client.ts';
import { type AttemptView, attemptView, tableLines } from './payment-table.ts';

/** A terminal that can redraw lines. */
export interface Screen {
  readonly write: (text: string) => void;
  /** The current size. 0 if unknown. */
  readonly size: () => { readonly columns: number; readonly rows: number };
}

/** Milliseconds between redraws when only the time changes. */
const TICK_MS = 200;
const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;
/** Minimum number of rows: a smaller table would show nothing useful. */
const MIN_ROWS = 4;

/** Draws the table of a payment at the bottom of a terminal, and redraws it whenever it changes. */
export class LiveTable {
  readonly #screen: Screen;
  /** The attempts by id, in the order in which they started. */
  readonly #attempts = new Map<string, AttemptView>();
  #drawn: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /**
   * Adds the `attempt` of a notification, or updates it.
   * @returns false when the notification has none
   */
  show(token: JsonToken): boolean {
    const part = token.kind === 'object' ? membersOf(token).partid?.text : undefined;
    if (part === undefined) return false;
    const view = attemptView(token, Date.now(), this.#attempts.get(part));
    if (view === undefined) return false;
    this.#attempts.set(part, view);
    this.#draw('');
    this.#timer ??= setInterval(() => this.#draw(''), TICK_MS);
    return true;
  }

  /** Writes a line above the table. */
  say(line: string): void {
    this.#draw(line);
  }

  /**
   * Marks all pending attempts as arrived. Call it when the preimage is known: the recipient releases it only once it
   * has all parts.
   */
  arrive(): void {
    const nowMs = Date.now();
    for (const [part, attempt] of this.#attempts) {
      if (attempt.state !== 'pending') continue;
      this.#attempts.set(part, { ...attempt, state: 'arrived', tookMs: nowMs - attempt.sinceMs });
    }
  }

  /** Draws the complete table one last time. */
  close(): void {
    clearInterval(this.#timer);
    this.#draw('', true);
    this.#attempts.clear();
    this.#drawn = [];
  }

  #draw(above: string, isWhole = false): void {
    const { columns, rows } = this.#screen.size();
    const width = columns > 0 ? columns : USUAL_COLUMNS;
    const height = Math.max(MIN_ROWS, rows > 0 ? rows : USUAL_ROWS);
    // Number of lines that the last drawing occupies: more than were written if the terminal has become narrower.
    const up = this.#drawn.reduce((sum, line) => sum + Math.ceil(line.length / width), 0);
    const attempts = [...this.#attempts.values()];
    // One column is left free, because some terminals wrap as soon as the last column is written.
    const all = attempts.length === 0 ? [] : tableLines(attempts, Date.now(), width - 1);
    this.#drawn = isWhole || all.length < height ? all : [all[0]!, ...all.slice(2 - height)];
    const erase = up === 0 ? '' : `\x1b[${up}A\r\x1b[J`;
    this.#screen.write(erase + above + this.#drawn.map((line) => `${line}\n`).join(''));
  }
}
