/**
 * The data that we send to LND and the data that it returns: routes, failures, spendable amounts, fees,
 * credentials, field numbers.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeChannelUpdate } from '../../../src/bolt/peer/gossip-messages.ts';
import { decodeNodeAddresses } from '../../../src/bolt/peer/node-address.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import type { Channel, FailureRow, HtlcAttempt } from '../../../src/network/lnd/answers.ts';
import { readCredentials } from '../../../src/network/lnd/client/credentials.ts';
import {
  bakeCommand,
  MORE_PERMISSIONS,
  macaroonPermissions,
} from '../../../src/network/lnd/client/macaroon.ts';
import { outcomeOf } from '../../../src/network/lnd/failure-of.ts';
import { encodeNodeAddresses } from '../../../src/network/lnd/graph/address-bytes.ts';
import { bytesOfBits, featureBytes } from '../../../src/network/lnd/graph/feature-bytes.ts';
import { withInbound } from '../../../src/network/lnd/graph/inbound-fees.ts';
import { METHOD_PATHS, schemaJson } from '../../../src/network/lnd/graph/schema.ts';
import { ownChannelsOf, spendableMsat } from '../../../src/network/lnd/own-channels.ts';
import { sendToRouteRequest } from '../../../src/network/lnd/route-of.ts';
import type { OutgoingHtlc } from '../../../src/network/port.ts';
import { temporaryDirectory } from '../../rpc/support.ts';
import { CERT } from './cert.ts';

const NODES = ['02', '03', '04'].map((byte) => byte.padEnd(66, 'a') as NodeId);
const scid = (n: bigint) => n as ShortChannelId;

/** us ──1──▶ 02aa… ──2──▶ 03aa…: 1,000 msat arrive, and the fee is 1 msat. */
const HTLC: OutgoingHtlc = {
  attemptId: '00'.repeat(16),
  paymentHash: new Uint8Array(32).fill(7),
  groupId: 1n,
  partId: 1,
  path: [
    { nodeId: NODES[0]!, shortChannelId: scid(1n), amountMsat: msat(1_001n), cltvExpiry: 160 },
    { nodeId: NODES[1]!, shortChannelId: scid(2n), amountMsat: msat(1_000n), cltvExpiry: 120 },
  ],
  finalPayload: {},
  sessionKey: new Uint8Array(32).fill(1),
};

