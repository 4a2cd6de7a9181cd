/**
 * The crash matrix of payments. A life is one run of a node that pays. It is killed, at every write step or
 * at random moments from outside, and a new life starts on its database and the network's ledger. Then no
 * payment may have been paid twice, no earlier answer may have become false, and every HTLC must be accounted
 * for.
 *
 * Most lives run in this process: at the step the files are copied, and the next life runs on the copy.
 * SIGKILL does not undo writes that the operating system has accepted, so it leaves the same files. Some
 * lives are processes that are really killed. After the last life the journal is reconciled with the
 * network's ledger. CRASH_KILLS sets the number of kills at random steps (default 8).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { FulguriteError } from '../../src/model/errors.ts';
import { SCHEMA } from '../../src/store/schema.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { randomFrom } from '../store/layer-actions.ts';
import { contradictions, contradictionsAfterRecovery } from './crash/contradictions.ts';
import { readLedger } from './crash/ledger-network.ts';
import { Life } from './crash/life.ts';

const child = fileURLToPath(new URL('../../build/test/payments/crash/child.js', import.meta.url));
const directory = temporaryDirectory();
afterAll(() => directory.remove());

interface Told {
  /** The answers that callers received: hash and status. */
  readonly answered: readonly (readonly [hash: string, status: string])[];
  /** The journal, if the life was not killed. */
  readonly journal: readonly string[] | undefined;
}

function readTold(lines: readonly string[], isAlive: boolean): Told {
  const begin = lines.indexOf('begin');
  const end = lines.indexOf('end');
  const found = begin < 0 ? [] : lines.slice(0, begin);
  expect(contradictions(found.map(rowOf)), 'left by the life before').toEqual([]);
  const answers = begin < 0 ? [] : lines.slice(begin + 1, end < 0 ? undefined : end);
  return {
    answered: answers.map((line) => line.split(' ') as [string, string]),
    journal: isAlive ? lines.slice(end + 1) : undefined,
  };
}

/** One payment, as a life reports it. */
function rowOf(line: string) {
  const [, hash, status, label, list] = /^(\w+) (\w+) (payment \d+) (.*)$/.exec(line)!;
  const texts = list!.split(',').filter((text) => text !== '');
  const states = new Map(texts.map((text) => text.split(':') as [id: string, state: string]));
  return { hash: hash!, status: status!, label: label!, states, attempts: [...states.values()] };
}

/** Runs a life in this process. With `killAt` 0, it is not killed. */
async function live(path: string, payments: number, killAt: number, first = 0): Promise<Told> {
  const lines: string[] = [];
  const left = `${path}-left`;
  let taken = 0;
  let kill: () => void = () => undefined;
  const killed = new Promise<void>((resolve) => {
    kill = resolve;
  });
  const isAlive = (): boolean => killAt === 0 || taken < killAt;
  const life = await Life.begin({
    directory: path,
    payments,
    first,
    onStep() {
      if (++taken !== killAt) return;
      cpSync(path, left, { recursive: true });
      kill();
    },
    say: (line) => {
      if (isAlive()) lines.push(line);
    },
  });
  // Errors after the copy do not matter, but before it nothing may fail.
  const running = life.run().catch((error: unknown) => {
    if (isAlive() || !(error instanceof FulguriteError)) throw error;
  });
  await Promise.race([running, killed]);
  if (isAlive()) {
    const { unexplainedMsat, differences, open } = await life.reconcile();
    expect({ unexplainedMsat, differences, open }).toEqual({
      unexplainedMsat: 0n,
      differences: [],
      open: [],
    });
  }
  await life.close();
  await running;
  if (isAlive()) return readTold(lines, true);
  rmSync(path, { recursive: true });
  renameSync(left, path);
  return readTold(lines, false);
}

/**
 * Runs a life as a process. @param kill when to kill it: some time after its start or its first complete
 * payment, or at a step
 */
