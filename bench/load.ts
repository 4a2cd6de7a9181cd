/**
 * How long it takes to read a graph from its source and to publish it, how much memory that takes, and how soon a
 * daemon gives its first answer.
 */
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSharedKernel, GraphPublisher } from '../src/engine/solver/kernel-memory.ts';
import { readCompressedSnapshot } from '../src/gossip/compressed-snapshot.ts';
import { openGraphSource } from '../src/gossip/source.ts';
import { expandToGossipStore } from '../test/gossip/snapshot-expansion.ts';
import type { BenchContext } from './context.ts';
import { requestText, startDaemonProcess } from './daemon.ts';
import { mainGraph, SNAPSHOT_FILE, tenfoldGraph } from './graphs.ts';
import { heldBytes, quantile, timed, timedAsync } from './measure.ts';

interface Source {
  readonly name: string;
  readonly spec: string;
  readonly targetMs?: number;
}

/** Runs the benchmark area `load`. */
export async function loadBench(context: BenchContext): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-bench-'));
  try {
    const store = SNAPSHOT_FILE === undefined ? [] : storeSources(SNAPSHOT_FILE, join(directory, 'store'));
    const sources: Source[] = [
      ...store,
      { name: 'synthetic, default', spec: 'synthetic' },
      { name: 'synthetic, mainnet size', spec: 'synthetic:17324' },
      ...(context.quick ? [] : [{ name: 'synthetic, tenfold', spec: tenfoldGraph().source }]),
    ];
    if (store.length === 0) context.report.note('load', 'no snapshot beside the repository: synthetic only');
    await measureSources(context, sources);
    await measureStarts(context, sources.slice(0, context.quick ? 3 : sources.length));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The snapshot in its compressed form, and expanded to a gossip_store. */
function storeSources(snapshotFile: string, path: string): Source[] {
  const file = openSync(path, 'w');
  for (const block of expandToGossipStore(readCompressedSnapshot(snapshotFile))) writeSync(file, block);
  closeSync(file);
  const megabytes = (statSync(path).size / 1e6).toFixed(0);
  return [
    { name: `gossip_store, ${megabytes} MB`, spec: path, targetMs: 250 },
    { name: 'compressed snapshot', spec: snapshotFile },
  ];
}

async function measureSources(context: BenchContext, sources: readonly Source[]): Promise<void> {
  const rows = [];
  for (const source of sources) {
    const { targetMs } = source;
    const row = await measureSource(source, context.quick ? 3 : 7);
    rows.push(row);
    if (targetMs === undefined) continue;
    context.report.figure('load', {
      name: `${source.name}, read and published, p50`,
      value: row['read ms'] + row['publish ms'],
      unit: 'ms',
      target: `<= ${targetMs}`,
    });
  }
  context.report.table('load', 'sources read and published, medians', rows);
}

async function measureSource({ name, spec }: Source, runs: number) {
  const readMs: number[] = [];
  const publishMs: number[] = [];
  let heldMb = 0;
  let channels = 0;
  const publisher = new GraphPublisher(createSharedKernel());
  const before = await heldBytes();
  for (let run = 0; run < runs; run++) {
    const { result: source, ms } = await timedAsync(() => openGraphSource(spec));
    readMs.push(ms);
    if (run === 0) heldMb = ((await heldBytes()) - before) / 1e6;
    publishMs.push(timed(() => publisher.publish(source.graph)).ms);
    channels = source.graph.channelCount;
    await source.follow?.stop();
  }
  return {
    source: name,
    channels,
    'first read ms': readMs[0]!,
    'read ms': quantile(readMs, 0.5),
    'publish ms': quantile(publishMs, 0.5),
    'graph MB': heldMb,
    'kernel MB': publisher.memoryBytes / 1e6,
  };
}

async function measureStarts(context: BenchContext, sources: readonly Source[]): Promise<void> {
  const rows = [];
  for (const { name, spec } of sources) {
    const answers: number[] = [];
    const ready: number[] = [];
    for (let run = 0; run < (context.quick ? 1 : 3); run++) {
      const { readyMs, answerMs } = await timedStart(spec);
      ready.push(readyMs);
      answers.push(answerMs);
    }
    const answerMs = quantile(answers, 0.5);
    rows.push({ source: name, 'ready ms': quantile(ready, 0.5), 'first answer ms': answerMs });
    if (spec !== 'synthetic') continue;
    context.report.figure('load', {
      name: 'daemon start to first answer, default network',
      value: answerMs,
      unit: 'ms',
      target: '<= 2000',
    });
  }
  context.report.table('load', `daemon from start to first answer (main graph: ${mainGraph().name})`, rows);
}

async function timedStart(spec: string): Promise<{ readyMs: number; answerMs: number }> {
  const started = performance.now();
  const daemon = await startDaemonProcess(spec);
  try {
    await daemon.client.call(requestText('getinfo', '{}'));
    return { readyMs: daemon.readyMs, answerMs: performance.now() - started };
  } finally {
    await daemon.stop();
  }
}
