/**
 * Refuses requests in the server's thread, so that the main thread never sees them: requests without a rune of this
 * node, requests that their rune does not permit, and unreadable requests. So clients with invalid runes, however many,
 * cost the main thread only a few log lines.
 *
 * The main thread, which has all data, checks again every request that passes here. This thread has the secret, the
 * blacklist, and the last use of rate-limited runes. It receives each change, and never refuses a request that the main
 * thread would permit: it applies pending changes before it treats a rune as blacklisted, and if it does not know when
 * a rune was last used, it refuses nothing because of the rate.
 */
import { ERRORS, FulguriteError } from '../model/errors.ts';
import { errorAnswer } from '../rpc/dispatcher.ts';
import type { JsonToken } from '../rpc/json-token.ts';
import { readRequest } from '../rpc/request.ts';
import { complaintWithoutParameters } from '../runes/judge.ts';
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
import type { GateSettings, RuneChange } from './messages.ts';
import type { RefusalReport } from './refusal-report.ts';

/** The sender of a request: its rune, if any, and its address. */
export interface RuneBearer {
  readonly rune: string | undefined;
  readonly address: string;
}

/** The services that the gate needs. */
export interface GateServices {
  readonly settings: GateSettings;
  readonly report: RefusalReport;
  /** Processes the pending messages of the main thread. */
  readonly catchUp: () => void;
}

const NS_PER_MS = 1_000_000n;

/** The reply to a call whose requests are all refused. */
interface AllRefused {
  readonly reply: CallReply;
  /** Number of refused requests. */
  readonly count: number;
}

type Judge = (method: string, params: JsonToken | undefined, session: HttpSession) => unknown;

/** Checks runes with this thread's data. */
export class RuneGate {
  readonly #services: GateServices;
  readonly #lastUsedNs = new Map<bigint, bigint>();
  readonly #authorize: Judge;
  /** Checks a method regardless of parameters. If it refuses a method, every call of that method would be refused. */
  readonly #authorizeMethod: Judge;
  #blacklist: GateSettings['blacklist'];
  /** The log line about the last refusal. */
  #line = '';

