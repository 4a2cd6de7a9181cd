/**
 * Connects to the same LND node over successive connections.
 *
 *     away ──connects, serves, same id──▶ up ──state stream ends──▶ away
 *       ├── locked, starting, standby, different id or chain: away, with a remedy
 *     up ──no answer for a while, or not synced──▶ up, with a problem ──answer──▶ up
 *
 * The state of the server comes from the one method that needs no permission and works while the wallet is locked
 * (`State/SubscribeState`). Its stream ends when the node goes away.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FulguriteError } from '../../model/errors.ts';
import type { Log } from '../../rpc/log.ts';
import { KeptLink, type LinkWords, nodeAway } from '../kept-link.ts';
import { SlowCalls } from '../slow-calls.ts';
import { type GetInfo, SERVER_STATE } from './answers.ts';
import { type LndCalls, LndError, STATUS } from './client/calls.ts';
import { factsOf, type LndFacts } from './graph/node-facts.ts';
import { type LndMethod, METHOD_PATHS } from './graph/schema.ts';
import type { LndTiming } from './timing.ts';

/** One open connection, and the facts that are valid only while it is open. */
export class LndConnection {
  readonly #link: Pick<LndLink, 'call'>;
  readonly #timing: LndTiming;
  #isOpen = true;
  #fence: Promise<void> | undefined;

  constructor(link: Pick<LndLink, 'call'>, timing: LndTiming) {
    this.#link = link;
    this.#timing = timing;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  close(): void {
    this.#isOpen = false;
  }

