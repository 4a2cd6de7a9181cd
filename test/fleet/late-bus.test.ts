/**
 * A daemon whose bus is down when it starts: it searches by itself, and connects to the solvers once the bus
 * answers.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { openFleet } from '../../src/cli/daemon/open-fleet.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { describeNeeding } from '../needs.ts';
import { newPreparedDatabase } from '../store/postgres-database.ts';
import { POSTGRES_PROGRAMS, sharedPostgres } from '../store/postgres-server.ts';
import { natsServerPath, startNatsServer } from './nats-server.ts';

const isThere = POSTGRES_PROGRAMS !== undefined && natsServerPath !== undefined;

describeNeeding('nats', isThere, 'a bus that comes late', () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function open(url: string) {
    const { daemon } = await newPreparedDatabase(await sharedPostgres());
    const user = { daemon: 'a', ownNode: 'a', payingNode: '02aa', network: 'none', chain: 'regtest' };
    const shared = await PostgresStore.open(daemon, user);
    closers.push(() => shared.close());
    const book = new LayerBook();
    await shared.layers.attach(book);
    const said: string[] = [];
    const note = (message: string) => void said.push(message);
    const log = { info: note, unusual: note, broken: note, debug: note } as never;
    const fleet = await openFleet({ url, chain: 'regtest', id: 'a', shared, book, log });
    closers.push(() => fleet.close());
    return { fleet, said };
  }

  test('does not prevent a daemon from starting, and is used once it answers', async () => {
    const first = await startNatsServer();
    const { port } = new URL(first.url);
    await first.stop();
    const { fleet, said } = await open(first.url);
    fleet.solvers.publish(generateSyntheticGraph({ nodeCount: 10, seed: 1 }));
    expect([fleet.isConnected, fleet.solvers.hasRoom(), fleet.solverCount]).toEqual([false, false, 0]);
    expect(await fleet.solvers.ask({} as never)).toEqual({ stale: true });
    expect(said).toEqual([expect.stringContaining('searching locally')]);
    const second = await startNatsServer(Number(port));
    closers.push(() => second.stop());
    await vi.waitFor(() => expect(fleet.isConnected).toBe(true), 30_000);
    await second.stop();
    await vi.waitFor(() => expect(fleet.isConnected).toBe(false), 30_000);
  });

  test('that refuses the login once it answers does not end the daemon, which tries again', async () => {
    const first = await startNatsServer();
    const port = Number(new URL(first.url).port);
    await first.stop();
    const { fleet, said } = await open(first.url);
    const strict = await startNatsServer(port, '127.0.0.1', '--user', 'u', '--pass', 'p');
    await vi.waitFor(() => expect(said.at(-1)).toMatch(/Authorization/i), 30_000);
    // The reason is logged once, although the daemon tries every second.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(said.filter((line) => /Authorization/i.test(line))).toHaveLength(1);
    await strict.stop();
    const lenient = await startNatsServer(port);
    closers.push(() => lenient.stop());
    await vi.waitFor(() => expect(fleet.isConnected).toBe(true), 30_000);
  });

  test('that refuses the login is an operator error, and the start reports it', async () => {
    const server = await startNatsServer(-1, '127.0.0.1', '--user', 'u', '--pass', 'p');
    closers.push(() => server.stop());
    await expect(open(server.url)).rejects.toThrow(/Authorization/i);
  });
});
