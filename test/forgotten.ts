/** Whether objects are kept after everybody is done with them. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Collects garbage until none of these objects is left. It fails when that does not come. */
export async function expectForgotten(objects: readonly WeakRef<object>[]): Promise<void> {
  expect(objects).not.toEqual([]);
  await expect
    .poll(() => {
      collectGarbage();
      return objects.filter((object) => object.deref() !== undefined).length;
    })
    .toBe(0);
}
