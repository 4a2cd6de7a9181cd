/** `Idempotency-Key`: a repeated request pays only once, even if the daemon was restarted in between. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { ask } from './http-client.ts';

const directory = temporaryDirectory();
const OPTIONS = ['--graph', 'synthetic:200', '--seed', '7', '--http', '127.0.0.1:0'];
const start = () => DaemonHere.start(join(directory.path, 'home'), OPTIONS);
let daemon: DaemonHere;
let rune: string;
let peer: string;

beforeAll(async () => {
  daemon = await start();
  ({ rune } = await daemon.result('createrune'));
  peer = (await daemon.result('listpeerchannels')).channels[0].peer_id;
});
afterAll(async () => {
  await daemon?.stop();
  directory.remove();
});

const post = (path: string, body: object, key: string, shown = rune) =>
  ask(daemon.httpUrl + path, {
    body: JSON.stringify(body),
    headers: { Rune: shown, 'Idempotency-Key': key },
  });
const payment = (amount_msat: number) => ({ destination: peer, amount_msat });
const paid = async (): Promise<number> => (await daemon.result('listpays')).pays.length;

test('a repeated request gets the same answer, also while the first is in progress', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => post('/v1/keysend', payment(1000), 'one')));
  answers.push(await post('/v1/keysend', payment(1000), 'one'));
  for (const { status, json } of answers) expect([status, json]).toEqual([201, answers[0]!.json]);
  expect(await paid()).toBe(1);
});

test('a different request with the same key is refused with 409', async () => {
  const { status, json } = await post('/v1/keysend', payment(2000), 'one');
  expect([status, json.code]).toEqual([409, -32602]);
  expect((await post('/v1/xkeysend', payment(1000), 'one')).status).toBe(409);
  expect(await paid()).toBe(1);
});

test('each rune has separate keys, and none gets the receipt of a different rune', async () => {
  const before = await paid();
  const { rune: other } = await daemon.result('createrune');
  const [first, second] = [
    await post('/v1/keysend', payment(1500), 'mine'),
    await post('/v1/keysend', payment(1500), 'mine', other),
  ];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.json.payment_hash).not.toBe(first.json.payment_hash);
  expect(await paid()).toBe(before + 2);
});

test('a key of the socket is refused for a rune, and pays nothing', async () => {
  const own = { ...payment(1600), idempotency_key: 'socket' };
  await daemon.result('keysend', own);
  const before = await paid();
  const { status, json } = await post('/v1/keysend', own, 'other');
  expect([status, json.message]).toEqual([409, 'idempotency_key: was used by another caller']);
  expect(await paid()).toBe(before);
});

test('requests that are not payments are not executed twice either', async () => {
  const first = await post('/v1/createrune', { restrictions: 'readonly' }, 'rune');
  expect((await post('/v1/createrune', { restrictions: 'readonly' }, 'rune')).json).toEqual(first.json);
});

test('an answer is only returned to clients to whom the request is permitted', async () => {
  const { rune: reading } = await daemon.result('createrune', { restrictions: 'readonly' });
  expect((await post('/v1/keysend', payment(1000), 'one', reading)).status).toBe(401);
});

test('a request refused before any effect may be sent again, corrected', async () => {
  expect((await post('/v1/keysend', { destination: peer }, 'two')).status).toBe(500);
  expect((await post('/v1/keysend', payment(3000), 'two')).status).toBe(201);
});

test('JSON-RPC accepts the key for a single request with named parameters', async () => {
  const request = { jsonrpc: '2.0', id: 7, method: 'keysend', params: payment(4000) };
  const first = await post('/', request, 'three');
  expect((await post('/', request, 'three')).json).toEqual(first.json);
  expect((await post('/', [request], 'four')).status).toBe(400);
  expect((await post('/', { ...request, params: [peer, 5000] }, 'five')).status).toBe(400);
  expect((await post('/', request, 'x'.repeat(65))).status).toBe(400);
});

test('a payment is not repeated after a restart', async () => {
  const before = await paid();
  const first = await post('/v1/keysend', payment(6000), 'six');
  await daemon.stop();
  daemon = await start();
  const again = await post('/v1/keysend', payment(6000), 'six');
  expect([again.status, again.json.payment_hash]).toEqual([201, first.json.payment_hash]);
  expect((await post('/v1/keysend', payment(7000), 'six')).status).toBe(409);
  expect(await paid()).toBe(before + 1);
});
