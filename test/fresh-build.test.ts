/** Which builds count as stale. Each test gets its own tree of files with modification times set by hand. */
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  buildWhatIsStale,
  newerThanCompiled,
  newerThanExamples,
  newerThanKernel,
  newerThanPage,
  newerThanProgram,
  refresh,
} from '../scripts/fresh-build.mjs';
import { temporaryDirectory } from './rpc/support.ts';

let tree: ReturnType<typeof temporaryDirectory>;

/** Writes an empty file with a modification time of `second` seconds after the epoch. */
function put(path: string, second: number): void {
  const whole = join(tree.path, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, '');
  utimesSync(whole, second, second);
}

beforeEach(() => {
  tree = temporaryDirectory();
  for (const path of ['assembly/asconfig.json', 'assembly/solve/solve.ts', 'tsconfig.json']) put(path, 10);
  for (const path of ['src/model/msat.ts', 'bench/main.ts']) put(path, 10);
  for (const path of ['test/store/crash/child.ts', 'test/store/actions.ts']) put(path, 10);
  for (const path of ['build/kernel.wasm', 'build/kernel.debug.wasm']) put(path, 20);
  for (const path of ['build/src/model/msat.js', 'build/bench/main.js']) put(path, 20);
  put('build/program/cli/main.js', 20);
  for (const path of ['build/test/store/crash/child.js', 'build/test/store/actions.js']) put(path, 20);
});

afterEach(() => tree.remove());

it('a build is fresh when every output is newer than its source', () => {
  expect([newerThanKernel(tree.path), newerThanCompiled(tree.path)]).toEqual([undefined, undefined]);
});

it.each([
  ['a source in a folder of the kernel', 'assembly/solve/solve.ts', 'assembly/solve/solve.ts'],
  ['the configuration of its compiler', 'assembly/asconfig.json', 'assembly/asconfig.json'],
])('the kernel is stale after a change of %s', (_what, changed, named) => {
  put(changed, 30);
  expect(newerThanKernel(tree.path)).toBe(named);
});

it('the kernel is stale when only one of its two builds is older', () => {
  put('build/kernel.wasm', 40);
  put('assembly/solve/solve.ts', 30);
  expect(newerThanKernel(tree.path)).toBe('assembly/solve/solve.ts');
});

it('the program is stale when it is missing, or older than the compiled files or the bundling script', () => {
  expect(newerThanProgram(tree.path)).toBeUndefined();
  put('scripts/build-program.mjs', 30);
  expect(newerThanProgram(tree.path)).toBe('scripts/build-program.mjs');
  put('build/src/model/msat.js', 30);
  expect(newerThanProgram(tree.path)).toBe('build/src/model/msat.js');
  rmSync(join(tree.path, 'build/program'), { recursive: true });
  expect(newerThanProgram(tree.path)).toBe('build/src/model/msat.js');
});

it.each([
  ['src/model/msat.ts', 'src/model/msat.ts'],
  ['bench/main.ts', 'bench/main.ts'],
  ['test/store/crash/child.ts', 'test/store/crash/child.ts'],
  // A process that tests kill imports this file.
  ['test/store/actions.ts', 'test/store/actions.ts'],
  ['tsconfig.json', 'src/model/msat.ts'],
])('the compiled files are stale after a change of %s', (changed, named) => {
  put(changed, 30);
  expect(newerThanCompiled(tree.path)).toBe(named);
});

it('a source that was never compiled is stale', () => {
  put('src/model/new.ts', 5);
  expect(newerThanCompiled(tree.path)).toBe('src/model/new.ts');
});

it('the page is stale after a change of the sources it is bundled from, which are not compiled', () => {
  expect(newerThanPage(tree.path)).toBeUndefined();
  put('src/explorer/pages/home.ts', 10);
  expect(newerThanPage(tree.path)).toBe('src/explorer/pages/home.ts');
  put('build/web/index.html', 20);
  expect([newerThanPage(tree.path), newerThanCompiled(tree.path)]).toEqual([undefined, undefined]);
  put('src/client/methods.ts', 30);
  expect(newerThanPage(tree.path)).toBe('src/client/methods.ts');
});

it('the examples are stale after a change of their calls', () => {
  expect(newerThanExamples(tree.path)).toBeUndefined();
  put('src/commands/example-calls.ts', 10);
  expect(newerThanExamples(tree.path)).toBe('src/commands/example-calls.ts');
  put('build/examples.json', 20);
  expect(newerThanExamples(tree.path)).toBeUndefined();
});

it('files compiled from a source that no longer exists are removed', () => {
  for (const ending of ['.js', '.js.map', '.d.ts']) put(`build/src/model/gone${ending}`, 20);
  buildWhatIsStale(tree.path, () => undefined);
  expect(readdirSync(join(tree.path, 'build/src/model'))).toEqual(['msat.js']);
});

it('only what is stale is built, and a build that fails reports why', () => {
  const ran: string[] = [];
  const said: string[] = [];
  const run = (script: string): void => void ran.push(script);
  const say = (line: string): void => void said.push(line);
  buildWhatIsStale(tree.path, say, run);
  expect([ran, said]).toEqual([[], []]);
  put('src/model/msat.ts', 30);
  buildWhatIsStale(tree.path, say, run);
  expect(ran).toEqual(['build:ts']);
  put('assembly/solve/solve.ts', 30);
  buildWhatIsStale(tree.path, say, run);
  expect(ran).toEqual(['build:ts', 'build:kernel', 'build:ts']);
  expect(said[0]).toBe('build/ is older than src/model/msat.ts: npm run build:ts\n');
  const fail = () => {
    throw Object.assign(new Error('exit code 2'), { stdout: 'src/a.ts(1,1): error TS1', stderr: '' });
  };
  expect(() => refresh('src/a.ts', 'build:ts', tree.path, say, fail)).toThrow(
    'build/ is older than src/a.ts, and npm run build:ts failed\nsrc/a.ts(1,1): error TS1',
  );
});
