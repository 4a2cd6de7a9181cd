/** `listournodes`: shows each of our nodes, its spending limits, and, if it takes no new parts, the reason. */
import type { OwnNode } from '../../network/several/index.ts';
import { type BalanceSample, KEPT_DAYS, thinned } from '../../payments/books/balance-history.ts';
import { field, optional } from '../../rpc/command.ts';
import { integer } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { ourNode } from '../payments/payment-params.ts';
import { OUR_NODE_MEMBERS, ourNodeJson } from './own-node-json.ts';

const MAX_HISTORY_HOURS = 24 * KEPT_DAYS;
/** Maximum number of samples per node in a result. */
const MAX_SAMPLES = 500;

const sampleJson = ({ atS, spendableMsat, receivableMsat }: BalanceSample) => ({
  time: atS,
  spendable_msat: spendableMsat,
  receivable_msat: receivableMsat,
});

/** Not in Core Lightning. */
export const listournodes = defineCommand({
  name: 'listournodes',
  summary: 'List our nodes, with balances, limits and recent results.',
  description:
    'Lists the nodes of a daemon that was started with several --node options; otherwise the list is empty. last_hour and last_day count ' +
    'the HTLCs that finished while this process was running.',
  category: 'network',
  readOnly: true,
  params: {
    node: optional(ourNode, 'Only the node with this name.'),
    history_hours: optional(
      integer(0, MAX_HISTORY_HOURS),
      'Also return the amounts that each node could send and receive during this many past hours. Samples are taken every ' +
        `five minutes while the node responds, and kept for ${KEPT_DAYS} days.`,
    ),
  },
  result: {
    nodes: field(
      'array',
      `Objects with ${OUR_NODE_MEMBERS}. With \`history_hours\` also balances: at most ${MAX_SAMPLES} objects with time, ` +
        'spendable_msat and receivable_msat.',
    ),
  },
  async handler({ node, history_hours }, { payments, balances }) {
    const nodes = payments.purse?.nodes;
    nodes?.agreeOnHeight();
    const wanted = node === undefined ? (nodes?.list ?? []) : [node];
    const samplesOf = async ({ nodeId }: OwnNode) => {
      if (history_hours === undefined || balances === undefined) return undefined;
      const samples = await balances.since(nodeId, balances.nowS() - 3600 * history_hours);
      return thinned(samples, MAX_SAMPLES).map(sampleJson);
    };
    const rows = wanted.map(async (one) => ({ ...ourNodeJson(one), balances: await samplesOf(one) }));
    return { nodes: await Promise.all(rows) };
  },
});
