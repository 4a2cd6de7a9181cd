/**
 * Delivery of a request to its issuer, in virtual time: over the graph, over a direct connection, and around
 * nodes that do not answer.
 */
import { describe, expect, test } from 'vitest';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { encodeInvoiceError } from '../../src/bolt/invoice/bolt12-invoice.ts';
import {
  decodeOffer,
  encodeOffer,
  formatOffer,
  type Offer,
  parseOffer,
} from '../../src/bolt/invoice/bolt12-offer.ts';
import { type BlindedPath, createBlindedPath } from '../../src/bolt/onion/blinded-path.ts';
import { encodeEncryptedData } from '../../src/bolt/onion/encrypted-data.ts';
import type { MessageContent } from '../../src/bolt/onion/onion-message.ts';
import { inWords } from '../../src/commands/in-words.ts';
import { snapshotNodePrivateKey } from '../../src/gossip/node-keys.ts';
import { type ErrorName, FulguriteError } from '../../src/model/errors.ts';
import { msat } from '../../src/model/msat.ts';
import { nodeIdFromBytes, nodeIdToBytes } from '../../src/model/node-id.ts';
import { type ShortChannelId, shortChannelId } from '../../src/model/short-channel-id.ts';
import { onionAlong } from '../../src/network/onion-message-end.ts';
import {
  A,
  AB,
  B,
  C,
  CAPACITY,
  directionFrom,
  lineGraph,
  OWN_ID,
  POLICY,
} from '../network/simulated/line.ts';
import { OfferWorld, type WorldOptions } from './world.ts';

async function failureOf(promise: Promise<unknown>): Promise<FulguriteError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => inWords(reason),
  );
  if (!(error instanceof FulguriteError)) throw new Error(`no failure, but ${error}`);
  return error;
}

/** A step of the fetch, as reported to clients. */
interface ToldStep {
  readonly outcome: string;
  readonly route?: readonly string[];
  readonly started_ms: number;
}

const stepsOf = (error: FulguriteError) => error.data?.steps as readonly ToldStep[];
/** An offer whose first path begins at a node that does not exist. */
function twoPaths(world: OfferWorld): Promise<Offer> {
  const [path] = world.offer('blindedPaths').offer.fields.offerPaths ?? [];
  if (path === undefined) throw new Error('the offer has no path');
  const firstNode = curve.publicKey(new Uint8Array(32).fill(77));
  return world.reissued('blindedPaths', { offerPaths: [{ ...path, firstNode }, path] });
}

const deafToMessages = { takesMessages: () => false };

