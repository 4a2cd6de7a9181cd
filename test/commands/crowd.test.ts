/**
 * Clients that share the service, from their sockets to the solvers: no one searches for a client that is gone, and a
 * client with ten thousand queries delays another one's query by a fixed number of searches.
 *
 *     client ── socket ── session ── queue ── worker 0: one query at hand
 *                                          └─ worker 1: two
 *
 * The workers are the test's: each answers the first query that it has at hand, when the test says so. A query is known
 * by its amount.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NodeContext } from '../../src/commands/context.ts';
import { COMMANDS } from '../../src/commands/index.ts';
import { RouteEngine } from '../../src/engine/host/engine.ts';
import type { SolverLink } from '../../src/engine/host/solver-link.ts';
import { decodeRequest, encode, type RouteReply } from '../../src/engine/question/messages.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { nodeNamed } from '../reference/tiny-graph.ts';
import { RawClient, serve, type TestServer } from '../rpc/support.ts';

/** Longer than the test may take: no query is answered because its time is over. */
const DEADLINE_MS = 1_000_000;
/** Queries that the two workers have at hand together while queries wait. */
const AT_HAND = 3;
/** Queries of one connection that the service begins. The others stay with the client. */
const IN_FLIGHT = 256;
const ANSWER: RouteReply = { answer: { probabilityPpm: 1, routes: [] } };

/** What the workers have at hand, oldest first, and the amounts that they ever got. */
class Workers {
  readonly #atHand: { amount: bigint; answer: () => void }[] = [];
  readonly got: bigint[] = [];

  readonly link: SolverLink = {
    depth: 2,
    send: (_task, bytes) => {
      const amount: bigint = decodeRequest(bytes).query.amountMsat;
      this.got.push(amount);
      return new Promise((resolve) => {
        this.#atHand.push({ amount, answer: () => resolve(encode(ANSWER)) });
      });
    },
    cancel: () => undefined,
    reset: () => undefined,
  };

  get atHand(): number {
    return this.#atHand.length;
  }

  /** Answers the oldest query. @returns its amount. */
  step(): bigint {
    const { amount, answer } = this.#atHand.shift()!;
    answer();
    return amount;
  }
}

let workers: Workers;
let engine: RouteEngine;
let server: TestServer;
beforeEach(async () => {
  workers = new Workers();
  const layers = new LayerBook();
  const solvers = {
    links: [workers.link, workers.link],
    memoryBytes: 0,
    publish: () => 1,
    close: () => Promise.resolve(),
  };
  engine = new RouteEngine({ book: layers, solvers, deadlineMs: () => DEADLINE_MS });
  server = await serve(COMMANDS, { engine, layers } as Partial<NodeContext> as NodeContext);
});
afterEach(async () => {
  await server.stop();
  await engine.close();
});

const query = (amount: number): string =>
  `{"id":${amount},"method":"getroutes","params":{"source":"${nodeNamed('A')}","destination":"${nodeNamed('B')}",` +
  `"amount_msat":${amount},"layers":[],"maxfee_msat":0,"final_cltv":18}}`;

const queries = (first: number, count: number): string =>
  Array.from({ length: count }, (_, i) => query(first + i)).join('');

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

it('what a client asked that is gone is never searched for, whoever it was that asked once or often', async () => {
  const [often, stayer] = [new RawClient(server.path), new RawClient(server.path)];
  often.send(queries(1_000, 200));
  await until(() => engine.stats.queued === 200 - AT_HAND);
  const once = Array.from({ length: 50 }, (_, i) => {
    const client = new RawClient(server.path);
    client.send(query(2_000 + i));
    return client;
  });
  stayer.send(queries(1, 5));
  await until(() => engine.stats.queued === 200 - AT_HAND + once.length + 5);
  for (const client of [often, ...once]) client.close();
  await until(() => server.server.connections === 1);

  for (let answered = 0; answered < AT_HAND + 5; answered++) {
    await until(() => workers.atHand > 0);
    workers.step();
  }
  for (let answered = 1; answered <= 5; answered++) {
    expect(JSON.parse((await stayer.next())!)).toMatchObject({ id: answered, result: { routes: [] } });
  }
  expect(workers.got).toEqual([1_000n, 1_001n, 1_002n, 1n, 2n, 3n, 4n, 5n]);
  expect(engine.stats).toMatchObject({ queued: 0, running: 0 });
  stayer.close();
});

it('a client that closes only its sending side gets its answers', async () => {
  const half = new RawClient(server.path);
  half.send(queries(1, 5));
  half.socket.end();
  for (let answered = 1; answered <= 5; answered++) {
    await until(() => workers.atHand > 0);
    workers.step();
    expect(JSON.parse((await half.next())!)).toMatchObject({ id: answered, result: { routes: [] } });
  }
  expect(await half.next()).toBeUndefined();
});

it('a query waits for what is at hand and for one query of each other client, though one has 10,000', async () => {
  const [many, few] = [new RawClient(server.path), new RawClient(server.path)];
  many.send(queries(100_000, 10_000));
  await until(() => engine.stats.queued === IN_FLIGHT - AT_HAND);
  for (let amount = 1; amount <= 20; amount++) {
    few.send(query(amount));
    await until(() => engine.stats.queued === IN_FLIGHT - AT_HAND + 1);
    const before: bigint[] = [];
    for (let served = workers.step(); served !== BigInt(amount); served = workers.step()) {
      before.push(served);
      await until(() => workers.atHand === AT_HAND);
    }
    expect(JSON.parse((await few.next())!)).toMatchObject({ id: amount, result: {} });
    expect(before).toHaveLength(AT_HAND + 1);
    await until(() => engine.stats.queued === IN_FLIGHT - AT_HAND);
  }
  many.close();
  few.close();
});
