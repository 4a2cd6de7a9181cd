/**
 * What the errors of commands mean for the spending limit of a rune and for an `Idempotency-Key`, tested with a
 * dispatcher that gives prepared answers.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { HttpSession } from '../../src/http/authorize.ts';
import { Calls } from '../../src/http/calls.ts';
import { ERRORS, type ErrorName } from '../../src/model/errors.ts';
import { defineCommandFor, optional } from '../../src/rpc/command.ts';
import { JsonText } from '../../src/rpc/json-token.ts';
import { DEFAULT_LIMITS } from '../../src/rpc/limits.ts';
import { string } from '../../src/rpc/param-types.ts';
import { createRegistry } from '../../src/rpc/registry.ts';
import { Turns } from '../../src/rpc/turns.ts';
import { encodeRune, issueRune, namingRestriction } from '../../src/runes/rune.ts';
import { memoryLog } from '../rpc/support.ts';

const rune = encodeRune(issueRune(randomBytes(16), [namingRestriction(1n)]));
const pay = defineCommandFor<object>()({
  ...{ name: 'pay', summary: '', description: '', category: 'utility', result: {} },
  params: { idempotency_key: optional(string, '') },
  handler: () => ({}),
});

/** Calls `pay` as often as there are bodies, each time with the same key. Every request gets the given error. */
async function callsWith(name: ErrorName, data: object | undefined, ...bodies: string[]) {
  const requests: string[] = [];
  const settled: bigint[] = [];
  const calls = new Calls({
    dispatcher: {
      answer: async (token, session) => {
        requests.push(token.raw);
        (session as HttpSession).charge = { settle: (msat) => settled.push(msat) };
        return {
          jsonrpc: '2.0',
          id: new JsonText('1'),
          error: { code: ERRORS[name].code, message: '', data },
        };
      },
    },
    authorize: () => undefined,
    registry: createRegistry([pay]),
    isForwarded: () => false,
    limits: DEFAULT_LIMITS,
    turns: new Turns(),
    allowDeprecated: true,
    log: memoryLog(),
  });
  const asker = { rune, address: '::1' };
  for (const body of bodies) {
    const call = {
      kind: 'call',
      id: 1,
      form: 'rpc',
      method: '',
      body,
      idempotencyKey: 'k',
      ...asker,
    } as const;
    await calls.answer(call, { ...asker, client: {} });
  }
  return { requests, settled };
}

const request = (params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pay', params });

test.each([
  ['nodeAway', undefined, 2],
  ['nodeAway', { sent: true }, 1],
  ['storeFailed', { retry: true }, 2],
  ['storeFailed', undefined, 1],
] as const)(
  'after %s with %o, a request and its repetition are executed %i times',
  async (name, data, times) => {
    const { requests } = await callsWith(name, data, request(), request());
    expect(requests).toHaveLength(times);
  },
);

test.each([
  ['invalidParams', undefined, true],
  ['routeNotFound', undefined, true],
  ['storeFailed', { attempts: [] }, true],
  // The payment may still arrive.
  ['storeFailed', { reason: 'outcomeAway' }, false],
] as const)('%s with %o releases the counted spending: %s', async (name, data, isReleased) => {
  expect((await callsWith(name, data, request())).settled).toEqual(isReleased ? [0n] : []);
});

test.each([
  [{}, { idempotency_key: 'k' }],
  [{ idempotency_key: null }, { idempotency_key: 'k' }],
  [{ idempotency_key: 'own' }, { idempotency_key: 'own' }],
])('the parameters %j are executed as %j', async (given, executed) => {
  const { requests } = await callsWith('busy', undefined, request(given));
  expect(requests.map((raw) => JSON.parse(raw).params)).toEqual([executed]);
  expect(requests[0]!.split('idempotency_key')).toHaveLength(2);
});
