/** Processes that work on a store and are killed at it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Compiles the victims, each test into a directory of its own; returns the script to run. */
export function compileVictim(name: string): string {
  const build = join(root, 'build/crash', name);
  const tsc = join(root, 'node_modules/.bin/tsc');
  const options = ['-p', join(root, 'test/store/crash/tsconfig.json'), '--outDir', build];
  execFileSync(tsc, options, { stdio: 'inherit' });
  return join(build, `test/store/crash/${name}.js`);
}

export interface Death {
  /** Mutations acknowledged before it. */
  readonly acknowledged: number;
  readonly finished: boolean;
}

/** Runs a victim to its end, calling `during` meanwhile. */
export async function runVictim(
  script: string,
  path: string,
  seed: number,
  steps: number,
  killAt: number,
  during: (victim: ChildProcess) => Promise<void> = async () => {},
): Promise<Death> {
  const victim = spawn(process.execPath, [script, path, `${seed}`, `${steps}`, `${killAt}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
