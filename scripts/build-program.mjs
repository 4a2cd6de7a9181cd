/**
 * Bundles the program into `build/program/`, so that it starts sooner: Node.js takes longer to find, read and link five
 * hundred small files than to run them. It bundles the compiled files in `build/src/`, but not the packages in
 * node_modules. `build/src/` is kept for importing the library and for debugging.
 *
 * All bundles are directly in `build/program/`. Code that starts a thread or process derives the path of its file from
 * `import.meta.url`. So in each module this value is replaced by the module's path in `build/src/`, with `program`
 * instead of `src`, and a file at the path of each entry imports the entry's bundle.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, 'build/src');
const program = join(root, 'build/program');

/**
 * The modules with which processes and threads start. Entries of one group run in the same thread and share modules.
 * The code of every other thread is in one file, because loading each file takes about a millisecond.
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

/** File name of an entry's bundle. */
const bundleOf = (entry) => `${entry.replaceAll('/', '.')}.js`;

/** Replaces `import.meta.url` in each module; see the head of this file. */
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

/** A package of many small files, which Node.js would read one by one. It has a separate bundle. */
const METRICS = 'prom-client';
export const METRICS_BUNDLE = `${METRICS}.js`;

/** Resolves imports of `prom-client` to its bundle. */
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
    // The package is CommonJS and requires modules of Node.js, so the bundle needs a `require` function.
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

/**
 * Bundles the entries of one group. Code that is imported dynamically, or by several entries, goes to separate files.
 */
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
    // Names are kept without this option, since nothing is minified. With it, the bundle would set the name of each
    // function whenever the function is created, which is often for inner functions.
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
