/**
 * Every parser that reads the bytes of a caller before permission is known: for JSON, forms, runes, invoices
 * that a rune tests, and headers. Inputs are mutated, deep, wide, long or repeated. They may cause only the
 * typed error of the parser, and only as much work as their length explains.
 *
 * FULGURITE_HOSTILE_INPUTS sets the total number of inputs for all parsers: 5,000 by default, 100,000 in a
 * release. `npm run bench -- attacks` measures the processor time of each.
 */
import { describe, expect, it } from 'vitest';
import { hostileInputs, PARSERS } from '../../bench/hostile-inputs.ts';

const COUNT = Number(process.env.FULGURITE_HOSTILE_INPUTS ?? 5000);

describe('hostile input', () => {
  it.each(PARSERS)('to the parser of $name is refused or read', ({ read, seeds }) => {
    let inputs = 0;
    for (const input of hostileInputs(seeds, Math.ceil(COUNT / PARSERS.length))) {
      inputs++;
      expect(() => read(input)).not.toThrow();
    }
    expect(inputs).toBe(Math.ceil(COUNT / PARSERS.length));
  });
});
