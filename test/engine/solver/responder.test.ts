/** A solver's replies that contain no answer: each reason separately, on a network of a thousand nodes. */
import { beforeEach, expect, test, vi } from 'vitest';
import {
  decodeReply,
  decodeRequest,
  encode,
  isPackedOutcome,
  type RouteReply,
} from '../../../src/engine/question/messages.ts';
import type { RouteRequest } from '../../../src/engine/question/route-request.ts';
import { createSharedKernel, GraphPublisher, NoticeBoard } from '../../../src/engine/solver/kernel-memory.ts';
import { Responder } from '../../../src/engine/solver/responder.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import { machineMs } from '../../../src/model/clock.ts';
import { msat } from '../../../src/model/msat.ts';

const NEVER = 4_102_444_800_000;
const graph = generateSyntheticGraph({ nodeCount: 1_000, seed: 1 });
const shared = createSharedKernel();
const version = new GraphPublisher(shared).publish(graph);
const board = new NoticeBoard(shared);

let responder: Responder;
beforeEach(() => {
  responder = new Responder(shared, 0);
});

/**
 * A request for 1 sat between two poor nodes for 3 msat of fees: no route is that cheap, but only a search
 * can show this.
 */
const REQUEST: RouteRequest = {
  task: 7,
  deadline: NEVER,
  graph: version,
  layers: { from: -1, to: 0, chunks: [] },
  query: {
    source: graph.nodeId(graph.nodeCount - 1),
    destination: graph.nodeId(graph.nodeCount - 2),
    amountMsat: msat(1_000n),
    maxfeeMsat: msat(3n),
    finalCltv: 18,
    maxdelay: 2016,
    maxparts: 1,
    layerIds: [],
    layerNames: [],
    includeFees: false,
    maxhops: 20,
  },
};

const replyTo = (changes: Partial<RouteRequest>): RouteReply =>
  decodeReply(responder.answer(encode({ ...REQUEST, ...changes })));

test('a request that may be searched fails because of its fee limit', () => {
  expect(replyTo({})).toEqual({ noRoute: { binding: { kind: 'feeLimit', maxfeeMsat: 3n } } });
});

test('a received question has a member for its odds, so that all questions have one hidden class', () => {
  expect(decodeRequest(encode(REQUEST)).query).toHaveProperty('odds', undefined);
});

test('a task that was asked to stop ends, and no other task does', () => {
  board.cancel(0, 8);
  expect(replyTo({ task: 8 })).toEqual({ noRoute: { binding: { kind: 'deadline' } } });
  board.cancel(1, 9);
  for (const task of [7, 9]) {
    expect(replyTo({ task, layers: { from: 0, to: 0, chunks: [] } })).toEqual({
      noRoute: { binding: { kind: 'feeLimit', maxfeeMsat: 3n } },
    });
  }
});

test('an expired request is not searched', () => {
  expect(replyTo({ deadline: machineMs() - 1 })).toEqual({ fault: { kind: 'late' } });
});

test('a request does not expire because the clock of the system is set ahead', () => {
  const nowMs = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(nowMs + 3_600_000);
  expect(replyTo({ deadline: machineMs() + 600_000 })).toHaveProperty('noRoute');
  vi.restoreAllMocks();
});

test('a missing graph is requested again; a later graph is accepted', () => {
  expect(replyTo({ graph: version + 1 })).toEqual({ outdated: true });
  expect(replyTo({ graph: version - 1, layers: { from: 0, to: 0, chunks: [] } })).toHaveProperty('noRoute');
});

test('layer changes are applied from where the last ones ended, or from scratch', () => {
  expect(replyTo({ layers: { from: 3, to: 4, chunks: [] } })).toEqual({ stale: true });
  expect(replyTo({ layers: { from: -1, to: 5, chunks: [] } })).toHaveProperty('noRoute');
  expect(replyTo({ layers: { from: 5, to: 6, chunks: [] } })).toHaveProperty('noRoute');
  expect(replyTo({ layers: { from: 5, to: 6, chunks: [] } })).toEqual({ stale: true });
  expect(replyTo({ layers: { from: -1, to: 6, chunks: [] } })).toHaveProperty('noRoute');
});

test('a defect ends only the request', () => {
  const query = { ...REQUEST.query, source: 5 as never };
  expect(replyTo({ query })).toMatchObject({ fault: { kind: 'defect', error: 'internal' } });
  expect(replyTo({ layers: { from: 0, to: 0, chunks: [] } })).toHaveProperty('noRoute');
});

test('changes sent with a request apply only to that request', () => {
  const ends = { source: graph.nodeId(0), destination: graph.nodeId(1), maxfeeMsat: msat(1_000_000n) };
  const query = { ...REQUEST.query, ...ends };
  const found = replyTo({ query });
  expect(found).toHaveProperty('answer');
  const disable = ['node', -2, graph.nodeId(0), { disabled: true, inBias: 0, outBias: 0 }] as const;
  const reserved = [msat(2n ** 62n), msat(2n ** 62n)] as const;
  const here = { from: 0, to: 0, chunks: [] };
  const onlyItself = { query: { ...query, layerIds: [-2], layerNames: ['private'] }, layers: here };
  const without = replyTo({ ...onlyItself, own: encode([]) });
  const withIt = replyTo({ ...onlyItself, own: encode([disable]) });
  expect(without).toEqual(found);
  expect(withIt).toMatchObject({ noRoute: { binding: { kind: 'endCapacity' } } });

  // Global reservations count although the request does not name them, on every channel of the destination.
  const scids = [...graph.channelsOf(1)].map((channel) => graph.shortChannelIds[channel]!);
  const held = scids.map((scid) => ['channel', 0, scid, [null, null, null, null, reserved, null]] as const);
  expect(replyTo({ query, layers: here, own: encode(held) })).toHaveProperty('noRoute');
  expect(replyTo({ query, layers: here })).toEqual(found);
  const ofAll = encode([['node', 5, graph.nodeId(0), null]]);
  expect(replyTo({ query, layers: here, own: ofAll })).toEqual({
    fault: { kind: 'defect', error: 'internal', cause: 'layer 5 does not belong to a request' },
  });
});

test('the first bytes of a packed reply show whether it is an outcome', () => {
  const found = replyTo({ query: { ...REQUEST.query, maxfeeMsat: msat(1_000_000n) } });
  if (!('answer' in found)) throw new Error('there is a route');
  const [route] = found.answer.routes;
  const times = (count: number) => ({
    answer: { ...found.answer, routes: Array.from({ length: count }, () => route!) },
  });
  // A packed answer is a list with two more members than there are routes. Lists of up to 15, of up to 65,535 and of
  // more members begin with different bytes.
  for (const count of [1, 13, 14]) {
    const packed = encode(times(count));
    expect([isPackedOutcome(packed), decodeReply(packed)]).toEqual([true, times(count)]);
  }
  for (const count of [65_533, 65_534]) expect(isPackedOutcome(encode(times(count)))).toBe(true);
  const refused = replyTo({});
  expect([Object.keys(refused), isPackedOutcome(encode(refused))]).toEqual([['noRoute'], true]);
  for (const other of [{ stale: true }, { outdated: true }, { fault: { kind: 'late' } }] as const) {
    expect(isPackedOutcome(encode(other))).toBe(false);
  }
});
