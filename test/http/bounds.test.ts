/**
 * Limits on what clients can do to the server: they cannot guess runes endlessly, send endless bodies, leave
 * answers unread, or send requests without waiting. Meanwhile the daemon answers other clients.
 */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { ask } from './http-client.ts';

/**
 * More than the number of concurrent connections before the last test: those of the readers, one more, and
 * the crowd.
 */
const MAX_CONNECTIONS = 60;
/** Number of clients that do not read. */
const READERS = 20;
const CROWD = 30;
/** Number of runes that an address may send before it has sent a valid one. */
const RUNES_AT_ONCE = 50;

const directory = temporaryDirectory();
const log: string[] = [];
let daemon: DaemonHere;
let rune: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  const options = ['--graph', 'synthetic:200', '--seed', '7', '--http', '127.0.0.1:0'];
  daemon = await DaemonHere.start(
    join(directory.path, 'home'),
    [...options, '--http-max-connections', String(MAX_CONNECTIONS)],
    log,
  );
  ({ rune } = await daemon.result('createrune'));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await daemon?.stop();
  directory.remove();
});

const call = (path: string, shown = rune, body = '{}') =>
  ask(daemon.httpUrl + path, { headers: { Rune: shown }, body });

/** A connection that is read only on request. */
function raw(): Socket {
  const { hostname, port } = new URL(daemon.httpUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

const request = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nRune: ${rune}\r\nContent-Length: 2\r\n\r\n{}`;

test('clients that do not read long answers do not prevent others from being served', async () => {
  for (let index = 0; index < READERS; index++) raw().pause().write(request('/v1/listchannels'));
  for (let index = 0; index < 10; index++) expect((await call('/v1/getinfo')).status).toBe(201);
});

test('a connection may have eight requests in progress, and gets 503 for more', async () => {
  const socket = raw();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(request('/v1/getinfo').repeat(50));
  await vi.waitFor(() => expect(text).toContain('503 Service Unavailable'), { timeout: 30_000 });
  expect(text).toContain('201 Created');
});

test('a body of 20 MB is refused without being read', async () => {
  const answers = await Promise.allSettled(
    Array.from({ length: 5 }, () => call('/v1/getinfo', rune, ' '.repeat(20 * 1024 * 1024))),
  );
  for (const answer of answers) {
    // The server may close before the client has sent everything.
    if (answer.status === 'fulfilled') expect(answer.value.status).toBe(413);
  }
  expect((await call('/v1/getinfo')).status).toBe(201);
});

test.each([
  ['of a known length', 'POST /v1/getinfo', 'Content-Length: 67108864', '', 413],
  ['in chunks', 'POST /v1/getinfo', 'Transfer-Encoding: chunked', '10000\r\n', 413],
  ['with a wrong rune', 'POST /v1/getinfo', 'Content-Length: 67108864\r\nRune: AAAA', '', 401],
  ['that asks for a document', 'GET /healthz', 'Content-Length: 67108864', '', 200],
])(
  'an endless body %s is left unread, and its connection ends',
  async (_, path, headers, opening, status) => {
    const socket = raw();
    const own = headers.includes('Rune') ? '' : `Rune: ${rune}\r\n`;
    const piece = Buffer.from(`${opening}${' '.repeat(65_536)}${opening && '\r\n'}`);
    let [text, pieces] = ['', 0];
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(`${path} HTTP/1.1\r\nHost: localhost\r\n${own}${headers}\r\n\r\n`);
    // Continues as long as the server reads. The system itself buffers some megabytes.
    const send = (): void => {
      while (!socket.destroyed && pieces < 1000 && socket.write(piece)) pieces++;
    };
    socket.on('drain', send);
    send();
    await vi.waitFor(() => expect(socket.destroyed).toBe(true), { timeout: 30_000 });
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(pieces).toBeLessThan(500);
  },
);

test('a client that closes its side right after its requests gets the answers, and the connection ends', async () => {
  const socket = raw();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.end(request('/v1/getinfo') + request('/v1/listchannels'));
  await vi.waitFor(() => expect(socket.destroyed).toBe(true), { timeout: 30_000 });
  expect(text.match(/HTTP\/1\.1 201 /g)).toHaveLength(2);
  expect(text.endsWith('0\r\n\r\n') || text.endsWith('}')).toBe(true);
});

test('a connection stays usable after a refused request with a body of permitted length', async () => {
  const socket = raw();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const refused = request('/v1/getinfo').replace('Content-Length: 2', 'Content-Length: 500000').slice(0, -2);
  socket.write(refused.replace(rune, 'AAAA') + ' '.repeat(500_000) + request('/v1/getinfo'));
  await vi.waitFor(() => expect(text).toMatch(/^HTTP\/1.1 401 [\s\S]*HTTP\/1.1 201 /), { timeout: 30_000 });
  socket.destroy();
});

test('invalid runes are checked about fifty times, and valid ones always', async () => {
  const wrong = (rune.startsWith('A') ? 'B' : 'A') + rune.slice(1);
  const before = log.length;
  const statuses: number[] = [];
  // The allowance recovers by a few per second, so on a slow machine it takes more than fifty.
  while (!statuses.includes(429) && statuses.length < 5000)
    statuses.push((await call('/v1/getinfo', wrong)).status);
  // Requests with the valid rune also counted until the rune was known to be valid: one from each reader, and one
  // more, whose answer was awaited.
  expect(statuses.indexOf(429)).toBeGreaterThanOrEqual(RUNES_AT_ONCE - READERS - 1);
  expect(statuses).toContain(429);
  // Runes sent all at once get no further than runes sent one by one.
  const crowd = await Promise.all(Array.from({ length: CROWD }, () => call('/v1/getinfo', wrong)));
  expect(crowd.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  statuses.push(...crowd.map(({ status }) => status));
  expect((await call('/v1/getinfo')).status).toBe(201);
  expect(log.length - before).toBe(statuses.filter((status) => status === 401).length);
});

test('connections beyond the limit replace those that were idle longest', async () => {
  const [oldest, ...rest] = Array.from({ length: 2 * MAX_CONNECTIONS }, raw);
  await vi.waitFor(() => expect(oldest!.destroyed).toBe(true), { timeout: 30_000 });
  expect(rest.at(-1)!.destroyed).toBe(false);
  expect((await call('/v1/getinfo')).status).toBe(201);
  for (const socket of sockets) socket.destroy();
  expect(log.join('')).toContain('too many connections');
});