describe('a route for SendToRouteV2', () => {
  test('contains for each hop the amount that it forwards, and for the last hop the amount that it receives', () => {
    expect(sendToRouteRequest(HTLC)).toEqual({
      payment_hash: HTLC.paymentHash,
      skip_temp_err: false,
      route: {
        total_time_lock: 160,
        total_amt_msat: '1001',
        hops: [
          { chan_id: '1', pub_key: NODES[0], amt_to_forward_msat: '1000', fee_msat: '1', expiry: 120 },
          { chan_id: '2', pub_key: NODES[1], amt_to_forward_msat: '1000', fee_msat: '0', expiry: 120 },
        ],
      },
    });
  });

  test('carries preimage and records of a keysend, and secret and total of an invoice', () => {
    const preimage = new Uint8Array(32).fill(3);
    const secret = new Uint8Array(32).fill(4);
    const request = sendToRouteRequest({
      ...HTLC,
      isPartOfSeveral: true,
      finalPayload: {
        keysendPreimage: preimage,
        customRecords: [{ type: 70_000n, value: Uint8Array.of(1) }],
        paymentData: { paymentSecret: secret, totalMsat: msat(2_000n) },
      },
    }) as { skip_temp_err: boolean; route: { hops: object[] } };
    expect(request.skip_temp_err).toBe(true);
    expect(request.route.hops[1]).toMatchObject({
      mpp_record: { payment_addr: secret, total_amt_msat: '2000' },
      custom_records: { '5482373484': preimage, '70000': Uint8Array.of(1) },
    });
  });

  test('allows skipping temporary errors only with a payment secret, because LND refuses it otherwise', () => {
    expect(sendToRouteRequest({ ...HTLC, isPartOfSeveral: true })).toMatchObject({ skip_temp_err: false });
  });

  test('continues over a blinded path, with amount and expiry only at its end', () => {
    const blinded = new Uint8Array(33).fill(2);
    const hops = [0, 1].map((n) => ({ blindedNodeId: blinded, encryptedRecipientData: Uint8Array.of(n) }));
    const key = new Uint8Array(33).fill(3);
    const { route } = sendToRouteRequest({
      ...HTLC,
      blindedEnd: { firstPathKey: key, hops, amountMsat: msat(990n), cltvExpiry: 110 },
      finalPayload: { totalAmountMsat: msat(990n) },
    }) as { route: { hops: object[] } };
    expect(route.hops.slice(1)).toEqual([
      { chan_id: '2', pub_key: NODES[1], blinding_point: key, encrypted_data: Uint8Array.of(0) },
      {
        chan_id: '0',
        pub_key: '02'.repeat(33),
        encrypted_data: Uint8Array.of(1),
        amt_to_forward_msat: '990',
        expiry: 110,
        total_amt_msat: '990',
      },
    ]);
  });

  test('contains the records for a static invoice at the end of the blinded path', () => {
    const hops = [{ blindedNodeId: new Uint8Array(33).fill(2), encryptedRecipientData: Uint8Array.of(0) }];
    const [preimage, invoiceRequest] = [new Uint8Array(32).fill(5), new Uint8Array(9).fill(6)];
    const { route } = sendToRouteRequest({
      ...HTLC,
      blindedEnd: { firstPathKey: new Uint8Array(33), hops, amountMsat: msat(990n), cltvExpiry: 110 },
      finalPayload: {
        totalAmountMsat: msat(990n),
        keysendPreimage: preimage,
        customRecords: [{ type: 77_777n, value: invoiceRequest }],
      },
    }) as { route: { hops: object[] } };
    expect(route.hops.at(-1)).toMatchObject({
      total_amt_msat: '990',
      custom_records: { 77777: invoiceRequest, 5482373484: preimage },
    });
  });

  test('is refused if LND cannot send the payload', () => {
    const low = { customRecords: [{ type: 65_535n, value: Uint8Array.of(1) }] };
    expect(() => sendToRouteRequest({ ...HTLC, finalPayload: low })).toThrow('cannot encode');
    const metadata = { paymentMetadata: Uint8Array.of(1) };
    expect(() => sendToRouteRequest({ ...HTLC, finalPayload: metadata })).toThrow('cannot encode');
  });
});

