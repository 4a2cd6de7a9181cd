/**
 * Builds the explorer into `build/web/`: a file for the frame, one for each page, two style sheets, and one document
 * for each page, so that `/ui/NAME/…` begins with it. Names of scripts and styles contain a hash of their contents.
 * Each file is also stored in gzip and brotli form.
 *
 * The build fails when a page needs more code than its budget, or when a built file contains the URL of another server.
 * The only URLs allowed are the names of XML namespaces.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/**
 * Maximum bytes of code, compressed by gzip, that the start page, and any other page, may need, including shared code.
 */
export const BUDGETS = { start: 30 * 1024, page: 60 * 1024 };

/** Names of XML namespaces, which are never fetched. */
const NAMESPACES = [
  'http://www.w3.org/2000/svg',
  'http://www.w3.org/1999/xhtml',
  'http://www.w3.org/1998/Math/MathML',
];
const ADDRESS = /https?:\/\/[^\s"'`\\)<>]*/g;
const COMPRESSED = ['.js', '.css', '.html', '.svg'];

/** URLs in a text that point to other servers. */
export const foreignAddresses = (text) =>
  [...text.matchAll(ADDRESS)].map(([found]) => found).filter((found) => !NAMESPACES.includes(found));

/** The given file and all files that it imports statically, directly or indirectly. `outputs` is esbuild's metafile. */
export function neededBy(outputs, path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: to, kind } of outputs[path].imports) {
    if (kind === 'import-statement') neededBy(outputs, to, found);
  }
  return found;
}

const gzipBytes = (contents) => gzipSync(contents, { level: 9 }).length;

/** One message for each page that needs more code than allowed. `sizes` are compressed bytes by file. */
export function overBudget(outputs, sizes, entry, pages) {
  const bytesOf = (paths) => [...paths].reduce((sum, path) => sum + sizes.get(path), 0);
  return Object.entries(pages).flatMap(([name, path]) => {
    const bytes = bytesOf(new Set([...neededBy(outputs, entry), ...neededBy(outputs, path)]));
    const most = name === 'home' ? BUDGETS.start : BUDGETS.page;
    return bytes <= most ? [] : [`${name} needs ${bytes} bytes of compressed code; the maximum is ${most}`];
  });
}

/** Builds all files. @throws Error when a page exceeds its budget or a file contains the URL of another server */
export async function buildWeb(root, out = join(root, 'build/web')) {
  const source = join(root, 'src/explorer');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['shell.ts', 'style.css', 'style/dark.css'].map((name) => join(source, name)),
    outdir: out,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    publicPath: '/ui/',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    write: false,
    metafile: true,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'silent',
  });
  const { outputs } = metafile;
  const relative = (path) => path.slice(out.length + 1);
  const short = (path) => path.slice(path.indexOf('assets/'));
  const files = new Map(outputFiles.map(({ path, contents }) => [relative(path), Buffer.from(contents)]));
  const madeFrom = (ending) =>
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(ending))?.[0];
  const shell = madeFrom('src/explorer/shell.ts');
  const pages = Object.fromEntries(
    Object.entries(outputs)
      .filter(([, { entryPoint }]) => entryPoint?.includes('src/explorer/pages/'))
      .map(([path, { entryPoint }]) => [basename(entryPoint, '.ts'), path]),
  );
  const sizes = new Map(Object.keys(outputs).map((path) => [path, gzipBytes(files.get(short(path)))]));
  const icon = readFileSync(join(source, 'icon.svg'));
  const iconName = `assets/icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  files.set(iconName, icon);
  const frame = readFileSync(join(source, 'index.html'), 'utf8');
  for (const [name, path] of Object.entries(pages)) {
    const preloads = [...neededBy(outputs, path), ...neededBy(outputs, shell)]
      .filter((one) => one !== shell)
      .map((one) => `<link rel="modulepreload" href="/ui/${short(one)}" />`);
    const values = {
      ICON: `/ui/${iconName}`,
      STYLE: `/ui/${short(madeFrom('explorer/style.css'))}`,
      DARK: `/ui/${short(madeFrom('dark.css'))}`,
      SCRIPT: `/ui/${short(shell)}`,
      PRELOADS: [...new Set(preloads)].join('\n    '),
    };
    const text = frame.replace(/%(\w+)%/g, (_whole, key) => values[key]);
    files.set(name === 'home' ? 'index.html' : `${name}/index.html`, Buffer.from(text));
  }
  const faults = [
    ...overBudget(outputs, sizes, shell, pages),
    ...[...files].flatMap(([name, contents]) =>
      foreignAddresses(contents.toString()).map(
        (address) => `${name} contains the URL of another server: ${address}`,
      ),
    ),
  ];
  if (faults.length > 0) throw new Error(faults.join('\n'));
  writeAll(out, files);
  return { outputs, sizes, shell, pages };
}

function writeAll(out, files) {
  rmSync(out, { recursive: true, force: true });
  for (const [name, contents] of files) {
    const path = join(out, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
    if (!COMPRESSED.some((ending) => name.endsWith(ending))) continue;
    writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${path}.br`, brotliCompressSync(contents, { params }));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await buildWeb(fileURLToPath(new URL('..', import.meta.url)));
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
