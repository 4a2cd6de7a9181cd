/**
 * Route queries over our own channels as they are at the moment of the query. The layer `auto.localchans` holds them as
 * the network reported them last, and not every network reports each change on its own.
 */
import type { RouteEngine } from '../../engine/host/engine.ts';
import { AUTOMATIC } from '../../layers/automatic.ts';
import type { NetworkPort } from '../../network/port.ts';

/** An engine whose queries over our own channels begin with a new report of them, where the network has one. */
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
