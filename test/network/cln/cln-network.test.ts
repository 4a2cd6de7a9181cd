/**
 * The network on a Core Lightning node, tested with a stand-in for lightningd on a simulated network. The
 * tests cover what the network reports about HTLCs when they settle or fail, and when the node refuses,
 * hangs, dies, loses connections or forgets. They also cover what the network guarantees about HTLCs.
 *
 *     we ── node ── A ── B ── C
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { CHAIN_HASHES } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { decodeFailure } from '../../../src/bolt/onion/failure.ts';
import { unwrapFailurePacket } from '../../../src/bolt/onion/failure-packet.ts';
import { onionSecrets } from '../../../src/bolt/onion/sphinx.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { msat } from '../../../src/model/msat.ts';
import { nodeIdToBytes, parseNodeId } from '../../../src/model/node-id.ts';
import { formatShortChannelId } from '../../../src/model/short-channel-id.ts';
import { ClnNetwork, reachNode } from '../../../src/network/cln/index.ts';
import { NodeSocket } from '../../../src/network/cln/node-socket.ts';
import { type ClnTiming, DEFAULT_TIMING } from '../../../src/network/cln/timing.ts';
import { NoneNetwork } from '../../../src/network/none/index.ts';
import { InlineOnions, type OnionBuilder } from '../../../src/network/onions/onion-builder.ts';
import type { HtlcOutcome, OutgoingHtlc, OwnChannelReport } from '../../../src/network/port.ts';
import {
  A,
  AB,
  B,
  BC,
  C,
  type LineNode,
  lineNode,
  OWN_ID,
  START_HEIGHT,
} from '../../lightningd/line-node.ts';
import { Refusal } from '../../lightningd/refusal.ts';
import { RELEASES } from '../../lightningd/release.ts';
import type { StandIn } from '../../lightningd/stand-in.ts';
import { until } from '../../until.ts';

/** A public key from the test vectors of BOLT 8. */
const ANOTHER = '032c0b7cf95324a07d05398b240174dc0c2be444d96b159aa6c7f7b1e668680991';

const id = (text: string) => parseNodeId(text)!;
const QUICK: ClnTiming = {
  ...DEFAULT_TIMING,
  callMs: 2_000,
  pollMs: 40,
  troubledMs: 20,
  silenceMs: 60,
  firstRetryMs: 10,
  lastRetryMs: 40,
  returnMs: 150,
  questionMs: 2_000,
  peersMs: 60_000,
  fenceMs: 20,
  coalesceMs: 1,
  firstDoubtMs: 10,
  lastDoubtMs: 40,
};

let all: LineNode;
let node: StandIn;
let network: ClnNetwork;
let told: [string, HtlcOutcome][];
let logged: string[];
/** The node's clock in UNIX milliseconds. Only the test moves it. */
let clockMs: number;
/** Channels whose funding output is spent, according to gossip. */
const dying = new Set<bigint>();
const isDying = (shortChannelId: bigint) => dying.has(shortChannelId);
/** Whether our onions are corrupted. */
let spoilsOnions = false;
let next = 0;

const log = {
  debug: () => undefined,
  info: (text: string) => void logged.push(`info: ${text}`),
  unusual: (text: string) => void logged.push(text),
  broken: (text: string) => void logged.push(`broken: ${text}`),
};

class Onions extends InlineOnions implements OnionBuilder {
  override async build(htlc: OutgoingHtlc): Promise<Uint8Array> {
    const onion = await super.build(htlc);
    return spoilsOnions ? onion.map((byte, i) => (i === 100 ? byte ^ 1 : byte)) : onion;
  }
}

async function open(timing = QUICK): Promise<void> {
  const link = await reachNode({ socketPath: node.rpcFile, log, timing });
  const messages = new NoneNetwork({ nodeId: OWN_ID, chainHash: CHAIN_HASHES.regtest });
  network = await ClnNetwork.open({ link, onions: new Onions(), messages, timing, log, isDying });
  network.onOutcome((attemptId, outcome) => void told.push([attemptId, outcome]));
}

beforeEach(async () => {
  clockMs = 1_800_000_000_250;
  spoilsOnions = false;
  dying.clear();
  all = lineNode({ nowMs: () => clockMs });
  node = all.node;
  await node.start();
  told = [];
  logged = [];
  await open();
});

afterEach(async () => {
  await network.close();
  await all.close();
});

interface Sent {
  readonly htlc: OutgoingHtlc;
  readonly preimage: Uint8Array;
  readonly hash: string;
}

/** A keysend of 5,000 msat to B over two hops, with an unused preimage. A takes 1,000 msat. */
function htlc(more: Partial<OutgoingHtlc> = {}): Sent {
  const preimage = new Uint8Array(32).fill(++next);
  const paymentHash = sha256(preimage);
  const hop = (nodeId: string, scid: bigint, amountMsat: bigint, blocks: number) => ({
    nodeId: id(nodeId),
    shortChannelId: scid as typeof AB,
    amountMsat: msat(amountMsat),
    cltvExpiry: START_HEIGHT + blocks,
  });
  return {
    preimage,
    hash: toHex(more.paymentHash ?? paymentHash),
    htlc: {
      attemptId: next.toString(16).padStart(32, '0'),
      paymentHash,
      // A number beyond the precision of a double. It must reach the node and come back with all its digits.
      groupId: 5_871_565_904_030_411_000n,
      partId: 1,
      path: [hop(A, all.ours, 6_000n, 60), hop(B, AB, 5_000n, 20)],
      finalPayload: { keysendPreimage: preimage },
      sessionKey: new Uint8Array(32).fill(0x41),
      ...more,
    },
  };
}

