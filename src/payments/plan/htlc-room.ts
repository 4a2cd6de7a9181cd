/** How many parts of a plan can leave, if the peers of our channels limit the number of HTLCs. */
import type { Route } from '../../engine/question/route.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';

/** The number of routes that can leave at the same time: over each of our channels, at most its free HTLCs. */
export function leavingAtOnce(
  routes: readonly Pick<Route, 'path'>[],
  channels: readonly Pick<OwnChannel, 'shortChannelId' | 'freeHtlcs'>[],
): number {
  const freeOf = new Map(channels.map(({ shortChannelId, freeHtlcs }) => [shortChannelId, freeHtlcs]));
  const used = new Map<ShortChannelId, number>();
  return routes.filter(({ path }) => {
    const { shortChannelId } = path[0]!.shortChannelIdDir;
    const count = (used.get(shortChannelId) ?? 0) + 1;
    used.set(shortChannelId, count);
    return count <= (freeOf.get(shortChannelId) ?? Number.POSITIVE_INFINITY);
  }).length;
}
