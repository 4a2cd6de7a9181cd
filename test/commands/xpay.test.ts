/**
 * Invoices and offers paid over the socket on the line of line-graph.ts: results, and refusals with their reasons.
 *
 *     us ── L2 ── L3 ── L4            1 msat + 10 ppm and 6 blocks in every direction
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../../src/bolt/bytes.ts';
import { sha256 } from '../../src/bolt/crypto/hashes.ts';
import { formatOffer } from '../../src/bolt/invoice/bolt12-offer.ts';
import type { OfferKind } from '../../src/simulated-issuers/offers.ts';
import { L2, L3, L4 } from '../payments/line-graph.ts';
import { OWN_ID } from '../payments/simulation/simulated-node.ts';
import { until } from '../until.ts';
import { PaymentNode } from './payment-node.ts';

let node: PaymentNode;
beforeAll(async () => {
  node = new PaymentNode();
  await node.start();
});
afterAll(() => node.stop());

const invoice = async (id: string, more: object = {}): Promise<string> =>
  (await node.result('simulatedinvoice', { id, amount_msat: 1_000_000, ...more })).bolt11;
const offerOf = (kind: OfferKind): string =>
  formatOffer(node.issuers.offers.find((one) => one.kind === kind)!.offer);
/** For exact amounts: without a shadow, the recipient gets exactly what the invoice asks for. */
const PLAIN = { dev_use_shadow: false, dev_randomize: false };

