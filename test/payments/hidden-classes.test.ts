/**
 * Objects that each payment creates must share a hidden class of V8. If each had its own, every access to a member would
 * miss its inline cache: 75 times in a keysend.
 */
import { afterEach, expect, test } from 'vitest';
import { haveSameHiddenClass } from '../hidden-class.ts';
import { keysendRequest, SimulatedNode } from './simulation/simulated-node.ts';

let node: SimulatedNode;
afterEach(() => node.destroy());

test('payments, and their attempts and hops, share hidden classes', async () => {
  node = new SimulatedNode();
  const complete = [];
  for (const destination of node.destinations().slice(20, 40)) {
    const payment = await node.pay(keysendRequest(destination));
    if (payment.status === 'complete') complete.push(payment);
  }
  // The types of members settle with the first objects.
  const [one, other] = complete.slice(-2);
  expect(haveSameHiddenClass(one!, other!)).toBe(true);
  expect(haveSameHiddenClass(one!.attempts.at(-1)!, other!.attempts.at(-1)!)).toBe(true);
  expect(haveSameHiddenClass(one!.attempts.at(-1)!.path[0]!, other!.attempts.at(-1)!.path[0]!)).toBe(true);
});