async function liveAsProcess(
  path: string,
  payments: number,
  kill: { readonly afterMs: number; readonly since: 'start' | 'firstPaid' } | { readonly atStep: number },
  place: 'here' | 'thread' = 'here',
): Promise<Told> {
  const atStep = 'atStep' in kill ? kill.atStep : 0;
  const process_ = spawn(process.execPath, [child, path, `${payments}`, `${atStep}`, place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  process_.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => process_.on('close', (code) => resolve(code)));
  if ('afterMs' in kill) {
    const hasPaid = (): boolean => / complete$/m.test(output.slice(output.indexOf('begin')));
    while (kill.since === 'firstPaid' && process_.exitCode === null && !hasPaid())
      await Promise.race([once(process_.stdout, 'data'), ended]);
    await sleep(kill.afterMs);
    process_.kill('SIGKILL');
  }
  const code = await ended;
  expect([null, 0]).toContain(code);
  return readTold(
    output.split('\n').filter((line) => line !== ''),
    code === 0,
  );
}

/** Runs one more life, which only resumes unfinished payments, and then checks all rules. */
async function recoverAndJudge(path: string, before: readonly Told[]): Promise<number> {
  const { journal } = await live(path, 0, 0);
  const rows = journal!.map(rowOf);
  expect(contradictionsAfterRecovery(rows)).toEqual([]);
  const byHash = new Map(rows.map((row) => [row.hash, row]));
  const ledger = readLedger(join(path, 'ledger'));
  const settled = ledger.filter(({ settles }) => settles).map(({ hash }) => hash);
  expect(new Set(settled).size, 'a payment was paid twice').toBe(settled.length);
  for (const { hash, attemptId, settles } of ledger) {
    const row = byHash.get(hash);
    expect(row, `${attemptId} left without being in the journal`).toBeDefined();
    expect(row!.states.get(attemptId)).toBe(settles ? 'settled' : 'failed');
  }
  for (const { hash, status, attempts } of rows) {
    expect(status).toBe(settled.includes(hash) ? 'complete' : 'failed');
    expect(attempts).not.toContain('sent');
  }
  for (const [hash, status] of before.flatMap(({ answered }) => answered)) {
    expect(byHash.get(hash)?.status, 'an answer was lost').toBe(status);
  }
  // Each key makes one payment: repeating its request after the first attempt left pays nothing more.
  const labels = rows.map(({ label }) => label);
  expect(new Set(labels).size).toBe(labels.length);
  return rows.length;
}

/** Kills come at every second write step; CRASH_ALL=1 tests every step. */
const STRIDE = process.env.CRASH_ALL ? 1 : 2;
/** Write steps of a transaction in addition to its statements: begin, commit, committed. */
const FRAME = 3;
/**
 * The minimum number of steps for four payments by three callers. The schema of a new file is one
 * transaction, with a statement for each migration. One caller makes two payments, one after the other. For
 * each, it waits twice for the disk: for the attempt and for the outcome. Each of the four payments has one
 * row, and so has its attempt. Both rows are inserted and later updated.
 */
const MIN_STEPS = FRAME + SCHEMA.length + FRAME * 2 * 2 + 4 * 4;

/**
 * Number of kills at random steps. Each life reads its books in full, so new books are used after KILLS_OF_BOOKS
 * kills. The books are checked after every BETWEEN_JUDGEMENTS lives.
 */
const KILLS = Number(process.env.CRASH_KILLS ?? 8);
const KILLS_OF_BOOKS = 100;
const BETWEEN_JUDGEMENTS = 10;
/** Approximate number of steps of a life that resumes some payments and makes four. */
const STEPS_OF_FOUR = 45;

/**
 * Kills lives on the same books at random steps, and checks the books.
 * @returns the number of HTLCs that left
 */
async function killAtRandom(path: string, count: number, random: (below: number) => number): Promise<number> {
  let told: Told[] = [];
  for (let kills = 0, first = 0; kills < count; first += 2) {
    const one = await live(path, first + 4, 1 + random(STEPS_OF_FOUR), first);
    if (one.journal === undefined) kills++;
    told.push(one);
    if (told.length < BETWEEN_JUDGEMENTS && kills < count) continue;
    await recoverAndJudge(path, told);
    told = [];
  }
  return readLedger(join(path, 'ledger')).length;
}

describe('after a kill, no payment is made twice and none is lost', () => {
  test('at write steps from first to last', {
    timeout: 300_000,
  }, async () => {
    let killAt = 1;
    for (let finished = false; !finished; killAt += STRIDE) {
      const path = join(directory.path, `step-${killAt}`);
      mkdirSync(path);
      const first = await live(path, 4, killAt);
      // The callers repeat their requests with the same keys. That life is killed too, at a different step.
      const second = await live(path, 4, 5 + (killAt % 11));
      await recoverAndJudge(path, [first, second]);
      finished = first.journal !== undefined;
    }
    expect(killAt).toBeGreaterThan(MIN_STEPS);
  });

  test(`at ${KILLS} random write steps of lives on the same books`, {
    timeout: Math.max(1, KILLS / KILLS_OF_BOOKS) * 3_600_000,
  }, async () => {
    const random = randomFrom(Number(process.env.FULGURITE_TEST_SEED ?? 7));
    let htlcs = 0;
    for (let done = 0; done < KILLS; done += KILLS_OF_BOOKS) {
      const path = join(directory.path, `many-${done}`);
      mkdirSync(path);
      htlcs += await killAtRandom(path, Math.min(KILLS_OF_BOOKS, KILLS - done), random);
      rmSync(path, { recursive: true });
    }
    if (process.env.CRASH_KILLS !== undefined) {
      process.stderr.write(`${KILLS} kills, ${htlcs} HTLCs, each accounted for\n`);
    }
  });

  test('of a process at a random write step', { timeout: 300_000 }, async () => {
    for (const part of [0.7, 1]) {
      const path = join(directory.path, `process-${part}`);
      mkdirSync(path);
      const first = await liveAsProcess(path, 4, { atStep: Math.floor(part * MIN_STEPS) });
      expect(first.journal, 'it was killed').toBeUndefined();
      const second = await liveAsProcess(path, 4, { atStep: 9 });
      await recoverAndJudge(path, [first, second]);
    }
  });

  test.each([
    ['here', 3],
    ['thread', 2],
  ] as const)(
    'at random moments, database %s',
    {
      timeout: 300_000,
    },
    async (place, rounds) => {
      // The moments follow from the seed. Which write is interrupted depends on the machine.
      const seed = Number(process.env.FULGURITE_TEST_SEED ?? Date.now() % 2 ** 31);
      process.stderr.write(`kill times of FULGURITE_TEST_SEED=${seed}\n`);
      const random = randomFrom(seed);
      let paid = 0;
      for (let round = 0; round < rounds; round++) {
        const path = mkdtempSync(join(directory.path, 'random-'));
        const lives: Told[] = [];
        // Even on a slow machine, the first life completes a payment. The others may be killed before they
        // do.
        for (const since of ['firstPaid', 'start', 'start'] as const) {
          lives.push(await liveAsProcess(path, 100_000, { afterMs: random(400), since }, place));
        }
        paid += await recoverAndJudge(path, lives);
      }
      expect(paid).toBeGreaterThan(0);
    },
  );
});
