/**
 * A real LND answers a scenario (`test/lnd/scenario.ts`) as recorded, and so does the stand-in that other
 * tests use. RECORD=1 writes the recording.
 *
 *     we ── a ── b ── c        all of them LND; c accepts keysends and has an invoice
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GrpcClient } from '../../../src/network/lnd/client/grpc-client.ts';
import { RECORDING, Scenario, type Step } from '../../lnd/scenario.ts';
import { describeNeeding } from '../../needs.ts';
import { haveLnd, LndNodes } from './lnd-nodes.ts';

describeNeeding('lnd', haveLnd, 'the scenario on a real LND', () => {
  let nodes: LndNodes;
  const clients: GrpcClient[] = [];

  beforeAll(async () => {
    nodes = await LndNodes.start([], process.env.FULGURITE_TEST_LND_A, 'lnd');
  }, 900_000);
  afterAll(async () => {
    for (const client of clients) await client.close();
    await nodes?.stop();
  }, 120_000);

  async function clientWith(permissions: readonly string[] | undefined, name: string): Promise<GrpcClient> {
    const { address, certPath, adminPath } = nodes.placeOf('a');
    const macaroonPath = permissions === undefined ? adminPath : join(nodes.directory, name);
    if (permissions !== undefined) await nodes.bake(permissions, 'a', macaroonPath);
    const client = new GrpcClient({ address, certPath, macaroonPath });
    await client.reconnect();
    clients.push(client);
    return client;
  }

  test('is answered as recorded', { timeout: 300_000 }, async () => {
    const { channels } = await nodes.call('a', 'listchannels');
    const ours = channels.find((one: { remote_pubkey: string }) => one.remote_pubkey === nodes.id('b'));
    const { channels: ofB } = await nodes.call('b', 'listchannels');
    const beyond = ofB.find((one: { remote_pubkey: string }) => one.remote_pubkey === nodes.id('c'));
    const { r_hash, payment_addr } = await nodes.call('c', 'addinvoice', '--amt_msat', 20_000);
    const terms = [
      '--base_fee_msat=1000',
      '--fee_rate_ppm=1',
      '--time_lock_delta=80',
      '--min_htlc_msat=1000',
    ];
    await nodes.call('b', 'updatechanpolicy', ...terms);
    // A macaroon made by a different node.
    const wrong = new GrpcClient({ ...nodes.placeOf('a'), macaroonPath: nodes.placeOf('b').adminPath });
    await wrong.reconnect();
    clients.push(wrong);
    const scenario = new Scenario({
      calls: await clientWith(undefined, 'admin'),
      wrong,
      narrow: await clientWith(['uri:/lnrpc.Lightning/GetInfo'], 'narrow'),
      ...{ next: nodes.id('b'), recipient: nodes.id('c'), ours: idOf(ours), beyond: idOf(beyond) },
      ...{ feeMsat: 1_010n, delay: 80 },
      pathKey: Buffer.from(nodes.id('d'), 'hex'),
      hold: async () => {
        nodes.signal('b', 'SIGSTOP');
        return () => nodes.signal('b', 'SIGCONT');
      },
      height: async () => (await nodes.call('a', 'getinfo')).block_height,
      invoice: { hash: Buffer.from(r_hash, 'hex'), secret: Buffer.from(payment_addr, 'hex') },
    });
    const steps = await scenario.run();
    if (process.env.RECORD === '1') writeFileSync(RECORDING, `${JSON.stringify(steps, null, 2)}\n`);
    const recorded: Step[] = JSON.parse(readFileSync(RECORDING, 'utf8'));
    expect(Object.fromEntries(steps)).toEqual(Object.fromEntries(recorded));
  });
});

/** Named `scid` in newer releases, `chan_id` in older ones. */
const idOf = ({ scid, chan_id }: { scid?: string; chan_id: string }): string => scid ?? chan_id;