describe('a failure', () => {
  const failure = (row: Partial<FailureRow>): HtlcAttempt => ({
    ...{ attempt_id: '1', status: 2, route: null, attempt_time_ns: '0', preimage: new Uint8Array(0) },
    failure: {
      ...{ code: 0, channel_update: null, htlc_msat: '0', onion_sha_256: new Uint8Array(0) },
      ...{ cltv_expiry: 0, flags: 0, failure_source_index: 1, height: 0 },
      ...row,
    },
  });

  // LND's failure number and that of BOLT 4.
  test.each([
    [1, 0x400f],
    [2, 0x4010],
    [3, 18],
    [4, 19],
    [5, 17],
    [6, 0x4001],
    [7, 0x100e],
    [8, 0xc004],
    [9, 0xc005],
    [10, 0xc006],
    [11, 0x100b],
    [12, 0x100c],
    [13, 0x100d],
    [14, 0x1014],
    [15, 0x1007],
    [16, 0x6003],
    [17, 0x4009],
    [18, 0x400a],
    [19, 0x2002],
    [20, 0x6002],
    [21, 0x4008],
    [22, 21],
    [23, 23],
    [24, 0x4016],
    [25, 0xc018],
    [998, 0x6002],
  ])('with number %i of a node on the route has number %i of BOLT 4', (code, ofBolt4) => {
    expect(outcomeOf(failure({ code, failure_source_index: 2 }))).toMatchObject({
      status: 'decoded',
      sourceIndex: 2,
      failure: { code: ofBolt4 },
    });
  });

  test('that could not be decrypted blames no node', () => {
    expect(outcomeOf(failure({ code: 999 }))).toEqual({ status: 'failed', packet: new Uint8Array(0) });
    expect(outcomeOf({ ...failure({}), failure: null })).toEqual({
      status: 'failed',
      packet: new Uint8Array(0),
    });
  });

  test.each([
    [15, 0x1007, 'balance'],
    [18, 0x400a, 'peerAway'],
    [997, 0x2002, undefined],
  ])('with number %i of our own node is a refusal', (code, failureCode, cause) => {
    const refusal = outcomeOf(failure({ code, failure_source_index: 0 }));
    expect(refusal).toMatchObject({ status: 'refused', failureCode, ...(cause && { cause }) });
    expect(refusal).toSatisfy((one: object) => 'cause' in one === (cause !== undefined));
  });

  test('contains the channel update exactly as sent on the wire', () => {
    const update = {
      ...{ signature: new Uint8Array(64).fill(1), chain_hash: new Uint8Array(32).fill(2), chan_id: '77' },
      ...{ timestamp: 5, message_flags: 1, channel_flags: 1, time_lock_delta: 80, htlc_minimum_msat: '1' },
      ...{ base_fee: 1000, fee_rate: 3, htlc_maximum_msat: '9', extra_opaque_data: new Uint8Array(0) },
    };
    const outcome = outcomeOf(failure({ code: 12, htlc_msat: '1234', channel_update: update }));
    if (outcome?.status !== 'decoded') throw new Error('not decoded');
    const { htlcMsat, channelUpdate } = outcome.failure.fields;
    expect(htlcMsat).toBe(1234n);
    expect(decodeChannelUpdate(channelUpdate!)).toMatchObject({
      shortChannelId: 77n,
      feeBaseMsat: 1000,
      feeProportionalMillionths: 3,
      cltvExpiryDelta: 80,
    });
  });

  test('is not an outcome while the HTLC is in flight', () => {
    expect(outcomeOf({ ...failure({}), status: 0, failure: null })).toBeUndefined();
  });
});

