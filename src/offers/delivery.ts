/**
 * Delivers a request to an issuer. Tries the possible ways one by one until an answer arrives or the time is up.
 *
 *     candidates   the offer's paths in order, or its issuer when there are none
 *     ways         to a candidate's first node, in this order: a new route over the graph, if possible around the
 *                  nodes used before; then a connection to that node; then a route that was used before, again
 *     re-sending   the same request in a fresh onion, to the next candidate. The first pause is short. Later
 *                  pauses double, up to a maximum. While other answers are just as slow, a pause is extended
 *                  (AnswerTimes). An issuer answers a repeated request with the same invoice
 *
 * One deadline runs from the start to the answer. If connecting takes longer than the pause between two sends, the next
 * candidate is tried meanwhile. A candidate with no way left is given up. If all candidates are given up and nothing
 * was sent, the delivery fails immediately. While too many messages are queued for a peer, the delivery waits for room.
 * The first answer ends the delivery, whichever way it came.
 */

import { toHex } from '../bolt/bytes.ts';
import type { OfferFields } from '../bolt/invoice/bolt12-fields.ts';
import type { BlindedPath } from '../bolt/onion/blinded-path.ts';
import type { MessageContent } from '../bolt/onion/onion-message.ts';
import { WireError } from '../bolt/wire-error.ts';
import type { Clock } from '../model/clock.ts';
import { type ErrorName, FulguriteError } from '../model/errors.ts';
import { type NodeId, nodeIdFromBytes } from '../model/node-id.ts';
import { formatShortChannelIdDir } from '../model/short-channel-id.ts';
import type { AnswerTimes } from './answer-times.ts';
import { FetchFailed } from './fetch-failure.ts';
import { type FetchStep, FetchSteps } from './fetch-steps.ts';
import { freshSecret, type MessageRoute, type OnionMessenger } from './messenger.ts';
import { WayFailed, type WayFailure } from './way-failure.ts';

/** What a delivery needs from the node. */
export interface DeliveryOptions {
  readonly messenger: OnionMessenger;
  readonly clock: Clock;
  /** Whether we may connect to nodes for a delivery, that is, `fetchinvoice-noconnect` is not set. */
  readonly mayConnect: boolean;
}

/** A request and its recipient. */
export interface DeliveryRequest {
  /** The paths to the recipient in order, or its node id if there are no paths. */
  readonly to: Pick<OfferFields, 'offerPaths' | 'offerIssuerId'>;
  /** The message without its reply path. */
  readonly content: MessageContent;
  readonly timeoutMs: number;
  /** Whether to wait for an answer. If not, the delivery ends once the request has been sent. */
  readonly isAnswered: boolean;
  /** Returns whether a reply is the awaited answer. Other replies are ignored. Default: any reply is the answer. */
  readonly isAnswer?: (content: MessageContent) => boolean;
  /** Only for an answer that may take days: the maximum pause between two sends, in milliseconds. */
  readonly longestPauseMs?: number;
}

/** The first reply, and the path that its request took. */
export interface FetchReply {
  /** Index of the offer's path that the request took. `undefined` when it went to the issuer itself. */
  readonly pathIndex: number | undefined;
  readonly content: MessageContent;
}

/** Maximum number of sends of one request. After that, the delivery only waits for the answer. */
const MAX_SENDS = 8;
/** Maximum number of sends if the answer may take days: eleven in the first hour, then one per hour. */
const MAX_SENDS_SLOW = 16;
/** Maximum number of ways tried, including those that failed. An offer may list very many paths. */
const MAX_TRIES = 256;
/**
 * Pause after a send before the next way is tried. It starts at two seconds, since most answers arrive sooner, and
 * doubles with each send. Its maximum is a quarter of the time allowed, but at least `RESEND_MS.least` and at most
 * `RESEND_MS.most`, or at most `longestPauseMs` if that is set.
 */
const FIRST_RESEND_MS = 2000;
const RESEND_SHARE = 4;
const RESEND_MS = { least: 1000, most: 10_000 } as const;
/** Maximum pause while other answers are slow, as a share of the time allowed. */
const LONGEST_PAUSE = 0.5;
/** Minimum milliseconds between two checks of whether other answers are slow. */
const LOOK_AGAIN_MS = 500;
/** Errors after which no other way is tried: the service stops, or the network behind it is gone or overloaded. */
const FATAL: readonly ErrorName[] = ['busy', 'workerDied', 'shuttingDown'];

