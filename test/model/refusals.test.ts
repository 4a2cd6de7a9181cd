/**
 * Only the table of refusals contains further names of a refusal. No other source file spells the refusal's
 * kind in bindings, its label, or its text from Core Lightning.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  DIRECTION_FAULTS,
  filled,
  REFUSALS,
  type RefusalName,
  type RefusalRow,
  refusalNamed,
  SHORTAGES,
} from '../../src/model/refusals.ts';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));
const TABLE = 'model/refusals.ts';
const rows = Object.entries(REFUSALS) as [RefusalName, RefusalRow][];

/** Source code without comments and without generated files. */
const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file !== TABLE && file !== 'client/methods.ts')
  .map((file) => ({
    file,
    code: readFileSync(join(SOURCES, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''),
  }));

/** Files that contain this pattern. */
const filesWith = (pattern: RegExp): string[] =>
  sources.filter(({ code }) => pattern.test(code)).map(({ file }) => file);

it.each([
  ['feeLimit', /fee limit/],
  ['delayLimit', /delay limit/],
  ['partsLimit', /parts/],
  ['hopLimit', /hops/],
] as const)('the explanation of %s is about that limit', (name, what) => {
  expect(REFUSALS[name].meaning).toMatch(what);
});

describe('a refusal is spelled one way outside the table', () => {
  // Kinds that are ordinary words with other uses, such as a capacity or a channel, are left out.
  const own = rows.filter(([name, { wire }]) => name !== wire && wire !== 'channel');

  it.each(own.map(([name, { wire }]) => [name, filled(wire, { end: 'source' })]))(
    '%s is not also called %s',
    (_, wire) => {
      expect(filesWith(new RegExp(`['"\`]${wire}['"\`]|\\bkind === '${wire}'|^\\s*${wire}:`, 'm'))).toEqual(
        [],
      );
    },
  );

  it.each(rows.map(([name, { metric }]) => [name, metric]))(
    'the label of %s is written only in the table',
    (_, metric) => {
      // Payments that fail without a route have the same label.
      const others = metric === 'no_route' || metric === 'timeout' || metric === 'undecided';
      expect(others ? [] : filesWith(new RegExp(`['"\`]${metric}['"\`]`))).toEqual([]);
    },
  );

  it('the texts are written only in the table', () => {
    const texts = [...rows.map(([, { text }]) => text), ...Object.values(SHORTAGES).map(({ text }) => text)];
    const pieces = [...texts, ...Object.values(DIRECTION_FAULTS).map(({ text }) => text)]
      .flatMap((text) => text.split(/\{\w+\}/))
      .filter((piece) => piece.trim().length > 12);
    expect(pieces.length).toBeGreaterThan(20);
    expect(pieces.filter((piece) => sources.some(({ code }) => code.includes(piece)))).toEqual([]);
  });
});

it('kinds of bindings are distinct, and map back to the name', () => {
  for (const [name, { wire }] of rows) {
    for (const end of ['source', 'destination']) expect(refusalNamed(filled(wire, { end }))).toBe(name);
  }
  expect(refusalNamed('of a later release')).toBeUndefined();
});

it('a template requires all its values', () => {
  expect(filled(REFUSALS.partsLimit.text, { needed: 9, maxparts: 4 })).toBe(
    'Failed to reduce 9 flows down to maxparts (4)',
  );
  expect(() => filled(REFUSALS.partsLimit.text, { needed: 9 })).toThrow(
    'no value for {maxparts} of "Failed to reduce {needed} flows down to maxparts ({maxparts})"',
  );
});
