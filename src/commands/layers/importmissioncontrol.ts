/** `importmissioncontrol`: imports into a layer what our LND node learned from its own payments. */
import { takePairBeliefs } from '../../layers/pair-beliefs.ts';
import { FORGET_AFTER_S } from '../../payments/learn/learning.ts';
import { field } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { pairMemoryOf } from './pair-memory.ts';

/** Not in Core Lightning. */
export const importmissioncontrol = defineCommand({
  name: 'importmissioncontrol',
  summary: "Import LND's mission control into a layer.",
  description:
    'Reads what LND learned from its own payments during the last hour, and replaces the contents of the layer `missioncontrol` ' +
    'with it. All payments use that layer. Its entries expire after an hour. The service also does ' +
    'this at startup. LND records results for pairs of nodes, not for channels. So if several channels connect two nodes, ' +
    'only failures are used.',
  category: 'routes',
  since: 'Fulgurite v0.2.0',
  params: {},
  result: {
    pairs: field('integer', 'Number of node pairs from which at least one result was used.'),
    unknown_pairs: field('integer', 'Number of pairs without a channel between them in the graph.'),
    useless_pairs: field(
      'integer',
      'Number of pairs whose results are older than an hour, or reveal nothing about a channel.',
    ),
    constraints: field('integer', 'Number of constraints added to the layer.'),
    biases: field(
      'integer',
      'Number of channel directions through which nothing passed; routes use them only as a last resort.',
    ),
  },
  async handler(_params, { networkPort, layers, graph }) {
    const beliefs = await pairMemoryOf(networkPort).read();
    const taken = takePairBeliefs(layers, beliefs, graph, layers.now() - FORGET_AFTER_S);
    return {
      pairs: taken.pairs,
      unknown_pairs: taken.unknownPairs,
      useless_pairs: taken.uselessPairs,
      constraints: taken.constraints,
      biases: taken.biases,
    };
  },
});