const stateOf = async (sent: Sent) => (await network.outcomes([sent.htlc])).get(sent.htlc.attemptId)!;
const settled = ({ htlc: { attemptId }, preimage }: Sent) => [attemptId, { status: 'settled', preimage }];
/** Rows of the node's database for a payment. */
const rowsOf = (sent: Sent) => node.payments.rows.filter((row) => row.paymentHash === sent.hash);

describe('sends', () => {
  test('an HTLC in the form that the node expects: preapproved once, onion, exact channel, delay from the next block, large group', async () => {
    const sent = htlc();
    await network.send(sent.htlc);
    await until(() => told.length > 0);
    expect(told).toEqual([settled(sent)]);
    expect(node.called('preapprovekeysend')).toEqual([
      { destination: B, payment_hash: sent.hash, amount_msat: 5000n },
    ]);
    const [{ onion, ...rest }] = node.called('sendonion') as [Record<string, unknown>];
    expect((onion as string).length).toBe(2 * 1366);
    expect(rest).toEqual({
      // The HTLC expires 60 blocks after the node's tip, but the node counts from the next block.
      first_hop: { id: A, channel: formatShortChannelId(all.ours), amount_msat: 6000n, delay: 59n },
      payment_hash: sent.hash,
      partid: 1n,
      groupid: 5_871_565_904_030_411_000n,
      label: `fulgurite-${sent.htlc.attemptId}`,
      amount_msat: 5000n,
      destination: B,
    });
  });

  test('nothing, if the HTLC may no longer leave when the node has approved it', async () => {
    const sent = htlc();
    await network.send(sent.htlc, () => node.called('preapprovekeysend').length === 0);
    expect(told).toMatchObject([[sent.htlc.attemptId, { status: 'refused', cause: 'neverLeft' }]]);
    expect([node.called('preapprovekeysend').length, node.called('sendonion')]).toEqual([1, []]);
  });

  test('a second part of a payment, without a second preapproval', async () => {
    node.channeld.hold(true);
    const sent = htlc();
    await network.send(sent.htlc);
    await network.send({ ...sent.htlc, attemptId: 'f'.repeat(32), partId: 2 });
    expect(node.called('preapprovekeysend')).toHaveLength(1);
    expect(rowsOf(sent).map(({ partId }) => partId)).toEqual([1n, 2n]);
  });

  test('the text of an invoice, for the node to approve and show, and no recipient behind a blinded path', async () => {
    const blindedEnd = {
      firstPathKey: Buffer.from(ANOTHER, 'hex'),
      hops: [{ blindedNodeId: Buffer.from(ANOTHER, 'hex'), encryptedRecipientData: new Uint8Array(10) }],
      amountMsat: msat(4_000n),
      cltvExpiry: START_HEIGHT + 15,
    };
    await network.send(htlc({ invoice: 'lni1abc', blindedEnd, finalPayload: {} }).htlc);
    expect(node.called('preapproveinvoice')).toEqual([{ bolt11: 'lni1abc' }]);
    expect(node.called('preapprovekeysend')).toEqual([]);
    const [sent] = node.called('sendonion');
    expect(sent).toMatchObject({ bolt11: 'lni1abc', amount_msat: 4000n });
    expect(sent).not.toHaveProperty('destination');
  });

  test('with a revision that channel reports reach only once they include the HTLC', async () => {
    node.channeld.hold(true);
    const reports: OwnChannelReport[] = [];
    network.onOwnChannels((report) => void reports.push(report));
    const { channelsRevision } = await network.send(htlc().htlc);
    expect(network.ownChannels().revision).toBeLessThan(channelsRevision);
    await until(() => network.ownChannels().revision >= channelsRevision);
    const first = reports.find(({ revision }) => revision >= channelsRevision)!;
    // The reserve is 1 % of the channel, and the HTLC uses 6,000 msat.
    expect(first.channels[0]!.spendableMsat).toBe(990_000_000n - 6_000n);
  });
});

describe('lists', () => {
  const listed = async (sinceMs = 0) =>
    (await network.sentHtlcs(sinceMs)).map(({ attemptId, groupId, partId, amountMsat, paymentHash }) => [
      ...[attemptId, groupId, partId, amountMsat, toHex(paymentHash)],
    ]);
  const seen = ({ htlc: { attemptId, groupId }, hash }: Sent) => [attemptId, groupId, 1, 6_000n, hash];

  test('our HTLCs that are in flight or settled, but not failed ones or those of other programs', async () => {
    const paid = htlc();
    await network.send(paid.htlc);
    await until(() => told.length === 1);
    const failed = htlc({
      finalPayload: { paymentData: { paymentSecret: new Uint8Array(32), totalMsat: msat(5_000n) } },
    });
    await network.send(failed.htlc);
    await until(() => told.length === 2);
    node.channeld.hold(true);
    const held = htlc();
    await network.send(held.htlc);
    expect(await listed()).toEqual([seen(held), seen(paid)]);
    // Rows of other programs have other labels.
    const row = rowsOf(paid)[0] as { label: string | undefined };
    row.label = 'pay';
    expect(await listed()).toEqual([seen(held)]);
  });

  test('settled HTLCs only from a given time on, by the node’s whole seconds', async () => {
    const paid = htlc();
    await network.send(paid.htlc);
    await until(() => told.length === 1);
    const sentMs = rowsOf(paid)[0]!.createdAtS * 1000;
    expect(await listed(sentMs)).toEqual([seen(paid)]);
    expect(await listed(sentMs + 1)).toEqual([]);
  });
});

