/** Files of the page: their types, their caching, their compressed forms, and their security policy. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { afterAll, expect, test } from 'vitest';
import { staticFiles } from '../../src/http/static-files.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());
mkdirSync(join(directory.path, 'assets'));
mkdirSync(join(directory.path, 'layers'));
writeFileSync(join(directory.path, 'index.html'), '<p>the page</p>');
writeFileSync(join(directory.path, 'layers/index.html'), '<p>layers</p>');
writeFileSync(join(directory.path, 'assets/app-0a1b2c3d.js'), 'run()');
writeFileSync(join(directory.path, 'assets/app-0a1b2c3d.js.gz'), gzipSync('run()'));
const app = new Hono();
app.get('/ui/*', staticFiles(directory.path));
const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });

test('static files come with a policy that permits no other scripts', async () => {
  const page = await get('/ui/');
  expect(await page.text()).toBe('<p>the page</p>');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
});

test('static files are cached forever if their names contain a hash, and revalidated otherwise', async () => {
  const [page, script] = await Promise.all([get('/ui/'), get('/ui/assets/app-0a1b2c3d.js')]);
  expect(page.headers.get('cache-control')).toBe('no-cache');
  expect(script.headers.get('cache-control')).toContain('immutable');
  const again = await get('/ui/', { 'If-None-Match': page.headers.get('etag')! });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('static files are sent compressed to clients that support it', async () => {
  const packed = await get('/ui/assets/app-0a1b2c3d.js', { 'Accept-Encoding': 'gzip, br' });
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(packed.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(Buffer.from(await packed.arrayBuffer())).toEqual(gzipSync('run()'));
  expect(await (await get('/ui/assets/app-0a1b2c3d.js')).text()).toBe('run()');
});

test.each(['/ui/layers', '/ui/layers/', '/ui/layers/a%2Fb', '/ui/layers/x/y?z=1'])(
  'a page is served for any path below it: %s',
  async (path) => {
    expect(await (await get(path)).text()).toBe('<p>layers</p>');
  },
);

test.each(['/ui/nothing', '/ui/..%2f..%2fetc/passwd', '/ui/%2e%2e/index.html.x', '/ui/assets/'])(
  'files outside the folder are not found: %s',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);
