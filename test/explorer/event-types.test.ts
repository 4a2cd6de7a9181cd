/**
 * The descriptions of events in `event-types.ts`, against events of a real node. The compiler checks the
 * tables against the types, and the test checks the events against the tables: there is no unknown member,
 * every required member is present, and each has a value of its kind.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as told from '../../src/explorer/event-types.ts';
import { EventCutter, type RawEvent } from '../../src/explorer/events.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';

type Kind<V> = V extends string
  ? 'string'
  : V extends number | bigint
    ? 'number'
    : V extends boolean
      ? 'boolean'
      : 'object';
/** The members of an event with their kinds. Those that may be absent have a question mark. */
type Members<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? `${Kind<NonNullable<T[K]>>}?`
    : Kind<T[K]>;
};
type Table = Readonly<Record<string, string>>;

const PAYMENT: Members<told.PaymentEventData> = {
  type: 'string',
  time: 'number',
  status: 'string',
  payment: 'object',
  resumed: 'boolean?',
  height: 'number?',
  completed_at: 'number?',
  amount_msat: 'number?',
  amount_sent_msat: 'number?',
  attempts: 'number?',
  parts: 'number?',
  failure: 'string?',
  simulated: 'boolean?',
};
const SUMMARY: Members<told.PaymentSummary> = {
  id: 'string',
  created_index: 'number',
  command: 'string',
  payment_hash: 'string',
  destination: 'string',
  amount_msat: 'number',
  label: 'string?',
  created_at: 'number',
};
const ATTEMPT: Members<told.AttemptEventData> = {
  type: 'string',
  time: 'number',
  payment: 'object',
  id: 'number',
  attempt: 'object',
  simulated: 'boolean?',
};
const FACTS: Members<told.AttemptFacts> = {
  status: 'string',
  failreason: 'string?',
  partid: 'number',
  amount_msat: 'number',
  amount_sent_msat: 'number',
  probability_ppm: 'number',
  created_at: 'number',
  completed_at: 'number?',
  route: 'object',
  failure: 'object?',
  learned: 'object?',
};
const FAILURE: Members<NonNullable<told.AttemptFacts['failure']>> = {
  erring_index: 'number?',
  failcode: 'number?',
  failcodename: 'string?',
  erring_node: 'string?',
  erring_channel: 'string?',
  erring_direction: 'number?',
  raw_message: 'string?',
};
const HOP: Members<told.AttemptHop> = {
  short_channel_id_dir: 'string',
  id: 'string',
  amount_msat: 'number',
  delay: 'number',
};
const LEARNED: Members<told.LessonsEventData> = {
  type: 'string',
  time: 'number',
  payment: 'object',
  partid: 'number',
  learned: 'object',
  simulated: 'boolean?',
};
const LAYER: Members<told.LayerEventData> = {
  type: 'string',
  time: 'number',
  layer: 'string',
  status: 'string',
  persistent: 'boolean',
  changes: 'number',
};
const FETCH: Members<told.FetchEventData> = {
  type: 'string',
  time: 'number',
  status: 'string',
  fetch: 'object',
  took_ms: 'number?',
  steps: 'object?',
  amount_msat: 'number?',
  failure: 'object?',
  simulated: 'boolean?',
};
const FETCH_SUMMARY: Members<told.FetchEventData['fetch']> = {
  number: 'number',
  offer_id: 'string',
  amount_msat: 'number?',
  timeout: 'number',
};
const INVOICE: Members<told.InvoiceEventData> = {
  type: 'string',
  time: 'number',
  status: 'string',
  invoice: 'object',
  amount_received_msat: 'number?',
  paid_at: 'number?',
  pay_index: 'number?',
  simulated: 'boolean?',
};
const INVOICE_SUMMARY: Members<told.InvoiceEventData['invoice']> = {
  label: 'string',
  created_index: 'number',
  payment_hash: 'string',
  amount_msat: 'number?',
  expires_at: 'number',
};
const STATS: Members<told.StatsEventData> = {
  type: 'string',
  time: 'number',
  payments_in_flight: 'number',
  payments_complete: 'number',
  payments_failed: 'number',
  htlcs_in_flight: 'number',
  htlcs_in_flight_msat: 'number',
  attempts_settled: 'number',
  attempts_failed: 'number',
  fetches_in_flight: 'number',
  searches_answered: 'number',
  searches_queued: 'number',
  searches_running: 'number',
  workers: 'number',
  workers_replaced: 'number',
  search_ms_p50: 'number?',
  search_ms_p99: 'number?',
  commits: 'number',
  commit_ms_p50: 'number?',
  commit_ms_p99: 'number?',
  blockheight: 'number',
  resident_bytes: 'number',
  simulated: 'boolean?',
};

