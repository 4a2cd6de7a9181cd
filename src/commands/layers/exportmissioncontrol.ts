/** `exportmissioncontrol`: sends what a layer knows about pairs of nodes to our LND node. */
import { pairBeliefsOf } from '../../layers/pair-beliefs.ts';
import { SHARED_LAYER } from '../../payments/learn/learning.ts';
import { field, optional, withDefault } from '../../rpc/command.ts';
import { bool } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { layerName } from './askrene-types.ts';
import { pairMemoryOf } from './pair-memory.ts';

/** Not in Core Lightning. */
export const exportmissioncontrol = defineCommand({
  name: 'exportmissioncontrol',
  summary: "Add what a layer knows to LND's mission control.",
  description:
    'Sends to LND which amounts passed or failed between pairs of nodes, based on the constraints of the layer. LND uses these ' +
    'results for its own payments until it restarts, unless it has newer ones. A failed amount is sent only if every channel ' +
    'between the two nodes has a maximum below its capacity. LND already learns from the attempts of this service, so ' +
    'export what other nodes or other layers have learned.',
  category: 'routes',
  since: 'Fulgurite v0.2.0',
  params: {
    layer: optional(layerName, 'The layer. The default is `xpay`, where payments record what they learn.'),
    dry_run: withDefault(bool, false, 'Whether to only count the pairs, without sending anything to LND.'),
  },
  result: {
    pairs: field('integer', 'Number of node pairs with a result for LND.'),
    passed: field('integer', 'Number of pairs with an amount that passed.'),
    failed: field('integer', 'Number of pairs with an amount that failed.'),
    exported: field('boolean', 'Whether anything was sent to LND.'),
  },
  async handler({ layer, dry_run }, { networkPort, layers, graph }) {
    const memory = pairMemoryOf(networkPort);
    const from = layer ?? layers.layer(SHARED_LAYER);
    const beliefs = from === undefined ? [] : pairBeliefsOf(from, graph);
    if (!dry_run) await memory.write(beliefs);
    return {
      pairs: beliefs.length,
      passed: beliefs.filter(({ passed }) => passed !== undefined).length,
      failed: beliefs.filter(({ failed }) => failed !== undefined).length,
      exported: !dry_run && beliefs.length > 0,
    };
  },
});
