/**
 * Writes the tables of the last `npm run bench -- AREA…` into docs/performance.md, with the commit and the machine:
 * `npm run docs:performance [RESULTS] [DOCS]`. It replaces the text between the two marks of the page.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { markdownTable, withPart } from './measured-part.ts';
import type { AreaCircumstances, Cell, Circumstances, Figure, Table } from './report.ts';

/** The part of results.json that this program reads. */
export interface PerformanceResults {
  readonly started: Pick<Circumstances, 'date' | 'cpu' | 'threads' | 'memoryGb' | 'node' | 'commit'>;
  readonly areas: readonly AreaCircumstances[];
  readonly figures: readonly (Pick<Figure, 'value' | 'unit' | 'target'> & {
    readonly area: string;
    readonly figure: string;
    readonly met: string;
  })[];
  readonly tables: readonly Table[];
}

/** The part of the page: circumstances, then each area with its tables, and all figures beside their targets. */
export function performancePart({ started, areas, figures, tables }: PerformanceResults): string {
  const { date, cpu, threads, memoryGb, node, commit } = started;
  const command = `npm run bench -- ${areas.map(({ area }) => area).join(' ')}`;
  const parts = [
    `\`${command}\` on ${date.slice(0, 10)}, commit ${commit}, ${threads} × ${cpu}, ${memoryGb} GB, Node.js ${node}:`,
  ];
  for (const { area, floorMs, loadAverage, stealPercent } of areas) {
    const own = tables.filter((table) => table.area === area || table.area.startsWith(`${area}-`));
    parts.push(
      `### ${area}`,
      `Load ${loadAverage.toFixed(1)}, steal ${stealPercent.toFixed(1)} %, floor ${floorMs.toFixed(0)} ms.`,
      ...own.flatMap(({ title, rows }) => [`${title}:`, markdownTable(rows)]),
    );
  }
  const aims = figures.map(({ area, figure, value, unit, target, met }): Record<string, Cell> => {
    return { area, figure, value: Number(value.toPrecision(3)), unit, target: target ?? '', met };
  });
  if (aims.length > 0) parts.push('### Figures and their targets', markdownTable(aims));
  return parts.join('\n\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [results = fileURLToPath(new URL('./results.json', import.meta.url)), docs = 'docs'] =
    process.argv.slice(2);
  const page = join(docs, 'performance.md');
  const part = performancePart(JSON.parse(readFileSync(results, 'utf8')));
  writeFileSync(page, withPart(readFileSync(page, 'utf8'), 'docs:performance', part));
  process.stdout.write(`${page} has the tables of ${results}\n`);
}
