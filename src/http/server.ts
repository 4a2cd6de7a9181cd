/**
 * The thread of the HTTP server. It listens, limits connections, and passes requests to the app (app.ts). The app
 * refuses requests where it can decide alone, and passes all others to the main thread. The thread's only secrets are
 * the TLS key and the rune secret.
 */
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { getRequestListener } from '@hono/node-server';
import { whenStarted } from '../model/early-thread.ts';
import { InputBudget } from '../rpc/input-budget.ts';
import { createApp } from './app.ts';
import { ConnectionGuard } from './connections.ts';
import { Followers } from './followers.ts';
import { giveWay } from './give-way.ts';
import { MainLink } from './main-link.ts';
import type { ServerSettings, ToMain, ToServer } from './messages.ts';
import { DESCRIPTIONS, NOT_PERMITTED, Penance, WRONG_RUNES } from './penance.ts';
import { RefusalReport } from './refusal-report.ts';
import { RuneGate } from './rune-gate.ts';
import { SharedDocuments } from './shared-documents.ts';
import { Shares, WaitingShares } from './shares.ts';

/** Milliseconds between two checks for slow connections. */
const CHECK_MS = 1000;
const MAX_HEADERS = 100;
const BACKLOG = 1024;
/** The caller of documents that need no rune. */
const NOBODY = { method: undefined, rune: undefined, address: '' } as const;

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

function run(settings: ServerSettings, port: MessagePort): void {
  giveWay();
  const main = new MainLink(port);
  const guard = new ConnectionGuard(settings.limits, (message) => main.log('unusual', message));
  const followers = new Followers(() => main.unfollow());
  const tell = (message: ToMain) => port.postMessage(message);
  const gate = new RuneGate({
    settings: settings.gate,
    report: new RefusalReport(tell),
    catchUp() {
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        take(next.message);
      }
    },
  });
  const app = createApp({
    settings,
    main,
    input: new InputBudget(settings.limits.maxInputBytes),
    gate,
    wrongRunes: new Penance(WRONG_RUNES),
    notPermitted: new Penance(NOT_PERMITTED),
    descriptions: new Penance(DESCRIPTIONS),
    followers,
    documents: new SharedDocuments((name) => main.ask({ kind: 'document', name, ...NOBODY })),
    inFlightShares: new Shares(settings.limits.maxInFlightOfOne),
    followerShares: new Shares(settings.limits.maxFollowersOfOne),
    longBodyShares: new WaitingShares(settings.limits.maxLongBytesOfOne),
  });
  const server = serverFor(settings, getRequestListener(app.fetch));
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
  });
  const checks = setInterval(() => guard.dropStalled(), CHECK_MS);
  const close = (graceMs: number): void => {
    followers.close();
    server.close(() => {
      clearInterval(checks);
      port.close();
    });
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
  };
  const take = (message: ToServer): void => {
    if (message.kind === 'events') followers.tell(message.events);
    else if (message.kind === 'close') close(message.graceMs);
    else if (message.kind === 'blacklist' || message.kind === 'used') gate.take(message);
    else main.take(message);
  };
  port.on('message', take);
}

whenStarted(run);