describe('a channel of LND', () => {
  const limits = {
    ...{ csv_delay: 144, chan_reserve_sat: '10000', dust_limit_sat: '354' },
    ...{ max_pending_amt_msat: '990000000', min_htlc_msat: '1000', max_accepted_htlcs: 2 },
  };
  const ROW: Channel = {
    ...{ active: true, remote_pubkey: NODES[0]!, channel_point: `${'ab'.repeat(32)}:1`, chan_id: '1' },
    ...{ capacity: '1000000', local_balance: '600000', remote_balance: '399000', commit_fee: '1000' },
    ...{ commit_weight: '724', fee_per_kw: '1000', pending_htlcs: [], private: false, initiator: true },
    ...{ chan_status_flags: 'ChanStatusDefault', local_constraints: limits, remote_constraints: limits },
    ...{ alias_scids: [], zero_conf: false, peer_scid_alias: '0', custom_channel_data: new Uint8Array(0) },
  };
  const NONE = () => ({ localPolicy: undefined, remotePolicy: undefined });
  const pending = (amount: string, incoming = false) => ({
    ...{ incoming, amount, hash_lock: new Uint8Array(32), expiration_height: 1, htlc_index: '0' },
  });

  test('can spend its balance minus our reserve and a buffer for two HTLCs at twice the fee rate', () => {
    // ⌊2 · 1000 · (724 + 8 + 344) / 1000⌋ − ⌊1000 · (724 + 8) / 1000⌋ = 1420 sat.
    expect(spendableMsat(ROW)).toBe((600_000n - 10_000n - 1_420n) * 1000n);
  });

  test('needs no such buffer if the peer pays the fee, and passes nothing if the peer cannot pay it', () => {
    expect(spendableMsat({ ...ROW, initiator: false })).toBe(590_000_000n);
    // 1000 · 172 / 1000 = 172 sat for one additional output.
    expect(spendableMsat({ ...ROW, initiator: false, remote_balance: '10171' })).toBe(0n);
    expect(spendableMsat({ ...ROW, initiator: false, remote_balance: '10172' })).toBe(590_000_000n);
  });

  test("keeps the peer's limits on the total, the number and the minimum of HTLCs", () => {
    const low = { ...ROW, local_constraints: { ...limits, max_pending_amt_msat: '50000000' } };
    expect(spendableMsat(low)).toBe(50_000_000n);
    expect(spendableMsat({ ...low, pending_htlcs: [pending('20000'), pending('9000', true)] })).toBe(
      30_000_000n,
    );
    expect(spendableMsat({ ...ROW, pending_htlcs: [pending('1'), pending('1')] })).toBe(0n);
    expect(spendableMsat({ ...ROW, local_balance: '11420' })).toBe(0n);
    expect(spendableMsat({ ...ROW, local_balance: '11421' })).toBe(1_000n);
  });

  test('is left out if it carries an asset, and unusable while it is closing or its peer is away', () => {
    expect(ownChannelsOf([{ ...ROW, custom_channel_data: Uint8Array.of(1) }], NONE)).toEqual([]);
    for (const change of [{ active: false }, { chan_status_flags: 'ChanStatusCoopBroadcasted' }]) {
      expect(ownChannelsOf([{ ...ROW, ...change }], NONE)).toMatchObject([{ usable: false }]);
    }
    expect(ownChannelsOf([ROW], NONE)).toMatchObject([{ usable: true, shortChannelId: 1n }]);
  });
});

test('an outgoing fee combined with an inbound fee is never too low, and hardly too high (bLIP 18)', () => {
  const fee = fc.record({
    base: fc.nat(100_000),
    ppm: fc.nat(50_000),
    inBase: fc.nat(100_000),
    inPpm: fc.nat(50_000),
    amount: fc.bigInt(1n, 100_000_000_000n),
  });
  fc.assert(
    fc.property(fee, ({ base, ppm, inBase, inPpm, amount }) => {
      const out = BigInt(base) + (amount * BigInt(ppm)) / 1_000_000n;
      const wanted = out + BigInt(inBase) + ((amount + out) * BigInt(inPpm)) / 1_000_000n;
      const { feeBaseMsat, feeProportionalMillionths } = withInbound(base, ppm, {
        baseMsat: inBase,
        ppm: inPpm,
      });
      const charged = BigInt(feeBaseMsat) + (amount * BigInt(feeProportionalMillionths)) / 1_000_000n;
      expect(charged).toBeGreaterThanOrEqual(wanted);
      expect(charged - wanted).toBeLessThanOrEqual(4n + (2n * amount) / 1_000_000n);
    }),
  );
  expect(withInbound(7, 8, { baseMsat: 0, ppm: 0 })).toEqual({
    feeBaseMsat: 7,
    feeProportionalMillionths: 8,
  });
});

test('feature bits become bytes, and numbers that are not bits are left out', () => {
  expect(featureBytes({ 0: {}, 9: {}, x: {} })).toEqual(Uint8Array.of(0b10, 0b1));
  expect(bytesOfBits([])).toEqual(new Uint8Array(0));
  expect(bytesOfBits([-1, 1.5, 1e9])).toEqual(new Uint8Array(0));
});

test('addresses become descriptors that can be read back, and unknown forms are left out', () => {
  const onion = `${'a'.repeat(56)}.onion:9735`;
  const bytes = encodeNodeAddresses([
    '1.2.3.4:9735',
    '[2001:db8::1]:1',
    onion,
    'node.example:2',
    'short.onion:3',
    '',
  ]);
  expect(decodeNodeAddresses(bytes).map(({ address, port }) => `${address}:${port}`)).toEqual([
    '1.2.3.4:9735',
    '2001:db8::1:1',
    onion,
    'node.example:2',
  ]);
});

