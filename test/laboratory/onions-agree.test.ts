/**
 * The laboratory, compared with the simulated network with real onions, which shares only the fee formula
 * with it. Both play the same HTLCs at the same times, up to a hundred at once, over the same balances: over
 * correct paths, and over paths with too little fee, too little delay, too large or too small amounts,
 * offline nodes, or directions whose fees changed without gossip. Every outcome must be equal: settled, or
 * failed by the same node with the same code, with the same hold times of the nodes that report them. At the end
 * every balance must be equal to the msat.
 */
import { expect, test } from 'vitest';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { readAttribution } from '../../src/bolt/onion/attribution.ts';
import { unwrapFailurePacket } from '../../src/bolt/onion/failure-packet.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { PURPOSE } from '../../src/laboratory/purposes.ts';
import type { NetworkScenario } from '../../src/laboratory/scenario/scenario.ts';
import { startingBalances } from '../../src/laboratory/truth/balances.ts';
import { failureOf } from '../../src/laboratory/truth/forwarding.ts';
import { type HtlcEnd, LabHtlc, type Path } from '../../src/laboratory/truth/htlc-flow.ts';
import { LabWorld, limitsOf } from '../../src/laboratory/truth/world.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { Draws } from '../../src/model/draws.ts';
import { msat, msatFromSat } from '../../src/model/msat.ts';
import { nodeIdFromBytes, nodeIdToBytes } from '../../src/model/node-id.ts';
import type { Direction, ShortChannelId } from '../../src/model/short-channel-id.ts';
import type { HtlcOutcome } from '../../src/network/port.ts';
import { networkMapOf, Simulation } from '../../src/network/simulated/index.ts';
import { type BuiltAttempt, buildAttempt, readFailure } from '../network/simulated/payer.ts';

const OWN_ID = nodeIdFromBytes(curve.publicKey(new Uint8Array(32).fill(9)));
const HEIGHT = 1_000_000;
const HOP_MS = 70;
const GAP_MS = 7.013;
const HTLCS = 2000;
const FINAL_CLTV = 22;
const NETWORK: NetworkScenario = {
  latency: { kind: 'fixed', meanUs: HOP_MS * 1000, nodeSigma: 0, slow: 0, slowFactor: 10, reporting: 0.9 },
  offline: 0.04,
  offlineUs: 0,
  stuck: 0,
  stuckUs: 0,
  faulty: 0,
  faultyUs: 0,
  unreportedFees: 0.05,
  feeChangeUs: 0,
  slots: 483,
  maxInFlight: 1,
  reserve: 0,
  blockUs: 0,
  jamming: [],
};

/** A simulated network, and a graph that contains our own channels too. */
function networks(seed: number): { simulation: Simulation; world: LabWorld; own: number } {
  const graph = generateSyntheticGraph({ nodeCount: 120, seed });
  const map = networkMapOf(graph);
  const peers = [...Array(graph.nodeCount).keys()]
    .sort((a, b) => graph.nodeDegree[b]! - graph.nodeDegree[a]!)
    .slice(0, 6);
  const capacityMsat = msatFromSat(1_000_000_000);
  const simulation = new Simulation(map, {
    ownNodeId: OWN_ID,
    ownChannels: peers.map((peer) => ({
      peerId: graph.nodeId(peer),
      capacityMsat,
      localMsat: msat(capacityMsat / 2n),
    })),
    latencyMs: { least: HOP_MS, most: HOP_MS },
    jitterMs: 0,
    startHeight: HEIGHT,
    blockIntervalMs: 1e12,
  });
  const own = graph.internNode(nodeIdToBytes(OWN_ID));
  const reserved = addOwnChannels(graph, simulation, own);
  const balances = startingBalances(graph, { kind: 'uniform' }, new Draws(seed));
  const limits = limitsOf(graph, NETWORK);
  for (const channel of reserved) {
    balances[channel] = graph.capacityMsat[channel]! / 2n;
    limits.reserveMsat[2 * channel] = graph.capacityMsat[channel]! / 100n;
    limits.reserveMsat[2 * channel + 1] = graph.capacityMsat[channel]! / 100n;
  }
  const world = new LabWorld(graph, balances, NETWORK, BigInt(seed), limits);
  copyTruth(world, simulation, own);
  return { simulation, world, own };
}

