/**
 * Our HTLCs at an LND node, from `SendToRouteV2` to their outcome.
 *
 *     request written ──▶ answer: settled or failed
 *              ├── refused before it left (LND's checks) ──▶ refusal
 *              └── no answer, or an inconclusive one ──▶ the caller queries ──▶ LND's payments
 *
 * Each call lasts as long as its HTLC. LND has accepted the HTLC once a report of our channels contains its hash, or
 * the call returns its outcome. LND stores an attempt before the HTLC leaves, and continues without us. So a restart,
 * ours or the node's, loses nothing.
 *
 * A gRPC status alone does not show whether an HTLC left: LND answers with `Unknown` both when it refuses a request and
 * when it stops while the HTLC is in progress. So only the messages of LND's own checks count as a refusal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { equalBytes, toHex } from '../../bolt/bytes.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { FAILURES } from '../../bolt/onion/failure.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { Log } from '../../rpc/log.ts';
import { MAY_NOT_LEAVE } from '../kept-link.ts';
import type {
  HtlcKey,
  HtlcOutcome,
  HtlcState,
  OutcomeListener,
  OutgoingHtlc,
  RefusalCause,
  TakenHtlc,
} from '../port.ts';
import type { HtlcAttempt, LndPayment } from './answers.ts';
import type { LndChannelWatch } from './channel-watch.ts';
import { LndError, STATUS } from './client/calls.ts';
import { outcomeOf } from './failure-of.ts';
import { LostHtlcs } from './lost-htlcs.ts';
import { isNodeTrouble, type LndLink } from './node-link.ts';
import { OpenSets } from './open-sets.ts';
import { attemptIn, type LookupOptions, paymentOf, stateOf } from './payment-lookup.ts';
import { isOfOpenSet, sendToRouteRequest } from './route-of.ts';
import type { LndTiming } from './timing.ts';

/** Maximum number of HTLCs that one call of `outcomes` queries concurrently. */
const MAX_QUESTIONS = 16;

/** The parts of the adapter that the tracker needs. */
export interface LndTrackerOptions {
  readonly link: LndLink;
  readonly channels: LndChannelWatch;
  readonly height: () => number;
  readonly timing: LndTiming;
  readonly log: Log;
}

/** Sends HTLCs through the node, and reports their outcomes. */
export class LndHtlcTracker {
  readonly #options: LndTrackerOptions;
  readonly #listeners = new Set<OutcomeListener>();
  /** Attempts whose call is in progress. The answer to the call will contain the outcome. */
  readonly #calls = new Set<string>();
  /** Attempts whose payment is being followed. */
  readonly #followed = new Set<string>();
  readonly #lookup: LookupOptions;
  readonly #sets: OpenSets;
  readonly #closing = new AbortController();

  constructor(options: LndTrackerOptions) {
    this.#options = options;
    const { link, timing } = options;
    this.#sets = new OpenSets(options);
    this.#lookup = { link, lost: new LostHtlcs(options), timeoutMs: timing.callMs };
  }