describe('credentials', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  const path = (name: string): string => join(directory.path, name);
  const place = (macaroonPath: string) => ({
    address: 'localhost:10009',
    certPath: path('tls.cert'),
    macaroonPath,
  });

  beforeAll(() => {
    directory = temporaryDirectory();
    writeFileSync(path('tls.cert'), CERT);
    writeFileSync(path('good'), Buffer.from('0201036c6e64', 'hex'), { mode: 0o600 });
  });
  afterAll(() => directory.remove());

  test('are read from files', () => {
    expect(readCredentials(place(path('good')))).toMatchObject({
      address: 'localhost:10009',
      macaroon: '0201036c6e64',
    });
  });

  test('are read from an lndconnect address in a file', () => {
    const der = CERT.replace(/-----[A-Z ]+-----|\s/g, '');
    const cert = Buffer.from(der, 'base64').toString('base64url');
    const macaroon = Buffer.from('0201036c6e64', 'hex').toString('base64url');
    writeFileSync(path('connect'), `lndconnect://node.example?cert=${cert}&macaroon=${macaroon}\n`, {
      mode: 0o600,
    });
    expect(readCredentials({ connectPath: path('connect') })).toMatchObject({
      address: 'node.example:10009',
      macaroon: '0201036c6e64',
    });
  });

  test.each([
    ['missing', undefined, 0o600, /cannot read .*missing/],
    ['open', '0201', 0o644, /open to other users of this machine \(mode 644\)/],
    ['text', '68656c6c6f', 0o600, /contains no macaroon: bake one/],
  ])('are refused with the reason if the macaroon is %s', (name, hex, mode, words) => {
    if (hex !== undefined) writeFileSync(path(name), Buffer.from(hex, 'hex'));
    if (hex !== undefined) chmodSync(path(name), mode);
    expect(() => readCredentials(place(path(name)))).toThrow(words);
  });

  test('are refused if the certificate is invalid, or the file has no lndconnect address', () => {
    writeFileSync(path('none'), 'lndconnect://x?cert=00', { mode: 0o600 });
    expect(() => readCredentials({ ...place(path('good')), certPath: path('none') })).toThrow(
      "LND's tls.cert",
    );
    expect(() => readCredentials({ connectPath: path('none') })).toThrow('contains no lndconnect://');
  });
});

test('the minimal macaroon names every method that payments call, once, and options add others', () => {
  const permissions = macaroonPermissions();
  // Subscribing to the state needs no permission.
  const all = Object.entries(METHOD_PATHS).filter(([method]) => method !== 'SubscribeState');
  const uris = (methods: readonly string[]): string[] =>
    methods.map((method) => `uri:${METHOD_PATHS[method as keyof typeof METHOD_PATHS]}`).sort();
  const optional = [
    'AddInvoice',
    'LookupInvoice',
    'SubscribeInvoices',
    'CancelInvoice',
    'ForwardingHistory',
    'QueryMissionControl',
    'XImportMissionControl',
  ];
  const messages = ['SendOnionMessage', 'SubscribeOnionMessages'];
  const needed = all.map(([method]) => method).filter((one) => ![...optional, ...messages].includes(one));
  expect([...permissions].sort()).toEqual(uris(needed));
  expect(new Set(permissions).size).toBe(permissions.length);
  expect([...macaroonPermissions(MORE_PERMISSIONS)].sort()).toEqual(uris(all.map(([method]) => method)));
  expect(bakeCommand()).toContain('uri:/routerrpc.Router/SendToRouteV2 \\\n');
  expect(bakeCommand(['onion-messages'])).toContain('uri:/lnrpc.Lightning/SendOnionMessage');
  expect(bakeCommand()).toMatch(
    /^lncli bakemacaroon --save_to fulgurite\.macaroon \\\n.*\nchmod 600 fulgurite\.macaroon\n$/s,
  );
});

