/**
 * The crash matrix of payments: a process that pays is killed, at every write step by injection and at random
 * moments from outside, and started again on its database and the network's ledger. Then nothing was paid
 * twice, nothing that was answered is otherwise, and every HTLC is accounted for.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomFrom } from '../store/layer-actions.ts';
import { readLedger } from './crash/ledger-network.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const child = join(root, 'build/crash-payments/test/payments/crash/child.js');
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-payments-'));
  const tsc = join(root, 'node_modules/.bin/tsc');
  execFileSync(tsc, ['-p', join(root, 'test/payments/crash/tsconfig.json')], { stdio: 'inherit' });
});
afterAll(() => rmSync(directory, { recursive: true }));

interface Life {
  /** What callers were told: hash to status. */
  readonly answered: readonly (readonly [hash: string, status: string])[];
  /** The journal, when it lived to the end. */
  readonly journal: readonly string[] | undefined;
}

/** @param kill when to: so long after the process was started, or after its first answer. */
async function live(
  path: string,
  payments: number,
  killAt: number,
  kill?: { readonly afterMs: number; readonly since: 'start' | 'firstAnswer' },
): Promise<Life> {
  const process_ = spawn(process.execPath, [child, path, `${payments}`, `${killAt}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  process_.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => process_.on('close', (code) => resolve(code)));
  if (kill !== undefined) {
    if (kill.since === 'firstAnswer') await once(process_.stdout, 'data');
    await sleep(kill.afterMs);
    process_.kill('SIGKILL');
  }
  const code = await ended;
  const lines = output.split('\n').filter((line) => line !== '');
  const end = lines.indexOf('end');
  expect([null, 0]).toContain(code);
  const answers = end < 0 ? lines : lines.slice(0, end);
  return {
    answered: answers.map((line) => line.split(' ') as [string, string]),
    journal: code === 0 ? lines.slice(end + 1) : undefined,
  };
}

/** After the lives before, one more that only takes up what is left; and what must be true then. */
async function recoverAndJudge(path: string, before: readonly Life[]): Promise<number> {
  const { journal } = await live(path, 0, 0);
  const rows = journal!.map((line) => {
    const match = /^(\w+) (\w+) (payment \d+) (.*)$/.exec(line)!;
    const attempts = match[4]!.split(',').map((text) => text.split(':') as [string, string]);
    return { hash: match[1]!, status: match[2]!, label: match[3]!, attempts };
  });
  const byHash = new Map(rows.map((row) => [row.hash, row]));
  const ledger = readLedger(join(path, 'ledger'));
  const settled = ledger.filter(({ settles }) => settles).map(({ hash }) => hash);
  expect(new Set(settled).size, 'a payment was paid twice').toBe(settled.length);
  for (const { hash, attemptId, settles } of ledger) {
    const row = byHash.get(hash);
    expect(row, `${attemptId} left without being in the journal`).toBeDefined();
    const attempt = row!.attempts.find(([id]) => id === attemptId);
    expect(attempt?.[1]).toBe(settles ? 'settled' : 'failed');
  }
  for (const { hash, status, attempts } of rows) {
    expect(status).toBe(settled.includes(hash) ? 'complete' : 'failed');
    expect(attempts.map(([, state]) => state)).not.toContain('sent');
  }
  for (const [hash, status] of before.flatMap(({ answered }) => answered)) {
    expect(byHash.get(hash)?.status, 'an answer was forgotten').toBe(status);
  }
  // One key, one payment: a repeated request paid nothing anew once its first attempt had left.
  const labels = rows.map(({ label }) => label);
  expect(new Set(labels).size).toBe(labels.length);
  return rows.length;
}

describe('a kill', () => {
  test('at any write step: nothing paid twice, nothing lost', { timeout: 300_000 }, async () => {
    let killAt = 1;
    for (let finished = false; !finished; killAt++) {
      const path = join(directory, `step-${killAt}`);
      mkdirSync(path);
      const first = await live(path, 4, killAt);
      // The callers repeat their requests with the same keys, and that life is killed too, elsewhere.
      const second = await live(path, 4, 5 + (killAt % 11));
      await recoverAndJudge(path, [first, second]);
      finished = first.journal !== undefined;
      expect(killAt).toBeLessThan(400);
    }
    // Migrations, then begin, write, commit and committed of each attempt, its outcome, and the payment's.
    expect(killAt).toBeGreaterThan(40);
  });

  test('at random moments: nothing paid twice, nothing lost', { timeout: 300_000 }, async () => {
    // Which write is hit is up to the machine; the moments are those of the seed.
    const seed = Number(process.env.FULGURITE_TEST_SEED ?? Date.now() % 2 ** 31);
    process.stderr.write(`kill times of FULGURITE_TEST_SEED=${seed}\n`);
    const random = randomFrom(seed);
    let paid = 0;
    for (let round = 0; round < 6; round++) {
      const path = join(directory, `random-${round}`);
      mkdirSync(path);
      const lives: Life[] = [];
      // The first life pays something however slow the machine is; the others may end before they have begun.
      for (const since of ['firstAnswer', 'start', 'start'] as const) {
        lives.push(await live(path, 100_000, 0, { afterMs: random(400), since }));
      }
      paid += await recoverAndJudge(path, lives);
    }
    expect(paid).toBeGreaterThan(0);
  });
});
