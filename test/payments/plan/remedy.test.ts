/** Remedies are sought only for searches for the whole payment. */
import { expect, test } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import { MAX_ROUTE_DELAY } from '../../../src/payments/plan/limits.ts';
import type { PlanQuery } from '../../../src/payments/plan/plan-query.ts';
import { remedyRules } from '../../../src/payments/plan/remedy.ts';
import { NO_SHADOW } from '../../../src/payments/plan/shadow.ts';
import { L3 } from '../line-graph.ts';
import { keysendRequest } from '../simulation/simulated-node.ts';

const request = keysendRequest(L3, { amountMsat: msat(1_000_000n), maxfeeMsat: msat(5_000n) });

/** A first search for the whole payment without a shadow. */
const WHOLE: PlanQuery = {
  request,
  amountMsat: request.amountMsat,
  maxfeeMsat: request.maxfeeMsat,
  shadow: NO_SHADOW,
  maxparts: 1,
  round: 0,
  privateLayers: [],
  asker: {},
};
const RULES = { parts: false, finalCltv: false, mostMaxdelay: MAX_ROUTE_DELAY };

test('for the whole payment without a shadow, the caller’s limits may change, but not the recipient’s parts and blocks', () => {
  expect(remedyRules(WHOLE)).toEqual(RULES);
});

test('a fee limit that depends on the amount also depends on it in a remedy', () => {
  const share = { ppm: 5_000n, leastMsat: 5_000n };
  const following = { ...request, feeTerms: { parameter: 'maxfee' as const, share } };
  expect(remedyRules({ ...WHOLE, request: following })).toEqual({ ...RULES, feeShare: share });
});

test.each<[string, Partial<PlanQuery>]>([
  ['the rest of the amount, and all of the fees', { amountMsat: msat(999_999n) }],
  ['all of the amount, and the rest of the fees', { maxfeeMsat: msat(4_999n) }],
  ['the rest of both', { amountMsat: msat(999_999n), maxfeeMsat: msat(4_999n) }],
  ['a shadow of one block', { shadow: { ...NO_SHADOW, delayBlocks: 1 } }],
  [
    'a shadow that pays one msat more, out of the fees',
    {
      amountMsat: msat(1_000_001n),
      maxfeeMsat: msat(4_999n),
      shadow: { ...NO_SHADOW, amountMsat: msat(1n) },
    },
  ],
])('there is no remedy for %s', (_, changes) => {
  expect(remedyRules({ ...WHOLE, ...changes })).toBe(false);
});