describe('a BOLT 11 invoice', () => {
  test('is paid to the last msat, and its preimage is returned', async () => {
    const bolt11 = await invoice(L4, { description: 'tea' });
    const paid = await node.result('xpay', { invstring: bolt11, ...PLAIN });
    // Fees to L4: L3 charges 1 + 10 msat on 1,000,000, and L2 1 + 10 msat on 1,000,011.
    expect(paid).toMatchObject({
      amount_msat: 1_000_000,
      amount_sent_msat: 1_000_022,
      failed_parts: 0,
      successful_parts: 1,
    });
    const { payment_hash } = await node.result('decode', { string: bolt11 });
    expect(toHex(sha256(fromHex(paid.payment_preimage)))).toBe(payment_hash);
    const { pays } = await node.result('listpays', { bolt11 });
    expect(pays).toMatchObject([
      { bolt11, description: 'tea', destination: L4, status: 'complete', preimage: paid.payment_preimage },
    ]);
    const { payments } = await node.result('listsendpays', { bolt11 });
    expect(payments).toMatchObject([{ bolt11, description: 'tea', partid: 1 }]);
    expect((await node.result('paystatus', { bolt11 })).pay).toMatchObject([{ bolt11, status: 'complete' }]);
    expect((await node.result('listpays', { bolt11: await invoice(L4) })).pays).toEqual([]);
  });

  test.each(['listpays', 'listsendpays', 'paystatus'])(
    '%s refuses a text that is not an invoice',
    async (method) => {
      for (const bolt11 of ['tea', 'lnbc1', 'lno1', `lni1${'q'.repeat(200_000)}`]) {
        expect(await node.error(method, { bolt11 })).toMatchObject({
          code: -32602,
          message: expect.stringMatching(/^Invalid invstring: /),
          data: { parameter: 'bolt11' },
        });
      }
    },
  );

  test('a remedy that changes the amount names what the caller can change', async () => {
    const amounts = { amount_msat: 90_000_000_000 };
    const remedyOf = async (params: object) => (await node.error('xpay', params)).data.remedy;
    const open = await node.result('simulatedinvoice', { id: L4 });
    const { amount_msat: most } = await remedyOf({ invstring: open.bolt11, ...amounts });
    // The invoice states the amount: only another invoice can have a different one.
    const stated = await invoice(L4, amounts);
    expect(await remedyOf({ invstring: stated })).toEqual({ invoice_amount_msat: most });
    expect(await remedyOf({ invstring: stated, partial_msat: 80_000_000_000 })).toEqual({
      partial_msat: most,
    });
    const { bolt11 } = await node.result('simulatedinvoice', { id: L4, amount_msat: most });
    for (const params of [
      { invstring: open.bolt11, amount_msat: most },
      { invstring: bolt11 },
      { invstring: stated, partial_msat: most },
    ]) {
      expect((await node.result('planxpay', params)).amount_msat).toBeGreaterThanOrEqual(most);
    }
  });

  test('is paid once: afterwards `xpay` reports its preimage, and `pay` answers with the first payment', async () => {
    const bolt11 = await invoice(L3);
    const { payment_preimage } = await node.result('xpay', { invstring: bolt11 });
    expect(await node.error('xpay', { invstring: bolt11 })).toMatchObject({
      code: 219,
      message: 'Already paid this invoice successfully',
      data: { payment_preimage, status: 'complete' },
    });
    expect(await node.result('pay', { bolt11 })).toMatchObject({ payment_preimage, status: 'complete' });
  });

  test('is refused while a payment of it is in progress', async () => {
    const bolt11 = await invoice(L3);
    node.isHeld = true;
    const others = [node.client(), node.client()];
    const ask = (id: number, method: string) =>
      others[id]!.ask(JSON.stringify({ jsonrpc: '2.0', id, method, params: { invstring: bolt11 } }));
    const answers = [ask(0, 'xpay'), ask(1, 'pay')];
    const first = await Promise.race(answers);
    expect(JSON.parse(first!).error).toMatchObject({ code: 200, data: { status: 'pending' } });
    node.isHeld = false;
    const results = (await Promise.all(answers)).map((text) => JSON.parse(text!));
    expect(results.filter(({ result }) => result !== undefined)).toHaveLength(1);
    for (const client of others) client.close();
  });

  test('may be paid again after a failure, with different part numbers', async () => {
    const bolt11 = await invoice(L4);
    node.node.simulation.setTrait(L4, 'offline', true);
    const failed = await node.error('xpay', { invstring: bolt11, retry_for: 0 });
    expect(failed.code).toBe(209);
    node.node.simulation.setTrait(L4, 'offline', false);
    await node.result('askrene-remove-layer', { layer: 'xpay' });
    expect(await node.result('xpay', { invstring: bolt11 })).toMatchObject({ successful_parts: 1 });
    const { payments } = await node.result('listsendpays', { bolt11 });
    const numbers = payments.map(({ partid }: { partid: number }) => partid);
    expect(numbers.length).toBeGreaterThan(1);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test('without an amount is paid the payer’s amount, its metadata are sent back, and its hints are used', async () => {
    const any = (await node.result('simulatedinvoice', { id: L3 })).bolt11;
    expect(await node.error('xpay', { invstring: any })).toMatchObject({
      code: -32602,
      message: 'amount_msat required',
    });
    expect(await node.result('xpay', { invstring: any, amount_msat: '7sat' })).toMatchObject({
      amount_msat: 7_000,
    });
    const odd = await invoice(L4, { metadata: true, hints: 2, cltv: 99 });
    expect(await node.result('xpay', { invstring: odd })).toMatchObject({ amount_msat: 1_000_000 });
    const plan = await node.result('planxpay', { invstring: await invoice(L4, { cltv: 99 }), ...PLAIN });
    // 99 blocks for L4, then 6 each for L3 and L2; our own channel adds none.
    expect(plan).toMatchObject({ delay: 99 + 6 + 6, amount_msat: 1_000_000, shadow_msat: 0 });
  });

  test('of which we pay only a part fails for lack of the rest', async () => {
    const bolt11 = await invoice(L3);
    expect(await node.error('xpay', { invstring: bolt11, partial_msat: 1_000_001 })).toMatchObject({
      message: 'partial_msat must be less or equal to total amount 1000000msat',
    });
    expect(await node.result('planxpay', { invstring: bolt11, partial_msat: 1_000_000 })).toMatchObject({
      amount_msat: 1_000_000,
    });
    expect(
      await node.error('xpay', { invstring: bolt11, partial_msat: 900_000, retry_for: 1 }),
    ).toMatchObject({
      code: 209,
      message:
        'Timed out after 1 attempts. Payment of 900000msat reached destination, but timed out before the rest arrived.',
    });
    // The recipient has dropped the incomplete set, so a full payment may follow.
    expect(await node.result('xpay', { invstring: bolt11 })).toMatchObject({ amount_msat: 1_000_000 });
  });
});

describe('a BOLT 12 invoice', () => {
  test('is paid over its blinded paths, with note and request', async () => {
    const offer = offerOf('anyAmount');
    const fetched = { offer, amount_msat: 50_000, payer_note: 'for the roof' };
    const { invoice: bolt12 } = await node.result('fetchinvoice', fetched);
    const decoded = await node.result('decode', { string: bolt12 });
    // Paths of every kind: over one channel, over two channels, and with only the recipient; see issuers.ts.
    expect(decoded.invoice_paths.length).toBe(3);
    const paid = await node.result('xpay', { invstring: bolt12 });
    expect(toHex(sha256(fromHex(paid.payment_preimage)))).toBe(decoded.invoice_payment_hash);
    const { pays } = await node.result('listpays', { payment_hash: decoded.invoice_payment_hash });
    expect(pays).toMatchObject([
      {
        bolt12,
        description: 'donations',
        invreq_payer_note: 'for the roof',
        destination: decoded.invoice_node_id,
        amount_msat: 50_000,
      },
    ]);
    expect(pays[0].invreq_id).toMatch(/^[0-9a-f]{64}$/);
  });

  test('for more than we have is refused', async () => {
    // Our channel holds 5,000,000 sat.
    const { invoice: bolt12 } = await node.result('fetchinvoice', {
      offer: offerOf('anyAmount'),
      amount_msat: '1.00000000btc',
    });
    const { error } = await node.call('xpay', { invstring: bolt12 });
    expect(error!.code).toBe(215);
  });
});

describe('an offer', () => {
  test('is fetched and paid in one step', async () => {
    const offer = offerOf('fixed');
    const paid = await node.result('xpay', { invstring: offer, payer_note: 'black' });
    expect(paid).toMatchObject({ amount_msat: 10_000, failed_parts: 0 });
    const { pays } = await node.result('listpays');
    expect(pays.at(-1)).toMatchObject({ description: 'coffee', invreq_payer_note: 'black' });
  });

  test('is bought only once per idempotency key', async () => {
    const order = { invstring: offerOf('fixed'), idempotency_key: 'breakfast' };
    const before = (await node.result('listpays')).pays.length;
    const other = node.client();
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'xpay', params: order });
    const [first, second] = await Promise.all([node.result('xpay', order), other.ask(text)]);
    expect(JSON.parse(second!).result).toEqual(first);
    other.close();
    expect(await node.result('xpay', order)).toEqual(first);
    expect((await node.result('listpays')).pays.length).toBe(before + 1);
    expect(await node.error('xpay', { ...order, payer_note: 'with milk' })).toMatchObject({
      code: -32602,
      data: { differing: ['payer_note'] },
    });
  });

  test.each([
    ['anyAmount', {}, 'Must specify amount for this offer'],
    ['fixed', { amount_msat: 9_999 }, 'Offer amount is 10000msat, you tried to pay 9999msat'],
    ['currency', {}, 'Cannot pay offer in different currency USD'],
    ['recurring', {}, 'Cannot xpay recurring offers'],
    ['quantity', {}, 'quantity parameter required'],
  ] as const)('of kind %s with %o is refused: %s', async (kind, more, message) => {
    expect(await node.error('xpay', { invstring: offerOf(kind), ...more })).toMatchObject({
      code: -32602,
      message,
    });
  });

  test('whose issuer refuses, or lies, costs us nothing', async () => {
    const before = (await node.result('listpays')).pays.length;
    expect((await node.error('xpay', { invstring: offerOf('refusing') })).code).toBe(1004);
    expect((await node.error('xpay', { invstring: offerOf('lying') })).code).toBe(1004);
    expect((await node.result('listpays')).pays.length).toBe(before);
  });
});

