/**
 * A process that reads a whole database file and reports whether its structure is sound and its indexes agree with
 * their tables: `node check-process.js PATH`. It opens the file as `immutable`, so it takes no lock and ignores the
 * write-ahead log; the caller must not change the file meanwhile. The check runs in a process of its own because
 * `node:sqlite` cannot interrupt a check, but a process can be killed.
 */
import { setPriority } from 'node:os';
import { argv, stdout } from 'node:process';
import { DatabaseSync } from '@photostructure/sqlite';
import { firstDefect } from './sqlite/database-file.ts';

/** Niceness of this process, so that other work takes precedence. */
const LOW_PRIORITY = 10;

setPriority(LOW_PRIORITY);
const path = encodeURI(argv[2]!).replaceAll('?', '%3f').replaceAll('#', '%23');
const connection = new DatabaseSync(`file:${path}?immutable=1`, { readOnly: true });
const [found] = connection.prepare('PRAGMA integrity_check(1)').all() as {
  readonly integrity_check: string;
}[];
connection.close();
const report = found?.integrity_check ?? 'ok';
stdout.write(JSON.stringify({ defect: report === 'ok' ? null : firstDefect(report) }));
