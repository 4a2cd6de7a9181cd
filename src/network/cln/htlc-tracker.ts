/**
 * Our HTLCs at a Core Lightning node, from `sendonion` to their outcome.
 *
 *     preapproved ──▶ sendonion written ──▶ answered: pending ──▶ waitsendpay ──▶ outcome
 *                                   │                                  └─ connection lost ─┐
 *                                   └─ no answer: unknown ──▶ the caller queries ──▶ the node's rows
 *
 * The node stores a row for every accepted part, and `waitsendpay` may be called any number of times. So a restart,
 * ours or the node's, loses nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { equalBytes, toHex } from '../../bolt/bytes.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { FAILURES } from '../../bolt/onion/failure.ts';
import { FulguriteError } from '../../model/errors.ts';
import { formatShortChannelId } from '../../model/short-channel-id.ts';
import type { Log } from '../../rpc/log.ts';
import { MAY_NOT_LEAVE, nodeAway } from '../kept-link.ts';
import type { OnionBuilder } from '../onions/onion-builder.ts';
import type {
  HtlcKey,
  HtlcOutcome,
  HtlcState,
  OutcomeListener,
  OutgoingHtlc,
  SentHtlc,
  TakenHtlc,
} from '../port.ts';
import { type Members, NodeError } from './answer.ts';
import { Approvals } from './approvals.ts';
import type { ClnChannelWatch } from './channel-watch.ts';
import type { NodeConnection, NodeLink } from './node-link.ts';
import { isNodeTrouble, PaymentRows, partOf } from './payment-rows.ts';
import { Semaphore } from './semaphore.ts';
import { attemptOf, labelOf, sentHtlcs } from './sent-htlcs.ts';
import type { ClnTiming } from './timing.ts';
import {
  isMisattributed,
  isOfLostProcess,
  PAY,
  type PartAnswer,
  readPart,
  readPartError,
  refusalOf,
} from './wait-outcome.ts';

/**
 * Maximum number of unanswered sends. The fence (see node-link.ts) needs this number to be small: the node serves a
 * hundred requests of one connection before it serves others.
 */
const MAX_UNANSWERED = 32;
/** Maximum number of HTLCs that one call of `outcomes` queries concurrently. */
const MAX_QUESTIONS = 16;

/** An HTLC with its onion, and the last check before it may leave. */
interface PreparedHtlc {
  readonly htlc: OutgoingHtlc;
  readonly onion: Uint8Array;
  readonly mayLeave: () => boolean;
}

/** The parts of the adapter that the tracker needs. */
export interface TrackerOptions {
  readonly link: NodeLink;
  readonly channels: ClnChannelWatch;
  readonly onions: OnionBuilder;
  readonly height: () => number;
  readonly timing: ClnTiming;
  readonly log: Log;
}

