/**
 * Two plots as SVG text: latency by amount, and fee against probability. They consist of axes, marks and words, so no
 * library and no browser is needed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figures } from './figures.ts';
import { quantile } from './measure.ts';

const COLOURS: Readonly<Record<string, string>> = {
  ours: '#0b6e4f',
  LDK: '#c2571a',
  'Core Lightning': '#33569b',
};
const FONT = 'font-family="sans-serif" font-size="12"';
/** Ends of the axes. Answers that are costlier or riskier are drawn at the ends. */
const FEE_PPM = [1, 10_000] as const;
const RISK_NATS = [0.001, 20] as const;
const LATENCY_MS = [0.05, 5_000] as const;

const colourOf = (name: string): string => COLOURS[name.split(',')[0]!] ?? '#555';

interface Answer {
  readonly by: string;
  readonly figures: Figures;
}

/** Collects the measurements of the areas, and plots those that exist. */
export class Plots {
  readonly #latencies = new Map<string, Map<number, number[]>>();
  readonly #answers = new Map<string, Answer[]>();

  addLatencies(name: string, amountSat: number, latenciesMs: readonly number[]): void {
    const byAmount = this.#latencies.get(name) ?? new Map<number, number[]>();
    this.#latencies.set(name, byAmount);
    byAmount.set(amountSat, [...(byAmount.get(amountSat) ?? []), ...latenciesMs]);
  }

  /** Adds an answer. `requests` names a set of requests that several solvers were given. */
  addAnswer(by: string, requests: string, figures: Figures): void {
    const answers = this.#answers.get(requests) ?? [];
    this.#answers.set(requests, answers);
    answers.push({ by, figures });
  }

  /** Writes `latency.svg` and `fee-probability.svg` into the directory. @returns the files. */
  write(directory: string): string[] {
    const plots: [name: string, svg: string][] = [];
    if (this.#latencies.size > 0) plots.push(['latency.svg', latencyPlot(this.#latencies)]);
    if (this.#answers.size > 0) plots.push(['fee-probability.svg', answersPlot(this.#answers)]);
    mkdirSync(directory, { recursive: true });
    return plots.map(([name, svg]) => {
      const file = join(directory, name);
      writeFileSync(file, svg);
      return file;
    });
  }
}

/** A position between `from` and `to` by the logarithm of the value. */
function logScale([low, high]: readonly [number, number], from: number, to: number) {
  return (value: number): number => {
    const clamped = Math.min(Math.max(value, low), high);
    return from + ((to - from) * Math.log(clamped / low)) / Math.log(high / low);
  };
}

function powersOfTen([low, high]: readonly [number, number]): number[] {
  const first = Math.ceil(Math.log10(low));
  const count = Math.floor(Math.log10(high)) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(`1e${first + index}`));
}

const text = (x: number, y: number, words: string, anchor = 'start', colour = '#222') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${colour}">${words}</text>`;

const line = (x1: number, y1: number, x2: number, y2: number, colour: string, width = 1) =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="${colour}" stroke-width="${width}"/>`;

const document = (width: number, height: number, body: readonly string[]) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ${FONT}>\n` +
  `<rect width="100%" height="100%" fill="#fff"/>\n${body.join('\n')}\n</svg>\n`;

/** For each amount and solver one line: from p5 to p95 thin, from p25 to p75 thick, with a mark at the median. */
function latencyPlot(latencies: ReadonlyMap<string, ReadonlyMap<number, readonly number[]>>): string {
  const amounts = [...new Set([...latencies.values()].flatMap((byAmount) => [...byAmount.keys()]))];
  amounts.sort((a, b) => a - b);
  const names = [...latencies.keys()].sort();
  const rowHeight = 18;
  const blockHeight = names.length * rowHeight + 26;
  const [left, right, top] = [200, 760, 40];
  const bottom = top + amounts.length * blockHeight;
  const x = logScale(LATENCY_MS, left, right);
  const body = [text(left, 20, 'getroutes, milliseconds: p5–p95, p25–p75, median')];
  for (const tick of powersOfTen(LATENCY_MS)) {
    body.push(line(x(tick), top, x(tick), bottom, '#ddd'), text(x(tick), bottom + 16, `${tick}`, 'middle'));
  }
  amounts.forEach((amountSat, block) => {
    const blockTop = top + block * blockHeight;
    body.push(text(10, blockTop + 14, `${amountSat.toLocaleString('en')} sat`));
    names.forEach((name, row) => {
      const values = latencies.get(name)!.get(amountSat);
      if (values === undefined) return;
      const y = blockTop + 22 + row * rowHeight;
      const at = (share: number) => x(quantile(values, share));
      const colour = colourOf(name);
      body.push(text(left - 8, y + 4, name, 'end', colour));
      body.push(line(at(0.05), y, at(0.95), y, colour), line(at(0.25), y, at(0.75), y, colour, 6));
      body.push(line(at(0.5), y - 7, at(0.5), y + 7, '#000', 2));
      body.push(text(at(0.95) + 6, y + 4, quantile(values, 0.5).toPrecision(2), 'start', colour));
    });
  });
  return document(820, bottom + 30, body);
}

/** One panel for each set of requests. Every dot is an answer. Answers further down and to the left are better. */
function answersPlot(sets: ReadonlyMap<string, readonly Answer[]>): string {
  const [panelWidth, height, margin] = [400, 380, 60];
  const body: string[] = [];
  [...sets].forEach(([requests, answers], panel) => {
    const left = panel * panelWidth + margin;
    const right = (panel + 1) * panelWidth - 20;
    const [top, bottom] = [50, height - 50];
    const x = logScale(RISK_NATS, left, right);
    const y = logScale(FEE_PPM, bottom, top);
    body.push(text(left, 20, requests));
    body.push(text((left + right) / 2, height - 12, '−ln P', 'middle'));
    body.push(text(left, top - 10, 'fee, ppm'));
    for (const tick of powersOfTen(RISK_NATS)) {
      body.push(line(x(tick), top, x(tick), bottom, '#eee'), text(x(tick), bottom + 16, `${tick}`, 'middle'));
    }
    for (const tick of powersOfTen(FEE_PPM)) {
      body.push(line(left, y(tick), right, y(tick), '#eee'), text(left - 6, y(tick) + 4, `${tick}`, 'end'));
    }
    for (const { by, figures } of answers) {
      body.push(
        `<circle cx="${x(figures.riskNats).toFixed(1)}" cy="${y(figures.feePpm).toFixed(1)}" r="2" fill="${colourOf(by)}" fill-opacity="0.55"/>`,
      );
    }
    [...new Set(answers.map(({ by }) => by))].forEach((by, index) => {
      body.push(text(right - 110, top - 28 + index * 15, `● ${by}`, 'start', colourOf(by)));
    });
  });
  return document(sets.size * panelWidth, height, body);
}
