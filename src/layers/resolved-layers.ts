/** Resolves the layer names of a request. */

import { AUTOMATIC } from './automatic.ts';
import type { LayerBook } from './layer-book.ts';
import { LayerRefused } from './refusal.ts';

/**
 * The id of `auto.sourcefree` in a list of layer ids. The place of this layer in the list matters, so it needs an id.
 */
export const SOURCEFREE = -1;

/** The meaning of a request's layer names: layers to apply, and conditions on the answer. */
export interface ResolvedLayers {
  /** Ids of layers in order. `SOURCEFREE` may be among them. */
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
    // Permits only routes whose source is their destination. getroutes answers those elsewhere (circular.ts).
    else if (name === AUTOMATIC.allowCircular.name) continue;
    else layerIds.push(book.layerIdByName(name) ?? unknownLayer(name));
  }
  return { layerIds, includeFees, noMpp };
}

function unknownLayer(name: string): never {
  throw new LayerRefused({ kind: 'unknownLayer', name });
}