/** Sends HTLCs through the node, and reports their outcomes. */
export class HtlcTracker {
  readonly #options: TrackerOptions;
  readonly #listeners = new Set<OutcomeListener>();
  readonly #approvals: Approvals;
  readonly #unansweredSends = new Semaphore(MAX_UNANSWERED);
  /** Attempts whose `sendonion` was written but not answered, on a connection that is still open. */
  readonly #unanswered = new Set<string>();
  readonly #followed = new Map<string, Followed>();
  readonly #closing = new AbortController();

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#approvals = new Approvals(options.link);
  }

  onOutcome(listener: OutcomeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** As `NetworkPort.send`. */
  async send(htlc: OutgoingHtlc, mayLeave = (): boolean => true): Promise<TakenHtlc> {
    this.#requireOpen();
    const onion = await this.#options.onions.build(htlc);
    const endMs = performance.now() + this.#options.timing.returnMs;
    for (;;) {
      try {
        const connection = await this.#approved(htlc, Math.max(0, endMs - performance.now()));
        if (typeof connection === 'string') return this.#refuse(htlc, 'declined', connection);
        // The connection may break between approval and request, in which case nothing was written to it.
        if (connection.socket.isOpen) return await this.#offerInTurn(connection, { htlc, onion, mayLeave });
      } catch (error) {
        if (!(error instanceof NotWritten)) throw error;
        this.#requireOpen();
        // Nothing was written yet, so the HTLC has certainly not left.
        if (error.isFinal || performance.now() >= endMs) {
          return this.#refuse(htlc, error.isFinal ? 'declined' : 'nodeAway', error.message);
        }
      }
    }
  }

  /**
   * Waits for a node that can pay, and requests its approval. @returns the connection for the offer, or the node's
   * reason for declining
   * @throws NotWritten
   */
  async #approved(htlc: OutgoingHtlc, waitMs: number): Promise<NodeConnection | string> {
    try {
      const connection = await this.#options.link.able(waitMs);
      return (await this.#approvals.of(htlc)) ?? connection;
    } catch (error) {
      if (!isNodeTrouble(error)) throw error;
      throw new NotWritten(error.message, error instanceof NodeError);
    }
  }

  /** Offers the HTLC when its turn comes, and waits for the node's answer, for a bounded time. */
  async #offerInTurn(connection: NodeConnection, offer: PreparedHtlc): Promise<TakenHtlc> {
    const { htlc } = offer;
    let isWritten = false;
    let isGivenUp = false;
    const answered = this.#unansweredSends.run(async () => {
      if (isGivenUp) return undefined;
      isWritten = true;
      return this.#offer(connection, offer);
    });
    const taken = await within(answered, this.#options.timing.callMs);
    if (taken !== undefined) return taken;
    isGivenUp = true;
    const silence = 'the node did not answer in time';
    if (!isWritten) return this.#refuse(htlc, 'nodeAway', silence);
    // The caller then queries the state of the HTLC. A late answer is still read, so its rejection must be handled.
    answered.catch(() => undefined);
    throw nodeAway(`${silence}: it is unknown whether it accepted the HTLC`);
  }

  /** As `NetworkPort.outcomes`. */
  async outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    this.#requireOpen();
    const { link, timing } = this.#options;
    const connection = await link.up(timing.questionMs);
    const rows = new PaymentRows(connection, Date.now);
    const questions = new Semaphore(MAX_QUESTIONS);
    const states = await Promise.all(
      keys.map((key) => questions.run(async () => [key.attemptId, await this.#stateOf(rows, key)] as const)),
    );
    return new Map(states);
  }

  /** As `NetworkPort.sentHtlcs`. */
  async sentHtlcs(sinceMs: number): Promise<readonly SentHtlc[]> {
    this.#requireOpen();
    const { link, timing } = this.#options;
    const connection = await link.up(timing.questionMs);
    // Requests written to an earlier connection may still create a row.
    await this.#asked(connection.fence());
    return this.#asked(sentHtlcs(connection, sinceMs));
  }

  close(): void {
    this.#closing.abort();
    this.#listeners.clear();
    this.#followed.clear();
  }

  async #stateOf(rows: PaymentRows, key: HtlcKey): Promise<HtlcState> {
    // The node has the request and will answer it. Until then, its rows prove nothing.
    if (this.#unanswered.has(key.attemptId)) return { status: 'unknown' };
    const state = await this.#asked(rows.stateOf(key, this.#followed.get(key.attemptId)?.acceptedUnderS));
    if (state.status === 'pending') this.#follow(key);
    if (state.status === 'unknown') {
      this.#options.log.unusual(
        `the outcome of ${toHex(key.paymentHash)} part ${key.partId} is not certain yet`,
      );
    }
    return state;
  }

  async #asked<T>(question: Promise<T>): Promise<T> {
    try {
      return await question;
    } catch (error) {
      if (error instanceof NodeError)
        throw new FulguriteError('unspecified', `the node reports an error: ${error.message}`);
      throw error;
    }
  }

  // ---------------------------------------------------------------- sending

  /** Sends the HTLC, and tries again a few times after refusals of unknown meaning. */
  async #offer(connection: NodeConnection, offer: PreparedHtlc): Promise<TakenHtlc> {
    for (let refusals = 1; ; refusals++) {
      try {
        return await this.#offerOnce(connection, offer);
      } catch (error) {
        if (!(error instanceof UnknownRefusal)) throw error;
        if (refusals >= MAX_UNKNOWN_REFUSALS) return this.#refuse(offer.htlc, 'declined', error.message);
        await sleep(this.#options.timing.firstRetryMs * 2 ** refusals);
      }
    }
  }

  /**
   * Writes the request, if it still may. From here on, the HTLC may leave, even if the connection is lost.
   * @throws UnknownRefusal after a refusal of unknown meaning, if the HTLC certainly did not leave
   */
  async #offerOnce(connection: NodeConnection, { htlc, onion, mayLeave }: PreparedHtlc): Promise<TakenHtlc> {
    const startedS = await connection.startedAt().catch(() => undefined);
    this.#requireOpen();
    const { attemptId } = htlc;
    if (!connection.socket.isOpen)
      return this.#refuse(htlc, 'nodeAway', 'the connection to the node was lost');
    if (!mayLeave()) return this.#refuse(htlc, 'neverLeft', MAY_NOT_LEAVE);
    this.#unanswered.add(attemptId);
    try {
      const answer = await connection.socket.call('sendonion', this.#parametersOf(htlc, onion));
      return this.#accepted(htlc, answer, startedS);
    } catch (error) {
      return await this.#notAccepted(connection, htlc, error);
    } finally {
      this.#unanswered.delete(attemptId);
    }
  }

  #parametersOf(htlc: OutgoingHtlc, onion: Uint8Array): Readonly<Record<string, unknown>> {
    const first = htlc.path[0]!;
    return {
      onion: toHex(onion),
      first_hop: {
        id: first.nodeId,
        channel: formatShortChannelId(first.shortChannelId),
        amount_msat: first.amountMsat,
        // The node adds the delay to the height of the block after its tip.
        delay: Math.max(1, first.cltvExpiry - (this.#options.height() + 1)),
      },
      ...partOf(htlc),
      label: labelOf(htlc),
      bolt11: htlc.invoice,
      ...(htlc.localRequestId && { localinvreqid: toHex(htlc.localRequestId) }),
      ...recipientOf(htlc),
    };
  }

  #accepted(htlc: OutgoingHtlc, result: Members, startedS: number | undefined): TakenHtlc {
    const answer = readPart(result, htlc.paymentHash);
    if (!isOurs(result, htlc))
      return this.#refuseOthers(htlc, answer, 'another payment with this hash succeeded');
    if (typeof answer === 'string' || isMisattributed(answer)) this.#follow(htlc, startedS);
    else this.#tell(htlc, answer);
    return { channelsRevision: this.#options.channels.nextRevision() };
  }

  /**
   * The outcome after an error of `sendonion`: the node either accepted nothing or already had this part. After an
   * error of unknown meaning, the node's rows decide.
   */
  async #notAccepted(connection: NodeConnection, htlc: OutgoingHtlc, error: unknown): Promise<TakenHtlc> {
    if (!(error instanceof NodeError)) throw error;
    const { code, message } = error;
    if (code === PAY.hashUsed && message.startsWith('There already is a payment')) {
      this.#follow(htlc);
      return { channelsRevision: this.#options.channels.nextRevision() };
    }
    if (code === PAY.tryOtherRoute) {
      this.#tell(htlc, refusalOf(error));
      return { channelsRevision: this.#options.channels.nextRevision() };
    }
    if (code === PAY.inProgress || code === PAY.hashUsed || ALREADY_PAID.test(message)) {
      const elsewhere = await paidElsewhere(connection, htlc);
      return elsewhere === 'none'
        ? this.#refuse(htlc, 'declined', message)
        : this.#refuseOthers(htlc, elsewhere, message);
    }
    if (DECLINED.has(code)) return this.#refuse(htlc, 'declined', message);
    const { status } = await new PaymentRows(connection, Date.now).stateOf(htlc);
    if (status === 'neverLeft') throw new UnknownRefusal(message);
    throw new FulguriteError('unspecified', `the node reports an error: ${message}`);
  }

  /** The node accepted nothing, because it is paying this hash for another caller, or has paid it. */
  #refuseOthers(key: HtlcKey, answer: PartAnswer, reason: string): TakenHtlc {
    // A row with the preimage of a different payment proves nothing, and the node accepts no further part with this
    // hash.
    if (isMisattributed(answer)) return this.#refuse(key, 'declined', LOST_AND_REFUSED);
    const isPaid = typeof answer !== 'string' && answer.status === 'settled';
    this.#tell(key, {
      status: 'refused',
      failureCode: FAILURES.permanent_node_failure.code,
      reason,
      cause: isPaid ? 'paidElsewhere' : 'underWayElsewhere',
      ...(isPaid && { preimage: answer.preimage }),
    });
    return { channelsRevision: this.#options.channels.report.revision };
  }

  #refuse(key: HtlcKey, cause: 'declined' | 'nodeAway' | 'neverLeft', reason: string): TakenHtlc {
    const kind = cause === 'declined' ? 'permanent_node_failure' : 'temporary_node_failure';
    this.#tell(key, { status: 'refused', failureCode: FAILURES[kind].code, reason, cause });
    return { channelsRevision: this.#options.channels.report.revision };
  }

  // ---------------------------------------------------------------- outcomes

  #tell({ attemptId }: HtlcKey, outcome: HtlcOutcome): void {
    for (const listener of this.#listeners) listener(attemptId, outcome);
  }

  /** Waits for the outcome of a part that the node has, and reports it. */
  #follow(key: HtlcKey, acceptedUnderS?: number): void {
    if (this.#followed.has(key.attemptId)) return;
    this.#followed.set(key.attemptId, { key, acceptedUnderS });
    this.#outcomeOf(key).then(
      (outcome) => {
        if (outcome !== undefined) this.#ended(key, outcome);
      },
      (error) => {
        this.#followed.delete(key.attemptId);
        if (!this.#isClosed) this.#options.log.broken(`cannot follow ${toHex(key.paymentHash)}: ${error}`);
      },
    );
  }

  /** Reports an outcome, unless an earlier answer has already proven the outcome. */
  #ended(key: HtlcKey, outcome: HtlcOutcome): void {
    if (!this.#followed.delete(key.attemptId)) return;
    this.#options.channels.look();
    this.#tell(key, outcome);
  }

  /** Settles the part to which a preimage belongs, although the node reported the preimage for a different part. */
  #credit(preimage: Uint8Array, reported: HtlcKey): void {
    const hash = sha256(preimage);
    const names = `${toHex(hash)} as that of ${toHex(reported.paymentHash)}`;
    const owner = [...this.#followed.values()].find(({ key }) => equalBytes(key.paymentHash, hash));
    if (owner === undefined) return;
    this.#options.log.unusual(`the node reports the preimage of ${names}; it is credited to ${toHex(hash)}`);
    this.#ended(owner.key, { status: 'settled', preimage });
  }

  /**
   * Waits for the outcome of a part, however long it takes. Undefined if the answer for a different part proves the
   * outcome first. Rejects only with shuttingDown.
   */
  async #outcomeOf(key: HtlcKey): Promise<HtlcOutcome | undefined> {
    const { link, timing } = this.#options;
    let doubtMs = timing.firstDoubtMs;
    let connection = link.connection;
    for (let isFresh = connection !== undefined; ; isFresh = false) {
      this.#requireOpen();
      if (!this.#followed.has(key.attemptId)) return undefined;
      try {
        if (!isFresh) connection = await link.up(timing.questionMs);
        const outcome = await this.#wait(connection!, key, isFresh);
        if (outcome !== undefined) return outcome;
      } catch (error) {
        if (!isNodeTrouble(error)) throw error;
        this.#options.log.debug(`${toHex(key.paymentHash)} part ${key.partId}: ${error.message}`);
      }
      if (connection?.socket.isOpen) {
        await sleep(doubtMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
        doubtMs = Math.min(2 * doubtMs, timing.lastDoubtMs);
      }
    }
  }

  /** Waits for the outcome over one connection. Undefined when the outcome is still uncertain. */
  async #wait(connection: NodeConnection, key: HtlcKey, isFresh: boolean): Promise<HtlcOutcome | undefined> {
    // The node may have died in the meantime. Its rows show whether there is anything to wait for.
    const { acceptedUnderS } = this.#followed.get(key.attemptId) ?? {};
    const rows = new PaymentRows(connection, Date.now);
    const state = isFresh ? PENDING : await rows.stateOf(key, acceptedUnderS);
    if (state.status === 'unknown') return undefined;
    if (state.status === 'neverLeft') return NEVER_LEFT;
    if (state.status !== 'pending') return state;
    try {
      const answer = readPart(await connection.socket.call('waitsendpay', partOf(key)), key.paymentHash);
      if (typeof answer === 'string') return undefined;
      if (!isMisattributed(answer)) return answer;
      this.#credit(answer.preimage, key);
      return undefined;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const answer = readPartError(error);
      if (answer === undefined) throw error;
      if (typeof answer === 'string' || isMisattributed(answer)) return undefined;
      return isOfLostProcess(answer) ? rows.afterLoss(key, answer) : answer;
    }
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new FulguriteError('shuttingDown', 'the network is closed');
  }
}

