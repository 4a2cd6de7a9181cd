/**
 * The boundary of the commands: errors with a typed reason leave it with a message, and other errors leave it
 * unchanged.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { NodeContext } from '../../src/commands/context.ts';
import { defineCommand } from '../../src/commands/context.ts';
import { inWords } from '../../src/commands/in-words.ts';
import { requireUnexpired } from '../../src/commands/payments/blinded-tails.ts';
import { noPlanInWords } from '../../src/commands/payments/no-plan-words.ts';
import { NoRouteError, SearchFailed } from '../../src/engine/question/no-route.ts';
import { LayerRefused } from '../../src/layers/refusal.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { msat } from '../../src/model/msat.ts';
import { FetchFailed } from '../../src/offers/fetch-failure.ts';
import type { PaymentRequest } from '../../src/payments/payment.ts';

import type { BestBeyond, NoPlan } from '../../src/payments/plan/no-plan.ts';
import { PaymentRefused } from '../../src/payments/refusal.ts';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));

it('states which limits of a payment the best routes exceed; the limits themselves are permitted', () => {
  const request = { amountMsat: 1_000n, maxdelay: 100, routeHints: [], feeTerms: undefined };
  const noRoute = { binding: { kind: 'feeLimit', maxfeeMsat: 9n } };
  const message = (best: BestBeyond): string =>
    noPlanInWords({ kind: 'noRoute', noRoute, best } as NoPlan, request as unknown as PaymentRequest).message;
  const exactly = { feeMsat: msat(9n), delayBlocks: 100, maxfeeMsat: msat(9n) };
  expect(message(exactly)).toBe('Could not find route without excessive cost');
  expect(message({ ...exactly, delayBlocks: 101 })).toBe('CLTV delay exceeds our CLTV budget: 101 > 100');
  expect(message({ ...exactly, feeMsat: msat(10n) })).toBe('Fee exceeds our fee budget: 10msat > 9msat');
});

it('reports an expired invoice from the second after its expiry', () => {
  const at = (seconds: bigint) => ({ offers: { nowSeconds: () => seconds } }) as NodeContext;
  expect(() => requireUnexpired(1_000n, at(1_000n))).not.toThrow();
  expect(() => requireUnexpired(1_000n, at(1_001n))).toThrow('Invoice expired 1 seconds ago');
});

it('handles every class of typed reasons', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const classes = files.flatMap((file) =>
    [...readFileSync(join(SOURCES, file), 'utf8').matchAll(/class (\w+) extends ReasonedError\b/g)].map(
      ([, name = '']) => name,
    ),
  );
  expect(classes).toContain('NoRouteError');
  const door = readFileSync(join(SOURCES, 'commands/in-words.ts'), 'utf8');
  expect(classes.filter((name) => !door.includes(`error instanceof ${name})`))).toEqual([]);
});

it.each([
  [
    new NoRouteError({ binding: { kind: 'feeLimit', maxfeeMsat: 9n }, remedy: { amountMsat: 5n as never } }),
    206,
    'Could not find route without excessive cost',
    { binding: { kind: 'fee_cap', maxfee_msat: 9n }, remedy: { amount_msat: 5n } },
  ],
  [new SearchFailed({ kind: 'closed' }), -5, 'the route engine is closed', undefined],
  [
    new LayerRefused({ kind: 'channelExists' }),
    -32602,
    'channel already exists',
    { parameter: 'short_channel_id', reason: 'channel already exists' },
  ],
  [
    new LayerRefused({ kind: 'amountOverflow' }),
    -32602,
    'Amount overflow with reserves',
    { parameter: 'amount_msat', reason: 'Amount overflow with reserves' },
  ],
  // No path was tried, so there are no steps to report.
  [
    new FetchFailed({ kind: 'timedOut', timeoutMs: 2_500 }),
    1005,
    'Timeout waiting for response',
    { timeout: 2.5 },
  ],
  [new PaymentRefused({ kind: 'tooMany', live: 7 }), -32001, '7 payments are already in progress', undefined],
])('%s has its number, text and data', (error, code, message, data) => {
  const told = inWords(error) as FulguriteError;
  expect([told.code, told.message, told.data]).toEqual([code, message, data]);
});

it('returns errors that already have a text unchanged', () => {
  const errors = [new FulguriteError('busy', 'later'), new Error('a defect'), 'no error'];
  expect(errors.map(inWords)).toEqual(errors);
});

it.each(['at once', 'by a promise'])('translates what a handler throws %s', async (how) => {
  const refused = new LayerRefused({ kind: 'nameTaken' });
  const command = defineCommand({
    name: 'refusing',
    summary: '',
    description: '',
    category: 'utility',
    params: {},
    result: {},
    handler: () => {
      if (how === 'at once') throw refused;
      return Promise.reject(refused);
    },
  });
  const answer = async () => command.handler({}, {} as NodeContext, {} as never);
  await expect(answer()).rejects.toMatchObject({ code: -32602, message: 'Layer already exists' });
});