/** One way to the target: a route, or a new connection to the target if `route` is missing. */
interface Way {
  readonly target: NodeId;
  readonly route?: MessageRoute;
}

interface Candidate {
  readonly pathIndex: number | undefined;
  readonly path: BlindedPath | undefined;
  readonly target: string;
  /** Set only for the issuer itself, if the offer has no paths. */
  readonly nodeId: NodeId | undefined;
  /** For each route that was tried, whether the request was sent over it. */
  readonly routes: Map<string, boolean>;
  triedConnecting: boolean;
  /** Set while a way is being tried. */
  trying?: Promise<void> | undefined;
  /** Why the last way failed. */
  lastFailure?: WayFailure;
  /** Set when no way is left. */
  isGivenUp: boolean;
}

/** Delivers one request to its issuer, and waits for the reply. */
export class Delivery {
  readonly steps: FetchSteps;
  readonly #options: DeliveryOptions & { readonly answerTimes: AnswerTimes };
  readonly #request: DeliveryRequest;
  readonly #candidates: readonly Candidate[];
  /** Nodes that forwarded the request before, by index in the graph. Later routes avoid them. */
  readonly #avoid = new Set<number>();
  readonly #cancels: (() => void)[] = [];
  #sends = 0;
  /** The latest `busy` error: too many messages were queued for a peer. */
  #noRoom: FulguriteError | undefined;
  #isOver = false;
  #turn = 0;
  #answer: (answer: FetchReply) => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;

  constructor(options: DeliveryOptions & { readonly answerTimes: AnswerTimes }, request: DeliveryRequest) {
    this.#options = options;
    this.#request = request;
    this.#candidates = candidatesOf(request.to);
    this.steps = new FetchSteps(options.clock);
  }

