/**
 * The automatic layers: names that a route request may list beside those of created layers. This table is the
 * only place that knows these names.
 */
import type { LayerBook } from './layer-book.ts';
import { LayerRefused } from './refusal.ts';

/** One automatic layer. */
export interface AutomaticLayer {
  readonly name: string;
  /**
   * `network`: it changes what is known of the network, at its place in the list. `request`: it changes how
   * the whole request is read, wherever it stands.
   */
  readonly changes: 'network' | 'request';
}

/**
 * - `sourcefree`: no fee and no delay on directions that leave the source and exist at its place in the list.
 * - `localchans`: our own channels with exact knowledge (local-channels.ts).
 * - `includeFees`: the recipient pays the fees out of the amount.
 * - `noMppSupport`: one part only. It is deprecated, so it is unknown where deprecated things are refused.
 */
export const AUTOMATIC = {
  sourcefree: {
    name: 'auto.sourcefree',
    changes: 'network',
  },
  localchans: {
    name: 'auto.localchans',
    changes: 'network',
  },
  includeFees: {
    name: 'auto.include_fees',
    changes: 'request',
  },
  noMppSupport: {
    name: 'auto.no_mpp_support',
    changes: 'request',
  },
} as const satisfies Record<string, AutomaticLayer>;

const BY_NAME: ReadonlyMap<string, AutomaticLayer> = new Map(
  Object.values(AUTOMATIC).map((layer) => [layer.name, layer]),
);

/** Names with this beginning belong to automatic layers, present and future. No other layer may have one. */
export const AUTOMATIC_PREFIX = 'auto.';

/** The automatic layer of this name. `undefined` when there is none. */
export const automaticLayer = (name: string): AutomaticLayer | undefined => BY_NAME.get(name);

/**
 * Stands for `auto.sourcefree` in a list of layer ids. The place of this layer in the list matters, so it needs an
 * id.
 */
export const SOURCEFREE = -1;

/** What the layer names of a request mean: layers to apply, and conditions on the answer. */
export interface ResolvedLayers {
  /** Ids of layers in order. `SOURCEFREE` may be among them. */
  readonly layerIds: readonly number[];
  readonly includeFees: boolean;
  /** Whether the request asks for a single part. */
  readonly noMpp: boolean;
}

/**
 * Reads the list of layer names of a request. @throws LayerRefused with the name of a layer that does not
 * exist.
 */
export function resolveLayers(
  book: Pick<LayerBook, 'layerIdByName'>,
  names: readonly string[],
  deprecatedApis: boolean,
): ResolvedLayers {
  const layerIds: number[] = [];
  let includeFees = false;
  let noMpp = false;
  for (const name of names) {
    if (name === AUTOMATIC.sourcefree.name) layerIds.push(SOURCEFREE);
    else if (name === AUTOMATIC.includeFees.name) includeFees = true;
    else if (name === AUTOMATIC.noMppSupport.name && deprecatedApis) noMpp = true;
    else layerIds.push(book.layerIdByName(name) ?? unknownLayer(name));
  }
  return { layerIds, includeFees, noMpp };
}

function unknownLayer(name: string): never {
  throw new LayerRefused({ kind: 'unknownLayer', name });
}
