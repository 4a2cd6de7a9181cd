/** The bundles of the program. Each thread and process that a source starts must be one of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ENTRIES } from '../scripts/build-program.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Modules that a source starts from its own folder, without file extension. */
function begunBy(path: string): string[] {
  const text = readFileSync(join(root, 'src', path), 'utf8');
  if (!text.includes('import.meta.url')) return [];
  const named = [...text.matchAll(/'\.\/([a-z-]+)\.js'|\$\{built\}([a-z-]+)\.js|\('([a-z-]+)'\)/g)];
  return named
    .map(([, beside, built, called]) => join(dirname(path), beside ?? built ?? called ?? ''))
    .filter((module) => existsSync(join(root, 'src', `${module}.ts`)));
}

it('every thread and process starts from a bundle', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('explorer'))
    .flatMap(begunBy);
  expect(sources.length).toBeGreaterThan(5);
  for (const module of sources) expect(ENTRIES, module).toContain(module);
});

/** Error classes of bundled packages. */
const OF_PACKAGES = ['HTTPException', 'RequestError', 'UnsupportedPathError'];

const program = join(root, 'build/program');
const bundles = readdirSync(program).filter((each) => each.endsWith('.js') && each !== 'load.js');

it('each entry leads to its bundle, and no bundle depends on its own location', () => {
  for (const entry of ENTRIES) {
    const file = join(program, `${entry}.js`);
    const [, load, bundle] = readFileSync(file, 'utf8').match(/require\("(.*)"\)\.load\("(.*)"\)/)!;
    expect(join(dirname(file), load!), entry).toBe(join(program, 'load.js'));
    expect(bundles, entry).toContain(`${bundle}.js`);
  }
  for (const name of bundles) {
    const text = readFileSync(join(program, name), 'utf8');
    // `new URL("./room/module.js", programUrl)` is the location of a module; the location of the bundle itself has no
    // meaning.
    const others = text.replaceAll(/new URL\("\.\/[^"]+\.js", programUrl\)/g, '');
    expect(others.match(/programUrl|import\.meta/g), name).toEqual(['programUrl']);
  }
});

it('bundles are plain ASCII but for comments, and import dynamically only through their loader', () => {
  for (const name of bundles) {
    const text = readFileSync(join(program, name), 'utf8');
    const code = text.split('\n').filter((line) => !/^ *(\*|\/\*|\/\/)/.test(line));
    expect(code.find((line) => [...line].some((character) => character > '\x7f'))).toBeUndefined();
    expect(text, name).not.toMatch(/\bawait import\(/);
  }
});

it('the bundles of a start have compiled code that this Node.js uses', () => {
  const stored = readdirSync(program).filter((each) => each.endsWith('.code'));
  expect(stored.length).toBeGreaterThan(4);
  const { codeFile } = createRequire(import.meta.url)(join(program, 'load.js'));
  expect(existsSync(codeFile('cli.main'))).toBe(true);
  // In a process of its own, because other tests set flags of V8, and code for other flags is rejected.
  const rejected = `
    const [program, codeFile] = [process.argv[1], require(process.argv[1] + '/load.js').codeFile];
    const { existsSync, readFileSync } = require('node:fs');
    for (const bundle of process.argv.slice(2)) {
      if (!existsSync(codeFile(bundle))) continue;
      const filename = program + '/' + bundle + '.js';
      const text = require('node:module').wrap(readFileSync(filename, 'latin1'));
      const script = new (require('node:vm').Script)(text, { filename, cachedData: readFileSync(codeFile(bundle)) });
      console.log(bundle, script.cachedDataRejected);
    }`;
  const names = bundles.map((each) => each.slice(0, -'.js'.length));
  const lines = execFileSync(process.execPath, ['-e', rejected, program, ...names], { encoding: 'utf8' });
  expect(lines.trim().split('\n')).toEqual(
    names.filter((name) => existsSync(codeFile(name))).map((name) => `${name} false`),
  );
});

it('error classes keep the names shown in logs, and no inner function gets a name at run time', () => {
  const text = bundles.map((name) => readFileSync(join(program, name), 'utf8')).join('\n');
  const errors = [...text.matchAll(/var (\w*?) = class( \w+)? extends \w*Error\b/g)];
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, 'src', path), 'utf8'))
    .join('\n');
  expect(errors.length).toBeGreaterThan(10);
  for (const [, name, own] of errors) {
    expect(own).toBeUndefined();
    if (OF_PACKAGES.includes(name!)) continue;
    expect(sources, name).toMatch(new RegExp(`class ${name}\\b`));
  }
  expect(text).not.toMatch(/__name\(/);
});