describe('outcomes', () => {
  /** Sends an HTLC. Returns the reported outcome and the outcome on a later query. */
  async function ended(sent: Sent): Promise<{ live: HtlcOutcome; again: unknown }> {
    await network.send(sent.htlc);
    await until(() => told.length > 0);
    expect(told[0]![0]).toBe(sent.htlc.attemptId);
    return { live: told[0]![1], again: await stateOf(sent) };
  }

  test('a packet from the first peer: the same when reported and when queried again, with the failing node', async () => {
    // B does not know this payment.
    const sent = htlc({
      finalPayload: { paymentData: { paymentSecret: new Uint8Array(32), totalMsat: msat(5_000n) } },
    });
    const { live, again } = await ended(sent);
    expect(live).toMatchObject({ status: 'failed', packet: expect.any(Uint8Array) });
    expect(again).toEqual(live);
    const nodes = sent.htlc.path.map(({ nodeId }) => nodeIdToBytes(nodeId));
    const secrets = onionSecrets(nodes, sent.htlc.sessionKey);
    const { hopIndex, failure } = unwrapFailurePacket(secrets, (live as { packet: Uint8Array }).packet);
    expect([hopIndex, decodeFailure(failure!).code]).toEqual([1, 0x400f]);
  });

  test.each<[string, number, string, HtlcOutcome]>([
    [
      'our limit on the number of HTLCs',
      0x1007,
      'Too many HTLCs',
      { status: 'refused', failureCode: 0x1007, reason: 'Too many HTLCs', cause: 'htlcSlots' },
    ],
    [
      'our limit on dust',
      0x1007,
      'HTLC too dusty, allowed dust limit reached',
      {
        status: 'refused',
        failureCode: 0x1007,
        reason: 'HTLC too dusty, allowed dust limit reached',
        cause: 'dust',
      },
    ],
    [
      'our limit on the amount',
      0x4009,
      'Mini mode: maximum value exceeded',
      {
        status: 'refused',
        failureCode: 0x4009,
        reason: 'Mini mode: maximum value exceeded',
        cause: 'inFlightLimit',
      },
    ],
    [
      'our minimum amount',
      0x100b,
      'HTLC too small (10msat minimum)',
      {
        status: 'refused',
        failureCode: 0x100b,
        reason: 'HTLC too small (10msat minimum)',
        cause: 'tooSmall',
      },
    ],
  ])('%s: the same when reported and when queried again', async (_what, code, words, outcome) => {
    node.channeld.refuseNext(code, words);
    const { live, again } = await ended(htlc());
    expect(live).toEqual(outcome);
    expect(again).toEqual(outcome);
  });

  test('too little balance in our channel: refused with the node’s text', async () => {
    const sent = htlc();
    const [first, ...rest] = sent.htlc.path;
    const { live, again } = await ended({
      ...sent,
      htlc: { ...sent.htlc, path: [{ ...first!, amountMsat: msat(999_000_000n) }, ...rest] },
    });
    const reason = 'Capacity exceeded - HTLC fee: 0sat';
    expect(live).toEqual({ status: 'refused', failureCode: 0x1007, reason, cause: 'balance' });
    expect(again).toEqual(live);
  });

  test('an expiry that has passed', async () => {
    all.node.channeld.mineTo(START_HEIGHT + 100);
    await until(() => network.blockHeight() === START_HEIGHT + 100);
    const sent = htlc();
    // The node counts from its tip, so only the first peer notices that the expiry has passed.
    const { live } = await ended(sent);
    expect(live).toMatchObject({ status: 'failed' });
  });

  test('a first peer that could not read the onion: on a later query, the node has forgotten the reason', async () => {
    spoilsOnions = true;
    node.channeld.hold(true);
    const sent = htlc();
    await network.send(sent.htlc);
    await until(() => node.called('waitsendpay').length > 0);
    node.channeld.hold(false);
    await until(() => told.length > 0);
    const [live, again] = [told[0]![1], await stateOf(sent)];
    const reason = 'failed: WIRE_INVALID_ONION_HMAC (local failure)';
    expect(live).toEqual({ status: 'refused', failureCode: 0xc005, reason });
    expect(again).toEqual({
      status: 'refused',
      failureCode: 0x4008,
      reason: 'Payment failure reason unknown',
    });
  });

  test('a peer that is offline: a refusal at once, with a reason and no row', async () => {
    all.simulation.setTrait(A, 'offline', true);
    const sent = htlc();
    await network.send(sent.htlc);
    expect(told).toMatchObject([[sent.htlc.attemptId, { status: 'refused', cause: 'peerAway' }]]);
    expect(await stateOf(sent)).toEqual({ status: 'neverLeft' });
  });

  test('a node that mistakes each HTLC for the previous one: a preimage counts for the payment to which it belongs', async () => {
    node.payments.mistakesHtlcs = true;
    const [lost, ...paid] = [htlc(), htlc(), htlc(), htlc()];
    for (const { htlc: one } of [lost!, ...paid]) await network.send(one);
    await until(() => told.length === 4);
    node.payments.reconnect();
    const rows = node.payments.rows.map(({ status, preimage }) => [status, preimage]);
    expect(rows).toEqual([
      ...paid.map(({ preimage }) => ['complete', toHex(preimage)]),
      ['failed', undefined],
    ]);
    for (const { htlc: one, preimage } of paid) {
      expect(told).toContainEqual([one.attemptId, { status: 'settled', preimage }]);
      expect(await stateOf({ htlc: one } as Sent)).toEqual({ status: 'settled', preimage });
    }
    // The first HTLC is on no channel, and no row contains its preimage.
    expect(told).toContainEqual([lost!.htlc.attemptId, expect.objectContaining({ status: 'refused' })]);
    expect(await stateOf(lost!)).toEqual({ status: 'neverLeft' });
    expect(logged.filter((text) => text.includes('; it is credited to '))).toHaveLength(3);
    // The node considers the payment paid, and accepts no further part of it.
    for (const more of [{ groupId: 7n }, { partId: 2 }]) {
      const again = htlc({ paymentHash: lost!.htlc.paymentHash, ...more });
      await network.send(again.htlc);
      const reason = expect.stringMatching(/^the node lost the HTLC of an earlier part/);
      expect(told.at(-1)).toMatchObject([
        again.htlc.attemptId,
        { status: 'refused', cause: 'declined', reason },
      ]);
    }
  });

  test('a lost HTLC may still be in flight while its channel has an HTLC', async () => {
    node.payments.mistakesHtlcs = true;
    node.channeld.hold(true);
    const [lost, paid] = [htlc(), htlc()];
    await network.send(lost.htlc);
    await network.send(paid.htlc);
    expect(told).toEqual([]);
    node.channeld.hold(false);
    await until(() => told.length === 2);
    expect(told).toContainEqual([paid.htlc.attemptId, { status: 'settled', preimage: paid.preimage }]);
  });

  const declined = (sent: Sent, words: string) => [
    sent.htlc.attemptId,
    { status: 'refused', failureCode: 0x6002, reason: words, cause: 'declined' },
  ];

  test('a payment that the signer declines: refused with the node’s text', async () => {
    node.declines = true;
    const sent = htlc();
    await network.send(sent.htlc);
    expect(told).toEqual([declined(sent, 'keysend was declined')]);
    expect(node.payments.rows).toEqual([]);
  });

  test('a further part of a paid payment: refused by the database with the node’s text', async () => {
    const sent = htlc();
    await network.send(sent.htlc);
    await until(() => told.length === 1);
    const more = { ...sent, htlc: { ...sent.htlc, attemptId: 'f'.repeat(32), partId: 2 } };
    await network.send(more.htlc);
    expect(told[1]).toEqual(declined(more, 'Already succeeded other parts'));
    expect(rowsOf(sent)).toHaveLength(1);
  });

  const elsewhere = (sent: Sent, cause: string, reason: string, preimage?: Uint8Array) => [
    sent.htlc.attemptId,
    { status: 'refused', failureCode: 0x6002, reason, cause, ...(preimage && { preimage }) },
  ];

  test('a different caller is paying this hash: in progress elsewhere, with the node’s text', async () => {
    node.channeld.hold(true);
    const sent = htlc();
    await network.send({ ...sent.htlc, groupId: 7n });
    await network.send(sent.htlc);
    const words = 'Payment with groupid=7 still in progress, cannot retry before that completes.';
    expect(told).toEqual([elsewhere(sent, 'underWayElsewhere', words)]);
    expect(rowsOf(sent)).toHaveLength(1);
  });

  test('a different caller has paid this hash: no HTLC of ours remains, and the preimage is shown', async () => {
    const sent = htlc();
    await network.send({ ...sent.htlc, attemptId: 'e'.repeat(32), groupId: 7n });
    await until(() => told.length === 1);
    await network.send(sent.htlc);
    const words = 'another payment with this hash succeeded';
    expect(told[1]).toEqual(elsewhere(sent, 'paidElsewhere', words, sent.preimage));
    expect(rowsOf(sent)).toHaveLength(1);
  });

  test('a refusal of unknown meaning is tried three times in total, then reported with the node’s text', async () => {
    node.beforeCall = async (method) => {
      if (method === 'sendonion') throw new Refusal(-32601, 'the policy forbids it');
    };
    const sent = htlc();
    await network.send(sent.htlc);
    expect(told).toEqual([declined(sent, 'the policy forbids it')]);
    expect(node.called('sendonion')).toHaveLength(3);
    expect(node.payments.rows).toEqual([]);
  });

  test('an attempt that is sent twice leaves once, and its outcome is reported twice', async () => {
    const sent = htlc({
      finalPayload: { paymentData: { paymentSecret: new Uint8Array(32), totalMsat: msat(5_000n) } },
    });
    await network.send(sent.htlc);
    await until(() => told.length === 1);
    await network.send(sent.htlc);
    await until(() => told.length === 2);
    expect(told[1]).toEqual(told[0]);
    expect(rowsOf(sent)).toHaveLength(1);
  });
});

