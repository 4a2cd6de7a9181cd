/** Checks whether objects stay in memory after their last use. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';

setFlagsFromString('--expose-gc');
export const collectGarbage = runInNewContext('gc') as () => void;

/** Collects garbage until none of these objects is left. Fails if some remain. */
export async function expectForgotten(objects: readonly WeakRef<object>[]): Promise<void> {
  expect(objects).not.toEqual([]);
  await expect
    .poll(() => {
      collectGarbage();
      return objects.filter((object) => object.deref() !== undefined).length;
    })
    .toBe(0);
}
