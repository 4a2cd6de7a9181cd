/**
 * Why not: every kind of `binding` that errors have has a picture. The kinds are found in the sources of the commands, so
 * a new kind without a picture fails here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { remedyChange } from '../../src/explorer/query.ts';
import { directionsOf, membersOf, refusalOf, sumOf } from '../../src/explorer/why-facts.ts';
import { PICTURES, pictureOf } from '../../src/explorer/why-pictures.ts';

const COMMANDS = fileURLToPath(new URL('../../src/commands/', import.meta.url));
const WORDS = 'routes/no-route-words.ts';

/** Kinds in one source: `binding: { kind: '…'`, `const binding = { kind: '…'`. */
const named = (source: string): string[] =>
  [...source.matchAll(/\bbinding(?:: | = )\{\s*kind: '(\w+)'/g)].map(([, kind]) => kind!);

/** Kinds in the words for route searches: `data: { kind: '…'`, and one made of the name of an end. */
const worded = (source: string): string[] => [
  ...[...source.matchAll(/data: \{\s*kind: '(\w+)'/g)].map(([, kind]) => kind!),
  ...[...source.matchAll(/kind: `\$\{end\}(\w+)`/g)].flatMap(([, rest]) => [
    `source${rest}`,
    `destination${rest}`,
  ]),
];

/** The kinds that the head of that file promises. */
const promised = (source: string): string[] => {
  const head = source.slice(source.indexOf('is one of:'), source.indexOf('`cut` lists'));
  return [...head.matchAll(/^ \* {3}([a-z_, ]+?)(?: {2,}|$)/gm)].flatMap(([, kinds]) => kinds!.split(', '));
};

const sources = readdirSync(COMMANDS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(COMMANDS, file), 'utf8') }));
const words = sources.find(({ file }) => file === WORDS)!.text;
const kinds = [...new Set([...sources.flatMap(({ text }) => named(text)), ...worded(words)])].sort();

describe('the kinds of bindings', () => {
  test('that the sources have are found', () => {
    // Two of each way of writing them, so that a change of the sources cannot empty the list unseen.
    expect(kinds).toEqual(
      expect.arrayContaining(['tried', 'own_channel', 'fee_cap', 'source_capacity', 'destination_capacity']),
    );
    expect(promised(words).filter((kind) => !kinds.includes(kind))).toEqual([]);
    expect(promised(words).length).toBeGreaterThan(10);
  });

  test('all have a picture', () => {
    expect(kinds.filter((kind) => PICTURES[kind] === undefined)).toEqual([]);
  });

  test('and no picture is of a kind that there is not', () => {
    expect(Object.keys(PICTURES).sort()).toEqual(kinds);
  });

  test.each(kinds)('%s is drawn from the least that its error may say', (kind) => {
    const facts = { binding: { kind }, remedy: undefined, members: [], amountMsat: 5n, from: 'a', to: 'b' };
    const { picture, sentence } = pictureOf(facts);
    expect(picture.strings.join('').length + String(sentence).length).toBeGreaterThan(0);
  });
});

test('what is no binding is none', () => {
  for (const data of [undefined, null, 'text', {}, { binding: {} }, { binding: { kind: 5 } }]) {
    expect(refusalOf(data)).toBeUndefined();
  }
});

describe('the members of a cut', () => {
  const record = (scidDir: string, mostMsat: bigint, saidBy: string) => ({ scidDir, mostMsat, saidBy });

  test('have the least of all records, and who set it', () => {
    const records = [
      record('1x1x1/0', 9n, 'gossip'),
      record('1x1x1/0', 4n, 'layer x'),
      record('2x2x2/1', 5n, 'gossip'),
    ];
    const members = membersOf(['1x1x1/0', '2x2x2/1'], records);
    expect(members).toEqual([record('1x1x1/0', 4n, 'layer x'), record('2x2x2/1', 5n, 'gossip')]);
    expect(sumOf(members)).toBe(9n);
  });

  test('have no sum when one is not known', () => {
    expect(sumOf(membersOf(['1x1x1/0', '3x3x3/0'], [record('1x1x1/0', 4n, 'a')]))).toBeUndefined();
  });

  test('are named once', () => {
    const binding = { kind: 'channel', short_channel_id_dir: '1x1x1/0', cut: ['1x1x1/0', '2x2x2/0'] };
    expect(directionsOf(binding)).toEqual(['1x1x1/0', '2x2x2/0']);
  });
});

test('a remedy changes the address of the question', () => {
  expect(remedyChange({ amount_msat: 412_000_000n, maxfee_msat: 1_204_500, maxparts: 3 })).toEqual({
    amount: '412000',
    maxfee: '1204500msat',
    maxparts: '3',
  });
  expect(remedyChange({ maxdelay: 144 })).toEqual({ maxdelay: '144' });
});
