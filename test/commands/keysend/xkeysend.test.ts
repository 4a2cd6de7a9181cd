/** `xkeysend` over the socket: its errors with their codes and data, and layers of the caller. */
import { describe, expect, test } from 'vitest';
import { L2, L2_L3, L3, L3_L4, L4, leaving } from '../../payments/line-graph.ts';
import { OWN_ID } from '../../payments/simulation/simulated-node.ts';
import { nodePerTest, plainPaymentTo } from '../payment-fixture.ts';
import type { PaymentNode } from '../payment-node.ts';

let node: PaymentNode;
nodePerTest((started) => {
  node = started;
});

const pay = plainPaymentTo(L3);

test.each([
  [
    { destination: OWN_ID },
    -32602,
    'We are the destination. Keysend cannot be used to send funds to yourself',
  ],
  [{ destination: L3.slice(1) }, -32602, 'destination: should be a compressed pubkey'],
  [{ amount_msat: 0 }, -32602, 'Failed: amount must be non-zero'],
  [{ label: [] }, -32602, 'label: should be a string or number'],
  [{ layers: 'xpay' }, -32602, 'layers: should be an array'],
  [{ layers: ['nope'] }, -32602, 'Failed: layers: unknown layer: invalid token'],
  [{ maxdelay: 2017 }, 217, 'Failed: maximum delay allowed is 2016'],
  [{ maxfee: 10 }, 206, 'Failed: Fee exceeds our fee budget: 11msat > 10msat'],
  [{ maxdelay: 47 }, 206, 'Failed: CLTV delay exceeds our CLTV budget: 48 > 47'],
  [{ amount_msat: '1btc' }, 215, 'Failed: We could not find a usable set of paths.'],
  [{ amount_msat: '2500000sat' }, 220, 'Failed: We could not find a usable set of paths.'],
])('%o: %i', async (more, code, message) => {
  const error = await node.error('xkeysend', pay(more));
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  if (code > 0 && code !== 217) expect(error.data.attempts).toEqual([]);
  if (code === 206)
    expect(error.data).toMatchObject({ fee: 11, feepercent: 0.0011, delay: 48, amount_msat: 1e6 });
  expect((await node.result('listsendpays')).payments).toEqual([]);
});

test('a maxdelay that is too long or not a number is refused by name; the maximum is allowed', async () => {
  expect((await node.error('xkeysend', pay({ maxdelay: 2017 }))).data).toMatchObject({
    parameter: 'maxdelay',
    remedy: { maxdelay: 2016 },
  });
  expect((await node.error('xkeysend', pay({ maxdelay: 'soon' }))).data).toMatchObject({
    parameter: 'maxdelay',
  });
  expect(await node.result('xkeysend', pay({ maxdelay: 2016 }))).toMatchObject({ successful_parts: 1 });
});

test('the default fee limit is one per cent, but at least five sat', async () => {
  const { direction } = leaving(L2, L3, L2_L3);
  node.node.graph.setPolicy(node.node.graph.channelIndex(L2_L3), direction, {
    ...node.node.graph.policy(2 * node.node.graph.channelIndex(L2_L3) + direction)!,
    feeBaseMsat: 4_000_000_000,
  });
  node.node.republish();
  for (const [amount_msat, maxfee_msat] of [
    [1_000, 5_000],
    [500_199, 5_001],
    [1_000_000, 10_000],
  ]) {
    const { data } = await node.error('xkeysend', pay({ amount_msat }));
    expect(data).toMatchObject({ amount_msat, maxfee_msat });
  }
});

describe('after attempts', () => {
  test('203: the recipient refuses', async () => {
    node.node.simulation.setTrait(L4, 'takesKeysend', false);
    const error = await node.error('xkeysend', pay({ destination: L4 }));
    expect(error).toMatchObject({
      code: 203,
      message: "Destination reported invalid_onion_payload (likely doesn't support keysend)",
      data: { erring_index: 3, erring_node: L4, failcode: 16406, attempts: [{ partid: 1 }] },
    });
  });

  test('209: what was tried, what was learned, and why no route is left', async () => {
    const { direction } = leaving(L2, L3, L2_L3);
    const error = await node.error('xkeysend', pay({ amount_msat: '600000sat' }));
    expect(error.code).toBe(209);
    expect(error.message).toMatch(
      new RegExp(
        `^Failed after 1 attempts. We got temporary_channel_failure: 104x1x0/${direction} cannot carry 600000000msat. Then routing failed: `,
      ),
    );
    expect(error.data).toMatchObject({
      erring_index: 1,
      erring_channel: '104x1x0',
      attempts: [{ status: 'failed' }],
    });
  });

  test('209: time is up', async () => {
    node.node.simulation.setPolicy(leaving(L2, L3, L2_L3), { feeBaseMsat: 500 });
    const error = await node.error('xkeysend', pay({ retry_for: 0 }));
    expect(error).toMatchObject({ code: 209, data: { failcodename: 'WIRE_FEE_INSUFFICIENT' } });
    expect(error.message).toMatch(/^Timed out after 1 attempts\. We got fee_insufficient: /);
  });
});

test('a recipient known only from the caller’s layers is reached through them, and not through wrong layers', async () => {
  const { graph } = node.node;
  graph.removeChannel(graph.channelIndex(L3_L4));
  node.node.republish();
  const channel = { source: L3, destination: L4, capacity_msat: '1000000sat' };
  const terms = { htlc_minimum_msat: 0, htlc_maximum_msat: '990000sat', cltv_expiry_delta: 6 };
  const fees = { fee_base_msat: 1, fee_proportional_millionths: 10 };
  for (const [layer, scid] of [
    ['right', '105x1x0'],
    ['wrong', '9x9x9'],
  ]) {
    await node.result('askrene-create-layer', { layer });
    await node.result('askrene-create-channel', { layer, ...channel, short_channel_id: scid });
    const short_channel_id_dir = `${scid}/${L3 < L4 ? 0 : 1}`;
    await node.result('askrene-update-channel', {
      layer,
      short_channel_id_dir,
      enabled: true,
      ...terms,
      ...fees,
    });
  }
  const to = pay({ destination: L4 });
  expect(await node.error('xkeysend', to)).toMatchObject({ code: 205 });
  expect(await node.error('xkeysend', { ...to, layers: ['wrong'] })).toMatchObject({
    code: 209,
    data: { failcodename: 'WIRE_UNKNOWN_NEXT_PEER' },
  });
  // With some of these seeds the wrong channel is tried first. After that attempt, the caller's layer must
  // not make that channel usable again.
  for (let seed = 0; seed < 10; seed++) {
    const answer = await node.result('xkeysend', { ...to, seed, layers: ['wrong', 'right'] });
    expect(answer).toMatchObject({ successful_parts: 1 });
  }
});
