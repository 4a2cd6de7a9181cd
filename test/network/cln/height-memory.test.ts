/**
 * A node that lost more blocks than a reorganisation removes is not trusted until it has them again, or until
 * the shorter chain has persisted for a while.
 */
import { expect, test } from 'vitest';
import { HeightMemory } from '../../../src/network/cln/height-memory.ts';

test('a node that comes back with fewer blocks is catching up', () => {
  const memory = new HeightMemory();
  expect(memory.note(111, 0)).toBeUndefined();
  expect(memory.note(36, 1_000)).toBe('the node is at block 36 and was at 111: it is catching up');
  expect(memory.note(104, 2_000)).toBe('the node is at block 104 and was at 111: it is catching up');
  expect(memory.note(105, 3_000)).toBeUndefined();
  expect(memory.note(112, 4_000)).toBeUndefined();
});

test('a shorter chain is accepted after ten minutes', () => {
  const memory = new HeightMemory();
  memory.note(111, 0);
  expect(memory.note(36, 1_000)).toBeDefined();
  expect(memory.note(37, 600_999)).toBeDefined();
  expect(memory.note(37, 601_000)).toBeUndefined();
  expect(memory.note(38, 602_000)).toBeUndefined();
});

test('a reorganisation causes no problem', () => {
  const memory = new HeightMemory();
  memory.note(111, 0);
  expect(memory.note(105, 1_000)).toBeUndefined();
  expect(memory.note(111, 2_000)).toBeUndefined();
});
