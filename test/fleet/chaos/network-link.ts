/** The network port on the shared network: what is a thread for one daemon is a process behind a socket here. */
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { WorkerPort } from '../../../src/network/simulated/index.ts';
import { decodeFromNetwork } from '../../../src/network/simulated/messages.ts';
import { onFrames, sendFrame } from './socket-frames.ts';
import { OWN_KEY } from './world.ts';

/** Looks like the thread of a network to its port. */
class SocketThread extends EventEmitter {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    onFrames(socket, (bytes) => this.emit('message', bytes));
    socket.on('error', (error) => this.emit('error', error));
    socket.on('close', () => this.emit('exit'));
  }

  postMessage(message: Uint8Array | 'close'): void {
    if (message === 'close') this.#socket.destroy();
    else sendFrame(this.#socket, message);
  }
}

/** Connects to the shared network. */
export async function connectNetwork(path: string): Promise<WorkerPort> {
  const thread = new SocketThread(connect(path));
  const [first] = (await once(thread, 'message')) as [Uint8Array];
  return new WorkerPort(thread as unknown as Worker, decodeFromNetwork(first), { secretKey: OWN_KEY });
}
