/**
 * The table of Core Lightning's methods contains every method of a real node once, and states correctly which
 * are ours.
 */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/index.ts';
import { describeNeeding } from '../needs.ts';

const page = readFileSync(new URL('../../docs/methods.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .map(([methods, ...cells]) => ({
    methods: [...(methods as string).matchAll(/`([^`]+)`/g)].map(([, name]) => name as string),
    cells,
  }));
const ours = new Set(COMMANDS.map(({ name }) => name));
/** The answer to `help` of a Core Lightning node, if available. */
const HELP =
  process.env.FULGURITE_CLN_HELP ??
  new URL('../../../shared/spec/cln-help-usage.json', import.meta.url).pathname;

test('a row is either about methods that we have, or about methods that we lack', () => {
  expect(rows.length).toBeGreaterThan(10);
  for (const { methods, cells } of rows) {
    const isHere = cells[2] !== 'no';
    expect(methods.filter((name) => ours.has(name) !== isHere)).toEqual([]);
    // Methods that are not ours belong to the node, and the table gives the reason.
    if (!isHere) expect([cells[0], cells[1], cells[3] !== '']).toEqual(['node', 'no', true]);
  }
});

test('no method is in two rows', () => {
  const all = rows.flatMap(({ methods }) => methods);
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
});

describeNeeding('help', existsSync(HELP), 'the methods of a real node', () => {
  test('have a row each', () => {
    const listed = new Set(rows.flatMap(({ methods }) => methods));
    const answer = JSON.parse(readFileSync(HELP, 'utf8'));
    const help = answer.help ?? answer;
    const names = help.map(({ command }: { command: string }) => command.split(' ')[0]);
    expect(names.filter((name: string) => !name.startsWith('dev') && !listed.has(name))).toEqual([]);
  });
});
