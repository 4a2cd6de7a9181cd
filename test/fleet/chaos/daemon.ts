/**
 * A payment daemon of a chaos run, as a process with a channel to its parent: it receives orders, and answers
 * once the outcome is written. `node daemon.js NAME STORE BUS NETWORK SEED LEASE_MS GAP_MS`. With RULE=off in
 * its environment, it treats "the network does not know the attempt" as "the attempt never left" and pays
 * again: the mistake that the run must detect.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openFleet } from '../../../src/cli/daemon/open-fleet.ts';
import { shareGraph } from '../../../src/cli/daemon/share-graph.ts';
import { RouteEngine } from '../../../src/engine/host/engine.ts';
import { NoRouteError } from '../../../src/engine/question/no-route.ts';
import { graphHash } from '../../../src/fleet/graph-hash.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import { connectSharedNetwork } from '../../../src/network/simulated/shared/shared-link.ts';
import { PaymentEngine } from '../../../src/payments/payment-engine.ts';
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { answersAtOnePosition, digestOf } from './copied-log.ts';
import { changeLayers } from './layer-changes.ts';
import {
  type Answer,
  CHAIN,
  type Change,
  type DaemonFigures,
  type Gossip,
  gossip,
  type Order,
  OWN_ID,
  requestOf,
  worldGraph,
} from './world.ts';

/** The outcome that the mistaken daemon substitutes for "unknown". */
const NEVER_LEFT = { status: 'refused', failureCode: 0x2002, reason: 'unknown', cause: 'neverLeft' } as const;

const [name = '', storeUrl = '', busUrl = '', networkPath = '', seed = '1', leaseMs = '1500', gapMs = '15'] =
  process.argv.slice(2);

const store = await PostgresStore.open(
  storeUrl,
  { daemon: name, ownNode: OWN_ID, payingNode: OWN_ID, network: 'simulated', chain: CHAIN },
  { leaseMs: Number(leaseMs), questionMs: 2_000, snapshotAfter: 500 },
);
const network = (await connectSharedNetwork(networkPath)).open();
// Messages of peers change the source graph. Searches and payments use the copy that is built from the log.
const graph = worldGraph(Number(seed));
const { channelCount } = graph;
const book = new LayerBook();
await store.layers.attach(book);
const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, unusual: nothing, broken: nothing };
let tellSource = nothing;
const shared = await shareGraph(
  {
    ...{ graph, describe: name, isLive: true, isFollower: false, stop: nothing },
    follow: (changed) => {
      tellSource = changed;
    },
  },
  { store, daemon: name, log, leaseMs: Number(leaseMs), gapMs: 20 },
);
const fleet = await openFleet({
  url: busUrl,
  chain: CHAIN,
  id: name,
  shared: store,
  book,
  log,
  sharesGraph: true,
});
const engine = new RouteEngine({ book, fleet: fleet.solvers, workers: 1 });
engine.publish(shared.graph);
shared.follow(() => engine.publish(shared.graph));

// Time passes between the write to the journal and the send, as it does on a machine that swaps or collects
// garbage.
const send = network.send.bind(network);
network.send = async (htlc) => {
  await sleep(Math.random() * Number(gapMs));
  return send(htlc);
};
if (process.env.RULE === 'off') {
  const outcomes = network.outcomes.bind(network);
  network.outcomes = async (keys) => {
    const states = await outcomes(keys);
    return new Map([...states].map(([id, state]) => [id, state.status === 'unknown' ? NEVER_LEFT : state]));
  };
}

const payments = new PaymentEngine({
  network,
  engine,
  book,
  graph: () => shared.graph,
  repository: store.payments,
});
await payments.start();

let routesFailed = 0;

/** Asks for routes in several parts as well. Such searches go to solvers first, and must always have an answer. */
function askRoutes({ destination, amountMsat }: Order): void {
  engine
    .getroutes({
      source: graph.nodeId(0),
      destination: destination === graph.nodeId(0) ? graph.nodeId(1) : destination,
      amountMsat: msat(BigInt(amountMsat)),
      layers: [],
      maxfeeMsat: msat(10_000_000n),
      finalCltv: 18,
      maxdelay: 2016,
      maxparts: 4,
    })
    .catch((error: unknown) => {
      if (!(error instanceof NoRouteError)) routesFailed++;
    });
}

let [changed, staleReads] = [0, 0];

function change(seed: number): void {
  changeLayers({ book, store, engine, graph }, seed).then(
    (isStale) => {
      changed++;
      if (isStale) staleReads++;
    },
    // While the database is away, the error is ignored, because the change is written later.
    nothing,
  );
}

async function audit(): Promise<void> {
  const { takenOver, lost } = payments.takeovers;
  const { sent, answered } = fleet.stats;
  const { position, queued } = store.layers.log!;
  const answers = await answersAtOnePosition(store.layers.log!, engine, book, shared.graph);
  const figures: DaemonFigures = {
    graph: graphHash(shared.graph),
    answers,
    ...{ position, queued, digest: digestOf(book), reservations: [...book.reservations()].length },
    foreign: fleet.foreign,
    ...{ takenOver, lost, searchesSent: sent, searchesAnswered: answered, routesFailed, changed, staleReads },
  };
  process.send!({ audit: figures });
}

const answer = (message: Answer): void => void process.send!(message);
process.on('message', (order: Order | Change | Gossip | 'audit') => {
  if (order === 'audit') void audit();
  else if ('change' in order) change(order.change);
  else if ('gossip' in order) {
    gossip(graph, order.gossip, channelCount);
    tellSource();
  } else {
    askRoutes(order);
    payments.pay(requestOf(order)).then(
      ({ status }) => answer({ n: order.n, status }),
      (error: Error) => answer({ n: order.n, error: `${error.name} ${error.message}` }),
    );
  }
});
process.on('disconnect', () => process.exit(0));
process.send!('ready');