  /**
   * Runs the delivery and resolves with the first answer. May be called once.
   * @throws FetchFailed when nothing could be sent, the time is over or the request is too long for a message;
   *   FulguriteError workerDied, shuttingDown, or busy if a peer's queue never had room
   */
  async run(): Promise<FetchReply> {
    const { timeoutMs } = this.#request;
    if (timeoutMs === 0) throw timedOut(timeoutMs);
    try {
      return await new Promise((resolve, reject) => {
        this.#answer = resolve;
        this.#fail = reject;
        this.#after(timeoutMs, () => reject(this.#late()));
        this.#sendAll().catch(reject);
      });
    } finally {
      this.#isOver = true;
      for (const cancel of this.#cancels) cancel();
    }
  }

  /** Number of times that the request was sent. */
  get sends(): number {
    return this.#sends;
  }

  /** Ends the delivery. `run` then rejects as if the time were over. */
  end(): void {
    this.#fail(timedOut(this.#request.timeoutMs));
  }

  /** Tries the ways in order, and pauses after each send. */
  async #sendAll(): Promise<void> {
    const mostSends = this.#request.longestPauseMs === undefined ? MAX_SENDS : MAX_SENDS_SLOW;
    for (let tries = 0; tries < MAX_TRIES && this.#sends < mostSends && !this.#isOver; tries++) {
      const candidate = this.#next();
      const way = candidate && this.#wayOf(candidate);
      if (candidate === undefined) {
        const underWay = this.#candidates.flatMap(({ trying }) => trying ?? []);
        if (underWay.length === 0) break;
        await Promise.race(underWay);
      } else if (way !== undefined) {
        const sends = this.#sends;
        const pause = this.#pause();
        candidate.trying = this.#try(candidate, way)
          .catch(this.#fail)
          .finally(() => {
            candidate.trying = undefined;
          });
        await Promise.race([candidate.trying, pause]);
        if (this.#sends > sends) await pause;
      }
    }
    if (this.#sends === 0) throw this.#unreachable();
  }

  /** The next candidate. `undefined` if all candidates are given up or being tried. */
  #next(): Candidate | undefined {
    for (let skipped = 0; skipped < this.#candidates.length; skipped++) {
      const candidate = this.#candidates[this.#turn++ % this.#candidates.length] as Candidate;
      if (!candidate.isGivenUp && candidate.trying === undefined) return candidate;
    }
    return undefined;
  }

  #pause(): Promise<void> {
    const { clock, answerTimes } = this.#options;
    const { timeoutMs, longestPauseMs = RESEND_MS.most } = this.#request;
    const most = Math.min(longestPauseMs, Math.max(RESEND_MS.least, timeoutMs / RESEND_SHARE));
    const ms = Math.min(most, FIRST_RESEND_MS * 2 ** this.#sends);
    const beganMs = clock.monotonicMs();
    return new Promise((wake) => {
      const look = (): void => {
        const nowMs = clock.monotonicMs();
        const lateMs = Math.min(answerTimes.lateMs(nowMs), LONGEST_PAUSE * timeoutMs);
        const leftMs = lateMs - (nowMs - beganMs);
        if (leftMs <= 0 || this.#isOver) wake();
        else this.#after(Math.max(leftMs, LOOK_AGAIN_MS), look);
      };
      this.#after(ms, look);
      this.#cancels.push(wake);
    });
  }

  #after(ms: number, action: () => void): void {
    this.#cancels.push(this.#options.clock.after(ms, action));
  }

  /** The next way to reach a candidate. If none is left, gives up the candidate and returns `undefined`. */
  #wayOf(candidate: Candidate): Way | undefined {
    const { messenger, mayConnect } = this.#options;
    const { path, nodeId, routes } = candidate;
    try {
      const target = path === undefined ? (nodeId as NodeId) : messenger.introduction(path);
      const route = messenger.findRoute(target, { avoid: this.#avoid });
      const hasLeft = route && routes.get(keyOf(route));
      // If the target is a peer or our own node, a new connection would not help.
      const isNear = route !== undefined && route.length <= 1;
      if (route !== undefined && hasLeft === undefined) return { target, route };
      if (mayConnect && !candidate.triedConnecting && !isNear) return { target };
      if (route !== undefined && hasLeft) return { target, route };
      if (candidate.lastFailure !== undefined) candidate.isGivenUp = true;
      else this.#giveUp(candidate, new WayFailed({ kind: 'mayNotConnect' }));
    } catch (error) {
      this.#giveUp(candidate, error);
    }
    return undefined;
  }

  /** Gives up a candidate that never had a way. @throws the error, unless it only means that there is no way. */
  #giveUp(candidate: Candidate, error: unknown): void {
    const failure = failureOf(error);
    this.steps.end(this.steps.begin(candidate.target, candidate.pathIndex), 'unreachable', failure);
    candidate.lastFailure = failure;
    candidate.isGivenUp = true;
  }

  /**
   * Tries a way. If the request cannot be sent, records the reason in the step.
   * @throws any error after which no other way could succeed
   */
  async #try(candidate: Candidate, way: Way): Promise<void> {
    const step = this.steps.begin(candidate.target, candidate.pathIndex);
    try {
      const route = way.route ?? (await this.#connect(candidate, way.target, step));
      if (this.#isOver) return;
      step.route = route;
      await this.#send(candidate, route, step);
    } catch (error) {
      const failure = failureOf(error);
      candidate.lastFailure = failure;
      this.steps.end(step, 'unreachable', failure);
    }
  }

  async #connect(candidate: Candidate, target: NodeId, step: FetchStep): Promise<MessageRoute> {
    candidate.triedConnecting = true;
    step.outcome = 'connecting';
    try {
      const route = await this.#options.messenger.connect(target);
      step.connected = true;
      step.outcome = 'sending';
      return route;
    } catch (error) {
      if (!(error instanceof FulguriteError) || FATAL.includes(error.name)) throw error;
      const why =
        error instanceof WayFailed && error.reason.kind === 'takesNoMessages'
          ? error.reason
          : ({ kind: 'network', error: error.name, cause: error.message } as const);
      throw new WayFailed({ kind: 'connectFailed', why });
    }
  }

  async #send(candidate: Candidate, route: MessageRoute, step: FetchStep): Promise<void> {
    const { messenger } = this.#options;
    for (const id of route.slice(0, -1)) this.#avoid.add(messenger.indexOf(id));
    candidate.routes.set(keyOf(route), false);
    const { content, isAnswered } = this.#request;
    const replyPath = isAnswered ? this.#awaitReply(candidate, route, step) : undefined;
    const hasLeft = await this.#untilRoom(() =>
      messenger.send(route, candidate.path, { ...content, replyPath }),
    );
    if (!hasLeft) return;
    candidate.routes.set(keyOf(route), true);
    this.#sends++;
    if (step.outcome !== 'answered') this.steps.end(step, 'sent');
    if (!isAnswered) this.#answer({ pathIndex: candidate.pathIndex, content: {} });
  }

