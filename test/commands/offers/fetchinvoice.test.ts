/** `fetchinvoice` over the socket on a simulated network: parameters, results, and every kind of failure. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { LIES, type LieName } from '../../../src/simulated-issuers/lies.ts';
import type { OfferKind } from '../../../src/simulated-issuers/offers.ts';
import { OfferNode } from './offer-node.ts';

const node = new OfferNode();
beforeAll(() => node.start());
afterAll(() => node.destroy());

const fetch = (kind: OfferKind, params: object = {}) =>
  node.result('fetchinvoice', { offer: node.offer(kind), timeout: 5, ...params });
const failure = async (kind: OfferKind, params: object = {}) =>
  (await node.call('fetchinvoice', { offer: node.offer(kind), timeout: 5, ...params })).error;
const decoded = async (kind: OfferKind, params: object = {}) => {
  const { invoice } = await fetch(kind, params);
  return node.result('decode', { string: invoice });
};
const first = { recurrence_counter: 0, recurrence_label: 'sub' };

describe('results', () => {
  test('a fixed price leads to no changes', async () => {
    expect(await fetch('fixed')).toEqual({ invoice: expect.stringMatching(/^lni1/), changes: {} });
  });

  test.each<[OfferKind, object, object]>([
    ['anyAmount', { amount_msat: '3sat' }, { amount_msat: 3000 }],
    ['fixed', { amount_msat: 10_001 }, { amount_msat: 10_001 }],
    ['fixed', { amount_msat: 10_000 }, {}],
    ['quantity', { quantity: 2 }, {}],
    ['quantity', { quantity: 2, amount_msat: '11sat' }, { amount_msat: 11_000 }],
    ['anyQuantity', { quantity: '1000' }, {}],
    ['currency', {}, { amount_msat: 2_500_000 }],
    ['blindedPaths', {}, {}],
    ['noIssuerId', {}, {}],
  ])('%s %j leads to the changes %j', async (kind, params, changes) => {
    expect((await fetch(kind, params)).changes).toEqual(changes);
  });

  test('every parameter appears in the invoice', async () => {
    const said = { payer_note: 'a "note"\n', payer_metadata: 'c0ffee', bip353: '\u20bfbob@example.com' };
    expect(await decoded('quantity', { quantity: 3, amount_msat: 15_000, ...said })).toMatchObject({
      valid: true,
      invreq_quantity: 3,
      invreq_amount_msat: 15_000,
      invreq_payer_note: 'a "note"\n',
      invreq_metadata: 'c0ffee',
      invreq_bip_353_name: { name: 'bob', domain: 'example.com' },
      invoice_amount_msat: 15_000,
    });
  });

  test('the maximum timeout does not overflow into a short one', async () => {
    expect(await fetch('fixed', { timeout: 4_294_967_295 })).toMatchObject({ changes: {} });
    expect(await node.error('fetchinvoice', { offer: node.offer('fixed'), timeout: 4_294_967_296 })).toBe(
      '-32602 timeout: should be an integer: invalid token (see logs for details)',
    );
  });

  test('positional parameters', async () => {
    const { changes } = await node.result('fetchinvoice', [node.offer('anyAmount'), '4sat']);
    expect(changes).toEqual({ amount_msat: 4000 });
  });

  test('the same metadata yields the same payer and invoice; text that is not hex is used as bytes', async () => {
    const same = { payer_metadata: 'my secret' };
    const [one, two] = [await fetch('fixed', same), await fetch('fixed', same)];
    expect(one.invoice).toBe(two.invoice);
    const { invreq_metadata, invreq_payer_id } = await decoded('fixed', same);
    expect(invreq_metadata).toBe(Buffer.from('my secret').toString('hex'));
    const other = await decoded('fixed');
    expect(other.invreq_payer_id).not.toBe(invreq_payer_id);
  });
});

describe('recurrence', () => {
  test('a series: next_period also inside changes, and a constant base time and payer, across a restart', async () => {
    const begun = await fetch('recurring', first);
    const next = (begun.changes as { next_period: Record<string, number> }).next_period;
    expect(begun.next_period).toEqual(next);
    const zero = await node.result('decode', { string: begun.invoice });
    const basetime = zero.invoice_created_at as number;
    const week = 7 * 86_400;
    expect(next).toEqual({
      counter: 1,
      starttime: basetime + week,
      endtime: basetime + 2 * week - 1,
      paywindow_start: basetime,
      paywindow_end: basetime + 2 * week - 1,
    });
    await node.restart();
    const one = await decoded('recurring', { ...first, recurrence_counter: 1 });
    expect(one.invoice_recurrence_basetime).toBe(basetime);
    const { offerId } = node.kind('recurring');
    node.issuers.setFault(offerId, { kind: 'lying', lie: 'otherBasetime' });
    expect(await failure('recurring', { ...first, recurrence_counter: 1 })).toMatchObject({
      code: 1004,
      data: {
        field: 'invoice_recurrence_basetime',
        reason: `${basetime + 1} instead of ${basetime}`,
      },
    });
    node.issuers.setFault(offerId, undefined);
    expect(one.invreq_payer_id).toBe(zero.invreq_payer_id);
  });

  test('the last period has no next_period', async () => {
    const label = { recurrence_label: 'twice' };
    expect((await fetch('recurringSeconds', { ...label, recurrence_counter: 0 })).next_period).toBeDefined();
    expect(
      (await fetch('recurringSeconds', { ...label, recurrence_counter: 1 })).next_period,
    ).toBeUndefined();
    const error = await failure('recurringSeconds', { ...label, recurrence_counter: 2 });
    expect(error).toMatchObject({ code: 1004 });
  });

  test('a start is remembered with its label and may not change', async () => {
    const label = { recurrence_label: 'since', recurrence_counter: 0 };
    await fetch('recurringWithBase', { ...label, recurrence_start: 70 });
    expect(await failure('recurringWithBase', { ...label, recurrence_start: 71 })).toMatchObject({
      code: -32602,
      message: 'recurrence_start of this label is 70',
    });
    const again = await decoded('recurringWithBase', { ...label, recurrence_counter: 1 });
    expect(again.invreq_recurrence_start).toBe(70);
  });
});

describe('a cancelled series', () => {
  const label = { recurrence_label: 'no more' };
  const cancel = (kind: OfferKind, params: object) =>
    node.result('cancelrecurringinvoice', { offer: node.offer(kind), ...label, ...params });
  const errorOf = async (counter: number) =>
    (await failure('recurring', { ...label, recurrence_counter: counter }))?.data.error;

  test('yields no further invoices; periods already paid remain paid', async () => {
    const zero = await fetch('recurring', { ...label, recurrence_counter: 0 });
    const { bolt12 } = await cancel('recurring', { recurrence_counter: 1, payer_note: 'thanks' });
    const request = await node.result('decode', { string: bolt12 });
    expect(request).toMatchObject({
      type: 'bolt12 invoice_request',
      valid: true,
      invreq_recurrence_counter: 1,
      invreq_recurrence_cancel: true,
      invreq_payer_note: 'thanks',
      invreq_payer_id: (await node.result('decode', { string: zero.invoice })).invreq_payer_id,
    });
    expect(await errorOf(1)).toBe('invoice cancelled');
    expect(await errorOf(2)).toBe('No previous invoice #1');
    expect((await fetch('recurring', { ...label, recurrence_counter: 0 })).invoice).toBe(zero.invoice);
  });

  test('has no effect if cancelled before it began', async () => {
    const unknown = { recurrence_label: 'never begun' };
    await cancel('recurring', { ...unknown, recurrence_counter: 1 });
    const series = { ...unknown, recurrence_counter: 0 };
    expect(await fetch('recurring', series)).toMatchObject({ next_period: { counter: 1 } });
  });

  test.each<[OfferKind, object, string]>([
    ['fixed', { recurrence_counter: 1 }, 'Not a recurring offer'],
    ['recurring', { recurrence_counter: 0 }, 'Must be non-zero'],
    ['recurring', { recurrence_counter: 1, recurrence_start: 0 }, 'unnecessary recurrence_start'],
    ['recurring', {}, 'missing required parameter: recurrence_counter'],
    [
      'recurring',
      { recurrence_counter: 1, recurrence_label: null },
      'missing required parameter: recurrence_label',
    ],
  ])('%s %j: %s', async (kind, params, message) => {
    const offer = node.offer(kind);
    expect(await node.error('cancelrecurringinvoice', { offer, ...label, ...params })).toBe(
      `-32602 ${message}`,
    );
  });
});

describe('refused before anything is sent', () => {
  test.each<[OfferKind, object, string]>([
    ['expired', {}, '1002 Offer expired'],
    ['anyAmount', {}, '-32602 amount_msat parameter required'],
    ['anyAmount', { amount_msat: 0 }, '-32602 amount_msat parameter must be non-zero'],
    ['fixed', { amount_msat: '0sat' }, '-32602 amount_msat parameter must be non-zero'],
    ['quantity', {}, '-32602 quantity parameter required'],
    ['quantity', { quantity: 0 }, '-32602 quantity parameter must be non-zero'],
    ['quantity', { quantity: 4 }, '-32602 quantity must be <= 3'],
    ['fixed', { quantity: 1 }, '-32602 quantity parameter unnecessary'],
    ['anyQuantity', { quantity: '18446744073709551615' }, '-32602 quantity causes overflow'],
    ['recurring', {}, '-32602 needs recurrence_counter'],
    [
      'recurring',
      { ...first, payer_metadata: '00' },
      '-32602 Cannot set payer_metadata for recurring offers',
    ],
    ['recurring', { ...first, recurrence_start: 1 }, '-32602 unnecessary recurrence_start'],
    ['recurring', { recurrence_counter: 0 }, '-32602 needs recurrence_label'],
    ['fixed', { recurrence_counter: 0 }, '-32602 unnecessary invreq_recurrence_counter'],
    ['fixed', { recurrence_start: 0 }, '-32602 unnecessary invreq_recurrence_start'],
    ['fixed', { recurrence_label: 'x' }, '-32602 unnecessary recurrence_label'],
    [
      'fixed',
      { payer_metadata: '' },
      '-32602 payer_metadata: should not be empty: the payer id is derived from it: invalid token (see logs for details)',
    ],
    ['fixed', { bip353: 'bob' }, '-32602 bip353: missing @: invalid token (see logs for details)'],
    ['fixed', { timeout: 1.5 }, '-32602 timeout: should be an integer: invalid token (see logs for details)'],
    [
      'fixed',
      { quantity: -1 },
      '-32602 quantity: should be an unsigned 64 bit integer: invalid token (see logs for details)',
    ],
  ])('%s %j: %s', async (kind, params, message) => {
    const asked = { offer: node.offer(kind), ...params };
    expect(await node.error('fetchinvoice', asked)).toBe(message);
    const checked = await node.error('check', { command_to_check: 'fetchinvoice', ...asked });
    expect(checked.replace(/ '.*'$/, ' (see logs for details)')).toBe(message);
  });

  test('`check` refuses it as well, without asking the issuer', async () => {
    const passes = { command_to_check: 'fetchinvoice', offer: node.offer('silent') };
    expect(await node.result('check', passes)).toEqual({ command_to_check: 'fetchinvoice' });
    const offer = node.offer('recurring');
    const cancel = { command_to_check: 'cancelrecurringinvoice', offer, recurrence_label: 'x' };
    expect(await node.error('check', { ...cancel, recurrence_counter: 0 })).toBe('-32602 Must be non-zero');
    expect(await node.result('check', { ...cancel, recurrence_counter: 1 })).toBeDefined();
  });
});

describe('answers that are not invoices', () => {
  test('an issuer that refuses', async () => {
    expect(await failure('refusing')).toMatchObject({
      code: 1004,
      message: 'Remote node sent failure message',
      data: { error: 'No more of this today', steps: [{ outcome: 'answered' }] },
    });
  });

  test('every field of an invoice_error; an unreadable invoice_error; an empty reply', async () => {
    const { offerId } = node.kind('refusing');
    const refusing = (error: object | Uint8Array) =>
      node.issuers.setFault(offerId, { kind: 'refusing', error: error as Uint8Array });
    refusing({ erroneousField: 82n, suggestedValue: Uint8Array.of(1, 2), error: 'too\u001b[2Jlittle' });
    expect((await failure('refusing'))?.data).toMatchObject({
      erroneous_field: 82,
      suggested_value: '0102',
      error: 'too\u001b[2Jlittle',
    });
    refusing(Uint8Array.of(5, 9));
    expect((await failure('refusing'))?.data).toMatchObject({ invoice_error_hex: '0509' });
    node.issuers.setFault(offerId, { kind: 'empty' });
    expect(await failure('refusing')).toMatchObject({
      code: 1004,
      message: 'Neither invoice nor invoice_request_failed in reply',
    });
  });

  test('below the price: the issuer gives the reason', async () => {
    expect((await failure('fixed', { amount_msat: 9999 }))?.data).toMatchObject({
      erroneous_field: 82,
      error: 'Amount must be at least 10000msat',
    });
    expect((await failure('fixed', { amount_msat: '60sat' }))?.data).toMatchObject({
      error: 'Amount vastly exceeds 10000msat',
    });
  });

  test('no answer is 1005, with the steps', async () => {
    const error = await failure('silent', { timeout: 1 });
    expect(error).toMatchObject({ code: 1005, message: 'Timeout waiting for response' });
    expect(error?.data.steps).toEqual([
      expect.objectContaining({ outcome: 'sent', route: expect.any(Array), took_ms: expect.any(Number) }),
    ]);
    expect(await failure('fixed', { timeout: 0 })).toMatchObject({ code: 1005 });
  });
});

describe('an issuer that lies', () => {
  const asked = { amount_msat: 10_000, payer_note: 'mine' };
  /** The checks of an invoice (BOLT 12), each with the lies that it detects. */
  const CHECKS: readonly (readonly [check: string, kind: OfferKind, lies: readonly LieName[]])[] = [
    ['a TLV stream without unknown even types', 'fixed', ['unreadable', 'unknownEvenType']],
    ['our request, repeated', 'fixed', ['otherRequest', 'otherDescription', 'noPayerNote', 'addedField']],
    ['an amount', 'fixed', ['noAmount']],
    ['the amount requested', 'fixed', ['otherAmount']],
    ['a creation time', 'fixed', ['noCreationTime']],
    ['a payment hash', 'fixed', ['noPaymentHash']],
    ['the id of the issuer', 'fixed', ['noNodeId', 'otherNode']],
    ['the id at the end of the path used', 'noIssuerId', ['otherNode']],
    ['its signature', 'fixed', ['noSignature', 'otherSignature']],
    ['no unknown feature', 'fixed', ['unknownFeature']],
    ['paths with hops', 'fixed', ['noPaths', 'pathWithoutHops']],
    ['the price of each path', 'fixed', ['noPayInfo', 'payInfoTooMany']],
    ['a path without unknown features', 'fixed', ['pathsOfUnknownFeatures']],
    ['the limits of each path', 'fixed', ['tooSmallPaths']],
    ['time to pay', 'fixed', ['expired', 'expiredByDefault']],
    ['a basetime', 'recurring', ['noBasetime']],
    ['the basetime of its creation', 'recurring', ['otherBasetime']],
    ['the basetime of the offer', 'recurringWithBase', ['otherBasetime']],
  ];

  test('is tested with every lie', () => {
    expect(new Set(CHECKS.flatMap(([, , lies]) => lies))).toEqual(new Set(Object.keys(LIES)));
  });

  test.each(CHECKS.flatMap(([check, kind, lies]) => lies.map((lie) => [check, kind, lie] as const)))(
    '%s: %s, %s',
    async (_check, kind, lie) => {
      const isRecurring = kind.startsWith('recurring');
      const params = isRecurring ? { ...first, recurrence_label: lie } : asked;
      const { offerId } = node.kind(kind);
      node.issuers.setFault(offerId, { kind: 'lying', lie });
      const error = await failure(kind, params);
      node.issuers.setFault(offerId, undefined);
      const { field } = LIES[lie];
      expect(error).toMatchObject({ code: 1004, data: { field, reason: expect.any(String) } });
      expect(error?.message).toMatch(new RegExp(`^Incorrect ${field} field in "[0-9a-f]+"$`));
      // Without the lie the same request succeeds, so the lie was the reason for the refusal.
      expect(await fetch(kind, params)).toMatchObject({ invoice: expect.any(String) });
    },
  );

  test('a second request of the same payer is distinguished from a lie', async () => {
    const answered = await decoded('fixed', { payer_metadata: 'aa', payer_note: 'one' });
    const other = await decoded('fixed', { payer_metadata: 'aa', payer_note: 'two' });
    expect(other.invreq_payer_id).toBe(answered.invreq_payer_id);
    expect(other.invreq_payer_note).toBe('two');
  });
});