describe('what cannot be paid is refused with the reason', () => {
  test('amounts and limits', async () => {
    const bolt11 = await invoice(L3);
    const { invoice: bolt12 } = await node.result('fetchinvoice', { offer: offerOf('fixed') });
    const refusals: readonly (readonly [object, number, RegExp])[] = [
      [{ invstring: bolt11, amount_msat: 1 }, -32602, /^amount_msat unnecessary$/],
      [{ invstring: bolt12, amount_msat: 1 }, -32602, /^Cannot override amount for bolt12 invoices$/],
      [{ invstring: bolt11, maxdelay: 2017 }, 217, /^Failed: maximum delay allowed is 2016$/],
      [{ invstring: bolt11, maxdelay: 20 }, 206, /^Failed: CLTV delay exceeds/],
      [{ invstring: await invoice(L4), maxfee: 0 }, 206, /^Failed: Fee exceeds/],
      [{ invstring: bolt11, layers: ['nope'] }, -32602, /unknown layer/],
      [{ invstring: 'lnbc1nonsense' }, -32602, /^Invalid bolt11 invoice: /],
      [{ invstring: 'lni1nonsense' }, -32602, /^Invalid bolt12 invoice: /],
      [{ invstring: 'lno1nonsense' }, -32602, /^Invalid bolt12 offer: /],
      [{ invstring: '' }, -32602, /^Invalid bolt11 invoice: /],
      [
        { invstring: `${bolt11.slice(0, -1)}${bolt11.endsWith('q') ? 'p' : 'q'}` },
        -32602,
        /Bad bech32 string/,
      ],
    ];
    for (const [params, code, message] of refusals) {
      const error = await node.error('xpay', { ...PLAIN, ...params });
      expect({ params, code: error.code }).toEqual({ params, code });
      expect(error.message).toMatch(message);
    }
  });

  test('an expired invoice, and what `check` reports about it', async () => {
    const bolt11 = await invoice(L3, { expiry: 10 });
    node.node.after(11_000, () => undefined);
    await until(() => node.node.timersSet === 0);
    const expected = { code: 207, message: expect.stringMatching(/^Invoice expired \d+ seconds ago$/) };
    expect(await node.error('xpay', { invstring: bolt11 })).toMatchObject(expected);
    expect(await node.error('check', { command_to_check: 'xpay', invstring: bolt11 })).toMatchObject(
      expected,
    );
  });

  test('an invoice for a different chain', async () => {
    const wishes = {
      ...{ currency: 'bcrt' as const, amountMsat: undefined, description: '', expirySeconds: 60, hints: 0 },
      ...{ minFinalCltvExpiryDelta: 18, hasMetadata: false, nonce: new Uint8Array(9) },
    };
    const invstring = node.node.simulation.issueInvoice(L2, wishes);
    expect(await node.error('xpay', { invstring })).toMatchObject({
      code: -32602,
      message: 'Invalid bolt11 invoice: it is for another chain: lnbcrt, not lnbc',
    });
  });

  test('no invoice is paid twice, and no simulated invoice is created for our own node', async () => {
    expect(OWN_ID).toMatch(/^0[23]/);
    expect(await node.error('simulatedinvoice', { id: OWN_ID })).toMatchObject({ code: -32602 });
    expect(node.node.simulation.stats().repeatedPayments).toBe(0);
    expect(node.node.simulation.checkConservation()).toEqual([]);
  });
});

