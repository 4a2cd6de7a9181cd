/** Parameter types and other code that the layer commands share. */

import type { Layer } from '../../layers/layer.ts';
import type { BiasChange } from '../../layers/layer-book.ts';
import { optional, required, withDefault } from '../../rpc/command.ts';
import { BadToken, bool, integer, shortText } from '../../rpc/param-types.ts';
import type { NodeContext, NodeParamType } from '../context.ts';

/** The name of an existing layer; the handler receives the layer. Automatic layers are refused. */
export const layerName: NodeParamType<Layer> = {
  name: 'layer',
  schema: { type: 'string' },
  parse(token, { layers }) {
    const layer = layers.layer(token.text);
    if (layer === undefined) throw new BadToken('Unknown layer', token);
    return layer;
  },
};

/** A bias from −100 to 100, as the bias commands of Core Lightning accept it. */
const bias = integer(-100, 100, 'should be a number between -100 and 100');

/** The last parameters of both bias commands. */
export const BIAS_PARAMS = {
  bias: required(bias, 'From -100 to 100.'),
  description: optional(shortText, 'A note of at most 4096 bytes, shown in lists. Each call replaces it.'),
  relative: withDefault(bool, false, 'Whether to add the value to the current bias instead of replacing it.'),
};

/** The change that a bias command makes in the layer book. */
export const biasChange = (args: {
  readonly bias: number;
  readonly relative: boolean;
  readonly description: string | undefined;
}): BiasChange => ({ bias: args.bias, relative: args.relative, description: args.description });

/**
 * Resolves with the result once the changes of a persistent layer are on disk.
 * @throws FulguriteError storeFailed
 */
export async function stored<T>(context: NodeContext, layer: Layer, result: T): Promise<T> {
  if (layer.persistent) await context.layersDurable(layer);
  return result;
}