/**
 * Whether an answer is about the part that we sent. `sendonion` returns a different payment with the same hash if that
 * payment has succeeded.
 */
function isOurs(row: Members, { attemptId, groupId, partId }: OutgoingHtlc): boolean {
  const label = row.text('label');
  return (
    (row.whole('groupid') ?? groupId) === groupId &&
    (row.whole('partid') ?? 0n) === BigInt(partId) &&
    (label === undefined || attemptOf(label) === attemptId)
  );
}

/** The state of another caller's payment with this hash. `none` if the node has no such payment. */
async function paidElsewhere(
  connection: NodeConnection,
  { paymentHash, groupId }: OutgoingHtlc,
): Promise<PartAnswer> {
  const answer = await connection.call('listsendpays', { payment_hash: toHex(paymentHash) });
  const rows = answer.objects('payments');
  const others = rows.filter((row) => row.whole('groupid') !== groupId);
  const complete = (row: Members): boolean => row.text('status') === 'complete';
  // The node considers a part of ours paid, with the preimage of a different payment. It then accepts no further part.
  const mistaken = rows
    .filter(complete)
    .map((row) => readPart(row, paymentHash))
    .find(isMisattributed);
  if (mistaken !== undefined) return mistaken;
  const paid = others.find(complete);
  if (paid !== undefined) return readPart(paid, paymentHash);
  return others.some((row) => row.text('status') === 'pending') ? 'pending' : 'none';
}