  /**
   * Repeats a send while too many messages are queued for the peer, until the queue has room.
   * @returns whether the message was sent; false if the delivery ended first
   */
  async #untilRoom(send: () => Promise<void>): Promise<boolean> {
    while (!this.#isOver) {
      try {
        await send();
        return true;
      } catch (error) {
        if (!(error instanceof FulguriteError) || error.name !== 'busy') throw error;
        this.#noRoom = error;
        await this.#pause();
      }
    }
    return false;
  }

  /** Creates the path for the reply, and registers its secret before anything is sent. */
  #awaitReply({ path, pathIndex }: Candidate, route: MessageRoute, step: FetchStep): BlindedPath {
    const { messenger, clock, answerTimes } = this.#options;
    const secret = freshSecret();
    const sentMs = clock.monotonicMs();
    const { isAnswer = () => true } = this.#request;
    const receive = (content: MessageContent): void => {
      if (!isAnswer(content)) return;
      const nowMs = clock.monotonicMs();
      answerTimes.note(nowMs, nowMs - sentMs);
      this.steps.end(step, 'answered');
      this.#answer({ pathIndex, content });
    };
    this.#cancels.push(messenger.awaitReply(secret, receive));
    return messenger.replyPath(route, path, secret);
  }

  /** The error if there is no answer in time, or a peer's queue never had room for the request. */
  #late(): Error {
    const isQueued = this.#sends === 0 && this.#noRoom !== undefined;
    return isQueued ? this.#noRoom! : timedOut(this.#request.timeoutMs);
  }

  /** The error for a request that could not be sent, with the reason of the last candidate. */
  #unreachable(): FetchFailed {
    const { target, path, lastFailure } = this.#candidates.at(-1) as Candidate;
    return new FetchFailed({ kind: 'unreachable', target, isPath: path !== undefined, why: lastFailure });
  }
}

/** The offer's paths in order. The issuer itself is a candidate only if there are no paths (BOLT 12). */
function candidatesOf({ offerIssuerId, offerPaths }: DeliveryRequest['to']): Candidate[] {
  const fresh = () => ({ routes: new Map<string, boolean>(), triedConnecting: false, isGivenUp: false });
  if (offerPaths === undefined) {
    const nodeId = nodeIdFromBytes(offerIssuerId as Uint8Array);
    return [{ pathIndex: undefined, path: undefined, target: nodeId, nodeId, ...fresh() }];
  }
  return offerPaths.map((path, pathIndex) => {
    const { firstNode } = path;
    const target = firstNode instanceof Uint8Array ? toHex(firstNode) : formatShortChannelIdDir(firstNode);
    return { pathIndex, path, target, nodeId: undefined, ...fresh() };
  });
}

function keyOf(route: MessageRoute): string {
  return route.join();
}

/**
 * Converts an error on one way to the reason for the failure of this way.
 * @throws an error if no other way can succeed: the request is too long for any message, the service is busy or stops,
 *   or a worker has died
 */
function failureOf(error: unknown): WayFailure {
  if (error instanceof WireError) {
    const { reason, message: cause } = error;
    if (reason === 'tooLong') throw new FetchFailed({ kind: 'requestTooLong', cause });
    return { kind: 'notHandedOver', cause };
  }
  if (!(error instanceof FulguriteError) || FATAL.includes(error.name)) throw error;
  return error instanceof WayFailed ? error.reason : { kind: 'notHandedOver', cause: error.message };
}

function timedOut(timeoutMs: number): FetchFailed {
  return new FetchFailed({ kind: 'timedOut', timeoutMs });
}
