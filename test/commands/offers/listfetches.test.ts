/** Records of invoice fetches, for later requests. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RecentFetches } from '../../../src/offers/recent-fetches.ts';
import { ManualClock } from '../../events/manual-clock.ts';
import { OfferNode } from './offer-node.ts';

let node: OfferNode;
beforeEach(async () => {
  node = new OfferNode();
  await node.start();
});
afterEach(() => node.destroy());

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON
const listed = async (params: object = {}): Promise<any[]> =>
  (await node.call('listfetches', params)).result!.fetches as object[];

it('shows both sides’ terms, the steps, and the text of a refusal', async () => {
  const offer = node.offer('anyAmount');
  const answer = await node.call('fetchinvoice', { offer, amount_msat: 5000, payer_note: 'for tea' });
  node.issuers.setFault(node.kind('anyAmount').offerId, { kind: 'refusing', error: { error: 'sold out' } });
  await node.call('fetchinvoice', { offer, amount_msat: 7000 });
  const [first, second] = await listed();
  expect(first).toMatchObject({
    number: 1,
    status: 'complete',
    offer,
    invoice: answer.result!.invoice,
    offered: { amount_msat: 5000 },
    invoiced: { amount_msat: 5000 },
    changes: answer.result!.changes,
    steps: [{ outcome: 'answered', target: node.kind('anyAmount').nodeId }],
  });
  expect(second).toMatchObject({
    number: 2,
    status: 'failed',
    failure: { code: 1004, data: { error: 'sold out' } },
  });
  expect(second).not.toHaveProperty('invoice');
  expect(await listed({ number: 2 })).toEqual([second]);
  expect(await listed({ number: 3 })).toEqual([]);
});

it('keeps a fixed number of ended fetches, and all that are in progress', async () => {
  await node.call('fetchinvoice', { offer: node.offer('anyAmount'), amount_msat: 5000 });
  const [began, ended] = node.events;
  if (began?.kind !== 'began' || ended?.kind !== 'ended') throw new Error('the fetch did not begin and end');
  const clock = new ManualClock(1000);
  const recent = new RecentFetches(clock, 2);
  const numbered = (number: number) => ({ fetch: { ...began.fetch, number } });
  for (const number of [1, 2, 3, 4]) recent.note({ ...began, ...numbered(number) });
  clock.pass(50);
  // Setting the clock does not change how long the fetches took.
  clock.setClock(-3_600_000);
  for (const number of [4, 2, 3]) recent.note({ ...ended, ...numbered(number) });
  expect(recent.list().map(({ fetch, end }) => [fetch.number, end?.status])).toEqual([
    [1, undefined],
    [2, 'answered'],
    [3, 'answered'],
  ]);
  expect(recent.list()[0]).toMatchObject({ beganAtMs: 1000, tookMs: 50 });
});
