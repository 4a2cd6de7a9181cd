/** `importnodehistory`: imports knowledge from our node's past payments and forwards. */
import { FulguriteError } from '../../model/errors.ts';
import { HISTORY_S, takeNodeHistory } from '../../payments/learn/node-history.ts';
import { field } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';

/** Not in Core Lightning. */
export const importnodehistory = defineCommand({
  name: 'importnodehistory',
  summary: "Import knowledge from the node's own payments and forwards.",
  description:
    'Reads from the Core Lightning node: the channel bounds that its `xpay` learned, its failed payments, and which ' +
    'nodes responded to its payments and forwards. Bounds of the last hour replace the contents of the layer ' +
    '`nodehistory`. All payments use that layer. Its entries expire after an hour. Responses of the last six hours ' +
    'count towards the learned odds, each once. The service also does this at startup, unless started with ' +
    '`--no-node-history`.',
  category: 'routes',
  since: 'Fulgurite v0.2.0',
  params: {},
  result: {
    bounds: field('integer', 'Number of bounds imported. A channel direction can have several.'),
    unknown: field('integer', 'Number of bounds of channels that are not in the graph.'),
    answers: field('integer', 'Number of responses that had not been counted before.'),
  },
  async handler(_params, { networkPort, layers, graph, payments: { learnedOdds: model } }) {
    if (networkPort.nodeHistory === undefined) {
      throw new FulguriteError(
        'notSupported',
        `Only a Core Lightning node lists its past payments and forwards, and the network is ${networkPort.kind}`,
      );
    }
    const history = await networkPort.nodeHistory(layers.now() - HISTORY_S);
    const { bounds, unknown, answers } = takeNodeHistory(history, { book: layers, graph, model });
    return { bounds, unknown, answers };
  },
});
