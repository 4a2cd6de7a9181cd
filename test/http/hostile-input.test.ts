/**
 * Every parser that sees the bytes of a caller before its permission is known: JSON, forms, runes, invoices that a rune
 * tests, and headers. Inputs are mutated, deep, wide, long or repeated. None may throw anything but the typed error of
 * its parser, and none may take more work than its length explains.
 *
 * FULGURITE_HOSTILE_INPUTS sets the number of inputs of all parsers together: 5,000 by default, 100,000 in a release.
 * `npm run bench -- attacks` measures the processor time of each.
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
