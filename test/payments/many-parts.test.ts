/**
 * Payments whose amount needs more parts than a payment usually has, because a channel limits the size of an HTLC:
 *
 *     us ──5,000,000 sat── P ──3,000,000 sat, at most 20,000 sat per HTLC── R
 *
 * In one test, a second channel from P to R takes HTLCs of up to 60,000 sat, for larger fees.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { FEATURE, featuresOf } from '../../src/bolt/peer/features.ts';
import { snapshotNodePrivateKey } from '../../src/gossip/node-keys.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { msat, msatFromSat } from '../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../src/model/node-id.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { leaving, TERMS } from './line-graph.ts';
import { keysendRequest, SimulatedNode } from './simulation/simulated-node.ts';

const [P, R] = [0, 1].map((index) => nodeIdFromBytes(curve.publicKey(snapshotNodePrivateKey(index)))) as [
  NodeId,
  NodeId,
];
const PART = msatFromSat(20_000);
const CAPACITY = msatFromSat(3_000_000);
const P_R = shortChannelId(104, 1, 0);
const COSTLY = shortChannelId(105, 1, 0);

function payer(hasCostly = false): SimulatedNode {
  const graph = new ChannelGraph();
  const [node1, node2] = [P, R].toSorted().map((id) => graph.internNode(nodeIdToBytes(id))) as [
    number,
    number,
  ];
  const channel = graph.addChannel(P_R, node1, node2, CAPACITY);
  const terms = { ...TERMS, htlcMaximumMsat: PART };
  for (const direction of [0, 1] as const) graph.setPolicy(channel, direction, terms as never);
  if (hasCostly) {
    const costly = graph.addChannel(COSTLY, node1, node2, CAPACITY);
    const dear = { ...TERMS, htlcMaximumMsat: 3n * PART, feeProportionalMillionths: 50_000 };
    for (const direction of [0, 1] as const) graph.setPolicy(costly, direction, dear as never);
  }
  graph.setAnnouncement(graph.nodeIndex(R), {
    timestamp: 1,
    alias: new Uint8Array(32),
    color: new Uint8Array(3),
    features: featuresOf([FEATURE.var_onion_optin, FEATURE.payment_secret, FEATURE.basic_mpp]),
    addresses: new Uint8Array(0),
  });
  const made = new SimulatedNode({
    graph,
    simulation: {
      ownChannels: [{ peerId: P, capacityMsat: msatFromSat(5_000_000), localMsat: msatFromSat(4_900_000) }],
      startHeight: 1_000,
    },
  });
  made.simulation.setBalance(leaving(P, R, P_R), CAPACITY);
  if (hasCostly) made.simulation.setBalance(leaving(P, R, COSTLY), CAPACITY);
  made.simulation.setTrait(R, 'takesKeysend', true);
  return made;
}

let node: SimulatedNode | undefined;
afterEach(async () => {
  await node?.destroy();
  node = undefined;
});

test.each([
  [16, 16],
  [17, 17],
  [40, 40],
])('%d parts of the maximum size are sent', async (parts, expected) => {
  node = payer();
  const amountMsat = msat(PART * BigInt(parts));
  const more = { kind: 'xkeysend', amountMsat, maxfeeMsat: amountMsat } as const;
  const payment = await node.pay(keysendRequest(R, more));
  expect(payment.status).toBe('complete');
  expect(payment.attempts).toHaveLength(expected);
});

test('more than 100 parts are not sent', async () => {
  node = payer();
  const amountMsat = msat(PART * 101n);
  const payment = await node.pay(keysendRequest(R, { kind: 'xkeysend', amountMsat, maxfeeMsat: amountMsat }));
  expect(payment.status).toBe('failed');
  expect(payment.attempts).toHaveLength(0);
});

/** Pays 200,000 sat while P accepts this many further HTLCs from us. Returns the number of attempts. */
async function attemptsWith(freeHtlcs: number | undefined, hasCostly: boolean): Promise<number> {
  node = payer(hasCostly);
  const { port } = node;
  const { ownChannels } = port;
  vi.spyOn(port, 'ownChannels').mockImplementation(() => {
    const { revision, channels } = ownChannels.call(port);
    return { revision, channels: channels.map((channel) => ({ ...channel, freeHtlcs })) };
  });
  const amountMsat = msat(PART * 10n);
  const payment = await node.pay(keysendRequest(R, { kind: 'xkeysend', amountMsat, maxfeeMsat: amountMsat }));
  await node.destroy();
  node = undefined;
  expect(payment.status).toBe('complete');
  return payment.attempts.length;
}

test('no more parts leave over a channel than its peer accepts HTLCs, if fewer parts can carry the amount', async () => {
  expect(await attemptsWith(undefined, true)).toBe(10);
  expect(await attemptsWith(10, true)).toBe(10);
  expect(await attemptsWith(4, true)).toBeLessThanOrEqual(4);
  // There are only routes with ten parts. The real limit may be higher by now, so they are tried.
  expect(await attemptsWith(4, false)).toBe(10);
});
