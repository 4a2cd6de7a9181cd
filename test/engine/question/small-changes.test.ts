/**
 * Two frequent changes stay small: a new member of the question, and a new refusal. Each change is made in a
 * copy of the sources, which must then compile and work. The changed files are counted.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
mkdirSync(join(ROOT, 'build'), { recursive: true });
const copies: string[] = [];
afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true });
});

/** By file: pairs of an existing text and the text to insert after it. */
type Patch = Readonly<Record<string, readonly (readonly [after: string, inserted: string])[]>>;

/**
 * Creates a copy of the sources with a patch. @throws Error unless the text to insert after occurs exactly
 * once
 */
function patched(patch: Patch): string {
  const copy = mkdtempSync(join(ROOT, 'build', 'patched-'));
  copies.push(copy);
  for (const folder of ['src', 'assembly'])
    cpSync(join(ROOT, folder), join(copy, folder), { recursive: true });
  for (const [file, insertions] of Object.entries(patch)) {
    let text = readFileSync(join(copy, file), 'utf8');
    for (const [after, inserted] of insertions) {
      const pieces = text.split(after);
      if (pieces.length !== 2) throw new Error(`${file} has "${after}" ${pieces.length - 1} times`);
      text = pieces.join(after + inserted);
    }
    writeFileSync(join(copy, file), text);
  }
  return copy;
}

/** Checks the types of a few files and of everything that they import. @returns the compiler's messages */
function typeErrors(copy: string, files: readonly string[]): string {
  const compilerOptions = {
    ...{ lib: ['es2023', 'es2024.sharedmemory', 'dom', 'dom.iterable'], rootDir: '.' },
    ...{ noEmit: true, allowImportingTsExtensions: true },
  };
  const config = { extends: '../../tsconfig.json', compilerOptions, files, include: [], exclude: [] };
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config));
  return run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', copy]);
}

function run(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return stdout + stderr;
  }
}

/** A made-up member that a stage must read: a question may reuse the trees of the previous question. */
const FLAG: Patch = {
  'src/engine/question/question.ts': [
    [
      '  readonly inBatch?: boolean;\n',
      '  /** Whether trees are kept for it. */\n  readonly keepsTrees?: boolean;\n',
    ],
    ["  'inBatch',\n", "  'keepsTrees',\n"],
    ["  inBatch: 'flag',\n", "  keepsTrees: 'flag',\n"],
  ],
  'assembly/record.ts': [
    ['  inBatch: u32;\n', '  /** Whether trees are kept for it. 0 or 1. */\n  keepsTrees: u32;\n'],
    [
      "export const question_inBatch: usize = offsetof<Question>('inBatch');\n",
      "export const question_keepsTrees: usize = offsetof<Question>('keepsTrees');\n",
    ],
  ],
  'assembly/solve/solve.ts': [
    ['setTreesKept(work.kept, question.inBatch !== 0', ' || question.keepsTrees !== 0'],
  ],
};

it('a new member of the question takes changes in three files', { timeout: 300_000 }, async () => {
  expect(Object.keys(FLAG)).toHaveLength(3);
  const copy = patched(FLAG);
  expect(typeErrors(copy, ['src/engine/host/engine.ts', 'src/engine/host/worker.ts'])).toBe('');
  const { packRequest, unpackRequest } = await import(join(copy, 'src/engine/question/packed.ts'));
  const request = { task: 1, deadline: 2, graph: 3, layers: { from: 4, to: 5, chunks: [] } };
  const query = { maxparts: 6, keepsTrees: true };
  expect(unpackRequest(packRequest({ ...request, query })).query).toEqual(query);
  const wasm = join(copy, 'kernel.wasm');
  const assembled = run('node', [
    ...[join(ROOT, 'node_modules/assemblyscript/bin/asc.js'), join(copy, 'assembly/index.ts')],
    ...['--config', join(copy, 'assembly/asconfig.json'), '--target', 'release', '--optimizeLevel', '0'],
    ...['--outFile', wasm],
  ]);
  expect(assembled).toBe('');
  expect(readFileSync(wasm).includes('question_keepsTrees')).toBe(true);
});

/** A solver that refuses every question with a certain number of parts. */
const REFUSAL: Patch = {
  'src/model/refusals.ts': [
    [
      'export const REFUSALS = {\n',
      `  unlucky: {
    wire: 'bad_luck',
    error: 'routeNotFound',
    text: 'Nothing goes in {parts} parts',
    members: ['parts'],
    remedies: NONE,
    metric: 'no_route',
    meaning: 'The number of parts is an unlucky one.',
    facts: { parts: 'count' },
  },
`,
    ],
  ],
  'src/engine/solver/explain.ts': [
    [
      '  const { maxfeeMsat, maxdelay, maxparts, maxhops } = query;\n',
      "  if (maxparts === 13) return { kind: 'unlucky', parts: maxparts };\n",
    ],
  ],
};

it('a new refusal takes changes in two files, and in a third if it has its own picture', {
  timeout: 300_000,
}, async () => {
  const copy = patched(REFUSAL);
  const files = [
    'src/engine/host/worker.ts',
    'src/commands/routes/no-route-words.ts',
    'src/explorer/why/why-pictures.ts',
    'src/metrics/node-metrics.ts',
  ];
  expect(typeErrors(copy, files)).toBe('');
  const binding = { kind: 'unlucky', parts: 13 };
  const { explainFailure } = await import(join(copy, 'src/engine/solver/explain.ts'));
  const noRoute = explainFailure({}, { maxparts: 13 }, { binding: 'capacity' }, {});
  expect(noRoute).toEqual({ binding });
  const { readReply } = await import(join(copy, 'src/engine/question/reply-shape.ts'));
  expect(readReply({ noRoute })).toEqual({ noRoute });
  expect(readReply({ noRoute: { binding: { ...binding, parts: 'many' } } })).toBeUndefined();
  const { noRouteInWords } = await import(join(copy, 'src/commands/routes/no-route-words.ts'));
  expect(noRouteInWords(noRoute)).toEqual({
    error: 'routeNotFound',
    message: 'Nothing goes in 13 parts',
    data: { binding: { kind: 'bad_luck', parts: 13 } },
  });
  const { pictureOf } = await import(join(copy, 'src/explorer/why/why-pictures.ts'));
  const facts = { binding: { kind: 'bad_luck' }, members: [], amountMsat: 1n, from: 'a', to: 'b' };
  expect(pictureOf(facts).sentence).toBe('The number of parts is an unlucky one.');
});

it('a change that misses a file does not compile', { timeout: 300_000 }, () => {
  const { 'src/engine/solver/explain.ts': said } = REFUSAL;
  const copy = patched({ 'src/engine/solver/explain.ts': said! });
  expect(typeErrors(copy, ['src/engine/solver/explain.ts'])).toMatch(/explain\.ts.*error TS/s);
});
