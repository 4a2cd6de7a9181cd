/**
 * A stream that is opened again when it ends on its own, as long as its connection stands. LND ends a subscription whose
 * reader is slow, and proxies end what was silent for long. LND replays nothing, so anyone who reads learns of the gap.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FulguriteError } from '../../../model/errors.ts';
import type { LndMethod } from '../graph/schema.ts';
import type { LndConnection, LndLink } from '../node-link.ts';
import { LndError, STATUS } from './calls.ts';

/** What happens to a stream. */
export interface KeptStreamListener<T> {
  readonly onMessage: (message: T) => void;
  /** It ended and will be opened again. What happened meanwhile is unknown. */
  readonly onEnd?: (why: Error) => void;
  /** It was opened again. */
  readonly onGap?: () => void;
  /** It ended, and LND does not offer it to us: another attempt would end the same way. */
  readonly onRefused?: (why: Error) => void;
}

/** Opens the stream, and opens it again until the connection is over. */
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

/** Whether LND says that we may not have the stream, or does not know it. */
const isRefusal = (why: Error): boolean =>
  (why instanceof FulguriteError && why.name === 'notSupported') ||
  (why instanceof LndError && why.status === STATUS.unimplemented);
