/**
 * The whole path as a client sees it: a daemon in its own process, a unix socket, and `getroutes` one after the other
 * and pipelined. Also the smallest command, which shows what the socket itself costs, the processor time of one query,
 * and the first queries of a daemon.
 */
import type { BenchContext } from './context.ts';
import {
  type BenchClient,
  type BenchDaemon,
  getroutesRequest,
  requestText,
  startDaemonProcess,
  UNDECIDED,
} from './daemon.ts';
import { mainGraph } from './graphs.ts';
import { milliseconds } from './kernel.ts';
import { quantile, repeated, type Spread, spreadOf, timedAsync } from './measure.ts';
import { AMOUNTS_SAT, PAIR_CLASSES, pairsOf, queryFor } from './pairs.ts';
import { usedBy } from './processor.ts';
import { PROCESSOR_US } from './report.ts';

/** Number of requests of the same kind before the measured ones. */
const WARMUP = 200;
const TINY = requestText('askrene-listreservations', '{}');
const TINY_PIPELINED = 20_000;
/** Targets in milliseconds, by amount: for one part, and for several. */
const TARGETS: Readonly<Record<number, { p50: string; p99: string }>> = {
  1000: { p50: '<= 1.2', p99: '<= 3' },
  100000: { p50: '<= 7', p99: '<= 10' },
  1000000: { p50: '<= 7', p99: '<= 10' },
};

/** Runs the benchmark area `socket`. */
export async function socketBench(context: BenchContext): Promise<void> {
  const { source, name } = mainGraph();
  const daemon = await startDaemonProcess(source, ['--workers', '2']);
  try {
    const rows = [];
    for (const cls of PAIR_CLASSES) {
      for (const amountSat of AMOUNTS_SAT) {
        rows.push(await measureAmount(context, daemon.client, cls, amountSat));
      }
    }
    context.report.table('socket', `getroutes over the unix socket, 2 workers, ${name}`, rows);
    for (const cls of PAIR_CLASSES) await measureProcessor(context, daemon, cls);
    // Last, because tinybench runs the work once without awaiting it, which leaves answers on the connection.
    await measureTiny(context, daemon.client);
  } finally {
    await daemon.stop();
  }
  await measureFirst(context, source);
}

/** Number of concurrent queries while processor time is measured. */
const UNDER_WAY = 64;

/** Maximum processor time of one small query, by pairs. */
const PROCESSOR_TARGETS = { feas: '<= 400', big: '<= 600' } as const;

/** Processor time of one small query, of all threads together, once code is compiled. */
async function measureProcessor(
  { quick, report }: BenchContext,
  { client, processId }: BenchDaemon,
  cls: 'feas' | 'big',
): Promise<void> {
  const all = requestsFor(cls, 1_000, quick ? 2_000 : 12_000);
  const warm = all.length / 2;
  await client.flow(all.slice(0, warm), UNDER_WAY);
  const requests = all.slice(warm);
  const together = await usedBy(processId, () => timedAsync(() => client.flow(requests, UNDER_WAY)));
  const alone = await usedBy(processId, () =>
    timedAsync(async () => {
      for (const request of requests) await client.call(request);
    }),
  );
  const rows = [
    { queries: `${UNDER_WAY} at a time`, ...together },
    { queries: 'one at a time', ...alone },
  ].map(({ queries, mainUs, allUs, result: { ms } }) => ({
    queries,
    'processor us/query': allUs / requests.length,
    'of which main thread': mainUs / requests.length,
    'queries /s': (requests.length / ms) * 1000,
  }));
  report.table('socket', `processor time of getroutes, 1000 sat, ${cls} pairs, 2 workers`, rows);
  report.figure('socket', {
    name: `processor time of a getroutes, 1000 sat, ${cls}`,
    value: rows[0]!['processor us/query'],
    unit: PROCESSOR_US,
    target: PROCESSOR_TARGETS[cls],
  });
}

/** Number of queries after which a daemon's speed counts as steady. */
const STEADY_AFTER = 5_000;

