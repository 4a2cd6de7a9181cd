/**
 * Changes of shared layers, made while payments run. Each is drawn from the seed that the run sends, so it does not
 * depend on which daemon makes it. After each change, the daemon requests routes under the layer: the answer must
 * take the daemon's change into account, no matter who computes it.
 */
import type { RouteEngine } from '../../../src/engine/host/engine.ts';
import { NoRouteError } from '../../../src/engine/question/no-route.ts';
import type { RouteAnswer } from '../../../src/engine/question/route.ts';
import type { LayerBook } from '../../../src/layers/layer-book.ts';
import { LayerRefused } from '../../../src/layers/refusal.ts';
import type { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { msat } from '../../../src/model/msat.ts';
import type { ShortChannelId, ShortChannelIdDir } from '../../../src/model/short-channel-id.ts';
import type { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { randomFrom } from './world.ts';

/** The layers that all daemons change. */
const NAMES = ['commons', 'detours', 'grudges'];
/** Number of records per change. */
const RECORDS = 20;

/** The means by which a daemon makes changes. */
export interface LayerChanger {
  readonly book: LayerBook;
  readonly store: PostgresStore;
  readonly engine: RouteEngine;
  readonly graph: ChannelGraph;
}

/**
 * Makes one change, waits until it is in the log, and checks that searches take it into account.
 * @returns whether an answer was based on layers older than this change
 */
export async function changeLayers(changer: LayerChanger, seed: number): Promise<boolean> {
  const { book, store, graph } = changer;
  const random = randomFrom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const layer = book.createLayer(NAMES[below(NAMES.length)]!, true);
  const direction = (): ShortChannelIdDir => ({
    shortChannelId: graph.shortChannelIds[below(graph.channelCount)] as ShortChannelId,
    direction: random() < 0.5 ? 0 : 1,
  });
  const chance = random();
  if (chance < 0.5) return disableOnRoute(changer, layer.name, below);
  if (chance < 0.8) {
    for (let n = 0; n < RECORDS; n++) {
      const amountMsat = msat(BigInt(1_000 + below(50_000_000)));
      book.informChannel(layer, direction(), amountMsat, random() < 0.5 ? 'constrained' : 'unconstrained');
    }
  } else if (chance < 0.9) {
    book.biasChannel(layer, direction(), { bias: below(20) - 10, relative: true, description: 'chaos' });
  } else if (chance < 0.95) book.age(layer, BigInt(book.now() - below(60)));
  else book.removeLayer(layer);
  await store.layers.durable(layer);
  return false;
}

/** Disables a node of a found route, and checks whether a later route still uses it. */
async function disableOnRoute(
  changer: LayerChanger,
  name: string,
  below: (count: number) => number,
): Promise<boolean> {
  const { book, store, graph } = changer;
  const [from, to] = [1 + below(40), 50 + below(graph.nodeCount - 50)];
  const path = (await routes(changer, name, from, to))?.routes[0]?.path ?? [];
  const layer = book.layer(name);
  const middle = path[1]?.nodeIdIn;
  if (layer === undefined || middle === undefined) return false;
  book.disableNode(layer, middle);
  await store.layers.durable(layer);
  const after = await routes(changer, name, from, to);
  // A second daemon may have removed the layer meanwhile and created a new one with that name.
  const stands = book.layer(name) === layer && layer.disabledNodes.includes(middle);
  return (
    stands &&
    (after?.routes ?? []).some((route) => route.path.slice(1).some((hop) => hop.nodeIdIn === middle))
  );
}

/** Undefined if there are no routes or the layer is gone. */
async function routes(
  { engine, graph }: LayerChanger,
  name: string,
  from: number,
  to: number,
): Promise<RouteAnswer | undefined> {
  try {
    return await engine.getroutes({
      source: graph.nodeId(from),
      destination: graph.nodeId(to),
      amountMsat: msat(200_000n),
      layers: [name],
      maxfeeMsat: msat(10_000_000n),
      finalCltv: 18,
      maxdelay: 2016,
      maxparts: 4,
    });
  } catch (error) {
    if (error instanceof NoRouteError || error instanceof LayerRefused) return undefined;
    throw error;
  }
}
