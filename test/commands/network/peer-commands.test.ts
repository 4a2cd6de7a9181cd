/** `connect`, `disconnect`, `listpeers` and `getinfo` of two daemons on the real wire, over their sockets. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Daemon, startDaemon } from '../../../src/cli/daemon/daemon.ts';
import { parseStartOptions } from '../../../src/cli/options/start-options.ts';
import { memoryLog, RawClient } from '../../rpc/support.ts';

const FEATURES = '20800202a282';
const home = mkdtempSync(join(tmpdir(), 'fulgurite-peers-'));

async function start(name: string, ...options: string[]): Promise<Daemon> {
  const argv = ['--network', 'peer', '--chain', 'regtest', '--workers', '1', '--data-dir', join(home, name)];
  return startDaemon(parseStartOptions([...argv, ...options]), memoryLog());
}

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
async function ask(client: RawClient, method: string, params: object = {}): Promise<any> {
  const answer = JSON.parse((await client.ask(JSON.stringify({ id: 1, method, params })))!);
  return answer.error ?? answer.result;
}

describe('two daemons on the peer network', () => {
  let daemons: Daemon[] = [];
  let a: RawClient;
  let b: RawClient;
  let idB: string;
  let portB: number;

  beforeAll(async () => {
    daemons = [await start('a'), await start('b', '--listen', '127.0.0.1:0')];
    [a, b] = [new RawClient(daemons[0]!.socketPath), new RawClient(daemons[1]!.socketPath)];
    const info = await ask(b, 'getinfo');
    idB = info.id;
    portB = info.binding[0].port;
    expect(info).toMatchObject({
      network: 'regtest',
      num_peers: 0,
      our_features: { init: FEATURES },
      binding: [{ type: 'ipv4', address: '127.0.0.1' }],
    });
  }, 60_000);
  afterAll(async () => {
    for (const client of [a, b]) client?.socket.destroy();
    await Promise.all(daemons.map((one) => one.stop()));
    rmSync(home, { recursive: true, force: true });
  });

  it('connect, list each other, and disconnect', async () => {
    const address = { type: 'ipv4', address: '127.0.0.1', port: portB };
    const connected = { id: idB, features: FEATURES, direction: 'out', address };
    expect(await ask(a, 'connect', [idB, '127.0.0.1', portB])).toEqual(connected);
    expect(await ask(a, 'connect', [`${idB}@127.0.0.1:${portB}`])).toEqual(connected);
    const peer = {
      id: idB,
      connected: true,
      num_channels: 0,
      netaddr: [`127.0.0.1:${portB}`],
      features: FEATURES,
    };
    expect(await ask(a, 'listpeers')).toEqual({ peers: [peer] });
    const { id: idA, num_peers } = await ask(a, 'getinfo');
    expect(num_peers).toBe(1);
    expect(await ask(b, 'listpeers', [idA])).toMatchObject({ peers: [{ id: idA, connected: true }] });
    expect(await ask(b, 'listpeers', [idB])).toEqual({ peers: [] });
    expect(await ask(a, 'disconnect', [idB])).toEqual({});
    expect(await ask(a, 'listpeers')).toEqual({ peers: [] });
    expect(await ask(a, 'disconnect', [idB])).toMatchObject({ code: -1, message: 'Peer not connected' });
    await vi.waitFor(async () => expect(await ask(b, 'listpeers')).toEqual({ peers: [] }), {
      timeout: 20_000,
    });
  });

  it('report why a peer cannot be reached', async () => {
    expect(await ask(a, 'connect', [idB])).toMatchObject({
      code: 400,
      message: 'Unable to connect, no address known for peer',
    });
    expect(await ask(a, 'connect', [idB, '127.0.0.1', 1])).toMatchObject({
      code: 401,
      data: { attempts: [{ address: '127.0.0.1:1' }] },
    });
    const other = `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`;
    expect(await ask(a, 'connect', [other, '127.0.0.1', portB])).toMatchObject({ code: 402 });
  });

  it.each([
    [['x'], 'id', 'not a peer of the form ID@HOST:PORT: "x"'],
    [[`02${'f'.repeat(64)}@h:1`], 'id', `02${'f'.repeat(64)} is not a point on the curve`],
    [[`02${'a'.repeat(64)}@a b`], 'id', 'not an address of the form HOST:PORT: "a b"'],
    [{ id: `02${'a'.repeat(64)}`, port: 5 }, 'port', 'port without host'],
    [[`02${'a'.repeat(64)}@h`, 'h'], 'host', 'two hosts given'],
    [[`02${'a'.repeat(64)}`, 'a b'], 'host', 'not an address of the form HOST:PORT: "a b"'],
  ])('refuse %j', async (params, parameter, message) => {
    const data = { parameter, reason: message };
    expect(await ask(a, 'connect', params)).toMatchObject({ code: -32602, message, data });
  });
});