describe('a proof of payment', () => {
  test('of a BOLT 12 invoice shows the payer’s key, and can be checked without other data', async () => {
    const offer = offerOf('fixed');
    const { invoice: bolt12 } = await node.result('fetchinvoice', { offer, payer_note: 'hidden' });
    expect(await node.error('createproof', { invstring: bolt12 })).toMatchObject({
      code: 1700,
      message: 'No successful payment found for that invstring',
    });
    const { payment_preimage } = await node.result('xpay', { invstring: bolt12 });
    const { proofs } = await node.result('createproof', { invstring: bolt12, note: 'you asked' });
    const decoded = await node.result('decode', { string: bolt12 });
    const ofOffer = await node.result('createproof', { invstring: offer });
    expect(ofOffer.proofs.length).toBeGreaterThan(1);
    const proof = proofs[0].bolt12;
    expect(proof).toMatch(/^lnp1/);
    expect(await node.result('checkproof', { proof })).toMatchObject({
      valid: true,
      payment_preimage,
      payment_hash: decoded.invoice_payment_hash,
      node_id: decoded.invoice_node_id,
      payer_id: decoded.invreq_payer_id,
      amount_msat: 10_000,
      description: 'coffee',
      note: 'you asked',
    });
    const broken = `${proof.slice(0, -2)}${proof.endsWith('qq') ? 'pp' : 'qq'}`;
    expect(await node.result('checkproof', { proof: broken })).toMatchObject({ valid: false });
  });

  test('shows the requested fields, and lists them', async () => {
    const { invoice: bolt12 } = await node.result('fetchinvoice', {
      offer: offerOf('fixed'),
      payer_note: 'me',
    });
    await node.result('xpay', { invstring: bolt12 });
    const made = async (include?: unknown) =>
      (await node.result('createproof', { invstring: bolt12, ...(include !== undefined && { include }) }))
        .proofs[0];
    const always = {
      invreq_fields_included: ['invreq_payer_id'],
      invoice_fields_included: ['invoice_payment_hash', 'invoice_features', 'invoice_node_id', 'signature'],
    };
    expect(await made()).toMatchObject({
      offer_fields_included: ['offer_description', 'offer_issuer_id'],
      invreq_fields_included: ['invreq_payer_id'],
      invoice_fields_included: [
        ...['invoice_created_at', 'invoice_payment_hash', 'invoice_amount'],
        ...['invoice_features', 'invoice_node_id', 'signature'],
      ],
    });
    expect(await made([])).toMatchObject({ offer_fields_included: [], ...always });
    // Field 18 is the issuer; the invoice has no field 99.
    const chosen = await made(['invreq_payer_note', 18, 99, 'invoice_features']);
    expect(chosen).toMatchObject({
      ...always,
      offer_fields_included: ['offer_issuer'],
      invreq_fields_included: ['invreq_payer_id', 'invreq_payer_note'],
    });
    const checked = await node.result('checkproof', { proof: chosen.bolt12 });
    expect([checked.valid, checked.description, checked.amount_msat]).toEqual([true, undefined, undefined]);
    for (const [include, reason] of [
      [['invreq_metadata'], 'Unknown field name'],
      [[0], 'is not a field that a proof can include'],
      [[1001], 'is not a field that a proof can include'],
      [[true], 'Expected name or number'],
      ['offer_issuer', 'should be an array'],
    ] as const) {
      const error = await node.error('createproof', { invstring: bolt12, include });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(reason) });
    }
  });

  test('of a BOLT 11 invoice is its preimage', async () => {
    const bolt11 = await invoice(L3, { description: 'once' });
    const { payment_preimage } = await node.result('xpay', { invstring: bolt11 });
    const { proofs } = await node.result('createproof', { invstring: bolt11 });
    expect(proofs).toMatchObject([{ bolt11, payment_preimage }]);
    const proof = { proof: bolt11, payment_preimage };
    expect(await node.result('checkproof', proof)).toMatchObject({
      valid: true,
      node_id: L3,
      amount_msat: 1_000_000,
      description: 'once',
    });
    const wrong = { proof: bolt11, payment_preimage: '00'.repeat(32) };
    expect(await node.result('checkproof', wrong)).toMatchObject({
      valid: false,
      reason: 'Incorrect preimage',
    });
    expect(await node.error('createproof', { invstring: 'nonsense' })).toMatchObject({ code: -32602 });
  });
});

