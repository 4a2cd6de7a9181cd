/**
 * Forwarding by a daemon beside a stand-in for lightningd: the node executes the commands that we do not have, we
 * execute our own, `help` distinguishes them, and runes permit only the commands that they were made for.
 */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { type LineNode, lineNode } from '../lightningd/line-node.ts';
import { RawClient } from '../rpc/support.ts';

let all: LineNode;
let daemon: DaemonHere | undefined;
let clients: RawClient[];

beforeEach(async () => {
  all = lineNode();
  clients = [];
  await all.node.start();
});
afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  await daemon?.stop();
  daemon = undefined;
  await all.close();
});

async function start(...options: string[]): Promise<RawClient> {
  daemon = await DaemonHere.start(join(all.directory, 'data'), [...all.daemonOptions, ...options]);
  return clientOf(daemon.socketPath);
}

function clientOf(path: string): RawClient {
  const client = new RawClient(path);
  clients.push(client);
  return client;
}

const call = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 'a#1', method, params });
const MAKE = call('datastore', { key: ['x'], string: 'y' });
const READ = call('listdatastore', { key: ['x'] });
/** The node's refusals are more detailed than ours, so they are returned unchanged. */
const ASKED = [
  MAKE,
  READ,
  MAKE,
  call('plugin', { subcommand: 'list' }),
  call('no-such'),
  call('listdatastore', { key: 7 }),
];

/** Calls that we forwarded. The daemon's own datastore entries are left out. */
const forwarded = (method: string) =>
  all.node.called(method).filter(({ key }) => (key as readonly string[] | undefined)?.[0] !== 'fulgurite');

test("answers of methods that we lack are the node's, byte for byte", async () => {
  const ours = await start();
  const node = clientOf(all.node.rpcFile);
  // The first request creates a row, and would fail if repeated. So only the answers to the other requests are
  // compared.
  const through: (string | undefined)[] = [];
  for (const text of ASKED) through.push(await ours.ask(text));
  const direct: (string | undefined)[] = [];
  for (const text of ASKED.slice(1)) direct.push(await node.ask(text));
  expect(through.slice(1)).toEqual(direct);
  expect(forwarded('datastore')[0]).toEqual({ key: ['x'], string: 'y' });
});

test("our own methods are executed by us, and help marks the node's", async () => {
  const ours = await start();
  const before = all.node.called('listpays').length;
  expect(JSON.parse((await ours.ask(call('listpays')))!).result).toEqual({ pays: [] });
  expect(all.node.called('listpays')).toHaveLength(before);
  const { help } = JSON.parse((await ours.ask(call('help')))!).result;
  const marked = help.filter((one: { forwarded?: boolean }) => one.forwarded === true);
  const names = (list: { command: string }[]) => list.map(({ command }) => command.split(' ')[0]);
  expect(names(marked)).toContain('datastore');
  expect(names(marked)).not.toContain('getinfo');
  expect(new Set(names(help)).size).toBe(help.length);
  const one = JSON.parse((await ours.ask(call('help', { command: 'datastore' })))!).result;
  expect(one.help).toEqual(marked.filter(({ command }: { command: string }) => /^datastore /.test(command)));
});

test('a node that is away ends forwarded calls with -32006, and help lists our own', async () => {
  const ours = await start();
  await all.node.kill();
  expect(JSON.parse((await ours.ask(READ))!).error.code).toBe(-32006);
  expect(JSON.parse((await ours.ask(call('help')))!).result.help.length).toBeGreaterThan(50);
});

