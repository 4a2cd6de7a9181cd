/**
 * The files of the page under `/ui/`. They are read once, at startup, and served from memory. A file with a content
 * hash in its name never changes, so browsers may cache it. Browsers revalidate every other file, whose `ETag`, a
 * content hash, shows whether it changed. The rest of a path after a page's folder is interpreted by the page's script.
 * Compressed forms of a file may be next to it, as `NAME.br` and `NAME.gz`.
 *
 * The page may load nothing from other servers, and may run only scripts that are files here.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import type { Context, MiddlewareHandler } from 'hono';
import type { PageFile } from './messages.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
};
const INDEX = 'index.html';
/** A content hash as written by bundlers: at least eight characters between a `-` or `.` and the extension. */
const HASHED = /[-.][0-9A-Za-z_]{8,}\.[a-z]+$/;
const FOREVER = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';
/** Names of encodings, and their file extensions, best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
/** Maximum size of all files together, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** Serves the files of a folder. @throws Error when the files are too large, or cannot be read */
export function staticFiles(folder: string): MiddlewareHandler {
  const files = readFolder(folder);
  return async (context) => {
    const path = decodedPath(context.req.path)?.slice('/ui/'.length);
    const name = path === undefined ? undefined : [path, folderIndex(path)].find((one) => files.has(one));
    if (name === undefined) return context.notFound();
    const accepted = context.req.header('accept-encoding') ?? '';
    const [encoding, ending] = ENCODINGS.find(
      ([one, end]) => accepted.includes(one) && files.has(name + end),
    ) ?? [undefined, ''];
    const sent = files.get(name + ending)!;
    const etag = `"${createHash('sha256').update(sent).digest('base64url').slice(0, 27)}"`;
    context.header('Cache-Control', HASHED.test(name) ? FOREVER : ASK_AGAIN);
    context.header('Content-Security-Policy', POLICY);
    context.header('Vary', 'Accept-Encoding');
    context.header('ETag', etag);
    if (context.req.header('if-none-match') === etag) return context.body(null, 304);
    if (encoding !== undefined) context.header('Content-Encoding', encoding);
    context.header('Content-Type', TYPES[extname(name)] ?? 'application/octet-stream');
    return context.body(sent);
  };
}

/** A path without `%` escapes. Undefined when an escape is invalid. */
function decodedPath(path: string): string | undefined {
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}

/** The document for a path. A path below a page, such as `pay/ID` or `layers/NAME`, gets the document of that page. */
function folderIndex(path: string): string {
  const [page = ''] = path.split('/');
  return page === '' ? INDEX : `${page}/${INDEX}`;
}

/**
 * The response with a file generated at runtime. Browsers cache the file, but revalidate it each time, because a rune
 * must permit each request for it.
 */
export function fileResponse(context: Context, { etag, ...forms }: PageFile): Response {
  const accepted = context.req.header('accept-encoding') ?? '';
  const encoding = (['br', 'gzip'] as const).find(
    (one) => accepted.includes(one) && forms[one] !== undefined,
  );
  context.header('Cache-Control', 'private, no-cache');
  context.header('Vary', 'Accept-Encoding, Rune');
  context.header('ETag', etag);
  if (context.req.header('if-none-match') === etag) return context.body(null, 304);
  if (encoding !== undefined) context.header('Content-Encoding', encoding);
  context.header('Content-Type', 'application/octet-stream');
  return context.body(new Uint8Array(forms[encoding ?? 'plain']!));
}

/** All files of a folder and its subfolders, by path with `/`. */
function readFolder(folder: string): ReadonlyMap<string, Bytes> {
  const files = new Map<string, Bytes>();
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = new Uint8Array(readFileSync(path));
    bytes += content.length;
    if (bytes > MAX_BYTES) throw new Error(`${folder} has more than ${MAX_BYTES} bytes`);
    files.set(path.slice(folder.length + 1).replaceAll(sep, '/'), content);
  }
  return files;
}
