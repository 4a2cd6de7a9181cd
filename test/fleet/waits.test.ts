/** The table of waits in docs/fleet.md against the limits that the program has. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONNECT_MS, QUESTION_MS } from '../../src/store/postgres/line.ts';
import { LEASE_MS } from '../../src/store/postgres/postgres-store.ts';
import { MAX_SILENCE_MS } from '../../src/store/postgres/pulse.ts';

const MANUAL = new URL('../../docs/fleet.md', import.meta.url);

test('the manual gives the limits of all waits', () => {
  const text = readFileSync(MANUAL, 'utf8');
  const rows = [...text.matchAll(/^\| ([^|]+) \| (\d+) s \| [^|]+ \|$/gm)].map(([, wait, s]) => [
    wait,
    Number(s),
  ]);
  expect(Object.fromEntries(rows)).toEqual({
    'silence of the database before all waits on it end': MAX_SILENCE_MS / 1000,
    'one question to the database': QUESTION_MS / 1000,
    'a new connection, all hosts of the list together': CONNECT_MS / 1000,
    'a caller, for an outcome that cannot be written': LEASE_MS / 2 / 1000,
    'a caller, for a payment of another Lightning node whose daemon is gone': LEASE_MS / 2 / 1000,
    'a lease that is not renewed': LEASE_MS / 1000,
  });
});
