/**
 * A minimal HTTP server for comparison, attacked by the crowd of `http-crowd.ts`. It uses `node:http` in a process of
 * its own, at the priority of the service's HTTP thread. It refuses wrong runes and long bodies, and sends a long list
 * of bytes that are ready beforehand. What the crowd costs others while it attacks this server is not caused by the
 * service.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { DEFAULT_HTTP_LIMITS } from '../src/http/limits.ts';
import { LOWER_PRIORITY } from '../src/http/thread-priority.ts';

const [LIST_PATH, LIST_BYTES] = ['/v1/listchannels', 45 * 1024 * 1024];
const PIECE = Buffer.alloc(64 * 1024, ' ');
const LINGER_MS = 500;
const [CREATED, UNAUTHORIZED, TOO_LARGE] = [201, 401, 413];

/** Sends as many bytes as the list of all channels has, as fast as the client takes them. */
function sendList(response: ServerResponse): void {
  response.writeHead(CREATED, { 'Content-Type': 'application/json' });
  let sent = 0;
  const sendMore = (): void => {
    while (sent < LIST_BYTES && !response.destroyed) {
      sent += PIECE.length;
      if (!response.write(PIECE)) return;
    }
    response.end();
  };
  response.on('drain', sendMore);
  sendMore();
}

async function run(rune: string): Promise<void> {
  const { headersMs, requestMs, keepAliveMs, maxBodyBytes, maxConnections, stalledMs } = DEFAULT_HTTP_LIMITS;
  setPriority(LOWER_PRIORITY);
  const server = createServer(
    { headersTimeout: headersMs, requestTimeout: requestMs, keepAliveTimeout: keepAliveMs },
    (request, response) => {
      const { headers, socket, url } = request;
      if (headers.rune !== rune) response.writeHead(UNAUTHORIZED, { Connection: 'close' }).end('{}');
      else if (
        headers['transfer-encoding'] !== undefined ||
        Number(headers['content-length']) > maxBodyBytes
      ) {
        request.on('resume', () => request.pause());
        response.writeHead(TOO_LARGE).end('{}');
        setTimeout(() => socket.destroy(), LINGER_MS);
      } else if (url === LIST_PATH) {
        socket.setTimeout(stalledMs, () => socket.destroy());
        sendList(response);
      } else response.writeHead(CREATED).end('{}');
    },
  );
  server.maxConnections = maxConnections;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send!({ port: (server.address() as AddressInfo).port });
}

process.once('message', (rune: string) => void run(rune));
