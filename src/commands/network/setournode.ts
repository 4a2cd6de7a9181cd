/** `setournode`: changes the settings of one of our nodes. */
import {
  HIGHEST_PRICE_PPM,
  LOWEST_PRICE_PPM,
  NODE_STATES,
  type OwnNodeSettings,
} from '../../network/several/index.ts';
import { field, optional, optionalField, required } from '../../rpc/command.ts';
import { integer, msat, oneOf } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { ourNode } from '../payments/payment-params.ts';
import { OUR_NODE_MEMBERS, ourNodeJson } from './own-node-json.ts';

/** The highest HTLC limit that can be set. */
const MAX_HTLCS = 1_000_000;

/** Not in Core Lightning. */
export const setournode = defineCommand({
  name: 'setournode',
  summary: 'Set the floor, price, limits and state of one of our nodes.',
  description:
    'Settings that are not given keep their values. Settings take effect with the next route search, and survive a ' +
    'restart. Daemons that share a database share them. Error -32003 if they cannot be stored; then nothing changes.',
  category: 'network',
  params: {
    node: required(ourNode, 'Name of the node.'),
    state: optional(
      oneOf(NODE_STATES, `should be one of ${NODE_STATES.join(', ')}`),
      '`on`: the node pays. `drain`: until it is empty, searches prefer it as if its price were 20,000 ppm lower. ' +
        '`rest`: it sends no new parts. `off`: like `rest`, and the node is expected not to respond.',
    ),
    floor: optional(msat, 'Amount that our payments leave spendable on the node.'),
    price: optional(
      integer(LOWEST_PRICE_PPM, HIGHEST_PRICE_PPM),
      'Cost of spending from the node, in parts per million of the amount. It is not paid to anyone: a search prefers the node ' +
        'with the lowest sum of fees and price. A negative price makes searches prefer the node.',
    ),
    largest_part: optional(msat, 'Largest single part. 0 for no limit.'),
    max_htlcs: optional(integer(0, MAX_HTLCS), 'Maximum number of our HTLCs in flight. 0 for no limit.'),
  },
  result: {
    node: field('object', `${OUR_NODE_MEMBERS}.`),
    warning_floor: optionalField('string', 'Present if the given floor leaves nothing to spend now.'),
  },
  async handler({ node, state, floor, price, largest_part, max_htlcs }, { payments }) {
    const change: Partial<OwnNodeSettings> = {
      ...(state !== undefined && { state }),
      ...(floor !== undefined && { floorMsat: floor }),
      ...(price !== undefined && { pricePpm: price }),
      ...(largest_part !== undefined && { largestPartMsat: largest_part === 0n ? undefined : largest_part }),
      ...(max_htlcs !== undefined && { maxHtlcs: max_htlcs === 0 ? undefined : max_htlcs }),
    };
    // There is a purse, because `node` was found in it.
    await payments.purse!.nodes.set(node, change);
    const { floorMsat } = node.settings;
    const isAll = floor !== undefined && floorMsat > 0n && floorMsat >= node.spendableMsat;
    return {
      node: ourNodeJson(node),
      ...(isAll && {
        warning_floor: `The node can spend only ${node.spendableMsat}msat now, which does not exceed its floor, so it sends nothing`,
      }),
    };
  },
});
