/**
 * A victim works on a store until it is killed, in one of two ways. Either a process is really killed, or the
 * work runs in this process and the files are copied at every write step. SIGKILL does not undo writes that
 * the operating system has accepted. So a copy at a step equals the files after a kill at that step, and one
 * run gives the copies of all steps. At some steps, tests check that both ways leave the same files.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { WriteStep } from '../../src/store/database.ts';
import { Store } from '../../src/store/store.ts';
import { WORK } from './crash/work.ts';

const CHILD = fileURLToPath(new URL('../../build/test/store/crash/child.js', import.meta.url));
export const DATABASE = 'node.sqlite';

export interface Death {
  /** Number of changes that were acknowledged before the kill. */
  readonly acknowledged: number;
  readonly finished: boolean;
}

/** Runs a victim in a directory to its end, and calls `during` meanwhile. */
export async function runVictim(
  work: keyof typeof WORK,
  directory: string,
  {
    seed,
    steps,
    killAt = 0,
    hasThread = false,
  }: { seed: number; steps: number; killAt?: number; hasThread?: boolean },
  during: (victim: ChildProcess) => Promise<void> = async () => {},
): Promise<Death> {
  mkdirSync(directory);
  const argv = [
    CHILD,
    work,
    join(directory, DATABASE),
    `${seed}`,
    `${steps}`,
    `${killAt}`,
    ...(hasThread ? ['thread'] : []),
  ];
  const victim = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  victim.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise<[number | null, string | null]>((resolve) =>
    victim.on('close', (code, signal) => resolve([code, signal])),
  );
  await during(victim);
  const [code, signal] = await ended;
  expect([code, signal]).toEqual(code === null ? [null, 'SIGKILL'] : [0, null]);
  const lines = output.split('\n').filter((line) => line !== '');
  const finished = lines.at(-1) === 'end';
  return { acknowledged: Number(lines.filter((line) => line !== 'end').at(-1) ?? 0), finished };
}

/** The files after a kill right at a write step. */
export interface Remains {
  readonly step: WriteStep;
  readonly directory: string;
  /** Number of changes that were acknowledged before the kill. */
  readonly acknowledged: number;
}

/**
 * Does the work below `directory`. Returns the files that a kill at each of its steps would leave, in order.
 */
export async function remainsOf(
  work: keyof typeof WORK,
  directory: string,
  { seed, steps }: { seed: number; steps: number },
): Promise<Remains[]> {
  const remains: Remains[] = [];
  let acknowledged = 0;
  const whole = join(directory, 'whole');
  mkdirSync(whole);
  const store = new Store(join(whole, DATABASE), {
    onStep(step) {
      const copy = join(directory, `step-${remains.length + 1}`);
      cpSync(whole, copy, { recursive: true });
      remains.push({ step, directory: copy, acknowledged });
    },
  });
  await WORK[work](store, seed, steps, (done) => {
    acknowledged = done;
  });
  store.close();
  return remains;
}
