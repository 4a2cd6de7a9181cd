/**
 * Every result has the same members, of the same types, as the result of Core Lightning. Additional members
 * are listed here. One daemon receives every request that Core Lightning also has. States that it does not
 * reach by itself (an HTLC in flight, a closed channel, a failed payment) are made on a line of nodes in
 * virtual time.
 */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/index.ts';
import type { ResultField } from '../../src/rpc/command.ts';
import { shapeOf } from '../../src/rpc/describe.ts';
import { misfits } from '../../src/rpc/result-shape.ts';
import { L2, L3, L4 } from '../payments/line-graph.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { VECTORS as RUNES } from '../runes/vectors.ts';
import { until } from '../until.ts';
import { DaemonProcess } from './daemon-process.ts';
import { PaymentNode } from './payment-node.ts';
import { TABLED, wrongMembers } from './result-members.ts';

/** Our additional members, each with its reason. */
const OURS: Readonly<Record<string, string>> = {
  'getroutes.front is unknown': 'with `pareto`, which Core Lightning does not have',
  'fetchinvoice.changes.next_period is unknown':
    'the specification puts it into `changes`, and Core Lightning beside `changes`',
  'offer.warning_no_payments is unknown': 'the creator of an offer must learn that it cannot be paid here',
  'listpays.pays[].invreq_id is unknown':
    'the publisher of a request must be able to find the payments for it',
  'listsendpays.payments[].invreq_id is unknown': 'the same for attempts',
  'getinfo.network_kind is unknown':
    'its `network` is the chain, and no other member names the kind of network',
  'simulated is unknown': 'simulated amounts are marked wherever they are shown',
};

const met = new Set<string>();

/** Differences that no entry of `OURS` explains. */
function unexplained(command: string, result: unknown): string[] {
  return wrongMembers(command, result).filter((line) => {
    const plain = line.replace(/\[\d+\]/g, '[]');
    const known = plain.endsWith('.simulated is unknown') ? 'simulated is unknown' : plain;
    if (known in OURS) met.add(known);
    return !(known in OURS);
  });
}

/** Returns the differences between an answer and the description in `rpc.discover`. */
function undescribed(name: string, result: unknown): string[] {
  const fields = COMMANDS.find((command) => command.name === name)!.result as Readonly<
    Record<string, ResultField>
  >;
  // The result of this command is a text.
  if (name === 'stop') return [];
  const shape = Object.entries(fields).map(
    ([member, one]) => [one.optional === true ? `${member}?` : member, shapeOf(one)] as const,
  );
  return misfits(result, Object.fromEntries(shape), name);
}

