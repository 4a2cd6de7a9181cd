/**
 * Recorded conversations with a Core Lightning node about offers, all replayed against our service.
 *
 * Where that node fetched invoices for offers, a node of the simulated network issues offers with the same
 * terms. Where it made offers, we make them in the recorded order. Values that depend on keys, random numbers
 * or the time are not compared (`NOT_COMPARED`). Everything else must be equal, except for the listed
 * differences, each with the decision behind it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromHex } from '../../../src/bolt/bytes.ts';
import { decodeInvoice, parseInvoice } from '../../../src/bolt/invoice/bolt12-invoice.ts';
import { invoiceRequestId } from '../../../src/bolt/invoice/bolt12-merkle.ts';
import { parseOffer } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { msat } from '../../../src/model/msat.ts';
import { describeNeeding } from '../../needs.ts';
import { recordings } from '../recordings.ts';
import { OfferNode } from './offer-node.ts';

interface Recorded {
  readonly case: string;
  readonly request_raw: string;
  readonly response_raw: string;
}

type Fields = Record<string, unknown>;
interface Content {
  readonly result?: Fields;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Fields };
}

const COMMANDS = ['fetchinvoice', 'decode', 'offer', 'disableoffer', 'listoffers', 'listinvoices'];
const REGTEST = fromHex('06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f');
const all = recordings<Recorded>();
const isWanted = ({ case: name }: Recorded): boolean => COMMANDS.includes(name.split('_')[0] as string);
/**
 * The number of a recorded request, by which the requests are sorted. Infinite for the invoices of the second pair
 * of nodes, so that they come last.
 */