describe('a node that is lost', () => {
  /** Waits until the node is back. */
  const back = async (): Promise<void> => {
    await until(() => network.nodeBehind().problem !== undefined);
    await node.start();
    await until(() => network.nodeBehind().problem === undefined);
  };

  test('reports the problem, refuses sends, and works with its last known channels once it is back', async () => {
    await node.kill();
    await until(() => network.nodeBehind().problem !== undefined);
    const sent = htlc();
    await network.send(sent.htlc);
    expect(told).toMatchObject([[sent.htlc.attemptId, { status: 'refused', cause: 'nodeAway' }]]);
    expect(network.ownChannels().channels).toHaveLength(1);
    await back();
    expect(await stateOf(sent)).toEqual({ status: 'neverLeft' });
    const again = htlc();
    await network.send(again.htlc);
    await until(() => told.length === 2);
    expect(told[1]).toEqual(settled(again));
  });

  test('restarts while HTLCs are in flight: their outcomes are reported, regardless of events in the meantime', async () => {
    const [settles, stays] = [htlc(), htlc({ path: stuckPath() })];
    all.simulation.setTrait(C, 'unresponsive', true);
    node.channeld.hold(true);
    for (const { htlc: each } of [settles, stays]) await network.send(each);
    await node.kill();
    clockMs += 5_000;
    node.channeld.hold(false);
    await back();
    await until(() => told.length === 1);
    expect(told).toEqual([settled(settles)]);
    expect(await stateOf(stays)).toEqual({ status: 'pending' });
    // The HTLC expires, and B closes the channel to C.
    node.channeld.mineTo(START_HEIGHT + 100);
    await until(() => told.length === 2);
    expect(told[1]).toMatchObject([stays.htlc.attemptId, { status: 'failed' }]);
    expect(node.called('sendonion')).toHaveLength(2);
  });

  test('lists a channel whose funding is spent: it is not used, and is checked until the node lists a new one', async () => {
    expect(usable()).toEqual([true]);
    dying.add(all.ours);
    await until(() => usable()[0] === false);
    const looks = node.called('listpeerchannels').length;
    await until(() => node.called('listpeerchannels').length > looks + 3);
    // While a splice is in progress, both sides keep using the channel.
    node.normalState = 'CHANNELD_AWAITING_SPLICE';
    await until(() => usable()[0] === true);
    node.normalState = 'CHANNELD_NORMAL';
    await until(() => usable()[0] === false);
    dying.clear();
    await until(() => usable()[0] === true);
  });

  const usable = () => network.ownChannels().channels.map((channel) => channel.usable);

  test('restarts, and its peers come back later: a payment waits for those that were connected before', async () => {
    await network.settled();
    expect(usable()).toEqual([true]);
    all.simulation.setTrait(A, 'offline', true);
    await node.kill();
    // The last channel report is older, so it does not show which peers are back.
    expect(usable()).toEqual([true]);
    await back();
    let isSettled = false;
    const settles = network.settled().then(() => {
      isSettled = true;
    });
    await until(() => usable()[0] === false);
    expect(isSettled).toBe(false);
    all.simulation.setTrait(A, 'offline', false);
    await settles;
    expect(usable()).toEqual([true]);
  });

  test('starts with a peer that stays away: a payment waits a limited time, and later ones do not wait', async () => {
    all.simulation.setTrait(A, 'offline', true);
    await network.close();
    await open({ ...QUICK, peersMs: 30 });
    await network.settled();
    await network.settled();
    expect(usable()).toEqual([false]);
  });

  test('dies between accepting and committing: after its restart, the row’s HTLC is known to be lost', async () => {
    node.channeld.stop(true);
    clockMs += 5_000;
    const sent = htlc();
    await network.send(sent.htlc);
    // While the node runs, the part stays pending: the node would still fail it itself.
    expect(await stateOf(sent)).toEqual({ status: 'pending' });
    await node.kill();
    clockMs += 5_000;
    await back();
    await until(() => told.length === 1);
    expect(told).toMatchObject([[sent.htlc.attemptId, { status: 'refused', cause: 'neverLeft' }]]);
    expect(await stateOf(sent)).toEqual({ status: 'neverLeft' });
    expect(node.channeld.everHtlcs()).toEqual([]);
  });

  test('restarts in the second in which a row was written: the outcome is known only if we saw that the send was accepted', async () => {
    node.channeld.stop(true);
    clockMs = Math.floor(Date.now() / 1000) * 1000 + 250;
    const [sent, older] = [htlc(), htlc()];
    await network.send(sent.htlc);
    // A part whose outcome was reported to an earlier process.
    const { onion, first_hop, groupid, partid } = node.called('sendonion')[0]!;
    const part = { onion, first_hop, groupid, partid, payment_hash: older.hash, amount_msat: 5_000 };
    const socket = await NodeSocket.open(node.rpcFile, QUICK.callMs);
    await socket.call('sendonion', part);
    socket.close();
    await node.kill();
    clockMs += 500;
    await back();
    expect(await stateOf(older)).toEqual({ status: 'unknown' });
    await until(() => told.length === 1);
    expect(told).toMatchObject([[sent.htlc.attemptId, { status: 'refused', cause: 'neverLeft' }]]);
  });

  test('loses the connection during a request: the request is given up only once it can no longer arrive', async () => {
    const sent = htlc();
    // The request is read, the connection breaks, and the request is carried out a moment later.
    node.beforeCall = async (method) => {
      if (method !== 'sendonion') return;
      node.beforeCall = () => undefined;
      node.loseConnections();
      await new Promise((done) => setTimeout(done, 10));
    };
    await expect(network.send(sent.htlc)).rejects.toThrow(FulguriteError);
    const state = await stateOf(sent);
    if (state.status === 'pending') {
      await until(() => told.length > 0);
      expect(told).toEqual([settled(sent)]);
    } else expect(state).toEqual({ status: 'settled', preimage: sent.preimage });
    expect(rowsOf(sent)).toHaveLength(1);
  });

  test('loses its socket: nothing is sent, and outcomes of HTLCs in flight are reported when the socket is back', async () => {
    node.channeld.hold(true);
    const sent = htlc();
    await network.send(sent.htlc);
    node.loseSocket();
    await until(() => network.nodeBehind().problem?.includes('no such file') === true);
    const refused = htlc();
    await network.send(refused.htlc);
    expect(told).toMatchObject([[refused.htlc.attemptId, { status: 'refused', cause: 'nodeAway' }]]);
    await node.kill();
    node.channeld.hold(false);
    await back();
    await until(() => told.length === 2);
    expect(told[1]).toEqual(settled(sent));
  });

  test('hangs: a send is neither accepted nor refused, and has no outcome before the node answers', async () => {
    node.hang(true);
    const sent = htlc();
    const state = network.send(sent.htlc).then(
      () => 'taken',
      (error) => error.name,
    );
    // The network does not ask a node that is known to be silent, but the node may still carry out a request in its
    // buffer.
    expect(['taken', 'nodeAway']).toContain(await state);
    await until(() => network.nodeBehind().problem?.includes('has not responded') === true);
    node.hang(false);
    await until(() => network.nodeBehind().problem === undefined);
    expect(await stateOf(sent)).toEqual({ status: 'neverLeft' });
  });

  test('loses an answer to getinfo, but answers other calls: it does not count as silent', async () => {
    let lost = 0;
    node.beforeCall = (method) =>
      method === 'getinfo' && lost++ < 2 ? new Promise(() => undefined) : undefined;
    await until(() => lost > 0);
    // The node answers this about every 20 ms, more often than a silence lasts.
    while (lost < 3) await network.ownChannelRecords();
    expect(network.nodeBehind().problem).toBeUndefined();
    expect(logged.filter((line) => line.includes('respond'))).toEqual([]);
  });

  test('hangs with a send in its buffer: the send happens when it continues, and the outcome is reported', async () => {
    node.channeld.hold(true);
    const first = htlc();
    await network.send(first.htlc);
    const sent = { ...first, htlc: { ...first.htlc, attemptId: 'f'.repeat(32), partId: 2 } };
    node.hang(true);
    await expect(network.send(sent.htlc)).rejects.toMatchObject({ name: 'nodeAway' });
    await expect(network.outcomes([sent.htlc])).resolves.toEqual(
      new Map([[sent.htlc.attemptId, { status: 'unknown' }]]),
    );
    node.hang(false);
    await until(() => rowsOf(first).length === 2);
    node.channeld.hold(false);
    await until(() => told.some(([attemptId]) => attemptId === sent.htlc.attemptId));
    expect(rowsOf(first).map(({ partId }) => partId)).toEqual([1n, 2n]);
  });

  test('is replaced by a different node, which is never used', async () => {
    await node.kill();
    node.id = id(ANOTHER);
    await node.start();
    await until(() => logged.some((line) => line.includes(ANOTHER)));
    const sent = htlc();
    await network.send(sent.htlc);
    expect(told).toMatchObject([[sent.htlc.attemptId, { status: 'refused', cause: 'nodeAway' }]]);
    expect(network.nodeBehind().problem).toContain('not used');
    await node.kill();
    node.id = OWN_ID;
    await back();
    await network.send(htlc().htlc);
    expect(node.payments.rows).toHaveLength(1);
  });

  test('is behind its chain: the problem is reported, and nothing is sent', async () => {
    node.warning = 'Still loading latest blocks';
    await until(() => network.nodeBehind().problem === node.warning);
    await network.send(htlc().htlc);
    expect(told).toMatchObject([[expect.anything(), { status: 'refused', reason: node.warning }]]);
    expect(node.called('sendonion')).toEqual([]);
  });

  test('reads its last blocks again without a warning: nothing is sent until it has them', async () => {
    await until(() => network.nodeBehind().problem === undefined);
    node.blocksLost = 75;
    await until(() => network.nodeBehind().problem?.includes('it is catching up') === true);
    await network.send(htlc().htlc);
    expect(told).toMatchObject([[expect.anything(), { status: 'refused' }]]);
    expect(node.called('sendonion')).toEqual([]);
    node.blocksLost = 0;
    await until(() => network.nodeBehind().problem === undefined);
    await network.send(htlc().htlc);
    expect(node.called('sendonion')).toHaveLength(1);
  });
});