function addOwnChannels(graph: ChannelGraph, simulation: Simulation, own: number): number[] {
  return simulation
    .ownChannels()
    .channels.map(({ shortChannelId, peerId, capacityMsat, localPolicy, remotePolicy }) => {
      const peer = graph.nodeIndex(peerId);
      const isFirst = OWN_ID < peerId;
      const channel = graph.addChannel(
        shortChannelId!,
        isFirst ? own : peer,
        isFirst ? peer : own,
        capacityMsat,
      );
      for (const [direction, terms] of [
        [isFirst ? 0 : 1, localPolicy!],
        [isFirst ? 1 : 0, remotePolicy!],
      ] as const) {
        graph.setPolicy(channel, direction, {
          ...terms,
          enabled: true,
          feeBaseMsat: Number(terms.feeBaseMsat),
        });
      }
      return channel;
    });
}

/** Gives the simulated network the balances, fees, absences and reports that the laboratory drew. */
function copyTruth(world: LabWorld, simulation: Simulation, own: number): void {
  const { graph, channels, policies, availability } = world;
  for (let node = 0; node < graph.nodeCount; node++) {
    if (node === own) continue;
    simulation.setTrait(graph.nodeId(node), 'offline', !availability.isOnline(node, 0));
    simulation.setTrait(graph.nodeId(node), 'attributes', world.reportsHoldTimes(node));
  }
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const shortChannelId = graph.shortChannelIds[channel]! as ShortChannelId;
    simulation.setBalance({ shortChannelId, direction: 0 }, channels.balanceMsat(2 * channel));
    for (const direction of [0, 1] as const) {
      simulation.setPolicy({ shortChannelId, direction }, policies.policy(2 * channel + direction));
    }
  }
}

const DEFECTS = [
  'none',
  'none',
  'none',
  'none',
  'none',
  'none',
  'lessFee',
  'lessDelay',
  'tooSmall',
  'tooMuch',
  'tooFar',
] as const;

/**
 * A random walk from our node, with amounts and expiries computed from its end, in some cases with one
 * defect.
 */
function randomPath(world: LabWorld, own: number, htlc: number): Path | undefined {
  const { graph, draws, channels } = world;
  const draw = (what: number): number => draws.uniform(PURPOSE.suspect, htlc, what);
  const length = 1 + Math.floor(draw(0) * 5);
  const nodes = [own];
  const directions: number[] = [];
  for (let hop = 0; hop < length; hop++) {
    const node = nodes.at(-1)!;
    const onward = [...graph.channelsOf(node)].filter((channel) => {
      const other = graph.node1[channel] === node ? graph.node2[channel]! : graph.node1[channel]!;
      return !nodes.includes(other);
    });
    if (onward.length === 0) break;
    const channel = onward[Math.floor(draw(hop + 1) * onward.length)]!;
    const direction = 2 * channel + (graph.node1[channel] === node ? 0 : 1);
    directions.push(direction);
    nodes.push(world.head(direction));
  }
  if (directions.length === 0) return undefined;
  const defect = DEFECTS[Math.floor(draw(10) * DEFECTS.length)]!;
  const narrowest = directions.reduce((least, direction) => {
    const balance = channels.balanceMsat(direction);
    return balance < least ? balance : least;
  }, 10n ** 12n);
  const scaled = (narrowest * BigInt(Math.floor(draw(11) * 1050))) / 1000n;
  const amount = defect === 'tooSmall' ? 1n : defect === 'tooMuch' ? narrowest + 10_000_000n : scaled + 1n;
  return withAmounts(world, directions, amount, defect, Math.floor(draw(12) * directions.length));
}

function withAmounts(
  { graph, policies }: LabWorld,
  directions: readonly number[],
  amountMsat: bigint,
  defect: (typeof DEFECTS)[number],
  where: number,
): Path {
  const amountsMsat = [amountMsat];
  const expiries = [HEIGHT + FINAL_CLTV + (defect === 'tooFar' ? 3000 : 0)];
  for (let hop = directions.length - 1; hop > 0; hop--) {
    const direction = directions[hop]!;
    const isHere = hop === where;
    const fee = policies.feeMsat(direction, amountsMsat[0]!) - (defect === 'lessFee' && isHere ? 1n : 0n);
    const delta = graph.cltvExpiryDelta[direction]! - (defect === 'lessDelay' && isHere ? 1 : 0);
    amountsMsat.unshift(amountsMsat[0]! + (fee < 0n ? 0n : fee));
    expiries.unshift(expiries[0]! + delta);
  }
  return { directions, amountsMsat, expiries };
}

/** An outcome in a form common to both networks, and the reported hold times in units of 100 ms. */
interface Told {
  readonly end: 'settled' | `${number}:${string}`;
  readonly held: readonly number[];
}

