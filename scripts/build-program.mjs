/**
 * Bundles the program into `build/program/`, so that it starts sooner: Node.js takes longer to find, read and link five
 * hundred small files than to run them. What is bundled is what the compiler has made in `build/src/`; packages are left
 * where they are. `build/src/` stays for those who import the library or debug.
 *
 * All bundles lie flat in `build/program/`. Threads and processes begin with files of their own, whose places follow from
 * `import.meta.url`. So every module is told the place that it has in `build/src/`, with `program` instead of `src`, and
 * a file at the place of each entry leads to its bundle.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, 'build/src');
const program = join(root, 'build/program');

/**
 * What processes and threads begin with. Entries of one group run in the same thread, and share modules. Every other
 * thread has its code in one file, because each file costs it about a millisecond.
 */
const GROUPS = [
  ['cli/main'],
  ['plugin/main'],
  ['engine/host/worker'],
  ['http/server'],
  ['laboratory/kernel/kernel-worker'],
  ['backdrop/worker'],
  ['network/lnd/lnd-worker'],
  ['network/onions/onion-worker'],
  ['network/peer/gossip-worker'],
  ['network/simulated/worker', 'simulated-issuers/module'],
  ['store/check-process'],
  ['store/store-thread'],
];
export const ENTRIES = GROUPS.flat();

/** The bundle of an entry. */
const bundleOf = (entry) => `${entry.replaceAll('/', '.')}.js`;

/** Tells each module the place that it seems to have. */
const places = {
  name: 'places',
  setup(bundler) {
    bundler.onLoad({ filter: /\.js$/, namespace: 'file' }, ({ path }) => {
      const place = relative(compiled, path);
      if (place.startsWith('..')) return undefined;
      const code = readFileSync(path, 'utf8');
      const seeming = `new URL(${JSON.stringify(`./${place}`)}, import.meta.url).href`;
      return { contents: code.replaceAll('import.meta.url', seeming), loader: 'js' };
    });
  },
};

/** A package of many small files, which Node.js would read one by one. It is bundled by itself. */
const METRICS = 'prom-client';
export const METRICS_BUNDLE = `${METRICS}.js`;

/** Leads to the bundle of that package. */
const metricsBundle = {
  name: 'metrics-bundle',
  setup(bundler) {
    bundler.onResolve({ filter: /^prom-client$/ }, () => ({ path: `./${METRICS_BUNDLE}`, external: true }));
  },
};

async function main() {
  rmSync(program, { recursive: true, force: true });
  await build({
    stdin: { contents: `export { collectDefaultMetrics, Registry } from '${METRICS}';`, resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // The package is CommonJS, and requires modules of Node.js.
    banner: {
      js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
    legalComments: 'inline',
    outfile: join(program, METRICS_BUNDLE),
    absWorkingDir: root,
    logLevel: 'warning',
  });
  for (const group of GROUPS) await bundle(group);
}

/** Bundles the entries of one group. What they import later, or both of them, is in files of its own. */
async function bundle(group) {
  const { metafile } = await build({
    entryPoints: group.map((entry) => ({
      in: join(compiled, `${entry}.js`),
      out: bundleOf(entry).slice(0, -'.js'.length),
    })),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    // Names stay as they are without it. With it, each function is told its name whenever it is made, and inner
    // functions are made often.
    keepNames: false,
    plugins: [places, metricsBundle],
    outdir: program,
    absWorkingDir: root,
    metafile: true,
    logLevel: 'warning',
  });
  for (const entry of group) {
    const { exports } = metafile.outputs[`build/program/${bundleOf(entry)}`];
    const file = join(program, `${entry}.js`);
    const bundle = JSON.stringify(join(relative(dirname(file), program), bundleOf(entry)));
    const given = exports.includes('default') ? `export { default } from ${bundle};\n` : '';
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${given}export * from ${bundle};\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
