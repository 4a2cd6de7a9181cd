/** The bundles of the program. Each thread and process that a source starts must be one of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ENTRIES, METRICS_BUNDLE } from '../scripts/build-program.mjs';

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

it('each entry leads to its bundle, and no bundle depends on its own location', () => {
  const program = join(root, 'build/program');
  for (const entry of ENTRIES) {
    const file = join(program, `${entry}.js`);
    const to = readFileSync(file, 'utf8').match(/export \* from "(.*)"/)![1]!;
    expect(existsSync(join(dirname(file), to)), relative(root, file)).toBe(true);
  }
  const own = readdirSync(program).filter((each) => each.endsWith('.js') && each !== METRICS_BUNDLE);
  for (const name of own) {
    const text = readFileSync(join(program, name), 'utf8');
    // `new URL("./room/module.js", import.meta.url)` is the location of a module; the location of the bundle
    // itself has no meaning.
    const others = text.replaceAll(/new URL\("\.\/[^"]+\.js", import\.meta\.url\)/g, '');
    expect(others.includes('import.meta.url'), name).toBe(false);
  }
});

it('error classes keep the names shown in logs, and no inner function gets a name at run time', () => {
  const program = join(root, 'build/program');
  const bundles = readdirSync(program).filter((each) => each.endsWith('.js'));
  const text = bundles.map((name) => readFileSync(join(program, name), 'utf8')).join('\n');
  const errors = [...text.matchAll(/var (\w*?) = class( \w+)? extends \w*Error\b/g)];
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, 'src', path), 'utf8'))
    .join('\n');
  expect(errors.length).toBeGreaterThan(10);
  for (const [, name, own] of errors) {
    expect(own).toBeUndefined();
    expect(sources, name).toMatch(new RegExp(`class ${name}\\b`));
  }
  expect(text).not.toMatch(/__name\(/);
});
