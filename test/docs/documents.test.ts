/**
 * Everything that the documents name exists: files, links, scripts, options, commands. The generated reference is
 * complete.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RESEARCH_OPTION_NAMES } from '../../bench/research.ts';
import { FLEET_OPTION_NAMES } from '../../src/cli/fleet/fleet-command.ts';
import { STORE_OPTION_NAMES } from '../../src/cli/fleet/store-command.ts';
import { NETWORK_OPTION_NAMES } from '../../src/cli/network-command.ts';
import { SOLVER_OPTION_NAMES } from '../../src/cli/options/solver-options.ts';
import { START_OPTION_NAMES } from '../../src/cli/options/start-option-table.ts';
import { PLUGIN_OPTION_NAMES } from '../../src/cli/plugin/plugin-command.ts';
import { SIMULATE_OPTION_NAMES } from '../../src/cli/simulate.ts';
import { COMMANDS } from '../../src/commands/index.ts';
import { ERRORS } from '../../src/model/errors.ts';
import { VERSION } from '../../src/model/version.ts';
import { createRegistry } from '../../src/rpc/registry.ts';
import type { RoomTable } from '../rooms.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'examples/README.md',
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
];
/** Options of other programs, and of our client and bench. */
const OTHER_OPTIONS = new Set([
  'config',
  'write',
  'inspect',
  'quick',
  'help',
  'only',
  'share',
  'global',
  'omit',
  'save',
  // Options of lnd-macaroon.
  'onion-messages',
  'mission-control',
  'invoices',
  'forwards',
]);
/** Folder of the files that `npm run docs` generates. */
const GENERATED = 'build/docs/';

const names = createRegistry(COMMANDS).names;

/** Base names of all sources. */
const sourceNames = new Set(
  ['src', 'assembly', 'test', 'bench', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => basename(path)),
  ),
);

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found!);

/** Every identifier that the sources of the program contain. This test file is excluded. */
const identifiers = new Set(
  ['src', 'assembly', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') || path.endsWith('.json'))
      .flatMap((path) => all(read(join(folder, path)), /(\w+)/g)),
  ),
);

