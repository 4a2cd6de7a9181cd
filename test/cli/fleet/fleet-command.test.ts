/** `fulgurite fleet`: the list of daemons, and retiring one whose process is only paused. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runFleetCommand } from '../../../src/cli/fleet/fleet-command.ts';
import { DaemonProcess } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { MEMORY, temporaryDirectory } from '../../rpc/support.ts';
import { newPreparedDatabase, type PreparedDatabase, runAsOwner } from '../../store/postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, sharedPostgres } from '../../store/postgres-server.ts';

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'the commands for a fleet', () => {
  const directory = temporaryDirectory(MEMORY);
  let server: PostgresServer;
  let database: PreparedDatabase;
  const daemons: DaemonProcess[] = [];
  beforeAll(async () => {
    server = await sharedPostgres();
    database = await newPreparedDatabase(server);
  });
  afterAll(async () => {
    for (const daemon of daemons) await daemon.stop('SIGKILL');
    directory.remove();
  });

  const options = ['--network', 'none', '--graph', 'synthetic:60', '--chain', 'regtest'];
  async function start(): Promise<DaemonProcess> {
    const daemon = await DaemonProcess.start(join(directory.path, 'daemon'), [
      ...options,
      ...['--store', database.daemon],
    ]);
    daemons.push(daemon);
    return daemon;
  }
  const run = (...argv: string[]) => runFleetCommand([...argv, '--store', database.daemon], {});
  const daemonsOf = async () => JSON.parse(await run('status', '--json')).daemons;
  const asOwner = (sql: string) => runAsOwner(server, database, sql);

  test('retire a daemon that was not seen for two minutes; when it wakes up, it ends, and can be started again', async () => {
    const daemon = await start();
    const [{ daemon: id, ...rest }] = await daemonsOf();
    expect(rest).toMatchObject({ run: 1, payments: 0, attempts: 0, seen_ms_ago: expect.any(Number) });
    await expect(run('retire')).rejects.toThrow('takes the id of one daemon');
    await expect(run('retire', id)).rejects.toThrow('needs --process-has-ended');
    const retire = () => run('retire', id, '--process-has-ended');
    await expect(retire()).rejects.toThrow(`daemon ${id} may be running: it was last seen`);
    await expect(run('retire', 'x', '--process-has-ended')).rejects.toThrow('the database has no daemon x');
    daemon.signal('SIGSTOP');
    await asOwner(`UPDATE fulgurite.daemon SET seen_at = seen_at - interval '2 minutes'`);
    expect(await retire()).toBe(
      `daemon ${id} is retired; 0 of its attempts have no outcome. Other daemons of its Lightning node finish its payments\n`,
    );
    expect(JSON.parse(await run('retire', id, '--process-has-ended', '--json'))).toEqual({
      daemon: id,
      attempts: 0,
    });
    daemon.signal('SIGCONT');
    const { code, said } = await daemon.ended;
    expect(code).toBe(1);
    expect(said).toMatch(/this daemon was retired, .*: start it again\n$/);
    const again = await start();
    expect(await again.call('getinfo', {})).toMatchObject({ result: { network: 'regtest' } });
    expect(await daemonsOf()).toMatchObject([{ daemon: id, run: 4 }]);
    await again.stop();
  });

  test('show how to go on if a daemon has disappeared with open attempts', async () => {
    await asOwner(`
      SET search_path = fulgurite;
      INSERT INTO daemon VALUES ('gone', '02aa', '0.2.0', clock_timestamp() - interval '3 days', 7);
      INSERT INTO payment (id, uid, payment_hash, group_id, total_msat, request, status, created_at, node, owner, fence, until)
        VALUES (900, 'p', 'h', 1, 1, '', 'complete', 1, '02aa', 'successor', 2, clock_timestamp() - interval '1 s');
      INSERT INTO attempt (id, uid, payment, part_id, amount_msat, amount_sent_msat, probability_ppm, height, part_of_several,
          session_key, path, status, created_at, daemon, run)
        VALUES (900, 'a', 900, 0, 1, 1, 1, 1, 0, '', '', 'sent', 1, 'gone', 7), (901, 'b', 900, 0, 1, 1, 1, 1, 0, '', '',
          'sent', 1, 'gone', 6);`);
    const text = await run('status');
    expect(text).toMatch(/\ngone +0\.2\.0 +7 +259\d{3} s ago +0 +1 +- +02aa\n/);
    expect(text).toContain('fulgurite fleet retire gone --process-has-ended');
    expect(await run('retire', 'gone', '--process-has-ended')).toContain('1 of its attempts have no outcome');
    expect(await run('status')).not.toMatch(/^gone/m);
  });
});
