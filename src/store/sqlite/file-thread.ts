/**
 * A thread for a database file. Starting a thread takes as long as loading the modules of a daemon. So a daemon starts
 * the thread before it loads its modules, and later sends the path of the file to the thread.
 */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { THREAD_OPTIONS } from '../../model/threads/thread-options.ts';
import { compiledModule } from '../compiled-module.ts';
import type { ThreadData } from './thread-messages.ts';

let prepared: FileThread | undefined;

/** The thread, and the means to communicate with it. */
export class FileThread {
  readonly worker: Worker;
  readonly port: MessagePort;
  /** The number of answers that the thread has sent so far. */
  readonly answers = new Int32Array(new SharedArrayBuffer(4));
  #isGone = false;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const workerData: ThreadData = { answers: this.answers.buffer, port: port2 };
    this.worker = new Worker(compiledModule('store-thread'), {
      ...THREAD_OPTIONS,
      workerData,
      transferList: [port2],
    });
    this.worker.once('error', () => {
      this.#isGone = true;
    });
    // Ending a thread while it loads its native module would abort the process. So a process that ends at once, for
    // example because of a wrong option, waits until the thread has loaded its modules.
    this.worker.once('message', () => this.worker.unref());
    port1.unref();
  }

  /** Whether the thread has ended because of an error. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Starts a thread for the next file that is opened. Once loaded, it does not keep the process alive. */
  static prepare(): void {
    prepared ??= new FileThread();
  }

  /** The prepared thread, or a new one. */
  static take(): FileThread {
    const thread = prepared ?? new FileThread();
    prepared = undefined;
    return thread;
  }
}
