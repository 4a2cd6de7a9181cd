/** `askrene-create-layer`: creates an empty layer. */
import { AUTOMATIC_PREFIX } from '../../layers/automatic.ts';
import { field, required, withDefault } from '../../rpc/command.ts';
import { bool, shortText } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { layerJson } from './askrene-listing.ts';
import { stored } from './askrene-types.ts';

/** Matches Core Lightning's command. @throws FulguriteError -32602 for a name that is taken or reserved. */
export const askreneCreateLayer = defineCommand({
  name: 'askrene-create-layer',
  summary: 'Create a layer: a named set of changes to what route requests see.',
  description:
    'Layers have no effect until a route request names them. A persistent layer survives restarts: each ' +
    'change is written to disk before the command returns. ' +
    `Names that begin with \`${AUTOMATIC_PREFIX}\` are reserved for automatic ` +
    'layers. If the layer already exists, the command fails, unless `persistent` is true: then it returns ' +
    'the existing layer unchanged, even if that one is not persistent.',
  category: 'routes',
  since: 'Core Lightning v24.11',
  params: {
    layer: required(shortText, 'Name of the layer. Any text of up to 4096 bytes.'),
    persistent: withDefault(bool, false, 'Whether to store the layer on disk. Default: false.'),
  },
  result: { layers: field('array', 'The layer, as `askrene-listlayers` shows it.') },
  handler({ layer: name, persistent }, context) {
    const layer = context.layers.createLayer(name, persistent);
    return stored(context, layer, { layers: [layerJson(layer, context.listsAsAskrene)] });
  },
});