const overHttp = async (rune: string, method: string, params: object = {}): Promise<Answered> => {
  const response = await fetch(`${daemon!.httpUrl}/v1/${method}`, {
    method: 'POST',
    headers: { rune, 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  return (await response.json()) as Answered;
};

interface Answered {
  readonly code?: number;
  readonly message?: string;
  readonly rune?: string;
}

const runeOf = async (client: RawClient, params: object): Promise<string> =>
  JSON.parse((await client.ask(call('createrune', params)))!).result.rune;

test('over HTTP, only a rune made for a method of the node permits it', async () => {
  const ours = await start('--http', '127.0.0.1:0');
  const named = await runeOf(ours, { restrictions: [['method=listdatastore', 'method=createrune']] });
  const all1 = await runeOf(ours, { forward: true });
  const some = await runeOf(ours, { forward: true, restrictions: [['method^list']] });
  expect(await overHttp(named, 'listdatastore', { key: ['x'] })).toEqual({ datastore: [] });
  expect(await overHttp(all1, 'listdatastore', { key: ['x'] })).toEqual({ datastore: [] });
  expect(await overHttp(some, 'listdatastore', { key: ['x'] })).toEqual({ datastore: [] });
  expect(await overHttp(all1, 'datastore', { key: ['x'], string: 'y' })).toMatchObject({ string: 'y' });
  expect((await overHttp(some, 'datastore')).code).toBe(1502);
  expect((await overHttp(named, 'datastore')).code).toBe(1502);
});

test('no rune permits more of the node’s methods than it was made for: 50 attempts', async () => {
  const ours = await start('--http', '127.0.0.1:0');
  const bare = await runeOf(ours, {});
  const readonly = await runeOf(ours, { restrictions: 'readonly' });
  const makers = await runeOf(ours, { restrictions: [['method=createrune', 'method=listdatastore']] });
  const limited = await runeOf(ours, { restrictions: [['method=datastore'], ['outgo<1000']] });
  const narrow = (rune: string, restrictions: unknown) => runeOf(ours, { rune, restrictions });
  const made = async (by: string, params: object): Promise<string> =>
    (await overHttp(by, 'createrune', params)).rune ?? by;
  const stored = all.node.called('datastore').length;
  const tricks = [
    bare,
    readonly,
    makers,
    limited,
    await narrow(bare, [['method=datastore']]),
    await narrow(bare, [['forward#true']]),
    await narrow(readonly, [['method=datastore']]),
    await narrow(makers, [['method=datastore']]),
    await made(bare, { forward: true }),
    await made(bare, { restrictions: [['method=datastore']] }),
    await made(bare, { restrictions: [['forward#true']] }),
    await made(bare, { restrictions: [['forward#true'], ['method=datastore']] }),
    await made(makers, { restrictions: [['method=datastore']] }),
  ];
  const refused: number[] = [];
  for (const rune of tricks) {
    for (const method of ['datastore', 'node-datastore', 'withdraw', 'node-stop']) {
      refused.push((await overHttp(rune, method, { key: ['x'], string: 'y' })).code ?? 0);
    }
  }
  expect(refused).toHaveLength(52);
  expect(new Set(refused)).toEqual(new Set([1502]));
  expect(all.node.called('datastore')).toHaveLength(stored);
  expect((await overHttp(bare, 'datastore')).message).toMatch(
    /must be made with method=datastore or forward=true/,
  );
});

test('a rune made with forward=true and without restrictions is created with a warning', async () => {
  const ours = await start();
  const warningFor = async (params: object): Promise<unknown> =>
    JSON.parse((await ours.ask(call('createrune', params)))!).result.warning_unrestricted_rune;
  expect(await warningFor({})).toMatch(/no restrictions/);
  expect(await warningFor({ forward: true })).toMatch(/no restrictions/);
  expect(await warningFor({ forward: true, restrictions: [['app#note']] })).toMatch(/no restrictions/);
  expect(await warningFor({ forward: true, restrictions: [['method^list']] })).toBeUndefined();
});

test('a rune made with forward=true may create a further rune, and one without may not', async () => {
  const ours = await start('--http', '127.0.0.1:0');
  const whole = await runeOf(ours, { forward: true });
  const second = (await overHttp(whole, 'createrune', { forward: true })).rune!;
  expect(await overHttp(second, 'listdatastore', { key: ['x'] })).toEqual({ datastore: [] });
  const bare = await runeOf(ours, {});
  expect(await overHttp(bare, 'createrune', { forward: true })).toMatchObject({ code: -32602 });
  const narrowed = JSON.parse((await ours.ask(call('createrune', { rune: bare, forward: true })))!);
  expect(narrowed.error.message).toMatch(/only a new rune/);
});

test('a repeated Idempotency-Key executes a method of the node once', async () => {
  const ours = await start('--http', '127.0.0.1:0');
  const rune = await runeOf(ours, { forward: true });
  const send = async () => {
    const response = await fetch(`${daemon!.httpUrl}/v1/datastore`, {
      method: 'POST',
      headers: { rune, 'content-type': 'application/json', 'idempotency-key': 'k1' },
      body: JSON.stringify({ key: ['once'], string: 'y' }),
    });
    return [response.status, await response.json()] as const;
  };
  const first = await send();
  expect(first[0]).toBe(201);
  expect(await send()).toEqual(first);
  expect(forwarded('datastore')).toHaveLength(1);
});

test('--no-forward and a list of methods restrict which calls reach the node', async () => {
  const plain = await start('--no-forward');
  expect(JSON.parse((await plain.ask(READ))!).error).toEqual({
    code: -32601,
    message: "Unknown command 'listdatastore'",
  });
  await daemon!.stop();
  const listed = await start('--forward', 'listdatastore,plugin');
  expect(JSON.parse((await listed.ask(READ))!).result).toEqual({ datastore: [] });
  expect(JSON.parse((await listed.ask(MAKE))!).error.code).toBe(-32601);
  const { help } = JSON.parse((await listed.ask(call('help')))!).result;
  const marked = help.filter((one: { forwarded?: boolean }) => one.forwarded === true);
  expect(marked).toHaveLength(2);
});

test("the node's bookkeeper commands are forwarded to the node", async () => {
  const ours = await start();
  const node = clientOf(all.node.rpcFile);
  for (const method of ['listinvoices', 'listfunds', 'listoffers', 'invoice', 'offer']) {
    expect(await ours.ask(call(method))).toEqual(await node.ask(call(method)));
  }
});