describe('a name that resolves to an offer (BIP 353)', () => {
  test('is refused without a DNSSEC resolver, and the error explains what to do', async () => {
    for (const invstring of ['₿tea@shop.example', 'tea@shop.example']) {
      const error = await node.error('xpay', { invstring });
      expect(error).toMatchObject({ code: -32005, data: { parameter: 'invstring' } });
      expect(error.message).toContain('fetchbip353');
    }
    for (const invstring of ['@', 'tea@', '@shop', 'a b@shop', `${'a'.repeat(256)}@shop`]) {
      expect(await node.error('xpay', { invstring })).toMatchObject({
        code: -32602,
        message: 'Invalid BIP353 name: not a bip353 name',
      });
    }
    expect((await node.error('pay', { bolt11: 'tea@shop.example' })).message).toMatch(/^This is a name/);
    expect((await node.error('planxpay', { invstring: 'tea@shop.example' })).message).toMatch(
      /^Cannot plan the payment of a name/,
    );
  });

  test('is paid if the node behind us proves it, and the proof can be requested by name', async () => {
    const asked: string[] = [];
    const offerOfName = async (name: string): Promise<string> => {
      asked.push(name);
      return offerOf('fixed');
    };
    Object.assign(node.node.port, { offerOfName });
    const order = { invstring: '₿tea@shop.example', idempotency_key: 'by name' };
    const paid = await node.result('xpay', order);
    expect(paid).toMatchObject({ amount_msat: 10_000 });
    expect(await node.result('xpay', order)).toEqual(paid);
    expect(asked[0]).toBe('tea@shop.example');
    const { pays } = await node.result('listpays');
    expect(await node.result('decode', { string: pays.at(-1).bolt12 })).toMatchObject({
      invreq_bip_353_name: { name: 'tea', domain: 'shop.example' },
    });
    const { proofs } = await node.result('createproof', { invstring: 'tea@shop.example' });
    expect(proofs).toHaveLength(1);
    expect(await node.result('checkproof', { proof: proofs[0].bolt12 })).toMatchObject({
      payment_preimage: paid.payment_preimage,
    });
    expect((await node.error('createproof', { invstring: 'tea@other.example' })).code).toBe(1700);
    Object.assign(node.node.port, { offerOfName: async () => 'lno1qqqq' });
    expect((await node.error('xpay', { invstring: 'tea@shop.example' })).message).toMatch(
      /^Invalid bolt12 offer/,
    );
    Object.assign(node.node.port, { offerOfName: undefined });
  });
});

