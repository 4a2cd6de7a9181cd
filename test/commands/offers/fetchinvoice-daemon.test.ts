/**
 * `fetchinvoice` as a user runs it: the daemon is a separate process with the simulated network in one of its
 * threads, and every request goes over the socket. The tests cover every kind of offer that
 * `listsimulatedoffers` shows, every parameter and every error code.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeOffer, formatOffer } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { createBlindedPath } from '../../../src/bolt/onion/blinded-path.ts';
import { encodeEncryptedData } from '../../../src/bolt/onion/encrypted-data.ts';
import { type NodeId, nodeIdToBytes } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { KINDS, type OfferKind } from '../../../src/simulated-issuers/offers.ts';
import { temporaryDirectory } from '../../rpc/support.ts';
import { until } from '../../until.ts';
import { DaemonProcess } from '../daemon-process.ts';

const OPTIONS = ['--graph', 'synthetic:300', '--developer'];
const directory = temporaryDirectory();
const home = join(directory.path, 'home');
let daemon: DaemonProcess;
const offers = new Map<OfferKind, { bolt12: string; nodeId: NodeId }>();

beforeAll(async () => {
  daemon = await DaemonProcess.start(home, OPTIONS);
  const listed = (await daemon.result('listsimulatedoffers')).offers as {
    kind: string;
    node_id: NodeId;
    bolt12: string;
  }[];
  for (const { kind: word, bolt12, node_id: nodeId } of listed) {
    const kind = word.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as OfferKind;
    offers.set(kind, { bolt12, nodeId });
  }
});
afterAll(async () => {
  await daemon?.stop();
  directory.remove();
});

const offer = (kind: OfferKind): string => offers.get(kind)?.bolt12 as string;
const fetch = (kind: OfferKind, params: object = {}) =>
  daemon.result('fetchinvoice', { offer: offer(kind), timeout: 20, ...params });
const failure = (kind: OfferKind, params: object = {}) =>
  daemon.error('fetchinvoice', { offer: offer(kind), timeout: 20, ...params });
const decode = (string: string) => daemon.result('decode', { string });
const series = (label: string, counter = 0) => ({ recurrence_label: label, recurrence_counter: counter });

test('listsimulatedoffers shows one offer of every kind', () => {
  expect([...offers.keys()]).toEqual(Object.keys(KINDS));
});

describe('every kind of offer', () => {
  test.each<[OfferKind, object, number, object]>([
    ['fixed', {}, 10_000, {}],
    ['anyAmount', { amount_msat: 777 }, 777, { amount_msat: 777 }],
    ['quantity', { quantity: 3 }, 15_000, {}],
    ['anyQuantity', { quantity: 1000 }, 100_000, {}],
    ['currency', {}, 2_500_000, { amount_msat: 2_500_000 }],
    ['expiring', {}, 7000, {}],
    ['blindedPaths', {}, 3000, {}],
    ['noIssuerId', {}, 4000, {}],
    ['recurring', series('kinds'), 1000, { next_period: expect.objectContaining({ counter: 1 }) }],
    [
      'recurringWithBase',
      { ...series('kinds'), recurrence_start: 70 },
      50_000,
      { next_period: expect.objectContaining({ counter: 1, starttime: 1_577_836_800 + 71 * 30 * 86_400 }) },
    ],
    ['recurringSeconds', series('kinds'), 10, { next_period: expect.objectContaining({ counter: 1 }) }],
  ])('%s %j', async (kind, params, amount, changes) => {
    const fetched = await fetch(kind, params);
    expect(fetched.changes).toEqual(changes);
    expect(fetched.next_period).toEqual(fetched.changes.next_period);
    const invoice = await decode(fetched.invoice);
    expect(invoice).toMatchObject({ type: 'bolt12 invoice', valid: true, invoice_amount_msat: amount });
    const told = await decode(offer(kind));
    expect(invoice.offer_id).toBe(told.offer_id);
    const paths = (told.offer_paths ?? []) as { path: { blinded_node_id: string }[] }[];
    const ends = paths.map(({ path }) => path.at(-1)?.blinded_node_id);
    const signers = kind === 'noIssuerId' ? ends : [offers.get(kind)?.nodeId];
    expect(signers).toContain(invoice.invoice_node_id);
  });
});

describe('every parameter', () => {
  test('by name arrives in the invoice', async () => {
    const said = { payer_note: 'a "note"\n', payer_metadata: 'c0ffee', bip353: '\u20bfbob@example.com' };
    const { invoice, changes } = await fetch('quantity', { quantity: 2, amount_msat: '11sat', ...said });
    expect(changes).toEqual({ amount_msat: 11_000 });
    expect(await decode(invoice)).toMatchObject({
      invreq_quantity: 2,
      invreq_amount_msat: 11_000,
      invreq_payer_note: 'a "note"\n',
      invreq_metadata: 'c0ffee',
      invreq_bip_353_name: { name: 'bob', domain: 'example.com' },
    });
  });

  test('by position, in the order of the synopsis', async () => {
    const params = [offer('recurringWithBase'), 60_000, null, 0, 71, 'by position', 20, 'hi', null, 'a@b.c'];
    const { invoice } = await daemon.result('fetchinvoice', params);
    expect(await decode(invoice)).toMatchObject({
      invreq_amount_msat: 60_000,
      invreq_recurrence_counter: 0,
      invreq_recurrence_start: 71,
      invreq_payer_note: 'hi',
      invreq_bip_353_name: { name: 'a', domain: 'b.c' },
    });
    const metadata = [offer('fixed'), null, null, null, null, null, null, null, 'secret'];
    const fetched = await daemon.result('fetchinvoice', metadata);
    const bytes = Buffer.from('secret').toString('hex');
    expect(await decode(fetched.invoice)).toMatchObject({ invreq_metadata: bytes });
  });

  const TAIL = ': invalid token (see logs for details)';
  const tooLong = (name: string, bytes: number) => `${name}: should have at most ${bytes} bytes${TAIL}`;
  test.each<[string, OfferKind, object, string]>([
    ['offer', 'fixed', { offer: 'lno1qqqq' }, `offer: Unparsable offer: invalid offer data${TAIL}`],
    [
      'amount_msat',
      'fixed',
      { amount_msat: '1.5sat' },
      `amount_msat: should be a millisatoshi amount${TAIL}`,
    ],
    ['amount_msat', 'anyAmount', {}, 'amount_msat parameter required'],
    ['quantity', 'quantity', { quantity: 'x' }, `quantity: should be an unsigned 64 bit integer${TAIL}`],
    ['quantity', 'quantity', {}, 'quantity parameter required'],
    ['quantity', 'quantity', { quantity: 0 }, 'quantity parameter must be non-zero'],
    ['quantity', 'quantity', { quantity: 4 }, 'quantity must be <= 3'],
    ['quantity', 'fixed', { quantity: 1 }, 'quantity parameter unnecessary'],
    ['quantity', 'anyQuantity', { quantity: '18446744073709551615' }, 'quantity causes overflow'],
    ['recurrence_counter', 'recurring', {}, 'needs recurrence_counter'],
    [
      'recurrence_counter',
      'recurring',
      { recurrence_counter: 4_294_967_296 },
      `recurrence_counter: should be an integer${TAIL}`,
    ],
    ['recurrence_counter', 'fixed', { recurrence_counter: 0 }, 'unnecessary invreq_recurrence_counter'],
    [
      'recurrence_start',
      'recurring',
      { recurrence_start: -1 },
      `recurrence_start: should be an integer${TAIL}`,
    ],
    [
      'recurrence_start',
      'recurring',
      { ...series('x'), recurrence_start: 0 },
      'unnecessary recurrence_start',
    ],
    ['recurrence_start', 'fixed', { recurrence_start: 0 }, 'unnecessary invreq_recurrence_start'],
    ['recurrence_label', 'recurring', { recurrence_counter: 0 }, 'needs recurrence_label'],
    ['recurrence_label', 'fixed', { recurrence_label: 'x' }, 'unnecessary recurrence_label'],
    [
      'recurrence_label',
      'recurring',
      { recurrence_label: [], recurrence_counter: 0 },
      `recurrence_label: should be a string or number${TAIL}`,
    ],
    ['timeout', 'fixed', { timeout: '1s' }, `timeout: should be an integer${TAIL}`],
    ['payer_metadata', 'fixed', { payer_metadata: {} }, `payer_metadata: should be a string${TAIL}`],
    [
      'payer_metadata',
      'fixed',
      { payer_metadata: '' },
      `payer_metadata: should not be empty: the payer id is derived from it${TAIL}`,
    ],
    [
      'payer_metadata',
      'recurring',
      { ...series('x'), payer_metadata: '00' },
      'Cannot set payer_metadata for recurring offers',
    ],
    ['offer', 'fixed', { offer: `lno1${'q'.repeat(131_072)}` }, `offer: Unparsable offer: too long${TAIL}`],
    ['recurrence_label', 'recurring', series('x'.repeat(4097)), tooLong('recurrence_label', 4096)],
    ['payer_note', 'fixed', { payer_note: '\u00e9'.repeat(8193) }, tooLong('payer_note', 16_384)],
    ['payer_metadata', 'fixed', { payer_metadata: 'x'.repeat(4097) }, tooLong('payer_metadata', 4096)],
    ['bip353', 'fixed', { bip353: 'bob' }, `bip353: missing @${TAIL}`],
    ['bip353', 'fixed', { bip353: '@example.com' }, `bip353: not a bip353 name${TAIL}`],
  ])('%s, -32602: %s %j', async (parameter, kind, params, message) => {
    const error = await failure(kind, params);
    expect(error).toMatchObject({ code: -32602, message, data: { parameter } });
  });

  test('unknown ones are refused, the offer is required, and a note must fit a message', async () => {
    expect(await daemon.error('fetchinvoice')).toMatchObject({
      code: -32602,
      message: 'missing required parameter: offer',
    });
    expect(await failure('fixed', { nosuch: 1 })).toMatchObject({ code: -32602 });
    const long = {
      offerDescription: 'x'.repeat(20_000),
      offerIssuerId: nodeIdToBytes(offers.get('fixed')!.nodeId),
    };
    const bytes = encodeOffer(long);
    const asked = { offer: formatOffer({ bytes }), amount_msat: 1, payer_note: 'y'.repeat(16_000) };
    expect(await daemon.error('fetchinvoice', asked)).toMatchObject({
      code: -32602,
      message: 'Creating onion failed (tlvs too long?)',
    });
  });
});

describe('every error code', () => {
  test('-1: the message cannot be sent', async () => {
    const { id } = await daemon.result('getinfo');
    const begin = {
      nodeId: nodeIdToBytes(id),
      data: encodeEncryptedData({ shortChannelId: shortChannelId(1, 2, 3) }),
    };
    const end = { nodeId: nodeIdToBytes(id), data: encodeEncryptedData({}) };
    const bytes = encodeOffer({ offerPaths: [createBlindedPath([begin, end], new Uint8Array(32).fill(1))] });
    const error = await daemon.error('fetchinvoice', { offer: formatOffer({ bytes }), amount_msat: 1 });
    expect(error).toMatchObject({
      code: -1,
      message: 'onion msg: unknown next scid 1x2x3',
      data: { steps: [{ target: id, offer_path: 0, route: [], outcome: 'unreachable' }] },
    });
  });

  test('1002: expired', async () => {
    expect(await failure('expired')).toMatchObject({ code: 1002, message: 'Offer expired' });
  });

  test('1003: no node can be reached; fails at once', async () => {
    const unknown = `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`;
    const bytes = encodeOffer({ offerIssuerId: new Uint8Array(Buffer.from(unknown, 'hex')) });
    const error = await daemon.error('fetchinvoice', { offer: formatOffer({ bytes }), amount_msat: 1 });
    expect(error).toMatchObject({
      code: 1003,
      data: { steps: [{ target: unknown, outcome: 'unreachable', reason: `cannot connect to ${unknown}` }] },
    });
  });

  test('1004: the issuer refuses, reports an error, or lies', async () => {
    expect(await failure('refusing')).toMatchObject({
      code: 1004,
      message: 'Remote node sent failure message',
      data: { error: 'No more of this today', steps: [{ outcome: 'answered' }] },
    });
    expect(await failure('fixed', { amount_msat: 9999 })).toMatchObject({
      code: 1004,
      data: { erroneous_field: 82, error: 'Amount must be at least 10000msat' },
    });
    expect(await failure('lying')).toMatchObject({
      code: 1004,
      message: expect.stringMatching(/^Incorrect invoice_node_id field in "[0-9a-f]+"$/),
      data: { field: 'invoice_node_id', steps: [{ outcome: 'answered' }] },
    });
  });

  test('1005: no answer over the graph or over a connection; both steps are reported', async () => {
    const error = await failure('silent', { timeout: 2 });
    expect(error).toMatchObject({
      code: 1005,
      message: 'Timeout waiting for response',
      data: { timeout: 2 },
    });
    const [first, second] = error.data.steps;
    expect(first).toMatchObject({
      outcome: 'sent',
      route: expect.any(Array),
      started_ms: expect.any(Number),
    });
    expect(second).toMatchObject({ outcome: 'sent', connected: true, took_ms: expect.any(Number) });
  });
});

describe('a series continues after the daemon', () => {
  const label = 'a "label"\twith \\ and \u20bf';

  /** The terms that must stay the same throughout a series. */
  const constant = async (kind: OfferKind, params: object) => {
    const invoice = await decode((await fetch(kind, params)).invoice);
    const { invoice_recurrence_basetime, invreq_payer_id, invreq_metadata, invreq_recurrence_start } =
      invoice;
    return { invoice_recurrence_basetime, invreq_payer_id, invreq_metadata, invreq_recurrence_start };
  };

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'ends by %s: the label links to it',
    async (signal) => {
      const ours = (counter: number) => series(`${label} ${signal}`, counter);
      const begun = await constant('recurring', ours(0));
      const based = await constant('recurringWithBase', { ...ours(0), recurrence_start: 70 });
      await daemon.stop(signal);
      daemon = await DaemonProcess.start(home, OPTIONS);
      expect(await constant('recurring', ours(1))).toEqual(begun);
      // The start of the series is remembered too.
      expect(await constant('recurringWithBase', ours(1))).toEqual(based);
      const other = await constant('recurring', series('another label'));
      expect(other.invreq_payer_id).not.toBe(begun.invreq_payer_id);
    },
    60_000,
  );
});

test('a kill loses no acknowledged offer, and re-enables no disabled one', async () => {
  const acknowledged: string[] = [];
  const making = (async () => {
    for (let i = 0; ; i++) {
      const { offer_id } = await daemon.result('offer', { amount: 'any', description: `number ${i}` });
      acknowledged.push(offer_id);
      if (i === 2) await daemon.result('disableoffer', { offer_id });
    }
  })().catch((error: Error) => error.message);
  await until(() => acknowledged.length >= 10);
  await daemon.stop('SIGKILL');
  expect(await making).toBe('no answer to offer');
  daemon = await DaemonProcess.start(home, OPTIONS);
  const listed = (await daemon.result('listoffers')).offers as { offer_id: string; active: boolean }[];
  const active = new Map(listed.map((one) => [one.offer_id, one.active]));
  expect(acknowledged.map((id) => active.get(id))).toEqual(acknowledged.map((_, i) => i !== 2));
}, 60_000);
