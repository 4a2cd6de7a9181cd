/**
 * `fulgurite` as a user runs it: from any folder, before the first build, and with the commands that `start`
 * suggests.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { START_OPTION_NAMES } from '../../src/cli/options/start-option-table.ts';
import { START_USAGE } from '../../src/cli/options/start-usage.ts';
import { programName, shellWord } from '../../src/cli/program-name.ts';
import { VERSION } from '../../src/model/version.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = join(root, 'bin/fulgurite.mjs');
const directory = temporaryDirectory();
afterAll(() => directory.remove());

/** Runs a shell command line in a different folder. */
function run(line: string, env = process.env) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    cwd: directory.path,
    encoding: 'utf8',
    env,
  });
  return { status, stdout, stderr };
}

describe('the program', () => {
  it('is executable, and runs from any folder', () => {
    expect(statSync(SCRIPT).mode & 0o111).toBe(0o111);
    expect(run(`${shellWord(SCRIPT)} --version`)).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  it.each([
    'start',
    'solver',
    'network',
    'fleet',
    'store',
    'plugin',
    'simulate',
    'lnd-macaroon',
    'completion',
  ])('prints its usage for %s --help', (name) => {
    const { status, stdout, stderr } = run(`${shellWord(SCRIPT)} ${name} --help`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`fulgurite ${name}`);
  });

  it('cuts the middle of a long message', () => {
    const { status, stderr } = run(`${shellWord(SCRIPT)} start --log-level ${'x'.repeat(5_000)}`);
    expect(status).toBe(78);
    expect(stderr).toMatch(/^fulgurite: --log-level must be one of .*, not x+ … x{750}\n$/);
    expect(stderr.length).toBe('fulgurite: '.length + 1_500 + ' … \n'.length);
  });

  it.each([
    ['store prepare', 'store prepare takes one address; see fulgurite store --help'],
    ['fleet nosuch', 'fleet needs status or retire; see fulgurite fleet --help'],
    ['plugin nosuch', 'plugin needs install or check; see fulgurite plugin --help'],
    ['start --conf /nosuch', '/nosuch: no such file or directory'],
  ])('refuses %s in one line', (args, reason) => {
    expect(run(`${shellWord(SCRIPT)} ${args}`).stderr).toBe(`fulgurite: ${reason}\n`);
  });

  it('describes every option of start', () => {
    expect(START_OPTION_NAMES.filter((name) => !START_USAGE.includes(`--${name}`))).toEqual([]);
  });

  it('appears in hints with its path, which works from any folder', () => {
    const name = programName('/usr/bin:/bin');
    expect(name).toBe(shellWord(SCRIPT));
    expect(run(`${name} --version`).stdout).toBe(`${VERSION}\n`);
  });

  it('appears in hints with its name if the shell finds it, but not if only npm does', () => {
    const installed = join(directory.path, 'installed');
    const ofNpm = join(directory.path, 'node_modules/.bin');
    for (const folder of [installed, ofNpm]) {
      mkdirSync(folder, { recursive: true });
      symlinkSync(SCRIPT, join(folder, 'fulgurite'));
    }
    expect(programName(`/usr/bin:${installed}`)).toBe('fulgurite');
    expect(programName(`/usr/bin:${ofNpm}`)).toBe(shellWord(SCRIPT));
    // A different program with the same name must not be taken for ours.
    writeFileSync(join(directory.path, 'fulgurite'), '');
    expect(programName(directory.path)).toBe(shellWord(SCRIPT));
    const path = `${installed}:${process.env.PATH}`;
    expect(run('fulgurite --version', { ...process.env, PATH: path }).stdout).toBe(`${VERSION}\n`);
  });

  it('is quoted for the shell if needed', () => {
    for (const text of ['plain/path-1.2', "it's", 'a b', '$HOME', '*', '']) {
      expect(run(`printf %s ${shellWord(text)}`).stdout).toBe(text);
    }
  });
});

describe('a copy that cannot run', () => {
  /** A folder with the script and the named files. */
  function copy(name: string, ...files: string[]): string {
    const folder = join(directory.path, name);
    mkdirSync(join(folder, 'bin'), { recursive: true });
    copyFileSync(SCRIPT, join(folder, 'bin/fulgurite.mjs'));
    for (const file of files) {
      if (file.endsWith('/')) mkdirSync(join(folder, file), { recursive: true });
      else writeFileSync(join(folder, file), '');
    }
    return folder;
  }
  const told = (folder: string) => run(`node ${shellWord(join(folder, 'bin/fulgurite.mjs'))} getinfo`);

  it('without its packages explains how to get them', () => {
    const folder = copy('cloned', 'tsconfig.json');
    expect(told(folder)).toMatchObject({ status: 1, stdout: '' });
    expect(told(folder).stderr).toBe(
      `fulgurite: its packages are not installed. Run there: cd ${folder}/ && npm install\n`,
    );
  });

  it('without compilers explains how to build it', () => {
    const folder = copy('production', 'tsconfig.json', 'node_modules/');
    expect(told(folder)).toMatchObject({ status: 1, stdout: '' });
    expect(told(folder).stderr).toContain(`Run: cd ${folder}/ && npm install && npm run build\n`);
  });

  it('that is partly installed reports what is missing', () => {
    const folder = copy('package', 'node_modules/');
    expect(told(folder).stderr).toBe(
      `fulgurite: ${folder}/build/program/cli/main.js is missing. Install the package again\n`,
    );
  });

  it('that was never built is built first, and then runs', () => {
    const folder = copy('unbuilt', 'tsconfig.json', 'node_modules/typescript/', 'scripts/');
    copyFileSync(join(root, 'scripts/fresh-build.mjs'), join(folder, 'scripts/fresh-build.mjs'));
    // The compilers are replaced by a program that prints its arguments, and by an existing kernel.
    mkdirSync(join(folder, 'assembly'));
    writeFileSync(join(folder, 'assembly/asconfig.json'), '');
    mkdirSync(join(folder, 'src/cli'), { recursive: true });
    writeFileSync(join(folder, 'src/cli/main.ts'), '');
    const main = `process.stdout.write(process.argv.slice(2).join())`;
    const make = (path: string, text: string) =>
      `require('fs').mkdirSync('${path.replace(/\/[^/]*$/, '')}',{recursive:true});` +
      `require('fs').writeFileSync('${path}',${JSON.stringify(text)})`;
    const kernels = ['build/kernel.wasm', 'build/kernel.debug.wasm'].map((path) => make(path, '')).join(';');
    writeFileSync(join(folder, 'build-kernel.cjs'), kernels);
    writeFileSync(join(folder, 'build-ts.cjs'), make('build/src/cli/main.js', ''));
    writeFileSync(join(folder, 'build-program.cjs'), make('build/program/cli/main.js', main));
    const scripts = Object.fromEntries(
      ['kernel', 'ts', 'program'].map((part) => [`build:${part}`, `node build-${part}.cjs`]),
    );
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts }));
    const first = told(folder);
    expect(first).toMatchObject({ status: 0, stdout: 'getinfo' });
    expect(first.stderr).toMatch(
      /^fulgurite: not built yet; .*\nbuild\/ is older than assembly\/asconfig\.json/,
    );
    expect(told(folder)).toEqual({ status: 0, stdout: 'getinfo', stderr: '' });
  });
});
