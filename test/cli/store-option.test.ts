/** `--store postgres://…`: daemons that share a database, and data directories whose data are stored in it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { describeNeeding } from '../needs.ts';
import { MEMORY, temporaryDirectory } from '../rpc/support.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../store/postgres-database.ts';
import { POSTGRES_PROGRAMS, sharedPostgres } from '../store/postgres-server.ts';

const NETWORK = ['--graph', 'synthetic:60', '--seed', '7', '--chain', 'regtest'];
const PASSWORD = 'unguessable';

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'daemons on one PostgreSQL database', () => {
  const directory = temporaryDirectory(MEMORY);
  let database: PreparedDatabase;
  let running: DaemonHere[] = [];
  const shown: string[] = [];
  beforeAll(async () => {
    database = await newPreparedDatabase(await sharedPostgres());
  });
  afterEach(async () => {
    for (const one of running) await one.stop();
    running = [];
  });
  afterAll(() => directory.remove());

  const at = (name: string): string => join(directory.path, name);
  async function start(name: string, store: string | undefined = database.daemon): Promise<DaemonHere> {
    const options = [...NETWORK, '--log-level', 'debug', ...(store === undefined ? [] : ['--store', store])];
    const one = await DaemonHere.start(at(name), options, shown);
    running.push(one);
    return one;
  }
  const start0 = (name: string): Promise<DaemonHere> => DaemonHere.start(at(name), NETWORK, shown);

  test('share one set of layers, and list each other’s payments', async () => {
    const [one, other] = [await start('one'), await start('other')];
    const { nodes } = (await one.result('listnodes')) as { nodes: { nodeid: string }[] };
    await one.result('askrene-create-layer', { layer: 'x', persistent: true });
    const bias = { short_channel_id_dir: '1x1x1/0', bias: 5 };
    await one.result('askrene-bias-channel', { layer: 'x', ...bias });
    const layers = async (of: DaemonHere) =>
      JSON.stringify(await of.result('askrene-listlayers', { layer: 'x' }));
    await expect.poll(() => layers(other).catch(() => '')).toBe(await layers(one));
    await other.result('askrene-bias-channel', { layer: 'x', ...bias, bias: 7 });
    await expect.poll(() => layers(one)).toBe(await layers(other));
    expect(await layers(one)).toContain('"bias":7');

    for (const [index, daemon] of [one, other].entries()) {
      await daemon.result('xkeysend', { destination: nodes[index + 5]!.nodeid, amount_msat: 1000 });
    }
    const { pays } = (await one.result('listpays')) as { pays: { status: string }[] };
    expect(pays.map(({ status }) => status)).toEqual(['complete', 'complete']);
    expect(await other.result('listpays')).toMatchObject({ pays });
  });

  test('find their payments, layers and runes again after a restart; without the database they do not start', async () => {
    const before = await start('one');
    const { rune } = (await before.result('createrune')) as { rune: string };
    const layers = await before.result('askrene-listlayers');
    const pays = await before.result('listpays');
    await before.stop();
    running = [];
    const after = await start('one');
    expect(await after.result('askrene-listlayers')).toEqual(layers);
    expect(await after.result('listpays')).toEqual(pays);
    expect(await after.result('showrunes')).toMatchObject({ runes: [{ rune }] });
    await after.stop();
    running = [];
    await expect(start0('one')).rejects.toThrow('start the daemon with that address as --store');
    const empty = await newPreparedDatabase(await sharedPostgres());
    await expect(start('one', empty.daemon)).rejects.toThrow('in another database');
  });

  test('refuse a directory that already contains payments', async () => {
    const alone = await start0('alone');
    await alone.result('askrene-create-layer', { layer: 'mine', persistent: true });
    await alone.stop();
    await expect(start('alone')).rejects.toThrow('fulgurite store migrate');
  });

  test('never show the password in lists of options, in the log or in files', async () => {
    const one = await start('one');
    const configs = JSON.stringify(await one.result('listconfigs'));
    expect(configs).toContain('"store"');
    const file = join(at('one'), 'store-elsewhere');
    expect(existsSync(file)).toBe(true);
    for (const text of [configs, shown.join(''), readFileSync(file, 'utf8')])
      expect(text).not.toContain(PASSWORD);
    expect(await one.error('backup', { destination: at('backup') })).toMatchObject({ code: -32005 });
  });
});
