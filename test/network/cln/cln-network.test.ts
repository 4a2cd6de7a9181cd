/**
 * The network on a Core Lightning node, against a stand-in that consists of the node's RPC alone. The tests
 * cover what the network reports of HTLCs when the node settles, fails, refuses, hangs, dies, loses
 * connections and forgets. They also cover what it promises about them.
 *
 *     we ── node's peer ── recipient
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CHAIN_HASHES } from '../../../src/bolt/bolt12-offer.ts';
import { toHex } from '../../../src/bolt/bytes.ts';
import { sha256 } from '../../../src/bolt/hashes.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { msat } from '../../../src/model/msat.ts';
import { parseNodeId } from '../../../src/model/node-id.ts';
import { parseShortChannelId } from '../../../src/model/short-channel-id.ts';
import { ClnNetwork, reachNode } from '../../../src/network/cln/index.ts';
import { type ClnTiming, DEFAULT_TIMING } from '../../../src/network/cln/timing.ts';
import { NoneNetwork } from '../../../src/network/none/index.ts';
import { InlineOnions } from '../../../src/network/onions/onion-builder.ts';
import type { HtlcOutcome, OutgoingHtlc, OwnChannelReport } from '../../../src/network/port.ts';
import { FakeNode, Refused, type Row } from './fake-node.ts';

/** Points of the curve, as BOLT 4 and BOLT 8 use them in their vectors. */
const OWN = '02eec7245d6b7d2ccb30380bfbe2a3648cd7a942653f5aa340edcea1f283686619';
const PEER = '0324653eac434488002cc06bbfb7f10fe18991e35f9fe4302dbea6d2353dc0ab1c';
const RECIPIENT = '027f31ebc5462c1fdce1b737ecff52d37d75dea43ce11c74d25aa297165faa2007';
const ANOTHER = '032c0b7cf95324a07d05398b240174dc0c2be444d96b159aa6c7f7b1e668680991';

const id = (text: string) => parseNodeId(text)!;
const QUICK: ClnTiming = {
  ...DEFAULT_TIMING,
  callMs: 400,
  pulseMs: 40,
  troubledMs: 20,
  silenceMs: 60,
  firstRetryMs: 10,
  lastRetryMs: 40,
  returnMs: 150,
  questionMs: 2_000,
  fenceMs: 20,
  coalesceMs: 1,
  firstDoubtMs: 10,
  lastDoubtMs: 40,
};

let directory: string;
let node: FakeNode;
let network: ClnNetwork;
let told: [string, HtlcOutcome][];
let logged: string[];
let next = 0;

const log = {
  debug: () => undefined,
  info: () => undefined,
  unusual: (text: string) => void logged.push(text),
  broken: (text: string) => void logged.push(`broken: ${text}`),
};

async function open(): Promise<void> {
  const link = await reachNode({ socketPath: node.path, log, timing: QUICK });
  const messages = new NoneNetwork({ nodeId: id(OWN), chainHash: CHAIN_HASHES.regtest });
  network = await ClnNetwork.open({ link, onions: new InlineOnions(), messages, timing: QUICK, log });
  network.onOutcome((attemptId, outcome) => void told.push([attemptId, outcome]));
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cln-'));
  node = new FakeNode(join(directory, 'lightning-rpc'), OWN, PEER);
  await node.start();
  told = [];
  logged = [];
  await open();
});

afterEach(async () => {
  await network.close();
  await node.kill();
  rmSync(directory, { recursive: true });
});

/** Waits for a condition in short steps. If it never holds, the runner's own time limit fails the test. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((done) => setTimeout(done, 2));
}

interface Sent {
  readonly htlc: OutgoingHtlc;
  readonly preimage: Uint8Array;
  readonly hash: string;
}

/** An HTLC of 5,000 msat over two hops, with a preimage that nobody used before. */
function htlc(more: Partial<OutgoingHtlc> = {}): Sent {
  const preimage = new Uint8Array(32).fill(++next);
  const paymentHash = sha256(preimage);
  const hop = (nodeId: string, scid: string, amountMsat: bigint, cltvExpiry: number) => ({
    nodeId: id(nodeId),
    shortChannelId: parseShortChannelId(scid)!,
    amountMsat: msat(amountMsat),
    cltvExpiry,
  });
  return {
    preimage,
    hash: toHex(paymentHash),
    htlc: {
      attemptId: next.toString(16).padStart(32, '0'),
      paymentHash,
      // A number beyond a double's precision. It must reach the node and come back with all its digits.
      groupId: 5_871_565_904_030_411_000n,
      partId: 1,
      path: [hop(PEER, '103x1x0', 6_000n, 130), hop(RECIPIENT, '104x1x0', 5_000n, 120)],
      finalPayload: { keysendPreimage: preimage },
      sessionKey: new Uint8Array(32).fill(0x41),
      ...more,
    },
  };
}

