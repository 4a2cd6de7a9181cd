/**
 * Invoices for our own requests (`invoicerequest`), on the line of line-graph.ts: they are paid when they
 * arrive, or by `xpay` with `localinvreqid`, and a single-use request is paid only once, however many
 * invoices arrive for it.
 *
 *     us ── L2 ── L3 ── L4            L4 sends the invoices
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InvoiceFields } from '../../src/bolt/invoice/bolt12-fields.ts';
import { createInvoice, decodeInvoiceError, formatInvoice } from '../../src/bolt/invoice/bolt12-invoice.ts';
import { parseInvoiceRequest } from '../../src/bolt/invoice/bolt12-invoice-request.ts';
import { formatOffer } from '../../src/bolt/invoice/bolt12-offer.ts';
import { type BlindedPath, createBlindedPath } from '../../src/bolt/onion/blinded-path.ts';
import { createOnionMessage, receiveOnionMessage } from '../../src/bolt/onion/onion-message.ts';
import { FEATURE, featuresOf, optional } from '../../src/bolt/peer/features.ts';
import { snapshotNodePrivateKey } from '../../src/gossip/node-keys.ts';
import { msat } from '../../src/model/msat.ts';
import { nodeIdToBytes } from '../../src/model/node-id.ts';
import { blindedPaths } from '../payments/blinded-invoice.ts';
import { L2, L4 } from '../payments/line-graph.ts';
import { OWN_ID, OWN_KEY } from '../payments/simulation/simulated-node.ts';
import { PaymentNode } from './payment-node.ts';

const AMOUNT = 50_000;
const L4_KEY = snapshotNodePrivateKey(2);
let node: PaymentNode;
let number = 0;
beforeAll(async () => {
  node = new PaymentNode();
  await node.start();
});
afterAll(() => node.stop());

interface MadeRequest {
  readonly id: string;
  readonly text: string;
}

async function request(more: object = {}): Promise<MadeRequest> {
  const made = await node.result('invoicerequest', { amount: AMOUNT, description: 'refund', ...more });
  expect(made.warning_not_paid).toBeUndefined();
  return { id: made.invreq_id, text: made.bolt12 };
}

const standingOf = async ({ id }: MadeRequest) =>
  (await node.result('listinvoicerequests', { invreq_id: id })).invoicerequests[0];

/** An invoice of L4 for the request. Each invoice has a different payment hash. */
function invoiceFor({ text }: MadeRequest, more: InvoiceFields = {}): Uint8Array {
  const { graph, simulation } = node.node;
  const { height, nowMs } = simulation;
  const { paths, paymentHash } = blindedPaths({
    ...{ graph, recipient: L4, secretKey: L4_KEY, amountMsat: more.invoiceAmountMsat ?? BigInt(AMOUNT) },
    ...{ plans: [{ hops: 1, dummies: 0 }], height, nowMs, number: ++number },
  });
  const fields: InvoiceFields = {
    invoicePaths: paths.map(({ path }) => path),
    invoiceBlindedPay: paths.map(({ payInfo }) => payInfo),
    invoiceCreatedAt: BigInt(Math.floor(nowMs / 1000)),
    invoicePaymentHash: paymentHash,
    invoiceAmountMsat: msat(AMOUNT),
    invoiceFeatures: featuresOf([optional(FEATURE.basic_mpp)]),
    invoiceNodeId: nodeIdToBytes(L4),
    ...more,
  };
  return createInvoice(parseInvoiceRequest(text).bytes, fields, L4_KEY);
}

/** The error that the sender of the invoice receives over the path of the request; undefined if the invoice is paid. */
async function sent(made: MadeRequest, invoice: Uint8Array): Promise<string | undefined> {
  const [path] = parseInvoiceRequest(made.text).fields.invreqPaths ?? [];
  const message = createOnionMessage(path as BlindedPath, { invoice }, new Uint8Array(32).fill(4));
  const onward = receiveOnionMessage(message, snapshotNodePrivateKey(0), nodeIdToBytes(L2));
  if (onward.kind !== 'forward') throw new Error('the path ends at our peer');
  const arrived = receiveOnionMessage(onward.message, OWN_KEY, nodeIdToBytes(OWN_ID));
  if (arrived.kind !== 'content') throw new Error('the path does not end at us');
  const error = await node.context.offers.own.requests.answer(invoice, arrived.pathId);
  return error && decodeInvoiceError(error).error;
}

const paidFor = async ({ id }: MadeRequest) =>
  (await node.result('listpays')).pays.filter((pay: { invreq_id?: string }) => pay.invreq_id === id);

test('an invoice that arrives for a request is paid, and the request is used', async () => {
  const made = await request();
  expect(await sent(made, invoiceFor(made))).toBeUndefined();
  expect(await paidFor(made)).toMatchObject([
    { status: 'complete', amount_msat: AMOUNT, destination: L4, description: 'refund' },
  ]);
  expect(await standingOf(made)).toMatchObject({ used: true, active: false });
  expect(await sent(made, invoiceFor(made))).toBe('invoice_request no longer available');
  expect(await paidFor(made)).toHaveLength(1);
});

test('an invoice that is too high, unsigned or unreachable is answered with the reason, and not paid', async () => {
  const made = await request();
  const dear = invoiceFor(made, { invoiceAmountMsat: msat(AMOUNT + 1) });
  expect(await sent(made, dear)).toBe('invoice amount is too large');
  const changed = invoiceFor(made);
  changed[changed.length - 1]! ^= 1;
  expect(await sent(made, changed)).toBe('Invalid signature');
  const nowhere = createBlindedPath([{ nodeId: nodeIdToBytes(OWN_ID), data: new Uint8Array(0) }], OWN_KEY);
  expect(await sent(made, invoiceFor(made, { invoicePaths: [nowhere] }))).toMatch(/^pay attempt failed: /);
  expect(node.log.lines.at(-1)).toContain(`unusual: an invoice for our request ${made.id} was not paid`);
  expect(await standingOf(made)).toMatchObject({ used: false, active: true });
  // After a failure, a new attempt is allowed, also for less than the offered amount.
  expect(await sent(made, invoiceFor(made, { invoiceAmountMsat: msat(AMOUNT - 1) }))).toBeUndefined();
});

