/** Packed replies of untrusted solvers: a list is read exactly if its unpacked form is a valid reply. */
import { expect, test } from 'vitest';
import { decodeReply, encode, unpackReply } from '../../../src/engine/question/messages.ts';
import { type PackedAnswer, unpackAnswer } from '../../../src/engine/question/packed.ts';
import { readPackedReply, readReply } from '../../../src/engine/question/reply-shape.ts';
import type { RouteAnswer, RouteHop } from '../../../src/engine/question/route.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';

const node = (n: number): NodeId => `02${n.toString(16).padStart(64, '0')}` as NodeId;

/** 1 ── 2 ── 3, as part of an answer. */
const hop = (from: number): RouteHop => ({
  shortChannelIdDir: { shortChannelId: BigInt(from) as ShortChannelId, direction: 0 },
  ...{ nodeIdIn: node(from), nodeIdOut: node(from + 1) },
  ...{ amountInMsat: msat(2_000n), amountOutMsat: msat(1_000n), cltvIn: 58, cltvOut: 18 },
});
const ANSWER: RouteAnswer = {
  probabilityPpm: 990_000,
  routes: [{ probabilityPpm: 990_000, amountMsat: msat(1_000n), finalCltv: 18, path: [hop(1), hop(2)] }],
  unfinished: { costMsat: msat(7n), leastCostMsat: msat(6n) },
};

const WRONG: readonly unknown[] = [
  ...[null, undefined, -1, 0.5, Number.NaN, 7, 2n ** 64n, -1n, 5n, '', 'x', true, [], {}],
  `${node(1)}${node(2)}`,
  `${node(1)}${node(2)}${node(3)}0`,
  `${node(1)}${node(2)}${node(3)}${node(4)}`,
  `04${node(1)}${node(2)}${node(3)}`.slice(0, 3 * 66),
];

/** All copies of a list in which one element, at any depth, is replaced by the value. */
function* changed(list: readonly unknown[], value: unknown): Generator<unknown[]> {
  for (const [at, element] of list.entries()) {
    yield list.with(at, value);
    if (!Array.isArray(element)) continue;
    for (const inner of changed(element, value)) yield list.with(at, inner);
  }
}

test('a packed answer is read as it was', () => {
  expect(readPackedReply(unpackReply(encode({ answer: ANSWER })))).toEqual({ answer: ANSWER });
  const { unfinished: _, ...finished } = ANSWER;
  expect(readPackedReply(unpackReply(encode({ answer: finished })))).toEqual({ answer: finished });
  const noRoute = { noRoute: { binding: { kind: 'deadline' } } } as const;
  expect(readPackedReply(unpackReply(encode(noRoute)))).toEqual(decodeReply(encode(noRoute)));
});

test('a packed answer with a wrong element is read only if the answer that it contains is valid', () => {
  const list = unpackReply(encode({ answer: ANSWER })) as unknown[];
  let [read, refused] = [0, 0];
  for (const value of WRONG) {
    for (const forged of changed(list, value)) {
      const reply = readPackedReply(forged);
      if (reply === undefined) refused++;
      else {
        read++;
        expect(reply).toEqual(readReply({ answer: unpackAnswer(forged as unknown as PackedAnswer) }));
      }
    }
  }
  // 22 elements are replaced by 18 values each. Valid are 7 as one of 7 numbers, 5n as one of 7 amounts and channel ids,
  // and null as the gap to the optimum.
  expect([read, refused]).toEqual([15, 22 * 18 - 15]);
});
