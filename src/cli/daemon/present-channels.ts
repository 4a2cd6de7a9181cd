/**
 * Updates our own channels before each route query that uses them. The layer `auto.localchans` has their last reported
 * state, and not every network reports each change.
 */
import type { RouteEngine } from '../../engine/host/engine.ts';
import { AUTOMATIC } from '../../layers/automatic.ts';
import type { NetworkPort } from '../../network/port.ts';

/** An engine that updates our own channels before each query that uses them, if the network supports that. */
export function withPresentChannels(
  engine: Pick<RouteEngine, 'getroutes'>,
  network: Pick<NetworkPort, 'refreshed'>,
): Pick<RouteEngine, 'getroutes'> {
  return {
    async getroutes(query, options) {
      if (network.refreshed !== undefined && query.layers.includes(AUTOMATIC.localchans.name)) {
        await network.refreshed();
      }
      return engine.getroutes(query, options);
    },
  };
}
