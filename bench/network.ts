/**
 * How fast a simulated network starts, and how many HTLCs it carries.
 *
 *     network SOURCE…   (synthetic:NODES, a compressed snapshot; default synthetic)
 *
 * For each source: the time from a loaded graph to a network that answers, its memory, and 2,000 keysends of 1,000 to
 * 100,000 sat over shortest routes. All onions are real and built beforehand. They run in process on the virtual clock,
 * and through the thread in real time with 500 in flight. Cost per hop = time / HTLCs offered.
 */
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../src/bolt/crypto/hashes.ts';
import { encodePayload } from '../src/bolt/onion/payload.ts';
import { createOnion } from '../src/bolt/onion/sphinx.ts';
import { seededRandom } from '../src/gossip/random.ts';
import { openGraphSource } from '../src/gossip/source.ts';
import { type ChannelGraph, POLICY_ENABLED } from '../src/model/channel-graph.ts';
import { msat } from '../src/model/msat.ts';
import { NODE_ID_BYTES, nodeIdFromBytes } from '../src/model/node-id.ts';
import type { OwnChannel } from '../src/model/own-channel.ts';
import { forwardingFeeMsat } from '../src/model/policy.ts';
import type { ShortChannelId } from '../src/model/short-channel-id.ts';
import type { OnionBuilder } from '../src/network/onions/onion-builder.ts';
import type { NetworkPort, OutgoingHtlc } from '../src/network/port.ts';
import {
  InProcessPort,
  networkMapOf,
  openSimulatedNetwork,
  Simulation,
  type SimulationOptions,
} from '../src/network/simulated/index.ts';
import { HtlcOutcomes } from '../src/payments/send/htlc-outcomes.ts';

const KEYSENDS = 2000;
const IN_FLIGHT = 500;
const FINAL_DELTA = 42;
const MAX_HOPS = 18;
const OWN_ID = nodeIdFromBytes(
  Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'),
);
const OPTIONS: SimulationOptions = {
  ownNodeId: OWN_ID,
  seed: 1,
  ownChannels: { count: 32, capacityMsat: msat(10n ** 13n), localShare: 0.9 },
};

/** An HTLC whose onion was built before the clock started. */
interface ReadyHtlc extends OutgoingHtlc {
  readonly onion: Uint8Array;
}

const READY: OnionBuilder = {
  build: async (htlc) => (htlc as ReadyHtlc).onion,
  close: async () => undefined,
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const spec of process.argv.length > 2 ? process.argv.slice(2) : ['synthetic']) await report(spec);
}

/**
 * Number of keysends for a network of this size. Finding their routes, before the clock starts, takes long in a large
 * network.
 */
const keysendsFor = (nodeCount: number): number => (nodeCount > 50_000 ? 300 : KEYSENDS);

/** A simulation of the graph, how long it took to start, and how much memory it takes. */
function startedSimulation(graph: ChannelGraph): {
  readonly simulation: Simulation;
  readonly startMs: number;
  readonly heldMb: number;
} {
  globalThis.gc?.();
  const heldBefore = heldMb();
  const started = performance.now();
  const simulation = new Simulation(networkMapOf(graph), OPTIONS);
  const startMs = performance.now() - started;
  globalThis.gc?.();
  return { simulation, startMs, heldMb: heldMb() - heldBefore };
}

/** A row of a table: a synthetic network of this many nodes, in process on the virtual clock. */
export async function simulatedSize(nodes: number): Promise<Readonly<Record<string, number>>> {
  const { graph } = await openGraphSource(`synthetic:${nodes}`);
  const { simulation, startMs, heldMb: held } = startedSimulation(graph);
  const { keysends, settled, htlcs, seconds } = await carry(graph, simulation);
  return {
    nodes,
    channels: graph.channelCount,
    'start ms': Math.round(startMs),
    'memory MB': Math.round(held),
    'keysends /s': keysends / seconds,
    'settled %': (100 * settled) / keysends,
    'HTLCs /s': htlcs / seconds,
    'us per hop': (seconds * 1e6) / htlcs,
  };
}