  onOutcome(listener: OutcomeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** As `NetworkPort.send`. */
  async send(htlc: OutgoingHtlc, mayLeave = (): boolean => true): Promise<TakenHtlc> {
    this.#requireOpen();
    const { link, timing } = this.#options;
    const request = sendToRouteRequest(htlc);
    try {
      await link.able(timing.returnMs);
    } catch (error) {
      if (!isNodeTrouble(error)) throw error;
      this.#requireOpen();
      return this.#refuse(htlc, 'nodeAway', error.message);
    }
    if (isOfOpenSet(htlc)) await this.#sets.begin(htlc);
    if (!mayLeave()) return this.#refuse(htlc, 'neverLeft', MAY_NOT_LEAVE);
    return this.#takenOrAnswered(htlc, request);
  }

  /** Resolves once the call is answered, or a report shows that the HTLC is on its channel. */
  #takenOrAnswered(htlc: OutgoingHtlc, request: object): Promise<TakenHtlc> {
    const { channels } = this.#options;
    const hash = toHex(htlc.paymentHash);
    return new Promise((resolve, reject) => {
      let isTaken = false;
      const unsubscribe = channels.onReport(({ revision }) => {
        if (!channels.pendingHashes.has(hash)) return;
        // Other parts have the same hash, so this report may show one of them. Only the next report certainly includes
        // this part.
        isTaken = true;
        unsubscribe();
        resolve({ channelsRevision: htlc.isPartOfSeveral ? channels.nextRevision() : revision });
      });
      this.#call(htlc, request).then(
        (taken) => {
          unsubscribe();
          resolve(taken);
        },
        (error) => {
          unsubscribe();
          // Callers waiting for the outcome already know that LND accepted the HTLC, so we find out how it ended.
          if (isTaken) this.#follow(htlc);
          else reject(error);
        },
      );
    });
  }

  /**
   * Makes the call, and converts the answer. @throws LndError, FulguriteError if it is unknown whether the HTLC was
   * sent
   */
  async #call(htlc: OutgoingHtlc, request: object): Promise<TakenHtlc> {
    const { link, channels } = this.#options;
    const { attemptId } = htlc;
    this.#calls.add(attemptId);
    try {
      const attempt = await link.callForever<HtlcAttempt>('SendToRouteV2', request);
      const outcome = outcomeOf(attempt);
      if (outcome === undefined)
        throw new FulguriteError('unspecified', 'LND answered before the HTLC ended');
      requirePreimage(htlc, outcome);
      this.#tell(htlc, outcome);
      return { channelsRevision: channels.nextRevision() };
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined) throw error;
      const { cause, reason } = refusal;
      return this.#refuse(htlc, cause, reason, cause === 'paidElsewhere' && (await this.#preimageOf(htlc)));
    } finally {
      this.#calls.delete(attemptId);
    }
  }

  /** As `NetworkPort.outcomes`. */
  async outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    this.#requireOpen();
    const { link, timing } = this.#options;
    const connection = await link.up(timing.callMs);
    const states = new Map<string, HtlcState>();
    const ask = async (key: HtlcKey): Promise<void> => {
      const state = this.#calls.has(key.attemptId) ? PENDING : await stateOf(this.#lookup, connection, key);
      if (state.status === 'settled') requirePreimage(key, state);
      states.set(key.attemptId, state);
      if (state.status === 'neverLeft') this.#sets.end(key, NEVER_LEFT);
      else if (state.status !== 'pending' && state.status !== 'unknown') this.#sets.end(key, state);
      if (state.status === 'pending' && !this.#calls.has(key.attemptId)) this.#follow(key);
    };
    for (let at = 0; at < keys.length; at += MAX_QUESTIONS) {
      await Promise.all(keys.slice(at, at + MAX_QUESTIONS).map(ask));
    }
    return states;
  }

  /** Closes the tracker. Resolves once LND has ended the payments whose parts have all failed, or after a short time. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#listeners.clear();
    await this.#sets.flush();
  }

  /** The preimage of a hash that LND has paid for another caller. Undefined when LND does not show it. */
  async #preimageOf(key: HtlcKey): Promise<Uint8Array | undefined> {
    const { link, timing } = this.#options;
    try {
      const payment = await paymentOf(link, key.paymentHash, timing.callMs);
      const preimage = Uint8Array.from(Buffer.from(payment?.payment_preimage ?? '', 'hex'));
      return equalBytes(sha256(preimage), key.paymentHash) ? preimage : undefined;
    } catch (error) {
      if (!isNodeTrouble(error)) throw error;
      return undefined;
    }
  }

  #refuse(key: HtlcKey, cause: OwnRefusalCause, reason: string, preimage?: Uint8Array | false): TakenHtlc {
    const isTemporary = cause === 'nodeAway' || cause === 'neverLeft';
    const kind = isTemporary ? 'temporary_node_failure' : 'permanent_node_failure';
    const refused = { status: 'refused', failureCode: FAILURES[kind].code, reason, cause } as const;
    this.#tell(key, preimage ? { ...refused, preimage } : refused);
    return { channelsRevision: this.#options.channels.report.revision };
  }

  #tell(key: HtlcKey, outcome: HtlcOutcome): void {
    const { attemptId, path, paymentHash } = key;
    this.#sets.end(key, outcome);
    const isBack = outcome.status === 'settled' || outcome.status === 'refused';
    if (!isBack && path?.[0] !== undefined) {
      this.#options.channels.returning(path[0].shortChannelId, toHex(paymentHash));
    }
    for (const listener of this.#listeners) listener(attemptId, outcome);
  }

  // ---------------------------------------------------------------- following

  /** Waits for the outcome of an HTLC that LND has, and reports it. */
  #follow(key: HtlcKey): void {
    if (this.#followed.has(key.attemptId)) return;
    this.#followed.add(key.attemptId);
    this.#outcomeOf(key).then(
      (outcome) => {
        this.#followed.delete(key.attemptId);
        this.#options.channels.look();
        this.#tell(key, outcome);
      },
      (error) => {
        this.#followed.delete(key.attemptId);
        if (!this.#isClosed) this.#options.log.broken(`cannot follow ${toHex(key.paymentHash)}: ${error}`);
      },
    );
  }

  /** Waits for the outcome of an HTLC, however long it takes. Rejects only with shuttingDown. */
  async #outcomeOf(key: HtlcKey): Promise<HtlcOutcome> {
    const { link, timing, log } = this.#options;
    for (let doubtMs = timing.firstDoubtMs; ; doubtMs = Math.min(2 * doubtMs, timing.lastDoubtMs)) {
      this.#requireOpen();
      try {
        const connection = await link.up(timing.callMs);
        const state = await stateOf(this.#lookup, connection, key);
        if (state.status === 'neverLeft') return NEVER_LEFT;
        if (state.status === 'pending') {
          const outcome = await this.#watch(key);
          if (outcome !== undefined) {
            requirePreimage(key, outcome);
            return outcome;
          }
        } else if (state.status !== 'unknown') {
          requirePreimage(key, state);
          return state;
        }
      } catch (error) {
        if (!isNodeTrouble(error)) throw error;
        log.debug(`${toHex(key.paymentHash)}: ${error.message}`);
      }
      await sleep(doubtMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  /** Follows the payment's changes until the HTLC has ended. Undefined when the stream ends first. */
  #watch(key: HtlcKey): Promise<HtlcOutcome | undefined> {
    return new Promise((resolve) => {
      const { signal } = this.#closing;
      const done = (outcome: HtlcOutcome | undefined): void => {
        end();
        signal.removeEventListener('abort', stop);
        resolve(outcome);
      };
      const stop = (): void => done(undefined);
      const end = this.#options.link.stream<LndPayment>(
        'TrackPaymentV2',
        { payment_hash: key.paymentHash },
        (payment) => {
          const attempt = attemptIn(payment, key);
          const outcome = attempt && outcomeOf(attempt);
          if (outcome !== undefined) done(outcome);
        },
        stop,
      );
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new FulguriteError('shuttingDown', 'the network is closed');
  }
}

const PENDING: HtlcState = { status: 'pending' };

/** LND never accepted the request, or stopped before it added the HTLC to a channel. */
const NEVER_LEFT: HtlcOutcome = {
  status: 'refused',
  failureCode: FAILURES.temporary_channel_failure.code,
  reason: 'Not sent: LND did not add the HTLC to a channel',
  cause: 'neverLeft',
};

/** Why the tracker itself refuses an HTLC. */
type OwnRefusalCause = Extract<
  RefusalCause,
  'declined' | 'nodeAway' | 'neverLeft' | 'paidElsewhere' | 'underWayElsewhere'
>;

/** LND's messages when it refuses a request before an HTLC leaves (payments/db/errors.go, routing, routerrpc). */
const REFUSALS: readonly (readonly [
  words: RegExp,
  cause: Exclude<OwnRefusalCause, 'nodeAway' | 'neverLeft'>,
])[] = [
  [/invoice is already paid|payment is already succeeded/, 'paidElsewhere'],
  [/payment is in transition|payment already exists/, 'underWayElsewhere'],
  ...[
    /payment has already failed/,
    /payment has reached terminal condition/,
    /attempted value doesn't match payment amount/,
    /attempted value exceeds payment amount/,
    /payment has non-MPP attempts/,
    /payment has MPP attempts/,
    /blinded payment cannot contain MPP records/,
    /blinded path total amount mismatch/,
    /mixed blinded and non-blinded payments/,
    /blinded payment final hop must set total amount/,
    /payment address mismatch/,
    /mp payment total amount mismatch/,
    /payment has settled htlcs/,
    /payment has failure reason/,
    /cannot skip temp error for non-MPP/,
    /edge not found/,
    /unable to (?:unmarshal|parse)/,
    /invalid (?:custom record|blinding point|payment addr)/,
    /no custom records with types below/,
    /encrypted data should be present/,
    /blinded total amount can only be provided/,
  ].map((words) => [words, 'declined'] as const),
];

/** LND's reason for refusing before the HTLC left. Undefined when the error is not such a refusal. */
function refusalIn(error: unknown): { readonly cause: OwnRefusalCause; readonly reason: string } | undefined {
  // LND checks the macaroon before it processes the request, so no HTLC has left.
  if (error instanceof FulguriteError && error.name === 'notSupported') {
    return { cause: 'declined', reason: error.message };
  }
  if (!(error instanceof LndError)) return undefined;
  const { status, message: reason } = error;
  if (status !== STATUS.unknown && status !== STATUS.alreadyExists) return undefined;
  const cause = REFUSALS.find(([words]) => words.test(reason))?.[1];
  return cause && { cause, reason };
}

/** @throws FulguriteError when the preimage does not match the hash, and so proves nothing */
function requirePreimage({ paymentHash }: HtlcKey, outcome: HtlcOutcome): void {
  if (outcome.status !== 'settled' || equalBytes(sha256(outcome.preimage), paymentHash)) return;
  throw new FulguriteError('unspecified', 'LND returned a preimage that does not match the hash');
}
