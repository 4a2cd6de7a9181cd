/**
 * Compares us with a real Core Lightning: the answers that it gave on the snapshot, and our answers to the same
 * requests over our socket. Fees and probabilities of both come from one formula (figures.ts).
 *
 * Core Lightning's latencies are as recorded, for sequential requests over its unix socket on a machine of two cores.
 */
import { readFileSync } from 'node:fs';
import type { RouteQuery } from '../src/engine/question/route.ts';
import { msat, msatFromSat } from '../src/model/msat.ts';
import type { NodeId } from '../src/model/node-id.ts';
import { parseShortChannelIdDir } from '../src/model/short-channel-id.ts';
import type { BenchContext } from './context.ts';
import { type BenchDaemon, getroutesRequest, startDaemonProcess } from './daemon.ts';
import { type Figures, figuresOf, type Part, possible } from './figures.ts';
import { CLN_SAMPLE_FILE, mainGraph, SNAPSHOT_FILE } from './graphs.ts';
import { meanOf, quantile, timedAsync } from './measure.ts';

const WARMUP = 100;
const MAXDELAY = 2016;

/** A route as recorded: for each hop the direction, and the amount at its beginning, before its fee. */
interface RecordedRoute {
  readonly amount_msat: number;
  readonly path: readonly (readonly [shortChannelIdDir: string, amountInMsat: number, cltvIn: number])[];
}

interface RecordedResult {
  readonly pair: number;
  readonly variant: string;
  readonly amount_sat: number;
  readonly maxfee_msat: number;
  readonly latency_ms: number;
  readonly routes?: readonly RecordedRoute[];
}

interface Recorded {
  readonly cln_version: string;
  readonly final_cltv: number;
  readonly layers: Readonly<Record<string, { layers: readonly string[]; maxparts?: number }>>;
  readonly pairs: Readonly<Record<string, { source: NodeId; destination: NodeId }>>;
  readonly results: readonly RecordedResult[];
}

/** One request with both answers; `undefined` stands for no route. */
interface Compared {
  readonly result: RecordedResult;
  readonly ours: Figures | undefined;
  readonly theirs: Figures | undefined;
  readonly ourMs: number;
}

/** Core Lightning's recorded answers; undefined if the file is missing. */
export function recordedAnswers(): Recorded | undefined {
  if (CLN_SAMPLE_FILE === undefined) return undefined;
  return JSON.parse(readFileSync(CLN_SAMPLE_FILE, 'utf8')) as Recorded;
}

/** Runs the benchmark area `cln`. It needs the recorded answers. */
export async function clnBench(context: BenchContext): Promise<void> {
  const recorded = recordedAnswers();
  if (recorded === undefined || SNAPSHOT_FILE === undefined) {
    context.report.note('cln', 'skipped: no recorded answers beside the repository');
    return;
  }
  const daemon = await startDaemonProcess(SNAPSHOT_FILE, ['--workers', '1']);
  try {
    for (const result of recorded.results.slice(0, WARMUP)) await answer(daemon, recorded, result);
    const compared: Compared[] = [];
    for (const result of recorded.results) compared.push(await compare(daemon, recorded, result));
    tabulate(context, recorded, compared);
    summarise(context, compared);
    plot(context, compared);
  } finally {
    await daemon.stop();
  }
}

async function compare(daemon: BenchDaemon, recorded: Recorded, result: RecordedResult): Promise<Compared> {
  const { graph } = mainGraph();
  const { result: text, ms } = await timedAsync(() => answer(daemon, recorded, result));
  const ours = (JSON.parse(text) as { result?: { routes: readonly AnsweredRoute[] } }).result;
  return {
    result,
    ours: ours && possible(figuresOf(graph, ours.routes.map(answeredPart))),
    theirs: result.routes && possible(figuresOf(graph, result.routes.map(recordedPart))),
    ourMs: ms,
  };
}

function answer(daemon: BenchDaemon, recorded: Recorded, result: RecordedResult): Promise<string> {
  const { layers, maxparts = 100 } = recorded.layers[result.variant]!;
  const query: RouteQuery = {
    ...recorded.pairs[result.pair]!,
    amountMsat: msatFromSat(result.amount_sat),
    layers,
    maxfeeMsat: msat(result.maxfee_msat),
    finalCltv: recorded.final_cltv,
    maxdelay: MAXDELAY,
    maxparts,
  };
  return daemon.client.call(getroutesRequest(query));
}

/** The compared members of our answer. */
interface AnsweredRoute {
  readonly amount_msat: number;
  readonly path: readonly {
    readonly short_channel_id_dir: string;
    readonly amount_in_msat: number;
    readonly amount_out_msat: number;
  }[];
}

