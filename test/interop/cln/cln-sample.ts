/**
 * Answers of a real Core Lightning node on the mainnet snapshot (with the htlc_maximum unit corrected): fifty pairs
 * of nodes, four amounts, four sets of layers. The answers are read, converted to our types, checked by the referee,
 * and compared.
 *
 * The answers and the snapshot are in files beside the repository. If one is missing, the tests are skipped with
 * that reason.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RouteAnswer, RouteQuery } from '../../../src/engine/question/route.ts';
import { readCompressedSnapshot, snapshotToGraph } from '../../../src/gossip/compressed-snapshot.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { msat, msatFromSat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { parseShortChannelIdDir } from '../../../src/model/short-channel-id.ts';
import type { DirectionLookup } from '../../reference/direction.ts';
import { type Fraction, nats, ONE, passProbability, times } from '../../reference/fraction.ts';
import { crossings, withAutomaticLayers } from '../../reference/referee.ts';

const shared = (path: string) => fileURLToPath(new URL(`../../../../shared/data/${path}`, import.meta.url));
export const SAMPLE_FILE = shared('cln/getroutes-sample.json');
export const SNAPSHOT_FILE = shared('snapshot/gossip-store-2026-02-03.compressed');

/** Whether the data are available. */
export const hasSample = existsSync(SAMPLE_FILE) && existsSync(SNAPSHOT_FILE);

type SampleHop = [shortChannelIdDir: string, amountInMsat: number, cltvIn: number];

interface SampleResult {
  readonly pair: number;
  readonly variant: string;
  readonly amount_sat: number;
  readonly maxfee_msat: number;
  readonly latency_ms: number;
  readonly ok: boolean;
  readonly code?: number;
  readonly message?: string;
  readonly probability_ppm?: number;
  readonly fee_msat?: number;
  readonly max_delay?: number;
  readonly routes?: readonly { probability_ppm: number; amount_msat: number; path: readonly SampleHop[] }[];
}

interface SampleFile {
  readonly final_cltv: number;
  readonly layers: Readonly<Record<string, { layers: readonly string[]; maxparts?: number }>>;
  readonly pairs: Readonly<Record<string, { class: string; source: string; destination: string }>>;
  readonly results: readonly SampleResult[];
}

/** One request, and Core Lightning's answer. */
export interface SampleCase {
  readonly name: string;
  readonly variant: string;
  readonly amountSat: number;
  readonly query: RouteQuery;
  readonly theirs: RouteAnswer | FulguriteError;
  readonly theirLatencyMs: number;
}

/** The graph on which the sample was recorded. */
export function snapshotGraph() {
  return snapshotToGraph(readCompressedSnapshot(SNAPSHOT_FILE));
}

/** All requests of the sample in recorded order. */
export function sampleCases(lookup: DirectionLookup): SampleCase[] {
  const file = JSON.parse(readFileSync(SAMPLE_FILE, 'utf8')) as SampleFile;
  return file.results.map((result) => {
    const { layers, maxparts } = file.layers[result.variant]!;
    const { source, destination } = file.pairs[String(result.pair)]!;
    const query: RouteQuery = {
      source: source as NodeId,
      destination: destination as NodeId,
      amountMsat: msatFromSat(result.amount_sat),
      layers,
      maxfeeMsat: msat(result.maxfee_msat),
      finalCltv: file.final_cltv,
      maxdelay: 2016,
      maxparts: maxparts ?? 100,
    };
    return {
      name: `pair ${result.pair}, ${result.variant}, ${result.amount_sat} sat`,
      variant: result.variant,
      amountSat: result.amount_sat,
      query,
      theirs: result.ok ? theirAnswer(lookup, query, result) : theirRefusal(result),
      theirLatencyMs: result.latency_ms,
    };
  });
}

function theirRefusal(result: SampleResult): FulguriteError {
  const name = { 206: 'routeTooExpensive', 215: 'sourceCapacity', 220: 'destinationCapacity' } as const;
  return new FulguriteError(name[result.code as keyof typeof name] ?? 'routeNotFound', result.message ?? '');
}

/**
 * Core Lightning's answer in our types. Its hops give only the arriving amount; the amount that crosses a hop is the
 * amount that arrives at the next hop.
 */
function theirAnswer(lookup: DirectionLookup, query: RouteQuery, result: SampleResult): RouteAnswer {
  const routes = result.routes!.map((route) => {
    const amounts = [...route.path.map((hop) => hop[1]), route.amount_msat];
    const delays = [...route.path.map((hop) => hop[2]), query.finalCltv];
    const path = route.path.map(([name], index) => {
      const direction = lookup(name)!;
      return {
        shortChannelIdDir: parseShortChannelIdDir(name)!,
        nodeIdIn: direction.source,
        nodeIdOut: direction.destination,
        amountInMsat: msat(amounts[index]!),
        amountOutMsat: msat(amounts[index + 1]!),
        cltvIn: delays[index]!,
        cltvOut: delays[index + 1]!,
      };
    });
    const { probability_ppm: probabilityPpm, amount_msat: amount } = route;
    return { probabilityPpm, amountMsat: msat(amount), finalCltv: query.finalCltv, path };
  });
  return { probabilityPpm: result.probability_ppm!, routes };
}

/** Exact figures of an answer, recomputed from the graph. */
export interface Figures {
  readonly feeMsat: bigint;
  readonly probability: Fraction;
  readonly riskNats: number;
  readonly parts: number;
}

