/**
 * A rune that limits the outgoing amount, tested on a daemon: every paying command, per request and per day.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { authorizeByRune, HttpSession } from '../../src/http/authorize.ts';
import { deferred } from '../../src/model/deferred.ts';
import { encodeRune, issueRune, namingRestriction } from '../../src/runes/rune.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import { memoryLog, temporaryDirectory } from '../rpc/support.ts';
import { ask } from './http-client.ts';

/** The generator of secp256k1: the valid id of a node that is not in the graph. */
const STRANGER = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const directory = temporaryDirectory();
const options = ['--graph', 'synthetic:100', '--seed', '7', '--http', '127.0.0.1:0'];
let daemon: DaemonHere;
let peer: string;
let offer: string;

const start = () => DaemonHere.start(join(directory.path, 'home'), options);
beforeAll(async () => {
  daemon = await start();
  peer = (await daemon.result('listpeerchannels')).channels[0].peer_id;
  const { offers } = await daemon.result('listsimulatedoffers');
  offer =
    offers.find(({ kind }: { kind: string }) => kind === 'fixed' || kind === 'plain')?.bolt12 ??
    offers[0].bolt12;
});
afterAll(async () => {
  await daemon?.stop();
  directory.remove();
});

const runeOf = async (...restrictions: string[][]): Promise<string> =>
  (await daemon.result('createrune', { restrictions })).rune;
const call = (rune: string, method: string, params: object) =>
  ask(`${daemon.httpUrl}/v1/${method}`, { headers: { Rune: rune }, body: JSON.stringify(params) });

it('an outgo limit permits an amount with its fees up to the limit, and refuses a higher fee limit', async () => {
  const rune = await runeOf(['outgo<20000msat']);
  const pay = (params: object) => call(rune, 'keysend', { destination: peer, ...params });
  expect((await pay({ amount_msat: 10_000, maxfee: 9_999 })).status).toBe(201);
  const beyond = await pay({ amount_msat: 10_000, maxfee: 10_000 });
  expect([beyond.status, beyond.json.code, beyond.json.message]).toEqual([
    401,
    1502,
    'Not permitted: outgo is greater or equal to 20000msat',
  ]);
  // A rune that limits only the amount would permit a payment with this hint.
  const hint = [{ id: peer, scid: '1x1x1', feebase: 1_000_000_000, feeprop: 0, expirydelta: 6 }];
  const greedy = {
    destination: STRANGER,
    amount_msat: 1000,
    maxfee: 50_000_000_000n.toString(),
    routehints: [hint],
  };
  expect((await call(rune, 'keysend', greedy)).json.message).toContain('outgo is greater');
  // Without the rune, the fee of the hint counts against the fee limit, and the error states it.
  const { error } = await daemon.call('keysend', { ...greedy, maxfee: 5000 });
  expect(error).toMatchObject({
    code: 206,
    message:
      'Fee exceeds our fee budget: 1000000000msat > 5000msat; the route hint over 1x1x1 asks for 1000000000msat',
    data: { hints: [{ short_channel_id: '1x1x1', fee: 1_000_000_000 }] },
  });
});

it('an outgo limit applies to every command that pays, now or later', async () => {
  const rune = await runeOf(['outgo<2000000msat']);
  const code = async (method: string, params: object) => (await call(rune, method, params)).json.code;
  expect(await code('xkeysend', { destination: peer, amount_msat: 1000, maxfee: 1_999_000 })).toBe(1502);
  expect(await code('xpay', { invstring: offer, maxfee: 2_000_000 })).toBe(1502);
  const { bolt11 } = await daemon.result('simulatedinvoice', { id: peer, amount_msat: 1_000_000 });
  expect(await code('pay', { bolt11, maxfee: 1_000_000 })).toBe(1502);
  expect(await code('xpay', { invstring: bolt11, maxfee: 1_000_000 })).toBe(1502);
  expect(await code('check', { command_to_check: 'xpay', invstring: bolt11, maxfee: 1_000_000 })).toBe(1502);
  expect((await call(rune, 'xpay', { invstring: bolt11, maxfee: 900_000 })).status).toBe(201);
  expect(await code('invoicerequest', { amount: 1_999_999 })).toBe(1502);
  expect(await code('invoicerequest', { amount: 1000, single_use: false })).toBe(1502);
  expect((await call(rune, 'invoicerequest', { amount: 1000 })).status).toBe(201);
  // Otherwise, the client could create a rune without the limit.
  expect(await code('createrune', {})).toBe(1502);
  expect(await code('xpay', { invstring: 'someone@example.com' })).toBe(1502);
  expect((await call(rune, 'listpays', {})).status).toBe(201);
});