const answeredPart = ({ amount_msat, path }: AnsweredRoute): Part => ({
  deliveredMsat: BigInt(amount_msat),
  sentMsat: BigInt(path[0]!.amount_in_msat),
  crossings: path.map((hop) => ({
    ...parseShortChannelIdDir(hop.short_channel_id_dir)!,
    amountMsat: BigInt(hop.amount_out_msat),
  })),
});

/** The recorded route as a part. The amount that crosses a hop is the one recorded for the next hop. */
const recordedPart = ({ amount_msat, path }: RecordedRoute): Part => ({
  deliveredMsat: BigInt(amount_msat),
  sentMsat: BigInt(path[0]![1]),
  crossings: path.map(([direction], index) => ({
    ...parseShortChannelIdDir(direction)!,
    amountMsat: BigInt(path[index + 1]?.[1] ?? amount_msat),
  })),
});

/** Text of one cell: our figure and theirs. */
const sides = (of: (side: 'ours' | 'theirs') => string): string =>
  `${of('ours')} / ${of('theirs')}`.replaceAll('NaN', '-');

const bothAnswered = (row: Compared): row is Compared & { ours: Figures; theirs: Figures } =>
  row.ours !== undefined && row.theirs !== undefined;

function tabulate({ report }: BenchContext, recorded: Recorded, compared: readonly Compared[]): void {
  const groups = new Map<string, Compared[]>();
  for (const row of compared) {
    const key = `${row.result.variant} ${row.result.amount_sat}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const rows = [...groups.values()].map((group) => {
    const both = group.filter(bothAnswered);
    const pair = (of: (row: (typeof both)[0], side: 'ours' | 'theirs') => number, digits: number) =>
      sides((side) => meanOf(both.map((row) => of(row, side))).toFixed(digits));
    const answered = (side: 'ours' | 'theirs') => group.filter((row) => row[side] !== undefined).length;
    const latency = (share: number) =>
      `${quantile(
        group.map((row) => row.ourMs),
        share,
      ).toFixed(2)} / ${quantile(
        group.map((row) => row.result.latency_ms),
        share,
      ).toFixed(1)}`;
    return {
      variant: group[0]!.result.variant,
      sat: group[0]!.result.amount_sat,
      asked: group.length,
      answered: `${answered('ours')} / ${answered('theirs')}`,
      'mean fee msat': pair((row, side) => row[side].feeMsat, 0),
      'mean -ln P': pair((row, side) => row[side].riskNats, 4),
      'mean parts': pair((row, side) => row[side].parts, 1),
      'p50 ms': latency(0.5),
      'p99 ms': latency(0.99),
    };
  });
  report.table('cln', `ours / Core Lightning ${recorded.cln_version}, recorded; both over a socket`, rows);
}

function summarise({ report }: BenchContext, compared: readonly Compared[]): void {
  const both = compared.filter(bothAnswered);
  const figure = (name: string, value: number, unit: string, target?: string) =>
    report.figure('cln', { name, value, unit, ...(target !== undefined && { target }) });
  const ratio = (of: (figures: Figures) => number) =>
    meanOf(both.map((row) => of(row.ours))) / meanOf(both.map((row) => of(row.theirs)));
  figure(
    'answered by them, not by us',
    compared.filter((r) => r.theirs && !r.ours).length,
    'requests',
    '<= 0',
  );
  figure('answered by us, not by them', compared.filter((r) => r.ours && !r.theirs).length, 'requests');
  const worse = both.filter(
    ({ ours, theirs }) => ours.feeMsat > theirs.feeMsat && ours.riskNats > theirs.riskNats,
  );
  figure('worse on both fee and probability', worse.length, 'requests', '<= 0');
  figure(
    'fees, ours against theirs',
    ratio((f) => f.feeMsat),
    'times',
    '<= 1',
  );
  figure(
    '-ln P, ours against theirs',
    ratio((f) => f.riskNats),
    'times',
    '<= 1',
  );
  const times = compared.map((row) => row.result.latency_ms / row.ourMs);
  figure('latency, theirs against ours, p50', quantile(times, 0.5), 'times');
}

function plot({ plots }: BenchContext, compared: readonly Compared[]): void {
  for (const { result, ours, theirs } of compared) {
    plots.addLatencies('Core Lightning, recorded', result.amount_sat, [result.latency_ms]);
    if (ours) plots.addAnswer('ours', 'Core Lightning’s requests', ours);
    if (theirs) plots.addAnswer('Core Lightning', 'Core Lightning’s requests', theirs);
  }
}