async function report(spec: string): Promise<void> {
  const { graph, describe } = await openGraphSource(spec);
  console.log(describe);
  const { simulation, startMs, heldMb: held } = startedSimulation(graph);
  console.log(`  in process: starts in ${startMs.toFixed(0)} ms, holds ${held.toFixed(0)} MB`);
  await runInProcess(graph, simulation);
  await runInThread(graph);
}

async function runInProcess(graph: ChannelGraph, simulation: Simulation): Promise<void> {
  const { keysends, settled, htlcs, seconds } = await carry(graph, simulation);
  console.log(
    `  in process: ${(keysends / seconds).toFixed(0)} keysends/s (${settled} of ${keysends} settle), ` +
      `${(htlcs / seconds).toFixed(0)} HTLCs/s, ${((seconds * 1e6) / htlcs).toFixed(0)} us per hop`,
  );
}

interface Carried {
  readonly keysends: number;
  readonly settled: number;
  readonly htlcs: number;
  readonly seconds: number;
}

/** Sends all keysends at once, on the virtual clock. */
async function carry(graph: ChannelGraph, simulation: Simulation): Promise<Carried> {
  const port = new InProcessPort(simulation, { onions: READY });
  const send = sender(port);
  const offers = buildOffers(graph, port.ownChannels().channels, simulation.height, 1);
  let htlcs = 0;
  const started = performance.now();
  const sent = offers.map((offer) => send(offer));
  await Promise.resolve();
  while (!simulation.isIdle) {
    const before = simulation.stats().htlcsInFlight;
    simulation.step();
    if (simulation.stats().htlcsInFlight > before) htlcs++;
  }
  const seconds = (performance.now() - started) / 1000;
  const settled = (await Promise.all(sent)).filter(({ status }) => status === 'settled').length;
  return { keysends: offers.length, settled, htlcs, seconds };
}

async function runInThread(graph: ChannelGraph): Promise<void> {
  const started = performance.now();
  const port = await openSimulatedNetwork({ map: networkMapOf(graph), simulation: OPTIONS, onions: READY });
  const send = sender(port);
  const startMs = performance.now() - started;
  const offers = buildOffers(graph, port.ownChannels().channels, port.blockHeight(), 2);
  const sending = performance.now();
  let [next, settled] = [0, 0];
  const payer = async (): Promise<void> => {
    for (let offer = offers[next++]; offer !== undefined; offer = offers[next++]) {
      if ((await send(offer)).status === 'settled') settled++;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, payer));
  const seconds = (performance.now() - sending) / 1000;
  const wrong = await port.control('checkConservation');
  console.log(
    `  in a thread: starts in ${startMs.toFixed(0)} ms, ${(offers.length / seconds).toFixed(0)} keysends/s with ` +
      `${IN_FLIGHT} in flight (${settled} settle), money ${wrong.length === 0 ? 'conserved' : 'BROKEN'}; ` +
      `process ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`,
  );
  await port.close();
}

/** Sends an HTLC and waits for its outcome. */
function sender(port: NetworkPort) {
  const outcomes = new HtlcOutcomes(port);
  return async (htlc: OutgoingHtlc) => {
    const outcome = outcomes.outcomeOf(htlc.attemptId);
    await port.send(htlc);
    return outcome;
  };
}

/** Keysends to random nodes, each over a shortest route from one of our peers. */
function buildOffers(
  graph: ChannelGraph,
  own: readonly OwnChannel[],
  height: number,
  stream: number,
): ReadyHtlc[] {
  const random = seededRandom(1, stream);
  const offers: ReadyHtlc[] = [];
  const distances = new Int32Array(graph.nodeCount);
  const keysends = keysendsFor(graph.nodeCount);
  for (let i = 0; offers.length < keysends && i < 20 * keysends; i++) {
    const destination = Math.floor(random() * graph.nodeCount);
    const first = own[i % own.length]!;
    const directionIndexes = shortestRoute(graph, graph.nodeIndex(first.peerId), destination, distances);
    const amountMsat = BigInt(Math.floor(10 ** (6 + 2 * random())));
    if (directionIndexes !== undefined)
      offers.push(offerOver(graph, first, directionIndexes, amountMsat, height, `${stream}.${i}`));
  }
  return offers;
}

