/**
 * The thread of the HTTP server. It listens, bounds connections, and hands requests to the app (app.ts), which
 * asks the main thread. It holds no key but that of TLS.
 */
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { getRequestListener } from '@hono/node-server';
import { InputBudget } from '../rpc/input-budget.ts';
import { createApp } from './app.ts';
import { ConnectionGuard } from './connections.ts';
import { Followers } from './followers.ts';
import { MainLink } from './main-link.ts';
import type { ServerSettings, ToMain, ToServer } from './messages.ts';
import { Penance } from './penance.ts';

/** Milliseconds between two looks for connections that are too slow. */
const CHECK_MS = 1000;
const MAX_HEADERS = 100;
const BACKLOG = 1024;

function serverFor({ tls, limits }: ServerSettings, listener: Parameters<typeof createServer>[1]): Server {
  const options: ServerOptions = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: CHECK_MS,
  };
  const server =
    tls === undefined
      ? createServer(options, listener)
      : createTlsServer({ ...options, ...tls, handshakeTimeout: limits.headersMs }, listener);
  server.maxHeadersCount = MAX_HEADERS;
  return server;
}

function run(settings: ServerSettings): void {
  const port = parentPort!;
  const main = new MainLink(port);
  const guard = new ConnectionGuard(settings.limits, (message) => main.log('unusual', message));
  const followers = new Followers(() => main.unfollow());
  const app = createApp({
    settings,
    main,
    input: new InputBudget(settings.limits.maxInputBytes),
    penance: new Penance(),
    followers,
  });
  const server = serverFor(settings, getRequestListener(app.fetch));
  const tell = (message: ToMain) => port.postMessage(message);
  server.on('connection', (socket: Socket) => guard.admit(socket));
  server.on(settings.tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
    guard.watch(socket),
  );
  server.once('error', (error) => tell({ kind: 'failed', reason: error.message }));
  server.listen({ host: settings.host, port: settings.port, backlog: BACKLOG }, () => {
    server.removeAllListeners('error');
    server.on('error', (error) => main.log('broken', error.message));
    tell({ kind: 'listening', port: (server.address() as AddressInfo).port });
  });
  const checks = setInterval(() => guard.dropStalled(), CHECK_MS);
  port.on('message', (message: ToServer) => {
    if (message.kind === 'events') {
      followers.tell(message.events);
      return;
    }
    if (message.kind !== 'close') {
      main.take(message);
      return;
    }
    followers.close();
    server.close(() => {
      clearInterval(checks);
      port.close();
    });
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), message.graceMs).unref();
  });
}

run(workerData as ServerSettings);
