/**
 * A stream that is reopened when it ends by itself, as long as its connection is open. LND ends the subscriptions of
 * slow readers, and proxies close idle streams. The listener is notified of the gap, because most streams replay
 * nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FulguriteError } from '../../../model/errors.ts';
import type { LndMethod } from '../graph/schema.ts';
import type { LndConnection, LndLink } from '../node-link.ts';
import { LndError, STATUS } from './calls.ts';

/** Events of a stream, and its request. */
export interface KeptStreamListener<T> {
  /** Returns the request with which the stream is opened. Default: an empty request. */
  readonly request?: () => object;
  readonly onMessage: (message: T) => void;
  /** The stream ended and will be reopened. Events until then are lost. */
  readonly onEnd?: (why: Error) => void;
  /** The stream was opened again. */
  readonly onGap?: () => void;
  /** The stream ended because LND does not offer it to us, so another attempt would end the same way. */
  readonly onRefused?: (why: Error) => void;
}

/**
 * Opens the stream, and reopens it until the connection is over or LND refuses the stream. Returns a function that ends
 * it.
 */
export function keepStream<T>(
  link: LndLink,
  connection: LndConnection,
  method: LndMethod,
  listener: KeptStreamListener<T>,
): () => void {
  const { firstRetryMs, lastRetryMs } = link.timing;
  let pauseMs = firstRetryMs;
  let isOver = false;
  let end: (() => void) | undefined;
  const open = (): void => {
    end = link.stream<T>(
      method,
      listener.request?.() ?? {},
      (message) => {
        pauseMs = firstRetryMs;
        listener.onMessage(message);
      },
      (why) => void ended(why),
    );
  };
  const ended = async (why: Error): Promise<void> => {
    if (!connection.isOpen || link.isClosed) return;
    if (isRefusal(why)) {
      listener.onRefused?.(why);
      return;
    }
    listener.onEnd?.(why);
    await sleep(pauseMs, undefined, { ref: false });
    pauseMs = Math.min(2 * pauseMs, lastRetryMs);
    if (isOver || !connection.isOpen || link.isClosed) return;
    open();
    listener.onGap?.();
  };
  open();
  return () => {
    isOver = true;
    end?.();
  };
}

/** Whether LND denies us the stream, or has no such stream. */
const isRefusal = (why: Error): boolean =>
  (why instanceof FulguriteError && why.name === 'notSupported') ||
  (why instanceof LndError && why.status === STATUS.unimplemented);
