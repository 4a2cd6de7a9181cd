/** The share of each client: its last unit is granted, the next one is not, and everything given back is forgotten. */
import { expect, test } from 'vitest';
import { ClientQuota, WaitingQuota } from '../../src/http/client-quota.ts';

test('a client gets its whole share, and more once it has given something back', () => {
  const quota = new ClientQuota(2);
  const taken = ['a', 'a', 'a', 'b'].map((client) => quota.take(client));
  expect(taken).toEqual([true, true, false, true]);
  quota.giveBack('a');
  expect(['a', 'a'].map((client) => quota.take(client))).toEqual([true, false]);
});

test('units that were never taken cannot be saved up', () => {
  const quota = new ClientQuota(1);
  quota.giveBack('a');
  quota.giveBack('a');
  expect(['a', 'a'].map((client) => quota.take(client))).toEqual([true, false]);
});

/** The names of those calls of `take` that have resolved, in order. */
function takers(quota: WaitingQuota) {
  const proceeded: string[] = [];
  const take = (client: string, count: number, name: string): void =>
    void quota.take(client, count).then(() => proceeded.push(name));
  const settled = async (): Promise<string[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return proceeded.splice(0);
  };
  return { take, settled };
}

test('a client waits, in order, while it has its share; others do not', async () => {
  const quota = new WaitingQuota(5);
  const { take, settled } = takers(quota);
  take('a', 2, 'two');
  take('a', 3, 'exactly the rest');
  take('a', 2, 'too many');
  take('a', 1, 'behind it');
  take('b', 5, 'another client');
  expect(await settled()).toEqual(['two', 'exactly the rest', 'another client']);
  quota.giveBack('a', 2);
  expect(await settled()).toEqual(['too many']);
  quota.giveBack('a', 3);
  expect(await settled()).toEqual(['behind it']);
});

test('a request for more than a share gets the whole share', async () => {
  const quota = new WaitingQuota(5);
  const { take, settled } = takers(quota);
  take('a', 9, 'all');
  take('a', 1, 'next');
  expect(await settled()).toEqual(['all']);
  quota.giveBack('a', 9);
  expect(await settled()).toEqual(['next']);
});