describe('the daemon', () => {
  const directory = temporaryDirectory();
  const asked = new Set<string>();
  let daemon: DaemonProcess;

  beforeAll(async () => {
    const options = ['--graph', 'synthetic:300', '--seed', '7', '--developer'];
    daemon = await DaemonProcess.start(join(directory.path, 'home'), options);
  });
  afterAll(async () => {
    await daemon?.stop();
    directory.remove();
  });

  /** Makes the call, checks the members of the answer, and returns the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: each answer has a shape of its own, which is what is checked
  async function ask(command: string, params: object = {}): Promise<any> {
    const result = await daemon.result(command, params);
    asked.add(command);
    expect(unexplained(command, result)).toEqual([]);
    expect(undescribed(command, result)).toEqual([]);
    return result;
  }

  test('on the network and our place in it', async () => {
    const { nodes } = await ask('listnodes');
    await ask('getinfo');
    const { channels } = await ask('listchannels');
    await ask('listchannels', { short_channel_id: channels[0].short_channel_id });
    const { channels: own } = await ask('listpeerchannels');
    await ask('listfunds');
    await ask('listpeers');
    const peers = own.map(({ peer_id }: { peer_id: string }) => peer_id);
    const stranger = nodes.find(({ nodeid }: { nodeid: string }) => !peers.includes(nodeid)).nodeid;
    await ask('connect', { id: stranger });
    await ask('connect', { id: peers[0] });
    await ask('listpeers');
    await ask('getroutes', {
      ...{ source: stranger, destination: peers[0], amount_msat: '20sat', layers: [] },
      ...{ maxfee_msat: '1000sat', final_cltv: 18 },
    });
    const limits = { source: stranger, layers: [], maxfee_msat: '1000sat', final_cltv: 18 };
    const one = { destination: peers[0], amount_msat: '20sat' };
    await ask('getroutes', { ...limits, ...one, pareto: true });
    await ask('help');
    await ask('help', { command: 'keysend' });
    await ask('check', { command_to_check: 'keysend', destination: stranger, amount_msat: 1000 });
    for (const enable of [true, false]) {
      await ask('notifications', { enable });
      await ask('deprecations', { enable });
      await ask('batching', { enable });
    }
  });

  test('on layers', async () => {
    const { channels } = await ask('listchannels');
    const [{ source, destination, short_channel_id, direction }] = channels;
    const layer = 'l';
    const there = { layer, short_channel_id_dir: `${short_channel_id}/${direction}` };
    const path = [{ short_channel_id_dir: there.short_channel_id_dir, amount_msat: 5 }];
    await ask('askrene-create-layer', { layer });
    const ends = { source, destination, short_channel_id: '1x2x3', capacity_msat: '1000sat' };
    await ask('askrene-create-channel', { layer, ...ends });
    for (const inform of ['constrained', 'unconstrained', 'succeeded']) {
      await ask('askrene-inform-channel', { ...there, amount_msat: 1000, inform });
    }
    const terms = { htlc_minimum_msat: 1, htlc_maximum_msat: 9000, fee_base_msat: 1 };
    const rates = { fee_proportional_millionths: 2, cltv_expiry_delta: 6 };
    await ask('askrene-update-channel', { ...there, enabled: false, ...terms, ...rates });
    await ask('askrene-bias-channel', { ...there, bias: 5, description: 'why' });
    await ask('askrene-bias-node', { layer, node: source, direction: 'in', bias: 5 });
    await ask('askrene-disable-node', { layer, node: destination });
    await ask('askrene-create-layer', { layer: 'kept', persistent: true });
    const { layers } = await ask('askrene-listlayers');
    const impressionsOf = (name: string) =>
      layers.find((one: { layer: string }) => one.layer === name).impressions;
    expect(impressionsOf(layer)).toMatchObject([{ amount_msat: 1000 }]);
    expect(impressionsOf('kept')).toEqual([]);
    await ask('askrene-listlayers', { layer });
    await ask('askrene-reserve', { path });
    await ask('askrene-listreservations');
    await ask('askrene-unreserve', { path });
    await ask('askrene-remove-channel-update', there);
    await ask('askrene-age', { layer, cutoff: 2 ** 40 });
    await ask('askrene-remove-layer', { layer });
  });

  test('on offers', async () => {
    const made = [
      await ask('offer', { amount: '10sat', description: 'coffee', label: 'a', issuer: 'us' }),
      await ask('offer', { amount: 'any', description: 'tip', single_use: true, quantity_max: 3 }),
      await ask('offer', { amount: '1sat', description: 'weekly', recurrence: '1week' }),
    ];
    for (const { bolt12 } of made) await ask('decode', [bolt12]);
    await ask('decode', [RUNES[1]!.rune]);
    await ask('disableoffer', { offer_id: made[0].offer_id });
    expect((await ask('listoffers')).offers).toHaveLength(3);
    const refund = { amount: '5sat', description: 'refund', label: 'b' };
    const { bolt12, invreq_id } = await ask('invoicerequest', refund);
    await ask('decode', [bolt12]);
    await ask('disableinvoicerequest', { invreq_id });
    expect((await ask('listinvoicerequests')).invoicerequests).toHaveLength(1);
    await ask('listinvoices');
    const { offers } = await daemon.result('listsimulatedoffers');
    const offerOf = (wanted: string): string =>
      offers.find(({ kind }: { kind: string }) => kind === wanted).bolt12;
    for (const [kind, params] of [
      ['fixed', {}],
      ['any_amount', { amount_msat: 777, payer_note: 'thanks' }],
      ['quantity', { quantity: 2 }],
      ['currency', {}],
      ['blinded_paths', {}],
      ['recurring', { recurrence_counter: 0, recurrence_label: 'series' }],
    ] as const) {
      await ask('decode', [offerOf(kind)]);
      const { invoice } = await ask('fetchinvoice', { offer: offerOf(kind), timeout: 20, ...params });
      await ask('decode', [invoice]);
    }
    const series = { offer: offerOf('recurring'), recurrence_counter: 1, recurrence_label: 'series' };
    await ask('cancelrecurringinvoice', series);
  });

  test('on payments, and finally on its shutdown', async () => {
    const { channels } = await ask('listpeerchannels');
    const destination = channels[0].peer_id;
    const { payment_hash } = await ask('keysend', { destination, amount_msat: 5000, label: 'c' });
    await ask('xkeysend', { destination, amount_msat: 5000 });
    await ask('waitsendpay', { payment_hash });
    const invoiceOf = async (): Promise<string> =>
      (await daemon.result('simulatedinvoice', { id: destination, amount_msat: 5000 })).bolt11;
    await ask('xpay', { invstring: await invoiceOf() });
    await ask('pay', { bolt11: await invoiceOf() });
    const { offers } = await daemon.result('listsimulatedoffers');
    const { bolt12 } = offers.find(({ kind }: { kind: string }) => kind === 'fixed');
    await ask('xpay', { invstring: bolt12 });
    await ask('createproof', { invstring: bolt12, include: ['offer_issuer', 8] });
    await ask('listpays');
    await ask('listsendpays');
    await ask('delpay', { payment_hash, status: 'complete' });
    await ask('stop');
  });

  test('received every command of the table, and every listed difference occurred', () => {
    // On a simulated network, peers cannot be disconnected.
    expect(TABLED.filter((command) => !asked.has(command))).toEqual(['disconnect']);
    expect([...met].sort()).toEqual(Object.keys(OURS).sort());
  });
});

/**     us --1000x1x0-- L2 --L2_L3-- L3 -- L4        us: 4,990,000 sat of 5,000,000 */
describe('a line of nodes', () => {
  let node: PaymentNode;
  beforeEach(async () => {
    node = new PaymentNode();
    await node.start();
  });
  afterEach(() => node.stop());

  // biome-ignore lint/suspicious/noExplicitAny: as above
  async function ask(command: string, params: object = {}): Promise<any> {
    const result = await node.result(command, params);
    expect(unexplained(command, result)).toEqual([]);
    expect(undescribed(command, result)).toEqual([]);
    return result;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  const ours = async (): Promise<any> => (await ask('listpeerchannels')).channels[0];

  const live = () => [...node.node.payments.live()][0];

  test('shows a newly opened channel', async () => {
    expect(await ours()).toMatchObject({
      short_channel_id: '1000x1x0',
      alias: { local: '1000x1x0', remote: '1000x1x0' },
      funding_outnum: 0,
      // OP_RETURN, nine bytes, "simulated".
      close_to: '6a0973696d756c61746564',
      opener: 'local',
      funding: {
        local_funds_msat: 5_000_000_000,
        remote_funds_msat: 0,
        pushed_msat: 10_000_000,
        withheld: false,
      },
      to_us_msat: 4_990_000_000,
      min_to_us_msat: 4_990_000_000,
      max_to_us_msat: 4_990_000_000,
      total_msat: 5_000_000_000,
      // 1 % each.
      their_reserve_msat: 50_000_000,
      our_reserve_msat: 50_000_000,
      spendable_msat: 4_940_000_000,
      channel_type: { bits: [], names: [] },
      features: [],
      state_changes: [{ old_state: 'CHANNELD_AWAITING_LOCKIN', new_state: 'CHANNELD_NORMAL' }],
      status: ['CHANNELD_NORMAL:Channel ready for use.'],
      out_payments_offered: 0,
      htlcs: [],
    });
  });

  test('shows an HTLC in flight, and then its effect', async () => {
    node.node.simulation.setTrait(L2, 'unresponsive', true);
    node.isHeld = true;
    const payer = node.client();
    const params = { destination: L3, amount_msat: 1_000_000, dev_use_shadow: false };
    payer.send(JSON.stringify({ id: 1, method: 'keysend', params }));
    await until(() => live()?.attempts[0]?.status === 'sent');
    while (node.node.simulation.stats().htlcsInFlight === 0) await node.node.pass();
    const channel = await ours();
    const [attempt] = live()!.attempts;
    const sent_msat = Number(attempt!.amountSentMsat);
    expect(channel).toMatchObject({
      htlcs: [
        {
          direction: 'out',
          id: 0,
          amount_msat: sent_msat,
          payment_hash: Buffer.from(live()!.paymentHash).toString('hex'),
          state: 'SENT_ADD_ACK_REVOCATION',
        },
      ],
      // The amount is still ours until the peer has the preimage.
      to_us_msat: 4_990_000_000,
      spendable_msat: 4_940_000_000 - sent_msat,
      out_payments_offered: 1,
      out_offered_msat: sent_msat,
      out_payments_fulfilled: 0,
    });
    await ask('listpays', { status: 'pending' });
    await ask('listsendpays', { status: 'pending' });
    // The recipient never answers, so the HTLC expires and we close the channel.
    node.isHeld = false;
    expect(JSON.parse((await payer.next()) as string)).toHaveProperty('error');
    payer.close();
    const closed = await ours();
    expect(closed).toMatchObject({
      state: 'ONCHAIN',
      closer: 'local',
      peer_connected: false,
      to_us_msat: 4_990_000_000,
      state_changes: [
        { new_state: 'CHANNELD_NORMAL', cause: 'user' },
        { old_state: 'CHANNELD_NORMAL', new_state: 'ONCHAIN', cause: 'protocol' },
      ],
      htlcs: [],
      out_payments_offered: 1,
      out_payments_fulfilled: 0,
    });
    expect(closed).not.toHaveProperty('owner');
    expect((await ask('listfunds')).channels).toMatchObject([{ state: 'ONCHAIN', connected: false }]);
  });

  test('counts what was sent and what arrived; ids are derived from the channel', async () => {
    const before = await ours();
    const { amount_sent_msat } = await ask('keysend', { destination: L3, amount_msat: 1_000_000 });
    node.node.simulation.setTrait(L4, 'takesKeysend', false);
    await node.error('keysend', { destination: L4, amount_msat: 1_000_000 });
    const after = await ours();
    const left = 4_990_000_000 - amount_sent_msat;
    expect(after).toMatchObject({
      to_us_msat: left,
      min_to_us_msat: left,
      max_to_us_msat: 4_990_000_000,
      out_payments_fulfilled: 1,
      out_fulfilled_msat: amount_sent_msat,
      in_payments_offered: 0,
      funding_txid: before.funding_txid,
      channel_id: before.channel_id,
    });
    expect(after.out_payments_offered).toBeGreaterThan(1);
    expect(after.scratch_txid).not.toBe(before.scratch_txid);
    const { channels } = await ask('listfunds');
    expect(channels).toMatchObject([
      { channel_id: after.channel_id, funding_txid: after.funding_txid, our_amount_msat: left },
    ]);
    // For output 0, the channel id is the hash itself, which is displayed in reverse byte order.
    expect(Buffer.from(after.funding_txid, 'hex').reverse().toString('hex')).toBe(after.channel_id);
    await ask('listpays', { status: 'failed' });
    await ask('listsendpays', { status: 'failed' });
    expect((await ask('listpeers')).peers).toMatchObject([
      { id: L2, netaddr: [expect.stringMatching(/^\[2001:db8:[0-9a-f:]+\]:9735$/)] },
    ]);
  });
});
