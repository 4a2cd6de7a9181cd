/**
 * The map's files over HTTP: only with a rune that permits the data in them, compressed, and sent again only
 * when changed.
 */
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeColumns, decodeIds, decodeNames } from '../../src/map-files/columns.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const directory = temporaryDirectory();
let daemon: DaemonHere;
let rune: string;

beforeAll(async () => {
  const options = ['--graph', 'synthetic:120', '--seed', '7', '--http', '127.0.0.1:0'];
  daemon = await DaemonHere.start(join(directory.path, 'home'), options);
  ({ rune } = await daemon.result('createrune', { restrictions: 'readonly' }));
});
afterAll(async () => {
  await daemon?.stop();
  directory.remove();
});

const get = (name: string, headers: Record<string, string> = {}) =>
  fetch(`${daemon.httpUrl}/ui/${name}`, { headers: { Rune: rune, ...headers } });
const bytesOf = async (name: string): Promise<ArrayBuffer> => (await get(name)).arrayBuffer();

test('the files of the page contain the graph that the node lists', async () => {
  const columns = decodeColumns(await bytesOf('graph.bin'));
  const { version, ids } = decodeIds(await bytesOf('ids.bin'));
  const names = decodeNames(new TextDecoder().decode(await bytesOf('names.bin')));
  expect([version, names.version]).toEqual([columns.version, columns.version]);
  const idOf = (node: number) => Buffer.from(ids.subarray(node * 33, node * 33 + 33)).toString('hex');
  const { channels } = await daemon.result('listchannels');
  const listed = new Set(
    channels.map((one: { source: string; destination: string }) =>
      [one.source, one.destination].sort().join(),
    ),
  );
  const drawn = Array.from(columns.from, (from, link) => [idOf(from), idOf(columns.to[link]!)].sort().join());
  expect(new Set(drawn)).toEqual(listed);
  const { nodes } = await daemon.result('listnodes');
  const aliasOf = new Map(
    nodes.map((one: { nodeid: string; alias?: string }) => [one.nodeid, one.alias ?? '']),
  );
  expect(names.aliases.map((_alias, node) => aliasOf.get(idOf(node)))).toEqual(names.aliases);
});

test('the files of the page need a rune that permits their content', async () => {
  const { rune: other } = await daemon.result('createrune', { restrictions: [['method=listnodes']] });
  const status = async (name: string, given: string) => (await get(name, { Rune: given })).status;
  expect((await fetch(`${daemon.httpUrl}/ui/graph.bin`)).status).toBe(403);
  expect([await status('graph.bin', other), await status('names.bin', other)]).toEqual([401, 200]);
});

test('the files of the page are compressed, and are not sent again when they have not changed', async () => {
  const plain = await get('graph.bin', { 'Accept-Encoding': 'identity' });
  const whole = Buffer.from(await plain.arrayBuffer());
  const { request } = await import('node:http');
  const packed = await new Promise<Buffer>((resolve, reject) => {
    const headers = { Rune: rune, 'Accept-Encoding': 'br' };
    request(`${daemon.httpUrl}/ui/graph.bin`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
      expect(response.headers['content-encoding']).toBe('br');
    })
      .on('error', reject)
      .end();
  });
  expect(decodeColumns(new Uint8Array(brotliDecompressSync(packed)).buffer).x.length).toBe(
    decodeColumns(new Uint8Array(whole).buffer).x.length,
  );
  expect(packed.length).toBeLessThan(whole.length);
  // If the layout has become final in the meantime, the next answer has a new tag.
  const { headers } = await settled();
  const again = await get('graph.bin', { 'If-None-Match': headers.get('etag')! });
  expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'private, no-cache']);
});

/** Requests the layout until it is final. */
async function settled(): Promise<Response> {
  for (;;) {
    const response = await get('graph.bin');
    if (decodeColumns(await response.arrayBuffer()).isSettled) return response;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('the link to the page permits reading, but not paying', async () => {
  const { url, valid_until: until, link_valid_until: linkUntil } = await daemon.result('explorer');
  const [page, code] = url.split('#code=');
  expect(page).toBe(`${daemon.httpUrl}/ui/`);
  expect(linkUntil - Date.now() / 1000).toBeGreaterThan(0);
  expect(linkUntil - Date.now() / 1000).toBeLessThanOrEqual(60);
  const redeem = (headers: Record<string, string>) =>
    fetch(`${daemon.httpUrl}/ui/redeem`, { method: 'POST', headers });
  const { rune: given } = (await (await redeem({ Code: code })).json()) as { rune: string };
  expect(until).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400);
  const call = async (method: string, params: object = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { Rune: given, 'Content-Type': 'application/json' };
    const answer = await fetch(`${daemon.httpUrl}/rpc`, { method: 'POST', headers, body });
    return ((await answer.json()) as { error?: { code: number } }).error?.code;
  };
  expect(await call('getinfo')).toBeUndefined();
  expect(await call('listpays')).toBeUndefined();
  for (const method of [
    'xkeysend',
    'keysend',
    'stop',
    'createrune',
    'explorer',
    'askrene-create-layer',
    'fetchinvoice',
  ]) {
    expect(await call(method)).toBe(1502);
  }
  expect((await fetch(url.split('#')[0])).status).toBe(200);
  // The code works once, and other sites cannot use it.
  expect((await redeem({ Code: code })).status).toBe(410);
  const { url: second } = await daemon.result('explorer');
  const stolen = { Code: second.split('#code=')[1], Origin: 'http://elsewhere.example' };
  expect((await redeem(stolen)).status).toBe(403);
  expect((await redeem({})).status).toBe(400);
  // Guessing is soon stopped.
  const statuses = new Set<number>();
  for (let guess = 0; guess < 80; guess++) statuses.add((await redeem({ Code: 'a'.repeat(22) })).status);
  expect([...statuses].sort()).toEqual([410, 429]);
});
