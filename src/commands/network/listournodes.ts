/** `listournodes`: shows each of our nodes, what it may spend, and why one rests. */
import { field, optional } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { ourNode } from '../payments/payment-params.ts';
import { OUR_NODE_MEMBERS, ourNodeJson } from './own-node-json.ts';

/** Ours alone. */
export const listournodes = defineCommand({
  name: 'listournodes',
  summary: 'List our nodes, with balances, limits and recent results.',
  description:
    'For a daemon that was started with several --node; elsewhere the list is empty. last_hour and last_day count what ' +
    'this process saw end.',
  category: 'network',
  readOnly: true,
  params: { node: optional(ourNode, 'Only the node of this name.') },
  result: { nodes: field('array', `Objects of ${OUR_NODE_MEMBERS}.`) },
  handler: async ({ node }, { payments }) => {
    const nodes = payments.purse?.nodes;
    nodes?.agreeOnHeight();
    return { nodes: (node === undefined ? (nodes?.list ?? []) : [node]).map(ourNodeJson) };
  },
});
