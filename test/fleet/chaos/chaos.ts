/**
 * A chaos run: daemons that share a journal, layers, a Lightning node and solvers pay orders and change
 * layers, while processes are killed and stopped, the database restarts, and the link of one daemon is cut
 * silently. At the end the journal is compared with the network's records, and each daemon's layers and graph
 * are compared with a full replay of the log.
 *
 * Each order has an idempotency key. A client that gets no answer asks the next daemon with the same key.
 */
import { type ChaosOptions, Run } from './run.ts';
import { type DaemonFigures, keyOf, worldGraph } from './world.ts';

/** Number of orders per layer change. */
const CHANGE_EVERY = 3;

/** Number of orders per piece of gossip. */
const GOSSIP_EVERY = 2;

/** The results of a run, and of its audit. */
export interface ChaosReport {
  readonly complete: number;
  readonly failed: number;
  readonly kills: number;
  readonly pauses: number;
  readonly restarts: number;
  readonly cuts: number;
  /** How often the disk of the database was full, and the number of answers that reported it. */
  readonly fullDisks: number;
  readonly noSpace: number;
  /** Counters of the daemons that were alive at the end. Counters of killed daemons are lost. */
  readonly takenOver: number;
  readonly searchesOutside: number;
  readonly routesFailed: number;
  /** Number of orders that the network paid more than once, over all attempts and payments of an order. */
  readonly paidTwice: number;
  /** Number of orders reported as complete without being paid, or reported as failed though they were paid. */
  readonly wronglyTold: number;
  /** The wrongly reported orders, each with the reported and the true outcome. */
  readonly wrong: readonly string[];
  /** Number of payments that arrived without an order. */
  readonly unknown: number;
  /** Number of orders without a payment in the journal. */
  readonly lost: number;
  /** Number of payments without an outcome or with an attempt in flight, plus HTLCs in flight on the network. */
  readonly open: number;
  /** The unfinished payments, each with its owner and attempts. */
  readonly openAt: readonly string[];
  /** Number of layer changes in the log; of missing or duplicated chunks; and of graph changes in the log. */
  readonly layerChanges: number;
  readonly holes: number;
  readonly graphChanges: number;
  /** Number of daemons and solvers whose layers, graph or answers differ from a full replay of the log. */
  readonly unequal: number;
  /** The copies that differ, each with the differences. */
  readonly unequalIn: readonly string[];
  /** Number of answers that ignored an earlier layer change by the daemon that asked. */
  readonly staleReads: number;
  /** Number of reservations that daemons hold although nothing is in progress. */
  readonly reservations: number;
  /** Number of messages of a different fleet on the same bus that reached a daemon. */
  readonly foreign: number;
  /** Number of the last chunk that the snapshot in the database includes. */
  readonly summedUpTo: number;
  /** The means of cutting the link: a network namespace or a proxy. */
  readonly link: string;
}

