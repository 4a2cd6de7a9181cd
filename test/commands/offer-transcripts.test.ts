/**
 * Recorded conversations of a Core Lightning node about offers, held again with ours: what `decode` shows is
 * compared whole, parameter errors by code and text. Answers that depend on that node's keys and channels
 * (invoices and offers it made) cannot repeat; their form is under test elsewhere. Where we mean to differ, the
 * difference is listed with the decision it follows from.
 */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromHex } from '../../src/bolt/bytes.ts';
import { OfferNode } from './offer-node.ts';

interface Recorded {
  readonly case: string;
  readonly request_raw: string;
  readonly response_raw: string;
}

const file = new URL('../../../shared/data/cln/transcripts.json', import.meta.url);
const recorded: Recorded[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];

const DIFFERENT: Readonly<Record<string, string>> = {
  'fetchinvoice_offer-with-plus': 'decision 7: a JSON string is unescaped, so a line break after + is one',
  'fetchinvoice_bad-payer_metadata-hex': 'decision 22: what is no hex is text; needs the issuer',
  offer_usd: 'that node misses a plugin; ours says that it has no rates',
};
/** Decided by that node's issuers: what we send and accept there is tested on the simulated network. */
const NEEDS_ISSUER =
  /^fetchinvoice_(ok|burst|any-amount-zero|bip353-utf8|wrong-type-payer|less-than|6x|1003)/;
const NEEDS_STATE =
  /^(disableoffer|listoffers|listinvoices|offer_(any$|disabled|expired|fixed|quantity|recurring|single))/;

const cases = recorded.filter(
  ({ case: name }) =>
    /^(fetchinvoice|decode|offer|disableoffer)_/.test(name) &&
    !NEEDS_ISSUER.test(name) &&
    !NEEDS_STATE.test(name) &&
    !Object.hasOwn(DIFFERENT, name),
);

type Content = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
};

/** Decision 5: the bad token itself is shown by `check` only. */
const content = (text: string): Content => {
  const { result, error } = JSON.parse(text) as Content;
  if (error === undefined) return { result };
  const message = error.message.replace(/: invalid token '.*'$/s, ': invalid token (see logs for details)');
  return { error: { code: error.code, message } };
};

describe.skipIf(recorded.length === 0)('recorded conversations about offers', () => {
  const node = new OfferNode({
    chainHash: fromHex('06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f'),
  });
  beforeAll(() => node.start());
  afterAll(() => node.destroy());

  test('are there, and so is every difference listed', () => {
    expect(cases.length).toBeGreaterThan(25);
    expect(recorded.map(({ case: name }) => name)).toEqual(expect.arrayContaining(Object.keys(DIFFERENT)));
  });

  test.each(cases)('$case', async ({ request_raw, response_raw }) => {
    const { method, params } = JSON.parse(request_raw) as { method: string; params: object };
    const answer = await node.call(method, params);
    expect(content(JSON.stringify(answer))).toEqual(content(response_raw));
  });
});
