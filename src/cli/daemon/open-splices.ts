/**
 * Opens the splice watch. It uses the aliases stored by earlier runs, changes of the graph, and reports about our own
 * channels.
 */
import type { LayerBook } from '../../layers/layer-book.ts';
import { SpliceWatch } from '../../layers/splice-watch.ts';
import { formatShortChannelId, parseShortChannelId } from '../../model/short-channel-id.ts';
import type { Log } from '../../rpc/log.ts';
import type { RecordRepository } from '../../store/record-repository.ts';
import type { OpenedGraph } from './open-graph.ts';

const SECONDS_PER_DAY = 86_400;
/** Days for which the old short channel id of a spliced channel is remembered. */
const KEPT_DAYS = 90;
const MAX_KEPT = 10_000;

/** What the splice watch needs from the daemon. */
export interface SpliceDependencies {
  readonly book: LayerBook;
  readonly records: RecordRepository;
  /**
   * Whether this daemon may change the layers that a fleet shares: only the graph leader may, because its source
   * reports the splice.
   */
  readonly isLeading: () => boolean;
  readonly log: Log;
}

/** Opens the watch. Reads the stored aliases, and deletes those that are too old. */
export async function openSplices({
  book,
  records,
  isLeading,
  log,
}: SpliceDependencies): Promise<SpliceWatch> {
  const kept = await records.records('splice', undefined, MAX_KEPT);
  for (const { id, body } of kept) {
    const { to, at } = JSON.parse(body) as { to: string; at: number };
    const [before, after] = [parseShortChannelId(id), parseShortChannelId(to)];
    const isOld = book.now() - at > KEPT_DAYS * SECONDS_PER_DAY;
    if (isOld || before === undefined || after === undefined) records.removeRecord('splice', id);
    else book.alias(before, after);
  }
  return new SpliceWatch({
    book,
    keep({ from, to, oldCapacityMsat, newCapacityMsat }) {
      const names = { from: formatShortChannelId(from), to: formatShortChannelId(to) };
      log.info('a channel was spliced', { ...names, change_msat: `${newCapacityMsat - oldCapacityMsat}` });
      const body = JSON.stringify({ to: names.to, at: book.now() });
      records.putRecord('splice', { id: names.from, body });
    },
    mayChange: (layer) => !layer.persistent || isLeading(),
  });
}

/** The graph source, changed so that the watch sees splices before any other part sees the changed graph. */
export function withSplices(source: OpenedGraph, watch: SpliceWatch, log: Log): OpenedGraph {
  const look = (): void => {
    try {
      watch.graphChanged(source.graph);
    } catch (error) {
      // The next change of the graph triggers another try.
      log.unusual(`cannot update layers after a splice yet: ${(error as Error).message}`);
    }
  };
  look();
  return {
    ...source,
    follow(changed) {
      source.follow(() => {
        look();
        changed();
      });
    },
  };
}
