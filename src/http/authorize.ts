/**
 * Authorization over HTTP: a call needs a rune that permits it. The UNIX socket needs no rune, because only its owner
 * can open it.
 *
 * If a valid rune does not permit a request, the log line contains the rune's unique id. No line contains the rune
 * itself.
 */
import { FulguriteError } from '../model/errors.ts';
import type { Command } from '../rpc/command.ts';
import type { Authorize } from '../rpc/dispatcher.ts';
import type { JsonToken } from '../rpc/json-token.ts';
import type { Log } from '../rpc/log.ts';
import type { Session } from '../rpc/session.ts';
import type { RuneRequest } from '../runes/asked.ts';
import type { FieldValue, JudgedElsewhere, Unreadable } from '../runes/field-value.ts';
import type { OutgoCharge } from '../runes/outgo-ledger.ts';
import { decodeRune, type Rune } from '../runes/rune.ts';
import type { RuneUse } from '../runes/rune-book.ts';
import { uniqueIdOf } from '../runes/rune-check.ts';

/** The session of one HTTP request, with the reason if its rune does not permit the request. */
export class HttpSession implements Session {
  notifications = false;
  deprecations: boolean;
  batching = false;
  isClosed = false;
  readonly client: object;
  readonly rune: string | undefined;
  readonly address: string;
  /**
   * Each rune has separate idempotency keys, so that no client gets the receipt of a payment made with a different
   * rune.
   */
  readonly keyScope: string | undefined;
  readonly caller: string;
  /** Why the request was not permitted. Undefined while it is permitted or undecided. */
  refusal: FulguriteError | undefined;
  /** The amount counted as spent. It must be settled once the outcome is known. */
  charge: OutgoCharge | undefined;

  constructor(asker: HttpCaller, deprecations: boolean) {
    const rune = asker.rune === undefined ? undefined : decodeRune(asker.rune);
    const uniqueId = rune && uniqueIdOf(rune);
    this.keyScope = uniqueId === undefined ? undefined : `rune ${uniqueId}`;
    this.caller = `HTTP ${asker.address}: rune ${uniqueId}`;
    this.rune = asker.rune;
    this.address = asker.address;
    this.client = asker.client;
    this.deprecations = deprecations;
  }

  settle(spentMsat: bigint): void {
    this.charge?.settle(spentMsat);
  }
}

/** The caller: its rune, its address, and the object that groups requests into turns. */
export interface HttpCaller {
  readonly rune: string | undefined;
  readonly address: string;
  readonly client: object;
}

/** Checks that a rune permits requests. @throws FulguriteError runeBlacklisted, notAuthorized, notPermitted */
export interface RuneChecker {
  check(rune: Rune, ...requests: readonly RuneRequest[]): RuneUse | undefined;
}

/** Determines how much a request can spend. */
export type OutgoJudge = (
  method: string,
  params: JsonToken | undefined,
) => FieldValue | Unreadable | JudgedElsewhere;

/** Determines which of our nodes a request may use, by name. Undefined if we have a single node. */
export type NodesJudge = (
  method: string,
  params: JsonToken | undefined,
) => readonly string[] | Unreadable | JudgedElsewhere | undefined;

/** Determines facts that runes check but that are not part of the request itself. */
export interface RequestJudge {
  readonly outgoOf: OutgoJudge;
  readonly nodesOf: NodesJudge;
}

/** Checks that a rune permits a method that the attached node executes. @throws FulguriteError notPermitted */
export type ForwardJudge = (method: string, rune: Rune) => void;

/** The parts of the commands that a check needs, by name. */
export type JudgedCommands = ReadonlyMap<string, Pick<Command<unknown>, 'aliases' | 'inside'>>;

/** Makes the check that every HTTP request must pass. The check throws a FulguriteError to refuse a request. */
export function authorizeByRune(
  runes: RuneChecker,
  commands: JudgedCommands,
  log: Pick<Log, 'debug' | 'unusual'>,
  { outgoOf, nodesOf }: RequestJudge,
  judgeForward?: ForwardJudge,
): (...call: Parameters<Authorize>) => void | Promise<void> {
  const read = lastDecoded();
  return (method, params, session) => {
    if (!(session instanceof HttpSession)) throw new TypeError('runes apply to HTTP requests only');
    const inner = commands.get(method)?.inside?.(params);
    const requests = [{ method, params }, ...(inner === undefined ? [] : [inner])];
    const refuse = (error: unknown): never => {
      if (error instanceof FulguriteError) {
        session.refusal = error;
        log.unusual(refusalLine(session, shownMethod(method, commands), error, read));
      }
      throw error;
    };
    try {
      const rune = givenRune(session.rune, read);
      const asked = requests.map((one): RuneRequest => {
        const { method: called, params: given } = one;
        return {
          ...one,
          aliases: commands.get(called)?.aliases,
          outgo: () => outgoOf(called, given),
          ourNodes: () => nodesOf(called, given),
        };
      });
      judgeForward?.(method, rune);
      const use = runes.check(rune, ...asked);
      session.charge = use?.charge;
      log.debug(`HTTP ${session.address}: rune ${uniqueIdOf(rune)} called ${shownMethod(method, commands)}`);
      return use?.durable.catch(refuse);
    } catch (error) {
      return refuse(error);
    }
  };
}

type ReadRune = typeof decodeRune;

/** Returns a function that decodes runes. The requests of a batch share a rune, which is decoded only once. */
function lastDecoded(): ReadRune {
  let last = '';
  let decoded: Rune | undefined;
  return (text) => {
    if (text !== last) decoded = decodeRune(text);
    last = text;
    return decoded;
  };
}

/** The rune in a header. @throws FulguriteError runeMissing, runeMalformed */
function givenRune(text: string | undefined, read: ReadRune): Rune {
  if (text === undefined) throw new FulguriteError('runeMissing', 'Not authorized: Missing rune');
  const rune = read(text);
  if (rune === undefined) throw malformed('should be base64 string');
  if (uniqueIdOf(rune) === undefined) throw malformed('should have valid numeric unique_id');
  return rune;
}

function malformed(reason: string): FulguriteError {
  const message = `rune: ${reason}: invalid token (see logs for details)`;
  return new FulguriteError('runeMalformed', message, { parameter: 'rune', reason });
}

function refusalLine(session: HttpSession, what: string, error: FulguriteError, read: ReadRune): string {
  const { rune = '', address } = session;
  const known = error.name === 'notPermitted' ? read(rune) : undefined;
  const whose = known === undefined ? '' : ` (rune ${uniqueIdOf(known)})`;
  return `HTTP ${address}: ${what} refused${whose}: ${error.message}`;
}

/**
 * A method as shown in messages: its name, if it is one of our commands. Clients may send anything as a method, even a
 * rune by mistake.
 */
function shownMethod(method: string, commands: JudgedCommands): string {
  return commands.has(method) ? method : `an unknown command of ${method.length} characters`;
}
