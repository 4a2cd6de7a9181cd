/**
 * The spendable amount of an LND channel, compared with what a real LND (0.21, August 2026) allowed on it.
 */
import { expect, test } from 'vitest';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import type { Channel } from '../../../src/network/lnd/answers.ts';
import { ChannelPoliciesBook } from '../../../src/network/lnd/graph/channel-policies.ts';
import type { LndLink } from '../../../src/network/lnd/node-link.ts';
import { ownChannelsOf, shownChannelsOf, spendableMsat } from '../../../src/network/lnd/own-channels.ts';

const limits = {
  chan_reserve_sat: '20000',
  max_pending_amt_msat: '1980000000',
  min_htlc_msat: '1',
  max_accepted_htlcs: 483,
};
/** An anchor channel of two million sat, opened by LND. */
const ROW = {
  local_balance: '1519043',
  remote_balance: '480000',
  commit_fee: '284',
  commit_weight: '1116',
  fee_per_kw: '253',
  pending_htlcs: [],
  initiator: true,
  local_constraints: limits,
  remote_constraints: limits,
} as unknown as Channel;
/** LND: "insufficient bandwidth to route htlc: 1498586999 mSAT is larger than 1498585920 mSAT" */
const OF_LND = 1_498_585_920n;

test('the spendable amount is what LND allows, minus the fraction of a satoshi that LND does not report', () => {
  expect(OF_LND - spendableMsat(ROW)).toBe(920n);
});

test('the spendable amount does not include the dust in the fee that LND reports', () => {
  expect(spendableMsat({ ...ROW, commit_fee: '638' })).toBe(spendableMsat(ROW));
});

test('the spendable amount has no fee buffer if the peer pays the fee', () => {
  expect(spendableMsat({ ...ROW, initiator: false })).toBe(1_499_043_000n);
});

test('nothing is spendable if the peer pays the fee and cannot pay for one more output', () => {
  // One more output costs 253 · 172 / 1000 = 43 sat; the peer's reserve is 20,000.
  const withPeer = (remote: number) =>
    spendableMsat({ ...ROW, initiator: false, remote_balance: `${remote}` });
  expect([withPeer(20_043), withPeer(20_042)]).toEqual([1_499_043_000n, 0n]);
});

test('an amount as large as the smallest HTLC is spendable, a smaller one is not', () => {
  const withMinimum = (min_htlc_msat: string) =>
    spendableMsat({ ...ROW, local_constraints: { ...limits, min_htlc_msat } } as Channel);
  expect(withMinimum('1498585000')).toBe(1_498_585_000n);
  expect(withMinimum('1498585001')).toBe(0n);
});

test('the sum of HTLCs in flight and one more is at most the limit of the peer', () => {
  const flying = [
    { incoming: false, amount: '1979999' },
    { incoming: true, amount: '5' },
  ] as unknown as Channel['pending_htlcs'];
  expect(spendableMsat({ ...ROW, pending_htlcs: flying })).toBe(1_000n);
});

test('the free HTLCs are those that the peer still accepts from us', () => {
  const row = {
    ...{ ...ROW, chan_id: '1', capacity: '2000000', custom_channel_data: new Uint8Array(0) },
    ...{ active: true, chan_status_flags: '', remote_pubkey: `02${'11'.repeat(32)}` },
    local_constraints: { ...limits, max_accepted_htlcs: 3 },
  } as Channel;
  const freeWith = (...incoming: boolean[]): number | undefined => {
    const pending = incoming.map((isIncoming) => ({ incoming: isIncoming, amount: '1' }));
    const rows = [{ ...row, pending_htlcs: pending as unknown as Channel['pending_htlcs'] }];
    return ownChannelsOf(rows, () => ({ localPolicy: undefined, remotePolicy: undefined }))[0]!.freeHtlcs;
  };
  expect([freeWith(), freeWith(true, false), freeWith(false, false, false, false)]).toEqual([3, 2, 0]);
});

test('the policies of a channel are ours and the peer’s, whichever node comes first', async () => {
  const [us, peer] = ['02'.padEnd(66, '1'), '03'.padEnd(66, '1')];
  const policyOf = (fee_base_msat: string) => ({ min_htlc: '1', max_htlc_msat: '2', fee_base_msat });
  for (const [node1_pub, ours, theirs] of [
    [us, 'node1_policy', 'node2_policy'],
    [peer, 'node2_policy', 'node1_policy'],
  ] as const) {
    const edge = { node1_pub, [ours]: policyOf('5'), [theirs]: policyOf('7') };
    const link = { facts: { nodeId: us }, call: async () => edge } as unknown as LndLink;
    const book = new ChannelPoliciesBook(link);
    await book.learn([1n as ShortChannelId]);
    expect(book.of(1n as ShortChannelId)).toMatchObject({
      localPolicy: { feeBaseMsat: 5n },
      remotePolicy: { feeBaseMsat: 7n },
    });
  }
});

test('our balance includes HTLCs in flight, and our minimum is at least that of the peer', () => {
  const htlc = (incoming: boolean, amount: string) => ({ incoming, amount, hash_lock: new Uint8Array(32) });
  const row = {
    ...{ ...ROW, remote_pubkey: '02'.padEnd(66, '1'), channel_point: `${'00'.repeat(32)}:0`, chan_id: '1' },
    ...{ capacity: '2000000', chan_status_flags: '', custom_channel_data: [], alias_scids: [] },
    local_constraints: { ...limits, min_htlc_msat: '1000' },
    pending_htlcs: [htlc(false, '3'), htlc(true, '4')],
  } as unknown as Channel;
  const localPolicy = { htlcMinimumMsat: 1n, htlcMaximumMsat: 10n } as never;
  const [channel] = shownChannelsOf([row], () => ({ localPolicy, remotePolicy: undefined }));
  expect(channel).toMatchObject({ toUsMsat: 1_519_046_000n, localPolicy: { htlcMinimumMsat: 1000n } });
});
