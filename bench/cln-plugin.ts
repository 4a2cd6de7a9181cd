/**
 * Compares routes on a real Core Lightning node whose gossip_store is the main network's snapshot: those of its own
 * cln-askrene (`getroutes`) and those of our plugin beside it (`fulgurite-getroutes`). Both get the same queries over
 * the node's socket, alternately. It runs only where FULGURITE_LIGHTNINGD names a lightningd and the snapshot is there.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCompressedSnapshot, snapshotToGraph } from '../src/gossip/compressed-snapshot.ts';
import { msatFromSat } from '../src/model/msat.ts';
import { NodeSocket } from '../src/network/cln/node-socket.ts';
import { expandToGossipStore } from '../test/gossip/snapshot-expansion.ts';
import { ClnNodes, haveNodes, until } from '../test/interop/cln/cln-nodes.ts';
import type { BenchContext } from './context.ts';
import { SNAPSHOT_FILE } from './graphs.ts';
import { quantile } from './measure.ts';
import { AMOUNTS_SAT, type Pair, pairsOf } from './pairs.ts';

const PLUGIN = fileURLToPath(new URL('../../bin/fulgurite-plugin', import.meta.url));
/** The two programs that are compared, and the method of each. */
const BY = { Fulgurite: 'fulgurite-getroutes', 'Core Lightning': 'getroutes' } as const;
type Who = keyof typeof BY;
const WAIT_MS = 120_000;
/** The node whose store is replaced. It is the last of the line, so the others need its gossip least. */
const NODE = 'd';

/** The answers of one of the two programs. */
interface Answered {
  readonly latenciesMs: number[];
  /** Fee in msat of each answered query, by its number. */
  readonly fees: Map<number, number>;
}

/** Runs the benchmark area `cln-plugin`. */
export async function clnPluginBench({ quick, report }: BenchContext): Promise<void> {
  if (!haveNodes || SNAPSHOT_FILE === undefined) {
    report.note('cln-plugin', 'FULGURITE_LIGHTNINGD names no lightningd, or ../shared is missing');
    return;
  }
  const snapshot = readCompressedSnapshot(SNAPSHOT_FILE);
  const graph = snapshotToGraph(snapshot, {}, SNAPSHOT_FILE);
  const nodes = await ClnNodes.start();
  try {
    nodes.signal(NODE, 'SIGKILL');
    const store = join(nodes.directory, NODE, 'regtest/gossip_store');
    writeFileSync(store, Buffer.concat([...expandToGossipStore(snapshot)]));
    await nodes.restart(NODE, [`--plugin=${PLUGIN}`]);
    await until(async () => (await nodes.call(NODE, 'fulgurite-getinfo')).plugin.engine === 'up');
    const socket = await NodeSocket.open(nodes.socketPath(NODE), WAIT_MS);
    const rows = [];
    for (const amountSat of AMOUNTS_SAT.slice(0, 3)) {
      rows.push(...(await compare(socket, pairsOf(graph, 'big', amountSat, quick ? 20 : 200), amountSat)));
    }
    socket.close();
    const { version } = await nodes.call(NODE, 'getinfo');
    report.table(
      'cln-plugin',
      `getroutes on the snapshot, in turns, over the socket of a node ${version}`,
      rows,
    );
  } finally {
    await nodes.stop();
  }
}

async function compare(socket: NodeSocket, pairs: readonly Pair[], amountSat: number) {
  const answered: Record<Who, Answered> = {
    Fulgurite: { latenciesMs: [], fees: new Map() },
    'Core Lightning': { latenciesMs: [], fees: new Map() },
  };
  for (const [index, pair] of pairs.entries()) {
    const order = Object.keys(BY) as Who[];
    for (const who of index % 2 === 0 ? order : order.reverse()) {
      await ask(socket, who, pair, amountSat, index, answered[who]);
    }
  }
  const both = pairs
    .map((_, index) => index)
    .filter((index) => {
      return Object.values(answered).every(({ fees }) => fees.has(index));
    });
  return Object.entries(answered).map(([by, { latenciesMs, fees }]) => ({
    'amount sat': amountSat,
    by,
    queries: latenciesMs.length,
    answered: fees.size,
    'p50 ms': quantile(latenciesMs, 0.5),
    'p99 ms': quantile(latenciesMs, 0.99),
    'fees msat where both answer': both.reduce((sum, index) => sum + fees.get(index)!, 0),
  }));
}

/** Sends one query. Its latency counts whether or not there is a route. */
async function ask(
  socket: NodeSocket,
  who: Who,
  { source, destination }: Pair,
  amountSat: number,
  index: number,
  { latenciesMs, fees }: Answered,
): Promise<void> {
  const amountMsat = msatFromSat(amountSat);
  const startMs = performance.now();
  const answer = await socket
    .call(BY[who], {
      ...{ source, destination, amount_msat: amountMsat, layers: ['auto.sourcefree'] },
      ...{ maxfee_msat: amountMsat / 100n, final_cltv: 18 },
    })
    .catch(() => undefined);
  latenciesMs.push(performance.now() - startMs);
  if (answer === undefined) return;
  const fee = answer.objects('routes').map((route) => {
    return Number(
      route.objects('path')[0]!.requireAmount('amount_in_msat') - route.requireAmount('amount_msat'),
    );
  });
  fees.set(
    index,
    fee.reduce((sum, one) => sum + one, 0),
  );
}