test('an issuer knows that its invoice is paid, and does not request it again', async () => {
  const { nodeId, offer } = node.issuers.offers.find((one) => one.kind === 'fixed')!;
  const order = { offer: formatOffer(offer), payer_metadata: 'a1b2c3' };
  const { invoice: bolt12 } = await node.result('fetchinvoice', order);
  const { invoice_payment_hash } = await node.result('decode', { string: bolt12 });
  const issued = () => node.issuers.issuer(nodeId)?.book.invoiceOfHash(fromHex(invoice_payment_hash));
  expect(issued()?.isPaid).toBe(false);
  expect((await node.result('fetchinvoice', order)).invoice).toBe(bolt12);
  await node.result('xpay', { invstring: bolt12 });
  expect(issued()?.isPaid).toBe(true);
  const refusal = await node.error('fetchinvoice', order);
  expect(refusal.code).toBe(1004);
  expect(JSON.stringify(refusal.data)).toContain('This invoice was already paid');
});

test('`pay` has the parameters of older clients: exclude, and a description for its hash', async () => {
  const bolt11 = await invoice(L3);
  expect(await node.error('pay', { bolt11, exclude: [L2] })).toMatchObject({ code: 205 });
  expect(await node.error('pay', { bolt11, maxfee: 1, exemptfee: 1 })).toMatchObject({ code: -32602 });
  expect(await node.result('pay', { bolt11, label: 'seven', riskfactor: 3 })).toMatchObject({
    destination: L3,
    status: 'complete',
    parts: 1,
  });
  expect((await node.error('pay', {})).message).toBe('missing required parameter: invstring');
  expect((await node.error('pay', { invstring: offerOf('fixed') })).message).toMatch(/^This is an offer/);
});
