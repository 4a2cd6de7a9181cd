/** Resolves the layer names of a request. */

import { AUTOMATIC } from './automatic.ts';
import type { LayerBook } from './layer-book.ts';
import { LayerRefused } from './refusal.ts';

/** Represents `auto.sourcefree` in a list of layer ids, because the place of this layer in the list matters. */
export const SOURCEFREE = -1;

/** The meaning of a request's layer names: the layers to apply, and conditions on the result. */
export interface ResolvedLayers {
  /** Ids of layers, in order. May include `SOURCEFREE`. */
  readonly layerIds: readonly number[];
  readonly includeFees: boolean;
  /** Whether the request demands a single part. */
  readonly noMpp: boolean;
}

/** Resolves the layer names of a request. @throws LayerRefused with the name of an unknown layer. */
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
    // This layer only permits routes from a node to itself, which circular.ts finds.
    else if (name === AUTOMATIC.allowCircular.name) continue;
    else layerIds.push(book.layerIdByName(name) ?? unknownLayer(name));
  }
  return { layerIds, includeFees, noMpp };
}

function unknownLayer(name: string): never {
  throw new LayerRefused({ kind: 'unknownLayer', name });
}
