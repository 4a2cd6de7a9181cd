/**
 * Each mutant of the kernel replaces a text that must occur exactly once in its file. Otherwise the mutant would
 * change nothing, or the wrong line.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const mutants = JSON.parse(read('kernel-mutants.json')) as Mutant[];

it.each(mutants)('$name', ({ file, text, instead }) => {
  expect(read(`../../assembly/${file}`).split(text)).toHaveLength(2);
  expect(instead).not.toBe(text);
});
