/**
 * A crowd of hostile HTTP clients in a process of its own, at low priority, so that the crowd's own work does not take
 * the processor from the daemon: connections that send nothing, clients that read slowly or never, bodies of 20 MB, and
 * wrong runes. `http.ts` starts it and reads its counts.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';

/** The crowd's instructions at its start. */
export interface CrowdOrder {
  readonly port: number;
  /** A valid rune, for clients that request long lists. */
  readonly rune: string;
  readonly connections: number;
  readonly slowReaders: number;
  readonly bodySenders: number;
  readonly wrongRunes: number;
  /** Milliseconds after which no more wrong runes are sent, regardless of how many were sent. */
  readonly mostMs: number;
}

/** Number of the crowd's requests, by status of the answer. `none`: the connection was closed without an answer. */
export interface CrowdCounts {
  readonly kind: 'counts';
  readonly opened: number;
  readonly wrongRunes: Readonly<Record<string, number>>;
  readonly bodies: Readonly<Record<string, number>>;
}

const LOW_PRIORITY = 10;
const HOST = '127.0.0.1';
/** Number of connections that send wrong runes, each one rune at a time. */
const GUESSERS = 32;
const BODY_BYTES = 20 * 1024 * 1024;
const BODY_PIECE = Buffer.alloc(64 * 1024, ' ');
/** A slow reader reads this many bytes every `SIP_MS` milliseconds. Every second reader reads nothing. */
const SIP_BYTES = 4 * 1024;
const SIP_MS = 250;
const AGAIN_MS = 100;

const request = (path: string, headers: string, body = '{}'): string =>
  `POST ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n${body}`;

function run(order: CrowdOrder, send: (message: CrowdCounts | { kind: 'ready' }) => void): void {
  const wrongRunes: Record<string, number> = {};
  const bodies: Record<string, number> = {};
  const open = new Set<Socket>();
  let isOver = false;
  let opened = 0;
  let isReady = false;
  const socket = (): Socket => {
    const one = connect(order.port, HOST);
    open.add(one);
    one.on('error', () => undefined);
    one.on('close', () => open.delete(one));
    one.on('connect', () => {
      opened++;
      if (isReady || open.size < order.connections) return;
      isReady = true;
      send({ kind: 'ready' });
    });
    return one;
  };
  /** Calls `begin` again each time the connection that it opened has been closed. */
  const forEver = (begin: () => Socket): void => {
    begin().on('close', () => {
      if (!isOver) setTimeout(() => forEver(begin), AGAIN_MS);
    });
  };

  let asked = 0;
  let answered = 0;
  const endsAtMs = performance.now() + order.mostMs;
  const mayGuess = (): boolean => asked < order.wrongRunes && performance.now() < endsAtMs;
  const guess = (): void => {
    asked++;
    const rune = Buffer.concat([randomBytes(32), Buffer.from('=1')]).toString('base64url');
    const one = socket();
    let status = 'none';
    one.on('data', (data) => {
      if (status === 'none') status = data.toString('latin1').split(' ')[1] ?? 'none';
    });
    one.on('close', () => {
      wrongRunes[status] = (wrongRunes[status] ?? 0) + 1;
      answered++;
      if (mayGuess()) guess();
      else if (answered === asked) finish();
    });
    one.write(request('/v1/getinfo', `Rune: ${rune}\r\nConnection: close\r\nContent-Length: 2\r\n`));
  };

  /** Half of the bodies have a Content-Length header. The others are chunked. */
  const sendBody = (isChunked: boolean) => (): Socket => {
    const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${BODY_BYTES}`;
    const one = socket();
    let sent = 0;
    let status = 'none';
    one.write(request('/v1/getinfo', `Rune: ${order.rune}\r\n${length}\r\n`, ''));
    const more = (): void => {
      while (!one.destroyed && sent < BODY_BYTES) {
        sent += BODY_PIECE.length;
        if (isChunked) one.write(`${BODY_PIECE.length.toString(16)}\r\n`);
        const goesOn = one.write(BODY_PIECE);
        if (isChunked) one.write('\r\n');
        if (!goesOn) return;
      }
      one.end();
    };
    one.on('drain', more);
    one.on('data', (data) => {
      if (status === 'none') status = data.toString('latin1').split(' ')[1] ?? 'none';
    });
    one.on('close', () => {
      bodies[status] = (bodies[status] ?? 0) + 1;
    });
    more();
    return one;
  };

  const readSlowly = (isDeaf: boolean) => (): Socket => {
    const one = socket();
    one.pause();
    one.write(request('/v1/listchannels', `Rune: ${order.rune}\r\nContent-Length: 2\r\n`));
    if (isDeaf) return one;
    const beat = setInterval(() => void one.read(SIP_BYTES), SIP_MS);
    one.on('close', () => clearInterval(beat));
    return one;
  };

  function finish(): void {
    isOver = true;
    for (const one of open) one.destroy();
    send({ kind: 'counts', opened, wrongRunes, bodies });
  }

  for (let n = 0; n < order.slowReaders; n++) forEver(readSlowly(n % 2 === 0));
  for (let n = 0; n < order.bodySenders; n++) forEver(sendBody(n % 2 === 0));
  const silent = order.connections - order.slowReaders - order.bodySenders - GUESSERS;
  for (let n = 0; n < silent; n++) forEver(socket);
  for (let n = 0; n < GUESSERS; n++) guess();
}

setPriority(LOW_PRIORITY);
process.once('message', (order: CrowdOrder) =>
  run(order, (message) => {
    process.send!(message, () => {
      if (message.kind === 'counts') process.disconnect();
    });
  }),
);
