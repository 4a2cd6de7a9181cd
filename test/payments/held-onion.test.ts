/**
 * The onion for a static invoice, byte for byte as LDK creates it (test/vectors/static-invoice-payment.json).
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fromHex, toHex } from '../../src/bolt/bytes.ts';
import { paymentPaths } from '../../src/bolt/invoice/bolt12-invoice.ts';
import { decodeStaticInvoice } from '../../src/bolt/invoice/bolt12-static-invoice.ts';
import { EMPTY_BODY } from '../../src/bolt/onion/async-payments.ts';
import { msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { orderOf } from '../../src/network/onions/onion-builder.ts';
import { buildOnion } from '../../src/network/onions/onion-worker.ts';
import type { Attempt, Payment } from '../../src/payments/payment.ts';
import { findTails, payableStatic } from '../../src/payments/plan/payable-invoice.ts';
import { BLINDED_RECIPIENT } from '../../src/payments/plan/recipient.ts';
import { outgoingHtlc } from '../../src/payments/send/outgoing-htlc.ts';
import { keysendRequest, OWN_ID } from './simulation/simulated-node.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));
const invoices: { node_id: NodeId; invoices: { name: string; static_invoice: string }[] } =
  read('static-invoices');
const vector = read('static-invoice-payment');

test('the onion equals LDK’s for the same invoice, request, preimage and session key', () => {
  const text = invoices.invoices.find(({ name }) => name === vector.invoice)!.static_invoice;
  const staticInvoice = decodeStaticInvoice(fromHex(text));
  const server = invoices.node_id;
  const starts = { ownId: OWN_ID, nodeOf: () => undefined, peerOf: () => undefined };
  const { tails } = findTails(paymentPaths(staticInvoice.fields), starts);
  const [tail] = tails;
  expect(tail!.introduction).toBe(server);
  const amountMsat = msat(BigInt(vector.amount_msat));
  const held = { preimage: fromHex(vector.preimage), invoiceRequest: fromHex(vector.invoice_request) };
  const invoice = payableStatic(staticInvoice, tails, amountMsat, held);
  expect(invoice).toMatchObject({ payerNote: 'for tea', description: 'good of an often offline recipient' });
  const payment = {
    request: keysendRequest(server, { kind: 'xpay', amountMsat, invoice }),
    paymentHash: invoice.paymentHash,
    preimage: held.preimage,
    groupId: 1n,
  } as Payment;
  const hop = (from: NodeId, to: NodeId, amount: bigint, cltvOut: number, block: number) => ({
    ...{ nodeIdIn: from, nodeIdOut: to, amountOutMsat: msat(amount), cltvOut },
    shortChannelIdDir: { shortChannelId: shortChannelId(block, 0, 0), direction: 0 },
  });
  const path = [
    hop(OWN_ID, server, BigInt(vector.sent_msat), tail!.cltvExpiryDelta, 1),
    hop(server, BLINDED_RECIPIENT, amountMsat, 0, 0),
  ];
  const { height, first_expiry } = vector;
  const sessionKey = fromHex(vector.session_key);
  const htlc = outgoingHtlc(payment, { id: 'a', partId: 1, path, height, sessionKey } as unknown as Attempt);
  expect(htlc.path[0]!.cltvExpiry).toBe(first_expiry);
  expect(toHex(buildOnion(orderOf(htlc)))).toBe(vector.onion);
});

test('both messages are an empty TLV stream with its length, as in LDK', () => {
  expect(vector).toMatchObject({
    held_htlc_available: { type: 72, value: toHex(EMPTY_BODY) },
    release_held_htlc: { type: 74, value: toHex(EMPTY_BODY) },
  });
});
