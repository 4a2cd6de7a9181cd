/**
 * The daemon's side of a simulated network that several daemons share (shared-host.ts). After losing the connection, it
 * tries to reconnect every second, until a different network answers.
 */
import { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import { FulguriteError } from '../../../model/errors.ts';
import type { NodeId } from '../../../model/node-id.ts';
import { onFrames, sendFrame } from '../frames.ts';
import { decodeFromNetwork, type FromNetwork } from '../messages.ts';
import { type NetworkThread, type SimulatedNetworkOptions, WorkerPort } from '../worker-port.ts';
import { decodeGreeting, SHARED_PROTOCOL, type SharedGreeting } from './shared-host.ts';

/** Timeout for the connection and the first report, in milliseconds. */
const CONNECT_MS = 5_000;
/** Milliseconds before reconnecting, and between attempts. */
const AGAIN_MS = 1_000;

/** The path of a UNIX socket, or a port of a host. */
type Whereabouts = string | { readonly host: string; readonly port: number };

/** A connection to a shared network. */
export interface SharedLink {
  /** The node that all daemons share. */
  readonly nodeId: NodeId;
  /** The name of the network's graph. */
  readonly graph: string;
  /**
   * Opens the network port for this connection. Call this once. `onAway` is called with an error when the connection is
   * lost, and with undefined when it is back.
   */
  open(
    options?: Pick<SimulatedNetworkOptions, 'onDied' | 'onions'> & {
      readonly onAway?: (why: string | undefined) => void;
    },
  ): WorkerPort;
  close(): void;
}

/**
 * A connection on which the network has sent its greeting and its first report. Later messages are read only after
 * `listen` is called.
 */
interface Introduction {
  readonly socket: Socket;
  readonly greeting: SharedGreeting;
  readonly report: FromNetwork;
  listen(callback: (bytes: Uint8Array) => void): void;
}

/** Behaves towards the port like the thread of a simulated network. */
class SocketThread extends EventEmitter implements NetworkThread {
  readonly renews = true;
  readonly #place: Whereabouts;
  readonly #greeting: SharedGreeting;
  /** Undefined while the network is unreachable. */
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(place: Whereabouts, { greeting }: Introduction) {
    super();
    this.#place = place;
    this.#greeting = greeting;
  }

  /** Uses this connection from now on, in place of a lost connection. */
  use({ socket, listen }: Introduction): void {
    this.#socket = socket;
    if (socket.closed) setImmediate(() => this.#onClose());
    else socket.once('close', () => this.#onClose());
    listen((bytes) => this.emit('message', bytes));
  }

  #onClose(): void {
    this.#socket = undefined;
    if (this.#isClosed) {
      this.emit('exit');
      return;
    }
    this.emit('lost', `the connection to the simulated network at ${shown(this.#place)} is lost`);
    this.#tryAgain();
  }

  #tryAgain(): void {
    this.#timer = setTimeout(() => {
      introduce(this.#place).then(
        (introduction) => this.#renew(introduction),
        () => {
          if (!this.#isClosed) this.#tryAgain();
        },
      );
    }, AGAIN_MS);
  }

  #renew(introduction: Introduction): void {
    const { socket, greeting, report } = introduction;
    const { graph, secretKey } = this.#greeting;
    if (this.#isClosed) socket.destroy();
    else if (greeting.graph !== graph || !Buffer.from(secretKey).equals(greeting.secretKey)) {
      socket.destroy();
      this.#isClosed = true;
      this.emit('exit');
    } else {
      this.emit('renewed', report);
      this.use(introduction);
    }
  }

  postMessage(message: Uint8Array | 'close'): void {
    if (message !== 'close') {
      if (this.#socket?.destroyed === false) sendFrame(this.#socket, message);
      return;
    }
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#socket !== undefined) this.#socket.end();
    else setImmediate(() => this.emit('exit'));
  }
}

/**
 * Connects to a shared network.
 * @throws FulguriteError nodeAway when it does not answer; notSupported when it is of a different release
 */
export async function connectSharedNetwork(place: Whereabouts): Promise<SharedLink> {
  const introduction = await introduce(place);
  const { socket, greeting, report } = introduction;
  let thread: SocketThread | undefined;
  return {
    nodeId: report.identity!.nodeId,
    graph: greeting.graph,
    open({ onAway, ...options } = {}) {
      thread = new SocketThread(place, introduction);
      const port = new WorkerPort(thread, report, { secretKey: greeting.secretKey, ...options });
      thread.on('lost', (why: string) => onAway?.(why));
      thread.on('renewed', () => onAway?.(undefined));
      thread.use(introduction);
      return port;
    },
    close: () => {
      if (thread === undefined) socket.destroy();
      else thread.postMessage('close');
    },
  };
}

const shown = (place: Whereabouts): string =>
  typeof place === 'string' ? place : `${place.host}:${place.port}`;

/** @throws FulguriteError as `connectSharedNetwork` */
async function introduce(place: Whereabouts): Promise<Introduction> {
  const away = (why: string): FulguriteError =>
    new FulguriteError('nodeAway', `the simulated network at ${shown(place)} ${why}`, {
      network: shown(place),
    });
  const socket = typeof place === 'string' ? connect(place) : connect({ ...place, noDelay: true });
  try {
    const { frames, listen } = await firstFrames(socket, away);
    const greeting = decodeGreeting(frames[0]);
    if (greeting === undefined) throw away('did not answer like a simulated network');
    if (greeting.protocol !== SHARED_PROTOCOL) {
      const message = `the simulated network at ${shown(place)} is of a different release: protocol ${greeting.protocol}, not ${SHARED_PROTOCOL}`;
      throw new FulguriteError('notSupported', message, { network: shown(place) });
    }
    return { socket, greeting, report: decodeFromNetwork(frames[1]), listen };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** The greeting and the first report. Afterwards, the socket is paused until `listen` is called. */
function firstFrames(
  socket: Socket,
  away: (why: string) => FulguriteError,
): Promise<Pick<Introduction, 'listen'> & { readonly frames: readonly [Uint8Array, Uint8Array] }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(away(`did not answer within ${CONNECT_MS / 1000} s`)), CONNECT_MS);
    const frames: Uint8Array[] = [];
    let take = (bytes: Uint8Array): void => void frames.push(bytes);
    const listen: Introduction['listen'] = (callback) => {
      take = callback;
      for (const bytes of frames.splice(0)) callback(bytes);
      socket.resume();
    };
    socket.on('error', (error) => reject(away(`cannot be reached: ${error.message}`)));
    socket.once('close', () => {
      clearTimeout(timer);
      reject(away('closed the connection'));
    });
    onFrames(socket, (bytes) => {
      take(bytes);
      if (frames.length !== 2 || socket.isPaused()) return;
      clearTimeout(timer);
      socket.pause();
      const [greeting, report] = frames.splice(0);
      resolve({ frames: [greeting!, report!], listen });
    });
  });
}
