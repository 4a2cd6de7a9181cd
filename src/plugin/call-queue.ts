/**
 * Passes calls from the node to the engine, and returns the answers. Without an engine, calls wait for the next one, so
 * an engine crash only delays them. The number of calls and their waiting time are limited.
 *
 *     accepted ──▶ (held by the gate) ──▶ waiting ──engine up──▶ sent ──▶ answered
 *                                             ▲                   │
 *                                             └─may be asked twice┤ engine lost
 *                                                                 └─else─▶ answered: engineAway
 *
 * A new engine first receives the state that the previous one kept only in memory. Then it gets the waiting calls, in
 * order of arrival.
 */
import { FulguriteError } from '../model/errors.ts';
import { JsonText, type JsonToken } from '../rpc/json-token.ts';
import { membersOf } from '../rpc/socket-client.ts';
import type { EngineAnswer, EngineLink, EngineRequest, EngineTalk } from './engine-link.ts';
import type { PluginPipe } from './plugin-pipe.ts';
import { SearchGate } from './search-gate.ts';
import { ShortLivedState } from './short-lived-state.ts';
import { CREATE_XPAY, standInResult, type VitalCall, vitalCall, vitalFault } from './vital-calls.ts';

/** Limits on unanswered calls. Times are in milliseconds. */
export interface CallBounds {
  /** Maximum number of open calls, waiting or running. Vital calls are accepted beyond it. */
  readonly mostCalls: number;
  /** How long a call may wait to be sent to an engine. */
  readonly waitMs: number;
  /** How long a vital call waits for the engine's answer. After that, the plugin answers in place of the engine. */
  readonly vitalWaitMs: number;
}

/** The limits that the plugin uses. */
export const CALL_BOUNDS: CallBounds = { mostCalls: 10_000, waitMs: 60_000, vitalWaitMs: 5_000 };

/** A call of the node. */
export interface AcceptedCall extends EngineRequest {
  /** Whether repeating the call is harmless. */
  readonly readOnly: boolean;
  /** Converts the engine's result to the result for the node. Both are JSON text. */
  readonly onResult?: (result: string) => string;
}

interface WaitingCall extends AcceptedCall {
  readonly vital: VitalCall | undefined;
  isSent: boolean;
  /** Number of engines to which this call was sent. */
  asked: number;
  timer: NodeJS.Timeout | undefined;
}

const SEARCH = 'getroutes';
/** Maximum number of engines to which the same call is sent, because the call itself may crash them. */
const MAX_ENGINES = 3;

/**
 * Changes of persistent layers that have no further effect when repeated. They are repeated when an engine is lost,
 * because it is then unknown whether the change was made.
 */
const SAME_TWICE: ReadonlySet<string> = new Set([
  'askrene-create-layer',
  'askrene-age',
  'askrene-update-channel',
  'askrene-remove-channel-update',
]);

/** Keeps the calls of the node until they are answered. */
export class CallQueue implements EngineTalk {
  readonly #pipe: PluginPipe;
  readonly #bounds: CallBounds;
  readonly #calls = new Map<string, WaitingCall>();
  /** Handlers for the answers to our own requests. */
  readonly #own = new Map<string, (answer: EngineAnswer) => void>();
  readonly #state = new ShortLivedState();
  readonly #gate: SearchGate;
  #link: EngineLink | undefined;
  /** Whether the engine has received the state that the previous one lost. Until then, calls wait. */
  #isReady = false;
  #whyAway = 'the engine is starting';
  #nextOwn = 1;
  /** Whether an engine must still create the layer of cln-xpay. */
  #owesXpayLayer = false;
  #isStateWhole = true;

  constructor(pipe: PluginPipe, mostSearches: number, bounds: CallBounds = CALL_BOUNDS) {
    this.#pipe = pipe;
    this.#bounds = bounds;
    this.#gate = new SearchGate(mostSearches);
  }

  /** Maximum number of route searches running at once. */
  set mostSearches(most: number) {
    this.#gate.most = most;
  }

  /** The reason why there is no engine. Undefined if there is one. */
  get whyAway(): string | undefined {
    return this.#isReady ? undefined : this.#whyAway;
  }