test('paths and field numbers equal LND’s', () => {
  expect(METHOD_PATHS.SendToRouteV2).toBe('/routerrpc.Router/SendToRouteV2');
  expect(METHOD_PATHS.RegisterBlockEpochNtfn).toBe('/chainrpc.ChainNotifier/RegisterBlockEpochNtfn');
  expect(METHOD_PATHS.SubscribeState).toBe('/lnrpc.State/SubscribeState');
  // Transcribed from lnrpc/lightning.proto and routerrpc/router.proto, independently of the schema.
  const numbers: Record<string, Record<string, number>> = {
    SendToRouteRequest: { payment_hash: 1, route: 2, skip_temp_err: 3 },
    TrackPaymentRequest: { payment_hash: 1, no_inflight_updates: 2 },
    ForwardingHistoryRequest: { start_time: 1, end_time: 2, index_offset: 3, num_max_events: 4 },
    ForwardingEvent: { chan_id_in: 2, chan_id_out: 4, amt_in_msat: 9, amt_out_msat: 10, timestamp_ns: 11 },
    ForwardingHistoryResponse: { forwarding_events: 1, last_offset_index: 2 },
    Invoice: {
      ...{
        memo: 1,
        r_preimage: 3,
        r_hash: 4,
        creation_date: 7,
        settle_date: 8,
        description_hash: 10,
        expiry: 11,
      },
      ...{ fallback_addr: 12, cltv_expiry: 13, private: 15, settle_index: 17, amt_paid_msat: 20, state: 21 },
      value_msat: 23,
    },
    PaymentHash: { r_hash: 2 },
    AddInvoiceResponse: { payment_request: 2, payment_addr: 17 },
    InvoiceSubscription: { settle_index: 2 },
    SendOnionMessageRequest: { peer: 1, path_key: 2, onion: 3 },
    OnionMessageUpdate: { peer: 1, encrypted_recipient_data: 5, custom_records: 6 },
    QueryMissionControlResponse: { pairs: 2 },
    XImportMissionControlRequest: { pairs: 1, force: 2 },
    PairHistory: { node_from: 1, node_to: 2, history: 7 },
    PairData: {
      ...{ fail_time: 1, fail_amt_sat: 2, fail_amt_msat: 4 },
      ...{ success_time: 5, success_amt_sat: 6, success_amt_msat: 7 },
    },
    Route: { total_time_lock: 1, hops: 4, total_fees_msat: 5, total_amt_msat: 6 },
    Hop: {
      ...{ chan_id: 1, expiry: 5, amt_to_forward_msat: 6, fee_msat: 7, pub_key: 8, mpp_record: 10 },
      ...{ custom_records: 11, blinding_point: 14, encrypted_data: 15, total_amt_msat: 16 },
    },
    MPPRecord: { total_amt_msat: 10, payment_addr: 11 },
    HTLCAttempt: { status: 1, route: 2, attempt_time_ns: 3, failure: 5, preimage: 6, attempt_id: 7 },
    Failure: {
      ...{ code: 1, channel_update: 3, htlc_msat: 4, onion_sha_256: 5, cltv_expiry: 6, flags: 7 },
      ...{ failure_source_index: 8, height: 9 },
    },
  };
  const { nested } = schemaJson() as unknown as {
    nested: Record<string, { nested: Record<string, { fields?: Record<string, { id: number }> }> }>;
  };
  const types = { ...nested.lnrpc!.nested, ...nested.routerrpc!.nested };
  for (const [type, fields] of Object.entries(numbers)) {
    const ids = Object.entries(types[type]!.fields!).map(([name, { id }]) => [name, id]);
    expect(Object.fromEntries(ids)).toEqual(fields);
  }
});
