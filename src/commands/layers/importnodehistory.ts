/** `importnodehistory`: imports what our node's past payments and forwards showed. */
import { FulguriteError } from '../../model/errors.ts';
import { HISTORY_S, takeNodeHistory } from '../../payments/learn/node-history.ts';
import { field } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';

/** Not in Core Lightning. */
export const importnodehistory = defineCommand({
  name: 'importnodehistory',
  summary: "Take over what the node's own payments and forwards showed.",
  description:
    'Reads the bounds of channels that the `xpay` of the Core Lightning node learned, its failed payments, and which ' +
    'nodes answered its payments and forwards. Bounds of the last hour become the layer `nodehistory`, instead of what ' +
    'was there. All payments use that layer, and what it says is forgotten after an hour, like what payments ' +
    'learn. Answers of the last six hours count in the learned odds, each once. The service does this at its start, ' +
    'unless it has `--no-node-history`.',
  category: 'routes',
  since: 'v0.2.0',
  params: {},
  result: {
    bounds: field('integer', 'Bounds of channel directions that were taken.'),
    unknown: field('integer', 'Bounds of channels that are not in the graph.'),
    answers: field('integer', 'Answers of nodes that had not been counted before.'),
  },
  async handler(_params, { networkPort, layers, graph, payments: { learnedOdds: model } }) {
    if (networkPort.nodeHistory === undefined) {
      throw new FulguriteError(
        'notSupported',
        `Only a Core Lightning node lists what it paid and forwarded, and the network is ${networkPort.kind}`,
      );
    }
    const history = await networkPort.nodeHistory(layers.now() - HISTORY_S);
    const { bounds, unknown, answers } = takeNodeHistory(history, { book: layers, graph, model });
    return { bounds, unknown, answers };
  },
});
