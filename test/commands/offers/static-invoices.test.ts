/**
 * Static invoices (bolts#1149) over the socket: an offer whose issuer is offline, and whose server answers
 * with a static invoice, valid or invalid. The issuer is simulated; the format is tested with LDK's own
 * invoices elsewhere (test/bolt/invoice/bolt12-static-invoice.test.ts,
 * test/interop/ldk/ldk-static-invoices.test.ts).
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import type { StaticInvoiceFields } from '../../../src/bolt/invoice/bolt12-fields.ts';
import { formatOffer } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { createStaticInvoice } from '../../../src/bolt/invoice/bolt12-static-invoice.ts';
import { encodeBolt12String } from '../../../src/bolt/invoice/bolt12-string.ts';
import { deferred } from '../../../src/model/deferred.ts';
import { msat } from '../../../src/model/msat.ts';
import { pathToSelf } from '../../offers/path-to-self.ts';
import { PaymentNode } from '../payment-node.ts';

const vectors: { invoices: { name: string; static_invoice: string }[] } = JSON.parse(
  readFileSync(new URL('../../vectors/static-invoices.json', import.meta.url), 'utf8'),
);
const OF_LDK = vectors.invoices.find(({ name }) => name === 'good')!.static_invoice;
const KEY = new Uint8Array(32).fill(4);
const { path, payInfo } = pathToSelf(curve.publicKey(KEY), KEY, new Uint8Array(32).fill(8));

let node: PaymentNode;
beforeAll(async () => {
  node = new PaymentNode();
  await node.start();
});
afterAll(() => node.stop());

const offerOf = (kind: string) => node.issuers.offers.find((one) => one.kind === kind)!;
const offerText = (): string => formatOffer(offerOf('blindedPaths').offer);

/** The server of the offer answers with these bytes. */
function answerWith(make: (secretKey: Uint8Array) => Uint8Array): void {
  node.issuers.setFault(offerOf('blindedPaths').offerId, {
    kind: 'replying',
    reply: ({ secretKey }) => ({ staticInvoice: make(secretKey) }),
  });
}

/** A valid static invoice of the offer, with fields changed. */
function staticInvoice(secretKey: Uint8Array, other: StaticInvoiceFields = {}, kind = 'blindedPaths') {
  const fields: StaticInvoiceFields = {
    invoicePaths: [path],
    invoiceBlindedPay: [payInfo],
    invoiceCreatedAt: BigInt(Math.floor(node.node.nowMs() / 1000)),
    invoiceNodeId: curve.publicKey(secretKey),
    invoiceMessagePaths: [path],
    ...other,
  };
  return createStaticInvoice(offerOf(kind).offer.bytes, fields, secretKey);
}

describe('an offer whose server answers with a static invoice', () => {
  beforeEach(() => answerWith((key) => staticInvoice(key)));

  test.each([
    ['fetchinvoice', () => ({ offer: offerText(), timeout: 5 })],
    ['xpay', () => ({ invstring: offerText() })],
  ] as const)('is refused by %s with an explanation, its content, and what to do', async (method, params) => {
    const paysBefore = (await node.result('listpays')).pays.length;
    const error = await node.error(method, params());
    expect(error).toMatchObject({
      code: -32010,
      message: expect.stringMatching(/^The recipient is offline: .*Nothing was paid\. Retry while/),
      data: {
        static_invoice: {
          type: 'bolt12 static invoice',
          valid: true,
          offer_description: 'found by paths only',
          invoice_message_paths: [{ first_node_id: toHex(curve.publicKey(KEY)) }],
          invoice_relative_expiry: 14 * 24 * 3600,
        },
        steps: [{ outcome: 'answered' }],
      },
    });
    const { static_invoice, static_invoice_hex, expires_at } = error.data as {
      static_invoice: { invoice_created_at: number };
      static_invoice_hex: string;
      expires_at: number;
    };
    expect(static_invoice).not.toHaveProperty('invoice_payment_hash');
    expect(await node.result('decode', { string: static_invoice_hex })).toEqual(static_invoice);
    expect(expires_at).toBe(static_invoice.invoice_created_at + 14 * 24 * 3600);
    expect((await node.result('listpays')).pays.length).toBe(paysBefore);
  });

  test('is paid when the recipient is online again and answers itself', async () => {
    expect((await node.error('xpay', { invstring: offerText() })).code).toBe(-32010);
    node.issuers.setFault(offerOf('blindedPaths').offerId, undefined);
    expect(await node.result('xpay', { invstring: offerText() })).toMatchObject({ amount_msat: 3_000 });
  });
});

