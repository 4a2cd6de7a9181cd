/** The probabilities that a quote assumes for hops. */

import { passingChance } from '../learn/balance-prior.ts';
import { commonLayers } from '../learn/learning.ts';
import { hopsUnder } from '../plan/known-hops.ts';
import type { Services } from '../services.ts';
import type { HopBeliefs } from './quote-play.ts';

/**
 * Beliefs based on the learned odds. If odds are not learned, balances are assumed to be uniformly distributed between
 * their bounds, and all nodes to respond.
 */
export function hopBeliefs({ odds, book, graph }: Services, layers: readonly string[]): HopBeliefs {
  if (odds !== undefined) {
    return {
      known: (path) => odds.known(path, layers),
      balanceChance: (hop) => odds.balanceChance(hop),
      awayChance: (node) => odds.awayChance(node),
    };
  }
  return {
    known: (path) => hopsUnder(path, graph(), book, [...commonLayers(book), ...layers]),
    balanceChance: (hop) => (hop.isOwn ? 1 : passingChance({ kind: 'uniform' }, hop)),
    awayChance: () => 0,
  };
}
