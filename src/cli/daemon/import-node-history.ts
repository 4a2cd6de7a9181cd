/**
 * At the start, imports knowledge about channels from our node's past payments and forwards, if the node lists them.
 */
import { FulguriteError } from '../../model/errors.ts';
import type { NetworkPort } from '../../network/port.ts';
import { HISTORY_LAYER } from '../../payments/learn/learning.ts';
import { HISTORY_S, type HistoryTarget, takeNodeHistory } from '../../payments/learn/node-history.ts';
import type { Log } from '../../rpc/log.ts';

/** Imports the history into a layer. Never rejects, because payments work without it. */
export async function importNodeHistory(
  network: Pick<NetworkPort, 'nodeHistory'>,
  target: HistoryTarget,
  log: Log,
): Promise<void> {
  if (network.nodeHistory === undefined) return;
  try {
    const history = await network.nodeHistory(target.book.now() - HISTORY_S);
    const { bounds, answers } = takeNodeHistory(history, target);
    log.info(`the layer ${HISTORY_LAYER} has ${bounds} bounds from the node's own payments`, { answers });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (error instanceof FulguriteError) log.info(`the node's own payments are not imported: ${why}`);
    else log.broken(`the node's own payments are not imported: ${why}`);
  }
}