const stateOf = async (sent: Sent) => (await network.outcomes([sent.htlc])).get(sent.htlc.attemptId)!;
const settled = ({ htlc: { attemptId }, preimage }: Sent) => [attemptId, { status: 'settled', preimage }];

describe('sends', () => {
  test('an HTLC as the node wants it: preapproved once, onion, exact channel, delay from the next block, big group', async () => {
    const sent = htlc();
    node.onPart = (row) => node.settle(row, toHex(sent.preimage));
    await network.send(sent.htlc);
    await until(() => told.length > 0);
    expect(told).toEqual([settled(sent)]);
    expect(node.called('preapprovekeysend')).toEqual([
      { destination: RECIPIENT, payment_hash: sent.hash, amount_msat: 5000 },
    ]);
    const [{ onion, ...rest }] = node.called('sendonion') as [Record<string, unknown>];
    expect((onion as string).length).toBe(2 * 1366);
    expect(rest).toEqual({
      // Expiry 130, the node at 111: it counts from block 112.
      first_hop: { id: PEER, channel: '103x1x0', amount_msat: 6000, delay: 18 },
      payment_hash: sent.hash,
      partid: 1,
      groupid: Number(5_871_565_904_030_411_000n),
      label: `fulgurite-${sent.htlc.attemptId}`,
      amount_msat: 5000,
      destination: RECIPIENT,
    });
  });

  test('a second part of one payment is not preapproved again', async () => {
    const sent = htlc();
    await network.send(sent.htlc);
    await network.send({ ...sent.htlc, attemptId: 'f'.repeat(32), partId: 2 });
    expect(node.called('preapprovekeysend')).toHaveLength(1);
    expect(node.rows.map(({ partid }) => partid)).toEqual([1, 2]);
  });

  test('an invoice with its text, for the node to approve and to show, and no recipient behind a blinded path', async () => {
    const blindedEnd = {
      firstPathKey: Buffer.from(ANOTHER, 'hex'),
      hops: [{ blindedNodeId: Buffer.from(ANOTHER, 'hex'), encryptedRecipientData: new Uint8Array(10) }],
      amountMsat: msat(4_000n),
      cltvExpiry: 115,
    };
    await network.send(htlc({ invoice: 'lni1abc', blindedEnd, finalPayload: {} }).htlc);
    expect(node.called('preapproveinvoice')).toEqual([{ bolt11: 'lni1abc' }]);
    expect(node.called('preapprovekeysend')).toEqual([]);
    const [sent] = node.called('sendonion');
    expect(sent).toMatchObject({ bolt11: 'lni1abc', amount_msat: 4000 });
    expect(sent).not.toHaveProperty('destination');
  });

  test('with a revision that a report has only when it was taken after the HTLC was added', async () => {
    const reports: OwnChannelReport[] = [];
    network.onOwnChannels((report) => void reports.push(report));
    const { channelsRevision } = await network.send(htlc().htlc);
    node.spendableMsat = 4_000_000_000;
    expect(network.ownChannels().revision).toBeLessThan(channelsRevision);
    await until(() => network.ownChannels().revision >= channelsRevision);
    const first = reports.find(({ revision }) => revision >= channelsRevision)!;
    expect(first.channels[0]!.spendableMsat).toBe(4_000_000_000n);
  });
});

