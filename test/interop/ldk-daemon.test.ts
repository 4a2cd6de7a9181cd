/** The daemon on the real wire, asked over its socket: an invoice from an LDK node, with no other software. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Daemon, startDaemon } from '../../src/cli/daemon.ts';
import { parseStartOptions } from '../../src/cli/start-options.ts';
import { RawClient } from '../rpc/support.ts';
import { haveLdk, LdkProcess } from './ldk-process.ts';

const silent = { debug() {}, info() {}, unusual() {}, broken() {} };

describe.skipIf(!haveLdk)('the daemon and LDK', () => {
  const home = mkdtempSync(join(tmpdir(), 'fulgurite-ldk-'));
  let ldk: LdkProcess;
  let daemon: Daemon;
  let client: RawClient;

  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
  async function ask(method: string, params: object = {}): Promise<any> {
    const answer = JSON.parse((await client.ask(JSON.stringify({ id: 1, method, params })))!);
    return answer.error ?? answer.result;
  }

  beforeAll(async () => {
    ldk = await LdkProcess.start(31);
    const port = await ldk.ask<number>('listen');
    const peer = `${ldk.nodeId}@127.0.0.1:${port}`;
    const argv = ['--network', 'peer', '--chain', 'regtest', '--workers', '1', '--data-dir', home];
    daemon = await startDaemon(parseStartOptions([...argv, '--connect', peer]), silent);
    client = new RawClient(daemon.socketPath);
  }, 60_000);
  afterAll(async () => {
    client?.socket.destroy();
    await daemon?.stop();
    await ldk?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('connects as told at the start, and fetches an invoice', async () => {
    await vi.waitFor(
      async () => {
        expect(await ask('listpeers')).toMatchObject({ peers: [{ id: ldk.nodeId, connected: true }] });
      },
      { timeout: 20_000, interval: 50 },
    );
    const offer = await ldk.ask<string>('offer');
    const fetched = await ask('fetchinvoice', { offer, amount_msat: 12_345, timeout: 20 });
    expect(fetched).toMatchObject({ invoice: expect.stringMatching(/^lni1/) });
    expect(await ask('decode', [fetched.invoice])).toMatchObject({
      type: 'bolt12 invoice',
      valid: true,
      invoice_amount_msat: 12_345,
    });
  });
});
