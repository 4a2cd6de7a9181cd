/**
 * Payments into blinded paths: the onion of BOLT 4's example, splits over paths, failures inside them, and
 * paths that begin at us.
 *
 *     us ── L2 ── L3 ── L4          P is private: it has unannounced channels with L3 and L4
 *                  └─ P ┘
 */
import { describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../../src/bolt/bytes.ts';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { createBlindedPath } from '../../src/bolt/onion/blinded-path.ts';
import { encodeEncryptedData, pathTotals } from '../../src/bolt/onion/encrypted-data.ts';
import { createOnion } from '../../src/bolt/onion/sphinx.ts';
import { snapshotNodePrivateKey } from '../../src/gossip/node-keys.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { msat, msatFromSat } from '../../src/model/msat.ts';
import { nodeIdFromBytes, nodeIdToBytes } from '../../src/model/node-id.ts';
import { forwardingFeeMsat } from '../../src/model/policy.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { onionHops } from '../../src/network/onions/htlc-onion.ts';
import { openOwnHop } from '../../src/offers/own-hop.ts';
import { findTails } from '../../src/payments/plan/payable-invoice.ts';
import { BLINDED_RECIPIENT } from '../../src/payments/plan/recipient.ts';
import { vectors } from '../bolt/vectors.ts';
import { type BlindedWishes, blindedRequest } from './blinded-invoice.ts';
import { L2, L3, L4, leaving, lineGraph, lineNode, TERMS } from './line-graph.ts';
import { OWN_ID, OWN_KEY, type SimulatedNode } from './simulation/simulated-node.ts';

const P_KEY = snapshotNodePrivateKey(3);
const P = nodeIdFromBytes(curve.publicKey(P_KEY));
const L3_P = shortChannelId(106, 1, 0);
const L4_P = shortChannelId(107, 1, 0);
const CAPACITY = msatFromSat(1_000_000);

function withPrivate(): ChannelGraph {
  const graph = lineGraph();
  const p = graph.internNode(nodeIdToBytes(P));
  for (const [id, scid] of [
    [L3, L3_P],
    [L4, L4_P],
  ] as const) {
    const other = graph.nodeIndex(id);
    const [node1, node2] = id < P ? [other, p] : [p, other];
    const channel = graph.addChannel(scid, node1, node2, CAPACITY);
    for (const direction of [0, 1] as const) graph.setPolicy(channel, direction, TERMS as never);
  }
  return graph;
}

/** P has no balance on its channels, so it can receive their whole capacity. */
function world(): { node: SimulatedNode; wishes: BlindedWishes } {
  const hiddenGraph = withPrivate();
  const node = lineNode({ hiddenGraph });
  for (const [id, of] of [
    [L3, L3_P],
    [L4, L4_P],
  ] as const) {
    node.simulation.setBalance(leaving(id, P, of), CAPACITY);
  }
  const { height, nowMs } = node.simulation;
  const wishes = {
    graph: hiddenGraph,
    recipient: P,
    secretKey: P_KEY,
    amountMsat: 1_000_000n,
    height,
    nowMs,
  };
  return {
    node,
    wishes: {
      ...wishes,
      plans: [
        { hops: 1, dummies: 1 },
        { hops: 1, dummies: 0 },
      ],
    },
  };
}

describe('bolt04/blinded-payment-onion-test.json', () => {
  const { generate } = vectors('bolt04-blinded-payment');
  const hops = generate.full_route.hops;

  test('the payer’s onion follows byte for byte from the path, the blinded path and the session key', () => {
    const payload = (hop: number, from: number, bytes: number) =>
      fromHex(hops[hop].payload).subarray(from, from + bytes);
    const [, , third, fourth] = hops;
    const blinded = [
      // The data of the first hop, after the payload's length and the record's type and length. The path key
      // follows the data.
      { blindedNodeId: fromHex(hops[1].pubkey), encryptedRecipientData: payload(1, 3, 0x4f) },
      { blindedNodeId: fromHex(third.pubkey), encryptedRecipientData: payload(2, 3, 0x4f) },
      { blindedNodeId: fromHex(fourth.pubkey), encryptedRecipientData: payload(3, 3, 0x4f) },
      // The recipient's payload begins with amount (5 bytes) and expiry (5).
      { blindedNodeId: fromHex(hops[4].pubkey), encryptedRecipientData: payload(4, 13, 0x4f) },
    ];
    const arriving = {
      amountMsat: msat(hops[0].tlvs.amt_to_forward),
      cltvExpiry: hops[0].tlvs.outgoing_cltv_value,
    };
    const built = onionHops({
      path: [
        {
          ...arriving,
          nodeId: nodeIdFromBytes(fromHex(hops[0].pubkey)),
          shortChannelId: shortChannelId(0, 0, 1),
        },
        {
          ...arriving,
          nodeId: nodeIdFromBytes(fromHex(hops[1].pubkey)),
          shortChannelId: shortChannelId(0, 0, 10),
        },
      ],
      blindedEnd: {
        firstPathKey: fromHex(hops[1].tlvs.current_path_key),
        hops: blinded,
        amountMsat: msat(hops[4].tlvs.amt_to_forward),
        cltvExpiry: hops[4].tlvs.outgoing_cltv_value,
      },
      finalPayload: { totalAmountMsat: msat(hops[4].tlvs.total_amount_msat) },
    });
    const options = {
      sessionKey: fromHex(generate.session_key),
      associatedData: fromHex(generate.associated_data),
    };
    expect(toHex(createOnion(built, options).packet)).toBe(generate.onion);
    // With the fees of the whole path added, the amount is what the example sends to the introduction node.
    const { fee_base_msat, fee_proportional_millionths } = generate.blinded_payinfo;
    const toll = {
      feeBaseMsat: BigInt(fee_base_msat),
      feeProportionalMillionths: fee_proportional_millionths,
    };
    const delivered = msat(hops[4].tlvs.amt_to_forward);
    expect(delivered + forwardingFeeMsat(toll, delivered)).toBe(arriving.amountMsat);
  });
});

describe('a payment into blinded paths', () => {
  test('costs the fees of the route and the path, and the journal shows the path as one artificial hop', async () => {
    const { node, wishes } = world();
    const payment = await node.pay(blindedRequest({ ...wishes, plans: wishes.plans.slice(0, 1) }));
    expect(payment.status).toBe('complete');
    const [attempt] = payment.attempts;
    expect(attempt!.path.map(({ nodeIdOut }) => nodeIdOut).at(-1)).toBe(BLINDED_RECIPIENT);
    expect(attempt!.path.at(-1)!.amountOutMsat).toBe(1_000_000n);
    // The largest channel into P comes first. Both have the same size, so L3's channel is first. Fees: 11
    // msat for L3 to P, then 11 msat for L2 to L3.
    expect(attempt!.amountSentMsat - attempt!.amountMsat).toBe(22n);
    expect(attempt!.path[0]!.cltvOut).toBe(18 + 6 + 6);
    await node.destroy();
  });

  test('is split over them if each carries only a part', async () => {
    const { node, wishes } = world();
    // Each of the two channels has a capacity of 600,000 msat and allows no larger HTLC.
    node.simulation.setBalance(leaving(L3, P, L3_P), 600_000n);
    node.simulation.setBalance(leaving(L4, P, L4_P), 600_000n);
    const request = blindedRequest(wishes, {}, (tail) => ({ ...tail, htlcMaximumMsat: msat(600_000n) }));
    const payment = await node.pay(request);
    expect(payment.status).toBe('complete');
    const settled = payment.attempts.filter(({ status }) => status !== 'failed');
    expect(settled.reduce((sum, { amountMsat }) => sum + amountMsat, 0n)).toBe(1_000_000n);
    expect(settled.every(({ amountMsat }) => amountMsat <= 600_000n)).toBe(true);
    const last = settled.map(({ path }) => path.at(-1)!.shortChannelIdDir.shortChannelId);
    expect(new Set(last).size).toBe(2);
    await node.destroy();
  });

  test('is written to the journal with all its parts at once, before any part is sent', async () => {
    const { node, wishes } = world();
    const { payments } = node.store;
    const put = payments.put.bind(payments);
    const written: string[][] = [];
    payments.put = (owner, row, attempts) => {
      if (row !== undefined) written.push(attempts.map(({ status }) => status));
      put(owner, row, attempts);
    };
    const request = blindedRequest(wishes, {}, (tail) => ({ ...tail, htlcMaximumMsat: msat(600_000n) }));
    const { attempts } = await node.pay(request);
    expect(attempts).toHaveLength(2);
    // Two writes: the plan, and the outcome together with the part that caused it.
    expect(written).toEqual([['sent', 'sent'], ['settled']]);
    await node.destroy();
  });

  test('uses a different path if one fails inside, and blames only the failed path', async () => {
    const { node, wishes } = world();
    // The introduction node cannot forward, and only reports that something failed inside.
    node.simulation.setBalance(leaving(L3, P, L3_P), 0n);
    const payment = await node.pay(blindedRequest(wishes));
    expect(payment.status).toBe('complete');
    const failures = payment.attempts.flatMap(({ failure, learned }) =>
      failure ? [{ failure, learned }] : [],
    );
    expect(failures).toHaveLength(1);
    const { failure, learned } = failures[0]!;
    expect(failure).toMatchObject({ failcodename: 'invalid_onion_blinding', isFinal: false, erringNode: L3 });
    const path = payment.attempts[0]!.path.at(-1)!.shortChannelIdDir;
    expect(failure.erringChannel).toEqual(path);
    expect(learned.filter((one) => typeof one !== 'string' && one.kind === 'blocked')).toEqual([
      { kind: 'blocked', of: path, amountMsat: 1_000_000n },
    ]);
    // The shared layer contains no negative lesson about any channel.
    const records = [...node.book.layer('xpay')!.records];
    expect(records.length).toBeGreaterThan(0);
    expect(records.some(({ kind }) => kind === 'maximum')).toBe(false);
    await node.destroy();
  });

  test('fails soon if every path refuses it, and leaves nothing in flight', async () => {
    const { node, wishes } = world();
    for (const [id, of] of [
      [L3, L3_P],
      [L4, L4_P],
    ] as const)
      node.simulation.setBalance(leaving(id, P, of), 0n);
    const payment = await node.pay(blindedRequest(wishes));
    expect(payment.status).toBe('failed');
    expect(payment.failure).toMatchObject({ obstacle: 'noRoute' });
    expect([...node.book.reservations()]).toEqual([]);
    expect([...node.book.layers()].map(({ name }) => name)).toEqual(['xpay']);
    expect(node.simulation.checkConservation()).toEqual([]);
    await node.destroy();
  });

  test('ends when its invoice expires, even if it may retry for longer', async () => {
    const { node, wishes } = world();
    node.simulation.setTrait(L3, 'unresponsive', true);
    const expired = await node.pay(blindedRequest({ ...wishes, expiresInSeconds: -1n }));
    expect(expired).toMatchObject({
      status: 'failed',
      attempts: [],
      failure: { obstacle: 'invoiceExpired' },
    });
    await node.destroy();
  });
});

describe('a path that begins at us', () => {
  const relay = { feeBaseMsat: 1_000, feeProportionalMillionths: 500, cltvExpiryDelta: 80 };
  const ofL2 = { feeBaseMsat: 7, feeProportionalMillionths: 100, cltvExpiryDelta: 40 };
  const totals = pathTotals([relay, ofL2], 18);
  const payInfo = {
    feeBaseMsat: Number(totals.feeBaseMsat),
    feeProportionalMillionths: Number(totals.feeProportionalMillionths),
    cltvExpiryDelta: totals.cltvExpiryDelta,
    ...{ htlcMinimumMsat: msat(1n), htlcMaximumMsat: msat(10n ** 9n), features: new Uint8Array(0) },
  };
  const ours = shortChannelId(9, 9, 9);
  const starts = {
    ownId: OWN_ID,
    nodeOf: () => undefined,
    peerOf: (wanted: bigint) => (wanted === ours ? L2 : undefined),
    openOwnHop: (path: Parameters<typeof openOwnHop>[1]) => openOwnHop(OWN_KEY, path),
  };
  const pathOver = (...first: readonly (readonly [string, object])[]) => ({
    payInfo,
    path: createBlindedPath(
      [
        ...first,
        [L2, { shortChannelId: ours, paymentRelay: ofL2 }],
        [L3, { pathId: new Uint8Array(32) }],
      ].map(([id, data]) => ({
        nodeId: nodeIdToBytes(id as typeof L2),
        data: encodeEncryptedData(data as object),
      })),
      new Uint8Array(32).fill(3),
    ),
  });

  test('is followed to the next node, with that node’s share of fees and delay', () => {
    const { tails, problems } = findTails(
      [pathOver([OWN_ID, { shortChannelId: ours, paymentRelay: relay }])],
      starts,
    );
    expect(problems).toEqual([]);
    expect(tails).toMatchObject([{ introduction: L2, cltvExpiryDelta: 40 + 18 }]);
    expect(tails[0]!.hops).toHaveLength(2);
    // At least the fee of L2. Rounding may add up to 1 msat to the base fee and 1 ppm to the rate.
    expect(tails[0]!.feeBaseMsat).toBeGreaterThanOrEqual(7n);
    expect(tails[0]!.feeBaseMsat).toBeLessThanOrEqual(8n);
    expect(tails[0]!.feeProportionalMillionths).toBeGreaterThanOrEqual(100);
    expect(tails[0]!.feeProportionalMillionths).toBeLessThanOrEqual(101);
  });

  test.each([
    [
      'over a channel that we do not have',
      pathOver([OWN_ID, { shortChannelId: shortChannelId(1, 1, 1) }]),
      starts,
    ],
    ['without our key', pathOver([OWN_ID, {}]), { ...starts, openOwnHop: undefined }],
    [
      'to us alone',
      {
        payInfo,
        path: createBlindedPath(
          [{ nodeId: nodeIdToBytes(OWN_ID), data: new Uint8Array(0) }],
          new Uint8Array(32).fill(4),
        ),
      },
      starts,
    ],
    [
      'with data for another node',
      { payInfo, path: { ...pathOver([L4, {}]).path, firstNode: nodeIdToBytes(OWN_ID) } },
      starts,
    ],
    [
      'through us many times',
      pathOver(...Array.from({ length: 12 }, () => [OWN_ID, { nextNodeId: nodeIdToBytes(OWN_ID) }] as const)),
      starts,
    ],
    [
      'from an unknown channel',
      { payInfo, path: { ...pathOver().path, firstNode: { shortChannelId: ours, direction: 0 as const } } },
      starts,
    ],
  ])('is unusable %s', (_, path, from) => {
    const { tails, problems } = findTails([path], from);
    expect(tails).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});