describe('with the option to wait for offline recipients', () => {
  let payer: PaymentNode;
  let release: () => void;
  let asked = deferred();
  beforeAll(async () => {
    const requestRelease = () => {
      const { promise, resolve } = deferred();
      release = resolve;
      // Virtual time stands still until the test continues. A step of time that is already in progress ends at the
      // next timer.
      payer.isHeld = true;
      for (const ms of [1, 2, 3]) payer.node.after(ms, () => undefined);
      asked.resolve();
      return { released: promise, isAsked: () => true, end: () => undefined };
    };
    payer = new PaymentNode({ engine: { requestRelease } });
    await payer.start();
    const { offerId } = payer.issuers.offers.find((one) => one.kind === 'blindedPaths')!;
    const reply = ({ secretKey }: { secretKey: Uint8Array }) => ({ staticInvoice: staticInvoice(secretKey) });
    payer.issuers.setFault(offerId, { kind: 'replying', reply });
  });
  afterAll(() => payer.stop());

  /**
   * Begins to pay the offer. Resolves once the payment waits, with a function that ends the wait and returns
   * the error.
   */
  async function waiting(label: string) {
    asked = deferred();
    const client = payer.client();
    const params = { invstring: offerText(), retry_for: 9, label };
    const answered = client.ask(JSON.stringify({ id: 1, method: 'xpay', params }));
    await asked.promise;
    return async () => {
      payer.isHeld = false;
      const { error } = JSON.parse((await answered)!);
      client.close();
      return error;
    };
  }

  test('xpay shows that it waits, and fails if the recipient stays offline', async () => {
    const end = await waiting('later');
    const { pays } = await payer.result('listpays', { status: 'pending' });
    expect(pays).toMatchObject([
      { status: 'pending', label: 'later', pending_reason: 'waiting for the recipient to come online' },
    ]);
    const [{ payment_hash }] = pays as [{ payment_hash: string }];
    expect((await payer.result('listpays', { payment_hash })).pays).toEqual(pays);
    expect((await payer.result('listpays', { status: 'complete' })).pays).toEqual([]);
    expect((await payer.result('listsendpays')).payments).toEqual([]);
    expect(await end()).toMatchObject({
      code: -32011,
      message: expect.stringContaining('Nothing was paid'),
      data: { retry_for: 9 },
    });
    expect((await payer.result('listpays')).pays).toEqual([]);
    const { payments } = await payer.result('listpayments');
    expect(payments).toMatchObject([
      { payment_hash, status: 'failed', attempts: 0, failure: { code: -32011 } },
    ]);
  });

  test('xpay continues after the release; no route leads to this recipient', async () => {
    const end = await waiting('now');
    release();
    expect((await end()).code).toBe(205);
  });
});

