/**
 * Compares three records of the same payments: our journal, the records of our network, and the application's own list.
 * It only reads.
 *
 * journal against network   The network must have settled each HTLC that is settled in the journal, with the same
 *                           amount. An HTLC that failed in the journal must be neither settled nor pending on the
 *                           network. The network must have no HTLC of ours that is missing in the journal. A network
 *                           that can list its HTLCs is queried once. HTLCs whose outcome differs from this list are
 *                           then looked up individually, because they may have ended since.
 * journal against list      Each payment in the list must be complete in the journal, with the same amount. Each
 *                           complete payment with an idempotency key or a quote must be in the list.
 */
import { toHex } from '../../bolt/bytes.ts';
import type { HtlcState, NetworkPort, SentHtlc } from '../../network/port.ts';
import { routeKey } from '../learn/learning.ts';
import { type Attempt, absoluteExpiry, type Payment, type PaymentStatus, routeDelay } from '../payment.ts';
import { quoteIdOf } from '../quotes/quote-key.ts';
import { htlcKey } from '../send/outgoing-htlc.ts';
import type { Journal } from './journal.ts';

/**
 * The caller's own list: amounts in msat by payment, identified by its idempotency key, the id of its quote, its payment
 * hash or its id.
 */
export type ApplicationList = ReadonlyMap<string, bigint>;

/** Kinds of differences: first between journal and network, then between journal and list. */
export type DifferenceKind =
  | 'missingAtNode'
  | 'missingInJournal'
  | 'failedInJournal'
  | 'amountDiffers'
  | 'missingPayment'
  | 'notPaid'
  | 'stillPending'
  | 'listedAmountDiffers'
  | 'missingInList';

/** One difference. An amount is undefined if its record does not have the payment, or was not compared. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly paymentId?: string;
  readonly paymentHash?: string;
  readonly partId?: number;
  readonly key?: string;
  readonly journalMsat?: bigint;
  readonly nodeMsat?: bigint;
  readonly listMsat?: bigint;
}

/** A payment without an outcome, or with an HTLC in flight. */
export interface OpenPayment {
  readonly payment: Payment;
  readonly parts: number;
  readonly inFlightMsat: bigint;
  /** Block height from which no part can arrive any more. Undefined when nothing is in flight. */
  readonly certainAtHeight: number | undefined;
}

/** Counts and sums of payments in one state. */
interface StateSums {
  count: number;
  amountMsat: bigint;
  sentMsat: bigint;
}

/** The result of a comparison. Lists are bounded; counts and sums cover everything. */
export interface Reconciliation {
  readonly complete: StateSums;
  readonly failed: StateSums;
  readonly pending: StateSums;
  /** Number of HTLCs that the network has forgotten because of their age, so that they could not be compared. */
  readonly notJudged: number;
  /** Number of our HTLCs that the network listed. Undefined if it cannot list HTLCs. */
  readonly nodeHtlcs: number | undefined;
  readonly differences: readonly Difference[];
  readonly differenceCount: number;
  /** Sum of the differences between journal and network. */
  readonly unexplainedMsat: bigint;
  /** Sum of the differences between journal and list. */
  readonly listUnexplainedMsat: bigint;
  readonly open: readonly OpenPayment[];
}

/** The records to compare. */
export interface Books {
  readonly journal: Pick<Journal, 'written' | 'paymentPages' | 'lastAttemptIndex'>;
  readonly network: Pick<NetworkPort, 'sentHtlcs' | 'outcomes' | 'capabilities'>;
  readonly list: ApplicationList | undefined;
  /** Payments that started earlier are left out. UNIX milliseconds. */
  readonly sinceMs: number;
}

/** Maximum number of listed differences, and of listed open payments. */
const MAX_SHOWN = 1000;
/** Number of HTLCs looked up at a time. */
const ASKED_AT_ONCE = 100;

/** Compares the records. @throws FulguriteError nodeAway, storeFailed */
export async function reconcile(books: Books): Promise<Reconciliation> {
  return new BookComparison(books).run();
}

/**
 * A payment of an invoice may have failed before a later one succeeded, so one key can match several payments. Only the
 * payment with the lowest rank counts.
 */
const RANK: Readonly<Record<PaymentStatus, number>> = { complete: 0, pending: 1, failed: 2 };

/** A payment that a key of the list refers to. */
interface Matched {
  readonly paymentId: string;
  readonly paymentHash: string;
  readonly journalMsat: bigint;
  readonly status: PaymentStatus;
}

const zero = (): StateSums => ({ count: 0, amountMsat: 0n, sentMsat: 0n });

