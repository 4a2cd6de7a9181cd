/** Quotes through a daemon: made, paid within their limit, held, listed, refused, and kept over a restart. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../rpc/support.ts';
import { until } from '../until.ts';
import { DaemonHere } from './daemon-here.ts';

const OPTIONS = [
  ...['--graph', 'synthetic:300', '--seed', '7', '--workers', '1', '--http', '127.0.0.1:0'],
  ...['--max-holding-quotes', '2', '--max-held-percent', '10'],
];
const SECOND = 1_000;

interface QuoteRow {
  readonly quote_id: string;
  readonly status: string;
  readonly amount_msat: number;
  readonly fee_msat: number;
  readonly maxfee_msat: number;
  readonly probability_ppm: number;
  readonly held_msat: number;
  readonly created_at: number;
  readonly expires_at: number;
  readonly parts: number;
}

describe('quotes', () => {
  const directory = temporaryDirectory();
  const home = join(directory.path, 'home');
  let daemon: DaemonHere;
  let someone: string;

  beforeAll(async () => {
    daemon = await DaemonHere.start(home, OPTIONS);
    someone = (await daemon.result('listnodes')).nodes[5].nodeid;
  });
  afterAll(async () => {
    await daemon?.stop();
    directory.remove();
  });

  const quote = (more: object = {}): Promise<QuoteRow> =>
    daemon.result('quote', { invstring: someone, amount_msat: 1_000_000, ...more });
  const invoice = async (amount_msat: number): Promise<string> =>
    (await daemon.result('simulatedinvoice', { id: someone, amount_msat })).bolt11;
  const rowOf = async (id: string): Promise<QuoteRow | undefined> =>
    (await daemon.result('listquotes', { quote_id: id })).quotes[0];
  const held = async (): Promise<number> =>
    (await daemon.result('askrene-listreservations')).reservations.length;
  const overHttp = async (rune: string, method: string, params: object) => {
    const response = await fetch(`${daemon.httpUrl}/v1/${method}`, {
      method: 'POST',
      headers: { rune, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    return (await response.json()) as QuoteRow & { quotes: QuoteRow[] };
  };

  test('a node is quoted, and paid once within the limit', async () => {
    const given = await quote();
    expect(given.fee_msat).toBeLessThanOrEqual(given.maxfee_msat);
    expect(given.maxfee_msat).toBeLessThanOrEqual(10_000);
    expect(given.expires_at - given.created_at).toBe(60);
    const paid = await daemon.result('xkeysend', { quote: given.quote_id, label: 'by quote' });
    expect(paid.amount_msat).toBeGreaterThanOrEqual(1_000_000);
    expect(paid.amount_sent_msat - 1_000_000).toBeLessThanOrEqual(given.maxfee_msat);
    expect(await rowOf(given.quote_id)).toMatchObject({ status: 'used', quote_id: given.quote_id });
    expect(await daemon.error('xkeysend', { quote: given.quote_id })).toMatchObject({
      code: -32008,
      data: { reason: 'used', quote_id: given.quote_id },
    });
    const { pays } = await daemon.result('listpays');
    expect(pays.filter(({ label }: { label?: string }) => label === 'by quote')).toHaveLength(1);
  });

  test('an invoice is quoted and paid; the same idempotency key returns the same outcome', async () => {
    const invstring = await invoice(2_000_000);
    const given = await quote({ invstring, amount_msat: undefined });
    const asked = { quote: given.quote_id, invstring, idempotency_key: 'k1' };
    const paid = await daemon.result('xpay', asked);
    expect(paid.amount_sent_msat - 2_000_000).toBeLessThanOrEqual(given.maxfee_msat);
    expect(await daemon.result('xpay', asked)).toEqual(paid);
    const { code, data } = await daemon.error('xpay', { ...asked, idempotency_key: 'k2' });
    expect([code, data.reason]).toEqual([-32008, 'used']);
  });

  test('of a total: amount and fee limit add up to the total, and the payment costs no more', async () => {
    const { bolt11 } = await daemon.result('simulatedinvoice', { id: someone });
    for (const [invstring, command] of [
      [someone, 'xkeysend'],
      [bolt11, 'xpay'],
    ] as const) {
      const given = await quote({ invstring, amount_msat: 5_000_000, include_fee: true });
      const most = given.amount_msat + given.maxfee_msat;
      expect(most).toBeLessThanOrEqual(5_000_000);
      expect(most).toBeGreaterThan(4_990_000);
      const paid = await daemon.result(command, { quote: given.quote_id });
      expect(paid.amount_sent_msat).toBeLessThanOrEqual(5_000_000);
      expect(paid.amount_msat).toBeGreaterThanOrEqual(given.amount_msat);
    }
  });

  test('of a total is refused without an amount, and if nothing is left after fees', async () => {
    const fixed = await invoice(1000);
    for (const more of [
      { invstring: fixed, amount_msat: undefined, include_fee: true },
      { invstring: fixed, amount_msat: 'all' },
      { amount_msat: 'most' },
    ]) {
      const { code, data } = await daemon.error('quote', {
        ...{ invstring: someone, amount_msat: 1_000_000 },
        ...more,
      });
      expect([code, data.parameter]).toEqual([-32602, 'include_fee' in more ? 'include_fee' : 'amount_msat']);
    }
    const { nodes } = await daemon.result('listnodes');
    const codes = new Set<number | undefined>();
    for (const { nodeid: invstring } of nodes.slice(100, 120)) {
      const asked = { invstring, amount_msat: 2, include_fee: true };
      codes.add((await daemon.call('quote', asked)).error?.code);
    }
    expect(codes).toContain(206);
  });

  test('is refused for a different payee or command, beside other limits, when expired, and when unknown', async () => {
    const invstring = await invoice(2_000_000);
    const { quote_id } = await quote({ invstring, amount_msat: undefined });
    const other = await invoice(3_000_000);
    expect(await daemon.error('xpay', { quote: quote_id, invstring: other })).toMatchObject({
      data: { reason: 'other_payee' },
    });
    expect(await daemon.error('xkeysend', { quote: quote_id })).toMatchObject({
      data: { reason: 'other_command' },
    });
    for (const more of [{ amount_msat: 5 }, { maxfee: 5 }, { layers: [] }, { seed: 3 }]) {
      const [name] = Object.keys(more);
      expect(await daemon.error('xpay', { quote: quote_id, ...more })).toMatchObject({
        code: -32602,
        data: { parameter: name },
      });
    }
    const short = await quote({ invstring, amount_msat: undefined, expires_in: 1 });
    await until(async () => (await rowOf(short.quote_id))?.status === 'expired');
    expect(await daemon.error('xpay', { quote: short.quote_id })).toMatchObject({
      data: { reason: 'expired' },
    });
    const unknown = '0'.repeat(32);
    expect(await daemon.error('delquote', { quote_id: unknown })).toMatchObject({
      code: -32008,
      data: { reason: 'unknown' },
    });
  });

  test('reserves liquidity within its bounds, and frees it when it is used, removed or expires', async () => {
    const before = await held();
    const first = await quote({ hold: true });
    expect(first.held_msat).toBeGreaterThanOrEqual(1_000_000);
    const second = await quote({ hold: true, expires_in: 5 });
    expect(await held()).toBe(before + 2);
    const refused = await daemon.error('quote', { invstring: someone, amount_msat: 1000, hold: true });
    expect(refused).toMatchObject({ code: -32001 });
    await until(async () => (await rowOf(second.quote_id))?.status === 'expired');
    expect(await held()).toBe(before + 1);
    await daemon.result('xkeysend', { quote: first.quote_id });
    expect(await held()).toBe(before);
    const third = await quote({ hold: true });
    await daemon.result('delquote', { quote_id: third.quote_id });
    expect(await held()).toBe(before);
    const large = await daemon.error('quote', {
      ...{ invstring: someone, amount_msat: '30000000sat', hold: true, maxfee: '1000000sat' },
    });
    expect([-32001, 205, 206, 220]).toContain(large.code);
  });

  test('fails as the payment would', async () => {
    const error = (more: object) =>
      daemon.error('quote', { invstring: someone, amount_msat: 1_000_000, ...more });
    expect(await error({ amount_msat: '2000000000sat' })).toMatchObject({ code: 215 });
    const { nodes } = await daemon.result('listnodes');
    const codes = new Set<number | undefined>();
    for (const { nodeid: invstring } of nodes.slice(100, 140)) {
      codes.add((await daemon.call('quote', { invstring, amount_msat: 100_000, maxfee: 0 })).error?.code);
    }
    // With no fee, only some nodes can be reached.
    expect(codes).toContain(206);
    expect(await error({ confidence_ppm: 5 })).toMatchObject({ data: { parameter: 'confidence_ppm' } });
    expect(await error({ expires_in: 0 })).toMatchObject({ data: { parameter: 'expires_in' } });
    expect(await error({ amount_msat: undefined })).toMatchObject({ data: { parameter: 'amount_msat' } });
    const { offers } = await daemon.result('listsimulatedoffers');
    expect(await error({ invstring: offers[0].bolt12, amount_msat: undefined })).toMatchObject({
      message: expect.stringMatching(/fetch an invoice first/),
    });
  });

  test('belongs to the rune that requested it', async () => {
    const make = async (restrictions: unknown): Promise<string> =>
      (await daemon.result('createrune', { restrictions })).rune;
    const mine = await make([['method=quote', 'method=xkeysend', 'method=listquotes', 'method=delquote']]);
    const other = await make([['method=quote', 'method=xkeysend', 'method=listquotes', 'method=delquote']]);
    const given = await overHttp(mine, 'quote', { invstring: someone, amount_msat: 1_000_000 });
    expect(await overHttp(other, 'xkeysend', { quote: given.quote_id })).toMatchObject({
      code: -32008,
      data: { reason: 'unknown' },
    });
    expect(await overHttp(other, 'delquote', { quote_id: given.quote_id })).toMatchObject({ code: -32008 });
    expect((await overHttp(other, 'listquotes', {})).quotes).toEqual([]);
    expect((await overHttp(mine, 'listquotes', {})).quotes).toHaveLength(1);
    // The maximum outflow of the payment is known before it is sent.
    const limit = 1_000_000 + given.maxfee_msat;
    const tight = await make([['method=xkeysend'], [`outgo<${limit}`]]);
    expect(await overHttp(tight, 'xkeysend', { quote: given.quote_id })).toMatchObject({ code: 1502 });
    const paid = await overHttp(mine, 'xkeysend', { quote: given.quote_id });
    expect(paid).toMatchObject({ successful_parts: 1 });
  });

  test('survives a restart with what it reserves, and nothing more is reserved', async () => {
    const open = await quote({ hold: true, expires_in: 600 });
    const short = await quote({ hold: true, expires_in: 1 });
    const used = await quote();
    await daemon.result('xkeysend', { quote: used.quote_id });
    await daemon.stop();
    await new Promise((resolve) => setTimeout(resolve, SECOND));
    daemon = await DaemonHere.start(home, OPTIONS);
    expect(await rowOf(open.quote_id)).toMatchObject({ status: 'open', held_msat: open.held_msat });
    expect(await rowOf(short.quote_id)).toMatchObject({ status: 'expired' });
    expect(await held()).toBe(open.parts);
    expect(await daemon.error('xkeysend', { quote: used.quote_id })).toMatchObject({
      data: { reason: 'used' },
    });
    const paid = await daemon.result('xkeysend', { quote: open.quote_id });
    expect(paid.amount_sent_msat - 1_000_000).toBeLessThanOrEqual(open.maxfee_msat);
    expect(await held()).toBe(0);
  });
});
