/** Many waits that can be ended at once. Waits that ended by themselves are not kept in memory. */
import { expect, test } from 'vitest';
import { Abandonment } from '../../src/model/abandonment.ts';
import { expectForgotten } from '../forgotten.ts';

test('a wait settles as its promise does', async () => {
  const waits = new Abandonment();
  expect(await waits.or(Promise.resolve(1))).toBe(1);
  await expect(waits.or(Promise.reject(new Error('its own')))).rejects.toThrow('its own');
});

test('the end rejects all waits, including those that begin later, with the first reason', async () => {
  const waits = new Abandonment();
  const never = new Promise(() => undefined);
  const both = [waits.or(never), waits.or(never)];
  waits.giveUp(new Error('first'));
  waits.giveUp(new Error('second'));
  for (const each of [...both, waits.or(never)]) await expect(each).rejects.toThrow('first');
});

test('a promise that is rejected after the end has no effect', async () => {
  const waits = new Abandonment();
  let fail: (error: Error) => void = () => undefined;
  const late = new Promise((_resolve, reject) => {
    fail = reject;
  });
  const waiting = waits.or(late);
  waits.giveUp(new Error('over'));
  await expect(waiting).rejects.toThrow('over');
  fail(new Error('late'));
  // An unhandled rejection would end the test run.
  await new Promise(setImmediate);
});

test('results of promises are not kept in memory', async () => {
  const waits = new Abandonment();
  const brought: WeakRef<object>[] = [];
  for (let n = 0; n < 3; n++) {
    const object = await waits.or(Promise.resolve({ n }));
    brought.push(new WeakRef(object));
  }
  await expectForgotten(brought.slice(0, 2));
  waits.giveUp(new Error('over'));
});
