/**
 * A stream that is reopened when it ends by itself, as long as its connection is open. LND ends the subscriptions of
 * slow readers, and proxies close idle streams. LND replays nothing, so the listener is notified of the gap.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FulguriteError } from '../../../model/errors.ts';
import type { LndMethod } from '../graph/schema.ts';
import type { LndConnection, LndLink } from '../node-link.ts';
import { LndError, STATUS } from './calls.ts';

/** Events of a stream. */
export interface KeptStreamListener<T> {
  readonly onMessage: (message: T) => void;
  /** The stream ended and will be reopened. Events until then are lost. */
  readonly onEnd?: (why: Error) => void;
  /** The stream was opened again. */
  readonly onGap?: () => void;
  /** The stream ended because LND does not offer it to us, so another attempt would end the same way. */
  readonly onRefused?: (why: Error) => void;
}

/** Opens the stream, and reopens it until the connection is over or LND refuses the stream. */
export function keepStream<T>(
  link: LndLink,
  connection: LndConnection,
  method: LndMethod,
  listener: KeptStreamListener<T>,
): void {
  const { firstRetryMs, lastRetryMs } = link.timing;
  let pauseMs = firstRetryMs;
  const open = (): void => {
    link.stream<T>(
      method,
      {},
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
    if (!connection.isOpen || link.isClosed) return;
    open();
    listener.onGap?.();
  };
  open();
}

/** Whether LND denies us the stream, or has no such stream. */
const isRefusal = (why: Error): boolean =>
  (why instanceof FulguriteError && why.name === 'notSupported') ||
  (why instanceof LndError && why.status === STATUS.unimplemented);
