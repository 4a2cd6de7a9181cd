/** What the layer names of a request mean. */

import { AUTOMATIC } from './automatic.ts';
import type { LayerBook } from './layer-book.ts';
import { LayerRefused } from './refusal.ts';

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
    // Where source and destination differ there is no circle to permit; where not, getroutes answers (circular.ts).
    else if (name === AUTOMATIC.allowCircular.name) continue;
    else layerIds.push(book.layerIdByName(name) ?? unknownLayer(name));
  }
  return { layerIds, includeFees, noMpp };
}

function unknownLayer(name: string): never {
  throw new LayerRefused({ kind: 'unknownLayer', name });
}
