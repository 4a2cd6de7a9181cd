/** The data for the pictures of payments, layers, beliefs and figures. */
import { describe, expect, test } from 'vitest';
import { beliefBar, certainty, strengthAt } from '../../src/explorer/pictures/belief-bar.ts';
import {
  axisMarks,
  lanesOf,
  momentsOf,
  roundStep,
  spreadAt,
  stateAt,
} from '../../src/explorer/pictures/lanes.ts';
import { overlay } from '../../src/explorer/pictures/overlay.ts';
import { Samples } from '../../src/explorer/pictures/series.ts';
import { windowOf } from '../../src/explorer/window.ts';

describe('lanes', () => {
  //   ms     0    100   250   300
  //   one    |fail|
  //   two          |----arrives|
  //   three              |----------   in progress
  const attempts = [
    { status: 'failed', created_at: 1000, completed_at: 1000.1, amount_msat: 600 },
    { status: 'complete', created_at: 1000.1, completed_at: 1000.3, amount_msat: 400 },
    { status: 'pending', created_at: 1000.25, amount_msat: 200n },
  ] as const;
  const lanes = lanesOf(1000, attempts);

  test('begin and end where their attempts do', () => {
    expect(lanes).toEqual([
      { startMs: 0, endMs: 100, end: 'failed' },
      { startMs: 100, endMs: 300, end: 'complete' },
      { startMs: 250, endMs: undefined, end: 'pending' },
    ]);
    expect(momentsOf(lanes)).toEqual([0, 100, 250, 300]);
  });

  test('an attempt is shown in progress until its end, and never failed earlier', () => {
    const at = (ms: number) => lanes.map((lane) => stateAt(lane, ms));
    expect(at(0)).toEqual(['pending', 'future', 'future']);
    expect(at(99)).toEqual(['pending', 'future', 'future']);
    expect(at(100)).toEqual(['failed', 'pending', 'future']);
    expect(at(299)).toEqual(['failed', 'pending', 'pending']);
    expect(at(1e9)).toEqual(['failed', 'complete', 'pending']);
  });

  test('a failed amount is neither arrived nor in flight', () => {
    expect(spreadAt(lanes, attempts, 50)).toEqual({ arrivedMsat: 0n, inFlightMsat: 600n });
    expect(spreadAt(lanes, attempts, 260)).toEqual({ arrivedMsat: 0n, inFlightMsat: 600n });
    expect(spreadAt(lanes, attempts, 300)).toEqual({ arrivedMsat: 400n, inFlightMsat: 200n });
  });

  test('clocks that go back make no negative time', () => {
    const [lane] = lanesOf(1000, [{ status: 'failed', created_at: 999, completed_at: 998, amount_msat: 1 }]);
    expect(lane).toEqual({ startMs: 0, endMs: 0, end: 'failed' });
  });

  test('the ticks of axes are round numbers', () => {
    expect([roundStep(100, 5), roundStep(101, 5), roundStep(0.7, 5), roundStep(0, 5)]).toEqual([
      20, 50, 0.2, 1,
    ]);
    expect(axisMarks(300)).toEqual([0, 100, 200, 300]);
  });
});

test('two answers are overlaid', () => {
  //   A ── B ── D          before
  //   A ── C ── E ── D     after, which also uses A ── B ── D for a part
  const hop = (short_channel_id_dir: string, node_id_in: string, node_id_out: string) => ({
    short_channel_id_dir,
    node_id_in,
    node_id_out,
  });
  const [ab, bd] = [hop('1x1x1/0', 'A', 'B'), hop('2x2x2/0', 'B', 'D')];
  const other = [hop('3x3x3/0', 'A', 'C'), hop('4x4x4/0', 'C', 'E'), hop('5x5x5/1', 'E', 'D')];
  const picture = overlay([{ path: [ab, bd] }], [{ path: [ab, bd] }, { path: other }]);
  expect(picture.edges.map(({ channel, usage }) => [channel, usage])).toEqual([
    ['1x1x1/0', 'both'],
    ['2x2x2/0', 'both'],
    ['3x3x3/0', 'after'],
    ['4x4x4/0', 'after'],
    ['5x5x5/1', 'after'],
  ]);
  expect(Object.fromEntries(picture.nodes.map(({ id, column, row }) => [id, [column, row]]))).toEqual({
    A: [0, 0],
    B: [1, 0],
    C: [1, 1],
    E: [2, 0],
    D: [3, 0],
  });
  expect([picture.columns, picture.rows]).toEqual([4, 2]);
  expect(overlay([{ path: [ab] }], []).edges).toMatchObject([{ usage: 'before' }]);
  expect(overlay([], [])).toEqual({ nodes: [], edges: [], columns: 0, rows: 0 });
});

