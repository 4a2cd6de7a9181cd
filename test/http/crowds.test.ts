/**
 * Crowds that could lock others out or fill the log: clients that abort, hold connections, follow events, or
 * send batches that are refused. Each crowd costs no more than a single client may, and other clients are
 * served.
 */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { isLocalRequest } from '../../src/http/addresses.ts';
import { WaitingQuota } from '../../src/http/client-quota.ts';
import { DEFAULT_HTTP_LIMITS } from '../../src/http/limits.ts';
import { MainLink, type MainReply } from '../../src/http/main-link.ts';
import type { ToMain } from '../../src/http/messages.ts';
import { SharedDocuments } from '../../src/http/shared-documents.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { until } from '../until.ts';
import { ask } from './http-client.ts';

const MAX_CONNECTIONS = 40;
const directory = temporaryDirectory();
const log: string[] = [];
const sockets: Socket[] = [];
let daemon: DaemonHere;
let rune: string;
let other: string;
/** A rune that permits nothing. */
let useless: string;

beforeAll(async () => {
  const options = ['--graph', 'synthetic:100', '--seed', '7', '--http', '127.0.0.1:0'];
  const limits = ['--http-max-connections', String(MAX_CONNECTIONS)];
  daemon = await DaemonHere.start(join(directory.path, 'home'), [...options, ...limits], log);
  ({ rune } = await daemon.result('createrune'));
  ({ rune: other } = await daemon.result('createrune'));
  ({ rune: useless } = await daemon.result('createrune', { restrictions: [['method=none']] }));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await daemon?.stop();
  directory.remove();
});

function raw(text = ''): Socket {
  const { hostname, port } = new URL(daemon.httpUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(text);
  return socket;
}

const call = (path: string, shown: string | undefined, body = '{}') =>
  ask(daemon.httpUrl + path, { headers: shown === undefined ? {} : { Rune: shown }, body });

test('a malformed path is not found, and is not logged as an internal error', async () => {
  const before = log.length;
  expect((await ask(`${daemon.httpUrl}/ui/%zz`, { method: 'GET' })).status).toBe(404);
  expect((await ask(`${daemon.httpUrl}/v1/%zz`, { headers: { Rune: rune } })).json.code).toBe(-32601);
  expect(log.slice(before).join('')).not.toMatch(/broken/i);
});

test('clients that disconnect within a body are not logged', async () => {
  const before = log.length;
  const head = `POST /v1/getinfo HTTP/1.1\r\nHost: localhost\r\nRune: ${rune}\r\nContent-Length: 100\r\n\r\n{`;
  for (let index = 0; index < 20; index++) {
    const socket = raw(head);
    await new Promise((resolve) => socket.once('connect', resolve));
    await new Promise((resolve) => setTimeout(resolve, 5));
    socket.destroy();
  }
  expect((await call('/v1/getinfo', rune)).status).toBe(201);
  expect(log.slice(before).join('')).not.toMatch(/broken|abort/i);
});

describe('requests without a rune', () => {
  const batch = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, method: 'getinfo' })));

  it('a long batch is one refusal, and is not read', async () => {
    const reply = await call('/', undefined, batch(10_000));
    expect([reply.status, reply.json.id, reply.json.error.code]).toEqual([403, null, 1501]);
    const wrong = await call('/', 'AAAA', batch(10_000));
    expect([wrong.status, wrong.json.id, wrong.json.error.code]).toEqual([401, null, -32602]);
  });

  it('a short batch is answered one by one', async () => {
    const reply = await call('/', undefined, batch(2));
    expect([reply.status, reply.json.map((one: { id: number }) => one.id)]).toEqual([403, [0, 1]]);
  });

  it('a body of unknown length is refused once it exceeds the part that is read for the id', async () => {
    const chunk = `${' '.repeat(DEFAULT_HTTP_LIMITS.maxStrangerBytes + 1)}`;
    const socket = raw('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    await vi.waitFor(() => expect(text).toMatch(/^HTTP\/1.1 403 /), { timeout: 30_000 });
  });
});

test('requests that a rune does not permit are counted one by one, and refused unread beyond a limit', async () => {
  const body = JSON.stringify(Array.from({ length: 1500 }, (_, id) => ({ id, method: 'getinfo' })));
  const first = await call('/', useless, body);
  expect([first.status, first.json.length]).toEqual([401, 1500]);
  expect((await call('/', useless, body)).status).toBe(429);
  expect((await call('/v1/getinfo', useless)).status).toBe(429);
  expect((await call('/v1/getinfo', rune)).status).toBe(201);
});

describe('long bodies of one client', () => {
  it('wait for each other, but not for those of other clients', async () => {
    const quota = new WaitingQuota(10);
    const done: string[] = [];
    const take = (client: string, count: number) =>
      quota.take(client, count).then(() => void done.push(`${client} ${count}`));
    const [first] = [take('a', 8), take('a', 5), take('a', 1), take('b', 99)];
    await first;
    await new Promise(setImmediate);
    expect(done).toEqual(['a 8', 'b 99']);
    quota.giveBack('a', 8);
    await new Promise(setImmediate);
    expect(done).toEqual(['a 8', 'b 99', 'a 5', 'a 1']);
  });

  it('are all answered', async () => {
    const requests = Array.from({ length: 8000 }, () => ({ destination: rune, amount_msat: 1000 }));
    const body = JSON.stringify({ source: rune, layers: [], maxfee_msat: 0, requests });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('/v1/getroutes-batch', rune, body)),
    );
    expect(new Set(answers.map(({ json }) => json.code))).toEqual(new Set([-32602]));
    expect((await call('/v1/getinfo', rune)).status).toBe(201);
  });
});