/**
 * The first queries of daemons that have just started: the first ten, the first thousand, and those once the speed is
 * steady.
 */
async function measureFirst({ quick, report }: BenchContext, source: string): Promise<void> {
  const [first, thousand, steady]: number[][] = [[], [], []];
  for (let start = 0; start < (quick ? 1 : 5); start++) {
    const requests = requestsFor('big', 1_000, STEADY_AFTER + 1_000);
    const daemon = await startDaemonProcess(source, ['--workers', '2']);
    try {
      for (const [index, request] of requests.entries()) {
        const { ms } = await timedAsync(() => daemon.client.call(request));
        if (index < 10) first.push(ms);
        if (index < 1_000) thousand.push(ms);
        if (index >= STEADY_AFTER) steady.push(ms);
      }
    } finally {
      await daemon.stop();
    }
  }
  const row = (queries: string, ms: readonly number[]) => ({ queries, ...milliseconds(spreadOf(ms)) });
  const rows = [
    row('the first 10', first),
    row('the first 1000', thousand),
    row(`after ${STEADY_AFTER}`, steady),
  ];
  report.table('socket', 'getroutes of a daemon that has just started, 1000 sat, big pairs', rows);
  report.figure('socket', {
    name: 'the first 10 queries of a daemon, p50',
    value: quantile(first, 0.5),
    unit: 'ms',
  });
}

const requestsFor = (cls: 'feas' | 'big', amountSat: number, count: number) =>
  pairsOf(mainGraph().graph, cls, amountSat, count).map((pair) =>
    getroutesRequest(queryFor(pair, amountSat)),
  );

async function measureAmount(
  { quick, report, plots }: BenchContext,
  client: BenchClient,
  cls: 'feas' | 'big',
  amountSat: number,
) {
  const all = requestsFor(cls, amountSat, WARMUP + (quick ? 50 : 1000));
  const requests = all.slice(WARMUP);
  for (const request of all.slice(0, WARMUP)) await client.call(request);
  const latenciesMs: number[] = [];
  let [answered, undecided] = [0, 0];
  for (const request of requests) {
    const { result, ms } = await timedAsync(() => client.call(request));
    latenciesMs.push(ms);
    if (result.includes('"result"')) answered++;
    if (result.includes(UNDECIDED)) undecided++;
  }
  const pipelined = await timedAsync(() => client.pipeline(requests));
  const spread = spreadOf(latenciesMs);
  plots.addLatencies('ours, socket', amountSat, latenciesMs);
  const target = TARGETS[amountSat];
  const figure = (name: 'p50' | 'p99') =>
    report.figure('socket', {
      name: `getroutes ${amountSat} sat, ${cls}, ${name}`,
      value: spread[name],
      unit: 'ms',
      ...(target && { target: target[name] }),
    });
  figure('p50');
  figure('p99');
  return {
    pairs: cls,
    sat: amountSat,
    answered: `${answered}/${requests.length}`,
    undecided,
    ...milliseconds(spread),
    'pipelined /s': (requests.length / pipelined.ms) * 1000,
  };
}

/** A command that looks nothing up. It costs only framing, dispatch and writing. */
async function measureTiny({ quick, report }: BenchContext, client: BenchClient): Promise<void> {
  const timeMs = quick ? 300 : 2000;
  const many = Array.from({ length: TINY_PIPELINED }, () => TINY);
  const one = await repeated(() => client.call(TINY), timeMs);
  const pipelined = await repeated(() => client.pipeline(many), timeMs);
  const row = (what: string, requests: number, spread: Spread) => ({
    what,
    ...milliseconds(spread),
    'requests /s': (requests / spread.p50) * 1000,
  });
  report.table('socket', 'smallest command', [
    row('one request, one answer', 1, one),
    row(`${TINY_PIPELINED} requests pipelined`, TINY_PIPELINED, pipelined),
  ]);
  report.figure('socket', {
    name: 'tiny requests pipelined',
    value: (TINY_PIPELINED / pipelined.p50) * 1000,
    unit: '/s',
  });
}