it('a daily outgo limit counts over restarts, and refunds unsent amounts', async () => {
  const rune = await runeOf(['outgoday<10000msat']);
  const pay = (params: object) => call(rune, 'keysend', { destination: peer, ...params });
  // A failed payment sends nothing, and neither does a refused one.
  expect((await pay({ destination: STRANGER, amount_msat: 5000, maxfee: 0 })).status).toBe(500);
  expect((await pay({ amount_msat: 5000, maxfee: 0, nonsense: 1 })).json.code).toBe(1502);
  expect((await pay({ amount_msat: 4000, maxfee: 5000 })).status).toBe(201);
  expect((await pay({ amount_msat: 5000, maxfee: 0 })).status).toBe(201);
  const beyond = await pay({ amount_msat: 1000, maxfee: 0 });
  expect(beyond.json.message).toBe('Not permitted: outgoday is greater or equal to 10000msat');
  await daemon.stop();
  daemon = await start();
  expect((await call(rune, 'keysend', { destination: peer, amount_msat: 1000, maxfee: 0 })).json.code).toBe(
    1502,
  );
  expect((await call(rune, 'keysend', { destination: peer, amount_msat: 999, maxfee: 0 })).status).toBe(201);
});

it('an outgo limit counts only the fees of a rebalancing, and nothing of a payment that did not begin', async () => {
  const rune = await runeOf(['outgoday<15000000msat']);
  const { channels } = await daemon.result('listpeerchannels');
  const targets = channels
    .slice(0, 2)
    .map(({ short_channel_id }: { short_channel_id: string }, index: number) => ({
      short_channel_id,
      percent: index === 0 ? 1 : 99,
    }));
  const limits = { maxfee: 10_000_000, maxfee_ppm: 100_000, amount_msat: 1_000_000, least_msat: 1000 };
  const move = () => call(rune, 'rebalance', { targets, ...limits });
  const { status, json } = await move();
  expect(status).toBe(201);
  expect(json.fee_msat).toBeGreaterThan(0);
  expect(json.fee_msat).toBeLessThan(5_000_000);
  // A filter of the answer makes no difference.
  const rpc = (method: string, params: object) =>
    ask(`${daemon.httpUrl}/rpc`, {
      headers: { Rune: rune },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params, filter: { wanted_msat: true } }),
    });
  for (let time = 0; time < 3; time++) {
    const { json: filtered } = await rpc('rebalance', { targets, ...limits });
    expect(Object.keys(filtered.result)).toEqual(['wanted_msat']);
  }
  const { bolt11 } = await daemon.result('simulatedinvoice', { id: peer, amount_msat: 1_000_000 });
  await daemon.result('xpay', { invstring: bolt11 });
  const again = () => call(rune, 'xpay', { invstring: bolt11, maxfee: 8_000_000 });
  expect((await again()).json.code).toBe(219);
  expect((await again()).json.code).toBe(219);
});

test('a request waits until its counted spending is on disk', async () => {
  const disk = deferred();
  const use = { charge: { settle: () => undefined }, durable: disk.promise };
  const judge = { outgoOf: () => ({ kind: 'elsewhere' }) as const, nodesOf: () => undefined };
  const authorize = authorizeByRune({ check: () => use }, new Map(), memoryLog(), judge);
  const rune = encodeRune(issueRune(new Uint8Array(16), [namingRestriction(1n)]));
  const session = new HttpSession({ rune, address: '::1', client: {} }, true);
  const permitted = Promise.resolve(authorize('keysend', undefined, session)).then(() => true);
  expect(await Promise.race([permitted, nextTurn(false)])).toBe(false);
  disk.resolve();
  expect(await permitted).toBe(true);
});

test('every command that makes a payment states its maximum outflow', () => {
  const folder = new URL('../../src/commands/', import.meta.url);
  const paying = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .filter(
      (text) =>
        text.includes('defineCommand({') && /payments\.pay\(|payInvoice\(|requests\.create\(/.test(text),
    );
  expect(paying.length).toBe(7);
  for (const text of paying) expect(text).toMatch(/\n {2}outgo: /);
});