test('clients that follow events with one rune leave room for others', async () => {
  const follow = (shown: string) => {
    const socket = raw(`GET /v1/notifications HTTP/1.1\r\nHost: localhost\r\nRune: ${shown}\r\n\r\n`);
    return new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  };
  const { maxFollowersOfOne } = DEFAULT_HTTP_LIMITS;
  for (let index = 0; index < maxFollowersOfOne; index++)
    expect(await follow(rune)).toMatch(/^HTTP\/1.1 200 /);
  expect(await follow(rune)).toMatch(/^HTTP\/1.1 503 /);
  expect(await follow(other)).toMatch(/^HTTP\/1.1 200 /);
  sockets.shift()!.destroy();
  await vi.waitFor(async () => expect(await follow(rune)).toMatch(/^HTTP\/1.1 200 /), { timeout: 30_000 });
});

test('a client may send more requests one after another than it may have in progress', async () => {
  const { maxInFlightOfOne } = DEFAULT_HTTP_LIMITS;
  const statuses = new Set<number>();
  for (let sent = 0; sent <= maxInFlightOfOne; sent++)
    statuses.add((await call('/v1/getinfo', other)).status);
  expect([...statuses]).toEqual([201]);
});

test('the main thread learns once that a client has left before its answer', () => {
  const told: ToMain[] = [];
  const link = new MainLink({
    postMessage: (message: ToMain) => told.push(message),
  } as unknown as MessagePort);
  const ids: number[] = [];
  void link.ask({ kind: 'redeem', code: '' }, (id) => ids.push(id));
  for (let times = 0; times < 2; times++) link.leave(ids[0]!);
  expect(told.slice(1)).toEqual([{ kind: 'gone', id: ids[0] }]);
  expect(link.inFlight).toBe(0);
});

test('an address that repeatedly reads descriptions is refused, but its other requests are served', async () => {
  const statuses = new Set<number>();
  const read = async (): Promise<void> => {
    const answer = await fetch(`${daemon.httpUrl}/openrpc.json`);
    await answer.arrayBuffer();
    statuses.add(answer.status);
  };
  // One request after another would be too slow on a busy machine: five per second are permitted.
  await until(async () => {
    await Promise.all(Array.from({ length: 20 }, read));
    return statuses.has(429);
  });
  expect(statuses).toEqual(new Set([200, 429]));
  expect((await call('/v1/getinfo', rune)).status).toBe(201);
  expect((await fetch(`${daemon.httpUrl}/healthz`)).status).toBe(200);
});

test('idle connections give way to new ones, and connections in use do not', async () => {
  const busy = raw(`GET /v1/notifications HTTP/1.1\r\nHost: localhost\r\nRune: ${rune}\r\n\r\n`);
  await new Promise((resolve) => busy.once('data', resolve));
  const holders = Array.from({ length: MAX_CONNECTIONS }, () =>
    raw('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n').resume(),
  );
  // Until its request is answered, a connection is in use. While all connections are in use, a new one is
  // refused.
  await vi.waitFor(
    () => {
      expect(holders.every(({ destroyed, bytesRead }) => destroyed || bytesRead > 0)).toBe(true);
      expect(holders.some(({ destroyed }) => destroyed)).toBe(true);
    },
    { timeout: 30_000 },
  );
  for (let index = 0; index < 5; index++) expect((await call('/v1/getinfo', rune)).status).toBe(201);
  expect(busy.destroyed).toBe(false);
  expect(log.join('')).toContain('too many connections');
});

describe('documents that anyone may read', () => {
  const reply: MainReply = { status: 200, contentType: 'text/plain', body: 'x' };

  it('that never change are created once, and again if creation failed', async () => {
    const make = vi.fn().mockRejectedValueOnce(new Error('no')).mockResolvedValue(reply);
    const documents = new SharedDocuments(make);
    await expect(documents.get('openrpc')).rejects.toThrow('no');
    const first = await documents.get('openrpc');
    expect(first).toEqual({ ...reply, body: new Uint8Array([120]) });
    for (let index = 0; index < 3; index++) expect(await documents.get('openrpc')).toBe(first);
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('that change are created once for all waiting clients', async () => {
    const make = vi.fn().mockImplementation(async () => ({ ...reply }));
    const documents = new SharedDocuments(make);
    const [one, two] = await Promise.all([documents.get('health'), documents.get('health')]);
    expect(one).toBe(two);
    expect(await documents.get('health')).not.toBe(one);
    expect(make).toHaveBeenCalledTimes(2);
  });
});

test.each([
  ['names its client', { 'X-Real-IP': '192.0.2.1' }],
  ['names itself', { Via: '1.1 proxy' }],
  ['passes the name on under which it was called', { Host: 'node.example' }],
])(
  'documents for this machine are refused behind a proxy that %s',
  async (_, headers: Record<string, string>) => {
    const reply = await ask(`${daemon.httpUrl}/metrics`, { method: 'GET', headers });
    expect([403, 421]).toContain(reply.status);
    expect((await ask(`${daemon.httpUrl}/metrics`, { method: 'GET' })).status).toBe(200);
  },
);

test('a request of HTTP/1.0 does not count as local, because proxies send such requests', () => {
  const origin = { bound: '127.0.0.1', remote: '127.0.0.1' };
  const header = (name: string) => (name === 'host' ? 'localhost' : undefined);
  const isLocal = (version: string) => isLocalRequest({ ...origin, version, header });
  expect(['1.1', '1.0'].map(isLocal)).toEqual([true, false]);
});
