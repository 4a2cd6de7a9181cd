import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inSystemWords } from '../../src/cli/system-errors.ts';

const missing = (() => {
  try {
    statSync('/nosuch/a b');
  } catch (error) {
    return (error as Error).message;
  }
  return '';
})();

it.each([
  [missing, '/nosuch/a b: no such file or directory'],
  [
    `cannot read it: ${missing}. Give another`,
    'cannot read it: /nosuch/a b: no such file or directory. Give another',
  ],
  [`/nosuch/a b: ${missing}`, '/nosuch/a b: no such file or directory'],
  ['EISDIR: illegal operation on a directory, read', 'illegal operation on a directory'],
  ['EACCES: a text, with a comma', 'EACCES: a text, with a comma'],
  ['--store must be an address', '--store must be an address'],
])('%s', (message, words) => {
  expect(inSystemWords(message)).toBe(words);
});
