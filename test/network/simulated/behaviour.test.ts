/**
 * Behaviour of a simulated network apart from single failures: limits met exactly, time, crashes of our side,
 * unusual input.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { readAttribution } from '../../../src/bolt/onion/attribution.ts';
import { FAILURES } from '../../../src/bolt/onion/failure.ts';
import { encodePayload } from '../../../src/bolt/onion/payload.ts';
import { createOnion } from '../../../src/bolt/onion/sphinx.ts';
import { snapshotNodePrivateKey } from '../../../src/gossip/node-keys.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { Draws } from '../../../src/model/draws.ts';
import { msat } from '../../../src/model/msat.ts';
import { nodeIdToBytes } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { networkMapOf, Simulation } from '../../../src/network/simulated/index.ts';
import { SimulatedNodes } from '../../../src/network/simulated/nodes.ts';
import { countWithin, poissonRange } from '../../statistics.ts';
import { TestPort } from './htlc-client.ts';
import {
  A,
  A_TO_B,
  AB,
  B,
  B_TO_C,
  BC,
  C,
  CAPACITY,
  line,
  lineGraph,
  OWN_ID,
  routeTo,
  START_HEIGHT,
} from './line.ts';
import { buildAttempt, readFailure, secretOf } from './payer.ts';

const AMOUNT = 10_000_000n;

describe('limits', () => {
  test('that are met exactly let a payment through', async () => {
    const network = line();
    const { simulation } = network;
    // B receives 10,002,000 msat over A's channel, C 10,000,000 over B's.
    const toB = 10_002_000n;
    simulation.setBalance(A_TO_B, toB);
    simulation.setPolicy(A_TO_B, { htlcMinimumMsat: msat(toB), htlcMaximumMsat: msat(toB) });
    // The recipient requires 18 blocks. The maximum outgoing expiry is 2016 blocks away.
    const near = buildAttempt('near', routeTo(network, C, AMOUNT, 18));
    expect(await settle(network, near)).toBe('settled');
    simulation.setBalance(A_TO_B, toB);
    // A gives B an expiry 40 blocks after that of C.
    const far = buildAttempt('far', routeTo(network, C, AMOUNT, 1976));
    expect(await settle(network, far)).toBe('settled');
    simulation.setBalance(A_TO_B, toB);
    const farther = buildAttempt('farther', routeTo(network, C, AMOUNT, 1977));
    expect(await settle(network, farther)).toBe('failed');
  });

  test('on the number of HTLCs in one direction are enforced', async () => {
    const network = line();
    network.simulation.setTrait(A, 'unresponsive', true);
    for (let i = 0; i < 483; i++) {
      void network.port.sendHtlc(buildAttempt(`held ${i}`, routeTo(network, A, 1000n)).offer);
    }
    network.simulation.advanceTo(network.simulation.nowMs + 1000);
    expect(network.port.ownChannels().channels[0]?.spendableMsat).toBe(0n);
    const sent = network.port.sendHtlc(buildAttempt('one more', routeTo(network, A, 1000n)).offer);
    network.simulation.advanceTo(network.simulation.nowMs + 1000);
    const { code } = FAILURES.temporary_channel_failure;
    expect(await sent).toMatchObject({ status: 'refused', failureCode: code });
    expect(network.simulation.checkConservation()).toEqual([]);
  });
});

async function settle(
  { port, simulation }: ReturnType<typeof line>,
  { offer }: ReturnType<typeof buildAttempt>,
) {
  const sent = port.sendHtlc(offer);
  expect(simulation.runUntilIdle()).toBe(true);
  return (await sent).status;
}

describe('time', () => {
  test('passes in latency, there and back, and in blocks of ten minutes on average', async () => {
    const network = line({ latencyMs: { least: 50, most: 50 }, jitterMs: 0 });
    const startedMs = network.simulation.nowMs;
    expect(await settle(network, buildAttempt('timed', routeTo(network, C, AMOUNT)))).toBe('settled');
    expect(network.simulation.nowMs - startedMs).toBe(6 * 50);
    network.simulation.advanceTo(startedMs + 1000 * 600_000);
    const blocks = network.port.blockHeight() - START_HEIGHT;
    expect(blocks).toBe(countWithin(blocks, poissonRange(1000)));
  });

  test('is lost at a stuck hop, and attribution data shows where', async () => {
    const network = line({
      latencyMs: { least: 50, most: 50 },
      jitterMs: 0,
      attributionShare: 1,
      faults: { stuckHtlcs: 1, stuckMs: 2000 },
    });
    const attempt = buildAttempt('stuck', routeTo(network, C, AMOUNT));
    const sent = network.port.sendHtlc(attempt.offer);
    network.simulation.runUntilIdle();
    const outcome = await sent;
    const attribution = (outcome.status === 'settled' && outcome.attribution) || new Uint8Array();
    // Hold times are in units of 100 ms. C holds the HTLC for 2 s. B's time is 2 s, plus the latency to C and back,
    // plus C's time. A's time adds up likewise.
    const read = readAttribution(attempt.sharedSecrets, attribution);
    expect(read).toEqual({ holdTimesMs: [6200, 4100, 2000], brokenIndex: undefined });
  });

  test('runs out: an HTLC without an answer expires, its channel closes, and the money returns', async () => {
    const network = line();
    const { port, simulation } = network;
    simulation.setTrait(A, 'unresponsive', true);
    const sent = port.sendHtlc(buildAttempt('expiring', routeTo(network, C, AMOUNT)).offer);
    simulation.advanceTo(simulation.nowMs + 1000);
    expect(port.ownChannels().channels[0]?.spendableMsat).toBeLessThan((CAPACITY * 99n) / 100n);
    simulation.setHeight(START_HEIGHT + 121);
    expect(await port.lookUpHtlc('expiring')).toEqual({ status: 'pending' });
    simulation.setHeight(START_HEIGHT + 122);
    const { code } = FAILURES.permanent_channel_failure;
    expect(await sent).toMatchObject({ status: 'refused', failureCode: code });
    expect(port.ownChannels().channels[0]).toMatchObject({
      usable: false,
      spendableMsat: (CAPACITY * 99n) / 100n,
    });
    expect(() => simulation.setHeight(START_HEIGHT)).toThrow(RangeError);
  });
});

test('HTLCs continue after a crash of our side, and the next process can look them up', async () => {
  const network = line();
  const { simulation } = network;
  const attempt = buildAttempt('orphan', routeTo(network, C, AMOUNT));
  let told = false;
  void network.port.sendHtlc(attempt.offer).then(() => {
    told = true;
  });
  await network.port.close();
  await expect(network.port.lookUpHtlc('orphan')).rejects.toMatchObject({ name: 'shuttingDown' });
  const next = new TestPort(simulation);
  expect(await next.lookUpHtlc('orphan')).toEqual({ status: 'pending' });
  const waiting = next.sendHtlc(attempt.offer);
  simulation.runUntilIdle();
  const outcome = { status: 'settled', preimage: attempt.preimage };
  expect(await waiting).toEqual(outcome);
  expect(await next.lookUpHtlc('orphan')).toEqual(outcome);
  expect(told).toBe(false);
});

test('fees that changed without gossip are learned from the failure', async () => {
  const network = line({ faults: { unreportedPolicies: 1 } });
  const { feeBaseMsat, feeProportionalMillionths } = network.simulation.policy(A_TO_B);
  expect([feeBaseMsat, feeProportionalMillionths]).not.toEqual([1000, 100]);
  expect(feeBaseMsat).toBeLessThanOrEqual(3000);
  network.simulation.setPolicy(B_TO_C, { feeBaseMsat: 1001, feeProportionalMillionths: 100 });
  network.simulation.setPolicy(A_TO_B, { feeBaseMsat: 0, feeProportionalMillionths: 0 });
  const attempt = buildAttempt('stale', routeTo(network, C, AMOUNT));
  const sent = network.port.sendHtlc(attempt.offer);
  network.simulation.runUntilIdle();
  expect(readFailure(attempt, await sent)).toMatchObject({ hop: 1, failure: { name: 'fee_insufficient' } });
});

describe('nodes', () => {
  test('have the keys of their ids, in any order of the source', async () => {
    const graph = new ChannelGraph();
    for (const id of [C, A, B]) graph.internNode(nodeIdToBytes(id));
    const [ab, bc] = [AB, BC].map((scid, i) => {
      const [from, to] = i === 0 ? [A, B] : [B, C];
      const [low, high] = [from, to].sort().map((id) => graph.nodeIndex(id)) as [number, number];
      return graph.addChannel(scid, low, high, CAPACITY);
    });
    for (const channel of [ab!, bc!]) {
      const policy = lineGraph().policy(0)!;
      graph.setPolicy(channel, 0, policy);
      graph.setPolicy(channel, 1, policy);
    }
    const ownChannels = [{ peerId: A, capacityMsat: CAPACITY, localMsat: CAPACITY }];
    const options = { ownNodeId: OWN_ID, startHeight: START_HEIGHT, ownChannels };
    const simulation = new Simulation(networkMapOf(graph), options);
    for (const direction of [A_TO_B, B_TO_C]) simulation.setBalance(direction, CAPACITY);
    const network = { ...line(), simulation, port: new TestPort(simulation) };
    expect(await settle(network, buildAttempt('any order', routeTo(network, C, AMOUNT)))).toBe('settled');
  });

  test('have the keys of their ids, even if a source lacks some of them', () => {
    const graph = new ChannelGraph();
    // The node with key 0 is missing from the graph, so the nodes of the graph have keys 2 and 1.
    for (const id of [C, B]) graph.internNode(nodeIdToBytes(id));
    const nodes = new SimulatedNodes(networkMapOf(graph), { ownNodeId: OWN_ID }, new Draws(1));
    expect([0, 1].map((node) => nodes.secretKey(node))).toEqual([2, 1].map(snapshotNodePrivateKey));
  });

  test('with unknown keys cannot be simulated', () => {
    const graph = new ChannelGraph();
    for (const id of [OWN_ID, nodeIdToBytes(OWN_ID).with(32, 3)]) {
      graph.internNode(typeof id === 'string' ? nodeIdToBytes(id) : id);
    }
    expect(() => new Simulation(networkMapOf(graph), { ownNodeId: A })).toThrow(
      expect.objectContaining({ name: 'graphSource' }),
    );
  });

  test('with the best connections get our own channels, unless configured otherwise', () => {
    const map = networkMapOf(lineGraph());
    const peers = (ownChannels: { count: number; skip?: number }) =>
      new Simulation(map, { ownNodeId: OWN_ID, ownChannels })
        .ownChannels()
        .channels.map(({ peerId }) => peerId);
    expect(peers({ count: 1 })).toEqual([B]);
    expect(peers({ count: 8, skip: 1 })).toEqual([A, C]);
  });
});

describe('any data from the sender', () => {
  const outcomes = new Set<string>();

  test('into a layer gets a result, and no money is lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 2, maxLength: 60 }), { minLength: 1, maxLength: 3 }),
        fc.nat(1_000_000_000),
        async (payloads, amount) => {
          const network = line();
          const hops = payloads.map((payload, i) => ({ nodeId: nodeIdToBytes([A, B, C][i]!), payload }));
          const paymentHash = sha256(secretOf('any'));
          const onion = createOnion(hops, {
            sessionKey: secretOf('key'),
            associatedData: paymentHash,
          }).packet;
          const { offer } = buildAttempt('any', routeTo(network, C, AMOUNT));
          const sent = network.port.sendHtlc({ ...offer, amountMsat: msat(amount), paymentHash, onion });
          expect(network.simulation.runUntilIdle()).toBe(true);
          outcomes.add((await sent).status);
          expect(network.simulation.checkConservation()).toEqual([]);
        },
      ),
    );
    expect([...outcomes]).toContain('failed');
  });

  test('as fields of any value and combination gets a result, and no money is lost', async () => {
    const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const amount = fc.oneof(fc.bigInt(0n, 20_000_000n), fc.bigInt(0n, 2n ** 64n - 1n)).map(msat);
    const fields = {
      amtToForwardMsat: amount,
      outgoingCltvValue: fc.oneof(fc.nat(0xffff_ffff), fc.integer({ min: 799_990, max: 802_100 })),
      shortChannelId: fc.constantFrom(AB, BC, shortChannelId(1, 1, 1)),
      paymentData: fc.record({ paymentSecret: bytes32, totalMsat: amount }),
      encryptedRecipientData: fc.uint8Array({ maxLength: 40 }),
      currentPathKey: fc.constant(nodeIdToBytes(A)),
      paymentMetadata: fc.uint8Array({ maxLength: 8 }),
      totalAmountMsat: amount,
      keysendPreimage: fc.oneof(bytes32, fc.constant(secretOf('any'))),
      customRecords: fc.constantFrom(
        [{ type: 65_536n, value: new Uint8Array(3) }],
        [{ type: 65_537n, value: new Uint8Array(0) }],
      ),
    };
    const payload = fc.record(fields, { requiredKeys: ['amtToForwardMsat', 'outgoingCltvValue'] });
    await fc.assert(
      fc.asyncProperty(fc.array(payload, { minLength: 1, maxLength: 3 }), async (payloads) => {
        const network = line();
        const hops = payloads.map((one, i) => ({
          nodeId: nodeIdToBytes([A, B, C][i]!),
          payload: encodePayload(one),
        }));
        const paymentHash = sha256(secretOf('any'));
        const onion = createOnion(hops, { sessionKey: secretOf('key'), associatedData: paymentHash }).packet;
        const { offer } = buildAttempt('any', routeTo(network, C, AMOUNT));
        const sent = network.port.sendHtlc({ ...offer, paymentHash, onion });
        expect(network.simulation.runUntilIdle()).toBe(true);
        expect(['settled', 'failed']).toContain((await sent).status);
        expect(network.simulation.checkConservation()).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('in place of an onion is refused by the first node', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (onion) => {
        const network = line();
        const { offer } = buildAttempt('noise', routeTo(network, C, AMOUNT));
        const sent = network.port.sendHtlc({ ...offer, onion });
        expect(network.simulation.runUntilIdle()).toBe(true);
        expect((await sent).status).toBe('refused');
      }),
    );
  });
});
