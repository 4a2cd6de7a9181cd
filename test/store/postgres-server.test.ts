/**
 * The server that other tests use: it starts, provides databases, survives a kill, and leaves nothing behind.
 */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeNeeding } from '../needs.ts';
import { POSTGRES_PROGRAMS, startPostgres } from './postgres-server.ts';

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'a PostgreSQL server for tests', () => {
  test('keeps committed rows after a kill, and leaves nothing behind', async () => {
    const server = await startPostgres();
    const url = await server.newDatabase();
    const first = server.connect(url);
    await first`create table fact (n int)`;
    await first`insert into fact values (7)`;
    await first.end();
    await server.restart('SIGKILL');
    const second = server.connect(url);
    expect(await second`select n from fact`).toMatchObject([{ n: 7 }]);
    await second.end();
    expect(existsSync(server.directory)).toBe(true);
    await server.stop();
    expect(existsSync(server.directory)).toBe(false);
  });
});