describe('outcomes', () => {
  const inBrackets = (why: string) =>
    `failed: WIRE_TEMPORARY_CHANNEL_FAILURE (WIRE_TEMPORARY_CHANNEL_FAILURE: ${why})`;
  const own = { erring_index: 0, failcode: 0x1007, failcodename: 'WIRE_TEMPORARY_CHANNEL_FAILURE' };

  test.each<[string, NonNullable<Row['error']>, HtlcOutcome]>([
    [
      'a packet of the first peer',
      { code: 202, message: 'Malformed error reply', data: { onionreply: 'c0ffee', status: 'pending' } },
      { status: 'failed', packet: Uint8Array.of(0xc0, 0xff, 0xee) },
    ],
    [
      'our channel in its words',
      { code: 204, message: inBrackets('Capacity exceeded - HTLC fee: 1626sat'), data: own },
      {
        status: 'refused',
        failureCode: 0x1007,
        reason: 'Capacity exceeded - HTLC fee: 1626sat',
        cause: 'balance',
      },
    ],
    [
      'its limit of HTLCs',
      { code: 204, message: inBrackets('Too many HTLCs'), data: own },
      { status: 'refused', failureCode: 0x1007, reason: 'Too many HTLCs', cause: 'htlcSlots' },
    ],
    [
      'its limit of dust',
      { code: 204, message: inBrackets('HTLC too dusty, allowed dust limit reached'), data: own },
      {
        status: 'refused',
        failureCode: 0x1007,
        reason: 'HTLC too dusty, allowed dust limit reached',
        cause: 'dust',
      },
    ],
    [
      'a first peer that could not read the onion',
      {
        code: 204,
        message: 'failed: WIRE_INVALID_ONION_HMAC (reply from remote)',
        data: { erring_index: 1, failcode: 0xc005, raw_message: 'c005' },
      },
      {
        status: 'refused',
        failureCode: 0xc005,
        reason: 'failed: WIRE_INVALID_ONION_HMAC (reply from remote)',
      },
    ],
    [
      'a reason that the node forgot',
      { code: 209, message: 'Payment failure reason unknown' },
      { status: 'refused', failureCode: 0x4008, reason: 'Payment failure reason unknown' },
    ],
  ])('%s: live and asked again alike', async (_what, error, outcome) => {
    const sent = htlc();
    node.onPart = (row) => node.fail(row, error);
    await network.send(sent.htlc);
    await until(() => told.length > 0);
    expect(told).toEqual([[sent.htlc.attemptId, outcome]]);
    expect(await stateOf(sent)).toEqual(outcome);
  });

  test('a peer that is gone is refused at once, with a reason and no row', async () => {
    const sent = htlc();
    node.beforeSend = () => {
      throw new Refused(204, 'failed: WIRE_TEMPORARY_CHANNEL_FAILURE (First peer not ready)', own);
    };
    await network.send(sent.htlc);
    expect(told).toMatchObject([[sent.htlc.attemptId, { status: 'refused', cause: 'peerAway' }]]);
    expect(await stateOf(sent)).toEqual({ status: 'neverLeft' });
  });

  test.each([
    ['the signer', 214, 'keysend was declined'],
    ['the database', 201, 'Already succeeded other parts'],
    ['a payment of somebody else', 200, 'Payment with groupid=7 still in progress'],
  ])('%s declines the payment, in its words', async (_who, code, words) => {
    const sent = htlc();
    if (code === 214) node.declines = words;
    node.beforeSend = () => {
      throw new Refused(code, words);
    };
    await network.send(sent.htlc);
    expect(told).toEqual([
      [sent.htlc.attemptId, { status: 'refused', failureCode: 0x6002, reason: words, cause: 'declined' }],
    ]);
    expect(node.rows).toEqual([]);
  });

  test('the same attempt sent again is sent once, and its outcome is told again', async () => {
    const sent = htlc();
    node.onPart = (row) => node.fail(row, { code: 209, message: 'gone' });
    await network.send(sent.htlc);
    await until(() => told.length === 1);
    await network.send(sent.htlc);
    await until(() => told.length === 2);
    expect(told[1]).toEqual(told[0]);
    expect(node.rows).toHaveLength(1);
  });
});

