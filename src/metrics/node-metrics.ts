/**
 * The metrics of a node, with the names and buckets that operators' dashboards use.
 *
 * The set of labels is closed: no channel, hash, address or node of the network is ever a label. Every series is
 * created when the node starts, so that rates begin at zero. Other parts of the service report through the small
 * interfaces that they declare (`RequestWatcher`, `SearchReport`). Payments are counted from the stream of events.
 * Units are seconds and bytes; amounts are msat.
 */
import { FAILURES, type FailureName } from '../bolt/onion/failure.ts';
import type { SearchOutcome, SearchReport } from '../engine/question/search-report.ts';
import type { AttemptChanged, FetchChanged, NodeEvent, PaymentEnded } from '../events/index.ts';
import { REFUSALS } from '../model/refusals.ts';
import type { FetchEnd } from '../offers/fetch-event.ts';
import { arrived } from '../payments/books/arrival.ts';
import type { AttemptFailure, Obstacle, PaymentKind } from '../payments/payment.ts';
import type { RequestOutcome, RequestWatcher, RpcTransport } from '../rpc/request-watcher.ts';
import { type Counter, CounterFamily, type Family, type Histogram, HistogramFamily } from './family.ts';

const RPC_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300];
const SEARCH_SECONDS = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2];
const SMALL_COUNTS = [1, 2, 3, 5, 8, 12, 20];
const PAYMENT_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600];
const ATTEMPT_COUNTS = [1, 2, 3, 5, 10, 20, 50];
const PROBABILITIES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];
const FETCH_SECONDS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60];
const COMMIT_SECONDS = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2];
const PUBLISH_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

const OUTCOMES: readonly RequestOutcome[] = ['ok', 'error', 'refused', 'fault'];
const KINDS: readonly PaymentKind[] = ['keysend', 'xkeysend', 'pay', 'xpay', 'sendpay'];
const SEARCH_KINDS: readonly SearchReport['kind'][] = ['single', 'multi', 'randomised'];
const outcomeLabel = (outcome: SearchOutcome): string =>
  outcome === 'found' || outcome === 'failed' ? outcome : REFUSALS[outcome].metric;
const SEARCH_OUTCOMES = ['found', ...new Set(Object.values(REFUSALS).map(({ metric }) => metric)), 'failed'];
/** The label of each reason why a payment fails. */
const OBSTACLES = {
  recipientRefused: 'failed_recipient_refused',
  noRoute: 'failed_no_route',
  outOfTime: 'failed_out_of_time',
  outOfAttempts: 'failed_out_of_attempts',
  invoiceExpired: 'failed_invoice_expired',
  notReleased: 'failed_not_released',
  interrupted: 'failed_interrupted',
  ownNodeRefused: 'failed_own_node_refused',
  givenRouteFailed: 'failed_given_route',
} as const satisfies Record<Obstacle, string>;
/**
 * The label of a failure that an earlier release recorded, with a text instead of an obstacle. No payment of this
 * process fails in this way.
 */
const OTHER_FAILURE = 'failed_other';
/** The label of a request whose method is not one of our commands. */
const OTHER_METHOD = 'other';

/**
 * Labels of the node that reported a failure: this node, the first node of the route, a node in between, or the
 * recipient.
 */
const SOURCES = ['own', 'first', 'middle', 'last'] as const;
/** The label of a failure message that could not be decrypted, so that the failing node is unknown. */
const UNREADABLE = 'unreadable';
/** The label of a failure code that BOLT 4 does not define. */
const OTHER_CODE = 'other';
const FETCH_OUTCOMES = ['ok', 'timeout', 'unreachable', 'invalid', 'refused', 'failed'] as const;

/** Options of a node's metrics. */
export interface NodeMetricsOptions {
  /** The names of all commands, and the enabled transports. */
  readonly methods: readonly string[];
  readonly transports: readonly RpcTransport[];
}

/** Counts the node's activity. */
export class NodeMetrics {
  /** All metrics, in the order in which they are written. */
  readonly families: Family[] = [];
  readonly requests: RequestWatcher;
  #requestsInFlight = 0;
  readonly #searches: ReadonlyMap<string, Histogram>;
  readonly #queue: Histogram;
  readonly #parts: Histogram;
  readonly #hops: Histogram;
  readonly #payments: ReadonlyMap<string, Counter>;
  readonly #paymentSeconds: Readonly<Record<'complete' | 'failed', Histogram>>;
  readonly #paymentAttempts: Histogram;
  readonly #amount: Counter;
  readonly #fee: Counter;
  readonly #attempts: ReadonlyMap<string, Counter>;
  readonly #predicted: Readonly<Record<'arrived' | 'failed', Histogram>>;
  readonly #fetches: ReadonlyMap<string, Counter>;
  readonly #fetchSeconds: Histogram;
  readonly #commits: Histogram;
  readonly #publishes: Histogram;
  readonly #messages: ReadonlyMap<string, Counter>;