  constructor(services: GateServices) {
    const { settings } = services;
    this.#services = services;
    this.#blacklist = settings.blacklist;
    const commands = new Map(settings.aliases.map(([name, aliases]) => [name, { aliases }]));
    const log = {
      debug: () => undefined,
      unusual: (line: string) => {
        this.#line = line;
      },
    };
    const judgeWith = (complain?: typeof complaintWithoutParameters): Judge =>
      authorizeByRune(
        {
          check: (rune, ...requests) => {
            checkRune(rune, requests, this.#memory(), Date.now(), complain);
            return undefined;
          },
        },
        commands,
        log,
        { outgoOf: () => ({ kind: 'elsewhere' }), nodesOf: () => ({ kind: 'elsewhere' }) },
      );
    this.#authorize = judgeWith();
    this.#authorizeMethod = judgeWith(complaintWithoutParameters);
  }

  /** Applies a change from the main thread. */
  take(change: RuneChange): void {
    if (change.kind === 'blacklist') this.#blacklist = change.blacklist;
    else this.#lastUsedNs.set(change.uniqueId, change.lastUsedNs);
  }

  /**
   * The unique id of a valid rune of this node. Undefined for any other text, whose sender may be guessing. Call this
   * first, because it also applies pending messages by which a blacklisted rune may be valid again.
   */
  knownName(rune: string): bigint | undefined {
    const decoded = decodeRune(rune);
    const name = decoded && uniqueIdOf(decoded);
    if (decoded === undefined || name === undefined) return undefined;
    let fault = standingFault(decoded, this.#memory());
    if (fault?.name === 'runeBlacklisted') {
      this.#services.catchUp();
      fault = standingFault(decoded, this.#memory());
    }
    return fault === undefined ? name : undefined;
  }

  /** The refusal of a request without parameters. Undefined if the main thread must decide. */
  refusalOf(method: string, asker: RuneBearer): CallReply | undefined {
    const error = this.#judge(this.#authorize, method, undefined, this.#sessionOf(asker));
    return error && errorReply('rest', error);
  }

  /** The refusal of a method regardless of parameters. Undefined if the parameters must be read. */
  refusalOfMethod(form: CallText['form'], method: string, asker: RuneBearer): CallReply | undefined {
    const error = this.#judge(this.#authorizeMethod, method, undefined, this.#sessionOf(asker));
    return error && errorReply(form, error, ERRORS[error.name].httpStatus);
  }

  /**
   * The reply to a call that is unreadable, or contains nothing that the rune permits. Undefined when the main thread
   * must decide.
   * @param call as returned by `normalized`
   */
  answer(call: CallText, asker: RuneBearer): AllRefused | undefined {
    let asked: ReturnType<typeof requestsOf>;
    try {
      asked = requestsOf(call, this.#services.settings.limits);
    } catch (error) {
      if (error instanceof FulguriteError) return { reply: errorReply(call.form, error), count: 1 };
      throw error;
    }
    const session = this.#sessionOf(asker);
    const ofMethods = new Map<string, FulguriteError | undefined>();
    const judged: Judged[] = [];
    for (const token of isBatch(asked) ? asked : [asked]) {
      const one = this.#refused(token, asker, session, ofMethods);
      if (one === undefined) return undefined;
      judged.push(one);
    }
    const reply = isBatch(asked) ? batchReply(judged) : loneReply(call.form, judged[0]!);
    return { reply, count: judged.length };
  }

  /**
   * The answer to a refused request. Undefined when it may be permitted.
   * @param ofMethods results so far for the methods of this call, regardless of parameters
   */
  #refused(
    token: JsonToken,
    asker: RuneBearer,
    methodSession: HttpSession,
    ofMethods: Map<string, FulguriteError | undefined>,
  ): Judged | undefined {
    const request = readRequest(token);
    if ('error' in request) {
      return { answer: errorAnswer(request.id, request.error), session: this.#sessionOf(asker) };
    }
    const { id, method, params } = request;
    if (!ofMethods.has(method)) {
      ofMethods.set(method, this.#judge(this.#authorizeMethod, method, undefined, methodSession));
    }
    const refusal = ofMethods.get(method);
    if (refusal !== undefined) return { answer: errorAnswer(id, refusal), session: methodSession };
    const session = this.#sessionOf(asker);
    const error = this.#judge(this.#authorize, method, params, session);
    return error && { answer: errorAnswer(id, error), session };
  }

  #sessionOf(asker: RuneBearer): HttpSession {
    return new HttpSession({ ...asker, client: this }, true);
  }

  /** Checks a request, and reports a refusal. @returns the refusal; undefined if the request may be permitted */
  #judge(
    judge: Judge,
    method: string,
    params: JsonToken | undefined,
    session: HttpSession,
  ): FulguriteError | undefined {
    const beganMs = performance.now();
    const refusal = refusalIn(() => judge(method, params, session));
    if (refusal !== undefined) this.#services.report.note(method, this.#line, performance.now() - beganMs);
    return refusal;
  }

  /**
   * The time of a rune's last use. Undefined if it is unknown or in the future. The latter means that the clock has
   * gone back, which the main thread takes into account.
   */
  #lastUse(id: bigint): bigint | undefined {
    const lastUsedNs = this.#lastUsedNs.get(id);
    return lastUsedNs !== undefined && lastUsedNs > BigInt(Date.now()) * NS_PER_MS ? undefined : lastUsedNs;
  }

  #memory(): RuneMemory {
    return {
      secret: this.#services.settings.secret,
      blacklist: this.#blacklist,
      // The main thread checks rate limits of runes whose last use is unknown here, and all limits on spending.
      usageOf: (id) => ({
        isKnown: true,
        lastUsedNs: id === undefined ? undefined : this.#lastUse(id),
        spentMsat: 0n,
      }),
    };
  }
}

/** The refusal that a check throws. Undefined if it throws none. */
function refusalIn(check: () => unknown): FulguriteError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof FulguriteError) return error;
    throw error;
  }
}
