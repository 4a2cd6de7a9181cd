/** Command lines of subcommands: options, other words, and the text of each error. */
import { describe, expect, test } from 'vitest';
import { parseOnlyOptions, parseOptions } from '../../../src/cli/options/command-line.ts';

const KINDS = {
  seed: { type: 'string' },
  set: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

test('options and words may be mixed, and words after -- are never options', () => {
  const { values, positionals } = parseOptions(
    ['a', '--seed', '7', '--json', '--set=x=1', '--set', 'y=2', 'b', '--', '--c'],
    KINDS,
  );
  expect({ ...values }).toEqual({ seed: '7', json: true, set: ['x=1', 'y=2'] });
  expect(positionals).toEqual(['a', 'b', '--c']);
});

test('a value may begin with a dash if it follows an equals sign', () => {
  expect({ ...parseOnlyOptions(['--seed=-1'], KINDS) }).toEqual({ seed: '-1' });
});

describe('a command line is refused with one line', () => {
  test.each([
    [['--sed', '1'], 'unknown option --sed; did you mean --seed?'],
    [['--other'], 'unknown option --other'],
    [['-x'], 'unknown option -x'],
    [['--seed'], '--seed needs a value'],
    [['--seed', '-1'], '--seed needs a value'],
    [['--seed', '--json'], '--seed needs a value'],
    [['--json=yes'], '--json takes no value'],
    [['word'], 'only options are allowed, not word'],
  ])('%j: %s', (argv, message) => {
    expect(() => parseOnlyOptions(argv, KINDS)).toThrow(new RegExp(`^${message.replace('?', '\\?')}$`));
  });
});
