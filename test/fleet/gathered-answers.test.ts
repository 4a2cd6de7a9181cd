/** A solver gathers answers while searches wait for a thread, and sends them at once otherwise. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RouteEngine } from '../../src/engine/host/engine.ts';
import { encode } from '../../src/engine/question/messages.ts';
import type { Msg, NatsConnection } from '../../src/fleet/bus.ts';
import {
  type BatchReply,
  PACKED_FORM,
  pack,
  packSearch,
  SOLVE_REPLY,
  type SolveReply,
  type SolveRequest,
  subjects,
  unpack,
} from '../../src/fleet/bus-messages.ts';
import { FleetName } from '../../src/fleet/fleet-name.ts';
import { graphHash } from '../../src/fleet/graph-hash.ts';
import { noSharedLayers } from '../../src/fleet/shared-layers.ts';
import { Solver } from '../../src/fleet/solver.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';

const FLEET = new FleetName('regtest', '00112233445566aa');
const graph = generateSyntheticGraph({ nodeCount: 10, seed: 7 });
const REQUEST = {
  fleet: FLEET.id,
  deadline: Number.MAX_SAFE_INTEGER,
  graph: graphHash(graph),
  layers: 0,
  lane: 'query',
  asker: 'test',
  refs: [],
  takes: PACKED_FORM,
  query: {},
} as unknown as SolveRequest;

const ANSWER = encode({ answer: { probabilityPpm: 1, routes: [] } });
const SEARCH = packSearch(REQUEST);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * A solver whose searches end at once, with a number of others that wait, and the answers that it has sent. The server
 * accepts no message with more than `most` answers of a batch.
 */
function servedBy(stats: { queued: number }, most = 100) {
  let serve: (error: null, message: Msg) => void = () => undefined;
  const bus = {
    isClosed: () => false,
    publish: () => undefined,
    subscribe: (subject: string, { callback }: { callback: typeof serve }) => {
      if (subject === subjects(FLEET).solveAt('one')) serve = callback;
      return { unsubscribe: () => undefined };
    },
  } as unknown as NatsConnection;
  const engine = {
    stats,
    publish: () => undefined,
    warmUp: () => undefined,
    searchPacked: async () => ANSWER,
  } as unknown as RouteEngine;
  const shared = noSharedLayers(new LayerBook());
  const solver = new Solver({ bus, fleet: FLEET, id: 'one', engine, shared, capacity: 100 });
  solver.publish(graph);
  const sent: SolveReply[] = [];
  const ask = (isTooLarge = false): void => {
    const respond = (bytes: Uint8Array): void => {
      const reply = unpack(bytes, SOLVE_REPLY);
      if (isTooLarge && reply.packed !== undefined) throw new Error('too large');
      sent.push(reply);
    };
    serve(null, { data: pack(REQUEST), respond } as unknown as Msg);
  };
  const batches: BatchReply['answers'][] = [];
  const askTogether = (...searches: Uint8Array[]): void => {
    const respond = (bytes: Uint8Array): void => {
      const { answers } = unpack<BatchReply>(bytes, { solver: 'string', answers: 'object' });
      if (answers.filter(([, packed]) => packed !== null).length > most) throw new Error('too large');
      batches.push(answers);
    };
    serve(null, { data: pack({ fleet: FLEET.id, searches }), respond } as unknown as Msg);
  };
  return { solver, ask, sent, askTogether, batches };
}

it('an answer is sent at once when no search waits', async () => {
  const { ask, sent } = servedBy({ queued: 0 });
  ask();
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toHaveLength(1);
});

it('answers are gathered for two milliseconds while searches wait', async () => {
  const { ask, sent } = servedBy({ queued: 3 });
  ask();
  await vi.advanceTimersByTimeAsync(1);
  ask();
  expect(sent).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toHaveLength(2);
  ask();
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toHaveLength(3);
});

it('gathered answers are sent with the first one after which no search waits', async () => {
  const stats = { queued: 1 };
  const { ask, sent } = servedBy(stats);
  ask();
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toHaveLength(0);
  stats.queued = 0;
  ask();
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toHaveLength(2);
});

it('the other answers are sent when one is too large for the server', async () => {
  const { ask, sent } = servedBy({ queued: 3 });
  ask(true);
  ask();
  await vi.advanceTimersByTimeAsync(2);
  expect(sent.map(({ malformed }) => malformed)).toEqual(['too large', undefined]);
});

it('the searches of a batch are answered in one message, each with its own answer', async () => {
  const { askTogether, batches } = servedBy({ queued: 0 });
  const elsewhere = packSearch({ ...REQUEST, graph: 'another' });
  askTogether(SEARCH, elsewhere, Uint8Array.of(1), SEARCH);
  await vi.advanceTimersByTimeAsync(0);
  expect(batches).toHaveLength(1);
  expect([...batches[0]!].sort(([a], [b]) => a - b)).toEqual([
    [0, expect.objectContaining(ANSWER)],
    [1, null, { stale: 'graph', layers: 0 }],
    [2, null, { malformed: 'not a list' }],
    [3, expect.objectContaining(ANSWER)],
  ]);
});

it('a batch is answered in several messages if one would be too large', async () => {
  const { askTogether, batches } = servedBy({ queued: 0 }, 1);
  askTogether(SEARCH, SEARCH, SEARCH);
  await vi.advanceTimersByTimeAsync(0);
  expect(batches.map((answers) => answers.map(([index]) => index))).toEqual([[0], [1], [2]]);
});

it('gathered answers are sent when the solver closes', async () => {
  const { solver, ask, sent } = servedBy({ queued: 3 });
  ask();
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toHaveLength(0);
  await solver.close();
  expect(sent).toHaveLength(1);
});