class BookComparison {
  readonly #books: Books;
  readonly #sums = { complete: zero(), failed: zero(), pending: zero() };
  readonly #differences: Difference[] = [];
  readonly #open: OpenPayment[] = [];
  /** HTLCs listed by the network that the journal has not matched yet, by attempt. */
  readonly #listed = new Map<string, SentHtlc>();
  /** Attempts that must be looked up individually, because the network's list is not conclusive about them. */
  #doubtful: { readonly payment: Payment; readonly attempt: Attempt }[] = [];
  readonly #unmatched: Map<string, bigint>;
  /** The payment that each key of the list refers to. */
  readonly #matched = new Map<string, Matched>();
  #differenceCount = 0;
  #notJudged = 0;
  #unexplainedMsat = 0n;
  #listUnexplainedMsat = 0n;

  constructor(books: Books) {
    this.#books = books;
    this.#unmatched = new Map(books.list);
  }

  async run(): Promise<Reconciliation> {
    const { journal, network, sinceMs } = this.#books;
    // The network is read first, because each of its HTLCs was in the journal before it left.
    const htlcs = await network.sentHtlcs?.(sinceMs);
    for (const htlc of htlcs ?? []) this.#listed.set(htlc.attemptId, htlc);
    await journal.written();
    for await (const page of journal.paymentPages()) {
      for (const payment of page) this.#judge(payment);
      if (this.#doubtful.length >= ASKED_AT_ONCE) await this.#ask();
    }
    await this.#ask();
    for (const htlc of this.#listed.values()) {
      this.#note({
        kind: 'missingInJournal',
        paymentHash: toHex(htlc.paymentHash),
        partId: htlc.partId,
        nodeMsat: htlc.amountMsat,
      });
    }
    for (const [key, matched] of this.#matched) this.#compareMatched(key, matched);
    for (const [key, listMsat] of this.#unmatched) this.#note({ kind: 'missingPayment', key, listMsat });
    return {
      ...this.#sums,
      nodeHtlcs: htlcs?.length,
      notJudged: this.#notJudged,
      differences: this.#differences,
      differenceCount: this.#differenceCount,
      unexplainedMsat: this.#unexplainedMsat,
      listUnexplainedMsat: this.#listUnexplainedMsat,
      open: this.#open,
    };
  }

  #judge(payment: Payment): void {
    const isJudged = payment.createdAtMs >= this.#books.sinceMs;
    for (const attempt of payment.attempts) {
      const htlc = this.#listed.get(attempt.id);
      this.#listed.delete(attempt.id);
      if (isJudged) this.#compare(payment, attempt, htlc);
    }
    if (!isJudged || payment.request.kind === 'probe') return;
    this.#add(payment);
    this.#compareWithList(payment);
  }

