/**
 * An application's list of its payments, as CSV (RFC 4180) with the columns `key` and `amount_msat`, in any order, and
 * possibly other columns. A key is a payment's idempotency key, quote id, payment hash or id.
 */
import { FulguriteError } from '../../../model/errors.ts';
import type { ApplicationList } from '../../../payments/books/reconciliation.ts';

/** Maximum number of rows. */
export const MAX_LISTED = 1_000_000;
const COLUMNS = ['key', 'amount_msat'] as const;
const MAX_KEY_LENGTH = 1024;

/** Parses a list. @throws FulguriteError invalidParams with the line of the first fault */
export function parseApplicationList(text: string, parameter: string): ApplicationList {
  const amounts = new Map<string, bigint>();
  const lineOfKey = new Map<string, number>();
  const refuse = (line: number, reason: string): never => {
    throw new FulguriteError('invalidParams', `${parameter}, line ${line}: ${reason}`, {
      parameter,
      line,
      reason,
    });
  };
  let places: readonly [key: number, amount: number] | undefined;
  for (const { line, cells } of csvLines(text, refuse)) {
    if (places === undefined) {
      const names = cells.map((name) => name.trim());
      for (const column of COLUMNS) {
        if (!names.includes(column)) refuse(line, `there is no column ${column} in the header`);
        if (names.indexOf(column) !== names.lastIndexOf(column))
          refuse(line, `two columns are named ${column}`);
      }
      places = [names.indexOf('key'), names.indexOf('amount_msat')];
      continue;
    }
    const key = (cells[places[0]] ?? '').trim();
    const amount = (cells[places[1]] ?? '').trim();
    if (key === '' || key.length > MAX_KEY_LENGTH)
      refuse(line, `key should have 1 to ${MAX_KEY_LENGTH} characters`);
    if (!/^\d{1,19}$/.test(amount)) refuse(line, 'amount_msat should be a whole number of msat');
    const before = lineOfKey.get(key);
    if (before !== undefined) refuse(line, `the key of line ${before} is repeated`);
    if (amounts.size === MAX_LISTED) refuse(line, `more than ${MAX_LISTED} rows`);
    lineOfKey.set(key, line);
    amounts.set(key, BigInt(amount));
  }
  if (places === undefined) refuse(1, `the header should have the columns ${COLUMNS.join(' and ')}`);
  return amounts;
}

interface CsvLine {
  /** Line of the text in which the row begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

type Refuse = (line: number, reason: string) => never;

/** The rows of the text. Empty lines are skipped. Takes a single pass over the text, without backtracking. */
function* csvLines(text: string, refuse: Refuse): Generator<CsvLine, void> {
  let [line, first, at] = [1, 1, 0];
  let cells: string[] = [];
  while (at < text.length) {
    const isQuoted = text[at] === '"';
    const cell = isQuoted
      ? quotedCell(text, at, () => refuse(first, 'a quotation mark is not closed'))
      : plainCell(text, at);
    cells.push(cell.text);
    line += cell.lines;
    at = cell.end;
    const mark = text[at];
    if (mark !== undefined && mark !== ',' && mark !== '\n' && mark !== '\r') {
      refuse(first, 'text follows a closing quotation mark');
    }
    at++;
    if (mark === ',' && at < text.length) continue;
    if (mark === ',') cells.push('');
    if (mark === '\r' && text[at] === '\n') at++;
    if (cells.length > 1 || cells[0]!.trim() !== '') yield { line: first, cells };
    cells = [];
    line++;
    first = line;
  }
}

interface Cell {
  readonly text: string;
  /** Position in the text after the cell. */
  readonly end: number;
  /** Number of line breaks in the cell. */
  readonly lines: number;
}

function plainCell(text: string, start: number): Cell {
  let end = start;
  while (end < text.length && !',\n\r'.includes(text[end]!)) end++;
  return { text: text.slice(start, end), end, lines: 0 };
}

function quotedCell(text: string, start: number, unclosed: () => never): Cell {
  let [content, from, lines] = ['', start + 1, 0];
  for (;;) {
    const end = text.indexOf('"', from);
    if (end < 0) unclosed();
    const part = text.slice(from, end);
    content += part;
    lines += part.split('\n').length - 1;
    if (text[end + 1] !== '"') return { text: content, end: end + 1, lines };
    content += '"';
    from = end + 2;
  }
}