/** The amount that arrives at the recipient, and the recipient's id, which is unknown at the end of a blinded path. */
function recipientOf({ path, blindedEnd }: OutgoingHtlc) {
  const { amountMsat, nodeId } = path.at(-1)!;
  if (blindedEnd !== undefined) return { amount_msat: blindedEnd.amountMsat };
  return { amount_msat: amountMsat, destination: nodeId };
}

/**
 * Thrown when nothing of an HTLC has been written to the node. It is final if the node refused the payment, and not
 * final if the connection failed.
 */
class NotWritten extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

const LOST_AND_REFUSED =
  'the node lost the HTLC of an earlier part, recorded the preimage of another payment for that part, and accepts no further part';

/** The node has recorded a success for this hash, and accepts no further part. */
const ALREADY_PAID = /already succeeded/i;

/** An attempt whose outcome will be reported. */
interface Followed {
  readonly key: HtlcKey;
  /**
   * Start time, in UNIX seconds, of the node process that accepted the attempt. Undefined if it is unknown, as after a
   * restart of ours.
   */
  readonly acceptedUnderS: number | undefined;
}

const PENDING: HtlcState = { status: 'pending' };

/** The node stopped, or lost the channel's process, after accepting a part and before committing it to its peer. */
const NEVER_LEFT: HtlcOutcome = {
  status: 'refused',
  failureCode: FAILURES.temporary_channel_failure.code,
  reason: 'Not sent: the node lost the HTLC before adding it to a channel',
  cause: 'neverLeft',
};

/** The node refused an HTLC with a code of unknown meaning, and has no row for it. */
class UnknownRefusal extends Error {}

/** Number of consecutive refusals of unknown meaning after which the payment ends with the node's message. */
const MAX_UNKNOWN_REFUSALS = 3;

/** Errors of `sendonion` that another route cannot fix. */
const DECLINED: ReadonlySet<number> = new Set([PAY.badInvoiceRequest, PAY.keysendDeclined, -32602]);

/** The result of the promise. Undefined if it takes longer than `ms` milliseconds. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}
