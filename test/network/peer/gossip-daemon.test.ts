/**
 * The daemon as a process. It learns a network from a peer by queries, and keeps it when it is killed. After a
 * restart it asks only for what it does not know yet.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CHAIN_HASHES } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { decodeChannelAnnouncement } from '../../../src/bolt/peer/gossip-messages.ts';
import { StandInChain } from '../../chain/stand-in.ts';
import { DaemonProcess } from '../../commands/daemon-process.ts';
import { temporaryDirectory } from '../../rpc/support.ts';
import { GossipServer } from './gossip-server.ts';
import { SignedNetwork } from './signed-gossip.ts';

const chainHash = CHAIN_HASHES.regtest;
const NOW = Math.floor(Date.now() / 1000);
// More channels than fit in one query, and more blocks than one reply covers.
const network = new SignedNetwork({ nodes: 300, channels: 1200, chainHash, timestamp: NOW - 7200 });

let directory: ReturnType<typeof temporaryDirectory>;
let server: GossipServer;
let daemon: DaemonProcess | undefined;

async function start(...more: string[]): Promise<void> {
  daemon = await DaemonProcess.start(directory.path, ['--network', 'peer', '--chain', 'regtest', ...more]);
}

const ask = (method: string, params: object = {}) => daemon!.answer(method, params);

const eventually = <T>(check: () => Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 50_000, interval: 100 });

/** All channel directions, and the nodes that have announced themselves. */
async function known(): Promise<{ channels: unknown[]; nodes: unknown[] }> {
  const { channels } = await ask('listchannels');
  const { nodes } = await ask('listnodes');
  return { channels, nodes: nodes.filter((node: { alias?: string }) => node.alias !== undefined) };
}

const connectTo = ({ nodeId, port }: GossipServer): string[] => ['--connect', `${nodeId}@127.0.0.1:${port}`];

beforeEach(async () => {
  directory = temporaryDirectory();
  server = await GossipServer.start(network, chainHash);
});
afterEach(async () => {
  await daemon?.stop('SIGKILL');
  server.stop();
  directory.remove();
});

describe('a network learned from a peer', { timeout: 120_000 }, () => {
  it('is still known after a kill, is kept up to date, and is known after a second kill', async () => {
    await start(...connectTo(server));
    await eventually(async () => {
      const { channels, nodes } = await known();
      expect([channels.length, nodes.length]).toEqual([2400, 300]);
    });
    expect(server.asked).toEqual([265, 263, 261, 261]);
    const before = await known();
    await daemon!.stop('SIGKILL');

    await start();
    expect(await known()).toEqual(before);
    const [source, destination] = [0, 40].map((i) => (before.channels[i * 2] as { source: string }).source);
    const limits = { layers: [], maxfee_msat: 1_000_000, final_cltv: 18 };
    await eventually(async () => {
      const route = await ask('getroutes', { source, destination, amount_msat: 10_000, ...limits });
      expect(route).toMatchObject({ routes: [{ amount_msat: 10_000 }] });
    });
    await daemon!.stop();

    server.asked.length = 0;
    await start(...connectTo(server));
    await eventually(async () => expect(server.asked).toEqual([265, 263]));
    // The daemon asks for messages since one hour before the last one that it received.
    expect(server.filters.at(-1)?.firstTimestamp).toBe(NOW - 7200 - 3600);
    const [channel] = network.channels;
    const stored = (): number => statSync(join(directory.path, 'gossip_store.regtest')).size;
    const storedBefore = stored();
    server.tell(network.update(channel!, { timestamp: NOW, feeBaseMsat: 4242 }));
    const updated = async (): Promise<void> => {
      const { channels } = await ask('listchannels', { short_channel_id: '100x1x0' });
      expect(channels).toContainEqual(expect.objectContaining({ direction: 0, base_fee_millisatoshi: 4242 }));
    };
    await eventually(updated);
    // Gossip is shown before it is stored. What a kill loses, peers send again.
    await eventually(async () => expect(stored()).toBeGreaterThan(storedBefore));
    await daemon!.stop('SIGKILL');

    await start();
    await updated();
    expect(readdirSync(directory.path)).toContain('gossip_store.regtest');
  });

  it('is complete after a restart, even if the daemon was killed while learning', async () => {
    await start(...connectTo(server));
    await eventually(async () => expect((await known()).channels.length).toBeGreaterThan(100));
    await daemon!.stop('SIGKILL');
    await start(...connectTo(server));
    await eventually(async () => {
      const { channels, nodes } = await known();
      expect([channels.length, nodes.length]).toEqual([2400, 300]);
    });
  });
});

describe('a network checked against the chain', { timeout: 120_000 }, () => {
  it('has the channels and the height of the chain; without a chain, getinfo says so', async () => {
    const few = new SignedNetwork({ nodes: 4, channels: 4, chainHash, timestamp: NOW - 7200 });
    const teller = await GossipServer.start(few, chainHash);
    const chain = await StandInChain.start();
    chain.height = 150;
    for (const { announcement } of few.channels.slice(0, 3)) {
      chain.fund(decodeChannelAnnouncement(announcement), 70_000);
    }
    try {
      await start(...connectTo(teller), '--bitcoin-rpcurl', chain.url);
      await eventually(async () => expect((await known()).channels).toHaveLength(6));
      const { channels } = await ask('listchannels');
      expect(channels[0]).toMatchObject({ amount_msat: 70_000_000 });
      const checked = await ask('getinfo');
      expect(checked).toMatchObject({ blockheight: 150, gossip_check: 'bitcoind' });
      expect(checked).not.toHaveProperty('warning_gossip_check');
      await daemon!.stop();
      await start();
      expect(await ask('getinfo')).toMatchObject({
        blockheight: 0,
        gossip_check: 'unchecked',
        warning_gossip_check: expect.stringContaining('capacities are assumed'),
      });
      // Checked channels keep their capacity.
      expect((await ask('listchannels')).channels[0]).toMatchObject({ amount_msat: 70_000_000 });
    } finally {
      teller.stop();
      await chain.stop();
    }
  });
});
