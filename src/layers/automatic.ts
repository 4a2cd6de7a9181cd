/**
 * The automatic layers a route request can name beside those that were created:
 *   auto.localchans      our own channels with exact knowledge (local-channels.ts)
 *   auto.sourcefree      no fee and no delay on directions that leave the source and exist by then
 *   auto.include_fees    the recipient pays the fees out of the amount
 *   auto.no_mpp_support  one part only; deprecated, and unknown where deprecated things are refused
 */
import { FulguriteError } from '../model/errors.ts';
import type { LayerBook } from './layer-book.ts';

/** Stands for `auto.sourcefree` in a list of layer ids, because its place in the list matters. */
export const SOURCEFREE = -1;

export interface ResolvedLayers {
  /** Ids of layers in order, `SOURCEFREE` among them. */
  readonly layerIds: readonly number[];
  readonly includeFees: boolean;
  /** Asks for a single part. */
  readonly noMpp: boolean;
}

/**
 * What a request's list of layer names means.
 * @throws FulguriteError -32602 `layers: unknown layer` with the name in its data.
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
    if (name === 'auto.sourcefree') layerIds.push(SOURCEFREE);
    else if (name === 'auto.include_fees') includeFees = true;
    else if (name === 'auto.no_mpp_support' && deprecatedApis) noMpp = true;
    else layerIds.push(book.layerIdByName(name) ?? unknownLayer(name));
  }
  return { layerIds, includeFees, noMpp };
}

function unknownLayer(name: string): never {
  throw new FulguriteError('invalidParams', 'layers: unknown layer: invalid token (see logs for details)', {
    parameter: 'layers',
    reason: 'unknown layer',
    value: name,
  });
}
