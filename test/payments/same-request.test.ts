/**
 * An idempotency key stands for one request. A different request is refused with the names of the parameters
 * that differ, even after a restart.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fromHex } from '../../src/bolt/bytes.ts';
import { msat } from '../../src/model/msat.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import type { HintHop, PaymentRequest } from '../../src/payments/payment.ts';
import { collected } from '../collected.ts';
import { told } from '../in-words.ts';
import { L2, L3, L4, lineNode } from './line-graph.ts';
import { keysendRequest, type SimulatedNode } from './simulation/simulated-node.ts';

let node: SimulatedNode;
beforeEach(() => {
  node = lineNode();
});
afterEach(() => node.destroy());

const hop: HintHop = {
  nodeId: L2,
  shortChannelId: shortChannelId(9, 9, 9),
  feeBaseMsat: msat(1),
  feeProportionalMillionths: 10,
  cltvExpiryDelta: 6,
};
const FIRST = keysendRequest(L3, {
  label: 'rent',
  extraTlvs: [{ type: 65_537n, value: Uint8Array.of(1, 2) }],
  routeHints: [[hop]],
  layers: ['mine'],
  idempotencyKey: 'k',
});
const hinted = (more: Partial<HintHop>): Partial<PaymentRequest> => ({ routeHints: [[{ ...hop, ...more }]] });

const DIFFERENCES: readonly (readonly [string, Partial<PaymentRequest>])[] = [
  ['method', { kind: 'xkeysend' }],
  ['destination', { destination: L4 }],
  ['amount_msat', { amountMsat: msat(FIRST.amountMsat + 1n) }],
  ['label', { label: 'Rent' }],
  ['label', { label: undefined }],
  ['maxfee', { maxfeeMsat: msat(FIRST.maxfeeMsat - 1n) }],
  ['maxdelay', { maxdelay: 2015 }],
  ['retry_for', { retryForS: 61 }],
  ['extratlvs', { extraTlvs: [] }],
  ['extratlvs', { extraTlvs: [{ type: 65_537n, value: Uint8Array.of(1, 3) }] }],
  ['extratlvs', { extraTlvs: [{ type: 65_539n, value: Uint8Array.of(1, 2) }] }],
  ['extratlvs', { extraTlvs: [...FIRST.extraTlvs, { type: 65_539n, value: new Uint8Array(0) }] }],
  ['routehints', { routeHints: [] }],
  ['routehints', { routeHints: [[hop], [hop]] }],
  ['routehints', { routeHints: [[hop, { ...hop, nodeId: L3 }]] }],
  ['routehints', hinted({ nodeId: L3 })],
  ['routehints', hinted({ shortChannelId: shortChannelId(9, 9, 8) })],
  ['routehints', hinted({ feeBaseMsat: msat(2) })],
  ['routehints', hinted({ feeProportionalMillionths: 11 })],
  ['routehints', hinted({ cltvExpiryDelta: 7 })],
  ['layers', { layers: [] }],
  ['layers', { layers: ['mine', 'yours'] }],
  ['layers', { layers: ['Mine'] }],
  ['dev_use_shadow', { useShadow: false }],
  ['dev_randomize', { randomize: false }],
  ['seed', { seed: 8n }],
  ['seed', { isSeedChosen: false, seed: 7n }],
];

/** Checks that each single difference is refused and named, and that none of these requests has paid. */
async function expectRefusals(): Promise<void> {
  for (const [name, more] of DIFFERENCES) {
    await expect(told(node.payments.pay({ ...FIRST, ...more })), name).rejects.toMatchObject({
      code: -32602,
      message: `idempotency_key: was used for another payment, which differs in ${name}`,
      data: { parameter: 'idempotency_key', differing: [name] },
    });
  }
}

test('differences are refused while the first payment is in progress, after its outcome, and after a restart', async () => {
  node.book.createLayer('mine', true);
  const first = node.payments.pay(FIRST);
  await expectRefusals();
  const paid = await node.until(first);
  expect(paid.status).toBe('complete');
  await expectRefusals();
  await node.crash();
  await node.open();
  await expectRefusals();
  const again = await node.pay({ ...FIRST });
  expect([again.id, again.paymentHash, again.status]).toEqual([paid.id, paid.paymentHash, 'complete']);
  expect(await collected(node.payments.journal.payments())).toHaveLength(1);
});

