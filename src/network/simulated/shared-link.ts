/** The daemon's side of a simulated network that several daemons share (shared-host.ts). */
import { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { onFrames, sendFrame } from './frames.ts';
import { decodeFromNetwork, type FromNetwork } from './messages.ts';
import { decodeGreeting, SHARED_PROTOCOL } from './shared-host.ts';
import { type NetworkThread, type SimulatedNetworkOptions, WorkerPort } from './worker-port.ts';

/** Milliseconds for the connection and the first report. */
const CONNECT_MS = 5_000;

/** A connection to a shared network. */
export interface SharedLink {
  /** The node that all daemons are there. */
  readonly nodeId: NodeId;
  /** The name of the network's graph. */
  readonly graph: string;
  /** The network port on it. Call it once. */
  open(options?: Pick<SimulatedNetworkOptions, 'onDied' | 'onions'>): WorkerPort;
  close(): void;
}

/** Looks like the thread of a network to its port. */
class SocketThread extends EventEmitter implements NetworkThread {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => this.emit('exit'));
  }

  postMessage(message: Uint8Array | 'close'): void {
    if (message === 'close') this.#socket.end();
    else if (!this.#socket.destroyed) sendFrame(this.#socket, message);
  }
}

/**
 * Connects to a shared network at a path, or at a port of a host.
 * @throws FulguriteError nodeAway when it does not answer; notSupported when it is of another release
 */
export async function connectSharedNetwork(
  at: string | { readonly host: string; readonly port: number },
): Promise<SharedLink> {
  const shown = typeof at === 'string' ? at : `${at.host}:${at.port}`;
  const away = (why: string): FulguriteError =>
    new FulguriteError('nodeAway', `the simulated network at ${shown} ${why}`, { network: shown });
  const socket = typeof at === 'string' ? connect(at) : connect({ ...at, noDelay: true });
  const thread = new SocketThread(socket);
  try {
    const [greeted, first] = await firstFrames(socket, thread, away);
    const greeting = decodeGreeting(greeted);
    if (greeting === undefined) throw away('answers as something else');
    if (greeting.protocol !== SHARED_PROTOCOL) {
      const message = `the simulated network at ${shown} is of another release: protocol ${greeting.protocol}, not ${SHARED_PROTOCOL}`;
      throw new FulguriteError('notSupported', message, { network: shown });
    }
    const report = decodeFromNetwork(first);
    const { secretKey, graph } = greeting;
    return {
      nodeId: report.identity!.nodeId,
      graph,
      open(options = {}) {
        const port = new WorkerPort(thread, report as FromNetwork, { secretKey, ...options });
        socket.resume();
        return port;
      },
      close: () => void socket.destroy(),
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** The greeting and the first report. Afterwards the socket is paused, until there is a port. */
function firstFrames(
  socket: Socket,
  thread: SocketThread,
  away: (why: string) => FulguriteError,
): Promise<readonly [greeting: Uint8Array, report: Uint8Array]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(away(`does not answer in ${CONNECT_MS / 1000} s`)), CONNECT_MS);
    const frames: Uint8Array[] = [];
    let isOpen = false;
    socket.once('error', (error) => reject(away(`cannot be reached: ${error.message}`)));
    socket.once('close', () => {
      clearTimeout(timer);
      reject(away('ended the connection'));
    });
    onFrames(socket, (bytes) => {
      if (isOpen) {
        thread.emit('message', bytes);
        return;
      }
      frames.push(bytes);
      if (frames.length < 2) return;
      isOpen = true;
      clearTimeout(timer);
      socket.pause();
      resolve([frames[0]!, frames[1]!]);
    });
  });
}
