/** Expiry of the shared lessons, also after the clock was ahead, or was set back. */
import { expect, test } from 'vitest';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import { FORGET_AFTER_S, Learning } from '../../../src/payments/learn/learning.ts';
import { L2, L2_L3, L3, leaving, lineGraph } from '../line-graph.ts';

const START_S = 1_000_000_000;
const YEAR_S = 365 * 86_400;

function subject() {
  const clock = { nowS: START_S };
  const book = new LayerBook(() => clock.nowS);
  const graph = lineGraph();
  const open = () => new Learning(book, () => graph);
  const learning = open();
  const lesson = (): void => {
    book.informChannel(learning.shared(), leaving(L2, L3, L2_L3), msat(5_000n), 'constrained');
  };
  /** How long ago the kept lessons were learned, in seconds. */
  const agesAfter = (ofProcess: Learning): number[] => {
    ofProcess.age();
    return Array.from(ofProcess.shared().records, ({ timestamp }) => clock.nowS - timestamp);
  };
  return { clock, open, learning, lesson, agesAfter };
}

test('a lesson is kept until it has reached its age, and removed a second later', () => {
  const { clock, learning, lesson, agesAfter } = subject();
  lesson();
  clock.nowS += FORGET_AFTER_S;
  expect(agesAfter(learning)).toEqual([FORGET_AFTER_S]);
  clock.nowS += 1;
  // Expiry runs once a minute.
  expect(agesAfter(learning)).toEqual([FORGET_AFTER_S + 1]);
  clock.nowS += 59;
  expect(agesAfter(learning)).toEqual([]);
});

test('lessons expire after the clock was a year ahead, and those learned meanwhile are removed', () => {
  const { clock, learning, lesson, agesAfter } = subject();
  lesson();
  clock.nowS += YEAR_S;
  expect(agesAfter(learning)).toEqual([]);
  lesson();
  clock.nowS -= YEAR_S;
  lesson();
  expect(agesAfter(learning)).toEqual([]);
  lesson();
  clock.nowS += 60;
  expect(agesAfter(learning)).toEqual([60]);
  clock.nowS += FORGET_AFTER_S;
  expect(agesAfter(learning)).toEqual([]);
});

test('a process that starts later removes lessons of the time when the clock was ahead', () => {
  const { clock, open, lesson, agesAfter } = subject();
  clock.nowS += YEAR_S;
  lesson();
  clock.nowS -= YEAR_S;
  expect(agesAfter(open())).toEqual([]);
});

test('a clock that is set back by a few seconds removes nothing', () => {
  const { clock, learning, lesson, agesAfter } = subject();
  expect(agesAfter(learning)).toEqual([]);
  lesson();
  clock.nowS -= 5;
  expect(agesAfter(learning)).toEqual([-5]);
});
