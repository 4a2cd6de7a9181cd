/** Automatic layers of daemons, received over the bus by solvers, for the searches of these daemons. */
import { unpackCell, unpackOdds } from '../engine/question/messages.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';
import { AUTOMATIC_LAYERS, type LayerItem } from './layer-state.ts';
import { StateListener, type StateListenerOptions } from './state-listener.ts';

/** Maximum number of cells kept for all daemons. */
const MAX_KEPT = 500_000;

/** Options of the layers. */
export type ReceivedLayersOptions = Pick<
  StateListenerOptions<LayerItem>,
  'bus' | 'fleet' | 'onRefused' | 'monotonicMs'
> & { readonly book: LayerBook; readonly maxKept?: number };

/** Starts a listener that adds the automatic layers of daemons to the book. */
export function receiveLayers({
  book,
  maxKept = MAX_KEPT,
  ...options
}: ReceivedLayersOptions): StateListener<LayerItem> {
  const { foreignLayers } = book;
  const set = (daemon: string, item: LayerItem): void => {
    const [kind, layerId] = item;
    if (kind === 'odds') {
      foreignLayers.setOdds(daemon, layerId, item[2] === null ? undefined : unpackOdds(item[2]));
    } else if (kind === 'node') {
      foreignLayers.setNode(daemon, layerId, item[2], item[3] ?? undefined);
    } else {
      const cell = item[3] === null ? undefined : unpackCell(item[3]);
      foreignLayers.setChannel(daemon, layerId, item[2] as ShortChannelId, cell);
    }
  };
  const forget = (daemon: string): void => foreignLayers.forget(daemon);
  return new StateListener({ ...options, kind: AUTOMATIC_LAYERS, maxKept, set, forget });
}
