/** `connect`, `disconnect`, `listpeers` and `getinfo` of two daemons on the real wire, over their sockets. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DaemonHere } from '../daemon-here.ts';

const FEATURES = '20800202a282';
const home = mkdtempSync(join(tmpdir(), 'fulgurite-peers-'));

const start = (name: string, ...options: string[]): Promise<DaemonHere> =>
  DaemonHere.start(join(home, name), ['--network', 'peer', '--chain', 'regtest', ...options]);

describe('two daemons on the peer network', () => {
  let a: DaemonHere;
  let b: DaemonHere;
  let idB: string;
  let portB: number;

  beforeAll(async () => {
    a = await start('a');
    b = await start('b', '--listen', '127.0.0.1:0');
    const info = await b.answer('getinfo');
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
    await Promise.all([a?.stop(), b?.stop()]);
    rmSync(home, { recursive: true, force: true });
  });

  it('connect, list each other, and disconnect', async () => {
    const address = { type: 'ipv4', address: '127.0.0.1', port: portB };
    const connected = { id: idB, features: FEATURES, direction: 'out', address };
    expect(await a.answer('connect', [idB, '127.0.0.1', portB])).toEqual(connected);
    expect(await a.answer('connect', [`${idB}@127.0.0.1:${portB}`])).toEqual(connected);
    const peer = {
      id: idB,
      connected: true,
      num_channels: 0,
      netaddr: [`127.0.0.1:${portB}`],
      features: FEATURES,
    };
    expect(await a.answer('listpeers')).toEqual({ peers: [peer] });
    const { id: idA, num_peers } = await a.answer('getinfo');
    expect(num_peers).toBe(1);
    expect(await b.answer('listpeers', [idA])).toMatchObject({ peers: [{ id: idA, connected: true }] });
    expect(await b.answer('listpeers', [idB])).toEqual({ peers: [] });
    expect(await a.answer('disconnect', [idB])).toEqual({});
    expect(await a.answer('listpeers')).toEqual({ peers: [] });
    expect(await a.answer('disconnect', [idB])).toMatchObject({ code: -1, message: 'Peer not connected' });
    await vi.waitFor(async () => expect(await b.answer('listpeers')).toEqual({ peers: [] }), {
      timeout: 20_000,
    });
  });

  it('report why a peer cannot be reached', async () => {
    expect(await a.answer('connect', [idB])).toMatchObject({
      code: 400,
      message: 'Unable to connect, no address known for peer',
    });
    expect(await a.answer('connect', [idB, '127.0.0.1', 1])).toMatchObject({
      code: 401,
      data: { attempts: [{ address: '127.0.0.1:1' }] },
    });
    const other = `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`;
    expect(await a.answer('connect', [other, '127.0.0.1', portB])).toMatchObject({ code: 402 });
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
    expect(await a.answer('connect', params)).toMatchObject({ code: -32602, message, data });
  });
});
