/**
 * The plain search in C++ (floor-search.cpp), as a floor for the times of route queries. It is compiled when it is
 * needed, if the machine has a C++ compiler.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pricesFor } from '../src/engine/question/objective.ts';
import type { RouteQuery } from '../src/engine/question/route.ts';
import { type ChannelGraph, POLICY_ENABLED } from '../src/model/channel-graph.ts';

const SOURCE_FILE = fileURLToPath(new URL('../../bench/floor-search.cpp', import.meta.url));
const COMPILERS = ['c++', 'g++', 'clang++'];
/** Number of 64-bit words per direction, and per query. */
const ARC_WORDS = 7;
const QUERY_WORDS = 5;

/** The plain search's result for one query. */
export interface PlainSearch {
  readonly ms: number;
  /** Cost of the path by our objective, msat; undefined when there is none. */
  readonly costMsat: number | undefined;
}

/** The program that searches, compiled; undefined without a compiler. */
export function compiledFloorSearch(directory: string): string | undefined {
  const program = join(directory, 'floor-search');
  const compiler = COMPILERS.find(
    (name) => spawnSync(name, ['-O3', '-march=native', '-o', program, SOURCE_FILE]).status === 0,
  );
  return compiler === undefined ? undefined : program;
}

/**
 * Sends all queries to the program, one after the other. It uses only their ends, amounts and prices, and ignores their
 * limits.
 */
export function plainSearches(
  program: string,
  graph: ChannelGraph,
  queries: readonly RouteQuery[],
): PlainSearch[] {
  const file = `${program}.queries`;
  try {
    writeFileSync(file, Buffer.concat([...graphWords(graph, queries.length), queryWords(graph, queries)]));
    const { status, stdout } = spawnSync(program, [file], { encoding: 'utf8', maxBuffer: 1 << 26 });
    if (status !== 0) throw new Error(`the plain search ended with ${status}`);
    const lines = stdout.trim().split('\n');
    return lines.map((line) => {
      const [us, cost] = line.split(' ').map(Number);
      return { ms: us! / 1000, costMsat: cost! < 0 ? undefined : cost! };
    });
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * The words of the graph: the counts, the places where the directions into each node begin, and the directions in that
 * order.
 */
function graphWords(graph: ChannelGraph, queryCount: number): Buffer[] {
  const into: number[][] = Array.from({ length: graph.nodeCount }, () => []);
  for (let index = 0; index < graph.channelCount * 2; index++) {
    if ((graph.policyFlags[index]! & POLICY_ENABLED) !== 0) into[headOf(graph, index)]!.push(index);
  }
  const starts = new BigInt64Array(graph.nodeCount + 1);
  for (const [node, directions] of into.entries())
    starts[node + 1] = starts[node]! + BigInt(directions.length);
  const arcs = new BigInt64Array(Number(starts[graph.nodeCount]!) * ARC_WORDS);
  for (const [at, index] of into.flat().entries()) {
    arcs.set(
      [
        BigInt(tailOf(graph, index)),
        BigInt(graph.feeBaseMsat[index]!),
        BigInt(graph.feeProportionalMillionths[index]!),
        BigInt(graph.cltvExpiryDelta[index]!),
        graph.htlcMinimumMsat[index]!,
        graph.htlcMaximumMsat[index]!,
        graph.capacityMsat[index >> 1]!,
      ],
      at * ARC_WORDS,
    );
  }
  const counts = BigInt64Array.of(BigInt(graph.nodeCount), starts[graph.nodeCount]!, BigInt(queryCount));
  return [counts, starts, arcs].map((words) => Buffer.from(words.buffer));
}

/** Direction 0 of a channel leaves its first node, direction 1 its second. */
const tailOf = (graph: ChannelGraph, index: number): number =>
  (index & 1) === 0 ? graph.node1[index >> 1]! : graph.node2[index >> 1]!;
const headOf = (graph: ChannelGraph, index: number): number => tailOf(graph, index ^ 1);

function queryWords(graph: ChannelGraph, queries: readonly RouteQuery[]): Buffer {
  const words = new BigInt64Array(queries.length * QUERY_WORDS);
  const prices = new Float64Array(words.buffer);
  for (const [index, { source, destination, amountMsat }] of queries.entries()) {
    const at = index * QUERY_WORDS;
    words[at] = BigInt(graph.nodeIndex(source));
    words[at + 1] = BigInt(graph.nodeIndex(destination));
    words[at + 2] = amountMsat;
    const { riskPriceMsatPerNat, delayRate } = pricesFor(amountMsat);
    prices[at + 3] = riskPriceMsatPerNat;
    prices[at + 4] = delayRate;
  }
  return Buffer.from(words.buffer);
}
