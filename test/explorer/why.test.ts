/** The page "why not": each refusal of the table is drawn, even from an error with minimal data. */
import { describe, expect, test } from 'vitest';
import { remedyChange } from '../../src/explorer/pay/query.ts';
import { directionsOf, membersOf, refusalOf, sumOf } from '../../src/explorer/why/why-facts.ts';
import { pictureOf } from '../../src/explorer/why/why-pictures.ts';
import { filled, REFUSALS } from '../../src/model/refusals.ts';

/** Each refusal under its name in answers. The refusal of an end has two names. */
const kinds = Object.values(REFUSALS).flatMap(({ wire }) => [
  ...new Set(['source', 'destination'].map((end) => filled(wire, { end }))),
]);

describe('the kinds of bindings', () => {
  test.each(kinds)('%s is drawn from an error with minimal data', (kind) => {
    const facts = { binding: { kind }, remedy: undefined, members: [], amountMsat: 5n, from: 'a', to: 'b' };
    const { picture, sentence } = pictureOf(facts);
    expect(picture.strings.join('').length + String(sentence).length).toBeGreaterThan(0);
    expect(JSON.stringify(sentence)).not.toContain('does not know that reason');
  });
});

test('data without a binding are not drawn', () => {
  for (const data of [undefined, null, 'text', {}, { binding: {} }, { binding: { kind: 5 } }]) {
    expect(refusalOf(data)).toBeUndefined();
  }
});

describe('the members of a cut', () => {
  const record = (scidDir: string, mostMsat: bigint, saidBy: string) => ({ scidDir, mostMsat, saidBy });

  test('have the minimum of all records, and who set it', () => {
    const records = [
      record('1x1x1/0', 9n, 'gossip'),
      record('1x1x1/0', 4n, 'layer x'),
      record('2x2x2/1', 5n, 'gossip'),
    ];
    const members = membersOf(['1x1x1/0', '2x2x2/1'], records);
    expect(members).toEqual([record('1x1x1/0', 4n, 'layer x'), record('2x2x2/1', 5n, 'gossip')]);
    expect(sumOf(members)).toBe(9n);
  });

  test('have no sum if one of them is unknown', () => {
    expect(sumOf(membersOf(['1x1x1/0', '3x3x3/0'], [record('1x1x1/0', 4n, 'a')]))).toBeUndefined();
  });

  test('are listed only once', () => {
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
  expect(remedyChange({ invoice_amount_msat: 412_000_000n })).toEqual({ amount: '412000' });
});