describe('a node that is lost', () => {
  /** Waits until the node is back, and then for the outcomes that are told. */
  const back = async (): Promise<void> => {
    await until(() => network.nodeBehind().problem !== undefined);
    await node.start();
    await until(() => network.nodeBehind().problem === undefined);
  };

  test('says so, takes nothing, and works on with its last channels when it is back', async () => {
    await node.kill();
    await until(() => network.nodeBehind().problem !== undefined);
    const sent = htlc();
    await network.send(sent.htlc);
    expect(told).toMatchObject([[sent.htlc.attemptId, { status: 'refused', cause: 'nodeAway' }]]);
    expect(network.ownChannels().channels).toHaveLength(1);
    await back();
    expect(await stateOf(sent)).toEqual({ status: 'neverLeft' });
    const again = htlc();
    node.onPart = (row) => node.settle(row, toHex(again.preimage));
    await network.send(again.htlc);
    await until(() => told.length === 2);
    expect(told[1]).toEqual(settled(again));
  });

  test('restarts while an HTLC is in flight: its outcome is told, whatever happened meanwhile', async () => {
    const [settles, stays] = [htlc(), htlc()];
    for (const { htlc: each } of [settles, stays]) await network.send(each);
    await node.kill();
    node.nowS += 5;
    node.settle(node.row(settles.hash)!, toHex(settles.preimage));
    await back();
    await until(() => told.length === 1);
    expect(told).toEqual([settled(settles)]);
    expect(await stateOf(stays)).toEqual({ status: 'pending' });
    node.settle(node.row(stays.hash)!, toHex(stays.preimage));
    await until(() => told.length === 2);
    expect(told[1]).toEqual(settled(stays));
    expect(node.called('sendonion')).toHaveLength(2);
  });

  test('dies between accepting and committing: after its restart the row is known to be dead', async () => {
    node.commits = false;
    node.nowS += 5;
    const sent = htlc();
    await network.send(sent.htlc);
    // As long as the stand-in runs, it would fail the part itself.
    expect(await stateOf(sent)).toEqual({ status: 'pending' });
    await node.kill();
    node.nowS += 5;
    await back();
    await until(() => told.length === 1);
    expect(told).toMatchObject([[sent.htlc.attemptId, { status: 'refused', cause: 'neverLeft' }]]);
    expect(await stateOf(sent)).toEqual({ status: 'neverLeft' });
  });

  test('restarts in the second in which a row was written: the state is known only if we saw the send accepted', async () => {
    node.commits = false;
    node.nowS = Math.floor(Date.now() / 1000);
    const [sent, older] = [htlc(), htlc()];
    await network.send(sent.htlc);
    // A part that a process before us was told of.
    const { groupid } = node.rows[0]!;
    const row = { payment_hash: older.hash, groupid, partid: 1, amount_msat: 5_000, created_at: node.nowS };
    node.rows.push({ ...row, status: 'pending' });
    await node.kill();
    node.startedFraction = 750;
    await back();
    expect(await stateOf(older)).toEqual({ status: 'unknown' });
    await until(() => told.length === 1);
    expect(told).toMatchObject([[sent.htlc.attemptId, { status: 'refused', cause: 'neverLeft' }]]);
  });

  test('loses the connection with a request in it: the request is given up only when it can no longer arrive', async () => {
    const sent = htlc();
    // The request is read, the connection breaks, the request is carried out a moment later.
    let carriedOut = 0;
    node.beforeSend = (params) => {
      if (carriedOut++ > 0) return;
      node.loseConnections();
      setTimeout(() => {
        node.rows.push({
          payment_hash: sent.hash,
          partid: 1,
          groupid: params.groupid as number,
          amount_msat: 5000,
          created_at: node.nowS,
          status: 'complete',
          payment_preimage: toHex(sent.preimage),
        });
      }, 10);
      throw new Refused(-1, 'nobody hears this');
    };
    await expect(network.send(sent.htlc)).rejects.toThrow(FulguriteError);
    expect(await stateOf(sent)).toEqual({ status: 'settled', preimage: sent.preimage });
  });

  test('hangs: a send is neither taken nor refused, and nothing is promised before it answers', async () => {
    node.hang(true);
    const sent = htlc();
    const state = network.send(sent.htlc).then(
      () => 'taken',
      (error) => error.name,
    );
    // The network does not ask a node that is known to be silent. But the node may still carry out a request
    // in its buffer.
    expect(['taken', 'nodeAway']).toContain(await state);
    await until(() => network.nodeBehind().problem?.includes('does not answer') === true);
    node.hang(false);
    await until(() => network.nodeBehind().problem === undefined);
    expect(await stateOf(sent)).toEqual({ status: 'neverLeft' });
  });

  test('hangs with a send in its buffer: the send happens when it goes on, and the outcome is told', async () => {
    const first = htlc();
    await network.send(first.htlc);
    const sent = htlc({ paymentHash: first.htlc.paymentHash, partId: 2 });
    node.hang(true);
    await expect(network.send(sent.htlc)).rejects.toMatchObject({ name: 'nodeAway' });
    await expect(network.outcomes([sent.htlc])).resolves.toEqual(
      new Map([[sent.htlc.attemptId, { status: 'unknown' }]]),
    );
    node.onPart = (row) => node.settle(row, toHex(first.preimage));
    node.hang(false);
    await until(() => told.some(([attemptId]) => attemptId === sent.htlc.attemptId));
    expect(node.rows.map(({ partid }) => partid)).toEqual([1, 2]);
  });

  test('is replaced by another: the other is never used', async () => {
    await node.kill();
    node.id = ANOTHER;
    await node.start();
    await until(() => logged.some((line) => line.includes(ANOTHER)));
    const sent = htlc();
    await network.send(sent.htlc);
    expect(told).toMatchObject([[sent.htlc.attemptId, { status: 'refused', cause: 'nodeAway' }]]);
    expect(network.nodeBehind().problem).toContain('not used');
    await node.kill();
    node.id = OWN;
    await back();
    await network.send(htlc().htlc);
    expect(node.rows).toHaveLength(1);
  });

  test('is behind its chain: it warns, and nothing is sent', async () => {
    node.warning = 'Still loading latest blocks';
    await until(() => network.nodeBehind().problem === node.warning);
    await network.send(htlc().htlc);
    expect(told).toMatchObject([[expect.anything(), { status: 'refused', reason: node.warning }]]);
    expect(node.called('sendonion')).toEqual([]);
  });
});

