/**
 * Writes the measurements of the area `fleet` into the manual: `npm run docs:fleet [RESULTS] [DOCS]`, by default the
 * results.json of the last `npm run bench -- fleet` and the folder docs. It replaces the text between the two marks in
 * fleet.md, and the plot beside it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type CapacityRow,
  capacityPlot,
  capacityRows,
  mixedCosts,
  type SearchCosts,
} from './fleet-capacity.ts';
import { markdownTable, withPart } from './measured-part.ts';
import type { AreaCircumstances, Circumstances, Figure, Table } from './report.ts';

/** The part of results.json that this program reads. */
export interface FleetResults {
  readonly started: Pick<Circumstances, 'cpu' | 'threads'>;
  readonly areas: readonly Pick<AreaCircumstances, 'area' | 'loadAverage'>[];
  readonly figures: readonly (Pick<Figure, 'value' | 'unit'> & {
    readonly area: string;
    readonly figure: string;
  })[];
  readonly tables: readonly Table[];
}

/**
 * The cost of a search, from the first two rows of a single solver: for a small amount and for a large one.
 * @throws TypeError if a row is missing
 */
function costsOf(rows: Table['rows']): SearchCosts {
  const ofOne = rows.filter(({ solvers }) => solvers === 1);
  const [one, several] = ofOne.map((row) => ({
    solverMs: Number(row['solver processor ms']),
    daemonMs: Number(row['daemon processor ms']),
  }));
  if (one === undefined || several === undefined) throw new TypeError('no rows of one solver');
  return mixedCosts(one, several);
}

/** The part of the manual, and the rows of the plot. @throws TypeError when the area was not measured */
export function fleetPart(results: FleetResults): { readonly text: string; readonly rows: CapacityRow[] } {
  const tables = results.tables.filter(({ area }) => area === 'fleet');
  const searches = tables.find(({ title }) => title.startsWith('searches in threads'));
  const measured = results.areas.find(({ area }) => area === 'fleet');
  if (searches === undefined || measured === undefined)
    throw new TypeError('the area fleet was not measured');
  const rows = capacityRows(costsOf(searches.rows));
  const figures = results.figures
    .filter(({ area }) => area === 'fleet')
    .map(({ figure, value, unit }) => ({ what: figure, result: `${value.toPrecision(2)} ${unit}` }));
  const { cpu, threads } = results.started;
  const where = `Measured on ${threads} processors (${cpu}) at a load of ${measured.loadAverage.toFixed(1)}:`;
  const sizes = tables.find(({ title }) => title.startsWith('simulated networks'));
  const parts = [where, markdownTable(figures), markdownTable(searches.rows)];
  parts.push('Resources that a fleet needs, estimated from these figures:', markdownTable(rows));
  parts.push('![Resources that a fleet needs, by payments per second](fleet-capacity.svg)');
  if (sizes !== undefined)
    parts.push('Simulated networks of one machine, by size:', markdownTable(sizes.rows));
  return { text: parts.join('\n\n'), rows };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [results = fileURLToPath(new URL('./results.json', import.meta.url)), docs = 'docs'] =
    process.argv.slice(2);
  const { text, rows } = fleetPart(JSON.parse(readFileSync(results, 'utf8')));
  const manual = join(docs, 'fleet.md');
  writeFileSync(manual, withPart(readFileSync(manual, 'utf8'), 'docs:fleet', text));
  writeFileSync(join(docs, 'fleet-capacity.svg'), capacityPlot(rows));
  process.stdout.write(`${manual} and its plot are those of ${results}\n`);
}
