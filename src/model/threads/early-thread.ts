/**
 * Threads that start before their data is known. Starting a thread and loading its code takes as long as reading a graph,
 * so a daemon starts its threads first, and sends their data later, as their first message.
 */
import {
  MessageChannel,
  type MessagePort,
  parentPort,
  type TransferListItem,
  Worker,
  workerData,
} from 'node:worker_threads';
import { keepHeapSmall } from './quiet-heap.ts';
import { THREAD_OPTIONS } from './thread-options.ts';

const prepared = new Map<string, Worker>();

/**
 * Starts a thread for the next `startThread` with this file. Until then, it keeps the process alive only while it loads
 * its modules: ending a thread while it loads a native module would abort the process.
 */
export function prepareThread(file: URL): void {
  const { port1, port2: loading } = new MessageChannel();
  const worker = new Worker(file, {
    ...THREAD_OPTIONS,
    stdin: false,
    workerData: loading,
    transferList: [loading],
  });
  port1.once('close', () => {
    if (prepared.get(file.href) === worker) worker.unref();
  });
  // A thread that cannot start is started again by `startThread`, whose caller learns the reason.
  worker.once('error', () => prepared.delete(file.href));
  prepared.set(file.href, worker);
}

/** The prepared thread for this file, or a new one. It receives `data` as its first message. */
export function startThread(file: URL, data: unknown, transferred: readonly TransferListItem[] = []): Worker {
  const worker = prepared.get(file.href) ?? new Worker(file, { ...THREAD_OPTIONS, stdin: false });
  prepared.delete(file.href);
  worker.ref();
  worker.postMessage(data, transferred);
  return worker;
}

/** In the thread: calls `run` with the data. */
export function whenStarted<T>(run: (data: T, port: MessagePort) => void): void {
  const port = parentPort;
  if (port === null) throw new Error('this file is the main file of a worker thread');
  keepHeapSmall();
  port.once('message', (data: T) => run(data, port));
  // All modules are loaded.
  (workerData as MessagePort | null)?.close();
}
