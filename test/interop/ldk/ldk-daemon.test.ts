/**
 * The daemon on the real wire: `start --network peer` as a separate process, called over its socket. Its only
 * peers are LDK nodes, and nothing is mocked. Nodes without channels cannot gossip a channel, so the daemon
 * reads the channel between the two LDK nodes from a gossip_store.
 *
 *     daemon ---- near ---- far
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CHAIN_HASHES } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { featuresOf } from '../../../src/bolt/peer/features.ts';
import {
  createChannelAnnouncement,
  createChannelUpdate,
  createNodeAnnouncement,
} from '../../../src/bolt/peer/gossip-messages.ts';
import { msat } from '../../../src/model/msat.ts';
import { nodeIdToBytes } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { DaemonProcess } from '../../commands/daemon-process.ts';
import { amountBody, record, uuid, version } from '../../gossip/store-builder.ts';
import { describeNeeding } from '../../needs.ts';
import { temporaryDirectory } from '../../rpc/support.ts';
import { haveLdk, LdkProcess } from './ldk-process.ts';

interface Place {
  readonly nodeId: Uint8Array;
  readonly port: number;
}

/**
 * A channel of two nodes that accept onion messages. Readers of a gossip_store trust its writer to have
 * checked signatures.
 */
function gossipStore(places: readonly Place[]): Buffer {
  const [nodeId1, nodeId2] = places.map(({ nodeId }) => nodeId).sort(Buffer.compare) as [
    Uint8Array,
    Uint8Array,
  ];
  const key = new Uint8Array(32).fill(1);
  const place = { chainHash: CHAIN_HASHES.regtest, shortChannelId: shortChannelId(1, 1, 0) };
  const timestamp = Math.floor(Date.now() / 1000);
  const channel = createChannelAnnouncement(
    { ...place, features: new Uint8Array(0), nodeId1, nodeId2, bitcoinKey1: nodeId1, bitcoinKey2: nodeId2 },
    { node1: key, node2: key, bitcoin1: key, bitcoin2: key },
  );
  const terms = {
    ...place,
    timestamp,
    cltvExpiryDelta: 40,
    htlcMinimumMsat: msat(1n),
    htlcMaximumMsat: msat(1_000_000n),
    feeBaseMsat: 0,
    feeProportionalMillionths: 0,
    isDisabled: false,
  };
  const updates = ([0, 1] as const).map((direction) => createChannelUpdate({ ...terms, direction }, key));
  const look = { rgbColor: new Uint8Array(3), alias: new Uint8Array(32), features: featuresOf([39]) };
  const nodes = places.map(({ nodeId, port }) => {
    // An IPv4 address and a port (BOLT 7, address descriptors).
    const addresses = Uint8Array.of(1, 127, 0, 0, 1, port >> 8, port & 0xff);
    return createNodeAnnouncement({ ...look, addresses, timestamp, nodeId }, key);
  });
  const records = [
    record(channel),
    record(amountBody(1_000_000)),
    ...[...updates, ...nodes].map((one) => record(one)),
  ];
  return Buffer.concat([version(), uuid(1), ...records]);
}

