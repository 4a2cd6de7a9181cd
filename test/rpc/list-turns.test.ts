/**
 * Readers of long lists share the event loop: one piece per turn of the loop, in the order of their requests.
 */
import { expect, test } from 'vitest';
import { listTurn } from '../../src/rpc/list-turns.ts';

test('each turn produces one piece, and no reader waits forever', async () => {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  const made: [reader: string, turn: number][] = [];
  const read = async (reader: string): Promise<void> => {
    for (let piece = 0; piece < 3; piece++) {
      await listTurn();
      made.push([reader, turn]);
    }
  };
  setImmediate(count);
  await Promise.all(['a', 'b', 'c'].map(read));
  isOver = true;
  expect(made.map(([reader]) => reader).join('')).toBe('abcabcabc');
  const turns = made.map(([, at]) => at);
  expect(new Set(turns).size).toBe(9);
});
