/**
 * Refuses requests in the server's thread, so that the main thread never hears of them: requests without a rune of
 * this node, those that their rune does not permit, and those that cannot be read. So a crowd with wrong runes costs
 * the main thread nothing but some lines of the log.
 *
 * What passes here is judged again by the main thread, which knows everything. This thread knows the secret, the
 * blacklist, and when a rune with a limit of rate was used last. It is told of each change, and never refuses what the
 * main thread would permit: a change that is under way is taken first, and a time of use that it does not know refuses
 * nothing.
 */
import { FulguriteError } from '../model/errors.ts';
import { errorAnswer } from '../rpc/dispatcher.ts';
import type { JsonToken } from '../rpc/json-token.ts';
import { readRequest } from '../rpc/request.ts';
import { decodeRune } from '../runes/rune.ts';
import { checkRune, type RuneMemory, standingFault, uniqueIdOf } from '../runes/rune-check.ts';
import { authorizeByRune, HttpSession } from './authorize.ts';
import {
  batchReply,
  type CallReply,
  type CallText,
  errorReply,
  isBatch,
  type Judged,
  loneReply,
  requestsOf,
} from './call-forms.ts';
import type { GateSettings, RuneNews } from './messages.ts';
import type { RefusalReport } from './refusal-report.ts';

/** Who shows a rune. */
export interface RuneBearer {
  readonly rune: string | undefined;
  readonly address: string;
}

/** What the gate works with. */
export interface GateServices {
  readonly settings: GateSettings;
  readonly report: RefusalReport;
  /** Takes what the main thread has sent and nobody has taken yet. */
  readonly catchUp: () => void;
}

/** Judges runes with what this thread knows. */
export class RuneGate {
  readonly #services: GateServices;
  readonly #lastUsedNs = new Map<bigint, bigint>();
  readonly #authorize: ReturnType<typeof authorizeByRune>;
  #blacklist: GateSettings['blacklist'];
  /** The line of the log about the last refusal. */
  #line = '';

  constructor(services: GateServices) {
    const { settings } = services;
    this.#services = services;
    this.#blacklist = settings.blacklist;
    const commands = new Map(settings.aliases.map(([name, aliases]) => [name, { aliases }]));
    this.#authorize = authorizeByRune(
      { check: (rune, ...requests) => checkRune(rune, requests, this.#memory(), Date.now()) },
      commands,
      {
        debug: () => undefined,
        unusual: (line) => {
          this.#line = line;
        },
      },
    );
  }

  /** Takes a change that the main thread tells. */
  take(news: RuneNews): void {
    if (news.kind === 'blacklist') this.#blacklist = news.blacklist;
    else this.#lastUsedNs.set(news.uniqueId, news.lastUsedNs);
  }

  /**
   * Whether a rune is malformed, not of this node, or out of use. So its client may be guessing. To be asked before
   * anything else, because it also takes the news that a rune is in use again.
   */
  isWrong(rune: string): boolean {
    const known = decodeRune(rune);
    if (known === undefined || uniqueIdOf(known) === undefined) return true;
    const fault = standingFault(known, this.#memory());
    if (fault?.name !== 'runeBlacklisted') return fault !== undefined;
    this.#services.catchUp();
    return standingFault(known, this.#memory()) !== undefined;
  }

  /** The refusal of a method without parameters. Undefined when the main thread must judge. */
  refusalOf(method: string, asker: RuneBearer): CallReply | undefined {
    const error = this.#judge(method, undefined, new HttpSession({ ...asker, client: this }, true));
    return error && errorReply('rest', error);
  }

  /** The reply to a call of which nothing can be permitted or read. Undefined when the main thread must judge. */
  answer(call: CallText, asker: RuneBearer): CallReply | undefined {
    let asked: ReturnType<typeof requestsOf>;
    try {
      asked = requestsOf(call, this.#services.settings.limits);
    } catch (error) {
      if (error instanceof FulguriteError) return errorReply(call.form, error);
      throw error;
    }
    const judged: Judged[] = [];
    for (const token of isBatch(asked) ? asked : [asked]) {
      const one = this.#refused(token, asker);
      if (one === undefined) return undefined;
      judged.push(one);
    }
    return isBatch(asked) ? batchReply(judged) : loneReply(call.form, judged[0]!);
  }

  /** The answer to one request that is refused. Undefined when it may be permitted. */
  #refused(token: JsonToken, asker: RuneBearer): Judged | undefined {
    const session = new HttpSession({ ...asker, client: this }, true);
    const request = readRequest(token);
    if ('error' in request) return { answer: errorAnswer(request.id, request.error), session };
    const error = this.#judge(request.method, request.params, session);
    return error && { answer: errorAnswer(request.id, error), session };
  }

  /** Why a request is refused. Undefined when it may be permitted. */
  #judge(method: string, params: JsonToken | undefined, session: HttpSession): FulguriteError | undefined {
    const beganMs = performance.now();
    const refusal = refusalIn(() => this.#authorize(method, params, session));
    if (refusal !== undefined) this.#services.report.note(method, this.#line, performance.now() - beganMs);
    return refusal;
  }

  #memory(): RuneMemory {
    return {
      secret: this.#services.settings.secret,
      blacklist: this.#blacklist,
      // A rune whose last use is not known here is left to the main thread, and so is whether it may have limits.
      usageOf: (id) => ({
        isKnown: true,
        lastUsedNs: id === undefined ? undefined : this.#lastUsedNs.get(id),
      }),
    };
  }
}

/** The refusal that a check throws. Undefined when it throws none. */
function refusalIn(check: () => void): FulguriteError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof FulguriteError) return error;
    throw error;
  }
}