  /** Accepts a call from the node. It is always answered. */
  accept(accepted: AcceptedCall): void {
    const vital = vitalCall(accepted.method, accepted.params);
    const call: WaitingCall = { ...accepted, vital, isSent: false, asked: 0, timer: undefined };
    if (this.#calls.size >= this.#bounds.mostCalls && vital === undefined) {
      const message = `${this.#calls.size} calls are waiting for the Fulgurite engine`;
      this.#pipe.error(call.id, new FulguriteError('busy', message));
      return;
    }
    this.#calls.set(call.id, call);
    this.#awaitEngine(call);
    if (call.method !== SEARCH) {
      this.#begin(call);
      return;
    }
    if (this.#gate.isFull) this.#tellOfCrowd(call);
    this.#gate.enter(call.id, () => this.#begin(call));
  }

  /** Sends a request of the plugin itself to the engine. Without an engine the answer is an error. */
  ask(method: string, params: string): Promise<EngineAnswer> {
    return this.#askNow(method, params);
  }

  /** Makes the current engine, or else the next one, create the layer of cln-xpay. */
  requireXpayLayer(): void {
    this.#owesXpayLayer = true;
    if (this.#isReady) void this.#payDebts();
  }

  /**
   * Starts to use an engine that is ready: sends it the state that the previous one lost, and then the waiting calls.
   */
  async engineUp(link: EngineLink): Promise<void> {
    this.#link = link;
    await this.#payDebts();
    const kept = this.#state.requests();
    await Promise.all(kept.map(({ id, command, params }) => this.#askNow(command, params, id)));
    if (this.#link !== link) return;
    this.#isReady = true;
    for (const call of this.#calls.values()) this.#begin(call);
  }

  /** Records that there will be no engine for a while. */
  engineDown(reason: string): void {
    this.#whyAway = reason;
  }

  answered(id: string, answer: EngineAnswer): void {
    const own = this.#own.get(id);
    if (own !== undefined) {
      this.#own.delete(id);
      own(answer);
      return;
    }
    const call = this.#calls.get(id);
    if (call === undefined) return;
    if ('result' in answer) this.#succeeded(call, answer.result);
    else this.#failed(call, answer.error);
  }

  notified(id: string, method: string, params: JsonToken): void {
    if (!this.#calls.has(id)) return;
    this.#pipe.notify(method, new JsonText(params.raw));
    const { level, message } = membersOf(params);
    if (level !== undefined && message !== undefined) {
      this.#pipe.log('debug', `notify msg ${level.text}: ${message.text}`);
    }
  }

  lost(reason: string): void {
    this.#link = undefined;
    this.#isReady = false;
    this.#whyAway = reason;
    for (const [id, done] of this.#own) {
      this.#own.delete(id);
      done({ error: '{}' });
    }
    for (const call of [...this.#calls.values()]) {
      if (!call.isSent) continue;
      call.isSent = false;
      if (call.vital !== undefined) continue;
      if (!this.#mayBeAskedTwice(call)) {
        this.#fail(call, `${reason}; it is unknown whether ${call.method} was executed`, { sent: true });
      } else if (call.asked < MAX_ENGINES) this.#awaitEngine(call);
      else this.#fail(call, `${call.asked} engines crashed while serving ${call.method}: ${reason}`);
    }
  }

  /** Sends the call, unless it has been sent already, the gate holds it, or there is no engine. */
  #begin(call: WaitingCall): void {
    if (!this.#isReady || call.isSent || this.#link === undefined || !this.#calls.has(call.id)) return;
    if (call.method === SEARCH && !this.#gate.isRunning(call.id)) return;
    // The timer of a vital call continues, because the node must get an answer in time even if the engine is slow.
    if (call.vital === undefined) clearTimeout(call.timer);
    call.isSent = true;
    call.asked++;
    this.#link.send(call);
  }

  #awaitEngine(call: WaitingCall): void {
    const ms = call.vital === undefined ? this.#bounds.waitMs : this.#bounds.vitalWaitMs;
    call.timer = setTimeout(() => this.#waitedLong(call), ms);
  }

  #waitedLong(call: WaitingCall): void {
    if (call.vital === undefined) {
      this.#fail(
        call,
        `the Fulgurite engine is unavailable: ${this.whyAway ?? 'it is busy with other route searches'}`,
      );
      return;
    }
    this.#standIn(call, this.#whyAway);
  }

  #succeeded(call: WaitingCall, result: string): void {
    const isKept = this.#state.succeeded({ id: call.id, command: call.method, params: call.params });
    if (!isKept && this.#isStateWhole) {
      this.#isStateWhole = false;
      this.#pipe.log(
        'warn',
        'there are too many layers and reservations to restore all of them after an engine crash',
      );
    }
    this.#close(call);
    this.#pipe.resultText(call.id, call.onResult === undefined ? result : call.onResult(result));
  }

  #failed(call: WaitingCall, error: string): void {
    const fault = call.vital === undefined ? 'parameters' : vitalFault(error);
    if (fault === 'parameters') {
      this.#close(call);
      this.#pipe.errorText(call.id, error);
      return;
    }
    if (fault === 'noLayer') this.requireXpayLayer();
    this.#standIn(call, error);
  }

  /** Answers a vital call in place of the engine. */
  #standIn(call: WaitingCall, why: string): void {
    const vital = call.vital!;
    if (vital === 'create') this.#owesXpayLayer = true;
    this.#pipe.log('warn', `answering ${call.method} without the engine: ${why}`);
    this.#close(call);
    this.#pipe.result(call.id, standInResult(vital));
  }

  #fail(call: WaitingCall, message: string, data?: Readonly<Record<string, unknown>>): void {
    this.#close(call);
    this.#pipe.error(call.id, new FulguriteError('engineAway', message, data));
  }

  #close(call: WaitingCall): void {
    clearTimeout(call.timer);
    this.#calls.delete(call.id);
    if (call.method === SEARCH) this.#gate.leave(call.id);
  }

  #mayBeAskedTwice({ method, params, readOnly }: WaitingCall): boolean {
    return readOnly || SAME_TWICE.has(method) || this.#state.dies(method, params);
  }

  async #payDebts(): Promise<void> {
    if (!this.#owesXpayLayer) return;
    const answer = await this.#askNow('askrene-create-layer', CREATE_XPAY);
    if ('result' in answer) this.#owesXpayLayer = false;
  }

  /** Sends a request to the current engine. If the engine is lost, the answer is an error. */
  #askNow(method: string, params: string, id = `"fulgurite-plugin:${method}#${this.#nextOwn++}"`) {
    return new Promise<EngineAnswer>((resolve) => {
      if (this.#link === undefined) {
        resolve({ error: '{}' });
        return;
      }
      this.#own.set(id, resolve);
      this.#link.send({ id, method, params, filter: undefined, mayDeprecated: true });
    });
  }

  #tellOfCrowd({ id }: WaitingCall): void {
    const message = `Too many running at once (${this.#gate.running} vs ${this.#gate.most}): waiting`;
    this.#pipe.notify('message', { id: new JsonText(id), level: 'info', message });
    this.#pipe.log('debug', `notify msg info: ${message}`);
  }
}
