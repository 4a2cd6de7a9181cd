/** Reads CSV files of numbers and plain texts. Errors contain the file, line and column. */
import { readFileSync, statSync } from 'node:fs';
import { scenarioError } from '../scenario/scenario-error.ts';

/** Maximum size of a file in bytes. */
const MAX_BYTES = 512 * 1024 * 1024;

/** A row, whose cells are read by column name. */
export class CsvRow {
  readonly #file: string;
  readonly #line: number;
  readonly #columns: readonly string[];
  readonly #cells: readonly string[];

  constructor(file: string, line: number, columns: readonly string[], cells: readonly string[]) {
    this.#file = file;
    this.#line = line;
    this.#columns = columns;
    this.#cells = cells;
  }

  /** The text of a cell, or '' if the line is shorter or the file lacks this optional column. */
  text(column: string): string {
    return this.#cells[this.#columns.indexOf(column)]?.trim() ?? '';
  }

  /** @throws FulguriteError `scenario` */
  bigint(column: string, least: bigint, most: bigint): bigint {
    const text = this.text(column);
    const value = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
    if (value >= least && value <= most) return value;
    return this.refuse(column, `a whole number from ${least} to ${most}`, text);
  }

  integer(column: string, least: number, most: number): number {
    return Number(this.bigint(column, BigInt(least), BigInt(most)));
  }

  refuse(column: string, expected: string, found: string): never {
    throw scenarioError({ file: this.#file, line: this.#line, field: column, expected, found });
  }
}

/**
 * The rows after a header that is ignored.
 * @param columns names of the columns by position
 * @throws FulguriteError `scenario` when the file cannot be read
 */
export function csvRows(file: string, columns: readonly string[]): Generator<CsvRow> {
  return rowsOf(file, linesOf(file), columns);
}

/**
 * The rows after a header that names the columns, in any order.
 * @param required columns that the header must have
 * @throws FulguriteError `scenario` when the file cannot be read or a required column is missing
 */
export function csvRowsByName(file: string, required: readonly string[]): Generator<CsvRow> {
  const lines = linesOf(file);
  const columns = lines[0]!.split(',').map((name) => name.trim());
  const missing = required.find((name) => !columns.includes(name));
  if (missing !== undefined) {
    const expected = `a column ${missing}`;
    throw scenarioError({ file, line: 1, field: missing, expected, found: `columns ${columns.join(', ')}` });
  }
  return rowsOf(file, lines, columns);
}

const linesOf = (file: string): string[] => readText(file).split(/\r?\n/);

function* rowsOf(file: string, lines: readonly string[], columns: readonly string[]): Generator<CsvRow> {
  for (const [index, line] of lines.entries()) {
    if (index > 0 && line.trim() !== '') yield new CsvRow(file, index + 1, columns, line.split(','));
  }
}

/** Reads a file. @throws FulguriteError `scenario` */
export function readBytes(file: string): Buffer {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) throw new RangeError(`a file of ${size} bytes, above the maximum of ${MAX_BYTES}`);
    return readFileSync(file);
  } catch (error) {
    throw scenarioError({ file, field: '', expected: 'a readable file', found: (error as Error).message });
  }
}

/** The text of a file, without the byte order mark that spreadsheets write. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Reads the text of a file. @throws FulguriteError `scenario` */
export const readText = (file: string): string => textOf(readBytes(file));
