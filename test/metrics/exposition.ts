/**
 * A strict reader of Prometheus' text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). It
 * refuses everything that the format does not allow, and values that are impossible for a counter or a
 * histogram.
 */

/** One series with its value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All samples of one scrape, and the type of each family. */
export interface Scrape {
  readonly samples: readonly Sample[];
  readonly types: ReadonlyMap<string, string>;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
  counter: [''],
  gauge: [''],
};

/** @throws Error that names the line */
export function readScrape(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('the last line has no newline');
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  let family = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const [, what, name, rest] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (what === 'HELP') {
      if (helped.has(name!)) throw new Error(`second HELP: ${line}`);
      helped.add(name!);
    } else if (what === 'TYPE') {
      if (types.has(name!) || SUFFIXES[rest!] === undefined || !helped.has(name!)) throw new Error(line);
      types.set(name!, rest!);
      family = name!;
    } else if (line !== '') {
      const sample = readSample(line);
      const suffix = sample.name.slice(family.length);
      const isOfFamily = sample.name.startsWith(family) && SUFFIXES[types.get(family)!]?.includes(suffix);
      if (!isOfFamily) throw new Error(`outside its family: ${line}`);
      const key = line.slice(0, line.lastIndexOf(' '));
      if (seen.has(key)) throw new Error(`duplicate sample: ${line}`);
      seen.add(key);
      samples.push(sample);
    }
  }
  for (const [name, type] of types) if (type === 'histogram') checkHistogram(name, samples);
  return { samples, types };
}

function readSample(line: string): Sample {
  const [, name, inner = '', number] = LINE.exec(line) ?? [];
  if (name === undefined || !NUMBER.test(number!)) throw new Error(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inner.length) {
    const [, label, value] = LABEL.exec(inner) ?? [];
    if (label === undefined || Object.hasOwn(labels, label)) throw new Error(`bad labels: ${line}`);
    labels[label] = value!;
  }
  return { name, labels, value: Number(number!.replace('Inf', 'Infinity')) };
}

/** Bucket counts grow with their bounds, and the last bucket, which has no bound, equals `_count`. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const groups = new Map<string, { le: number; value: number }[]>();
  const without = ({ le: _, ...rest }: Record<string, string>): string => JSON.stringify(rest);
  for (const { name: of, labels, value } of samples) {
    if (of !== `${name}_bucket`) continue;
    const key = without(labels);
    const le = Number(labels.le!.replace('Inf', 'Infinity'));
    groups.set(key, [...(groups.get(key) ?? []), { le, value }]);
  }
  for (const [key, buckets] of groups) {
    const isOrdered = buckets.every(
      (one, n) => n === 0 || (buckets[n - 1]!.le < one.le && buckets[n - 1]!.value <= one.value),
    );
    const count = samples.find((one) => one.name === `${name}_count` && without(one.labels) === key)?.value;
    const last = buckets.at(-1)!;
    if (!isOrdered || last.le !== Number.POSITIVE_INFINITY || last.value !== count) {
      throw new Error(`${name}${key} is not a valid histogram`);
    }
  }
}