const order = ({ case: name, request_raw }: Recorded): number => {
  if (name === 'listinvoices_two-node-receiver') return Number.POSITIVE_INFINITY;
  const { id } = JSON.parse(request_raw) as { id: string };
  return Number(/#(\d+)$/.exec(id)?.[1] ?? 0);
};
const recorded = all.filter(isWanted).sort((a, b) => order(a) - order(b));

/** Members that depend on keys, random numbers, the time, or the payer's path to the issuer. */
const NOT_COMPARED = [
  ...['offer_id', 'offer_issuer_id', 'offer_paths', 'invreq_payer_id', 'invoice_paths', 'invoice_node_id'],
  ...['invoice_created_at', 'invoice_payment_hash', 'invoice_recurrence_basetime', 'signature'],
  'bolt12',
];

type Difference = readonly [decision: string, apply: (theirs: Content) => Content];

const inResult = (decision: string, change: (result: Fields) => Fields): Difference => [
  decision,
  ({ result = {} }) => ({ result: { ...result, ...change(result) } }),
];
const withAmount = (amount_msat: number): Difference =>
  inResult('decision 19: an amount that the offer does not name is a change', ({ changes }) => ({
    changes: { ...(changes as Fields), amount_msat },
  }));
const asText = (hex: string): Difference =>
  inResult('decision 22: a value that is not hex is used as text', ({ invoice }) => ({
    invoice: { ...(invoice as Fields), invreq_metadata: hex },
  }));

/** For cases in which our answer differs on purpose: turns Core Lightning's answer into ours. */
const DIFFERENT: Readonly<Record<string, Difference>> = {
  'fetchinvoice_any-amount-zero': [
    'decision 4: an amount of zero is refused, since it would pay nothing',
    () => ({ error: { code: -32602, message: 'amount_msat parameter must be non-zero' } }),
  ],
  'fetchinvoice_ok-any': withAmount(3000),
  'fetchinvoice_ok-any-no-description': withAmount(1000),
  'fetchinvoice_ok-positional': withAmount(4000),
  'fetchinvoice_ok-more-than-fixed': withAmount(15_000),
  'fetchinvoice_bad-payer_metadata-hex': asText(Buffer.from('xyz').toString('hex')),
  'fetchinvoice_wrong-type-payer_metadata': asText(Buffer.from('xyz').toString('hex')),
  'fetchinvoice_ok-recurring-0': inResult(
    'decision 18: next_period is inside changes too',
    ({ next_period }) => ({ changes: { next_period } }),
  ),
  'fetchinvoice_offer-with-plus': [
    'decision 7: JSON strings are unescaped, so "\\n" after + is a line break',
    () => ({ result: expect.objectContaining({ changes: {} }) }),
  ],
  'offer_fixed-again': inResult(
    'our paths are derived from the offer, so repeating the request yields the existing offer with its label',
    () => ({ created: false, label: 'lbl' }),
  ),
  offer_usd: [
    'that node lacks a plugin; ours reports that it has no exchange rates',
    () => ({
      error: { code: -32602, message: 'no exchange rates: this node cannot convert currencies' },
    }),
  ],
  listinvoices_l2: [
    'that node’s invoices are all for received keysends; we keep no invoices for keysends, and receive none here',
    () => ({ result: { invoices: [] } }),
  ],
  listinvoices_l3: ['as listinvoices_l2', () => ({ result: { invoices: [] } })],
};

describeNeeding('conversations', recorded.length > 0, 'recorded conversations about offers', () => {
  const node = new OfferNode({ chainHash: REGTEST });
  /** Our offer ids, by the recorded ids. */
  const offerIds = new Map<string, string>();
  beforeAll(() => node.start());
  afterAll(() => node.destroy());

  test('exist, and so does every listed difference', () => {
    expect(recorded.length).toBe(70);
    expect(recorded.map(({ case: name }) => name)).toEqual(expect.arrayContaining(Object.keys(DIFFERENT)));
  });

  test.each(recorded)('$case', async ({ case: name, request_raw, response_raw }) => {
    const { method, params } = JSON.parse(request_raw) as { method: string; params: Fields };
    if (name === 'fetchinvoice_1003-no-route') lookLikeTheWire();
    if (name === 'listinvoices_two-node-receiver') receive(JSON.parse(response_raw) as Content);
    const answer = await node.send(await translated(request_raw, method, params));
    const theirs = await comparable(method, JSON.parse(response_raw) as Content);
    const ours = await comparable(method, answer);
    if (method === 'offer' && answer.result !== undefined) remember(response_raw, answer.result);
    const expected = DIFFERENT[name]?.[1](theirs) ?? theirs;
    expect(ours).toEqual(expected);
  });

  /** The request with the recorded offers and ids replaced with those of our nodes. */
  async function translated(request: string, method: string, params: Fields): Promise<string> {
    if (method === 'disableoffer') {
      const id = params.offer_id as string;
      return request.replace(id, offerIds.get(id) as string);
    }
    const offer = Array.isArray(params) ? params[0] : params.offer;
    if (method !== 'fetchinvoice' || typeof offer !== 'string') return request;
    return request.replace(JSON.stringify(offer), JSON.stringify(await reissued(offer)));
  }

  /**
   * The same offer, issued here. A text that is not an offer for this chain with a path to its issuer is returned as
   * is.
   */
  async function reissued(text: string): Promise<string> {
    try {
      const { fields } = parseOffer(text);
      const isOurs = fields.offerChains !== undefined && fields.offerPaths !== undefined;
      return isOurs ? await node.reissue(fields) : text;
    } catch {
      return text;
    }
  }

  function remember(response_raw: string, { offer_id }: Fields): void {
    const { result } = JSON.parse(response_raw) as Content;
    offerIds.set(result?.offer_id as string, offer_id as string);
  }

  /**
   * Lets connections fail because an address is missing, as on the real network. Simulated nodes need no
   * addresses.
   */
  function lookLikeTheWire(): void {
    node.port.connect = () =>
      Promise.reject(new FulguriteError('noAddress', 'Unable to connect, no address known for peer'));
  }

  /** Creates here the invoices that the recorded node had created. */
  function receive({ result }: Content): void {
    const { invoices = [] } = (result ?? {}) as { invoices?: Record<string, string & number>[] };
    for (const shown of invoices) {
      if (shown.bolt12 === undefined) continue;
      const { bytes } = parseInvoice(shown.bolt12);
      const { fields } = decodeInvoice(bytes);
      node.offers.own.book.putInvoice({
        label: shown.label as string,
        offerId: fromHex(shown.local_offer_id as string),
        requestId: invoiceRequestId(bytes),
        bytes,
        preimage: new Uint8Array(32),
        paymentHash: fields.invoicePaymentHash as Uint8Array,
        amountMsat: msat(fields.invoiceAmountMsat as bigint),
        description: fields.offerDescription,
        payerNote: fields.invreqPayerNote,
        expiresAt: BigInt(shown.expires_at as number),
        basetime: undefined,
        isPaid: false,
        createdIndex: shown.created_index as number,
      });
    }
  }

  async function comparable(method: string, { result, error }: Content): Promise<Content> {
    if (error !== undefined) return { error: comparableError(error) };
    switch (method) {
      case 'fetchinvoice':
        return { result: await comparableFetch(result as Fields) };
      case 'offer':
      case 'disableoffer':
        return { result: await comparableOffer(result as Fields) };
      case 'listoffers':
        return { result: { offers: await comparableOffers(listOf(result?.offers)) } };
      case 'listinvoices':
        return { result: { invoices: listOf(result?.invoices).flatMap(comparableInvoice) } };
      default:
        return { result: result as Fields };
    }
  }

  const listOf = (value: unknown): Fields[] => value as Fields[];

  /**
   * The parts of an error that the node and we have in common: the message without the invalid token (decision 5:
   * only `check` shows it), and the reason without the text of the request.
   */
  function comparableError({ code, message, data }: NonNullable<Content['error']>) {
    const text = message
      .replace(/: invalid token '.*'$/s, ': invalid token (see logs for details)')
      .replace(/[0-9a-f]{66}/, 'ID');
    if (code !== 1004) return { code, message: text };
    return { code, message: text, reason: String(data?.error).replace(/^Failed invreq lnr1[a-z0-9]+: /, '') };
  }

  const without = (fields: Fields, names: readonly string[]): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

  /**
   * The decoded invoice. Periods are counted from its base time, and random metadata is replaced with its
   * length.
   */
  async function comparableFetch({ invoice, ...result }: Fields): Promise<Fields> {
    const shown = await node.result('decode', { string: invoice as string });
    const { invoice_recurrence_basetime: basetime = 0, invreq_metadata, ...fields } = shown;
    const isRandom = /^[0-9a-f]{32}$|^[0-9a-f]{64}$/.test(invreq_metadata as string);
    const kept = without(fields, NOT_COMPARED);
    // Core Lightning writes an empty features field, which means the same as an absent one.
    if (kept.invreq_features === '') delete kept.invreq_features;
    const since = (times: Fields): Fields =>
      Object.fromEntries(
        Object.entries(times).map(([name, time]) => [
          name,
          name === 'counter' ? time : (time as number) - (basetime as number),
        ]),
      );
    const { changes, next_period } = result as { changes: Fields; next_period?: Fields };
    return {
      invoice: { ...kept, invreq_metadata: isRandom ? (invreq_metadata as string).length : invreq_metadata },
      changes: changes.next_period
        ? { ...changes, next_period: since(changes.next_period as Fields) }
        : changes,
      ...(next_period && { next_period: since(next_period) }),
    };
  }

  /** The answer with the offer decoded, and without our warning that we cannot be paid here. */
  async function comparableOffer(result: Fields): Promise<Fields> {
    const terms = await node.result('decode', { string: result.bolt12 as string });
    return {
      ...without(result, [...NOT_COMPARED, 'warning_no_payments']),
      terms: without(terms, NOT_COMPARED),
    };
  }

  /** The offers created during this test. Offers of the simulated network are marked and excluded. */
  async function comparableOffers(offers: Fields[]): Promise<Fields[]> {
    const known = new Set([...offerIds].flat());
    // Where the recorded node creates an existing offer again as a new one, our offer is unchanged (case
    // offer_fixed-again).
    const again = [...offerIds.keys()].filter((id, i, ids) => {
      const same = ids.findIndex((other) => offerIds.get(other) === offerIds.get(id));
      return same !== i;
    });
    const wanted = offers.filter(
      ({ offer_id }) => known.has(offer_id as string) && !again.includes(offer_id as string),
    );
    const shown = await Promise.all(wanted.map(comparableOffer));
    return shown.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }

  /** An invoice for an offer, which by now has expired. Other invoices are left out. */
  function comparableInvoice(invoice: Fields): Fields[] {
    return invoice.bolt12 === undefined ? [] : [{ ...invoice, status: 'expired' }];
  }
});
