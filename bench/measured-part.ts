/** The part of a manual page that a command writes: tables of results.json, between two marks of the page. */
import type { Cell } from './report.ts';

/** Rows as a table of Markdown, with the columns of the first row. */
export function markdownTable(rows: readonly Readonly<Record<string, Cell>>[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const body = rows.map((row) => line(columns.map((column) => shown(row[column] ?? ''))));
  return [line(columns), line(columns.map(() => '---')).replaceAll(' ', ''), ...body].join('\n');
}

function shown(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (Number.isNaN(cell)) return '';
  const digits = Number.isInteger(cell) || Math.abs(cell) >= 100 ? 0 : 2;
  return cell.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/**
 * The page with a new part between the marks of `command`.
 * @throws TypeError when the page lacks the marks
 */
export function withPart(page: string, command: string, part: string): string {
  const [begin, end] = [`<!-- measured by npm run ${command} -->`, '<!-- end of what was measured -->'];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new TypeError('the manual has no marks around what was measured');
  return `${page.slice(0, from + begin.length)}\n\n${part}\n\n${page.slice(to)}`;
}
