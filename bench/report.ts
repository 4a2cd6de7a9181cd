/**
 * The report of a run: tables as soon as they are ready, and at the end the figures beside their targets. All of it
 * goes to standard output and, as JSON, to a file.
 *
 * A figure means little without its circumstances: machine, commit, load, and processor time taken by other virtual
 * machines (steal). So each area is reported with these, and with the time of a fixed piece of work (floor.ts) before
 * and after it. Times and rates are also given as multiples of that floor: this ratio serves to compare two machines,
 * or two days.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Floor, measureFloor } from './floor.ts';
import { machineTicks, stealPercent } from './processor.ts';

const KERNEL_FILE = new URL('../kernel.wasm', import.meta.url);
const ENGINE_FOLDER = new URL('../src/engine/', import.meta.url);

/** One cell of a table. */
export type Cell = string | number;

/** A table: one object per line, all with the same keys. */
export interface Table {
  readonly area: string;
  readonly title: string;
  readonly rows: readonly Readonly<Record<string, Cell>>[];
}

/** The unit of processor times: microseconds of all threads of a process. */
export const PROCESSOR_US = 'processor us';

/** One figure that is important on its own. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Such as `<= 7` or `>= 1.8`, in the figure's unit. */
  readonly target?: string;
}

/** The machine and the time of a run. Load averages show whether the machine was also used by others. */
export interface Circumstances {
  readonly date: string;
  readonly cpu: string;
  readonly threads: number;
  readonly memoryGb: number;
  readonly node: string;
  readonly loadAverage: readonly number[];
  /** Hash of kernel and engine as they were built. If they change during a run, the run mixes two builds. */
  readonly build: string;
  /** The commit of the sources, with a `+` when files differ from it. */
  readonly commit: string;
}

/** The circumstances of an area: means of the floor before and after it, load, and percent of stolen time. */
export interface AreaCircumstances {
  readonly area: string;
  readonly floorMs: number;
  readonly floorProcessorMs: number;
  readonly loadAverage: number;
  readonly stealPercent: number;
}

/** The circumstances now. */
export function circumstances(): Circumstances {
  return {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model ?? 'unknown',
    threads: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    build: buildHash(),
    commit: commit(),
    loadAverage: loadavg().map((load) => Number(load.toFixed(2))),
  };
}

function commit(): string {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
    return `${git('rev-parse', '--short=12', 'HEAD').trim()}${isChanged ? '+' : ''}`;
  } catch {
    return 'unknown';
  }
}

function buildHash(): string {
  const hash = createHash('sha256').update(readFileSync(KERNEL_FILE));
  const modules = readdirSync(ENGINE_FOLDER).filter((name) => name.endsWith('.js'));
  for (const name of modules.sort()) hash.update(readFileSync(new URL(name, ENGINE_FOLDER)));
  return hash.digest('hex').slice(0, 12);
}

/** Collects the tables and figures of a run, and prints them. */
export class Report {
  readonly started = circumstances();
  readonly tables: Table[] = [];
  readonly figures: (Figure & { readonly area: string })[] = [];
  readonly notes: string[] = [];
  readonly areas: AreaCircumstances[] = [];

  /** Runs an area, and records its circumstances. */
  async within(area: string, run: () => Promise<void>): Promise<void> {
    const before = measureFloor();
    const ticks = machineTicks();
    await run();
    const stolen = stealPercent(ticks, machineTicks());
    const loadAverage = Number(loadavg()[0]!.toFixed(2));
    const after = measureFloor();
    const mean = (of: keyof Floor) => (before[of] + after[of]) / 2;
    const floors = { floorMs: mean('wallMs'), floorProcessorMs: mean('processorMs') };
    this.areas.push({ area, ...floors, loadAverage, stealPercent: stolen });
  }

  table(area: string, title: string, rows: Table['rows']): void {
    this.tables.push({ area, title, rows });
    console.log(`\n${area}: ${title}\n${asText(rows)}`);
  }

  figure(area: string, figure: Figure): void {
    this.figures.push({ area, ...figure });
  }

  note(area: string, text: string): void {
    this.notes.push(`${area}: ${text}`);
    console.log(`\n${area}: ${text}`);
  }

  /**
   * A time as a multiple of its area's floor, or a rate as the number of events during the floor. Processor times are
   * compared with the floor's processor time. NaN for other figures.
   */
  #inFloors({ area, value, unit }: Figure & { readonly area: string }): number {
    const measured = this.areas.find((each) => each.area === area);
    if (measured === undefined) return Number.NaN;
    const { floorMs, floorProcessorMs } = measured;
    if (unit === '/s') return (value / 1000) * floorMs;
    if (unit === PROCESSOR_US) return value / 1000 / floorProcessorMs;
    const ms = { ms: value, s: value * 1000 }[unit];
    return ms === undefined ? Number.NaN : ms / floorMs;
  }

  /** Prints the figures beside their targets, and writes everything into `results.json` of the directory. */
  finish(directory: string): void {
    const rows = this.figures.map((figure) => ({
      area: figure.area,
      figure: figure.name,
      value: figure.value,
      unit: figure.unit,
      target: figure.target ?? '',
      met: verdict(figure),
      floors: this.#inFloors(figure),
    }));
    if (rows.length > 0) console.log(`\nfigures\n${asText(rows)}`);
    const { started, tables, notes, areas } = this;
    if (areas.length > 0) console.log(`\nmeasured under\n${asText(areas.map((each) => ({ ...each })))}`);
    const ended = circumstances();
    const results = { started, ended, areas, figures: rows, tables, notes };
    mkdirSync(directory, { recursive: true });
    const file = join(directory, 'results.json');
    writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
    if (ended.build !== started.build) {
      console.log(`\nthe engine was rebuilt during this run (${ended.build}): the areas are not comparable`);
    }
    console.log(`\n${describe(started)}; load average then ${ended.loadAverage.join(' ')}\n${file}`);
  }
}

/** The circumstances as a line of text. */
export function describe(c: Circumstances): string {
  return `${c.date}, ${c.threads} × ${c.cpu}, ${c.memoryGb} GB, Node ${c.node}, commit ${c.commit}, build ${c.build}, load average ${c.loadAverage.join(' ')}`;
}

function verdict({ value, target }: Figure): 'yes' | 'no' | '' {
  const match = /^([<>])= ([\d.]+)$/.exec(target ?? '');
  if (match === null) return '';
  const bound = Number(match[2]);
  return (match[1] === '<' ? value <= bound : value >= bound) ? 'yes' : 'no';
}

function shown(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (Number.isNaN(cell)) return '-';
  if (Number.isInteger(cell)) return String(cell);
  return Math.abs(cell) >= 100 ? cell.toFixed(0) : cell.toPrecision(3);
}

/** The table as text, with columns as wide as needed. Numbers are right-aligned, words left-aligned. */
function asText(rows: Table['rows']): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, ...rows.map((row) => columns.map((column) => shown(row[column] ?? '')))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  const isNumber = columns.map((column) => rows.every((row) => typeof row[column] === 'number'));
  return lines
    .map((line) =>
      line.map((cell, i) => (isNumber[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join('  '),
    )
    .join('\n');
}
