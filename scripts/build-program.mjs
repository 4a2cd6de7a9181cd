/**
 * Bundles the program into `build/program/`, so that it starts sooner: Node.js takes longer to find, read, compile and
 * link a thousand small files than to run them. It bundles the compiled files in `build/src/` and most packages.
 * `build/src/` is kept for importing the library and for debugging.
 *
 * Each thread and process has one bundle, a CommonJS script directly in `build/program/`. `load.js` runs it, with the
 * compiled code that `keep-code.mjs` has stored beside it. A file at the path of each entry loads the entry's bundle.
 * Code that starts a thread or process derives the path of its file from `import.meta.url`. So in each module this value
 * is replaced by the module's path in `build/src/`, with `program` instead of `src`.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, 'build/src');
const program = join(root, 'build/program');

/**
 * The modules with which processes and threads start. Entries of one group run in the same thread and share a bundle. It
 * runs them in reverse order.
 */
const GROUPS = [
  ['cli/main'],
  ['plugin/main'],
  ['engine/host/worker'],
  ['http/server'],
  ['laboratory/kernel/kernel-worker'],
  ['map-files/worker'],
  ['network/lnd/lnd-worker'],
  ['network/onions/onion-worker'],
  ['network/peer/gossip-worker'],
  ['network/simulated/worker', 'simulated-issuers/module'],
  ['store/check-process'],
  ['store/store-thread'],
];
export const ENTRIES = GROUPS.flat();

/** Packages that are not bundled, because they find files of their own, or are seldom used. */
const EXTERNAL = [
  '@grpc/grpc-js',
  '@grpc/proto-loader',
  '@nats-io/transport-node',
  '@peculiar/x509',
  '@photostructure/sqlite',
  'lightningdevkit',
  'piscina',
  'postgres',
  'reflect-metadata',
  'yaml',
];

/** Name of a group's bundle: that of its first entry. */
const bundleOf = ([entry]) => entry.replaceAll('/', '.');

/** The name under which a bundle exports an entry. */
const memberOf = (entry) => entry.replaceAll(/\W/g, '_');

/** Replaces `import.meta.url` in each module; see the head of this file. */
const places = {
  name: 'places',
  setup(bundler) {
    bundler.onLoad({ filter: /\.js$/, namespace: 'file' }, ({ path }) => {
      const place = relative(compiled, path);
      if (place.startsWith('..')) return undefined;
      const code = readFileSync(path, 'utf8');
      const seeming = `new URL(${JSON.stringify(`./${place}`)}, programUrl).href`;
      return { contents: code.replaceAll('import.meta.url', seeming), loader: 'js' };
    });
  },
};

async function main() {
  rmSync(program, { recursive: true, force: true });
  mkdirSync(program, { recursive: true });
  writeFileSync(join(program, 'package.json'), '{ "type": "commonjs" }\n');
  copyFileSync(join(root, 'scripts/load.cjs'), join(program, 'load.js'));
  for (const group of GROUPS) await bundle(group);
}

async function bundle(group) {
  const contents = group.toReversed().map((entry) => `export * as ${memberOf(entry)} from './${entry}.js';`);
  const { outputFiles } = await build({
    stdin: { contents: contents.join('\n'), resolveDir: compiled },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: EXTERNAL,
    // Names are kept without this option, since nothing is minified. With it, the bundle would set the name of each
    // function whenever the function is created, which is often for inner functions.
    keepNames: false,
    // For load.js, which reads the file as Latin-1.
    charset: 'ascii',
    legalComments: 'inline',
    banner: {
      js:
        "const { importModule } = require('./load.js');\n" +
        "const programUrl = require('node:url').pathToFileURL(__filename).href;",
    },
    plugins: [places],
    write: false,
    absWorkingDir: root,
    logLevel: 'warning',
  });
  // Only imports of packages that are not bundled, and of modules known at run time, are left.
  const code = outputFiles[0].text.replaceAll(/\bawait import\(/g, 'await importModule(');
  writeFileSync(join(program, `${bundleOf(group)}.js`), code);
  for (const entry of group) {
    const file = join(program, `${entry}.js`);
    const load = JSON.stringify(`${relative(dirname(file), program)}/load.js`);
    const exported = await exportsOf(entry);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `const { ${memberOf(entry)} } = require(${load}).load(${JSON.stringify(bundleOf(group))});\n` +
        'exports.__esModule = true;\n' +
        exported.map((name) => `exports.${name} = ${memberOf(entry)}.${name};\n`).join(''),
    );
  }
}

/** Names of the exports of a module. */
async function exportsOf(entry) {
  const { metafile } = await build({
    entryPoints: [join(compiled, `${entry}.js`)],
    format: 'esm',
    write: false,
    metafile: true,
    absWorkingDir: root,
  });
  return Object.values(metafile.outputs)[0].exports;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