/** A path to C, which receives 3,000 msat. A and B take 1,000 msat each. */
function stuckPath(): OutgoingHtlc['path'] {
  const hop = (nodeId: string, scid: bigint, amountMsat: bigint, blocks: number) => ({
    nodeId: id(nodeId),
    shortChannelId: scid as typeof AB,
    amountMsat: msat(amountMsat),
    cltvExpiry: START_HEIGHT + blocks,
  });
  return [hop(A, all.ours, 5_000n, 100), hop(B, AB, 4_000n, 60), hop(C, BC, 3_000n, 20)];
}

describe('an HTLC without a row', () => {
  const nobodysSecret = { paymentData: { paymentSecret: new Uint8Array(32), totalMsat: msat(5_000n) } };

  /** Sends an HTLC, waits for its end, and deletes the rows of all finished HTLCs. */
  async function sendAndClean(sent: Sent): Promise<Sent> {
    const before = told.length;
    await network.send(sent.htlc);
    await until(() => told.length > before);
    node.payments.clean();
    expect(rowsOf(sent)).toEqual([]);
    return sent;
  }
  const settledOne = () => sendAndClean(htlc());
  const failedOne = () => sendAndClean(htlc({ finalPayload: nobodysSecret }));
  const forgotten = {
    status: 'refused',
    failureCode: 0x4008,
    reason: 'The HTLC failed, and the node has deleted the reason',
  };

  test('never left, if no row was ever deleted', async () => {
    expect(await stateOf(htlc())).toEqual({ status: 'neverLeft' });
  });

  test.each(['v26.06', 'v25.02'])(
    'never left, if rows were deleted but no HTLC had its hash: %s',
    async (version) => {
      node.version = version;
      await settledOne();
      expect(await stateOf(htlc())).toEqual({ status: 'neverLeft' });
    },
  );

  test('is unknown, if a channel was closed and the node may have forgotten its HTLCs', async () => {
    await settledOne();
    // A keeps the HTLC until it expires, then the node closes the channel.
    all.simulation.setTrait(A, 'unresponsive', true);
    await network.send(htlc().htlc);
    await until(() => node.channeld.everHtlcs().length === 2);
    node.channeld.mineTo(START_HEIGHT + 100);
    await until(() => {
      node.channeld.mineTo(node.channeld.height + 1);
      return told.length === 2;
    });
    const { htlc: key, ...rest } = htlc();
    // Without a path, the channel of the HTLC is unknown, and therefore its state.
    expect(await stateOf({ ...rest, htlc: { ...key, path: [] } })).toEqual({ status: 'unknown' });
  });

  test('is settled, if its row was deleted but the bookkeeper has it and the payer knows the preimage', async () => {
    const { htlc: sent, ...rest } = await settledOne();
    expect(await stateOf({ ...rest, htlc: sent })).toEqual({ status: 'unknown' });
    const known = { ...sent, preimage: rest.preimage };
    expect(await stateOf({ ...rest, htlc: known })).toEqual({ status: 'settled', preimage: rest.preimage });
    // A second part of the payment did not settle, but it is unknown when the bookkeeper's records began.
    expect(await stateOf({ ...rest, htlc: { ...known, partId: 2 } })).toEqual({ status: 'unknown' });
  });

  test('is also settled if its row was deleted by hand, which the node does not count', async () => {
    const sent = htlc();
    await network.send(sent.htlc);
    await until(() => told.length === 1);
    node.payments.delpay({ payment_hash: sent.hash, status: 'complete' });
    const known = { ...sent, htlc: { ...sent.htlc, preimage: sent.preimage } };
    expect(await stateOf(known)).toEqual({ status: 'settled', preimage: sent.preimage });
  });

  test('has failed, if its row was deleted and the bookkeeper was active but does not have it', async () => {
    const first = await failedOne();
    expect(await stateOf(first)).toEqual({ status: 'unknown' });
    await settledOne();
    expect(await stateOf(await failedOne())).toEqual(forgotten);
    // The bookkeeper has no records from before this HTLC.
    expect(await stateOf(first)).toEqual({ status: 'unknown' });
  });

  test('is unknown while an HTLC with its hash is on a channel', async () => {
    await settledOne();
    const sent = await failedOne();
    node.channeld.hold(true);
    await network.send({ ...sent.htlc, attemptId: 'f'.repeat(32), partId: 2 });
    await until(() => node.channeld.everHtlcs().length === 3);
    expect(await stateOf(sent)).toEqual({ status: 'unknown' });
  });

  test.each(['v25.02', 'v25.05'])('is unknown if the node has no bookkeeper records: %s', async (version) => {
    node.version = version;
    await settledOne();
    expect(await stateOf(await failedOne())).toEqual({ status: 'unknown' });
  });
});