export function figuresOf(lookup: DirectionLookup, query: RouteQuery, answer: RouteAnswer): Figures {
  const effective = withAutomaticLayers(lookup, query);
  let probability = ONE;
  for (const [name, sum] of crossings(answer)) {
    probability = times(probability, passProbability(effective(name)!, sum));
  }
  const sent = answer.routes.reduce((sum, route) => sum + route.path[0]!.amountInMsat, 0n);
  const delivered = answer.routes.reduce((sum, route) => sum + route.amountMsat, 0n);
  return {
    feeMsat: sent - delivered,
    probability,
    riskNats: nats(probability),
    parts: answer.routes.length,
  };
}

/** A request with both answers. */
export interface Compared {
  readonly sample: SampleCase;
  readonly ours: Figures | FulguriteError;
  readonly theirs: Figures | FulguriteError;
  readonly ourLatencyMs: number;
}

export type Answering = (query: RouteQuery) => RouteAnswer | FulguriteError;

/** Sends every request of the sample to the solver. */
export function compareSample(
  lookup: DirectionLookup,
  samples: readonly SampleCase[],
  ask: Answering,
  inspect: (sample: SampleCase, answer: RouteAnswer | FulguriteError) => void = () => {},
): Compared[] {
  const figures = (query: RouteQuery, answer: RouteAnswer | FulguriteError) =>
    answer instanceof FulguriteError ? answer : figuresOf(lookup, query, answer);
  return samples.map((sample) => {
    const start = performance.now();
    const answer = ask(sample.query);
    const ourLatencyMs = performance.now() - start;
    inspect(sample, answer);
    return {
      sample,
      ours: figures(sample.query, answer),
      theirs: figures(sample.query, sample.theirs),
      ourLatencyMs,
    };
  });
}

/** Sums over the requests of one variant and amount that both answered with a probability above 0. */
export interface Summary {
  readonly variant: string;
  readonly amountSat: number;
  readonly requests: number;
  readonly answered: { readonly ours: number; readonly theirs: number };
  readonly both: number;
  readonly feeMsat: { readonly ours: bigint; readonly theirs: bigint };
  readonly riskNats: { readonly ours: number; readonly theirs: number };
  readonly parts: { readonly ours: number; readonly theirs: number };
  readonly medianLatencyMs: { readonly ours: number; readonly theirs: number };
}

const isFigures = (value: Figures | FulguriteError): value is Figures => !(value instanceof FulguriteError);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Whether both answered with a probability above 0. */
export function bothAnswered(compared: Compared): compared is Compared & { ours: Figures; theirs: Figures } {
  return [compared.ours, compared.theirs].every((side) => isFigures(side) && side.probability.numerator > 0n);
}

function summary(variant: string, amountSat: number, rows: readonly Compared[]): Summary {
  const both = rows.filter(bothAnswered);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    variant,
    amountSat,
    requests: rows.length,
    answered: {
      ours: rows.filter((row) => isFigures(row.ours)).length,
      theirs: rows.filter((row) => isFigures(row.theirs)).length,
    },
    both: both.length,
    feeMsat: {
      ours: both.reduce((sum, row) => sum + row.ours.feeMsat, 0n),
      theirs: both.reduce((sum, row) => sum + row.theirs.feeMsat, 0n),
    },
    riskNats: {
      ours: mean(both.map((row) => row.ours.riskNats)),
      theirs: mean(both.map((row) => row.theirs.riskNats)),
    },
    parts: {
      ours: mean(both.map((row) => row.ours.parts)),
      theirs: mean(both.map((row) => row.theirs.parts)),
    },
    medianLatencyMs: {
      ours: median(rows.map((row) => row.ourLatencyMs)),
      theirs: median(rows.map((row) => row.sample.theirLatencyMs)),
    },
  };
}

/** One summary per variant and amount, in the sample's order. */
export function summaries(compared: readonly Compared[]): Summary[] {
  const groups = new Map<string, Compared[]>();
  for (const row of compared) {
    const key = `${row.sample.variant} ${row.sample.amountSat}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((rows) =>
    summary(rows[0]!.sample.variant, rows[0]!.sample.amountSat, rows),
  );
}

const COLUMNS = ['variant', 'sat', 'asked', 'answered', 'fee msat', 'mean -ln P', 'mean parts', 'ms p50'];

/** The summaries as text. Each column has ours / theirs. */
export function summaryTable(rows: readonly Summary[]): string {
  const pair = (ours: unknown, theirs: unknown) => `${ours} / ${theirs}`.replaceAll('NaN', '-');
  const cells = rows.map((row) => [
    row.variant,
    String(row.amountSat),
    String(row.requests),
    pair(row.answered.ours, row.answered.theirs),
    pair(row.feeMsat.ours, row.feeMsat.theirs),
    pair(row.riskNats.ours.toFixed(4), row.riskNats.theirs.toFixed(4)),
    pair(row.parts.ours.toFixed(1), row.parts.theirs.toFixed(1)),
    pair(row.medianLatencyMs.ours.toFixed(2), row.medianLatencyMs.theirs.toFixed(1)),
  ]);
  const all = [COLUMNS, ...cells];
  const widths = COLUMNS.map((_, column) => Math.max(...all.map((line) => line[column]!.length)));
  return all.map((line) => line.map((cell, column) => cell.padStart(widths[column]!)).join('  ')).join('\n');
}
