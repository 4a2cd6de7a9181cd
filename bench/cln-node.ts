/**
 * Compares payments of a real Core Lightning node: its own `keysend` and `xkeysend`, and the same commands of
 * Fulgurite beside that node. Both use the same channels and pay the same recipient.
 *
 *     a ──10,000,000 sat── b ──10,000,000 sat── c        (both pay from a to c)
 *
 * The two take turns, so that other load on the machine affects both. It runs only where FULGURITE_LIGHTNINGD names a
 * lightningd.
 */
import { NodeSocket } from '../src/network/cln/node-socket.ts';
import { haveNodes, until } from '../test/interop/cln/cln-nodes.ts';
import { besideNode } from './beside-node.ts';
import type { BenchContext } from './context.ts';
import { quantile } from './measure.ts';

const METHODS = ['keysend', 'xkeysend'] as const;
const AT_ONCE = [1, 20, 100];
const CONNECTIONS = 20;
const AMOUNT_MSAT = 1_000;

/** Latencies of one round in ms, how long it took as a whole, and how many payments failed. */
interface Round {
  readonly latenciesMs: number[];
  readonly tookMs: number;
  readonly failed: number;
}

/** Runs the benchmark area `cln-node`. */
export async function clnNodeBench({ quick, report }: BenchContext): Promise<void> {
  if (!haveNodes) {
    report.note('cln-node', 'FULGURITE_LIGHTNINGD names no lightningd, or ../shared/cln is missing');
    return;
  }
  await besideNode(async ({ nodes, paths }) => {
    const { id: destination } = await nodes.call('c', 'getinfo');
    await until(() => pays(paths.Fulgurite, destination));
    const rows = [];
    for (const method of METHODS) {
      for (const atOnce of AT_ONCE) {
        const payments = (quick ? 1 : 5) * Math.max(20, atOnce);
        rows.push(...(await inTurns({ ...paths }, { method, destination, atOnce, payments }, quick ? 1 : 3)));
      }
    }
    const { version } = await nodes.call('a', 'getinfo');
    report.table(
      'cln-node',
      `keysends of ${AMOUNT_MSAT} msat over two hops, in turns, node ${version}`,
      rows,
    );
  });
}

interface Load {
  readonly method: (typeof METHODS)[number];
  readonly destination: string;
  readonly atOnce: number;
  readonly payments: number;
}

async function inTurns(paths: Readonly<Record<string, string>>, load: Load, turns: number) {
  const rounds = new Map<string, Round[]>(Object.keys(paths).map((who) => [who, []]));
  for (let turn = 0; turn < turns; turn++) {
    // The two take turns going first.
    const order = turn % 2 === 0 ? Object.entries(paths) : Object.entries(paths).reverse();
    for (const [who, path] of order) rounds.get(who)!.push(await round(path, load));
  }
  return [...rounds].map(([who, all]) => {
    const latencies = all.flatMap(({ latenciesMs }) => latenciesMs);
    const tookMs = all.reduce((sum, one) => sum + one.tookMs, 0);
    return {
      method: load.method,
      'at once': load.atOnce,
      by: who,
      payments: latencies.length,
      failed: all.reduce((sum, { failed }) => sum + failed, 0),
      'a second': latencies.length / (tookMs / 1000),
      'p50 ms': quantile(latencies, 0.5),
      'p99 ms': quantile(latencies, 0.99),
    };
  });
}

async function round(path: string, { method, destination, atOnce, payments }: Load): Promise<Round> {
  const sockets = await Promise.all(
    Array.from({ length: Math.min(atOnce, CONNECTIONS) }, () => NodeSocket.open(path, 10_000)),
  );
  const latenciesMs: number[] = [];
  let begun = 0;
  let failed = 0;
  const payer = async (index: number): Promise<void> => {
    while (begun++ < payments) {
      const startMs = performance.now();
      const params = { destination, amount_msat: AMOUNT_MSAT };
      await sockets[index % sockets.length]!.call(method, params).catch(() => failed++);
      latenciesMs.push(performance.now() - startMs);
    }
  };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: atOnce }, (_, index) => payer(index)));
  const tookMs = performance.now() - startMs;
  for (const socket of sockets) socket.close();
  return { latenciesMs, tookMs, failed };
}

/** Whether a first payment arrives. If so, the node knows its channels and the graph. */
async function pays(path: string, destination: string): Promise<boolean> {
  const socket = await NodeSocket.open(path, 10_000);
  try {
    await socket.call('keysend', { destination, amount_msat: AMOUNT_MSAT });
    return true;
  } finally {
    socket.close();
  }
}
