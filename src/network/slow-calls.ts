/** Reports calls to a node that stay unanswered for long, so that a start, for example, says what it waits for. */
import type { Log } from '../rpc/log.ts';

/** The line for a call that the node has not answered for `waitedMs`, `leftMs` before its timeout. */
export const slowCallText = (node: string, method: string, waitedMs: number, leftMs: number): string =>
  `${node} has not answered ${method} for ${waitedMs / 1000} s; waiting up to ${leftMs / 1000} s more`;

/** Options of `SlowCalls`. */
export interface SlowCallsOptions {
  /** The node's name at the beginning of a line. */
  readonly node: string;
  /** How long a call may stay unanswered before it is reported, in milliseconds. */
  readonly slowMs: number;
  readonly log: Pick<Log, 'unusual'>;
}

/** Reports the first slow call of each method, over one connection. */
export class SlowCalls {
  readonly #options: SlowCallsOptions;
  readonly #reported = new Set<string>();

  constructor(options: SlowCallsOptions) {
    this.#options = options;
  }

  /** Watches a call until its answer arrives, and returns its answer. A call with a shorter timeout is not watched. */
  async watch<T>(method: string, timeoutMs: number, answer: Promise<T>): Promise<T> {
    const { node, slowMs, log } = this.#options;
    if (timeoutMs <= slowMs || this.#reported.has(method)) return answer;
    const timer = setTimeout(() => {
      if (this.#reported.has(method)) return;
      this.#reported.add(method);
      log.unusual(slowCallText(node, method, slowMs, timeoutMs - slowMs));
    }, slowMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }
}