test('bounds on the bar of a channel’s capacity', () => {
  expect(beliefBar(250, 750, 1000)).toEqual({ known: 0.25, open: 0.75 });
  // Bounds above the capacity or below the minimum are clamped.
  expect(beliefBar(500n, 400n, 1000n)).toEqual({ known: 0.5, open: 0.5 });
  expect(beliefBar(0, 5000, 1000)).toEqual({ known: 0, open: 1 });
  expect(beliefBar(1, 2, 0)).toEqual({ known: 0, open: 1 });
  expect([beliefBar(0, 10, 10), beliefBar(2, 7, 10), beliefBar(7, 7, 10)].map(certainty)).toEqual([
    'unknown',
    '50 % open',
    'known',
  ]);
});

test('a belief fades over an hour, but never disappears', () => {
  expect(strengthAt(0)).toBe(1);
  expect(strengthAt(1800)).toBeCloseTo(0.675, 6);
  expect(strengthAt(1e9)).toBe(0.35);
  expect(strengthAt(-5)).toBe(1);
});

test('only the visible rows of a long list are drawn', () => {
  const seen = windowOf(100_000, 40, 2_000_000, 400);
  expect(seen).toEqual({ from: 49_992, to: 50_018, aboveHeight: 1_999_680, belowHeight: 1_999_280 });
  for (const [count, top] of [
    [3, 0],
    [100_000, 9e9],
    [0, 0],
    [100, -50],
  ] as const) {
    const { from, to, aboveHeight, belowHeight } = windowOf(count, 40, top, 400);
    expect(aboveHeight + belowHeight + (to - from) * 40).toBe(count * 40);
    expect([from >= 0, to <= count]).toEqual([true, true]);
  }
});

describe('samples', () => {
  const series = () => new Samples(['a', 'b'], 3);
  const frame = { from: 0, to: 10, most: 10, width: 100, height: 50 };

  test('use a fixed amount of memory', () => {
    const one = series();
    for (let time = 1; time <= 5; time++) one.add(time, { a: time, b: Number.NaN });
    expect(one.size).toBe(3);
    expect([0, 1, 2].map((index) => [one.timeAt(index), one.valueAt('a', index)])).toEqual([
      [3, 3],
      [4, 4],
      [5, 5],
    ]);
    expect([one.last('a'), one.last('b'), one.largest(['a', 'b'])]).toEqual([5, Number.NaN, 5]);
    expect([series().last('a'), series().largest(['a'])]).toEqual([Number.NaN, 0]);
  });

  test('are drawn as a line, with gaps if nothing is known', () => {
    const one = series();
    one.add(1, { a: 0, b: 1 });
    one.add(2, { a: 10, b: Number.NaN });
    one.add(2, { a: 99, b: 99 });
    one.add(9, { a: 5, b: 20 });
    expect(one.path('a', frame)).toBe('M10.0 50.0L20.0 0.0M90.0 25.0');
    expect(one.path('b', frame)).toBe('M10.0 45.0M90.0 0.0');
    expect(one.path('a', { ...frame, from: 1.5, to: 11.5 })).toBe('M5.0 0.0M75.0 25.0');
  });
});
