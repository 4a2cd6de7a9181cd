/**
 * Clients that share the service, from their sockets to the solvers: queries of a disconnected client are not
 * searched, and a client with ten thousand queries delays the query of another client by at most a fixed number of
 * searches.
 *
 *     client ── socket ── session ── queue ── worker 0: holds two queries
 *                                          └─ worker 1: two
 *
 * The test plays the workers: each answers its oldest query when the test calls `step`. A query is identified by its
 * amount.
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
import { until } from '../until.ts';

/** Longer than the test may take, so that no query times out. */
const DEADLINE_MS = 1_000_000;
/** The number of queries that the two workers together hold while more are queued. */
const AT_HAND = 4;
/**
 * Maximum number of requests in progress for one connection. The service does not read further ones until one is
 * answered.
 */
const IN_FLIGHT = 256;
const ANSWER: RouteReply = { answer: { probabilityPpm: 1, routes: [] } };

/**
 * Records the queries that the workers hold, oldest first, and the amounts of all queries that they ever received.
 */
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

it('queries of disconnected clients are never searched, whether a client sent one or many', async () => {
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
  expect(workers.got).toEqual([1_000n, 1_001n, 1_002n, 1_003n, 1n, 2n, 3n, 4n, 5n]);
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

it('a query waits for those in progress and for one of each other client, even one with 10,000', async () => {
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
