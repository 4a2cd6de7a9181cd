/** Which waits of PostgreSQL's committer reject after the database has refused a write. Without a database. */
import { expect, test } from 'vitest';
import { PgCommitter, statement } from '../../src/store/postgres/committer.ts';
import type { PgStatement, PostgresLine } from '../../src/store/postgres/line.ts';
import { PostgresRefusal } from '../../src/store/postgres/refusal.ts';

/** A database that refuses every statement whose text begins with `bad`. */
const picky = {
  ask: async (sql: string) => {
    if (sql.startsWith('bad')) throw new PostgresRefusal('23505', `${sql} is refused`, undefined);
    return [];
  },
  transaction: async (statements: readonly PgStatement[]) => {
    for (const { sql } of statements) await picky.ask(sql);
    return statements.map(() => []);
  },
};

test('a wait without owner rejects only after a refusal without owner during the wait', async () => {
  const committer = new PgCommitter(picky as unknown as PostgresLine);
  const refusal = (name: string) => ({ message: expect.stringContaining(`${name} is refused`) });
  committer.write(undefined, [statement('bad row')]);
  await expect(committer.durable()).rejects.toMatchObject(refusal('bad row'));
  const owner = {};
  committer.write(owner, [statement('bad owned row')]);
  committer.write(undefined, [statement('good row')]);
  await expect(committer.durable()).resolves.toBeUndefined();
  await expect(committer.durable(owner)).rejects.toMatchObject(refusal('bad owned row'));
  committer.write(undefined, [statement('bad later row')]);
  await expect(committer.durable()).rejects.toMatchObject(refusal('bad later row'));
  committer.close();
});

test('the order of writes stays if the database fails during a commit', async () => {
  const committed: string[] = [];
  let isAway = true;
  const line = {
    ask: async (sql: string) => {
      if (isAway) {
        committer.write(undefined, [statement('second')]);
        isAway = false;
        throw new Error('the link is cut');
      }
      committed.push(sql);
      return [];
    },
    transaction: async (statements: readonly PgStatement[]) => {
      committed.push(...statements.map(({ sql }) => sql));
      return statements.map(() => []);
    },
  };
  const committer = new PgCommitter(line as unknown as PostgresLine, { retryMs: 60_000 });
  committer.write(undefined, [statement('first')]);
  await expect(committer.durable()).rejects.toThrow('the link is cut');
  committer.write(undefined, [statement('third')]);
  await committer.durable();
  expect(committed).toEqual(['first', 'second', 'third']);
  committer.close();
});
