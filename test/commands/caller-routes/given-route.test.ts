/**
 * Payments over a route given by the caller: `getroute`, `sendpay` and `waitsendpay`, as older Core Lightning
 * clients use them, and onions made by the caller.
 *
 *     us ──5,000,000 sat── L2 ──104x1x0── L3 ──105x1x0── L4        each hop: 1 msat + 10 ppm, 6 blocks
 */
import { describe, expect, test, vi } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { encodePayload } from '../../../src/bolt/onion/payload.ts';
import { ERRORS } from '../../../src/model/errors.ts';
import { msat } from '../../../src/model/msat.ts';
import { L2, L2_L3, L3, L3_L4, L4 } from '../../payments/line-graph.ts';
import { OWN_ID } from '../../payments/simulation/simulated-node.ts';
import { nodePerTest } from '../payment-fixture.ts';
import type { PaymentNode } from '../payment-node.ts';

let node: PaymentNode;
nodePerTest((started) => {
  node = started;
});

const HASH = 'ab'.repeat(32);
const SENT = 'Monitor status with listpays or waitsendpay';

interface Asked {
  readonly payment_hash: string;
  readonly payment_secret: string;
  readonly cltv: number;
}

/** An invoice of L4, decoded as a client decodes it. */
async function invoice(amount_msat: number): Promise<Asked & { readonly bolt11: string }> {
  const { bolt11 } = await node.result('simulatedinvoice', { id: L4, amount_msat });
  const read = await node.result('decode', { string: bolt11 });
  const { payment_hash, payment_secret, min_final_cltv_expiry } = read;
  return { bolt11, payment_hash, payment_secret, cltv: min_final_cltv_expiry };
}

const routeTo = async (amount_msat: number, cltv: number, more: object = {}) =>
  (await node.result('getroute', { id: L4, amount_msat, riskfactor: 1, cltv, ...more })).route;

describe('getroute', () => {
  test('returns the remaining amount and delay at each hop', async () => {
    const route = await routeTo(1_000_000, 18);
    const [{ short_channel_id: ours }] = (await node.result('listpeerchannels')).channels;
    const style = 'tlv';
    const last = {
      id: L4,
      channel: '105x1x0',
      direction: L3 < L4 ? 0 : 1,
      amount_msat: 1_000_000,
      delay: 18,
      style,
    };
    // 1,000,000 + 1 + 10 ppm of that; then 1 + 10 ppm again, of 1,000,011.
    const middle = {
      ...last,
      id: L3,
      channel: '104x1x0',
      direction: L2 < L3 ? 0 : 1,
      amount_msat: 1_000_011,
      delay: 24,
    };
    const first = {
      ...last,
      id: L2,
      channel: ours,
      direction: OWN_ID < L2 ? 0 : 1,
      amount_msat: 1_000_022,
      delay: 30,
    };
    expect(route).toEqual([first, middle, last]);
  });

  test('honours exclude, maxhops and fromid', async () => {
    const direction = L2 < L3 ? 0 : 1;
    const without = { id: L4, amount_msat: 1000, riskfactor: 1, exclude: [`104x1x0/${direction}`] };
    expect((await node.error('getroute', without)).code).toBe(205);
    expect((await node.error('getroute', { ...without, exclude: [L3] })).code).toBe(205);
    // All refusals have the same code, as older clients expect. The data explain what is wrong with the route.
    const tooMuch = { ...without, exclude: [], amount_msat: 2_000_000_000_000 };
    const why = { reason: expect.stringMatching(/capacity|balance|send/), binding: expect.any(Object) };
    const noRoute = { code: 205, message: 'Could not find a route', data: why };
    expect(await node.error('getroute', tooMuch)).toMatchObject(noRoute);
    expect((await node.error('getroute', { ...without, exclude: [L4] })).message).toBe(
      'Could not find a route',
    );
    expect((await node.error('getroute', { ...without, exclude: ['x'] })).message).toMatch(
      /should be short_channel_id_dir or node_id/,
    );
    expect((await node.error('getroute', { ...without, cltv: 80_001 })).message).toMatch(
      /cltv: should be an integer from 0 to 80000/,
    );
    expect((await node.error('getroute', { ...without, cltv: 'x' })).message).toMatch(
      /cltv: should be an integer: invalid token/,
    );
    expect((await node.error('getroute', { ...without, exclude: [], maxhops: 2 })).message).toBe(
      'Shortest route was 3',
    );
    const route = await routeTo(1000, 9, { fromid: L3, exclude: [`104x1x0/${direction}`] });
    expect(route.map(({ id }: { id: string }) => id)).toEqual([L4]);
    expect(
      (await node.result('askrene-listlayers')).layers.map(({ layer }: { layer: string }) => layer),
    ).toEqual(['xpay']);
  });
});