describe('after our own restart', () => {
  test('everything that was in flight is found, and reported when it ends', async () => {
    const [done, pending, never] = [htlc(), htlc(), htlc()];
    await network.send(done.htlc);
    await until(() => told.length === 1);
    node.channeld.hold(true);
    await network.send(pending.htlc);
    await network.close();
    told = [];
    await open();
    const states = await network.outcomes([done.htlc, pending.htlc, never.htlc]);
    expect([...states.values()].map(({ status }) => status)).toEqual(['settled', 'pending', 'neverLeft']);
    node.channeld.hold(false);
    await until(() => told.length > 0);
    expect(told).toEqual([settled(pending)]);
  });
});

describe('a node of a different release', () => {
  test.each(RELEASES)(
    '%s pays, and reports HTLCs from before a restart, blocks and peers',
    async (release) => {
      await network.close();
      await node.kill();
      node.version = `${release}.1-modded`;
      await node.start();
      await open();
      const [done, pending] = [htlc(), htlc()];
      await network.send(done.htlc);
      await until(() => told.length === 1);
      expect(told).toEqual([settled(done)]);
      node.channeld.hold(true);
      await network.send(pending.htlc);
      await network.close();
      await open();
      expect(await stateOf(pending)).toEqual({ status: 'pending' });
      node.channeld.hold(false);
      await until(() => told.length === 2);
      expect(told[1]).toEqual(settled(pending));
      node.channeld.mineTo(START_HEIGHT + 1);
      all.simulation.setTrait(A, 'offline', true);
      await until(() => network.blockHeight() === START_HEIGHT + 1);
      await until(() => network.ownChannels().channels[0]!.usable === false);
      // Events that the release does not support are skipped.
      const unknown = logged.filter((line) => line.startsWith('info: no events of'));
      const missing = { 'v25.02': 3, 'v25.05': 1, 'v25.09': 1 }[release as string] ?? 0;
      // The node is queried twice, since we closed and reopened the connection.
      expect(unknown).toHaveLength(2 * missing);
    },
  );
});

