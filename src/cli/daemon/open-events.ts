/** Wires up the event stream: which parts of the service publish to it, and where its figures come from. */
import type { RouteEngine } from '../../engine/host/engine.ts';
import {
  EventStream,
  type Figures,
  fetchEvents,
  invoiceEvents,
  LayerEvents,
  paymentEvents,
  RecentTimes,
  Tally,
} from '../../events/index.ts';
import type { OwnInvoicesOptions } from '../../invoices/index.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import { realClock } from '../../model/clock.ts';
import type { NetworkPort } from '../../network/port.ts';
import type { OffersOptions } from '../../offers/index.ts';
import type { PaymentEngine, PaymentEngineOptions } from '../../payments/payment-engine.ts';
import type { Log } from '../../rpc/log.ts';

/** The parts of the service whose figures the stream reports. They are opened after the stream. */
export interface FigureSources {
  readonly engine: Pick<RouteEngine, 'stats'>;
  readonly payments: Pick<PaymentEngine, 'inFlight'>;
  readonly network: Pick<NetworkPort, 'blockHeight'>;
}

/** The stream, and the functions with which parts of the service publish to it. */
export interface NodeEvents {
  readonly stream: EventStream;
  readonly onPayment: NonNullable<PaymentEngineOptions['onEvent']>;
  readonly onInvoice: NonNullable<OwnInvoicesOptions['onEvent']>;
  readonly onFetch: NonNullable<OffersOptions['onEvent']>;
  /** Call with the duration in milliseconds of each route search in a worker. */
  readonly noteSearchMs: (ms: number) => void;
  /** Call with the duration in milliseconds of each commit to the database. */
  readonly noteCommitMs: (ms: number) => void;
  /** The current figures. Call this only after the parts in `FigureSources` are open. */
  readonly figures: () => Figures;
  close(): void;
}

/**
 * Opens the stream.
 * @param sources returns the parts whose figures are reported; called only after they are open
 */
export function openEvents(book: LayerBook, sources: () => FigureSources, log: Log): NodeEvents {
  const tally = new Tally();
  const searches = new RecentTimes(realClock);
  const commits = new RecentTimes(realClock);
  const figures = (): Figures => ({
    ...figuresOf(sources(), tally),
    ...timesOf(searches, commits),
  });
  const stream = new EventStream({
    clock: realClock,
    figures,
    onFault: (error) => log.broken(`an event listener failed and was removed: ${error}`),
  });
  stream.listen(tally.note);
  const publish = stream.publish.bind(stream);
  const layers = new LayerEvents(publish, realClock);
  const unwatch = book.watch(layers);
  return {
    stream,
    onPayment: paymentEvents(publish),
    onFetch: fetchEvents(publish),
    onInvoice: invoiceEvents(publish),
    noteSearchMs: searches.note,
    noteCommitMs: commits.note,
    figures,
    close() {
      unwatch();
      layers.flush();
      stream.close();
    },
  };
}

type Times = Pick<Figures, 'searchMsP50' | 'searchMsP99' | 'commits' | 'commitMsP50' | 'commitMsP99'>;

function timesOf(searches: RecentTimes, commits: RecentTimes): Times {
  const [searchMsP50, searchMsP99] = searches.quantiles([0.5, 0.99]) ?? [];
  const [commitMsP50, commitMsP99] = commits.quantiles([0.5, 0.99]) ?? [];
  return { searchMsP50, searchMsP99, commits: commits.count, commitMsP50, commitMsP99 };
}

function figuresOf(
  { engine, payments, network }: FigureSources,
  { counts }: Tally,
): Omit<Figures, keyof Times> {
  const { answered, queued, running, workers, replaced } = engine.stats;
  const { payments: paymentsInFlight, htlcs, htlcsMsat, oldestHtlcAtMs } = payments.inFlight();
  return {
    ...counts,
    paymentsInFlight,
    htlcsInFlight: htlcs,
    htlcsInFlightMsat: htlcsMsat,
    oldestHtlcAtMs,
    searchesAnswered: answered,
    searchesQueued: queued,
    searchesRunning: running,
    workers,
    workersReplaced: replaced,
    blockHeight: network.blockHeight(),
    residentBytes: process.memoryUsage.rss(),
  };
}
