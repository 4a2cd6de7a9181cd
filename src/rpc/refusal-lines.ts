/**
 * Lines of the log for requests that were refused. An error for a bad parameter tells its reader to see the log. There
 * is the parameter, the reason, and what kind of value was sent, with the number of the request.
 *
 * The value itself is not there. A client may have put a secret where something else belongs: a rune, a preimage, a
 * note to a payee. It is in the answer, which only the client sees. A client that sends nothing but nonsense cannot
 * fill the disk: beyond some lines a second, refusals are only counted.
 */
import { FulguriteError } from '../model/errors.ts';
import { TokenBucket } from '../model/token-bucket.ts';
import type { Command } from './command.ts';
import type { Log, LogFields } from './log.ts';

/** Lines at once, and lines a second in the long run. */
const BURST = 200;
const PER_SECOND = 20;

/** Writes refusals of one dispatcher. */
export class RefusalLines {
  readonly #log: Log;
  readonly #bucket: TokenBucket;
  #uncounted = 0;

  /** @param nowMs a monotonic clock */
  constructor(log: Log, nowMs?: () => number) {
    this.#log = log;
    this.#bucket = new TokenBucket(BURST, PER_SECOND, nowMs);
  }

  /** Notes that a command failed with this error. */
  note<C>(command: Command<C>, requestId: string, error: unknown): void {
    if (!(error instanceof FulguriteError)) return;
    const { code } = error;
    const fields = { method: command.name, req: requestId, code };
    if (error.name !== 'invalidParams') {
      this.#log.debug(`${command.name} failed`, fields);
      return;
    }
    if (!this.#bucket.take()) {
      this.#uncounted++;
      return;
    }
    if (this.#uncounted > 0) this.#log.info(`${this.#uncounted} more requests were refused`);
    this.#uncounted = 0;
    this.#log.info(`${command.name} refused: ${reasonOf(error)}`, {
      ...fields,
      ...sentValue(command, error),
    });
  }
}

/** The reason without what it quotes, which may be what was sent. */
function reasonOf({ data, message }: FulguriteError): string {
  const reason = typeof data?.reason === 'string' ? data.reason : message;
  return reason.replace(/["'`].*["'`]/s, '…').slice(0, 200);
}

function sentValue<C>({ params, aliases = {} }: Command<C>, { data }: FulguriteError): LogFields {
  const { parameter, value } = data ?? {};
  if (typeof parameter !== 'string') return {};
  // The name of an unknown parameter may be anything as well.
  const isOurs = Object.hasOwn(params, parameter) || Object.hasOwn(aliases, parameter);
  return {
    parameter: isOurs ? parameter : undefined,
    characters: typeof value === 'string' ? value.length : undefined,
  };
}
