/**
 * `--forward` on a daemon beside a stand-in for lightningd: what we do not have is carried out by the node, what we have
 * stays ours, `help` tells them apart, and no rune reaches the node.
 */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Daemon, startDaemon } from '../../src/cli/daemon.ts';
import { parseStartOptions } from '../../src/cli/start-options.ts';
import { type LineNode, lineNode } from '../lightningd/line-node.ts';
import { memoryLog, RawClient } from '../rpc/support.ts';

let all: LineNode;
let daemon: Daemon | undefined;
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
  const where = ['--lightning-rpc-file', all.node.rpcFile, '--data-dir', join(all.directory, 'data')];
  daemon = await startDaemon(
    parseStartOptions(['--network', 'cln', '--workers', '1', ...where, ...options]),
    memoryLog(),
  );
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
/** The node's refusals say more than ours: they come back as they are. */
const ASKED = [
  MAKE,
  READ,
  MAKE,
  call('plugin', { subcommand: 'list' }),
  call('no-such'),
  call('listdatastore', { key: 7 }),
];

test("answers of methods that we do not have are the node's, byte for byte", async () => {
  const ours = await start('--forward');
  const node = clientOf(all.node.rpcFile);
  // The first call makes the row; asked of the node afterwards, it is refused as the third is.
  const through: (string | undefined)[] = [];
  for (const text of ASKED) through.push(await ours.ask(text));
  const direct: (string | undefined)[] = [];
  for (const text of ASKED.slice(1)) direct.push(await node.ask(text));
  expect(through.slice(1)).toEqual(direct);
  expect(all.node.called('datastore')[0]).toEqual({ key: ['x'], string: 'y' });
});

test("our own methods stay ours, and help marks the node's", async () => {
  const ours = await start('--forward');
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
  const ours = await start('--forward');
  await all.node.kill();
  expect(JSON.parse((await ours.ask(READ))!).error.code).toBe(-32006);
  expect(JSON.parse((await ours.ask(call('help')))!).result.help.length).toBeGreaterThan(50);
});

test('without the option, and with any rune over HTTP, nothing reaches the node', async () => {
  const ours = await start('--forward', '--http', '127.0.0.1:0');
  const unlimited = JSON.parse((await ours.ask(call('createrune')))!).result.rune;
  const named = JSON.parse(
    (await ours.ask(call('createrune', { restrictions: [['method=listdatastore']] })))!,
  );
  const codes = new Set<string>();
  for (const rune of [unlimited, named.result.rune]) {
    for (const method of ['listdatastore', 'datastore', 'plugin', 'withdraw']) {
      const response = await fetch(`${daemon!.httpUrl}/rpc`, {
        method: 'POST',
        headers: { rune, 'content-type': 'application/json' },
        body: call(method, { key: ['x'] }),
      });
      const { code } = ((await response.json()) as { error: { code: number } }).error;
      // A rune that names no method passes, and the method is unknown; the other permits one method only.
      codes.add(`${rune === unlimited ? 'any' : 'named'} ${method} ${code}`);
    }
  }
  expect([...codes]).toEqual([
    ...['any listdatastore -32601', 'any datastore -32601', 'any plugin -32601', 'any withdraw -32601'],
    ...['named listdatastore -32601', 'named datastore 1502', 'named plugin 1502', 'named withdraw 1502'],
  ]);
  expect(all.node.called('listdatastore')).toEqual([]);
  expect(all.node.called('datastore')).toEqual([]);
  await daemon!.stop();
  const plain = await start();
  expect(JSON.parse((await plain.ask(READ))!).error).toEqual({
    code: -32601,
    message: "Unknown command 'listdatastore'",
  });
});
