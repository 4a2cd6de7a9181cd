/** The set of pairs of nodes, compared with a `Set` of texts. */
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/gossip/random.ts';
import { PairSet } from '../../src/model/pair-set.ts';

test('holds the pairs that were added, in either order, and no other', () => {
  const NODES = 90;
  const random = seededRandom(7, 0);
  const draw = (): [number, number] => {
    const [a, b] = [random(), random()].map((share) => Math.floor(share * NODES)) as [number, number];
    return a === b ? draw() : [a, b];
  };
  const added = Array.from({ length: 1000 }, draw);
  const set = new PairSet(NODES, added.length);
  const known = new Set<string>();
  for (const [a, b] of added) {
    set.add(a, b);
    known.add(`${Math.min(a, b)} ${Math.max(a, b)}`);
  }
  for (let a = 0; a < NODES; a++) {
    for (let b = a + 1; b < NODES; b++) {
      expect(set.has(a, b)).toBe(known.has(`${a} ${b}`));
      expect(set.has(b, a)).toBe(set.has(a, b));
    }
  }
});

test('tells pairs apart whose numbers exceed 2^32', () => {
  const set = new PairSet(2 ** 24, 2);
  set.add(2 ** 24 - 1, 2 ** 23);
  expect(set.has(2 ** 23, 2 ** 24 - 1)).toBe(true);
  expect(set.has(2 ** 23, 2 ** 24 - 2)).toBe(false);
  expect(set.has(2 ** 23 - 1, 2 ** 24 - 1)).toBe(false);
});