  constructor({ methods, transports }: NodeMetricsOptions) {
    this.requests = this.#watchRequests(methods, transports);
    const searches = this.#histograms(
      'fulgurite_route_search_seconds',
      'Duration of a route search, from the time a worker or a solver of the fleet took it.',
      SEARCH_SECONDS,
    );
    this.#searches = seriesOf(SEARCH_KINDS, SEARCH_OUTCOMES, (kind, outcome) =>
      searches.of({ kind, outcome }),
    );
    this.#queue = this.#histogram(
      'fulgurite_route_queue_seconds',
      'Time a route search waited for a worker or a solver of the fleet.',
      SEARCH_SECONDS,
    );
    this.#parts = this.#histogram('fulgurite_route_parts', 'Routes per successful search.', SMALL_COUNTS);
    this.#hops = this.#histogram('fulgurite_route_hops', 'Hops per route.', SMALL_COUNTS);
    const payments = this.#counters(
      'fulgurite_payments_total',
      'Finished payments by command and outcome, without probes.',
    );
    const ends = ['complete', ...Object.values(OBSTACLES), OTHER_FAILURE];
    this.#payments = seriesOf(KINDS, ends, (kind, outcome) => payments.of({ kind, outcome }));
    const seconds = this.#histograms(
      'fulgurite_payment_duration_seconds',
      'Time from the start of a payment to its outcome.',
      PAYMENT_SECONDS,
    );
    this.#paymentSeconds = {
      complete: seconds.of({ outcome: 'complete' }),
      failed: seconds.of({ outcome: 'failed' }),
    };
    this.#paymentAttempts = this.#histogram(
      'fulgurite_payment_attempts',
      'Attempts per finished payment, including failed attempts.',
      ATTEMPT_COUNTS,
    );
    this.#amount = this.#counters(
      'fulgurite_payment_amount_msat_total',
      'Total amount that settled attempts delivered.',
    ).of();
    this.#fee = this.#counters('fulgurite_payment_fee_msat_total', 'Total fees of settled attempts.').of();
    this.#attempts = this.#attemptCounters();
    const predicted = this.#histograms(
      'fulgurite_attempt_predicted_probability',
      'Predicted probability that an attempt reaches the recipient, by actual outcome. Without probes, sendpay and ' +
        'sendonion.',
      PROBABILITIES,
    );
    this.#predicted = {
      arrived: predicted.of({ outcome: 'arrived' }),
      failed: predicted.of({ outcome: 'failed' }),
    };
    const fetches = this.#counters('fulgurite_fetchinvoice_total', 'Finished invoice fetches by outcome.');
    this.#fetches = new Map(FETCH_OUTCOMES.map((outcome) => [outcome, fetches.of({ outcome })]));
    this.#fetchSeconds = this.#histogram(
      'fulgurite_fetchinvoice_duration_seconds',
      'Duration of an invoice fetch, successful or not.',
      FETCH_SECONDS,
    );
    const messages = this.#counters(
      'fulgurite_onion_messages_total',
      'Onion messages for us that arrived, and messages of ours that were sent or could not be sent.',
    );
    this.#messages = new Map([
      ['in', messages.of({ direction: 'in', outcome: 'ok' })],
      ['out', messages.of({ direction: 'out', outcome: 'ok' })],
      ['refused', messages.of({ direction: 'out', outcome: 'refused' })],
    ]);
    this.#commits = this.#histogram(
      'fulgurite_journal_commit_seconds',
      'Duration of a database commit.',
      COMMIT_SECONDS,
    );
    this.#publishes = this.#histogram(
      'fulgurite_graph_publish_seconds',
      'Time to publish a new graph to the workers.',
      PUBLISH_SECONDS,
    );
  }

  get requestsInFlight(): number {
    return this.#requestsInFlight;
  }

  /** Counts the end of a payment, an attempt or a fetch. Ignores other events. */
  readonly note = (event: NodeEvent): void => {
    if (event.type === 'payment' && (event.status === 'complete' || event.status === 'failed')) {
      this.#notePayment(event);
    } else if (event.type === 'attempt' && event.status !== 'sent') this.#noteAttempt(event);
    else if (event.type === 'fetch' && event.status === 'ended') this.#noteFetch(event);
  };

  /** Records a route search: how long it waited and ran, and the routes that it found. */
  readonly noteSearch = (search: SearchReport): void => {
    const { kind, outcome, queueMs, searchMs, routes } = search;
    this.#queue.observe(queueMs / 1000);
    if (searchMs !== undefined)
      this.#searches.get(`${kind} ${outcomeLabel(outcome)}`)!.observe(searchMs / 1000);
    if (routes === undefined) return;
    this.#parts.observe(routes.length);
    for (const { path } of routes) this.#hops.observe(path.length);
  };

  /** Records how long a commit to the database took, in milliseconds. */
  readonly noteCommit = (ms: number): void => this.#commits.observe(ms / 1000);

  /** Records how long it took to publish a new graph to the workers, in milliseconds. */
  notePublish(ms: number): void {
    this.#publishes.observe(ms / 1000);
  }

  /** Counts an onion message: received (`in`), sent (`out`), or failed to be sent (`refused`). */
  noteMessage(what: 'in' | 'out' | 'refused'): void {
    this.#messages.get(what)!.add();
  }

  #watchRequests(methods: readonly string[], transports: readonly RpcTransport[]): RequestWatcher {
    const totals = this.#counters(
      'fulgurite_rpc_requests_total',
      'Answered requests. The method is "other" if it is not a command of Fulgurite.',
    );
    const durations = this.#histograms(
      'fulgurite_rpc_duration_seconds',
      'Time from the start of a request to its answer.',
      RPC_SECONDS,
    );
    const known = [...methods, OTHER_METHOD].map((method) => {
      const counts = seriesOf(transports, OUTCOMES, (transport, outcome) =>
        totals.of({ method, transport, outcome }),
      );
      return [method, { seconds: durations.of({ method }), counts }] as const;
    });
    const byMethod = new Map(known);
    const other = byMethod.get(OTHER_METHOD)!;
    return {
      began: () => {
        this.#requestsInFlight++;
      },
      ended: (method, transport, outcome, ms) => {
        this.#requestsInFlight--;
        const { seconds, counts } = byMethod.get(method) ?? other;
        seconds.observe(ms / 1000);
        counts.get(`${transport} ${outcome}`)?.add();
      },
    };
  }

  #attemptCounters(): ReadonlyMap<string, Counter> {
    const attempts = this.#counters(
      'fulgurite_attempts_total',
      'Finished attempts of payments by outcome, failure code and source of the failure.',
    );
    const failures = [...(Object.keys(FAILURES) as FailureName[]), OTHER_CODE];
    const failed = seriesOf(failures, SOURCES, (failure, source) =>
      attempts.of({ outcome: 'failed', failure, source }),
    );
    const settled = attempts.of({ outcome: 'settled', failure: '', source: '' });
    const unreadable = attempts.of({ outcome: 'failed', failure: UNREADABLE, source: UNREADABLE });
    return new Map([...failed, ['settled', settled], [UNREADABLE, unreadable]]);
  }

  #notePayment({ status, payment, result }: PaymentEnded): void {
    const { failure, attempts, completedAtMs } = result;
    const isKnown = failure !== undefined && 'obstacle' in failure;
    const outcome =
      failure === undefined ? 'complete' : isKnown ? OBSTACLES[failure.obstacle] : OTHER_FAILURE;
    this.#payments.get(`${payment.kind} ${outcome}`)?.add();
    this.#paymentSeconds[status].observe(Math.max(0, completedAtMs - payment.createdAtMs) / 1000);
    this.#paymentAttempts.observe(attempts);
  }

  #noteAttempt(attempt: AttemptChanged): void {
    const { status, failure, path, amountMsat, amountSentMsat, probabilityPpm, payment } = attempt;
    if (status === 'settled') {
      this.#attempts.get('settled')!.add();
      this.#amount.add(Number(amountMsat));
      this.#fee.add(Number(amountSentMsat - amountMsat));
    } else this.#attempts.get(attemptKey(failure, path.length))?.add();
    const hasArrived = arrived({ status, failure });
    // Nothing is predicted for a route that the caller gives.
    if (hasArrived === undefined || payment.kind === 'sendpay') return;
    this.#predicted[hasArrived ? 'arrived' : 'failed'].observe(probabilityPpm / 1e6);
  }

  #noteFetch({ tookMs, end }: FetchChanged & { status: 'ended' }): void {
    this.#fetchSeconds.observe(tookMs / 1000);
    this.#fetches.get(end.status === 'answered' ? 'ok' : fetchOutcome(end))!.add();
  }

  #counters(name: string, help: string): CounterFamily {
    const family = new CounterFamily(name, help);
    this.families.push(family);
    return family;
  }

  #histograms(name: string, help: string, bounds: readonly number[]): HistogramFamily {
    const family = new HistogramFamily(name, help, bounds);
    this.families.push(family);
    return family;
  }

  #histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    return this.#histograms(name, help, bounds).of();
  }
}

