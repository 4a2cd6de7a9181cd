/** `askrene-create-layer`: makes a new, empty layer. */
import { AUTOMATIC_PREFIX } from '../../layers/automatic.ts';
import { field, required, withDefault } from '../../rpc/command.ts';
import { bool, shortText } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { layerJson } from './askrene-listing.ts';
import { stored } from './askrene-types.ts';

/** As Core Lightning's command. @throws FulguriteError -32602 for a name that is taken or reserved. */
export const askreneCreateLayer = defineCommand({
  name: 'askrene-create-layer',
  summary: 'Create a layer: a named set of changes to what route requests see.',
  description:
    'Layers change nothing until a route request names them. A persistent layer survives restarts. Each change ' +
    'of it is on disk before the change is answered. ' +
    `Names that begin with \`${AUTOMATIC_PREFIX}\` are taken by automatic ` +
    'layers. A name that exists is an error, unless `persistent` is true. Then the layer that exists is ' +
    'answered as it is, even if it is not persistent.',
  category: 'routes',
  since: 'v24.11',
  params: {
    layer: required(shortText, 'Name of the layer. Any text of at most 4096 bytes.'),
    persistent: withDefault(bool, false, 'Whether the layer is kept on disk. Not by default.'),
  },
  result: { layers: field('array', 'The layer, as `askrene-listlayers` shows it.') },
  handler({ layer: name, persistent }, context) {
    const layer = context.layers.createLayer(name, persistent);
    return stored(context, layer, { layers: [layerJson(layer, context.listsAsAskrene)] });
  },
});
