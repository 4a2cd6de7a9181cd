/**
 * At the start, imports the attached node's memory of pairs of nodes (LND's mission control) into a layer, if the node
 * has such a memory.
 */
import type { LayerBook } from '../../layers/layer-book.ts';
import { PAIR_LAYER, takePairBeliefs } from '../../layers/pair-beliefs.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NetworkPort } from '../../network/port.ts';
import { FORGET_AFTER_S } from '../../payments/learn/learning.ts';
import type { Log } from '../../rpc/log.ts';

/** Imports the memory into a layer. Only logs when the memory cannot be read, because payments work without it. */
export async function importPairMemory(
  { pairMemory }: Pick<NetworkPort, 'pairMemory'>,
  layers: LayerBook,
  graph: ChannelGraph,
  log: Log,
): Promise<void> {
  if (pairMemory === undefined) return;
  try {
    const since = layers.now() - FORGET_AFTER_S;
    const { pairs, constraints, biases } = takePairBeliefs(layers, await pairMemory.read(), graph, since);
    log.info(
      `the layer ${PAIR_LAYER} has ${constraints + biases} entries about ${pairs} pairs of nodes, from LND's ` +
        'mission control',
    );
  } catch (error) {
    if (!(error instanceof FulguriteError)) throw error;
    log.info(`LND's mission control is not imported: ${error.message}`);
  }
}
