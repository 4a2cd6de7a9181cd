/**
 * Answers, settled nodes and effort equal the recorded ones, question by question. A change that is meant to
 * alter answers is recorded with FULGURITE_RECORD=1 (test/vectors/kernel-answers.json).
 *
 * A run asks only the first questions. FULGURITE_TEST_RUNS multiplies their number: with 50, all questions
 * are asked.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readCompressedSnapshot, snapshotToGraph } from '../../../src/gossip/compressed-snapshot.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import type { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { describeNeeding } from '../../needs.ts';
import { GROUP, Recording } from './recorded-questions.ts';

const fileAt = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const VECTORS = fileAt('../../vectors/kernel-answers.json');
const SNAPSHOT = fileAt('../../../../shared/data/snapshot/gossip-store-2026-02-03.compressed');
const RUNS = Number(process.env.FULGURITE_TEST_RUNS ?? 1);
const ALL_RUNS = 50;
const IS_RECORDING = process.env.FULGURITE_RECORD === '1';
const SMALL_NODES = 1000;

type Network = 'small' | 'snapshot';

/** By network: hashes of groups of questions. */
const recorded = JSON.parse(readFileSync(VECTORS, 'utf8')) as Record<Network, string[]>;

const groups = (recording: Recording, count: number): string[] =>
  Array.from({ length: count }, () => recording.group());

/** Compares the first groups with the recorded ones, or records all groups. */
function compare(network: Network, graph: ChannelGraph, build: 'release' | 'debug', share: number): void {
  const known = recorded[network];
  const count =
    IS_RECORDING && build === 'release' ? known.length : Math.ceil(known.length * Math.min(share, 1));
  const found = groups(new Recording(graph, build), count);
  if (IS_RECORDING && build === 'release') {
    recorded[network] = found;
    writeFileSync(VECTORS, `${JSON.stringify(recorded, undefined, 1)}\n`);
  }
  const differing = found.flatMap((hash, index) =>
    hash === recorded[network][index] ? [] : [index * GROUP],
  );
  expect(differing, 'first questions of the groups that differ').toEqual([]);
}

const mainGraph = () => snapshotToGraph(readCompressedSnapshot(SNAPSHOT));
const synthetic = (nodeCount: number) => generateSyntheticGraph({ nodeCount, seed: 1 });

describe('recorded answers', () => {
  it('are reproduced on a small network, by the release build', () =>
    compare('small', synthetic(SMALL_NODES), 'release', 0.5 * RUNS));

  it('are reproduced on a small network, by the debug build', () =>
    compare('small', synthetic(SMALL_NODES), 'debug', 0.1 * RUNS));
});

describeNeeding('snapshot', existsSync(SNAPSHOT), 'recorded answers of the main network', () => {
  it('are reproduced', { timeout: 1_200_000 }, () =>
    compare('snapshot', mainGraph(), 'release', RUNS / ALL_RUNS),
  );
});