describe('an invalid answer', () => {
  const OTHER_KEY = new Uint8Array(32).fill(9);
  test.each<[string, (key: Uint8Array) => Uint8Array, string, RegExp]>([
    ['nonsense', () => new Uint8Array([1, 2, 3]), 'invoice', /./],
    ['cut short', (key) => staticInvoice(key).slice(0, -2), 'invoice', /./],
    [
      'of another offer',
      (key) => staticInvoice(key, {}, 'noIssuerId'),
      'offer match',
      /another|does not repeat/,
    ],
    [
      'signed by another key',
      () => staticInvoice(OTHER_KEY),
      'invoice_node_id',
      /not the one that the offer names/,
    ],
    [
      'with one byte changed',
      (key) => withLastByteChanged(staticInvoice(key)),
      'signature',
      /^Invalid signature$/,
    ],
    [
      'expired',
      (key) => staticInvoice(key, { invoiceCreatedAt: 1n }),
      'invoice_relative_expiry',
      /^expired at 1209601$/,
    ],
    [
      'without message paths',
      (key) => staticInvoice(key, { invoiceMessagePaths: [] }),
      'invoice_message_paths',
      /missing/,
    ],
    ['without paths', (key) => staticInvoice(key, { invoicePaths: [] }), 'invoice_paths', /missing/],
    [
      'with a payment hash',
      (key) => staticInvoice(key, { invoicePaymentHash: OTHER_KEY }),
      'invoice_payment_hash',
      /^unexpected/,
    ],
    [
      'with an amount',
      (key) => staticInvoice(key, { invoiceAmountMsat: msat(5n) }),
      'invoice_amount',
      /^unexpected/,
    ],
    [
      'with a feature unknown',
      (key) => staticInvoice(key, { invoiceFeatures: Uint8Array.of(1, 0, 0, 0) }),
      'invoice_features',
      /24/,
    ],
  ])('%s is refused, and the field is named', async (_name, make, field, reason) => {
    answerWith(make);
    const error = await node.error('xpay', { invstring: offerText() });
    expect(error).toMatchObject({ code: 1004, data: { field, reason: expect.stringMatching(reason) } });
    expect(error.message).toMatch(new RegExp(`^Incorrect ${field} field in static invoice "[0-9a-f]+"$`));
  });
});

describe('given as a text', () => {
  test('decode shows an invoice made by LDK, as hex and as lni1', async () => {
    const shown = await node.result('decode', { string: OF_LDK });
    expect(shown).toMatchObject({
      type: 'bolt12 static invoice',
      valid: true,
      offer_description: 'good of an often offline recipient',
      invoice_created_at: 1_750_000_000,
      invoice_relative_expiry: 1_209_600,
      invoice_paths: [{ payinfo: { fee_base_msat: 1000, cltv_expiry_delta: 120 } }, {}],
    });
    const text = encodeBolt12String('lni', fromHex(OF_LDK));
    expect(await node.result('decode', { string: `lightning:${text}` })).toEqual(shown);
  });

  test('decode refuses an invalid one with the reason', async () => {
    const bad = toHex(withLastByteChanged(fromHex(OF_LDK)));
    expect(await node.error('decode', { string: bad })).toMatchObject({ code: -32602 });
  });

  test.each(['xpay', 'pay', 'planxpay', 'quote'])('%s refuses it', async (method) => {
    answerWith((key) => staticInvoice(key));
    const { data } = await node.error('fetchinvoice', { offer: offerText(), timeout: 5 });
    const hex = (data as { static_invoice_hex: string }).static_invoice_hex;
    const name = method === 'pay' ? 'bolt11' : 'invstring';
    expect(await node.error(method, { [name]: hex })).toMatchObject({
      code: -32010,
      data: { static_invoice_hex: hex },
    });
    const checked = { command_to_check: method, [name]: hex };
    // `check` runs the checks of paying commands; for a plan or a quote it checks only the parameters.
    if (method.endsWith('pay') && method !== 'planxpay') {
      expect((await node.error('check', checked)).code).toBe(-32010);
    }
    const text = encodeBolt12String('lni', withLastByteChanged(fromHex(hex)));
    expect(await node.error(method, { [name]: text })).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid bolt12 static invoice: Invalid signature$/),
    });
    const wrongChain = await node.error(method, { [name]: OF_LDK });
    expect(wrongChain).toMatchObject({
      code: -32602,
      message: 'Invalid bolt12 static invoice: wrong chain',
    });
  });
});

/** The last bytes of these streams belong to the signature. */
function withLastByteChanged(bytes: Uint8Array): Uint8Array {
  return bytes.with(-1, bytes.at(-1)! ^ 1);
}
