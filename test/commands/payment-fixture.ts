/** Fixtures for tests of commands that pay: a node for each test, and a plain payment of 1,000 sat. */
import { afterEach, beforeEach } from 'vitest';
import type { NodeId } from '../../src/model/node-id.ts';
import { PaymentNode } from './payment-node.ts';

/** Starts a node before each test of the file and stops it afterwards. */
export function nodePerTest(use: (node: PaymentNode) => void): void {
  let node: PaymentNode;
  beforeEach(async () => {
    node = new PaymentNode();
    await node.start();
    use(node);
  });
  afterEach(() => node.stop());
}

/** Parameters of a payment to a node, with the given changes. */
export const plainPaymentTo =
  (destination: NodeId) =>
  (more: object = {}) => ({ destination, amount_msat: 1_000_000, dev_use_shadow: false, ...more });
