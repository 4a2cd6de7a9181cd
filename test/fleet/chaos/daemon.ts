/**
 * A payment daemon of a chaos run, as a process with a channel to its parent: it is told what to pay, and answers when
 * the outcome is written. `node daemon.js NAME STORE BUS NETWORK SEED LEASE_MS GAP_MS`. With RULE=off in its environment it
 * takes "the network does not know it" for "it never left", and pays anew: the mistake that the run must find.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RouteEngine } from '../../../src/engine/engine.ts';
import { NoRouteError } from '../../../src/engine/no-route.ts';
import { connectBus } from '../../../src/fleet/bus.ts';
import { BusSolvers } from '../../../src/fleet/bus-solvers.ts';
import { noSharedLayers } from '../../../src/fleet/shared-layers.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import { PaymentEngine } from '../../../src/payments/payment-engine.ts';
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { connectNetwork } from './network-link.ts';
import { type Answer, CHAIN, type Order, OWN_ID, requestOf, worldGraph } from './world.ts';

/** What the mistake makes of "unknown". */
const NEVER_LEFT = { status: 'refused', failureCode: 0x2002, reason: 'unknown', cause: 'neverLeft' } as const;

const [name = '', storeUrl = '', busUrl = '', networkPath = '', seed = '1', leaseMs = '1500', gapMs = '15'] =
  process.argv.slice(2);

const store = await PostgresStore.open(
  storeUrl,
  { daemon: name, ownNode: OWN_ID, payingNode: OWN_ID, network: 'simulated', chain: CHAIN },
  { leaseMs: Number(leaseMs), questionMs: 2_000 },
);
const bus = await connectBus(busUrl, name);
const network = await connectNetwork(networkPath);
const graph = worldGraph(Number(seed));
const book = new LayerBook();
const fleet = new BusSolvers({ bus, chain: CHAIN, id: name, shared: noSharedLayers(book) });
const engine = new RouteEngine({ book, fleet, workers: 1 });
engine.publish(graph);

// Time passes between the journal and the wire, as it does on a machine that swaps or collects garbage.
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
  graph: () => graph,
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

const answer = (message: Answer): void => void process.send!(message);
process.on('message', (order: Order | 'figures') => {
  if (order === 'figures') {
    const { takenOver, lost } = payments.takeovers;
    const { sent, answered } = fleet.stats;
    process.send!({
      figures: { takenOver, lost, searchesSent: sent, searchesAnswered: answered, routesFailed },
    });
    return;
  }
  askRoutes(order);
  payments.pay(requestOf(order)).then(
    ({ status }) => answer({ n: order.n, status }),
    (error: Error) => answer({ n: order.n, error: `${error.name} ${error.message}` }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send!('ready');
