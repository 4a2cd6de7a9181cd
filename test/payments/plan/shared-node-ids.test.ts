/** Node ids that routes share: equal to those of the route, and not parts of a longer text. */
import { expect, test } from 'vitest';
import type { Route } from '../../../src/engine/question/route.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { MAX_SHARED_IDS, SharedNodeIds } from '../../../src/payments/plan/shared-node-ids.ts';
import { collectGarbage } from '../../forgotten.ts';

const DIGITS = 66;
const node = (n: number): string => `02${n.toString(16).padStart(DIGITS - 2, '0')}`;

/** A route of one hop between two nodes. */
const route = (nodeIdIn: string, nodeIdOut: string): Route => ({
  ...{ probabilityPpm: 1, amountMsat: msat(1n), finalCltv: 18 },
  path: [
    {
      shortChannelIdDir: { shortChannelId: 1n as ShortChannelId, direction: 0 },
      ...{ nodeIdIn: nodeIdIn as NodeId, nodeIdOut: nodeIdOut as NodeId },
      ...{ amountInMsat: msat(1n), amountOutMsat: msat(1n), cltvIn: 18, cltvOut: 18 },
    },
  ],
});

test('a route keeps its content', () => {
  const ids = new SharedNodeIds();
  const given = route(node(1), node(2));
  expect(ids.in(given)).toEqual(given);
  expect(ids.in(route(node(2), node(1)))).toEqual(route(node(2), node(1)));
  expect(ids.size).toBe(2);
});

test('a kept id does not keep the text of which it was part', () => {
  const ids = new SharedNodeIds();
  const kept: Route[] = [];
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  // Node.js keeps longer texts outside the heap.
  const [texts, length] = [1_000, 30_000];
  for (let n = 0; n < texts; n++) {
    const text = Buffer.from(node(2 * n) + node(2 * n + 1) + 'x'.repeat(length)).toString('latin1');
    kept.push(ids.in(route(text.slice(0, DIGITS), text.slice(DIGITS, 2 * DIGITS))));
  }
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((texts * length) / 4);
  expect(kept.map(({ path }) => path[0]!.nodeIdOut)).toEqual(kept.map((_, n) => node(2 * n + 1)));
});

test('the number of ids is bounded', () => {
  const ids = new SharedNodeIds();
  for (let n = 0; n <= MAX_SHARED_IDS; n += 2) {
    ids.in(route(node(n), node(n + 1)));
    expect(ids.size).toBeLessThanOrEqual(MAX_SHARED_IDS);
  }
  expect(ids.size).toBe(2);
});
