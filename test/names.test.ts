/** Names are unique: no two types, interfaces or classes of the sources have the same name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
/** A declaration at the start of a line. A list of re-exported names is not a declaration. */
const DECLARATION = /^(?:export )?(?:abstract )?(?:interface|class|enum|type) (\w+)(?=[ <{])/gm;

it('no two types have the same name', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const places = new Map<string, string[]>();
  for (const file of files) {
    for (const [, name = ''] of readFileSync(join(SOURCES, file), 'utf8').matchAll(DECLARATION))
      places.set(name, [...(places.get(name) ?? []), file]);
  }
  expect(places.size).toBeGreaterThan(0);
  expect([...places].filter(([, declaredIn]) => declaredIn.length > 1)).toEqual([]);
});