function toldByLab(end: HtlcEnd): Told {
  const held = end.holdTimesS?.map((seconds) => Math.round(10 * seconds)) ?? [];
  if (end.kind === 'settled') return { end: 'settled', held };
  return { end: end.index === 0 ? '0:refused' : `${end.index}:${end.failure.name}`, held };
}

function toldByOnions(attempt: BuiltAttempt, outcome: HtlcOutcome): Told {
  const { sharedSecrets } = attempt;
  const units = (ms: readonly number[]): number[] => ms.map((one) => one / 100);
  if (outcome.status === 'failed') {
    const { hop, failure } = readFailure(attempt, outcome)!;
    const { holdTimesMs } = unwrapFailurePacket(sharedSecrets, outcome.packet, outcome.attribution);
    return { end: `${hop + 1}:${failure.name}`, held: units(holdTimesMs) };
  }
  if (outcome.status !== 'settled') return { end: '0:refused', held: [] };
  const { attribution } = outcome;
  const held = attribution === undefined ? [] : readAttribution(sharedSecrets, attribution).holdTimesMs;
  return { end: 'settled', held: units(held) };
}

function playOnions(
  simulation: Simulation,
  { graph, head }: LabWorld,
  paths: readonly (Path | undefined)[],
): Map<number, Told> {
  const told = new Map<number, Told>();
  const built = new Map<string, BuiltAttempt>();
  simulation.onAnswer = (attemptId, outcome) => {
    told.set(Number(attemptId), toldByOnions(built.get(attemptId)!, outcome));
  };
  const startMs = simulation.nowMs;
  for (const [htlc, path] of paths.entries()) {
    if (path === undefined) continue;
    const route = path.directions.map((direction, hop) => ({
      nodeId: graph.nodeId(head(direction)),
      shortChannelId: graph.shortChannelIds[direction >>> 1]! as ShortChannelId,
      amountMsat: path.amountsMsat[hop]!,
      cltvExpiry: path.expiries[hop]!,
    }));
    simulation.advanceTo(startMs + htlc * GAP_MS);
    const attempt = buildAttempt(String(htlc), route);
    built.set(String(htlc), attempt);
    simulation.offerHtlc(attempt.offer);
  }
  simulation.runUntilIdle();
  return told;
}

function playLab(world: LabWorld, paths: readonly (Path | undefined)[]): Map<number, Told> {
  const told = new Map<number, Told>();
  for (const [htlc, path] of paths.entries()) {
    if (path === undefined) continue;
    world.queue.schedule(htlc * GAP_MS * 1000, htlc, () => {
      new LabHtlc(
        world,
        htlc,
        path,
        (arrived) => {
          const inTime = arrived.expiry >= world.height + 18;
          if (inTime) arrived.settle();
          else arrived.fail(failureOf('incorrect_or_unknown_payment_details', { height: world.height }));
        },
        (end) => told.set(htlc, toldByLab(end)),
      ).send();
    });
  }
  // Every change checks that the balances of its channel add up.
  while (world.step());
  return told;
}

test.each([1, 2])('both networks agree on every HTLC and every msat (seed %i)', (seed) => {
  const { simulation, world, own } = networks(seed);
  const bound = {
    ...world,
    head: (direction: number) => world.head(direction),
    graph: world.graph,
  } as LabWorld;
  const paths = Array.from({ length: HTLCS / 2 }, (_, htlc) => randomPath(world, own, htlc));
  const onions = playOnions(simulation, bound, paths);
  const lab = playLab(world, paths);
  expect(Object.fromEntries(lab)).toEqual(Object.fromEntries(onions));
  const { graph } = world;
  for (let direction = 0; direction < 2 * graph.channelCount; direction++) {
    const shortChannelId = graph.shortChannelIds[direction >>> 1]! as ShortChannelId;
    const of = { shortChannelId, direction: (direction & 1) as Direction };
    expect(world.channels.balanceMsat(direction)).toBe(simulation.balanceMsat(of));
  }
  const kinds = new Set([...lab.values()].map(({ end }) => end.replace(/^\d+:/, '')));
  for (const kind of [
    'settled',
    'refused',
    'fee_insufficient',
    'incorrect_cltv_expiry',
    'temporary_channel_failure',
  ]) {
    expect(kinds).toContain(kind);
  }
  expect([...lab.values()].filter(({ end }) => end === 'settled').length).toBeGreaterThan(100);
  expect(Math.max(...[...lab.values()].map(({ held }) => held[0] ?? 0))).toBeGreaterThan(3);
});
