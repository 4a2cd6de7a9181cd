/**
 * Lists over HTTP, while other requests begin and while none do. The test provides the pauses, so no time
 * passes.
 */
import { expect, test } from 'vitest';
import { ListPace } from '../../src/http/list-pace.ts';

/** A pace that records its pauses. `served` states whether other requests begin between any two pieces. */
function pace(served: () => boolean): { pace: ListPace; restsMs: number[] } {
  const restsMs: number[] = [];
  let begun = 0;
  const count = () => (served() ? ++begun : begun);
  return { pace: new ListPace(count, async (ms) => void restsMs.push(ms)), restsMs };
}

/** Creates chunks of two pieces each, as the writer of an answer does. */
async function write(name: string, chunks: number, pace: ListPace, made: string[]): Promise<void> {
  for (let chunk = 0; chunk < chunks; chunk++) {
    await pace.turn();
    made.push(`${name}${chunk}`);
    await pace.goOn();
    made.push(`${name}${chunk}'`);
  }
}

test('lists pause while others are served: longer the more lists wait, but at most 8 ms', async () => {
  const one = pace(() => true);
  await write('a', 2, one.pace, []);
  // After the last piece there is no pause.
  expect(one.restsMs).toEqual([2, 2, 2]);
  const many = pace(() => true);
  await Promise.all([...'abcdef'].map((name) => write(name, 1, many.pace, [])));
  expect(Math.max(...many.restsMs)).toBe(8);
});

test('lists do not pause if nothing else begins', async () => {
  const { pace: alone, restsMs } = pace(() => false);
  await Promise.all([...'abc'].map((name) => write(name, 5, alone, [])));
  expect(restsMs).toEqual([]);
});

test('lists stop pausing as soon as no other requests begin', async () => {
  let left = 3;
  const { pace: busy, restsMs } = pace(() => --left > 0);
  await write('a', 5, busy, []);
  expect(restsMs).toEqual([2]);
});

test('a chunk that has begun is completed first, and then lists take turns', async () => {
  const made: string[] = [];
  const { pace: busy } = pace(() => true);
  await Promise.all(['a', 'b', 'c'].map((name) => write(name, 2, busy, made)));
  expect(made.join(' ')).toBe("a0 a0' b0 b0' c0 c0' a1 a1' b1 b1' c1 c1'");
});

test('a list that yields no text does not block others forever', async () => {
  const { pace: busy } = pace(() => true);
  const made: string[] = [];
  let isOver = false;
  const fruitless = async () => {
    while (!isOver) await busy.goOn();
  };
  const running = fruitless();
  await write('a', 3, busy, made);
  isOver = true;
  await running;
  expect(made).toHaveLength(6);
});
