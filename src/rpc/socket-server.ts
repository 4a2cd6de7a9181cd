/**
 * The unix socket: mode 0600 from its first moment on, and a path that a dead process left behind is taken
 * over, one that answers is not.
 */
import { existsSync, lstatSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { FulguriteError } from '../model/errors.ts';
import type { Session } from './call.ts';
import { Connection } from './connection.ts';
import { type Dispatcher, errorAnswer } from './dispatcher.ts';
import { InputBudget } from './input-budget.ts';
import { toJson } from './json-write.ts';
import { DEFAULT_LIMITS, type RpcLimits } from './limits.ts';
import type { Log } from './log.ts';
import { Turns } from './turns.ts';

/** Bytes of `sun_path`, the terminating zero included; the smaller figure of macOS holds for BSD too. */
export const MAX_SOCKET_PATH = process.platform === 'linux' ? 108 : 104;

/** Clients that may wait to be accepted; the kernel's own bound is usually the same. */
const BACKLOG = 4096;

/** The default permits the owner only. */
const DEFAULT_MODE = 0o600;

export interface SocketServerOptions {
  readonly path: string;
  readonly dispatcher: Dispatcher;
  readonly log: Log;
  /** Permission bits of the socket file. */
  readonly mode?: number;
  /** Whether connections serve deprecated commands until they say otherwise. */
  readonly allowDeprecated?: boolean;
  readonly limits?: Partial<RpcLimits>;
}

export interface SocketServer {
  readonly path: string;
  readonly connections: number;
  /**
   * Stops: no new connections, no new requests; requests begun are answered, for at most `graceMs`. The
   * socket file is gone afterwards.
   */
  close(graceMs?: number): Promise<void>;
}

/** The socket cannot be had; the message says why and what helps. */
export class SocketPathError extends Error {}

/** @throws SocketPathError when the path is too long, without a directory, in use by a live process, or not ours
 * to replace. */
export async function listenOnSocket(options: SocketServerOptions): Promise<SocketServer> {
  const { path, dispatcher, log } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  if (Buffer.byteLength(path) >= MAX_SOCKET_PATH) {
    throw new SocketPathError(`socket path longer than ${MAX_SOCKET_PATH - 1} bytes: ${path}`);
  }
  // The system would call it a lack of permission.
  if (!existsSync(dirname(path))) throw new SocketPathError(`there is no directory ${dirname(path)}`);
  await removeStaleSocket(path);
  const connections = new Set<Connection>();
  const budget = new InputBudget(limits.maxInputBytes);
  const turns = new Turns();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (connections.size >= limits.maxConnections) {
      refuseConnection(socket, limits.maxConnections);
      return;
    }
    const session: Session = {
      notifications: false,
      deprecations: options.allowDeprecated ?? true,
      batching: false,
    };
    const connection = new Connection(socket, dispatcher, session, limits, budget, turns, log);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  await bind(server, path, options.mode ?? DEFAULT_MODE);
  return {
    path,
    get connections() {
      return connections.size;
    },
    close: (graceMs = 5000) => closeServer(server, connections, graceMs),
  };
}

/** @throws SocketPathError when somebody answers there, or when it is a file of another kind. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new SocketPathError(`${path} exists and is not a socket`);
  if (await answers(path)) throw new SocketPathError(`${path} is in use by a running process`);
  unlinkSync(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = connect(path);
    probe.on('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      else reject(new SocketPathError(`${path}: ${error.message}`));
    });
  });
}

/** The umask holds while the file is made: there is no moment at which others could connect. */
function bind(server: Server, path: string, mode: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new SocketPathError(`${path}: ${error.message}`)));
    server.once('listening', resolve);
    const before = process.umask(~mode & 0o777);
    try {
      server.listen({ path, backlog: BACKLOG });
    } finally {
      process.umask(before);
    }
  });
}

function refuseConnection(socket: Socket, limit: number): void {
  const error = new FulguriteError('busy', `More than ${limit} connections`, { limit });
  socket.on('error', () => undefined);
  socket.resume();
  socket.end(`${toJson(errorAnswer('null', error))}\n\n`, () => socket.destroy());
}

function closeServer(server: Server, connections: ReadonlySet<Connection>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => {
      for (const connection of connections) connection.destroy();
    }, graceMs);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    for (const connection of connections) connection.finish();
  });
}
