/**
 * Two daemons with the same nodes and one database: floors, prices and states that one daemon sets apply to
 * both, and to a third daemon started later. Each daemon has its own simulated network with these nodes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { describeNeeding } from '../needs.ts';
import { MEMORY, temporaryDirectory } from '../rpc/support.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../store/postgres-database.ts';
import { POSTGRES_PROGRAMS, sharedPostgres } from '../store/postgres-server.ts';

const NETWORK = ['--graph', 'synthetic:60', '--seed', '7', '--workers', '1'];
const A_B = ['--node', 'a=simulated', '--node', 'b=simulated'];

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'daemons that share several nodes', () => {
  const directory = temporaryDirectory(MEMORY);
  let database: PreparedDatabase;
  let running: DaemonHere[] = [];
  beforeAll(async () => {
    database = await newPreparedDatabase(await sharedPostgres());
  });
  afterEach(async () => {
    for (const one of running) await one.stop();
    running = [];
  });
  afterAll(() => directory.remove());

  async function start(name: string): Promise<DaemonHere> {
    const options = [...NETWORK, ...A_B, '--store', database.daemon];
    const one = await DaemonHere.start(join(directory.path, name), options);
    running.push(one);
    return one;
  }
  const settings = async (of: DaemonHere) =>
    (await of.result('listournodes')).nodes.map(
      ({ name, id, state, floor_msat, price_ppm, max_htlcs }: Record<string, unknown>) => ({
        ...{ name, id, state, floor_msat, price_ppm, max_htlcs },
      }),
    );

  test('share the settings of their owner', async () => {
    const [one, other] = [await start('one'), await start('other')];
    const before = await settings(one);
    expect(await settings(other)).toEqual(before);
    await one.result('setournode', { node: 'b', floor: 12_345, price: -7, state: 'drain' });
    await expect.poll(() => settings(other), { timeout: 60_000 }).toEqual(await settings(one));
    await other.result('setournode', { node: 'b', max_htlcs: 3, state: 'rest' });
    await expect.poll(() => settings(one), { timeout: 60_000 }).toEqual(await settings(other));
    const [, b] = await settings(one);
    expect(b).toEqual({ ...before[1], state: 'rest', floor_msat: 12_345, price_ppm: -7, max_htlcs: 3 });
    // A search by the other daemon also respects the floor and the state.
    const { nodes } = await one.result('listnodes');
    const ask = { destination: nodes[5].nodeid, amount_msat: 1_000, nodes: ['b'] };
    const refused = await one.error('plankeysend', ask);
    expect(refused.data.our_nodes[1]).toMatchObject({ node: 'b', resting: 'its state is rest' });
    const third = await start('third');
    expect(await settings(third)).toEqual(await settings(one));
    expect(readFileSync(join(directory.path, 'third', 'own-nodes.json'), 'utf8')).toContain('12345');
  });
});
