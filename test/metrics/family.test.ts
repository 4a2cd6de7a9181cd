/** Series and their text, compared with prom-client, which writes the same format. */
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { CounterFamily, GaugeFamily, HistogramFamily } from '../../src/metrics/family.ts';
import { readScrape } from './exposition.ts';

describe('families', () => {
  it('of counters have a line for each series from the start', () => {
    const family = new CounterFamily('a_total', 'Some \\ help,\nin two lines.');
    const one = family.of({ kind: 'one' });
    family.of({ kind: 'a "two"\n\\' });
    one.add();
    one.add(2.5);
    expect(family.render()).toBe(
      '# HELP a_total Some \\\\ help,\\nin two lines.\n# TYPE a_total counter\n' +
        'a_total{kind="one"} 3.5\na_total{kind="a \\"two\\"\\n\\\\"} 0\n',
    );
  });

  it('of gauges are read when they are scraped', () => {
    let height = 1;
    const family = new GaugeFamily('height', 'h', () => height);
    height = 2;
    expect(family.render()).toContain('\nheight 2\n');
    const several = new GaugeFamily('n', 'n', () => [
      [{ a: 'x' }, 1],
      [{ a: 'y' }, Number.NaN],
    ]);
    expect(readScrape(several.render()).samples).toHaveLength(2);
  });

  it('of histograms match prom-client’s for any bounds and values', async () => {
    const bounds = fc.uniqueArray(fc.double({ min: -1e6, max: 1e6, noNaN: true, noDefaultInfinity: true }), {
      minLength: 1,
      maxLength: 8,
      comparator: (a, b) => a + 0 === b + 0,
    });
    const values = fc.array(fc.double({ min: -2e6, max: 2e6, noNaN: true }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(bounds, values, async (given, observed) => {
        // Minus zero becomes zero, since prom-client writes both as 0.
        const buckets = given.map((bound) => bound + 0).sort((a, b) => a - b);
        const registers = [new Registry()];
        const theirs = new Histogram({ name: 'h', help: 'h', buckets, labelNames: ['a'], registers });
        const family = new HistogramFamily('h', 'h', buckets);
        const ours = family.of({ a: 'x' });
        theirs.zero({ a: 'x' });
        for (const value of observed) {
          theirs.observe({ a: 'x' }, value);
          ours.observe(value);
        }
        const plain = (text: string) =>
          readScrape(text).samples.map(({ name, labels, value }) => [
            name,
            labels.a,
            Number(labels.le),
            value,
          ]);
        expect(plain(family.render())).toEqual(plain(await registers[0]!.metrics()));
      }),
      { numRuns: 50 },
    );
  });
});

describe('the strict reader', () => {
  const head = '# HELP a a\n# TYPE a counter\n';
  it.each([
    ['a text without a final newline', `${head}a 1`],
    ['a sample of another family', `${head}b 1\n`],
    ['the same sample twice', `${head}a 1\na 1\n`],
    ['a value that is not a number', `${head}a one\n`],
    ['an invalid label', `${head}a{x=1} 1\n`],
    ['the same label twice', `${head}a{x="1",x="1"} 1\n`],
    ['an unknown type', '# HELP a a\n# TYPE a meter\na 1\n'],
    ['a family without HELP', '# TYPE a counter\na 1\n'],
    ['a falling histogram', hist(2, 1, 1)],
    ['a histogram with a different count', hist(1, 2, 3)],
  ])('refuses %s', (_, text) => {
    expect(() => readScrape(text)).toThrow();
  });

  it('accepts a histogram', () => {
    expect(readScrape(hist(1, 2, 2)).samples).toHaveLength(4);
  });

  function hist(low: number, all: number, count: number): string {
    const buckets = `h_bucket{le="1"} ${low}\nh_bucket{le="+Inf"} ${all}\n`;
    return `# HELP h h\n# TYPE h histogram\n${buckets}h_sum 1\nh_count ${count}\n`;
  }
});