/** One series for each pair of labels, keyed by `FIRST SECOND`. */
function seriesOf<T>(
  first: readonly string[],
  second: readonly string[],
  make: (first: string, second: string) => T,
): ReadonlyMap<string, T> {
  return new Map(first.flatMap((a) => second.map((b) => [`${a} ${b}`, make(a, b)] as const)));
}

function attemptKey(failure: AttemptFailure | undefined, hops: number): string {
  const index = failure?.erringIndex;
  if (failure === undefined || index === undefined) return UNREADABLE;
  const source =
    index === 0 ? 'own' : failure.isFinal || index >= hops ? 'last' : index === 1 ? 'first' : 'middle';
  return `${failure.failcodename ?? OTHER_CODE} ${source}`;
}

function fetchOutcome({ failure }: Extract<FetchEnd, { status: 'failed' }>): (typeof FETCH_OUTCOMES)[number] {
  switch (failure?.kind) {
    case 'timedOut':
      return 'timeout';
    case 'unreachable':
      return 'unreachable';
    case 'issuerError':
    case 'staticInvoice':
      return 'refused';
    case 'noInvoice':
    case 'unreadableError':
    case 'wrongInvoice':
    case 'wrongStaticInvoice':
      return 'invalid';
    default:
      return 'failed';
  }
}
