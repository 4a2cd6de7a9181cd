/**
 * Threads that start before their data is known. Starting a thread and loading its code takes as long as reading a graph,
 * so a daemon starts its threads first, and sends their data later, as their first message.
 */
import { type MessagePort, parentPort, type TransferListItem, Worker } from 'node:worker_threads';
import { keepHeapSmall } from './quiet-heap.ts';
import { THREAD_OPTIONS } from './thread-options.ts';

const prepared = new Map<string, Worker>();

/** Starts a thread for the next `startThread` with this file. Until then, it does not keep the process alive. */
export function prepareThread(file: URL): void {
  const worker = new Worker(file, { ...THREAD_OPTIONS, stdin: false });
  worker.unref();
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
}
