/**
 * Runes that are bound to some of several nodes, against a daemon: a request is refused unless the rune
 * permits each node that the request may use.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { ask } from './http-client.ts';

const directory = temporaryDirectory();
let daemon: DaemonHere;
let destination: string;

beforeAll(async () => {
  daemon = await DaemonHere.start(join(directory.path, 'home'), [
    ...['--graph', 'synthetic:100', '--seed', '7', '--workers', '1', '--http', '127.0.0.1:0'],
    ...['--node', 'a=simulated', '--node', 'b=simulated', '--node', 'c=simulated'],
  ]);
  destination = (await daemon.result('listnodes')).nodes[5].nodeid;
});
afterAll(async () => {
  await daemon?.stop();
  directory.remove();
});

const runeOf = async (...restrictions: string[][]): Promise<string> =>
  (await daemon.result('createrune', { restrictions })).rune;
const call = (rune: string, method: string, params: object) =>
  ask(`${daemon.httpUrl}/v1/${method}`, { headers: { Rune: rune }, body: JSON.stringify(params) });
const refused = (alternatives: string, name: string) => ({
  status: 401,
  json: { code: 1502, message: `Not permitted: ${alternatives}: the request may use our node ${name}` },
});

it('a rune for a node permits paying from that node, and from no other', async () => {
  const rune = await runeOf(['node=b']);
  const pay = (more: object) => call(rune, 'xkeysend', { destination, amount_msat: 10_000, ...more });
  expect(await pay({ nodes: ['b'] })).toMatchObject({ status: 201, json: { amount_msat: 10_000 } });
  const { payments } = await daemon.result('listsendpays');
  expect(new Set(payments.map(({ node }: { node: string }) => node))).toEqual(new Set(['b']));
  expect(await pay({ nodes: ['a'] })).toMatchObject(refused('node is not equal to b', 'a'));
  expect(await pay({ nodes: ['b', 'c'] })).toMatchObject(refused('node is not equal to b', 'c'));
  expect(await pay({})).toMatchObject(refused('node is not equal to b', 'a'));
  expect(await pay({ nodes: [] })).toMatchObject(refused('node is not equal to b', 'a'));
  expect(await pay({ nodes: ['z'] })).toMatchObject({ status: 401, json: { code: 1502 } });
});

it('a rune for a node restricts every command that names a node or pays, and no other', async () => {
  const rune = await runeOf(['node=a', 'node=b']);
  const move = (from: string, to: string) => call(rune, 'transfer', { from, to, amount_msat: 1_000_000 });
  expect((await move('a', 'b')).status).toBe(201);
  expect((await move('a', 'c')).json).toMatchObject({ code: 1502 });
  expect((await move('c', 'a')).json).toMatchObject({ code: 1502 });
  expect((await call(rune, 'setournode', { node: 'a', price: 0 })).status).toBe(201);
  expect((await call(rune, 'setournode', { node: 'c', price: 0 })).json).toMatchObject({ code: 1502 });
  const { bolt11 } = await daemon.result('simulatedinvoice', { id: destination, amount_msat: 10_000 });
  expect((await call(rune, 'planxpay', { invstring: bolt11 })).json).toMatchObject({ code: 1502 });
  expect((await call(rune, 'planxpay', { invstring: bolt11, nodes: ['a', 'b'] })).status).toBe(201);
  expect((await call(rune, 'pay', { bolt11 })).json).toMatchObject({ code: 1502 });
  const inner = { command_to_check: 'xpay', invstring: bolt11 };
  expect((await call(rune, 'check', inner)).json).toMatchObject({ code: 1502 });
  // A new rune would not be bound to a node.
  expect((await call(rune, 'createrune', {})).json).toMatchObject({ code: 1502 });
  expect((await call(rune, 'getinfo', {})).status).toBe(201);
  expect((await call(rune, 'listpays', {})).status).toBe(201);
});

it('a rune for a node pays only quotes from that node', async () => {
  const rune = await runeOf(['node=c']);
  const asked = { invstring: destination, amount_msat: 10_000 };
  expect((await call(rune, 'quote', asked)).json).toMatchObject({ code: 1502 });
  const { json: own } = await call(rune, 'quote', { ...asked, nodes: ['c'] });
  expect((await call(rune, 'xkeysend', { quote: own.quote_id })).status).toBe(201);
  const { quote_id } = await daemon.result('quote', asked);
  expect((await call(rune, 'xkeysend', { quote: quote_id })).json).toMatchObject({ code: 1502 });
});

it('checkrune tests the node of a rune', async () => {
  const rune = await runeOf(['node/c']);
  const params = { destination, amount_msat: 10_000, nodes: ['a', 'b'] };
  expect(await daemon.result('checkrune', { rune, method: 'keysend', params })).toEqual({ valid: true });
  const all = { destination, amount_msat: 10_000 };
  expect(await daemon.error('checkrune', { rune, method: 'keysend', params: all })).toMatchObject({
    code: 1502,
    message: 'Not permitted: node is equal to c: the request may use our node c',
  });
});
