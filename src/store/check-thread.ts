/**
 * A thread that reads a whole database file and says whether its structure is sound. It opens the file as one that
 * nobody changes (`immutable`), so it takes no lock and sees no log. Whoever starts it keeps the file as it is.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';
import { firstDefect } from './database-file.ts';

const path = encodeURI(workerData as string)
  .replaceAll('?', '%3f')
  .replaceAll('#', '%23');
const connection = new DatabaseSync(`file:${path}?immutable=1`, { readOnly: true });
const [found] = connection.prepare('PRAGMA quick_check(1)').all() as { readonly quick_check: string }[];
connection.close();
const report = found?.quick_check ?? 'ok';
parentPort!.postMessage({ defect: report === 'ok' ? undefined : firstDefect(report) });