  #add(payment: Payment): void {
    const sums = this.#sums[payment.status];
    const counted = payment.attempts.filter(({ status }) => status !== 'failed');
    sums.count++;
    for (const { amountMsat, amountSentMsat } of counted) {
      sums.amountMsat += amountMsat;
      sums.sentMsat += amountSentMsat;
    }
    const inFlight = payment.attempts.filter(({ status }) => status === 'sent');
    if (payment.status !== 'pending' && inFlight.length === 0) return;
    if (this.#open.length === MAX_SHOWN) return;
    const expiries = inFlight.map(({ height, path }) => absoluteExpiry(height, routeDelay(path)));
    this.#open.push({
      payment,
      parts: inFlight.length,
      inFlightMsat: inFlight.reduce((sum, { amountSentMsat }) => sum + amountSentMsat, 0n),
      certainAtHeight: expiries.length === 0 ? undefined : Math.max(...expiries),
    });
  }

  /** @param htlc the attempt's entry in the network's list, if it has one */
  #compare(payment: Payment, attempt: Attempt, htlc: SentHtlc | undefined): void {
    const { status, amountSentMsat } = attempt;
    if (htlc === undefined) {
      if (this.#isForgotten(attempt)) {
        this.#notJudged++;
        return;
      }
      const isExpected = status === 'settled' || this.#books.network.sentHtlcs === undefined;
      if (isExpected && status !== 'sent') this.#doubtful.push({ payment, attempt });
      return;
    }
    if (htlc.amountMsat !== amountSentMsat) {
      this.#noteOf('amountDiffers', payment, attempt, htlc.amountMsat);
    } else if (status === 'failed') {
      this.#doubtful.push({ payment, attempt });
    }
  }

  #isForgotten({ createdIndex }: Attempt): boolean {
    const { journal, network } = this.#books;
    const remembered = network.capabilities.rememberedHtlcs ?? Number.POSITIVE_INFINITY;
    return journal.lastAttemptIndex - createdIndex >= remembered;
  }

  /** Looks up each doubtful attempt on the network. */
  async #ask(): Promise<void> {
    const doubtful = this.#doubtful;
    this.#doubtful = [];
    if (!this.#books.network.capabilities.pays) return;
    for (let first = 0; first < doubtful.length; first += ASKED_AT_ONCE) {
      const some = doubtful.slice(first, first + ASKED_AT_ONCE);
      const keys = some.map(({ payment, attempt }) => htlcKey(payment, attempt));
      const states = await this.#books.network.outcomes(keys);
      for (const { payment, attempt } of some) this.#compareState(payment, attempt, states.get(attempt.id));
    }
  }

  #compareState(payment: Payment, attempt: Attempt, state: HtlcState | undefined): void {
    const isSettled = state?.status === 'settled';
    if (attempt.status === 'settled' && !isSettled) {
      this.#noteOf('missingAtNode', payment, attempt, undefined);
    } else if (attempt.status === 'failed' && (isSettled || state?.status === 'pending')) {
      // A network that cannot list HTLCs identifies an attempt only by its route, so it may report the state of a
      // different attempt with the same route.
      const listsHtlcs = this.#books.network.sentHtlcs !== undefined;
      if (!listsHtlcs && payment.attempts.some((other) => standsFor(other, attempt))) return;
      this.#noteOf('failedInJournal', payment, attempt, attempt.amountSentMsat);
    }
  }

  #compareWithList(payment: Payment): void {
    const { list } = this.#books;
    if (list === undefined) return;
    const { request, id, status } = payment;
    const paymentHash = toHex(payment.paymentHash);
    const { idempotencyKey } = request;
    // The idempotency key of a payment by quote is ours. Its caller knows only the quote's id.
    const callersKey = idempotencyKey && (quoteIdOf(idempotencyKey) ?? idempotencyKey);
    const key = [callersKey, idempotencyKey, paymentHash, id].find(
      (one) => one !== undefined && list.has(one),
    );
    if (key === undefined) {
      if (status !== 'complete' || callersKey === undefined) return;
      const journalMsat = request.amountMsat;
      this.#note({
        kind: 'missingInList',
        paymentId: id,
        paymentHash,
        key: callersKey,
        journalMsat,
      });
      return;
    }
    this.#unmatched.delete(key);
    const before = this.#matched.get(key);
    if (before !== undefined && RANK[before.status] <= RANK[status]) return;
    this.#matched.set(key, { paymentId: id, paymentHash, journalMsat: request.amountMsat, status });
  }

  #compareMatched(key: string, { status, ...payment }: Matched): void {
    const listMsat = this.#books.list!.get(key)!;
    const common = { ...payment, key, listMsat };
    if (status === 'failed') this.#note({ ...common, kind: 'notPaid' });
    else if (status === 'pending') this.#note({ ...common, kind: 'stillPending' });
    else if (payment.journalMsat !== listMsat) this.#note({ ...common, kind: 'listedAmountDiffers' });
  }

  #noteOf(
    kind: DifferenceKind,
    { id, paymentHash, request }: Payment,
    { partId, status, amountSentMsat }: Attempt,
    nodeMsat: bigint | undefined,
  ): void {
    this.#note({
      kind,
      paymentId: id,
      paymentHash: toHex(paymentHash),
      partId,
      ...(request.idempotencyKey !== undefined && { key: request.idempotencyKey }),
      journalMsat: status === 'failed' ? 0n : amountSentMsat,
      ...(nodeMsat !== undefined && { nodeMsat }),
    });
  }

  #note(difference: Difference): void {
    const { kind, journalMsat = 0n, nodeMsat = 0n, listMsat } = difference;
    this.#differenceCount++;
    if (this.#differences.length < MAX_SHOWN) this.#differences.push(difference);
    if (listMsat !== undefined || kind === 'missingInList') {
      const paid = kind === 'notPaid' || kind === 'stillPending' ? 0n : journalMsat;
      this.#listUnexplainedMsat += distance(paid, listMsat ?? 0n);
    } else {
      this.#unexplainedMsat += distance(journalMsat, nodeMsat);
    }
  }
}

/** Whether `other` did not fail, and has the same route, amounts and expiries as the second attempt. */
function standsFor(other: Attempt, { height, path }: Attempt): boolean {
  return other.status !== 'failed' && other.height === height && routeKey(other.path) === routeKey(path);
}

const distance = (one: bigint, other: bigint): bigint => (one > other ? one - other : other - one);
