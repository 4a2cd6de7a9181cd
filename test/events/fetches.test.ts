/** Events of fetches of invoices: one that is answered, one that its issuer refuses, and one that is not sent. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { offerId } from '../../src/bolt/invoice/bolt12-merkle.ts';
import { type EventBody, fetchEvents } from '../../src/events/index.ts';
import { OfferNode } from '../commands/offers/offer-node.ts';

let node: OfferNode;

beforeEach(async () => {
  node = new OfferNode();
  await node.start();
});
afterEach(() => node.destroy());

function told(): EventBody[] {
  const events: EventBody[] = [];
  for (const event of node.events) fetchEvents((body) => void events.push(body))(event);
  return events;
}

it('a fetch that is answered begins and ends, with its steps', async () => {
  const { offer } = node.kind('anyAmount');
  await node.call('fetchinvoice', {
    offer: node.offer('anyAmount'),
    amount_msat: 5000,
    payer_note: 'for tea',
  });
  const facts = { number: 1, offerId: offerId(offer.bytes), amountMsat: 5000n, timeoutMs: 60_000 };
  expect(told()).toEqual([
    { type: 'fetch', status: 'began', fetch: facts },
    {
      type: 'fetch',
      status: 'ended',
      fetch: facts,
      tookMs: expect.any(Number),
      steps: [expect.objectContaining({ outcome: 'answered' })],
      end: { status: 'answered', amountMsat: 5000n },
    },
  ]);
});

it('a fetch that the issuer refuses ends with the reason', async () => {
  node.issuers.setFault(node.kind('anyAmount').offerId, { kind: 'refusing', error: { error: 'sold out' } });
  await node.call('fetchinvoice', { offer: node.offer('anyAmount'), amount_msat: 5000 });
  expect(told().at(-1)).toMatchObject({
    status: 'ended',
    end: {
      status: 'failed',
      error: 'issuerError',
      failure: { kind: 'issuerError', error: 'sold out' },
    },
  });
});

it('a fetch that is refused before anything is sent causes no event', async () => {
  await node.call('fetchinvoice', { offer: node.offer('anyAmount') });
  expect(told()).toEqual([]);
});