/** The anchor of a heading: lower case, words joined by hyphens. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

describe.each(DOCUMENTS)('%s', (document) => {
  const text = read(document);

  it('names only files that exist', () => {
    // Placeholders are written in capitals.
    const paths = all(text, /`((?:src|assembly|test|bench|docs|examples)\/[a-z0-9_./-]*)`/g);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const files = all(text, /`([a-z0-9-]+(?:\.test)?\.ts)`/g);
    expect(files.filter((file) => !sourceNames.has(file))).toEqual([]);
  });

  it('links only to existing targets', () => {
    const broken = all(text, /\]\(([^)\s]+)\)/g)
      .filter((link) => !/^https?:/.test(link) && !link.startsWith(GENERATED))
      .filter((link) => {
        const [path, anchor] = link.split('#') as [string, string?];
        const target = path === '' ? join(root, document) : join(root, dirname(document), path);
        if (!existsSync(target)) return true;
        if (anchor === undefined) return false;
        const headings = all(readFileSync(target, 'utf8'), /^#+ (.*)$/gm);
        return !headings.map(anchorOf).includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  it('names only scripts and options that exist', () => {
    const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
    expect(all(text, /npm run (?:-s )?([\w:]+)/g).filter((script) => !scripts.includes(script))).toEqual([]);
    const options = all(text, /(?<![\w-])--([a-z][a-z-]+)/g);
    const ours = [
      ...[
        ...START_OPTION_NAMES,
        ...STORE_OPTION_NAMES,
        ...PLUGIN_OPTION_NAMES,
        ...SOLVER_OPTION_NAMES,
        ...SIMULATE_OPTION_NAMES,
      ],
      ...FLEET_OPTION_NAMES,
      ...NETWORK_OPTION_NAMES,
      ...RESEARCH_OPTION_NAMES,
    ];
    expect(options.filter((option) => !ours.includes(option) && !OTHER_OPTIONS.has(option))).toEqual([]);
  });
});

describe.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s', (document) => {
  it('names only existing contents of the files that it names', () => {
    // Matches texts such as "`src/model/policy.ts` (`forwardingFeeMsat`" and "`NETWORKS` of
    // `src/cli/options/start-options.ts`".
    const text = read(document).replaceAll('\n', ' ');
    const [path, name] = [
      '`((?:src|assembly|test|bench)/[\\w./-]+\\.ts)`',
      '`(\\w*[A-Z]\\w*)(?:\\([^`]*\\))?`',
    ];
    const behind = [...text.matchAll(new RegExp(`${path} \\(${name}`, 'g'))].map(([, file, one]) => [
      file!,
      one!,
    ]);
    const before = [...text.matchAll(new RegExp(`${name} (?:\\(|of |in )${path}`, 'g'))].map(
      ([, one, file]) => [file!, one!],
    );
    const named = [...behind, ...before];
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(([file, one]) => !new RegExp(`\\b${one}\\b`).test(read(file!)))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const text = read('docs/architecture.md');

  it('names only identifiers that exist', () => {
    // Matches names such as `feeMsat`, `NodeContext`, `DEFAULT_OBJECTIVE` and `outcomes(keys)`, but not placeholders in
    // paths.
    const named = all(text, /`(\w*[a-z]\w*[A-Z]\w*|[A-Z]\w+|\w+(?=\([^`]*\)`))(?:\([^`]*\))?`/g);
    expect(named).toEqual(expect.arrayContaining(['forwardingFeeMsat', 'NodeContext', 'outcomes']));
    expect(named.filter((name) => !identifiers.has(name))).toEqual([]);
  });

  it('repeats the table of rooms', () => {
    const table: RoomTable = JSON.parse(read('src/rooms.json'));
    const rows = [...text.matchAll(/^\| `src\/([\w-]+)\/` \|.*\| ([^|]*) \|$/gm)];
    const described = Object.fromEntries(
      rows.map(([, room, allowed]) => [room!, allowed === '–' ? [] : allowed!.split(', ')]),
    );
    const sorted = (rooms: RoomTable) =>
      Object.fromEntries(Object.entries(rooms).map(([room, allowed]) => [room, [...allowed].sort()]));
    expect(sorted(described)).toEqual(sorted(table));
  });

  it('names every member of the network port', () => {
    const port = /export interface NetworkPort \{\n(.*?)\n\}/s.exec(read('src/network/port.ts'))![1]!;
    const members = all(port, /^ {2}(?:readonly )?(\w+)[(:]/gm);
    expect(members).toContain('send');
    const described = text.slice(text.indexOf('### A network'), text.indexOf('### A store'));
    const missing = members.filter((member) => !new RegExp(`\`${member}\\b`).test(described));
    expect(missing).toEqual([]);
  });
});

describe('CHANGELOG.md', () => {
  const text = read('CHANGELOG.md');

  it('begins with the version of the package, which is the one that getinfo shows', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(all(text, /^## (\d+\.\d+\.\d+)/gm)[0]).toBe(version);
    expect(VERSION).toBe(version);
  });

  it('names only commands that exist', () => {
    const line = /^- Commands (.*)\.$/m.exec(text)![1]!;
    const commands = all(line, /`([^`]+)`/g);
    // The whole line is a list of names, and nothing else is between them.
    expect(commands.map((name) => `\`${name}\``).join(', ')).toBe(line);
    expect(commands.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  it('names only identifiers that exist', () => {
    const ofTests = new Set(
      readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts') && path !== 'docs/documents.test.ts')
        .flatMap((path) => all(read(join('test', path)), /(\w+)/g)),
    );
    // Environment variables, and settings of other programs.
    const others = ['FULGURITE_TEST_SEED', 'ASC_NO_ASSERT', ...all(read('biome.json'), /(\w+)/g)];
    const named = all(
      read('CONTRIBUTING.md'),
      /`(\w*[a-z]\w*[A-Z]\w*|[A-Z][A-Z_]{3,}|\w+(?=\([^`]*\)`))(?:\([^`]*\))?`/g,
    );
    expect(named).toEqual(expect.arrayContaining(['ALSO_MONEY', 'NETWORKS', 'NetworkPort']));
    const unknown = named.filter((name) => !identifiers.has(name) && !ofTests.has(name));
    expect(unknown.filter((name) => !others.includes(name))).toEqual([]);
  });

  it('shows a command that works', async () => {
    const [code] = all(read('CONTRIBUTING.md'), /```ts\n(.*?)```/gs);
    const directory = temporaryDirectory();
    try {
      const file = join(directory.path, 'command.mjs');
      const from = pathToFileURL(join(root, 'build/src/commands/utility/command.js'));
      const placed = code!.replace(
        /from '(\.[^']+)\.ts'/g,
        (_whole, path: string) => `from '${new URL(`${path}.js`, from).href}'`,
      );
      writeFileSync(file, placed);
      const { doublemsat } = await import(/* @vite-ignore */ pathToFileURL(file).href);
      expect(createRegistry([...COMMANDS, doublemsat]).names).toContain('doublemsat');
      expect(doublemsat.handler({ amount_msat: 21n })).toEqual({ amount_msat: 42n });
    } finally {
      directory.remove();
    }
  });
});

describe('the reference', () => {
  const directory = temporaryDirectory();
  const page = (name: string): string => readFileSync(join(directory.path, name), 'utf8');

  beforeAll(() => {
    execFileSync(process.execPath, [join(root, 'build/src/cli/docs.js'), directory.path]);
  });
  afterAll(() => directory.remove());

  it('is what the README links to', () => {
    expect(read('README.md')).toContain(`](${GENERATED}README.md)`);
    expect(JSON.parse(read('package.json')).scripts.docs).toContain(`docs.js ${GENERATED.slice(0, -1)}`);
  });

  it('has a page for each command, which its index links to', () => {
    const links = all(page('README.md'), /\]\(([^)]+)\)/g);
    expect(links.toSorted()).toEqual([...names.map((name) => `${name}.md`), 'errors.md'].toSorted());
    for (const name of names) expect(page(`${name}.md`)).toMatch(new RegExp(`^# ${name}\\n`));
    expect(readdirSync(directory.path).toSorted()).toEqual(
      [...links, 'README.md', 'openrpc.json', 'man', 'completion'].toSorted(),
    );
  });

  it('has every error, and a machine-readable description of every command', () => {
    const rows = all(page('errors.md'), /^\| (-?\d+) \|/gm).map(Number);
    expect(rows).toEqual(Object.values(ERRORS).map(({ code }) => code));
    const { methods } = JSON.parse(page('openrpc.json'));
    expect(methods.map(({ name }: { name: string }) => name)).toEqual(names);
  });
});