/** Runs the fleet, and compares the records. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const run = new Run(options);
  try {
    const beganMs = performance.now();
    const phase = (name: string): void =>
      options.say?.(`${name} after ${Math.round(performance.now() - beganMs)} ms`);
    await run.open();
    phase('open');
    const graph = worldGraph(options.seed);
    const nodes = Array.from({ length: graph.nodeCount }, (_, node) => node).filter(
      (node) => graph.nodeDegree[node]! > 0,
    );
    const raging = run.rage();
    let next = 0;
    const endMs = beganMs + 1000 * (options.mostSeconds ?? Number.POSITIVE_INFINITY);
    const client = async (): Promise<void> => {
      while (next < options.payments && performance.now() < endMs && options.isEnough?.() !== true) {
        const n = next++;
        const destination = graph.nodeId(run.pick(nodes));
        const amountMsat = `${1_000 + Math.floor(run.random() * 50_000_000)}`;
        if (n % CHANGE_EVERY === 0) run.changeLayers(options.seed + n);
        if (n % GOSSIP_EVERY === 0) run.gossip();
        await run.order({ n, destination, amountMsat });
        if (n % 100 === 99) options.say?.(`${n + 1} orders; ${JSON.stringify(run.counts)}`);
      }
    };
    await Promise.all(Array.from({ length: options.width }, client));
    run.isOver = true;
    phase('all told');
    options.onTold?.();
    await raging;
    phase('calm');
    const { paid, rows, open, openAt } = await run.books();
    phase('audited');
    const copies = await run.copies();
    const answers = await copies.log.answers();
    phase('layers compared');
    const report = judge(run, { orders: next, paid, rows, open, openAt, copies, answers });
    options.onReport?.(report);
    await options.beforeClose?.();
    return report;
  } finally {
    await run.close();
  }
}

function judge(
  { outcomes, counts, cable }: Run,
  {
    orders,
    paid,
    rows,
    open,
    openAt,
    copies: { log, daemons, solvers },
    answers,
  }: Awaited<ReturnType<Run['books']>> & {
    readonly orders: number;
    readonly copies: Awaited<ReturnType<Run['copies']>>;
    readonly answers: string;
  },
): ChaosReport {
  const unaccounted = new Map(paid);
  const report = { complete: 0, failed: 0, paidTwice: 0, lost: 0 };
  const wrong: string[] = [];
  const byKey = new Map(rows.map((row) => [row.key, row]));
  for (let n = 0; n < orders; n++) {
    const row = byKey.get(JSON.stringify(keyOf(n))) ?? byKey.get(keyOf(n));
    const told = outcomes.get(n);
    if (row === undefined) {
      report.lost++;
      continue;
    }
    const times = paid.get(row.hash) ?? 0;
    unaccounted.delete(row.hash);
    if (told === 'complete') report.complete++;
    else report.failed++;
    if (times > 1) report.paidTwice++;
    if ((told === 'complete') !== times > 0 || told !== row.status) {
      wrong.push(
        `payment ${n}, hash ${row.hash}: told ${told}, journal ${row.status}, arrived ${times} times`,
      );
    }
  }
  const wanted = { digest: log.digest, graph: log.graph, answers };
  const unequal = [...daemons, ...solvers].flatMap((copy, index) => {
    const parts = (['digest', 'graph', 'answers'] as const).filter((part) => copy?.[part] !== wanted[part]);
    return parts.length === 0
      ? []
      : [`copy ${index} at ${copy?.position} of ${log.head}: ${parts.join(', ')}`];
  });
  const sum = (of: (figure: DaemonFigures) => number): number =>
    daemons.reduce((total, figure) => total + (figure === undefined ? 0 : of(figure)), 0);
  return {
    ...report,
    wronglyTold: wrong.length,
    wrong,
    ...counts,
    takenOver: sum(({ takenOver }) => takenOver),
    routesFailed: sum(({ routesFailed }) => routesFailed),
    searchesOutside: sum(({ searchesAnswered }) => searchesAnswered),
    unknown: unaccounted.size,
    open,
    openAt,
    layerChanges: log.changes - log.graphChanges,
    graphChanges: log.graphChanges,
    holes: log.holes,
    unequal: unequal.length,
    unequalIn: unequal,
    staleReads: sum(({ staleReads }) => staleReads),
    reservations: sum(({ reservations }) => reservations),
    foreign: sum(({ foreign }) => foreign),
    summedUpTo: log.summedUpTo,
    link: cable === undefined ? 'proxy' : 'network namespace',
  };
}

/** The number of faults of all kinds: 0 after a good run. */
export function faultsOf(report: ChaosReport): number {
  const { paidTwice, wronglyTold, unknown, lost, open } = report;
  const { routesFailed, holes, unequal, staleReads, reservations, foreign } = report;
  return [
    paidTwice,
    wronglyTold,
    unknown,
    lost,
    open,
    routesFailed,
    holes,
    unequal,
    staleReads,
    reservations,
    foreign,
  ].reduce((sum, count) => sum + count);
}