describe('the node reports', () => {
  test('new blocks', async () => {
    const heights: number[] = [];
    network.onBlock((height) => void heights.push(height));
    node.channeld.mineTo(START_HEIGHT + 2);
    await until(() => heights.length > 0);
    expect([heights, network.blockHeight()]).toEqual([[START_HEIGHT + 2], START_HEIGHT + 2]);
  });

  test('channels with the policies of both ends, and peers that disconnect', async () => {
    expect(network.ownChannels().channels).toEqual([
      {
        peerId: A,
        shortChannelId: all.ours,
        channelId: expect.stringMatching(/^[0-9a-f]{64}$/),
        capacityMsat: 1_000_000_000n,
        spendableMsat: 990_000_000n,
        receivableMsat: 0n,
        theirMaxInFlightMsat: 18_446_744_073_709_551_615n,
        ourMaxInFlightMsat: 18_446_744_073_709_551_615n,
        usable: true,
        localPolicy: expect.objectContaining({ feeBaseMsat: 1000n, cltvExpiryDelta: 40 }),
        remotePolicy: expect.objectContaining({ htlcMaximumMsat: 990_000_000n }),
        openedByUs: true,
        feeratePerKw: 253,
      },
    ]);
    all.simulation.setTrait(A, 'offline', true);
    await until(() => network.ownChannels().channels[0]!.usable === false);
  });

  test('its identity', () => {
    expect(network.identity).toEqual({
      nodeId: OWN_ID,
      features: Uint8Array.from(Buffer.from('08a8882a8a59a1', 'hex')),
      chainHash: CHAIN_HASHES.regtest,
    });
    expect(network.nodeBehind()).toMatchObject({ nodeId: OWN_ID, version: 'v26.06' });
  });
});