test('`check` reports no usable path for an invoice whose only path ends at our node', async () => {
  const ours = createBlindedPath([{ nodeId: nodeIdToBytes(OWN_ID), data: new Uint8Array(0) }], OWN_KEY);
  const invstring = formatInvoice({ bytes: invoiceFor(await request(), { invoicePaths: [ours] }) });
  expect(await node.error('check', { command_to_check: 'xpay', invstring })).toMatchObject({
    code: 205,
    message: expect.stringContaining('No usable blinded paths'),
  });
});

test('of invoices that arrive at once, one is paid for a single-use request, and all otherwise', async () => {
  const once = await request();
  const told = await Promise.all([1, 2, 3].map(() => sent(once, invoiceFor(once))));
  expect(told.filter((error) => error === undefined)).toHaveLength(1);
  for (const error of told.filter((one) => one !== undefined)) {
    expect(error).toMatch(/^pay attempt failed: Single-use invoice_request already (in progress|paid) with /);
  }
  expect(await paidFor(once)).toHaveLength(1);
  const often = await request({ single_use: false });
  expect(await Promise.all([1, 2].map(() => sent(often, invoiceFor(often))))).toEqual([undefined, undefined]);
  expect(await paidFor(often)).toHaveLength(2);
  expect(await standingOf(often)).toMatchObject({ used: true, active: true });
});

test('`xpay` with the id of a request marks it used, and refuses a second invoice for it', async () => {
  const made = await request();
  const [first, second] = [invoiceFor(made), invoiceFor(made)].map((bytes) => formatInvoice({ bytes }));
  expect(await node.result('xpay', { invstring: first, localinvreqid: made.id })).toMatchObject({
    amount_msat: AMOUNT,
  });
  const [{ payment_hash }] = await paidFor(made);
  expect(await standingOf(made)).toMatchObject({ used: true, active: false });
  const refusal = {
    code: 212,
    message: `Single-use invoice_request already paid with ${payment_hash}`,
    data: { payment_hash, status: 'complete' },
  };
  expect(await node.error('xpay', { invstring: second, localinvreqid: made.id })).toMatchObject(refusal);
  expect(await node.error('pay', { bolt11: second, localinvreqid: made.id })).toMatchObject(refusal);
  // The invoice itself has already been paid: that error comes first, as in Core Lightning.
  expect(await node.error('xpay', { invstring: first, localinvreqid: made.id })).toMatchObject({ code: 219 });
});

test('a payment that failed frees its request for a new invoice', async () => {
  const made = await request();
  node.node.simulation.setTrait(L4, 'offline', true);
  const [first, second] = [invoiceFor(made), invoiceFor(made)].map((bytes) => formatInvoice({ bytes }));
  const failed = await node.error('xpay', { invstring: first, localinvreqid: made.id, retry_for: 0 });
  expect([205, 209]).toContain(failed.code);
  node.node.simulation.setTrait(L4, 'offline', false);
  await node.result('askrene-remove-layer', { layer: 'xpay' });
  expect(await node.result('xpay', { invstring: second, localinvreqid: made.id })).toMatchObject({
    amount_msat: AMOUNT,
  });
  const stored = await node.node.payments.journal.paymentsOfRequest(
    Uint8Array.from(Buffer.from(made.id, 'hex')),
  );
  expect(stored.standing).toMatchObject({ status: 'complete' });
});

test('`localinvreqid` requires a BOLT 12 invoice for that request', async () => {
  const made = await request();
  const invstring = formatInvoice({ bytes: invoiceFor(made) });
  const { bolt11 } = await node.result('simulatedinvoice', { id: L4, amount_msat: 1000 });
  const offer = formatOffer(node.issuers.offers.find(({ kind }) => kind === 'fixed')!.offer);
  const told = async (params: object) => (await node.error('xpay', params)).message;
  expect(await told({ invstring: bolt11, localinvreqid: made.id })).toBe(
    'Cannot use localinvreqid with BOLT11 payment',
  );
  expect(await told({ invstring: 'tea@shop.example', localinvreqid: made.id })).toBe(
    'Cannot use localinvreqid with BIP353 payment',
  );
  expect(await told({ invstring: offer, localinvreqid: made.id })).toBe(
    'Cannot use localinvreqid with offer payment',
  );
  expect(await told({ invstring, localinvreqid: '00'.repeat(32) })).toBe(
    'The invoice answers another invoice_request',
  );
  await node.result('disableinvoicerequest', [made.id]);
  const inactive = { code: 212, message: `Inactive invoice_request ${made.id}` };
  const asked = { invstring, localinvreqid: made.id };
  expect(await node.error('xpay', asked)).toMatchObject(inactive);
  expect(await node.error('planxpay', asked)).toMatchObject(inactive);
  expect(await node.error('check', { command_to_check: 'xpay', ...asked })).toMatchObject(inactive);
  const requests = node.context.offers.own.requests;
  const known = requests.find.bind(requests);
  requests.find = () => undefined;
  expect(await node.error('xpay', { invstring, localinvreqid: made.id })).toMatchObject({
    code: 212,
    message: `Unknown invoice_request ${made.id}`,
  });
  requests.find = known;
});