/** The differences between an object and a table. */
function misfits(where: string, table: Table, value: object): string[] {
  const unknown = Object.keys(value).filter((name) => !(name in table));
  const wrong = Object.entries(table).filter(([name, kind]) => {
    const member = (value as Record<string, unknown>)[name];
    const actual: string = typeof member;
    return member === undefined ? !kind.endsWith('?') : actual !== kind.replace('?', '');
  });
  return [
    ...unknown.map((name) => `${where}.${name} is not in the types`),
    ...wrong.map(([name, kind]) => `${where}.${name} is not ${kind}`),
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: each kind of event has a shape of its own
const CHECKS: Readonly<Record<string, (body: any) => string[]>> = {
  payment: (body) => [
    ...misfits('payment', PAYMENT, body),
    ...misfits('payment.payment', SUMMARY, body.payment),
  ],
  attempt: (body) => [
    ...misfits('attempt', ATTEMPT, body),
    ...misfits('attempt.payment', SUMMARY, body.payment),
    ...misfits('attempt.attempt', FACTS, body.attempt),
    ...misfits('attempt.attempt.failure', FAILURE, body.attempt.failure ?? {}),
    ...body.attempt.route.flatMap((hop: object) => misfits('attempt.attempt.route', HOP, hop)),
  ],
  learned: (body) => misfits('learned', LEARNED, body),
  layer: (body) => misfits('layer', LAYER, body),
  fetch: (body) => [...misfits('fetch', FETCH, body), ...misfits('fetch.fetch', FETCH_SUMMARY, body.fetch)],
  invoice: (body) => [
    ...misfits('invoice', INVOICE, body),
    ...misfits('invoice.invoice', INVOICE_SUMMARY, body.invoice),
  ],
  stats: (body) => misfits('stats', STATS, body),
};

const MAX_ROUNDS = 200;
/**
 * Pause between rounds, in milliseconds. It does not divide the time for which events are gathered, so that rounds
 * begin at different points within that time.
 */
const PAUSE_MS = 37;

const directory = temporaryDirectory();
let daemon: DaemonHere;
beforeAll(async () => {
  const options = ['--graph', 'synthetic:200', '--seed', '7', '--http', '127.0.0.1:0'];
  daemon = await DaemonHere.start(join(directory.path, 'home'), options);
});
afterAll(async () => {
  await daemon?.stop();
  directory.remove();
});

test('the event types match a node’s reports of payments, attempts, lessons, layers, fetches and itself', async () => {
  const { rune } = await daemon.result('createrune', { restrictions: 'readonly' });
  const stop = new AbortController();
  const response = await fetch(`${daemon.httpUrl}/v1/notifications`, {
    headers: { Rune: rune },
    signal: stop.signal,
  });
  // An error in these actions ends the wait for events, and therefore the test.
  const busy = beBusy().then(() => tryAgain(() => wanted.size === 0));
  busy.catch((error) => stop.abort(error));
  const wanted = new Set([
    ...['payment pending', 'payment complete', 'payment failed', 'attempt success', 'attempt failed'],
    ...['learned', 'layer created', 'layer removed', 'fetch pending', 'fetch complete', 'stats'],
    'invoice expired',
  ]);
  const found: string[] = [];
  for await (const { name, text } of eventsOf(response.body!)) {
    const body = JSON.parse(text);
    wanted.delete([name, body.attempt?.status ?? body.status].filter(Boolean).join(' '));
    found.push(...CHECKS[name]!(body));
    if (wanted.size === 0) break;
  }
  stop.abort();
  await busy;
  expect(found).toEqual([]);
});

async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<RawEvent> {
  const cutter = new EventCutter();
  const decoder = new TextDecoder();
  for await (const piece of stream) yield* cutter.take(decoder.decode(piece, { stream: true }));
}

/**
 * Repeats fetches and payments until every event was seen. Events are gathered for a tenth of a second, and
 * only the last event of each payment is reported, so a quick payment is not reported as pending.
 */
async function tryAgain(isSeen: () => boolean): Promise<void> {
  const { channels } = await daemon.result('listpeerchannels');
  for (let round = 0; round < MAX_ROUNDS && !isSeen(); round++) {
    await fetchInvoice();
    await daemon.result('xkeysend', { destination: channels[0].peer_id, amount_msat: 1000 });
    await sleep(PAUSE_MS);
  }
  if (!isSeen()) throw new Error('an event was never reported');
}

/** Fetches an invoice of the first issuer that answers. */
async function fetchInvoice(): Promise<void> {
  const { offers } = await daemon.result('listsimulatedoffers');
  for (const { bolt12 } of offers) {
    const { error } = await daemon.call('fetchinvoice', { offer: bolt12, amount_msat: '25sat' });
    if (error === undefined) return;
  }
}

/** A node that is in no graph. Its key is the generator of the curve. */
const NOWHERE = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

/**
 * Creates an event of each kind: with a layer, a fetch, a payment that arrives, and one that fails at a forwarding
 * node. The only route of the failing payment ends in a channel that a layer made up, so its only part fails with
 * certainty and at once. (Of several parts, those that arrive would wait a minute at the recipient for the others.)
 */
async function beBusy(): Promise<void> {
  await daemon.result('askrene-create-layer', { layer: 'short' });
  await daemon.result('askrene-remove-layer', { layer: 'short' });
  await fetchInvoice();
  await daemon.result('invoice', { amount_msat: 1000, label: 'brief', description: 'x', expiry: 1 });
  const { channels } = await daemon.result('listpeerchannels');
  const peer = channels[0].peer_id;
  await daemon.result('xkeysend', { destination: peer, amount_msat: 1000, label: 'tea' });
  const layer = 'invented';
  await daemon.result('askrene-create-layer', { layer });
  await daemon.result('askrene-create-channel', {
    ...{ layer, source: peer, destination: NOWHERE },
    ...{ short_channel_id: '1x2x3', capacity_msat: '1000000sat' },
  });
  await daemon.result('askrene-update-channel', {
    ...{ layer, short_channel_id_dir: `1x2x3/${peer < NOWHERE ? 0 : 1}`, enabled: true },
    ...{ htlc_minimum_msat: 0, htlc_maximum_msat: '1000000sat', cltv_expiry_delta: 6 },
    ...{ fee_base_msat: 0, fee_proportional_millionths: 0 },
  });
  const payment = { destination: NOWHERE, amount_msat: 1000, layers: [layer], retry_for: 0 };
  const { error } = await daemon.call('xkeysend', payment);
  if (error?.data?.attempts?.length !== 1) throw new Error(`no failed attempt: ${error?.message}`);
}