test('a node that goes away while listing its history is reported as away, and one without such lists has no history', async () => {
  expect(await network.nodeHistory(0)).toEqual({ limits: [], answers: [], xpayRecords: new Uint8Array(0) });
  node.beforeCall = (method) => {
    if (method === 'listdatastore') throw new Refusal(-32601, 'Unknown command listdatastore');
  };
  expect((await network.nodeHistory(0)).xpayRecords).toHaveLength(0);
  node.beforeCall = (method) => {
    if (method === 'listdatastore') node.loseConnections();
  };
  await expect(network.nodeHistory(0)).rejects.toMatchObject({ name: 'nodeAway' });
});

describe('a node that cannot be used', () => {
  const reach = (socketPath: string) => reachNode({ socketPath, log, timing: QUICK });

  test('is reported by its path if it cannot be reached', async () => {
    await expect(reach(join(all.directory, 'nobody'))).rejects.toMatchObject({
      name: 'nodeAway',
      message: expect.stringMatching(
        /nobody: no such file; is lightningd running, and --lightning-dir right\?$/,
      ),
    });
    // Nobody listens at a file that is not a socket, as at the socket of a node that was killed.
    writeFileSync(join(all.directory, 'left'), '');
    await expect(reach(join(all.directory, 'left'))).rejects.toMatchObject({
      name: 'nodeAway',
      message: expect.stringMatching(/left: connection refused; is lightningd running\?$/),
    });
  });

  test('is refused if it is too old', async () => {
    node.version = 'v24.11.1';
    await expect(reach(node.rpcFile)).rejects.toMatchObject({ name: 'notSupported' });
  });
});