  /**
   * The fence: resolves once no request written to an earlier connection can still be executed. The server reads the
   * rest of a broken connection immediately. So after some time, a live server has started every such request. If the
   * server answers before and after that time, it is alive.
   * @throws FulguriteError nodeAway, LndError
   */
  fence(): Promise<void> {
    if (this.#fence !== undefined) return this.#fence;
    const passed = this.#pass();
    this.#fence = passed;
    passed.catch(() => {
      this.#fence = undefined;
    });
    return passed;
  }

  async #pass(): Promise<void> {
    await this.#link.call('GetInfo', {});
    await sleep(this.#timing.fenceMs);
    await this.#link.call('GetInfo', {});
    if (!this.#isOpen) throw nodeAway('the node became unreachable');
  }
}

/** Options of a link. */
export interface LndLinkOptions {
  readonly calls: LndCalls;
  /** The node's address, for error messages and the log. */
  readonly where: string;
  readonly timing: LndTiming;
  readonly log: Log;
}

const WORDS: LinkWords = { node: 'LND', factsCall: "LND's GetInfo", warns: '', away: '' };

/** Connects to the same LND node over successive connections. */
export class LndLink extends KeptLink<LndConnection, LndFacts> {
  readonly #options: LndLinkOptions;
  #endState: (() => void) | undefined;
  /** The slow calls of the current connection. */
  #slow: SlowCalls;

  private constructor(options: LndLinkOptions, facts: LndFacts, slow: SlowCalls) {
    super(facts, options, WORDS);
    this.#options = options;
    this.#slow = slow;
  }

  /**
   * Connects. @throws FulguriteError nodeAway if the node is unreachable or not ready yet; notSupported when it is too
   * old, is on an unknown chain, or our macaroon lacks a permission
   */
  static async open(options: LndLinkOptions): Promise<LndLink> {
    const { state, facts, slow } = await greet(options);
    const link = new LndLink(options, facts, slow);
    link.#use(state, facts);
    return link;
  }

  get timing(): LndTiming {
    return this.#options.timing;
  }

  /** Makes a call. @throws LndError; FulguriteError nodeAway, notSupported */
  call<T>(method: LndMethod, request: object, timeoutMs = this.#options.timing.callMs): Promise<T> {
    const answer = asking(this.#options.calls.call<T>(method, request, timeoutMs), method);
    return this.#slow.watch(method, timeoutMs, answer);
  }

  /** Makes a call without a timeout, because an HTLC may stay in flight for days. @throws as `call` */
  callForever<T>(method: LndMethod, request: object): Promise<T> {
    return asking(this.#options.calls.call<T>(method, request), method);
  }

  /** Opens a stream. Returns a function that ends it. */
  stream<T>(
    method: LndMethod,
    request: object,
    onMessage: (message: T) => void,
    onEnd: (why: Error) => void,
  ) {
    return this.#options.calls.stream(method, request, {
      onMessage: onMessage as (message: never) => void,
      onEnd: (error) => onEnd(inOurWords(error, method)),
    });
  }

  /** Closes the link for good, with all its calls. */
  override async close(): Promise<void> {
    super.close();
    this.connection?.close();
    this.#endState?.();
    await this.#options.calls.close();
  }

  #use(state: ServerState, facts: LndFacts): void {
    const connection = new LndConnection(this, this.#options.timing);
    this.connected(connection, facts);
    this.#endState = state.end;
    state.onEnd((why) => {
      connection.close();
      this.lost(connection, why);
    });
    this.serve(connection);
  }

  protected async connectAgain(): Promise<boolean> {
    const { state, facts, slow } = await greet(this.#options);
    const { nodeId, chain } = this.facts;
    if (this.isClosed || facts.nodeId !== nodeId || facts.chain !== chain) {
      state.end();
      if (this.isClosed) return true;
      const now = `node ${facts.nodeId} on ${facts.chain}`;
      this.trouble(`${this.#options.where} is now ${now}, instead of node ${nodeId} on ${chain}: not used`);
      return false;
    }
    this.isBack(facts);
    this.#slow = slow;
    this.#use(state, facts);
    return true;
  }

  protected async askFacts(): Promise<LndFacts> {
    const { calls, timing } = this.#options;
    // Polling reports by itself that LND is silent.
    return factsOf(await asking(calls.call<GetInfo>('GetInfo', {}, timing.callMs), 'GetInfo'));
  }

  protected whyAway(error: unknown): string {
    if (isNodeTrouble(error)) return error.message;
    throw error;
  }
}

/** Whether an error comes from the node, or means that the node is unreachable. */
export const isNodeTrouble = (error: unknown): error is LndError | FulguriteError =>
  error instanceof LndError || error instanceof FulguriteError;

/** The stream of a server's state, which ends with the server. */
interface ServerState {
  readonly end: () => void;
  readonly onEnd: (listener: (why: string) => void) => void;
}

/** A new connection to a server that is fully available. */
interface Greeting {
  readonly state: ServerState;
  readonly facts: LndFacts;
  readonly slow: SlowCalls;
}

/** Connects and waits until the server is fully available. @throws FulguriteError */
async function greet(options: LndLinkOptions): Promise<Greeting> {
  const { calls, timing, log } = options;
  try {
    await calls.reconnect();
  } catch (error) {
    throw error instanceof LndError ? nodeAway(error.message) : error;
  }
  const state = await serving(options);
  try {
    const slow = new SlowCalls({ node: 'LND', slowMs: timing.silenceMs, log });
    const answer = asking(calls.call<GetInfo>('GetInfo', {}, timing.callMs), 'GetInfo');
    return { state, facts: factsOf(await slow.watch('GetInfo', timing.callMs, answer)), slow };
  } catch (error) {
    state.end();
    throw error instanceof LndError ? nodeAway(`LND's GetInfo: ${error.message}`) : error;
  }
}

/** Resolves with the stream of the server's state once the server is active. @throws FulguriteError nodeAway */
function serving({ calls, where, timing }: LndLinkOptions): Promise<ServerState> {
  return new Promise((resolve, reject) => {
    let onEnd: (why: string) => void = (why) => refuse(why);
    const refuse = (why: string): void => {
      clearTimeout(timer);
      end();
      reject(nodeAway(why));
    };
    const timer = setTimeout(() => refuse(`LND at ${where} does not respond`), timing.greetMs);
    const end = calls.stream(
      'SubscribeState',
      {},
      {
        onMessage: ({ state }: { state: number }) => {
          if (state === SERVER_STATE.serverActive) {
            clearTimeout(timer);
            const listen = (listener: typeof onEnd): void => {
              onEnd = listener;
            };
            resolve({ end, onEnd: listen });
          } else if (STATE_WORDS[state] !== undefined) onEnd(STATE_WORDS[state]);
        },
        onEnd: ({ message }) => onEnd(`${where}: ${message}`),
      },
    );
  });
}

/**
 * The meaning of each state of an unavailable server, with a remedy. States 2 and 3 have no text, because they pass by
 * themselves.
 */
const STATE_WORDS: Readonly<Record<number, string>> = {
  [SERVER_STATE.nonExisting]: 'LND has no wallet yet: create one with `lncli create`',
  [SERVER_STATE.locked]: "LND's wallet is locked: unlock it with `lncli unlock`",
  [SERVER_STATE.waitingToStart]: 'LND is a cluster standby: specify the leader in --lnd-rpc',
};

async function asking<T>(answer: Promise<T>, method: LndMethod): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof LndError ? inOurWords(error, method) : error;
  }
}

/**
 * Converts a missing permission to `notSupported`, and a refused macaroon, a locked wallet and a starting LND to
 * `nodeAway`. Other errors stay unchanged.
 */
function inOurWords(error: LndError, method: LndMethod): LndError | FulguriteError {
  const { status, message } = error;
  if (status === STATUS.permissionDenied || /permission denied/i.test(message)) {
    return new FulguriteError(
      'notSupported',
      `the macaroon does not permit uri:${METHOD_PATHS[method]}; bake one that does: see \`fulgurite lnd-macaroon\``,
      { uri: METHOD_PATHS[method] },
    );
  }
  if (status === STATUS.unauthenticated || /verification failed|cannot get macaroon/i.test(message)) {
    return nodeAway(`LND refuses our macaroon (${message}): bake one with \`fulgurite lnd-macaroon\``);
  }
  if (/wallet locked/i.test(message)) return nodeAway(STATE_WORDS[SERVER_STATE.locked]!);
  if (/in the process of starting up/i.test(message)) return nodeAway('LND is starting');
  return error;
}
