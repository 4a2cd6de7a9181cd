/** The issuer's commands over the socket: offer, disableoffer, listoffers, listinvoices, invoicerequest. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import {
  createInvoice,
  decodeInvoiceError,
  formatInvoice,
} from '../../../src/bolt/invoice/bolt12-invoice.ts';
import {
  createInvoiceRequest,
  parseInvoiceRequest,
} from '../../../src/bolt/invoice/bolt12-invoice-request.ts';
import type { BlindedPath } from '../../../src/bolt/onion/blinded-path.ts';
import { createOnionMessage, receiveOnionMessage } from '../../../src/bolt/onion/onion-message.ts';
import { snapshotNodePrivateKey } from '../../../src/gossip/node-keys.ts';
import { msat } from '../../../src/model/msat.ts';
import { nodeIdToBytes } from '../../../src/model/node-id.ts';
import type { IssuedInvoice } from '../../../src/offers/offer-book.ts';
import { A, B, OWN_ID } from '../../network/simulated/line.ts';
import { OfferNode } from './offer-node.ts';

const node = new OfferNode();
beforeAll(() => node.start());
afterAll(() => node.destroy());

const make = (params: object) => node.result('offer', params);

describe('offer', () => {
  test('every term is in the offer, and the same offer is created only once', async () => {
    const terms = {
      amount: '10sat',
      description: 'say "hi"\t\u00fc',
      issuer: 'us',
      label: 'ours',
      quantity_max: 5,
      absolute_expiry: 4_102_444_800,
      recurrence: '2weeks',
      recurrence_base: 1_700_000_000,
      recurrence_paywindow: '-10+20',
      recurrence_limit: 9,
      proportional_amount: true,
    };
    const made = await make(terms);
    expect(made).toMatchObject({
      active: true,
      single_use: false,
      used: false,
      label: 'ours',
      created: true,
    });
    expect(made.warning_no_payments).toEqual(expect.any(String));
    expect(await make(terms)).toEqual({ ...made, created: false });
    expect(await node.result('decode', { string: made.bolt12 })).toMatchObject({
      type: 'bolt12 offer',
      valid: true,
      offer_id: made.offer_id,
      offer_amount_msat: 10_000,
      offer_description: 'say "hi"\t\u00fc',
      offer_issuer: 'us',
      offer_quantity_max: 5,
      offer_absolute_expiry: 4_102_444_800,
      offer_recurrence: {
        compulsory_field: true,
        time_unit: 1,
        time_unit_name: 'days',
        period: 14,
        basetime: 1_700_000_000,
        proportional_amount: true,
        limit: 9,
        paywindow: { seconds_before: 10, seconds_after: 20 },
      },
      offer_paths: [{ path: [expect.anything(), expect.anything()] }],
    });
  });

  test.each<[object, string]>([
    [{}, 'missing required parameter: amount'],
    [
      { amount: 'foo', description: 'x' },
      'amount: Unknown currency suffix foo: invalid token (see logs for details)',
    ],
    [
      { amount: '1sat' },
      'description: description is required for the user to know what it was they paid for: invalid token (see logs for details)',
    ],
    [
      { amount: '1.5AUD', description: 'x' },
      'amount: Currency AUD requires 2 minor units: invalid token (see logs for details)',
    ],
    [
      { amount: 'any', recurrence: 'often' },
      'recurrence: not a valid time: invalid token (see logs for details)',
    ],
    [
      { amount: 'any', recurrence: '1day', recurrence_paywindow: '5' },
      'recurrence_paywindow: expected -time+time: invalid token (see logs for details)',
    ],
    [
      { amount: 'any', recurrence_limit: 3 },
      'recurrence_limit: needs recurrence: invalid token (see logs for details)',
    ],
    ...['description', 'issuer', 'label'].map((name): [object, string] => [
      { amount: 'any', [name]: 'x'.repeat(4097) },
      `${name}: should have at most 4096 bytes: invalid token (see logs for details)`,
    ]),
    ...['description', 'issuer'].map((name): [object, string] => [
      { amount: 'any', [name]: 'a\0b' },
      `${name}: should not contain a zero byte: invalid token (see logs for details)`,
    ]),
    [
      { amount: 'any', fronting_nodes: Array.from({ length: 17 }, () => A) },
      'fronting_nodes: should be at most 16 nodes: invalid token (see logs for details)',
    ],
    [
      { amount: 'any', proportional_amount: true },
      'proportional_amount: proportional_amount needs recurrence_base: invalid token (see logs for details)',
    ],
    [
      { amount: 'any', recurrence: '1day', recurrence_base: 5, optional_recurrence: true },
      'optional_recurrence: incompatible with recurrence_base: invalid token (see logs for details)',
    ],
    [{ amount: 'any', recurrence: '0days' }, 'Offer contains recurrence period 0'],
    [{ amount: 'any', recurrence: '1day', recurrence_limit: 0 }, 'Offer contains recurrence limit 0'],
    [{ amount: '0', description: 'x' }, 'Offer contains a zero amount'],
  ])('%j: %s', async (params, message) => {
    expect(await node.error('offer', params)).toBe(`-32602 ${message}`);
    const checked = await node.error('check', { command_to_check: 'offer', ...params });
    expect(checked.replace(/ '.*'$/, ' (see logs for details)')).toBe(`-32602 ${message}`);
  });

  test('each fronting node gets a path', async () => {
    const made = await make({ amount: 'any', description: 'fronted', fronting_nodes: [A, B] });
    const { offer_paths } = await node.result('decode', { string: made.bolt12 });
    const firsts = (offer_paths as { first_node_id: string }[]).map(({ first_node_id }) => first_node_id);
    expect(firsts).toEqual([A, B]);
  });

  test('disabling: 1001 the second time, 1000 if the offer is created again; both survive a restart', async () => {
    const { offer_id } = await make({ amount: '11sat', description: 'to be disabled' });
    expect(await node.result('disableoffer', { offer_id })).toMatchObject({ offer_id, active: false });
    await node.restart();
    expect(await node.error('disableoffer', { offer_id })).toBe('1001 offer is not active');
    expect(await node.error('offer', { amount: '11sat', description: 'to be disabled' })).toBe(
      "1000 Already exists, but isn't active",
    );
    expect(await node.error('disableoffer', { offer_id: '00'.repeat(32) })).toBe('-1 Unknown offer');
    const listed = async (active_only: boolean) =>
      ((await node.result('listoffers', { offer_id, active_only })).offers as object[]).length;
    expect([await listed(false), await listed(true)]).toEqual([1, 0]);
  });

  test('a fetch of our own offer reports that we cannot be paid here, and yields no invoice', async () => {
    const { bolt12 } = await make({ amount: 'any', description: 'self' });
    const { error } = await node.call('fetchinvoice', { offer: bolt12, amount_msat: 5, timeout: 5 });
    expect(error).toMatchObject({ code: 1004, data: { error: 'We cannot receive payments here' } });
    expect(await node.result('listinvoices', {})).toEqual({ invoices: [] });
  });
});

test('invoicerequest creates a signed request that decode shows', async () => {
  const made = await node.result('invoicerequest', { amount: '2sat', description: 'refund', label: 'r' });
  expect(made).toMatchObject({ active: true, single_use: true, used: false, label: 'r' });
  const shown = await node.result('decode', { string: `lightning:${made.bolt12}` });
  expect(shown).toMatchObject({
    type: 'bolt12 invoice_request',
    valid: true,
    offer_description: 'refund',
    invreq_amount_msat: 2000,
  });
  expect(shown.offer_id).toBeUndefined();
});

test('invoice requests are listed, one or all; a disabled one is marked, and accepts no invoices', async () => {
  const made = await node.result('invoicerequest', { amount: '2sat', description: 'prize', label: 'p' });
  const { warning_not_paid: _, ...request } = made;
  const { invreq_id } = request;
  const listed = async (params: object) => (await node.result('listinvoicerequests', params)).invoicerequests;
  expect(await listed({ invreq_id })).toEqual([request]);
  expect(await listed([invreq_id, true])).toEqual([request]);
  const all = (await listed({})) as object[];
  expect(all.at(-1)).toEqual(request);
  expect(all.length).toBeGreaterThan(1);
  expect(await listed({ invreq_id: '00'.repeat(32) })).toEqual([]);

  const disabled = { ...request, active: false };
  expect(await node.result('disableinvoicerequest', { invreq_id })).toEqual(disabled);
  await node.restart();
  expect(await listed({ invreq_id })).toEqual([disabled]);
  expect(await listed({ invreq_id, active_only: true })).toEqual([]);
  expect(await node.error('disableinvoicerequest', { invreq_id })).toBe('1001 invoice_request is not active');
  expect(await node.error('disableinvoicerequest', ['00'.repeat(32)])).toBe('-1 Unknown invoice_request');
});

test('on a network without payments, an invoice for our request gets the answer that it is not paid', async () => {
  const made = await node.result('invoicerequest', { amount: '2sat', description: 'refund' });
  expect(made.warning_not_paid).toEqual(expect.any(String));
  const { bytes, fields } = parseInvoiceRequest(made.bolt12 as string);
  // Our node is not public, so the recipient of the request reaches us through our peer.
  expect(fields.invreqPaths).toMatchObject([{ firstNode: nodeIdToBytes(A) }]);
  const refusalOf = async (invoice: Uint8Array, pathId?: Uint8Array) =>
    decodeInvoiceError((await node.offers.own.requests.answer(invoice, pathId))!).error;
  const refusal = (request: Uint8Array, pathId?: Uint8Array) =>
    refusalOf(createInvoice(request, { invoiceAmountMsat: msat(2000n) }, new Uint8Array(32).fill(3)), pathId);
  const [path] = fields.invreqPaths ?? [];
  const onward = receiveOnionMessage(
    createOnionMessage(path as BlindedPath, { invoice: bytes }, new Uint8Array(32).fill(4)),
    snapshotNodePrivateKey(0),
    nodeIdToBytes(A),
  );
  if (onward.kind !== 'forward') throw new Error('the path ends at our peer');
  const arrived = receiveOnionMessage(onward.message, new Uint8Array(32).fill(9), nodeIdToBytes(OWN_ID));
  if (arrived.kind !== 'content') throw new Error('the path does not end at us');
  await node.restart();
  expect(await refusal(bytes, arrived.pathId)).toBe('This node cannot pay invoices');
  expect(await refusal(bytes)).toBe('Unknown invoice_request ID');
  expect(await refusal(bytes, new Uint8Array(32))).toBe('Unknown invoice_request ID');
  await node.result('disableinvoicerequest', [made.invreq_id]);
  expect(await refusal(bytes, arrived.pathId)).toBe('invoice_request no longer available');
  expect(await refusal(bytes)).toBe('Unknown invoice_request ID');
  const other = createInvoiceRequest(
    new Uint8Array(0),
    { invreqMetadata: new Uint8Array(16) },
    new Uint8Array(32).fill(3),
  );
  expect(await refusal(other)).toBe('Unknown invoice_request ID');
  expect(await refusalOf(Uint8Array.of(1))).toBe('Invalid invoice');
});

test('listinvoices refuses a text that is not an invoice, instead of finding nothing', async () => {
  for (const invstring of ['tea', 'lnbc1', 'lno1', `lni1${'q'.repeat(200_000)}`]) {
    expect(await node.error('listinvoices', { invstring })).toMatch(/^-32602 Invalid invstring: /);
  }
});

test('listinvoices accepts only one condition', async () => {
  const message = 'Can only specify one of {label}, {invstring}, {payment_hash} or {offer_id}';
  expect(await node.error('listinvoices', { label: 'x', invstring: 'y' })).toBe(`-32602 ${message}`);
});

test('listinvoices without a condition shows all invoices, and with one the matching invoice', async () => {
  const bytesOf = (value: number) => new Uint8Array(32).fill(value);
  const invoiceOf = (createdIndex: number, value: number): IssuedInvoice => ({
    label: `invoice ${createdIndex}`,
    offerId: bytesOf(value),
    requestId: bytesOf(value + 1),
    bytes: createInvoice(
      new Uint8Array(0),
      { invoicePaymentHash: bytesOf(value + 4) },
      new Uint8Array(32).fill(value + 2),
    ),
    preimage: bytesOf(value + 3),
    paymentHash: bytesOf(value + 4),
    amountMsat: 1_000n,
    description: undefined,
    payerNote: undefined,
    expiresAt: 4_102_444_800n,
    basetime: undefined,
    isPaid: false,
    createdIndex,
  });
  const { book } = node.offers.own;
  const first = book.nextInvoiceIndex;
  const [one, other] = [invoiceOf(first, 0x10), invoiceOf(first + 1, 0x20)];
  book.putInvoice(one);
  book.putInvoice(other);
  const listed = async (params: object): Promise<string[]> => {
    const { invoices } = await node.result('listinvoices', params);
    return (invoices as { label: string }[]).map(({ label }) => label);
  };
  expect(await listed({})).toEqual([one.label, other.label]);
  const conditions = {
    label: other.label,
    invstring: formatInvoice(other),
    payment_hash: toHex(other.paymentHash),
    offer_id: toHex(other.offerId),
  };
  const message = 'Can only specify one of {label}, {invstring}, {payment_hash} or {offer_id}';
  for (const [name, value] of Object.entries(conditions)) {
    expect(await listed({ [name]: value }), name).toEqual([other.label]);
    for (const [second, also] of Object.entries(conditions)) {
      if (second === name) continue;
      const both = { [name]: value, [second]: also };
      expect(await node.error('listinvoices', both), `${name} ${second}`).toBe(`-32602 ${message}`);
    }
  }
  expect(await node.error('listinvoices', conditions)).toBe(`-32602 ${message}`);
  expect(await listed({ start: first + 1 })).toEqual([other.label]);
});
