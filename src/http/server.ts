/**
 * The thread of the HTTP server. It listens, limits connections, and passes requests to the service (service.ts), whose
 * code it loads after it listens. The thread's only secrets are the TLS key and the rune secret.
 */
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { MessagePort } from 'node:worker_threads';
import { whenStarted } from '../model/threads/early-thread.ts';
import { ConnectionGuard } from './connections.ts';
import { MainLink } from './main-link.ts';
import type { ServerSettings, ToMain, ToServer } from './messages.ts';
import type { Service } from './service.ts';
import { lowerPriority } from './thread-priority.ts';

/** Milliseconds between two checks for slow connections. */
const CHECK_MS = 1000;
const MAX_HEADERS = 100;
const BACKLOG = 1024;
/**
 * Milliseconds after which the service is loaded, unless a request needs it earlier. This takes some 40 ms of processor
 * time, with which a daemon that has just started should answer the clients of its socket.
 */
const LOAD_AFTER_MS = 1000;

function serverFor({ tls, limits }: ServerSettings, listener: RequestListener): Server {
  const options: ServerOptions & { allowHalfOpen: true } = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: CHECK_MS,
    allowHalfOpen: true,
  };
  const server =
    tls === undefined
      ? createServer(options, listener)
      : createTlsServer({ ...options, ...tls, handshakeTimeout: limits.headersMs }, listener);
  server.maxHeadersCount = MAX_HEADERS;
  // Node does not document this option. Without it, and without `allowHalfOpen` for TLS, a client that closes its side of
  // the connection after its request gets no answer. The guard limits how long such a connection stays open.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}

function run(settings: ServerSettings, port: MessagePort): void {
  lowerPriority();
  const main = new MainLink(port);
  const guard = new ConnectionGuard(settings.limits, (message) => main.log('unusual', message));
  const tell = (message: ToMain) => port.postMessage(message);
  let loading: Promise<Service> | undefined;
  const service = (): Promise<Service> => {
    loading ??= import('./service.ts').then(({ createService }) =>
      createService(settings, { port, main, close }),
    );
    return loading;
  };
  const server = serverFor(
    settings,
    (request, response) => void service().then(({ answer }) => answer(request, response)),
  );
  server.on('connection', (socket: Socket) => guard.admit(socket));
  server.on('request', ({ socket }, response) => response.once('close', guard.begin(socket)));
  server.on(settings.tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
    guard.watch(socket),
  );
  server.once('error', (error) => tell({ kind: 'failed', reason: error.message }));
  server.listen({ host: settings.host, port: settings.port, backlog: BACKLOG }, () => {
    server.removeAllListeners('error');
    server.on('error', (error) => main.log('broken', error.message));
    tell({ kind: 'listening', port: (server.address() as AddressInfo).port });
    setTimeout(() => void service(), LOAD_AFTER_MS).unref();
  });
  const checks = setInterval(() => guard.dropStalled(), CHECK_MS);
  const close = (graceMs: number): void => {
    server.close(() => {
      clearInterval(checks);
      port.close();
    });
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
  };
  port.on('message', (message: ToServer) => void service().then(({ take }) => take(message)));
}

whenStarted(run);
