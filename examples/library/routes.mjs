/**
 * Routes without a daemon: a made-up network of 500 nodes, what we know of one channel, and the best way to send
 * 10,000 sat.
 */
import { generateSyntheticGraph, LayerBook, msatFromSat, RouteEngine } from 'fulgurite';

const graph = generateSyntheticGraph({ nodeCount: 500, seed: 1 });
const book = new LayerBook();
const engine = new RouteEngine({ book, workers: 1 });
engine.publish(graph);

const query = {
  source: graph.nodeId(1),
  destination: graph.nodeId(2),
  amountMsat: msatFromSat(10_000),
  layers: ['auto.sourcefree', 'mine'],
  maxfeeMsat: msatFromSat(100),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts: 10,
};
const text = ({ probabilityPpm, routes }) =>
  `${routes.length} part(s), ${routes[0].path.length} hop(s), ${probabilityPpm / 10_000} % likely`;

try {
  const mine = book.createLayer('mine', false);
  const before = await engine.getroutes(query);
  console.log(`before: ${text(before)}`);
  // Suppose we learned that the first channel of that route cannot carry the amount.
  book.informChannel(mine, before.routes[0].path[0].shortChannelIdDir, query.amountMsat, 'constrained');
  console.log(`after: ${text(await engine.getroutes(query))}`);
} finally {
  await engine.close();
}
