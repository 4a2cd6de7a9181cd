/** When the garbage of a quiet thread is collected: the sizes of the heap are chosen by the test. */
import { expect, it } from 'vitest';
import { collectGarbage, heapCheck } from '../../../src/model/threads/quiet-heap.ts';

const MB = 1024 * 1024;

/** Checks a heap at these sizes. @returns the sizes at which it was collected, which left `leftMb` */
function collections(sizesMb: readonly number[], leftMb: number): number[] {
  let sizeMb = 0;
  const collected: number[] = [];
  const check = heapCheck(
    () => sizeMb * MB,
    () => {
      collected.push(sizeMb);
      sizeMb = leftMb;
    },
  );
  for (sizeMb of sizesMb) check();
  return collected;
}

it('garbage is collected when the heap has grown by a megabyte, and again after another megabyte', () => {
  expect(collections([8, 8.6, 9.1, 8.4, 8.9, 9.3], 8.2)).toEqual([9.1, 9.3]);
});

it('growth counts from the heap size after V8’s own last collection', () => {
  expect(collections([12, 12.5, 7, 7.9, 8.1], 7)).toEqual([8.1]);
});

it('nothing is collected while the heap does not grow', () => {
  expect(collections([8, 8.2, 8.1, 8.9, 8], 8)).toEqual([]);
});

it('large heaps are left to V8, because a collection would stop the thread for long', () => {
  expect(collections([90, 120, 150, 99], 80)).toEqual([99]);
});

it('objects that are no longer referenced are freed', async () => {
  const reference = new WeakRef({});
  // The reference keeps its object alive until the end of the turn that made it.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(reference.deref()).toBeUndefined();
});
