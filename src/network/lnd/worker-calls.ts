/** Calls that run in a separate thread (`lnd-worker.ts`). */
import { Worker } from 'node:worker_threads';
import { THREAD_OPTIONS } from '../../model/threads/thread-options.ts';
import { type LndCalls, LndError, STATUS, type StreamListener } from './client/calls.ts';
import type { LndPlace } from './client/credentials.ts';
import type { LndMethod } from './graph/schema.ts';
import type { Order, Report } from './lnd-worker.ts';

interface PendingCall {
  readonly resolve: (message: never) => void;
  readonly reject: (error: LndError) => void;
}

/** Maximum number of unanswered calls. Each HTLC in flight has one. */
const MAX_OPEN = 100_000;

/** Makes calls in the thread of `lnd-worker.ts`. If the thread dies, all pending and later calls fail. */
export class WorkerCalls implements LndCalls {
  readonly #worker: Worker;
  readonly #calls = new Map<number, PendingCall>();
  readonly #streams = new Map<number, StreamListener>();
  #nextId = 1;
  #deadBecause: string | undefined;

  constructor(place: LndPlace) {
    const file = import.meta.url.endsWith('.ts')
      ? new URL('../../../build/program/network/lnd/lnd-worker.js', import.meta.url)
      : new URL('./lnd-worker.js', import.meta.url);
    this.#worker = new Worker(file, { ...THREAD_OPTIONS, workerData: place, name: 'lnd' });
    this.#worker.on('message', (report: Report) => this.#take(report));
    this.#worker.on('error', (error) => this.#end(`the LND client thread crashed: ${error.message}`));
    this.#worker.on('exit', () => this.#end('the LND client thread has exited'));
  }

  async reconnect(): Promise<void> {
    await this.#ask((id) => ({ kind: 'reconnect', id }));
  }

  call<T>(method: LndMethod, request: object, timeoutMs?: number): Promise<T> {
    return this.#ask<T>((id) => ({ kind: 'call', id, method, request, timeoutMs }));
  }

  stream(method: LndMethod, request: object, listener: StreamListener): () => void {
    const id = this.#nextId++;
    if (this.#deadBecause !== undefined) {
      const error = new LndError(STATUS.unavailable, this.#deadBecause);
      queueMicrotask(() => listener.onEnd(error));
      return () => undefined;
    }
    this.#streams.set(id, listener);
    this.#order({ kind: 'stream', id, method, request });
    return () => {
      if (this.#streams.delete(id)) this.#order({ kind: 'cancel', id });
    };
  }

  async close(): Promise<void> {
    this.#end('the network is closed');
    await this.#worker.terminate();
  }

  #ask<T>(orderOf: (id: number) => Order): Promise<T> {
    const id = this.#nextId++;
    return new Promise<T>((resolve, reject) => {
      if (this.#deadBecause !== undefined) {
        reject(new LndError(STATUS.unavailable, this.#deadBecause));
      } else if (this.#calls.size >= MAX_OPEN) {
        reject(new LndError(STATUS.resourceExhausted, `${MAX_OPEN} calls to LND are pending`));
      } else {
        this.#calls.set(id, { resolve, reject });
        this.#order(orderOf(id));
      }
    });
  }

  #order(order: Order): void {
    if (this.#deadBecause === undefined) this.#worker.postMessage(order);
  }

  #take(report: Report): void {
    const { id } = report;
    const call = this.#calls.get(id);
    const stream = this.#streams.get(id);
    if (report.kind === 'error') {
      this.#calls.delete(id);
      this.#streams.delete(id);
      const error = new LndError(report.status, report.text);
      call?.reject(error);
      stream?.onEnd(error);
    } else if (report.kind === 'answer') {
      this.#calls.delete(id);
      call?.resolve(report.message as never);
    } else {
      stream?.onMessage(report.message as never);
    }
  }

  #end(because: string): void {
    if (this.#deadBecause !== undefined) return;
    this.#deadBecause = because;
    const error = new LndError(STATUS.unavailable, because);
    for (const { reject } of this.#calls.values()) reject(error);
    for (const { onEnd } of this.#streams.values()) onEnd(error);
    this.#calls.clear();
    this.#streams.clear();
  }
}