describe('no node can be reached', () => {
  const UNKNOWN = `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`;

  test('1003 at once, with the reason and the steps', async () => {
    const { encodeOffer, formatOffer } = await import('../../../src/bolt/invoice/bolt12-offer.ts');
    const bytes = encodeOffer({
      offerDescription: 'x',
      offerIssuerId: new Uint8Array(Buffer.from(UNKNOWN, 'hex')),
    });
    const { error } = await node.call('fetchinvoice', { offer: formatOffer({ bytes }), amount_msat: 1 });
    expect(error).toMatchObject({
      code: 1003,
      data: { steps: [{ target: UNKNOWN, outcome: 'unreachable' }] },
    });
    expect(error?.message).toBe(
      `Failed: could not route or connect directly to ${UNKNOWN}: ` +
        `{"code":-1,"message":"cannot connect to ${UNKNOWN}"}`,
    );
  });
});

test('eight concurrent fetches', async () => {
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, i) => fetch('anyAmount', { amount_msat: i + 1 })),
  );
  expect(results.map(({ changes }) => changes)).toEqual(
    Array.from({ length: 8 }, (_, i) => ({ amount_msat: i + 1 })),
  );
});

test('listsimulatedoffers shows one offer of every kind of the network, and listoffers lists none of them, because they are not ours', async () => {
  const { offers } = await node.result('listsimulatedoffers', {});
  const listed = offers as { kind: string; offer_id: string; bolt12: string }[];
  expect(listed.map(({ kind }) => kind)).toEqual([
    ...['fixed', 'any_amount', 'quantity', 'any_quantity', 'currency', 'expiring', 'expired', 'recurring'],
    ...['recurring_with_base', 'recurring_seconds', 'blinded_paths', 'no_issuer_id'],
    ...['silent', 'refusing', 'lying'],
  ]);
  const offer_id = toHex(node.kind('noIssuerId').offerId);
  expect(listed.find((one) => one.offer_id === offer_id)).toMatchObject({
    bolt12: node.offer('noIssuerId'),
  });
  expect(await node.result('listoffers', {})).toEqual({ offers: [] });
  expect(await node.error('disableoffer', { offer_id })).toBe('-1 Unknown offer');
});
