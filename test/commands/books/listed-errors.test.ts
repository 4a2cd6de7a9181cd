/**
 * A command can return every error that it lists: each row here provokes one. Plans and checks send nothing,
 * so they list none of the errors that only sending can bring.
 *
 *     us ── L2 ── L3 ── L4
 */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { COMMANDS } from '../../../src/commands/index.ts';
import { ERRORS, type ErrorName } from '../../../src/model/errors.ts';
import { L2, L4 } from '../../payments/line-graph.ts';
import { OWN_ID } from '../../payments/simulation/simulated-node.ts';
import { PaymentNode } from '../payment-node.ts';

/** The generator of secp256k1 as a node id. No node of the line has it. */
const NOBODY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const TOO_LONG = { maxdelay: 2017 };
/** Exceeds the capacity of every channel of the line. */
const TOO_MUCH = 2_000_000_000_000;

const listed = (method: string): readonly ErrorName[] =>
  COMMANDS.find(({ name }) => name === method)!.errors ?? [];

let node: PaymentNode;
beforeAll(async () => {
  node = new PaymentNode();
  await node.start();
});
afterAll(() => node?.stop());

const invoiceOf = async (): Promise<string> =>
  (await node.result('simulatedinvoice', { id: L4, amount_msat: 1000 })).bolt11;

const limits = { source: OWN_ID, layers: ['auto.localchans'], maxfee_msat: 1000, final_cltv: 18 };
const payment = { destination: L4, amount_msat: 1000 };
const route = { ...limits, ...payment };

const ROWS: readonly (readonly [string, object, ErrorName])[] = [
  ['getroutes', { ...route, ...TOO_LONG }, 'maxdelayTooLarge'],
  ['getroutes', { ...route, maxfee_msat: 0 }, 'routeTooExpensive'],
  ['getroutes', { ...route, destination: NOBODY }, 'routeNotFound'],
  ['getroutes', { ...route, amount_msat: TOO_MUCH, maxfee_msat: TOO_MUCH }, 'sourceCapacity'],
  ['getroutes', { ...route, source: L2, amount_msat: TOO_MUCH, maxfee_msat: TOO_MUCH }, 'sourceCapacity'],
  ['getroutes-batch', { ...limits, requests: [payment], ...TOO_LONG }, 'maxdelayTooLarge'],
  ['plankeysend', { ...payment, destination: NOBODY }, 'routeNotFound'],
  ['plankeysend', { ...payment, maxfee: 0 }, 'routeTooExpensive'],
  ['keysend', { ...payment, destination: NOBODY }, 'routeNotFound'],
  ['keysend', { ...payment, maxfee: 0 }, 'routeTooExpensive'],
  ['xkeysend', { ...payment, destination: NOBODY }, 'routeNotFound'],
  ['xkeysend', { ...payment, maxfee: 0 }, 'routeTooExpensive'],
  ['xkeysend', { ...payment, ...TOO_LONG }, 'maxdelayTooLarge'],
  ['xkeysend', { ...payment, amount_msat: TOO_MUCH }, 'sourceCapacity'],
  ['check', { command_to_check: 'xkeysend', ...payment, ...TOO_LONG }, 'maxdelayTooLarge'],
  ['disableoffer', { offer_id: '22'.repeat(32) }, 'unspecified'],
  ['disableinvoicerequest', { invreq_id: '22'.repeat(32) }, 'unspecified'],
];

it.each(ROWS)('%s %j: %s', async (method, params, name) => {
  expect((await node.error(method, params))?.code).toBe(ERRORS[name].code);
  expect(listed(method)).toContain(name);
});

describe('an invoice', () => {
  const rows: [string, ErrorName][] = [
    ['xpay', 'maxdelayTooLarge'],
    ['planxpay', 'maxdelayTooLarge'],
  ];
  it.each(rows)('%s with a maximum delay that is too large: %s', async (method, name) => {
    const { code } = await node.error(method, { invstring: await invoiceOf(), ...TOO_LONG });
    expect(code).toBe(ERRORS[name].code);
    expect(listed(method)).toContain(name);
  });

  test('in progress: waitTimedOut; already paid: alreadyPaid for xpay, and the result for pay', async () => {
    const invstring = await invoiceOf();
    node.isHeld = true;
    const first = node.client();
    const paid = first.ask(JSON.stringify({ id: 1, method: 'xpay', params: { invstring } }));
    await expect.poll(() => [...node.context.payments.live()].length, { timeout: 30_000 }).toBe(1);
    for (const method of ['pay', 'xpay']) {
      const key = method === 'pay' ? 'bolt11' : 'invstring';
      expect((await node.error(method, { [key]: invstring })).code).toBe(ERRORS.waitTimedOut.code);
      expect(listed(method)).toContain('waitTimedOut');
    }
    node.isHeld = false;
    await paid;
    first.close();
    expect((await node.error('xpay', { invstring })).code).toBe(ERRORS.alreadyPaid.code);
    expect(await node.result('pay', { bolt11: invstring })).toMatchObject({ status: 'complete' });
    expect([listed('xpay').includes('alreadyPaid'), listed('pay').includes('alreadyPaid')]).toEqual([
      true,
      false,
    ]);
  });
});

test('commands that send nothing list no errors of sending', () => {
  const ofSending: ErrorName[] = [
    'storeFailed',
    'recipientRefused',
    'declined',
    'paymentFailed',
    'alreadyPaid',
  ];
  for (const method of ['check', 'plankeysend', 'planxpay', 'getroutes', 'getroutes-batch'])
    expect([method, listed(method).filter((name) => ofSending.includes(name))]).toEqual([method, []]);
});

test('no command lists an error twice', () => {
  for (const { name, errors = [] } of COMMANDS)
    expect([name, new Set(errors).size]).toEqual([name, errors.length]);
});