test('all differences are named at once', async () => {
  await node.pay(FIRST);
  const { maxdelay, retryForS } = { maxdelay: 100, retryForS: 0 };
  await expect(told(node.payments.pay({ ...FIRST, maxdelay, retryForS, label: 'x' }))).rejects.toMatchObject({
    data: { differing: ['label', 'maxdelay', 'retry_for'] },
  });
});

test('seeds that the caller did not choose are not compared', async () => {
  const random = { ...FIRST, isSeedChosen: false };
  const paid = await node.pay({ ...random, seed: 1n });
  expect((await node.pay({ ...random, seed: 2n })).id).toBe(paid.id);
  await expect(told(node.payments.pay({ ...FIRST, seed: 1n }))).rejects.toMatchObject({
    data: { differing: ['seed'] },
  });
});

/**
 * A request as version 0.1.0 stored it, before it recorded who chose the seed: 1,000 msat to 0211…11, label
 * "rent", maxfee 5,000, maxdelay 2016, retry_for 60, field 65537 = feed, one hint over 105x1x0, layer "mine",
 * seed 2^64 − 2.
 */
const PACKED_BEFORE =
  'de000ea46b696e64a76b657973656e64ab64657374696e6174696f6ed942' +
  '303231313131313131313131313131313131313131313131313131313131313131313131313131313131313131313131313131313131313131313131313131313131' +
  'aa616d6f756e744d736174d300000000000003e8a56c6162656ca472656e74aa6d61786665654d736174d30000000000001388' +
  'a86d617864656c6179cd07e0a97265747279466f72533ca96578747261546c767391de0002a474797065d30000000000010001' +
  'a576616c7565c402feedaa726f75746548696e74739191de0005a66e6f64654964d942' +
  '303332323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232' +
  'ae73686f72744368616e6e656c4964d30000690000010000ab666565426173654d736174d30000000000000001' +
  'b966656550726f706f7274696f6e616c4d696c6c696f6e7468730aaf636c747645787069727944656c746106' +
  'a66c617965727391a46d696e65a473656564cffffffffffffffffea9757365536861646f77c3a972616e646f6d697a65c3' +
  'ae6964656d706f74656e63794b6579a16b';

describe('a journal without a record of who chose the seed', () => {
  const BEFORE: PaymentRequest = {
    kind: 'keysend',
    destination: `02${'11'.repeat(32)}` as never,
    amountMsat: msat(1_000),
    label: 'rent',
    maxfeeMsat: msat(5_000),
    maxdelay: 2016,
    retryForS: 60,
    extraTlvs: [{ type: 65_537n, value: Uint8Array.of(0xfe, 0xed) }],
    routeHints: [
      [{ ...hop, nodeId: `03${'22'.repeat(32)}` as never, shortChannelId: shortChannelId(105, 1, 0) }],
    ],
    layers: ['mine'],
    seed: 2n ** 64n - 2n,
    isSeedChosen: false,
    useShadow: true,
    randomize: true,
    idempotencyKey: 'k',
  };

  beforeEach(async () => {
    const row = {
      id: '1',
      createdIndex: 1,
      paymentHash: new Uint8Array(32),
      preimage: new Uint8Array(32),
      groupId: 0n,
      paymentSecret: undefined,
      totalMsat: 1_000n,
      request: fromHex(PACKED_BEFORE),
      idempotencyKey: 'k',
      localRequestId: undefined,
      status: 'failed',
      failure: undefined,
      createdAtMs: 1,
      completedAtMs: 2,
    };
    node.store.payments.put(node, row, []);
    await node.store.payments.durable();
    await node.crash();
    await node.open();
  });

  test('returns the outcome for the same request, with any random seed', async () => {
    expect(await node.payments.pay(BEFORE)).toMatchObject({ id: '1', status: 'failed' });
    expect(await node.payments.pay({ ...BEFORE, seed: 5n })).toMatchObject({ id: '1' });
    expect(await node.payments.pay({ ...BEFORE, isSeedChosen: true })).toMatchObject({ id: '1' });
  });

  test.each([
    ['extratlvs', { extraTlvs: [{ type: 65_537n, value: Uint8Array.of(0xfe, 0xee) }] }],
    ['maxfee', { maxfeeMsat: msat(5_001) }],
    ['routehints', { routeHints: [] }],
    ['seed', { isSeedChosen: true, seed: 5n }],
  ] as const)('refuses a request that differs in %s', async (name, more) => {
    await expect(told(node.payments.pay({ ...BEFORE, ...more }))).rejects.toMatchObject({
      data: { differing: [name] },
    });
  });
});