describe('sendpay', () => {
  test('getroute, sendpay, waitsendpay pay an invoice', async () => {
    const { bolt11, cltv, ...secrets } = await invoice(1_000_000);
    const route = await routeTo(1_000_000, cltv);
    const sent = await node.result('sendpay', {
      route,
      label: 'tea',
      bolt11,
      description: 'a cup',
      ...hashed(secrets),
    });
    const row = {
      created_index: 1,
      id: 1,
      payment_hash: secrets.payment_hash,
      groupid: 1,
      destination: L4,
      amount_msat: 1_000_000,
      amount_sent_msat: 1_000_022,
      created_at: expect.any(Number),
      label: 'tea',
      bolt11,
      description: 'a cup',
    };
    expect(sent).toEqual({ message: SENT, ...row, status: 'pending' });
    const paid = await node.result('waitsendpay', { payment_hash: secrets.payment_hash });
    const ended = { completed_at: expect.any(Number), updated_index: 1, status: 'complete' };
    expect(paid).toEqual({ ...row, ...ended, payment_preimage: expect.stringMatching(/^[0-9a-f]{64}$/) });
    // If the sendpay is repeated, nothing is paid again.
    const again = await node.result('sendpay', { route, ...hashed(secrets) });
    expect(again).toEqual(paid);
    const { pays } = await node.result('listpays');
    expect(pays).toMatchObject([
      { status: 'complete', amount_sent_msat: 1_000_022, preimage: paid.payment_preimage },
    ]);
    const ledger = await node.node.payments.journal.paymentsOfHash(Buffer.from(secrets.payment_hash, 'hex'));
    expect(ledger.standing).toMatchObject({ status: 'complete', request: { kind: 'sendpay' } });
    // Nothing was predicted, so the attempt says nothing about predictions.
    expect((await node.result('listodds')).odds).toEqual([]);
    // `xpay`, too, treats an invoice paid over a caller's route as paid.
    expect((await node.error('xpay', { invstring: bolt11 })).code).toBe(219);
  });

  test('a route with the member names of `getroutes`, where amount_msat is the amount that enters a node', async () => {
    const { cltv, bolt11: _, ...secrets } = await invoice(1_000_000);
    const hops: { id: string; channel: string; direction: number; amount_msat: number; delay: number }[] =
      await routeTo(1_000_000, cltv);
    const route = hops.map(({ id, channel, direction, amount_msat, delay }) => ({
      ...{ node_id_out: id, short_channel_id_dir: `${channel}/${direction}`, cltv_out: delay },
      ...{ amount_out_msat: amount_msat, amount_msat: 1 },
    }));
    await node.result('sendpay', { route, ...hashed(secrets) });
    expect(await node.result('waitsendpay', { payment_hash: secrets.payment_hash })).toMatchObject({
      status: 'complete',
      amount_msat: 1_000_000,
      amount_sent_msat: 1_000_022,
    });
  });

  test('two parts of one group arrive together', async () => {
    const { cltv, bolt11: _, ...secrets } = await invoice(3_000_000);
    const part = async (partid: number, amount: number) => ({
      ...{ route: await routeTo(amount, cltv), partid, groupid: 7, amount_msat: 3_000_000 },
      ...hashed(secrets),
    });
    const [one, two] = [await part(1, 1_000_000), await part(2, 2_000_000)];
    const both = await Promise.all(
      [one, two].map(async (params, id) => {
        const client = node.client();
        const answer = await client.ask(JSON.stringify({ jsonrpc: '2.0', id, method: 'sendpay', params }));
        client.close();
        return JSON.parse(answer!).result;
      }),
    );
    expect(both.map(({ partid, groupid, status }) => [partid, groupid, status])).toEqual([
      [1, 7, 'pending'],
      [2, 7, 'pending'],
    ]);
    const { payment_hash } = secrets;
    for (const partid of [1, 2]) {
      const ended = await node.result('waitsendpay', { payment_hash, partid, groupid: 7 });
      expect(ended).toMatchObject({ status: 'complete', partid, groupid: 7 });
    }
    const { pays } = await node.result('listpays', { payment_hash });
    expect(pays).toMatchObject([{ status: 'complete', amount_msat: 3_000_000, number_of_parts: 2 }]);
  });

  test('refusals of a part, in Core Lightning’s words', async () => {
    const { cltv, bolt11: _, ...secrets } = await invoice(2_000_000);
    const route = await routeTo(1_000_000, cltv);
    const whole = { route, partid: 1, groupid: 4, amount_msat: 2_000_000, ...hashed(secrets) };
    node.isHeld = true;
    const sending = node.result('sendpay', whole);
    // Refused while the first part is in flight: the same part, a different group, partid 0 beside numbered
    // parts, a different total, too much.
    await expect.poll(() => [...node.node.payments.live()].length).toBe(1);
    node.isHeld = false;
    expect(await sending).toMatchObject({ status: 'pending', partid: 1 });
    node.isHeld = true;
    const told = async (more: object) => {
      const { code, message } = await node.error('sendpay', { ...whole, ...more });
      return [code, message];
    };
    expect(await node.result('sendpay', whole)).toMatchObject({ message: SENT, id: 1, status: 'pending' });
    const groupText = 'Payment with groupid=4 still in progress, cannot retry before that completes.';
    expect(await told({ groupid: 5 })).toEqual([200, groupText]);
    expect(await told({ groupid: undefined })).toEqual([200, groupText]);
    expect(await told({ partid: 0, amount_msat: undefined })).toEqual([
      200,
      'Already have parallel payment in progress',
    ]);
    const totals = 'msatoshi was previously 2000000msat, now 3000000msat';
    expect(await told({ partid: 2, amount_msat: 3_000_000 })).toEqual([-32602, totals]);
    const lower = [...route.slice(0, 2), { ...route[2], amount_msat: 900_000 }];
    const amounts = 'Already pending with amount 1000000msat (not 900000msat)';
    expect(await told({ route: lower })).toEqual([201, amounts]);
    expect((await told({ partid: 2, payment_secret: HASH }))[0]).toBe(-32602);
    node.isHeld = false;
    // The recipient holds a single part until it gives up waiting for the rest. After that, the group cannot use the
    // part number again.
    const failed = await node.error('waitsendpay', { payment_hash: secrets.payment_hash, partid: 1 });
    expect(failed).toMatchObject({ code: 204, data: { failcodename: 'WIRE_MPP_TIMEOUT', status: 'failed' } });
    expect((await told({}))[0]).toBe(201);
    // Both parts of a new group arrive.
    for (const partid of [1, 2]) await node.result('sendpay', { ...whole, partid, groupid: 5 });
    const { payment_hash } = secrets;
    expect(await node.result('waitsendpay', { payment_hash, partid: 2 })).toMatchObject({
      status: 'complete',
    });
    expect(await told({ partid: 3 })).toEqual([201, 'Already succeeded other parts']);
    const { payments } = await node.result('listsendpays', { payment_hash });
    expect(payments.map(({ status }: { status: string }) => status)).toEqual([
      'failed',
      'complete',
      'complete',
    ]);
  });

  test('refusals: a low fee by a forwarding node, an unknown hash by the recipient, an unknown peer by us', async () => {
    const { cltv, bolt11: _, ...secrets } = await invoice(1_000_000);
    const route = await routeTo(1_000_000, cltv);
    const cheap = [{ ...route[0], amount_msat: 1_000_000 }, ...route.slice(1)];
    await node.result('sendpay', { route: cheap, ...hashed(secrets) });
    const { payment_hash } = secrets;
    const failed = {
      code: 204,
      data: { erring_index: 1, failcodename: 'WIRE_FEE_INSUFFICIENT', erring_node: L2 },
    };
    expect(await node.error('waitsendpay', { payment_hash })).toMatchObject(failed);
    const [{ failure, status }] = (await node.result('paystatus')).pay;
    expect([status, failure.code]).toEqual(['failed', 204]);
    await node.result('sendpay', { route, payment_hash: HASH, payment_secret: HASH });
    const last = { erring_channel: '105x1x0', erring_direction: L3 < L4 ? 0 : 1 };
    const refused = { code: 203, data: { erring_index: 3, erring_node: L4, ...last } };
    expect(await node.error('waitsendpay', { payment_hash: HASH })).toMatchObject(refused);
    const stranger = [{ ...route[0], id: L3 }, ...route.slice(1)];
    const nobody = await node.error('sendpay', { route: stranger, ...hashed(secrets) });
    const data = {
      erring_index: 0,
      failcode: 0x400a,
      failcodename: 'WIRE_UNKNOWN_NEXT_PEER',
      erring_node: OWN_ID,
    };
    expect(nobody).toEqual({ code: 204, message: 'No connection to first peer found', data });
    const more = [{ ...route[0], amount_msat: 4_999_999_000 }, ...route.slice(1)];
    await node.call('sendpay', { route: more, ...hashed(secrets) });
    const ours = { code: 204, data: { erring_index: 0, erring_node: OWN_ID } };
    expect(await node.error('waitsendpay', { payment_hash })).toMatchObject(ours);
  });

  test('a full disk, and networks that cannot send', async () => {
    const { cltv, bolt11: _, ...secrets } = await invoice(1000);
    const route = await routeTo(1000, cltv);
    const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
    const disk = vi.spyOn(node.node.store.database, 'transaction').mockImplementation(() => {
      throw full;
    });
    expect((await node.error('sendpay', { route, ...hashed(secrets) })).code).toBe(ERRORS.storeFailed.code);
    disk.mockRestore();
    const { notSupported } = ERRORS;
    expect((await node.error('listforwards')).code).toBe(notSupported.code);
    const { capabilities } = node.node.port;
    const as = (more: object) =>
      Object.defineProperty(node.node.port, 'capabilities', {
        value: { ...capabilities, ...more },
        configurable: true,
      });
    const onion = { onion: PACKET, first_hop: route[0], payment_hash: HASH };
    as({ sendsOnions: false });
    expect((await node.error('sendonion', onion)).code).toBe(notSupported.code);
    as({ pays: false });
    expect((await node.error('sendpay', { route, ...hashed(secrets) })).code).toBe(notSupported.code);
    as({});
    expect((await node.error('sendonion', { ...onion, first_hop: { ...route[0], id: L4 } })).code).toBe(204);
  });

  test.each([
    [{ partid: 1 }, 'Must specify msatoshi with partid'],
    [{ partid: 1, amount_msat: 5 }, 'Final amount 1000msat is greater than 5msat, despite MPP'],
    [{ partid: 1, amount_msat: 5000 }, 'partid requires payment_secret'],
    [{ amount_msat: 5000 }, /must be exactly the final amount \(1000msat\)/],
    [{ route: [] }, /^route: should have at least one hop/],
    [
      { route: [{ id: L2, amount_msat: 1, delay: 9 }] },
      /^route: must have either short_channel_id_dir or channel/,
    ],
    [{ route: [{ id: L2, channel: '1x1x1', amount_msat: 1 }] }, /^route: must have either cltv_out or delay/],
    [{ route: [{ id: L2, channel: '1x1x1', amount_msat: 1, delay: 4e9 }] }, /^route: bad cltv_out\/delay/],
    [{ route: [{ id: L2, channel: '1x1x1', amount_msat: 0, delay: 9 }] }, /^route: bad amount/],
    [
      { route: Array(28).fill({ id: L2, channel: '1x1x1', amount_msat: 1, delay: 9 }) },
      /at most 27 elements/,
    ],
    [
      { route: [{ id: L2, channel: '1x1x1', amount_msat: '2200000000000000001msat', delay: 9 }] },
      /total supply/,
    ],
    [{ groupid: '9007199254740993' }, /below 2\^53/],
  ])('invalid parameters: %#', async (more, message) => {
    const route = [{ id: L2, channel: '1x1x1', amount_msat: 1000, delay: 9 }];
    const error = await node.error('sendpay', { route, payment_hash: HASH, ...more });
    expect(error.code).toBe(-32602);
    expect(error.message).toMatch(message);
  });
});