describe('an HTLC without a row', () => {
  test('never left, where no row was ever deleted', async () => {
    expect(await stateOf(htlc())).toEqual({ status: 'neverLeft' });
  });

  test('never left, where rows were deleted but no HTLC had its hash', async () => {
    node.deletedRows = 3;
    expect(await stateOf(htlc())).toEqual({ status: 'neverLeft' });
  });

  test('is not known, where its row may have been deleted', async () => {
    const sent = htlc();
    await network.send(sent.htlc);
    node.settle(node.row(sent.hash)!, toHex(sent.preimage));
    node.rows.length = 0;
    node.deletedRows = 1;
    expect(await stateOf(sent)).toEqual({ status: 'unknown' });
  });
});

describe('after a restart of ours', () => {
  test('everything that was in flight is found, and told when it ends', async () => {
    const [done, pending, never] = [htlc(), htlc(), htlc()];
    await network.send(done.htlc);
    await network.send(pending.htlc);
    await network.close();
    node.settle(node.row(done.hash)!, toHex(done.preimage));
    told = [];
    await open();
    const states = await network.outcomes([done.htlc, pending.htlc, never.htlc]);
    expect([...states.values()].map(({ status }) => status)).toEqual(['settled', 'pending', 'neverLeft']);
    node.settle(node.row(pending.hash)!, toHex(pending.preimage));
    await until(() => told.length > 0);
    expect(told).toEqual([settled(pending)]);
  });
});

describe('what the node tells', () => {
  test('blocks, as they come', async () => {
    const heights: number[] = [];
    network.onBlock((height) => void heights.push(height));
    node.height = 113;
    node.changed();
    await until(() => heights.length > 0);
    expect([heights, network.blockHeight()]).toEqual([[113], 113]);
  });

  test('channels with both ends’ terms, and a peer that leaves', async () => {
    expect(network.ownChannels().channels).toEqual([
      {
        peerId: PEER,
        shortChannelId: parseShortChannelId('103x1x0'),
        capacityMsat: 10_000_000_000n,
        spendableMsat: 5_000_000_000n,
        receivableMsat: 1_000_000_000n,
        theirMaxInFlightMsat: 18_446_744_073_709_551_615n,
        ourMaxInFlightMsat: 18_446_744_073_709_551_615n,
        usable: true,
        localPolicy: expect.objectContaining({ feeBaseMsat: 1000n, cltvExpiryDelta: 6 }),
        remotePolicy: expect.objectContaining({ htlcMaximumMsat: 9_900_000_000n }),
        openedByUs: true,
        feeratePerKw: 253,
      },
    ]);
    node.peerConnected = false;
    await until(() => network.ownChannels().channels[0]!.usable === false);
  });

  test('who it is', () => {
    expect(network.identity).toEqual({
      nodeId: OWN,
      features: Uint8Array.of(0x80, 0),
      chainHash: CHAIN_HASHES.regtest,
    });
    expect(network.nodeBehind()).toMatchObject({ kind: 'cln', nodeId: OWN, version: 'v26.06' });
  });
});

describe('a node that is not reached', () => {
  const reach = (socketPath: string) => reachNode({ socketPath, log, timing: QUICK });

  test('is told so, by the path', async () => {
    await expect(reach(join(directory, 'nobody'))).rejects.toMatchObject({
      name: 'nodeAway',
      message: expect.stringContaining('is lightningd running?'),
    });
  });

  test('or is too old', async () => {
    node.version = 'v24.11.1';
    await expect(reach(node.path)).rejects.toMatchObject({ name: 'notSupported' });
  });
});
