/** The build of the page: its refusals, and its result for the present sources. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { foreignAddresses, neededBy, overBudget } from '../../scripts/build-web.mjs';

const built = fileURLToPath(new URL('../../build/web', import.meta.url));
const files = readdirSync(built, { recursive: true, encoding: 'utf8' });
const read = (name: string) => readFileSync(join(built, name));

const file = (...imports: [string, string][]) => ({
  imports: imports.map(([path, kind]) => ({ path, kind })),
});
const OUTPUTS = {
  shell: file(['shared', 'import-statement'], ['page', 'dynamic-import'], ['other', 'dynamic-import']),
  page: file(['shared', 'import-statement'], ['map', 'import-statement']),
  other: file(['map', 'import-statement']),
  shared: file(),
  map: file(['shared', 'import-statement']),
};

test('a page needs its static imports, and theirs', () => {
  expect([...neededBy(OUTPUTS, 'page')].sort()).toEqual(['map', 'page', 'shared']);
  expect([...neededBy(OUTPUTS, 'shell')].sort()).toEqual(['shared', 'shell']);
});

test('a page beyond its budget is refused, and shared code counts once', () => {
  const sizes = new Map([
    ['shell', 20_000],
    ['shared', 10_000],
    ['page', 20_000],
    ['map', 11_440],
    ['other', 100],
  ]);
  // 20,000 + 10,000 + 20,000 + 11,440 = 61,440 bytes = 60 KiB; one more byte exceeds the budget.
  expect(overBudget(OUTPUTS, sizes, 'shell', { page: 'page', other: 'other' })).toEqual([]);
  sizes.set('page', 20_001);
  expect(overBudget(OUTPUTS, sizes, 'shell', { page: 'page', other: 'other' })).toEqual([
    'page needs 61441 bytes of compressed code; the maximum is 61440',
  ]);
  expect(overBudget(OUTPUTS, sizes, 'shell', { home: 'other' })).toEqual([
    'home needs 41540 bytes of compressed code; the maximum is 30720',
  ]);
});

test('an address on a different server is detected, and names of XML namespaces are not', () => {
  const text = 'a="http://www.w3.org/2000/svg";b="https://fonts.example/x.css";c=`http://localhost:1/`';
  expect(foreignAddresses(text)).toEqual(['https://fonts.example/x.css', 'http://localhost:1/']);
});

test('every page has a document, and the files that it names exist', () => {
  const documents = files.filter((name) => name.endsWith('.html'));
  expect(documents).toContain('index.html');
  for (const name of documents) {
    const text = read(name).toString();
    expect(text).not.toMatch(/%[A-Z]+%|style="|<script(?! type="module" src=)/);
    const named = [...text.matchAll(/(?:href|src)="\/ui\/([^"]+)"/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((path) => !existsSync(join(built, path)))).toEqual([]);
  }
});

test('the compressed forms match the files', () => {
  const packed = files.filter((name) => name.endsWith('.gz'));
  expect(packed.length).toBeGreaterThan(3);
  for (const name of packed) {
    const plain = read(name.slice(0, -3));
    expect(gunzipSync(read(name)).equals(plain)).toBe(true);
    expect(brotliDecompressSync(read(`${name.slice(0, -3)}.br`)).equals(plain)).toBe(true);
  }
});
