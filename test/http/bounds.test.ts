/**
 * What clients cannot do to the server: guess runes without end, send bodies without end, hold answers that they
 * do not read, or send requests without waiting. The daemon answers others meanwhile.
 */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { ask } from './http-client.ts';

/** More than the number of concurrent connections before the last test: readers, one more, and the crowd. */
const MAX_CONNECTIONS = 60;
/** Clients that do not read. */
const READERS = 20;
const CROWD = 30;
/** Runes that an address may send before it has sent a valid one. */
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

/** A connection on which nothing is read until it is asked for. */
function raw(): Socket {
  const { hostname, port } = new URL(daemon.httpUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

const request = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nRune: ${rune}\r\nContent-Length: 2\r\n\r\n{}`;

test('clients that do not read long answers keep no one else from being served', async () => {
  for (let index = 0; index < READERS; index++) raw().pause().write(request('/v1/listchannels'));
  for (let index = 0; index < 10; index++) expect((await call('/v1/getinfo')).status).toBe(201);
});

test('a connection may have eight requests under way, and gets 503 for more', async () => {
  const socket = raw();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(request('/v1/getinfo').repeat(50));
  await vi.waitFor(() => expect(text).toContain('503 Service Unavailable'), { timeout: 30_000 });
  expect(text).toContain('201 Created');
});

test('a body of 20 MB is refused without being taken', async () => {
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
    // As long as the other side reads. The system buffers some megabytes on its own.
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

test('a connection goes on after a refused request with a body of a length that may be sent', async () => {
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

test('wrong runes are looked at some fifty times, and right ones always', async () => {
  const wrong = (rune.startsWith('A') ? 'B' : 'A') + rune.slice(1);
  const before = log.length;
  const statuses: number[] = [];
  // A few come back each second. So it takes more than fifty on a slow machine.
  while (!statuses.includes(429) && statuses.length < 5000)
    statuses.push((await call('/v1/getinfo', wrong)).status);
  // The first requests with the right rune counted too, before it was known to be right: those of the readers, and one
  // more, whose answer was waited for.
  expect(statuses.indexOf(429)).toBeGreaterThanOrEqual(RUNES_AT_ONCE - READERS - 1);
  expect(statuses).toContain(429);
  // Many at once get no further than one by one.
  const crowd = await Promise.all(Array.from({ length: CROWD }, () => call('/v1/getinfo', wrong)));
  expect(crowd.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  statuses.push(...crowd.map(({ status }) => status));
  expect((await call('/v1/getinfo')).status).toBe(201);
  expect(log.length - before).toBe(statuses.filter((status) => status === 401).length);
});

test('connections beyond the limit push out those that were idle longest', async () => {
  const [oldest, ...rest] = Array.from({ length: 2 * MAX_CONNECTIONS }, raw);
  await vi.waitFor(() => expect(oldest!.destroyed).toBe(true), { timeout: 30_000 });
  expect(rest.at(-1)!.destroyed).toBe(false);
  expect((await call('/v1/getinfo')).status).toBe(201);
  for (const socket of sockets) socket.destroy();
  expect(log.join('')).toContain('too many connections');
});
