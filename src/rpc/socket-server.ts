/**
 * The UNIX socket. It has its mode, by default 0600, from the start. A socket file left behind by a dead process is
 * replaced. A file on which a process still answers stays.
 *
 * The number of connections is bounded. While there is room, a connection may be idle indefinitely. When there is no
 * room, a new connection replaces the one that has been idle longest, but never a connection that is being served or
 * was in use within the last second. If all connections are busy, a few more are accepted for the commands that must
 * always be served (`alwaysServed`), such as the command that stops the service. These connections get `busy` for any
 * other command, and are closed after a second.
 */
import { existsSync, lstatSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { FulguriteError } from '../model/errors.ts';
import { ClientConnection } from './connection.ts';
import { type Dispatcher, errorAnswer } from './dispatcher.ts';
import { InputBudget } from './input-budget.ts';
import { toJson } from './json-write.ts';
import { DEFAULT_LIMITS, type RpcLimits } from './limits.ts';
import type { Log } from './log.ts';
import { readRequest } from './request.ts';
import type { Session } from './session.ts';
import { Turns } from './turns.ts';

/** Size of `sun_path` in bytes, including the final zero. The smaller number is that of macOS and BSD. */
export const MAX_SOCKET_PATH = process.platform === 'linux' ? 108 : 104;

/** Maximum number of clients waiting to be accepted. The operating system's own limit is usually the same. */
const BACKLOG = 4096;

/** A connection that has been idle for less than this, in milliseconds, counts as in use. */
const MIN_IDLE_MS = 1000;
/** Maximum number of connections accepted beyond the limit, for `alwaysServed`. */
const LAST_PLACES = 16;
const LAST_PLACE_MS = 1000;

/** Default mode of the socket file: only the owner may connect. */
const DEFAULT_MODE = 0o600;

/** Where to listen and what to serve there. */
export interface SocketServerOptions {
  readonly path: string;
  readonly dispatcher: Dispatcher;
  readonly log: Log;
  /** Permission bits of the socket file. */
  readonly mode?: number;
  /** Whether a connection may use deprecated commands, until it turns them off itself. */
  readonly allowDeprecated?: boolean;
  readonly limits?: Partial<RpcLimits>;
  /** Methods that are served even with too many connections. */
  readonly alwaysServed?: readonly string[];
  /** How many milliseconds a connection must have been idle before a new one may replace it. Default 1000. */
  readonly leastIdleMs?: number;
  /** The scheduler of requests, if shared with other transports. */
  readonly turns?: Turns;
}

/** A listening UNIX socket with its connections. */
export interface SocketServer {
  readonly path: string;
  readonly connections: number;
  /**
   * Stops the server. It accepts no new connections or requests. Started requests are answered, for at most `graceMs`.
   * The socket file is removed.
   */
  close(graceMs?: number): Promise<void>;
}

/** The socket cannot be created. The message contains the reason. */
export class SocketPathError extends Error {}

/**
 * Starts listening. @throws SocketPathError when the path is too long, its directory does not exist, a live process
 * uses it, or it may not be replaced.
 */
export async function listenOnSocket(options: SocketServerOptions): Promise<SocketServer> {
  const { path, dispatcher, log } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  if (Buffer.byteLength(path) >= MAX_SOCKET_PATH) {
    throw new SocketPathError(`socket path longer than ${MAX_SOCKET_PATH - 1} bytes: ${path}`);
  }
  // Without this check the system would report missing permissions.
  if (!existsSync(dirname(path))) throw new SocketPathError(`there is no directory ${dirname(path)}`);
  await removeStaleSocket(path);
  const connections = new Set<ClientConnection>();
  const lastPlaces = new Set<ClientConnection>();
  const budget = new InputBudget(limits.maxInputBytes);
  const { turns = new Turns() } = options;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const isFull =
      connections.size >= limits.maxConnections &&
      !closeLongestIdle(connections, options.leastIdleMs ?? MIN_IDLE_MS);
    if (isFull && lastPlaces.size >= LAST_PLACES) {
      refuseConnection(socket, limits);
      return;
    }
    const session: Session = {
      notifications: false,
      deprecations: options.allowDeprecated ?? true,
      batching: false,
    };
    const serving = isFull ? onlyFor(options.alwaysServed ?? [], dispatcher, limits) : dispatcher;
    const connection = new ClientConnection(socket, {
      ...{ dispatcher: serving, session, limits, budget, turns, log },
    });
    const places = isFull ? lastPlaces : connections;
    places.add(connection);
    socket.on('close', () => places.delete(connection));
    if (isFull) {
      const over = setTimeout(() => connection.refuse(tooMany(limits)), LAST_PLACE_MS);
      socket.on('close', () => clearTimeout(over));
    }
  });
  await bind(server, path, options.mode ?? DEFAULT_MODE);
  return {
    path,
    get connections() {
      return connections.size;
    },
    close: (graceMs = 5000) => closeServer(server, new Set([...connections, ...lastPlaces]), graceMs),
  };
}

/**
 * Removes a socket file left by a dead process. @throws SocketPathError when a process still answers on it, or the file
 * is not a socket.
 */
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

/** Binds the socket. The umask applies while the file is created, so the file never grants more rights than `mode`. */
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

/**
 * Closes the connection that has been idle longest, if it has been idle for at least `leastIdleMs`.
 * @returns whether it did
 */
function closeLongestIdle(connections: Set<ClientConnection>, leastIdleMs: number): boolean {
  const nowMs = performance.now();
  let [longestMs, longest] = [leastIdleMs, undefined as ClientConnection | undefined];
  for (const connection of connections) {
    const idleMs = connection.idleMs(nowMs);
    if (idleMs !== undefined && idleMs >= longestMs) [longestMs, longest] = [idleMs, connection];
  }
  if (longest === undefined) return false;
  connections.delete(longest);
  longest.destroy();
  return true;
}

/**
 * A dispatcher that serves only these methods, for a connection beyond the limit. It answers `busy` to anything else.
 */
function onlyFor(methods: readonly string[], dispatcher: Dispatcher, limits: RpcLimits): Dispatcher {
  return {
    async answer(token, session, send) {
      const request = readRequest(token);
      if ('method' in request && methods.includes(request.method))
        return dispatcher.answer(token, session, send);
      return errorAnswer('id' in request ? request.id : 'null', tooMany(limits));
    },
  };
}

const tooMany = ({ maxConnections: limit }: RpcLimits): FulguriteError =>
  new FulguriteError('busy', `More than ${limit} connections`, { limit });

function refuseConnection(socket: Socket, limits: RpcLimits): void {
  const error = tooMany(limits);
  socket.on('error', () => undefined);
  socket.resume();
  socket.end(`${toJson(errorAnswer('null', error))}\n\n`, () => socket.destroy());
}

function closeServer(
  server: Server,
  connections: ReadonlySet<ClientConnection>,
  graceMs: number,
): Promise<void> {
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
