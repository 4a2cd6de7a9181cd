/**
 * Requests over a real NATS server: each gets its own answer, and none waits for an answer that cannot come.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectBus, type Msg, type NatsConnection } from '../../src/fleet/bus.ts';
import { type BatchReply, pack, type SolveBatch, unpack } from '../../src/fleet/bus-messages.ts';
import { SolverCalls } from '../../src/fleet/solver-calls.ts';
import { describeNeeding } from '../needs.ts';
import { type NatsServer, natsServerPath, startNatsServer } from './nats-server.ts';

let server: NatsServer;
const closers: (() => unknown)[] = [];

async function connection(url = server.url): Promise<NatsConnection> {
  const bus = await connectBus(url, 'test');
  closers.push(() => bus.close());
  return bus;
}

async function calls(url?: string): Promise<SolverCalls> {
  const made = new SolverCalls(await connection(url));
  closers.push(() => made.close());
  return made;
}

/** Listens to a subject. @returns the received messages */
async function listen(subject: string): Promise<Msg[]> {
  const heard: Msg[] = [];
  const bus = await connection();
  bus.subscribe(subject, { callback: (_error, message) => void heard.push(message) });
  await bus.flush();
  return heard;
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const NEVER = Number.POSITIVE_INFINITY;
const BATCH = { fleet: 'f', most: 3 };

/** The searches in a message. */
const searchesIn = ({ data }: Msg): number[][] =>
  unpack<SolveBatch>(data, { fleet: 'string', searches: 'object' }).searches.map((each) => [...each]);

/** A reply to some searches of a batch. */
const replyOf = (...answers: BatchReply['answers']): Uint8Array => pack({ fleet: 'f', solver: 's', answers });

describeNeeding('nats', natsServerPath !== undefined, 'requests to solvers', () => {
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => server.stop());

  it('gives each request its own answer, in any order, once', async () => {
    const asker = await calls();
    const heard = await listen('one');
    const asked = [1, 2, 3].map((n) => asker.ask('one', 'one', bytes(n), NEVER));
    await expect.poll(() => heard.length).toBe(3);
    expect(asker.size).toBe(3);
    for (const message of [...heard].reverse()) {
      message.respond(bytes(...message.data, 0));
      message.respond(bytes(99));
    }
    expect(await Promise.all(asked)).toEqual([bytes(1, 0), bytes(2, 0), bytes(3, 0)].map(Buffer.from));
    expect(asker.size).toBe(0);
  });

  it('learns at once that there is no listener', async () => {
    const asker = await calls();
    expect(await asker.ask('nobody', 'nobody', bytes(1), NEVER)).toBeUndefined();
  });

  it('gives up late requests, those of one solver, and on close all of them', async () => {
    const asker = await calls();
    await listen('mute.*');
    const ended: string[] = [];
    const ask = (name: string, solver: string, untilMs: number): void =>
      void asker.ask(solver, `mute.${solver}`, bytes(1), untilMs).then((data) => {
        ended.push(`${name} ${data}`);
      });
    ask('late', 'a', 10);
    ask('of a', 'a', 11);
    ask('of b', 'b', 11);
    asker.giveUpLate(10);
    await expect.poll(() => ended).toEqual(['late undefined']);
    asker.giveUp('a');
    await expect.poll(() => ended).toEqual(['late undefined', 'of a undefined']);
    expect(asker.size).toBe(1);
    asker.close();
    ask('after the end', 'b', 11);
    await expect.poll(() => ended.slice(2)).toEqual(['of b undefined', 'after the end undefined']);
    expect(asker.size).toBe(0);
  });

  it('does not wait for a request that the connection does not accept', async () => {
    const asker = await calls();
    await listen('large');
    expect(await asker.ask('large', 'large', new Uint8Array(2_000_000), NEVER)).toBeUndefined();
    expect(asker.size).toBe(0);
  });

  it('sends requests of one turn together, and gives each its own answer', async () => {
    const asker = await calls();
    const heard = await listen('one');
    const asked = [1, 2, 3, 4].map((n) => asker.ask('one', 'one', bytes(n), NEVER, BATCH));
    await expect.poll(() => heard.length).toBe(2);
    expect(heard.map(searchesIn)).toEqual([[[1], [2], [3]], [[4]]]);
    expect(asker.size).toBe(4);
    const [first, second] = heard as [Msg, Msg];
    first.respond(replyOf([2, bytes(30)]));
    // Answers to requests that do not exist, or that have an answer, change nothing.
    first.respond(replyOf([7, bytes(0)], ['length' as never, bytes(0)], [2, bytes(0)]));
    second.respond(replyOf([0, null, { busy: 4 }]));
    first.respond(replyOf([1, bytes(20)], [0, null, { stale: 'graph' }]));
    const of = { fleet: 'f', solver: 's' };
    expect(await Promise.all(asked)).toEqual([
      { ...of, stale: 'graph' },
      { ...of, packed: Buffer.of(20) },
      { ...of, packed: Buffer.of(30) },
      { ...of, busy: 4 },
    ]);
    expect(asker.size).toBe(0);
  });

  it('gives all requests of a batch the same answer if the message has one, or no listener', async () => {
    const asker = await calls();
    const heard = await listen('one');
    const ask = (solver: string) => [1, 2].map((n) => asker.ask(solver, solver, bytes(n), NEVER, BATCH));
    const asked = ask('one');
    await expect.poll(() => heard.length).toBe(1);
    heard[0]!.respond(bytes(9));
    const same = (await Promise.all(asked)) as Uint8Array[];
    expect(same.map((each) => [...each])).toEqual([[9], [9]]);
    expect(await Promise.all(ask('nobody'))).toEqual([undefined, undefined]);
    expect(asker.size).toBe(0);
  });

  it('abandons each request of a batch at its own deadline, and sends no batch that is abandoned', async () => {
    const asker = await calls();
    const heard = await listen('*');
    const late = asker.ask('a', 'a', bytes(1), 10, BATCH);
    const patient = asker.ask('a', 'a', bytes(2), 20, BATCH);
    const given = asker.ask('b', 'b', bytes(3), NEVER, BATCH);
    asker.giveUp('b');
    const after = asker.ask('b', 'b', bytes(4), NEVER, BATCH);
    expect(await given).toBeUndefined();
    await expect.poll(() => heard.length).toBe(2);
    expect(Object.fromEntries(heard.map((each) => [each.subject, searchesIn(each)]))).toEqual({
      a: [[1], [2]],
      b: [[4]],
    });
    asker.giveUpLate(10);
    expect([await late, asker.size]).toEqual([undefined, 2]);
    for (const [index, message] of heard.entries())
      message.respond(replyOf([1 - index, bytes(5)], [index, bytes(5)]));
    const answer = { fleet: 'f', solver: 's', packed: Buffer.of(5) };
    expect(await Promise.all([patient, after])).toEqual([answer, answer]);
  });

  it('starts another batch before a message becomes large, and sends a large request alone', async () => {
    const asker = await calls();
    const heard = await listen('large');
    for (const size of [25_000, 25_000, 25_000, 800_000, 10])
      void asker.ask('large', 'large', new Uint8Array(size), NEVER, BATCH);
    await expect.poll(() => heard.length).toBe(4);
    const sizes = heard.map((each) => searchesIn(each).map(({ length }) => length));
    expect(sizes).toEqual([[25_000, 25_000], [25_000], [800_000], [10]]);
  });

  it('does not wait for answers that its account may not receive', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fulgurite-nats-'));
    const config = join(directory, 'config');
    writeFileSync(
      config,
      'authorization { users = [ { user: deaf, password: d, permissions: { subscribe: ["x"] } } ] }',
    );
    const strict = await startNatsServer(-1, '127.0.0.1', '-c', config);
    try {
      const asker = await calls(strict.url.replace('//', '//deaf:d@'));
      expect(await asker.ask('one', 'one', bytes(1), NEVER)).toBeUndefined();
    } finally {
      for (const close of closers.splice(0).reverse()) await close();
      await strict.stop();
      rmSync(directory, { recursive: true });
    }
  });
});
