/** Ways of a request: over the graph, by connecting, around what does not answer; in virtual time. */
import { describe, expect, test } from 'vitest';
import { decodeOffer, encodeOffer, formatOffer, parseOffer } from '../../src/bolt/bolt12-offer.ts';
import { curve } from '../../src/bolt/curve.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import type { FetchStep } from '../../src/offers/fetch-steps.ts';
import { A, B, C } from '../network/simulated/line.ts';
import { OfferWorld } from './world.ts';

async function failureOf(promise: Promise<unknown>): Promise<FulguriteError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof FulguriteError)) throw new Error(`no failure, but ${error}`);
  return error;
}

const stepsOf = (error: FulguriteError) => error.data?.steps as readonly FetchStep[];
const deafToMessages = { takesMessages: () => false };

describe('reaching an issuer three hops away', () => {
  test('over the graph there and back', async () => {
    const world = new OfferWorld({ mayConnect: false });
    expect(world.issuerOf('silent')).toBe(C);
    const error = await failureOf(world.fetch('silent', { timeoutMs: 1000 }));
    expect(error.code).toBe(1005);
    expect(stepsOf(error)).toEqual([
      { target: C, route: [A, B, C], outcome: 'sent', started_ms: 0, took_ms: 1000 },
    ]);
  });

  test('by connecting where no route takes messages; not with noconnect', async () => {
    const { invoice } = await new OfferWorld(deafToMessages).fetch('expiring');
    expect(invoice.fields.offerDescription).toBe('until 2100');
    const world = new OfferWorld({ ...deafToMessages, mayConnect: false });
    const error = await failureOf(world.fetch('refusing'));
    expect(error.code).toBe(1003);
    expect(error.message).toBe(
      `Failed: could not route or connect directly to ${C}: ` +
        'fetchinvoice-noconnect set: not initiating a new connection',
    );
    expect(stepsOf(error)).toMatchObject([{ target: C, outcome: 'unreachable', took_ms: 0 }]);
  });

  test('an issuer that is gone is known at once', async () => {
    const world = new OfferWorld(deafToMessages);
    world.simulation.setTrait(C, 'offline', true);
    const before = world.time.nowMs();
    expect((await failureOf(world.fetch('refusing'))).code).toBe(1003);
    expect(world.time.nowMs()).toBe(before);
  });
});

describe('the offer’s paths', () => {
  test('the second is used at once when the first cannot be reached', async () => {
    const world = new OfferWorld();
    const [path] = world.offer('blindedPaths').offer.fields.offerPaths ?? [];
    if (path === undefined) throw new Error('the offer has no path');
    const nobody = curve.publicKey(new Uint8Array(32).fill(77));
    const offerPaths = [{ ...path, firstNode: nobody }, path];
    const offer = decodeOffer(encodeOffer({ ...world.offer('blindedPaths').offer.fields, offerPaths }));
    // Its issuer never made this offer; that it says so shows that the request arrived.
    const error = await failureOf(world.fetch(offer));
    expect(error.data).toMatchObject({ error: 'Unknown offer' });
    expect(stepsOf(error)).toMatchObject([
      { offer_path: 0, outcome: 'unreachable', took_ms: 0 },
      { offer_path: 1, outcome: 'answered', route: [A, B] },
    ]);
  });

  test('a request that is lost is sent again, within the one deadline', async () => {
    const world = new OfferWorld();
    world.simulation.setTrait(B, 'unresponsive', true);
    const asked = world.fetcher.fetch({ offer: world.offer('refusing').offer, timeoutMs: 20_000 });
    asked.catch(() => undefined);
    const recovers = world.time.after(3000, () => world.simulation.setTrait(B, 'unresponsive', false));
    const error = await failureOf(world.time.run(asked));
    recovers();
    expect(error.data).toMatchObject({ error: 'No more of this today' });
    expect(stepsOf(error).map(({ outcome }) => outcome)).toEqual(['sent', 'answered']);
  });
});

test('silence lasts to the deadline, through at most eight sends', async () => {
  const world = new OfferWorld();
  const before = world.time.nowMs();
  const error = await failureOf(world.fetch('silent'));
  expect(world.time.nowMs() - before).toBe(60_000);
  expect(stepsOf(error).length).toBe(6);
});

test('previous periods must be paid where the issuer asks for it', async () => {
  const world = new OfferWorld({ requiresPayment: true });
  const series = { recurrenceLabel: 'x' };
  const { invoice } = await world.fetch('recurring', { ...series, recurrenceCounter: 0 });
  const next = () => world.fetch('recurring', { ...series, recurrenceCounter: 1 });
  expect((await failureOf(next())).data).toMatchObject({ error: 'Previous invoice #0 status "unpaid"' });
  const issuer = world.issuers.issuer(world.offer('recurring').nodeId);
  const [issued] = [...(issuer?.book.invoices() ?? [])];
  expect(issued?.bytes).toEqual(invoice.bytes);
  issuer?.book.markPaid(issued?.label as string);
  expect((await next()).nextPeriod?.counter).toBe(2);
});

test('an offer’s string survives being written and read', () => {
  for (const { offer } of new OfferWorld().issuers.offers) {
    expect(parseOffer(formatOffer(offer)).bytes).toEqual(offer.bytes);
  }
});