/** The slots of a path with the fewest channels, found breadth-first from the destination. */
function shortestRoute(
  graph: ChannelGraph,
  from: number,
  to: number,
  next: Int32Array,
): number[] | undefined {
  next.fill(-1);
  const queue = [to];
  for (let head = 0; head < queue.length && queue[head] !== from; head++) {
    const node = queue[head]!;
    for (const channel of graph.channelsOf(node)) {
      const entersNode2 = graph.node2[channel] === node;
      const directionIndex = 2 * channel + (entersNode2 ? 0 : 1);
      const source = (entersNode2 ? graph.node1 : graph.node2)[channel]!;
      if (next[source] !== -1 || source === to || (graph.policyFlags[directionIndex]! & POLICY_ENABLED) === 0)
        continue;
      next[source] = directionIndex;
      queue.push(source);
    }
  }
  const directionIndexes: number[] = [];
  for (let node = from; node !== to; node = targetOf(graph, directionIndexes.at(-1)!)) {
    if (next[node] === -1 || directionIndexes.length >= MAX_HOPS) return undefined;
    directionIndexes.push(next[node]!);
  }
  return directionIndexes;
}

function targetOf(graph: ChannelGraph, directionIndex: number): number {
  return ((directionIndex & 1) === 0 ? graph.node2 : graph.node1)[directionIndex >> 1]!;
}

function offerOver(
  graph: ChannelGraph,
  first: OwnChannel,
  directionIndexes: readonly number[],
  amount: bigint,
  height: number,
  attemptId: string,
): ReadyHtlc {
  const preimage = sha256(Buffer.from(attemptId));
  const paymentHash = sha256(preimage);
  let [amountMsat, cltvExpiry] = [amount, height + FINAL_DELTA];
  const node =
    directionIndexes.length > 0 ? targetOf(graph, directionIndexes.at(-1)!) : graph.nodeIndex(first.peerId);
  const hops = [
    {
      nodeId: idBytes(graph, node),
      payload: encodePayload({
        amtToForwardMsat: msat(amount),
        outgoingCltvValue: cltvExpiry,
        keysendPreimage: preimage,
      }),
    },
  ];
  for (const directionIndex of [...directionIndexes].reverse()) {
    const source = targetOf(graph, directionIndex ^ 1);
    const shortChannelId = graph.shortChannelIds[directionIndex >> 1]! as ShortChannelId;
    const terms = { amtToForwardMsat: msat(amountMsat), outgoingCltvValue: cltvExpiry, shortChannelId };
    hops.unshift({ nodeId: idBytes(graph, source), payload: encodePayload(terms) });
    const feeBaseMsat = graph.feeBaseMsat[directionIndex]!;
    const feeProportionalMillionths = graph.feeProportionalMillionths[directionIndex]!;
    amountMsat += forwardingFeeMsat({ feeBaseMsat, feeProportionalMillionths }, amountMsat);
    cltvExpiry += graph.cltvExpiryDelta[directionIndex]!;
  }
  const sessionKey = sha256(preimage, paymentHash);
  const onion = createOnion(hops, { sessionKey, associatedData: paymentHash }).packet;
  const shortChannelId = first.shortChannelId as ShortChannelId;
  const hop = { nodeId: first.peerId, shortChannelId, amountMsat: msat(amountMsat), cltvExpiry };
  const key = { attemptId, paymentHash, groupId: 1n, partId: 1 };
  return { ...key, path: [hop], finalPayload: {}, sessionKey, onion };
}

function idBytes(graph: ChannelGraph, node: number): Uint8Array {
  return graph.nodeIds.slice(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES);
}

function heldMb(): number {
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return (arrayBuffers + heapUsed) / 1e6;
}