describe('sendonion', () => {
  /** The payload of a hop, prefixed with its length. */
  const payload = (fields: Parameters<typeof encodePayload>[0]): string => {
    const bytes = encodePayload(fields);
    return toHex(Uint8Array.of(bytes.length, ...bytes));
  };
  const terms = (amountMsat: bigint, outgoingCltvValue: number) => ({
    amtToForwardMsat: msat(amountMsat),
    outgoingCltvValue,
  });

  async function onionFor({ payment_hash, payment_secret, cltv }: Asked, fee = 11n) {
    const height = node.node.port.blockHeight() + 1;
    const data = { paymentSecret: Buffer.from(payment_secret, 'hex'), totalMsat: msat(1_000_000n) };
    const hops = [
      {
        pubkey: L2,
        payload: payload({ ...terms(1_000_000n + fee, height + cltv + 6), shortChannelId: L2_L3 }),
      },
      { pubkey: L3, payload: payload({ ...terms(1_000_000n, height + cltv), shortChannelId: L3_L4 }) },
      { pubkey: L4, payload: payload({ ...terms(1_000_000n, height + cltv), paymentData: data }) },
    ];
    const { onion, shared_secrets } = await node.result('createonion', { hops, assocdata: payment_hash });
    const first_hop = { id: L2, amount_msat: 1_000_022, delay: cltv + 12 };
    return { onion, shared_secrets, first_hop, payment_hash };
  }

  test('an onion made by the caller pays an invoice', async () => {
    const asked = await invoice(1_000_000);
    const given = await onionFor(asked);
    const sent = await node.result('sendonion', { ...given, amount_msat: 1_000_000, destination: L4 });
    const amounts = { amount_msat: 1_000_000, amount_sent_msat: 1_000_022, destination: L4 };
    expect(sent).toMatchObject({ message: SENT, status: 'pending', ...amounts });
    const { payment_hash } = asked;
    expect(await node.result('waitsendpay', { payment_hash })).toMatchObject({
      status: 'complete',
      ...amounts,
    });
  });

  test('the channel alone determines where an onion goes', async () => {
    const asked = await invoice(1_000_000);
    const given = await onionFor(asked);
    const [{ short_channel_id }] = (await node.result('listpeerchannels')).channels;
    const { id: _, ...first_hop } = { ...given.first_hop, channel: short_channel_id };
    await node.result('sendonion', { ...given, first_hop });
    expect((await node.result('waitsendpay', { payment_hash: asked.payment_hash })).status).toBe('complete');
    const { channel: __, ...nowhere } = first_hop;
    expect((await node.error('sendonion', { ...given, first_hop: nowhere })).message).toBe(
      "Either 'id' or 'channel' is required for a route_hop",
    );
  });

  test('a failure can be decrypted only with the shared secrets of the onion', async () => {
    const asked = await invoice(1_000_000);
    const { payment_hash } = asked;
    await node.result('sendonion', await onionFor(asked, 5n));
    const data = { erring_index: 2, failcodename: 'WIRE_FEE_INSUFFICIENT' };
    expect(await node.error('waitsendpay', { payment_hash })).toMatchObject({ code: 204, data });
    await node.result('sendonion', { ...(await onionFor(asked, 5n)), shared_secrets: undefined });
    expect((await node.error('waitsendpay', { payment_hash })).code).toBe(202);
    await node.result('sendonion', await onionFor(asked));
    expect(await node.result('waitsendpay', { payment_hash })).toMatchObject({
      status: 'complete',
      groupid: 3,
    });
  });

  test('invalid onions', async () => {
    const hop = { id: L2, amount_msat: 1000, delay: 9 };
    const refused = async (onion: string) =>
      (await node.error('sendonion', { onion, first_hop: hop, payment_hash: HASH })).code;
    expect(await refused('00')).toBe(-32602);
    expect(await refused('xx')).toBe(-32602);
    expect(await refused('00'.repeat(1367))).toBe(-32602);
    // Onions with an unknown version, and with a key that is not a point (BOLT 4).
    for (const [onion, code] of [
      [`01${PACKET.slice(2)}`, 49_156],
      ['00'.repeat(1366), 49_158],
    ] as const) {
      const { message } = await node.error('sendonion', { onion, first_hop: hop, payment_hash: HASH });
      expect(message).toBe(`Could not parse the onion. Parsing failed with failcode=${code}`);
    }
    // If the first peer cannot read the packet, it returns a failure.
    await node.result('sendonion', { onion: PACKET, first_hop: hop, payment_hash: HASH });
    expect((await node.error('waitsendpay', { payment_hash: HASH })).code).toBeGreaterThanOrEqual(202);
    const hopsRefused = async (...hops: object[]) =>
      (await node.error('createonion', { hops, assocdata: HASH })).message;
    expect(await hopsRefused()).toBe('At least one hop must be specified.');
    expect(await hopsRefused({ payload: '00' })).toBe('Hop 0 does not have a pubkey');
    expect(await hopsRefused({ pubkey: L2 })).toBe('Hop 0 does not have a payload');
    const long = { hops: [{ pubkey: L2, payload: '0500' }], assocdata: HASH };
    expect((await node.error('createonion', long)).message).toMatch(/not prefixed with length/);
    const hops = Array(27).fill({ pubkey: L2, payload: `28${'00'.repeat(0x28)}` });
    expect((await node.error('createonion', { hops, assocdata: HASH })).message).toMatch(
      /maximum onion packet size/,
    );
  });
});

/** An onion packet in which only the key is valid. */
const PACKET = `00${L2}${'00'.repeat(1300 + 32)}`;

const hashed = ({ payment_hash, payment_secret }: Pick<Asked, 'payment_hash' | 'payment_secret'>) => ({
  payment_hash,
  payment_secret,
});
