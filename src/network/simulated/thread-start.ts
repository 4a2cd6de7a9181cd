/**
 * Starts the thread of a simulated network. Loading its modules takes as long as reading a graph. So a daemon starts
 * the thread first, and the thread gets its network later, as its first message.
 */
import { Worker } from 'node:worker_threads';
import type { NetworkThreadData, NetworkThreadModule } from './messages.ts';

interface PreparedThread {
  readonly worker: Worker;
  readonly handlerModule: string | undefined;
  isGone: boolean;
}

let prepared: PreparedThread | undefined;

/**
 * Starts a thread for the next network that is opened. It does not keep the process alive.
 * @param handlerModule the module that acts for the nodes of that network
 */
export function prepareNetworkThread(handlerModule: string | undefined): void {
  if (prepared !== undefined) return;
  const thread: PreparedThread = { worker: newThread(handlerModule), handlerModule, isGone: false };
  thread.worker.once('error', () => {
    thread.isGone = true;
  });
  thread.worker.unref();
  prepared = thread;
}

/** Gives a network to the prepared thread, or to a new thread. */
export function startNetworkThread(handlerModule: string | undefined, data: NetworkThreadData): Worker {
  const thread = prepared;
  prepared = undefined;
  const isUsable = thread !== undefined && !thread.isGone && thread.handlerModule === handlerModule;
  const worker = isUsable ? thread.worker : newThread(handlerModule);
  worker.ref();
  worker.postMessage(data);
  return worker;
}

function newThread(handlerModule: string | undefined): Worker {
  const workerData: NetworkThreadModule = { handlerModule };
  return new Worker(new URL(workerFile()), { workerData });
}

/** Threads run compiled code, even when this file is run from its source. */
function workerFile(): string {
  const compiled = import.meta.url.endsWith('.js');
  return new URL(
    compiled ? './worker.js' : '../../../build/program/network/simulated/worker.js',
    import.meta.url,
  ).href;
}
