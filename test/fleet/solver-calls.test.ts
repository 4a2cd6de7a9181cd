/**
 * Requests over a real NATS server: each gets its own answer, and none waits for an answer that cannot come.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectBus, type Msg, type NatsConnection } from '../../src/fleet/bus.ts';
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
