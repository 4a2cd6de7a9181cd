/**
 * The thread that speaks gRPC with LND. It executes the calls of `WorkerCalls`, and passes answers on as they arrive.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { LndError, STATUS } from './client/calls.ts';
import type { LndPlace } from './client/credentials.ts';
import { GrpcClient } from './client/grpc-client.ts';
import type { LndMethod } from './graph/schema.ts';

/** An order from the main thread. Each has its own id, except `cancel`, which has the id of the stream to end. */
export type Order =
  | { readonly kind: 'reconnect'; readonly id: number }
  | {
      readonly kind: 'call' | 'stream';
      readonly id: number;
      readonly method: LndMethod;
      readonly request: object;
      readonly timeoutMs?: number | undefined;
    }
  | { readonly kind: 'cancel'; readonly id: number };

/** A report of this thread about an order. A stream has any number of messages, and ends with one error. */
export type Report =
  | { readonly kind: 'answer'; readonly id: number; readonly message: unknown }
  | { readonly kind: 'message'; readonly id: number; readonly message: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly status: number; readonly text: string };

const client = new GrpcClient(workerData as LndPlace);
const streams = new Map<number, () => void>();
const report = (one: Report): void => parentPort!.postMessage(one);

function fail(id: number, error: unknown): void {
  const { status, message } =
    error instanceof LndError
      ? error
      : new LndError(STATUS.internal, String((error as Error).stack ?? error));
  report({ kind: 'error', id, status, text: message });
}

function open(id: number, method: LndMethod, request: object): void {
  const cancel = client.stream(method, request, {
    onMessage: (message) => report({ kind: 'message', id, message }),
    onEnd: (error) => {
      streams.delete(id);
      fail(id, error);
    },
  });
  streams.set(id, cancel);
}

parentPort!.on('message', (order: Order) => {
  const { id, kind } = order;
  const answer = (message: unknown): void => report({ kind: 'answer', id, message });
  try {
    if (kind === 'reconnect') client.reconnect().then(answer, (error) => fail(id, error));
    else if (kind === 'call')
      client.call(order.method, order.request, order.timeoutMs).then(answer, (error) => fail(id, error));
    else if (kind === 'stream') open(id, order.method, order.request);
    else {
      streams.get(id)?.();
      streams.delete(id);
    }
  } catch (error) {
    fail(id, error);
  }
});
