/** The share of each client: its last unit is granted, the next one is not, and everything given back is forgotten. */
import { expect, test } from 'vitest';
import { Shares, WaitingShares } from '../../src/http/shares.ts';

test('a client gets its whole share, and more once it has given something back', () => {
  const shares = new Shares(2);
  const taken = ['a', 'a', 'a', 'b'].map((client) => shares.take(client));
  expect(taken).toEqual([true, true, false, true]);
  shares.giveBack('a');
  expect(['a', 'a'].map((client) => shares.take(client))).toEqual([true, false]);
});

test('units that were never taken cannot be saved up', () => {
  const shares = new Shares(1);
  shares.giveBack('a');
  shares.giveBack('a');
  expect(['a', 'a'].map((client) => shares.take(client))).toEqual([true, false]);
});

/** The names of those calls of `take` that have resolved, in order. */
function takers(shares: WaitingShares) {
  const proceeded: string[] = [];
  const take = (client: string, count: number, name: string): void =>
    void shares.take(client, count).then(() => proceeded.push(name));
  const settled = async (): Promise<string[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return proceeded.splice(0);
  };
  return { take, settled };
}

test('a client waits, in order, while it has its share; others do not', async () => {
  const shares = new WaitingShares(5);
  const { take, settled } = takers(shares);
  take('a', 2, 'two');
  take('a', 3, 'exactly the rest');
  take('a', 2, 'too many');
  take('a', 1, 'behind it');
  take('b', 5, 'another client');
  expect(await settled()).toEqual(['two', 'exactly the rest', 'another client']);
  shares.giveBack('a', 2);
  expect(await settled()).toEqual(['too many']);
  shares.giveBack('a', 3);
  expect(await settled()).toEqual(['behind it']);
});

test('a request for more than a share gets the whole share', async () => {
  const shares = new WaitingShares(5);
  const { take, settled } = takers(shares);
  take('a', 9, 'all');
  take('a', 1, 'next');
  expect(await settled()).toEqual(['all']);
  shares.giveBack('a', 9);
  expect(await settled()).toEqual(['next']);
});
