/** A simulated Lightning network of 300 nodes: our channels in it, how much they can send, and the block height. */
import { generateSyntheticGraph, networkMapOf, openSimulatedNetwork } from 'fulgurite';

const graph = generateSyntheticGraph({ nodeCount: 300, seed: 1 });
// Any point of the curve can serve as a node id. This one is the generator.
const ownNodeId = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const network = await openSimulatedNetwork({
  map: networkMapOf(graph),
  simulation: { ownNodeId, seed: 7 },
});
try {
  const { channels } = network.ownChannels();
  const spendable = channels.reduce((sum, { spendableMsat }) => sum + spendableMsat, 0n);
  console.log(`${network.kind}: ${channels.length} channels, ${spendable / 1000n} sat to spend`);
  console.log(`height ${network.blockHeight()}`);
} finally {
  await network.close();
}
