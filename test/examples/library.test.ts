/** The library: every program of `examples/library/`, what the package contains, and the types that it exports. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../rpc/support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLES = join(root, 'examples/library');

/** The output of each program. Only the shadow of a payment is random. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  'routes.mjs':
    /^before: 1 part\(s\), 2 hop\(s\), [\d.]+ % likely\nafter: 1 part\(s\), \d hop\(s\), [\d.]+ % likely\n$/,
  'simulated.mjs': /^simulated: 8 channels, 118400000 sat to spend\nheight \d+\n$/,
  'node.mjs':
    /^paid 100\d{4} msat, sent 100\d{4} msat\n1 payment, complete\nrefused: -32602 .*amount.* must be non-zero\n$/,
};

describe('the programs of the library', () => {
  it('are all tested here', () => {
    expect(readdirSync(EXAMPLES).toSorted()).toEqual(Object.keys(PRINTED).toSorted());
  });

  it.each(Object.entries(PRINTED))('%s prints the expected output', (name, printed) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(EXAMPLES, name)], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(printed);
  });
});

describe('the package', () => {
  /** Paths of the package. Types and pages are created when it is packed, and may be missing earlier. */
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(stdout) as { files: { path: string; size: number }[] }[];
  const paths = new Set(files.map(({ path }) => path));
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

  it('contains the program and everything that it runs, but no sources, tests or maps', () => {
    for (const path of [
      own.bin.fulgurite,
      own.exports['.'].default,
      'build/kernel.wasm',
      'LICENSE',
      'README.md',
    ]) {
      expect(paths).toContain(path.replace(/^\.\//, ''));
    }
    const stray = [...paths].filter((path) =>
      /(^|\/)(test|bench|assembly|node_modules)\/|\.map$|\.debug\./.test(path),
    );
    expect(stray).toEqual([]);
    expect([...paths].filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
  });

  it('is packed with the lock file of the tested packages, which is then removed here', () => {
    const directory = temporaryDirectory();
    try {
      const { name, version, files: listed, scripts } = own;
      const prepack = scripts.prepack.slice(scripts.prepack.lastIndexOf('&&') + 2);
      const small = { name, version, files: listed, scripts: { prepack, postpack: scripts.postpack } };
      mkdirSync(directory.path, { recursive: true });
      writeFileSync(join(directory.path, 'package.json'), JSON.stringify(small));
      writeFileSync(join(directory.path, 'package-lock.json'), '{}');
      const packed = spawnSync('npm', ['pack', '--json'], { cwd: directory.path, encoding: 'utf8' });
      expect(packed.stdout).toContain('"npm-shrinkwrap.json"');
      expect(existsSync(join(directory.path, 'npm-shrinkwrap.json'))).toBe(false);
    } finally {
      directory.remove();
    }
  });

  it('overrides other packages only through its own dependencies', () => {
    const named = Object.values(own.overrides).filter((one) => typeof one === 'string');
    const dependencies = Object.entries(own.dependencies).map(([name, version]) => `npm:${name}@${version}`);
    for (const one of named) expect(dependencies).toContain(one);
  });

  // npm leaves out other platforms' packages when it writes the file beside an existing node_modules (npm/cli#4828).
  it('has a lock file with the optional packages of all platforms', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const locked = new Set(Object.keys(lock.packages).map((path) => path.split('node_modules/').at(-1)));
    const needed = Object.values(lock.packages).flatMap((one) => Object.keys(one.optionalDependencies ?? {}));
    expect(needed.filter((name) => !locked.has(name))).toEqual([]);
  });

  it('contains every file that its files import, and depends on every package', () => {
    const packages = new Set(Object.keys({ ...own.dependencies, ...own.optionalDependencies }));
    const missing: string[] = [];
    for (const path of paths) {
      if (!path.endsWith('.js')) continue;
      const text = readFileSync(join(root, path), 'utf8');
      for (const [, named] of text.matchAll(
        /^(?:(?:import|export)\b[^'"\n;=]* from|import) ['"]([^'"]+)['"];?$/gm,
      )) {
        const isFile = named!.startsWith('.');
        const file = posix.join(dirname(path), named!);
        const name = named!
          .split('/')
          .slice(0, named!.startsWith('@') ? 2 : 1)
          .join('/');
        const isThere = isFile ? paths.has(file) : named!.startsWith('node:') || packages.has(name);
        if (!isThere) missing.push(`${path} imports ${named}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('has types: correct uses compile, and wrong uses do not', () => {
    const directory = temporaryDirectory();
    const folder = join(directory.path, 'node_modules/fulgurite');
    // Types are created next to the compiled files when the package is packed. Here they go to a folder of
    // the test.
    const tsc = join(root, 'node_modules/.bin/tsc');
    try {
      const made = spawnSync(tsc, ['-p', 'tsconfig.package.json', '--outDir', join(folder, 'build')], {
        cwd: root,
        encoding: 'utf8',
      });
      expect(made.stdout).toBe('');
      writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
      mkdirSync(join(directory.path, 'node_modules/@types'), { recursive: true });
      symlinkSync(join(root, 'node_modules/@types/node'), join(directory.path, 'node_modules/@types/node'));
      symlinkSync(join(root, 'node_modules/undici-types'), join(directory.path, 'node_modules/undici-types'));
      expect(existsSync(join(folder, own.exports['.'].types))).toBe(true);
      writeFileSync(join(directory.path, 'package.json'), '{"type":"module"}');
      writeFileSync(
        join(directory.path, 'use.ts'),
        `import { type ChannelGraph, generateSyntheticGraph, LayerBook, msatFromSat, RouteEngine } from 'fulgurite';
         import { type SimulatedNetwork, openSimulatedNetwork, networkMapOf, startNode } from 'fulgurite';
         const graph: ChannelGraph = generateSyntheticGraph({ nodeCount: 10, seed: 1 });
         new RouteEngine({ book: new LayerBook(), workers: 1 }).publish(graph);
         const simulation = { ownNodeId: graph.nodeId(0), seed: 1 };
         const network: Promise<SimulatedNetwork> = openSimulatedNetwork({ map: networkMapOf(graph), simulation });
         const amount: bigint = msatFromSat(5);
         // @ts-expect-error amounts are bigint
         const wrong: string = msatFromSat(5);
         export { amount, network, startNode, wrong };`,
      );
      const options =
        '--noEmit --strict --module nodenext --target es2023 --types node --skipLibCheck use.ts';
      const used = spawnSync(tsc, options.split(' '), { cwd: directory.path, encoding: 'utf8' });
      expect(used).toMatchObject({ status: 0, stdout: '' });
    } finally {
      directory.remove();
    }
  });
});