describeNeeding('ldk', haveLdk, 'the daemon and LDK', () => {
  const directory = temporaryDirectory();
  let near: LdkProcess;
  let far: LdkProcess;
  let daemon: DaemonProcess;
  let port: number;
  let store: string;

  beforeAll(async () => {
    [near, far] = await Promise.all([LdkProcess.start(31), LdkProcess.start(32)]);
    port = await near.ask<number>('listen');
    await far.ask('connect', { nodeId: near.nodeId, port });
    const places = [
      { nodeId: nodeIdToBytes(near.nodeId), port },
      { nodeId: nodeIdToBytes(far.nodeId), port: await far.ask<number>('listen') },
    ];
    store = join(directory.path, 'gossip_store');
    writeFileSync(store, gossipStore(places));
    const options = ['--network', 'peer', '--chain', 'regtest', '--graph', store, '--fetchinvoice-noconnect'];
    const home = join(directory.path, 'home');
    daemon = await DaemonProcess.start(home, [...options, '--connect', `${near.nodeId}@127.0.0.1:${port}`]);
    await isConnected(daemon);
  }, 120_000);

  /** Waits until the daemon is connected to the near node. */
  const isConnected = (ours: DaemonProcess) =>
    vi.waitFor(
      async () => {
        const { peers } = await ours.result('listpeers');
        expect(peers).toMatchObject([{ id: near.nodeId, connected: true }]);
      },
      { timeout: 20_000, interval: 50 },
    );

  afterAll(async () => {
    await Promise.all([daemon?.stop(), near?.stop(), far?.stop()]);
    directory.remove();
  });

  describe('an offer of LDK', () => {
    const fetched = async (ldk: LdkProcess) => {
      const offer = await ldk.ask<string>('offer');
      const answer = await daemon.result('fetchinvoice', {
        offer,
        amount_msat: 12_345,
        payer_note: 'hi',
        timeout: 20,
      });
      expect(answer.changes).toEqual({ amount_msat: 12_345 });
      expect(await daemon.result('decode', [answer.invoice])).toMatchObject({
        type: 'bolt12 invoice',
        valid: true,
        invoice_amount_msat: 12_345,
        invreq_payer_note: 'hi',
      });
    };

    it('is fetched from a peer', () => fetched(near), 30_000);

    it('is fetched through a relay, without a connection to its issuer', async () => {
      await fetched(far);
      expect((await daemon.result('listpeers')).peers).toMatchObject([{ id: near.nodeId }]);
    }, 30_000);
  });

  it('eight concurrent fetches stay within the rate that peers tolerate, and all succeed', async () => {
    const offer = await near.ask<string>('offer');
    const all = Array.from({ length: 8 }, (_, i) =>
      daemon.result('fetchinvoice', { offer, amount_msat: i + 1, timeout: 30 }),
    );
    const changes = (await Promise.all(all)).map((one) => one.changes);
    expect(changes).toEqual(all.map((_, i) => ({ amount_msat: i + 1 })));
  }, 40_000);

  it('an LDK node that cannot be paid refuses, and its reason is reported', async () => {
    const unpayable = await LdkProcess.start(33, 'unpayable');
    const port = await unpayable.ask<number>('listen');
    await daemon.result('connect', { id: `${unpayable.nodeId}@127.0.0.1:${port}` });
    const offer = await unpayable.ask<string>('offer');
    const error = await daemon.error('fetchinvoice', { offer, amount_msat: 1000, timeout: 20 });
    await unpayable.stop();
    expect(error).toMatchObject({
      code: 1004,
      message: 'Remote node sent failure message',
      data: { error: 'MissingPaths', steps: [{ outcome: 'answered' }] },
    });
  }, 30_000);

  describe('our offer', () => {
    /** Makes LDK request the invoice, and waits until LDK has our daemon's answer. */
    async function requested(ldk: LdkProcess, offer: string, paymentId: string): Promise<string> {
      await Promise.all([ldk.ask('events'), ldk.ask('log')]);
      const asked = { offer, amountMsat: 5000, paymentId: paymentId.repeat(32) };
      expect(await ldk.ask('payForOffer', asked)).toBe(true);
      await vi.waitFor(
        async () => {
          const events = await ldk.ask<string[]>('events');
          expect(events).toContain('Event_PaymentFailed LDKPaymentFailureReason_InvoiceRequestRejected');
        },
        { timeout: 20_000, interval: 50 },
      );
      return (await ldk.ask<string[]>('log')).join('\n');
    }
    const make = (description: string) => daemon.result('offer', { amount: 'any', description });

    it('reports that it cannot be paid here', async () => {
      expect((await make('warned')).warning_no_payments).toEqual(expect.any(String));
    });

    it('is requested by a peer, which learns at once why there is no invoice', async () => {
      const { bolt12 } = await make('asked for by a peer');
      expect(await requested(near, bolt12, '01')).toContain('We cannot receive payments here');
      expect((await daemon.result('listinvoices')).invoices).toEqual([]);
    }, 30_000);

    it('is requested through a relay, and answered through it', async () => {
      const { bolt12 } = await make('asked for from afar');
      expect(await requested(far, bolt12, '02')).toContain('We cannot receive payments here');
    }, 30_000);

    it('is refused after it was disabled', async () => {
      const { bolt12, offer_id } = await make('to be disabled');
      await daemon.result('disableoffer', { offer_id });
      expect(await requested(near, bolt12, '03')).toContain('Offer no longer available');
    }, 30_000);
  });

  describe('a daemon without fetchinvoice-noconnect', () => {
    let other: DaemonProcess;
    beforeAll(async () => {
      const options = ['--network', 'peer', '--chain', 'regtest', '--graph', store];
      other = await DaemonProcess.start(join(directory.path, 'other'), options);
    });
    afterAll(() => other?.stop());

    it('connects to an issuer without a route at its gossiped address', async () => {
      const offer = await near.ask<string>('offer');
      expect(await other.result('fetchinvoice', { offer, amount_msat: 1, timeout: 20 })).toMatchObject({
        invoice: expect.stringMatching(/^lni1/),
      });
      await isConnected(other);
    }, 30_000);

    it('bypasses a silent relay by a connection to the issuer', async () => {
      const offer = await far.ask<string>('offer');
      near.freeze(true);
      try {
        const fetched = await other.result('fetchinvoice', { offer, amount_msat: 2, timeout: 20 });
        expect(fetched.changes).toEqual({ amount_msat: 2 });
      } finally {
        near.freeze(false);
      }
      const { peers } = await other.result('listpeers');
      expect(peers.map(({ id }: { id: string }) => id)).toContain(far.nodeId);
    }, 40_000);
  });
});