describe('reaching an issuer three hops away', () => {
  test('works over the graph in both directions', async () => {
    const world = new OfferWorld({ mayConnect: false });
    expect(world.issuerOf('silent')).toBe(C);
    const error = await failureOf(world.fetch('silent', { timeoutMs: 1000 }));
    expect(error.code).toBe(1005);
    expect(stepsOf(error)).toEqual([
      { target: C, route: [A, B, C], outcome: 'sent', started_ms: 0, took_ms: 1000 },
    ]);
  });

  test('works over a direct connection if no route carries messages, but not with noconnect', async () => {
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

  test('fails at once if the issuer is offline', async () => {
    const world = new OfferWorld(deafToMessages);
    world.simulation.setTrait(C, 'offline', true);
    const before = world.time.nowMs();
    expect((await failureOf(world.fetch('refusing'))).code).toBe(1003);
    expect(world.time.nowMs()).toBe(before);
  });
});

describe('an offer’s paths', () => {
  test('may have a second path, which is used at once if the first is unreachable', async () => {
    const world = new OfferWorld();
    const offer = await twoPaths(world);
    const error = await failureOf(world.fetch(offer));
    expect(error.data).toMatchObject({ error: 'reached' });
    expect(stepsOf(error)).toMatchObject([
      { offer_path: 0, outcome: 'unreachable', took_ms: 0 },
      { offer_path: 1, outcome: 'answered', route: [A, B] },
    ]);
  });

  test('carry the answer too: the reply path begins at their first node', async () => {
    const world = new OfferWorld();
    const offer = await twoPaths(world);
    const began: unknown[] = [];
    world.simulation.setMessageHandler(({ content: { replyPath } }) => began.push(replyPath?.firstNode));
    await failureOf(world.fetch(offer, { timeoutMs: 1000 }));
    expect(began).toEqual([nodeIdToBytes(B)]);
    began.length = 0;
    // The node before the issuer on the route is public and connected to the issuer.
    await failureOf(world.fetch('silent', { timeoutMs: 1000 }));
    expect(began).toEqual([nodeIdToBytes(B)]);
  });

  test('may name their first node by one of its channels', async () => {
    const world = new OfferWorld({ mayConnect: false });
    const { fields } = world.offer('blindedPaths').offer;
    const begin = (scid: ShortChannelId, direction: 0 | 1) => {
      const firstNode = { shortChannelId: scid, direction };
      const offerPaths = fields.offerPaths?.map((path) => ({ ...path, firstNode }));
      return world.reissued('blindedPaths', { offerPaths });
    };
    const [path] = fields.offerPaths ?? [];
    expect(nodeIdFromBytes(path?.firstNode as Uint8Array)).toBe(B);
    const error = await failureOf(world.fetch(await begin(AB, directionFrom(B, A))));
    expect(error.data).toMatchObject({ error: 'reached', steps: [{ route: [A, B] }] });
    const unknown = await failureOf(world.fetch(await begin(shortChannelId(1, 2, 3), 1)));
    expect([unknown.code, unknown.message]).toEqual([
      1003,
      'Failed: could not route or connect directly to blinded path at 1x2x3/1: Cannot resolve scidd',
    ]);
  });

  test('may begin at a node that recovers: the lost request is sent again before the same deadline', async () => {
    const world = new OfferWorld();
    world.simulation.setTrait(B, 'unresponsive', true);
    const asked = world.fetcher.fetch({ offer: world.offer('refusing').offer, timeoutMs: 20_000 });
    asked.catch(() => undefined);
    const recovers = world.time.after(1000, () => world.simulation.setTrait(B, 'unresponsive', false));
    const error = await failureOf(world.time.run(asked));
    recovers();
    expect(error.data).toMatchObject({ error: 'No more of this today' });
    expect(stepsOf(error).map(({ outcome }) => outcome)).toEqual(['sent', 'answered']);
  });
});

describe('a lost request', () => {
  test('is sent again after 2 s, then after pauses that double up to 10 s', async () => {
    const world = new OfferWorld({ mayConnect: false });
    world.simulation.setTrait(B, 'unresponsive', true);
    const steps = stepsOf(await failureOf(world.fetch('refusing', { timeoutMs: 60_000 })));
    expect(steps.map(({ started_ms }) => started_ms)).toEqual([
      0, 2000, 6000, 14_000, 24_000, 34_000, 44_000, 54_000,
    ]);
  });
});

describe('80 simultaneous requests to an issuer that answers ten per second', () => {
  test('are not repeated while answers arrive: the issuer answers 80 times', async () => {
    const world = new OfferWorld({ mayConnect: false });
    const { offer } = world.offer('anyAmount');
    let [asked, freeAtMs] = [0, 0];
    world.simulation.setMessageHandler((received) => {
      asked++;
      freeAtMs = Math.max(freeAtMs, received.nowMs) + 100;
      const waitMs = freeAtMs - received.nowMs;
      const send: typeof received.send = (to, message) => received.send(to, message, waitMs);
      world.issuers.handle({ ...received, send });
    });
    const fetch = () => world.fetcher.fetch({ offer, amountMsat: msat(1000n), timeoutMs: 60_000 });
    const began = world.time.nowMs();
    await world.time.run(Promise.all(Array.from({ length: 80 }, fetch)));
    expect(world.time.nowMs() - began).toBeGreaterThan(8000);
    expect(asked).toBe(80);
  });
});

describe('if no answer arrives over the graph', () => {
  /** B loses all messages; we ---- A ---- B ---- C */
  const withoutB = (options: WorldOptions = {}) => {
    const world = new OfferWorld(options);
    world.simulation.setTrait(B, 'unresponsive', true);
    return world;
  };

  test('the request goes over a connection to the issuer', async () => {
    const error = await failureOf(withoutB().fetch('refusing'));
    expect(error.data).toMatchObject({ error: 'No more of this today' });
    expect(stepsOf(error)).toEqual([
      { target: C, route: [A, B, C], outcome: 'sent', started_ms: 0, took_ms: expect.any(Number) },
      expect.objectContaining({ target: C, route: [C], connected: true, outcome: 'answered' }),
    ]);
  });

  test('the same route is repeated until the deadline with noconnect', async () => {
    const error = await failureOf(withoutB({ mayConnect: false }).fetch('refusing', { timeoutMs: 8000 }));
    expect(error.code).toBe(1005);
    const sent = expect.objectContaining({ route: [A, B, C], outcome: 'sent' });
    expect(stepsOf(error)).toEqual([sent, sent, sent, sent]);
  });

  test('a failed connection is reported, and the same route is repeated', async () => {
    const refused = new FulguriteError('noAddress', 'Unable to connect, no address known for peer');
    const world = withoutB({ port: { connect: () => Promise.reject(refused) } });
    const error = await failureOf(world.fetch('refusing', { timeoutMs: 4000 }));
    expect(error.code).toBe(1005);
    expect(stepsOf(error)).toMatchObject([
      { route: [A, B, C], outcome: 'sent', started_ms: 0, took_ms: 4000 },
      { outcome: 'unreachable', reason: refused.message, started_ms: 1000, took_ms: 0 },
      { route: [A, B, C], outcome: 'sent', started_ms: 1000, took_ms: 3000 },
      { route: [A, B, C], outcome: 'sent', started_ms: 2000, took_ms: 2000 },
      { route: [A, B, C], outcome: 'sent', started_ms: 3000, took_ms: 1000 },
    ]);
  });

  /**
   *     we ---- A ---- B ---- C        the detour is tried, although it shares A, our
   *              \---- D ----/              only peer, with the first route
   */
  test('all routes are tried before a direct connection', async () => {
    const graph = lineGraph();
    const D = curve.publicKey(snapshotNodePrivateKey(3));
    for (const [i, end] of [A, C].entries()) {
      const ends = [D, nodeIdToBytes(end)].sort(Buffer.compare).map((id) => graph.internNode(id));
      const scid = shortChannelId(700_000, 3 + i, 0);
      const channel = graph.addChannel(scid, ends[0] as number, ends[1] as number, CAPACITY);
      for (const direction of [0, 1] as const) graph.setPolicy(channel, direction, POLICY);
    }
    const world = new OfferWorld({ graph });
    world.simulation.setTrait(C, 'unresponsive', true);
    const offer = decodeOffer(encodeOffer({ offerIssuerId: nodeIdToBytes(C) }));
    const error = await failureOf(world.fetch(offer, { amountMsat: msat(1n), timeoutMs: 4000 }));
    const steps = stepsOf(error);
    expect(steps.map(({ outcome }) => outcome)).toEqual(['sent', 'sent', 'sent', 'sent']);
    const routes = steps.map(({ route }) => route);
    expect(routes.slice(0, 2)).toEqual(
      expect.arrayContaining([
        [A, B, C],
        [A, nodeIdFromBytes(D), C],
      ]),
    );
    expect(steps[2]).toMatchObject({ route: [C], connected: true });
  });
});

describe('a connection attempt that never ends', () => {
  const never = { connect: () => new Promise<never>(() => undefined) };

  test('does not delay the next path', async () => {
    const world = new OfferWorld({ port: never });
    const error = await failureOf(world.fetch(await twoPaths(world), { timeoutMs: 8000 }));
    expect(error.data).toMatchObject({ error: 'reached' });
    expect(stepsOf(error)).toMatchObject([
      { offer_path: 0, outcome: 'connecting', started_ms: 0, took_ms: expect.any(Number) },
      { offer_path: 1, outcome: 'answered', started_ms: 2000 },
    ]);
  });

  test('is reported when the time is up', async () => {
    const world = new OfferWorld({ ...deafToMessages, port: never });
    const error = await failureOf(world.fetch('refusing', { timeoutMs: 3000 }));
    expect(error.code).toBe(1005);
    expect(stepsOf(error)).toEqual([{ target: C, outcome: 'connecting', started_ms: 0, took_ms: 3000 }]);
  });
});

describe('a message that cannot be sent', () => {
  const failing = (name: ErrorName) => ({
    port: { sendOnionMessage: () => Promise.reject(new FulguriteError(name, 'gone')) },
  });

  test('has a specific error if no other path works either', async () => {
    const error = await failureOf(new OfferWorld(failing('notConnected')).fetch('refusing'));
    expect([error.code, error.message]).toEqual([-1, 'onion msg: gone']);
    expect(stepsOf(error)).toMatchObject([
      { route: [A, B, C], outcome: 'unreachable', reason: 'gone' },
      { route: [C], connected: true, outcome: 'unreachable', reason: 'gone' },
    ]);
  });

  test.each<[ErrorName, number]>([
    ['workerDied', -4],
    ['shuttingDown', -5],
  ])('is reported at once as %s', async (name, code) => {
    expect((await failureOf(new OfferWorld(failing(name)).fetch('refusing'))).code).toBe(code);
  });

  test('waits for room while too many messages are queued for the peer', async () => {
    let refusals = 0;
    const world = new OfferWorld();
    const send = world.messenger.send.bind(world.messenger);
    world.messenger.send = async (...message) => {
      if (++refusals <= 3) throw new FulguriteError('busy', 'gone');
      await send(...message);
    };
    expect(await world.fetch('fixed', { timeoutMs: 30_000 })).toMatchObject({ invoice: expect.anything() });
    expect(refusals).toBeGreaterThan(3);
  });

  test('fails as busy if the queue stays full until the time is up', async () => {
    const world = new OfferWorld(failing('busy'));
    const beganMs = world.time.nowMs();
    expect((await failureOf(world.fetch('refusing', { timeoutMs: 9000 }))).code).toBe(-32001);
    expect(world.time.nowMs() - beganMs).toBe(9000);
  });

  test('is refused if its path begins at us and continues over a channel that we do not have', async () => {
    const world = new OfferWorld();
    const hops = [
      {
        nodeId: nodeIdToBytes(OWN_ID),
        data: encodeEncryptedData({ shortChannelId: shortChannelId(1, 2, 3) }),
      },
      { nodeId: nodeIdToBytes(C), data: encodeEncryptedData({}) },
    ];
    const offerPaths = [createBlindedPath(hops, new Uint8Array(32).fill(3))];
    const offer = decodeOffer(encodeOffer({ offerPaths }));
    const error = await failureOf(world.fetch(offer, { amountMsat: msat(1n) }));
    expect([error.code, error.message]).toEqual([-1, 'onion msg: unknown next scid 1x2x3']);
  });

  test('has a parameter error if its request is too long', async () => {
    const payerNote = 'long '.repeat(7000);
    const error = await failureOf(new OfferWorld().fetch('fixed', { payerNote }));
    expect([error.code, error.message]).toEqual([-32602, 'Creating onion failed (tlvs too long?)']);
  });
});

describe('the accepted answer', () => {
  /**
   * A network in which C answers every request with this content, over the reply path or over the path that
   * `pathOf` gives.
   */
  const answering = (
    content: MessageContent,
    pathOf: (replyPath: BlindedPath) => BlindedPath | undefined = (replyPath) => replyPath,
  ) => {
    const world = new OfferWorld({ mayConnect: false });
    world.simulation.setMessageHandler(({ content: { replyPath }, send }) => {
      if (replyPath === undefined) return;
      const path = pathOf(replyPath);
      const route = path === undefined ? [B, A, OWN_ID] : [B];
      send(B, onionAlong({ route, path, content }, C));
    });
    world.messenger.onUnsolicited = ({ content: { invoice: bytes } }) => unsolicited.push(bytes);
    return failureOf(world.fetch('refusing', { timeoutMs: 1000 }));
  };
  const unsolicited: (Uint8Array | undefined)[] = [];
  const invoice = Uint8Array.of(1);

  test('is the first that arrives over our reply path, even if it is invalid', async () => {
    expect(await answering({ invoice })).toMatchObject({ code: 1004, data: { field: 'invoice' } });
  });

  test('cannot arrive without a path', async () => {
    expect((await answering({ invoice }, () => undefined)).code).toBe(1005);
    expect(unsolicited.splice(0)).toEqual([invoice]);
  });

  test('cannot arrive over a path that we did not make', async () => {
    const forged = () =>
      createBlindedPath(
        [
          { nodeId: nodeIdToBytes(B), data: encodeEncryptedData({ nextNodeId: nodeIdToBytes(A) }) },
          { nodeId: nodeIdToBytes(A), data: encodeEncryptedData({ nextNodeId: nodeIdToBytes(OWN_ID) }) },
          { nodeId: nodeIdToBytes(OWN_ID), data: encodeEncryptedData({ pathId: new Uint8Array(32) }) },
        ],
        new Uint8Array(32).fill(4),
      );
    expect((await answering({ invoice }, forged)).code).toBe(1005);
    expect(unsolicited.splice(0)).toEqual([invoice]);
  });

  test('cannot contain both an invoice and an error', async () => {
    const invoiceError = encodeInvoiceError({ error: 'no' });
    expect((await answering({ invoice, invoiceError })).code).toBe(1005);
  });
});

test('a silent issuer is awaited until the deadline, and gets eight requests', async () => {
  const world = new OfferWorld();
  const before = world.time.nowMs();
  const error = await failureOf(world.fetch('silent'));
  expect(world.time.nowMs() - before).toBe(60_000);
  expect(stepsOf(error).length).toBe(8);
});

test('previous periods must be paid if the issuer requires it', async () => {
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

test('an offer survives formatting and parsing', () => {
  for (const { offer } of new OfferWorld().issuers.offers) {
    expect(parseOffer(formatOffer(offer)).bytes).toEqual(offer.bytes);
  }
});
