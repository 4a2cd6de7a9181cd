/**
 * Log lines for refused requests. The error for a wrong parameter refers the client to the log. The log line contains
 * the command, the parameter, the reason, the length of the value, and the number of the request.
 *
 * The line does not contain the value itself, because a client may have sent a secret in the wrong place: a rune, a
 * preimage, a note to a payee. The value is in the answer, which only the client sees. Lines are rate-limited, and
 * refusals above the limit are only counted. So a client that sends only invalid requests cannot fill the disk.
 */
import { FulguriteError } from '../model/errors.ts';
import { TokenBucket } from '../model/token-bucket.ts';
import type { Command } from './command.ts';
import type { Log, LogFields } from './log.ts';

/** Maximum burst of lines, and maximum lines per second after the burst. */
const BURST = 200;
const PER_SECOND = 20;
/** Core Lightning's text in errors that refer to the log. */
const SEE_LOG = '(see logs for details)';

/** Logs the refusals of one dispatcher. */
export class RefusalLines {
  readonly #log: Log;
  readonly #bucket: TokenBucket;
  #uncounted = 0;

  /** @param nowMs a monotonic clock */
  constructor(log: Log, nowMs?: () => number) {
    this.#log = log;
    this.#bucket = new TokenBucket(BURST, PER_SECOND, nowMs);
  }

  /** Records that a command failed with this error. */
  note<C>(command: Command<C>, requestId: string, error: unknown): void {
    if (!(error instanceof FulguriteError)) return;
    const { code } = error;
    const fields = { method: command.name, req: requestId, code };
    // Invalid parameters, and errors that refer to the log, are logged at level info. Other errors are not unusual.
    if (error.name !== 'invalidParams' && !error.message.includes(SEE_LOG)) {
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

/** The reason without its quoted parts, which may contain input. */
function reasonOf({ data, message }: FulguriteError): string {
  const reason = typeof data?.reason === 'string' ? data.reason : message;
  return reason.replace(/["'`].*["'`]/s, '…').slice(0, 200);
}

function sentValue<C>({ params, aliases = {} }: Command<C>, { data }: FulguriteError): LogFields {
  const { parameter, value } = data ?? {};
  if (typeof parameter !== 'string') return {};
  // The client also chose the name of an unknown parameter, so that name may be a secret too.
  const isOurs = Object.hasOwn(params, parameter) || Object.hasOwn(aliases, parameter);
  return {
    parameter: isOurs ? parameter : undefined,
    characters: typeof value === 'string' ? value.length : undefined,
  };
}
