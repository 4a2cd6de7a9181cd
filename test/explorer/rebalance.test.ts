/** The page of a rebalancing: how it displays a plan, and how it reads its address. */
import { expect, test } from 'vitest';
import { movedChannels, rebalanceQuestion } from '../../src/explorer/pages/rebalance.ts';

type Plan = Parameters<typeof movedChannels>[0];
type Own = Parameters<typeof movedChannels>[1];

/*
 * 1x1x1 can send 900 of 1,000 and gives 300 with a fee of 2. 2x2x2 can send 0 of 500 and gets 300. 3x3x3 is no longer
 * ours.
 */
test('a channel can afterwards send its balance minus outgoing amounts and fees', () => {
  const plan = {
    wanted_msat: 400,
    amount_msat: 300,
    fee_msat: 2,
    parts: [{ out: '1x1x1', in: '2x2x2', amount_msat: 300, fee_msat: 2n, route: [{}, {}] }],
    channels: ['3x3x3', '2x2x2', '1x1x1'].map((short_channel_id) => ({ short_channel_id, peer_id: 'p' })),
  } as unknown as Plan;
  const own = [
    { short_channel_id: '1x1x1', spendable_msat: 900, receivable_msat: 100 },
    { short_channel_id: '2x2x2', spendable_msat: 0, receivable_msat: 500n },
  ] as unknown as Own;
  expect(
    movedChannels(plan, own).map(({ id, nowMsat, thenMsat, wholeMsat }) => [
      id,
      nowMsat,
      thenMsat,
      wholeMsat,
    ]),
  ).toEqual([
    ['1x1x1', 900n, 598n, 1000n],
    ['2x2x2', 0n, 300n, 500n],
  ]);
});

test('the address contains the limits, and errors in it are reported', () => {
  expect(rebalanceQuestion(new URLSearchParams('maxfee=7&ppm=9&amount=0.5m&days=30'))).toEqual({
    asked: { maxfee: 7000n, maxfee_ppm: 9, amount_msat: 500_000_000n, earned_days: 30 },
    faults: [],
  });
  const { asked, faults } = rebalanceQuestion(new URLSearchParams('maxfee=-1&ppm=1.5&days=400'));
  expect(asked).toEqual({ maxfee: 100_000n, maxfee_ppm: 500 });
  expect(faults).toHaveLength(3);
});
