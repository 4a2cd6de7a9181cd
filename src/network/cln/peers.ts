/** Reads the rows of `listpeers` as peers. */
import { parseNodeId } from '../../model/node-id.ts';
import type { Peer } from '../port.ts';
import type { Members } from './answer.ts';

/** The node's peers. Rows without a node id are left out. */
export function peersOf(answer: Members): Peer[] {
  return answer.objects('peers').flatMap((row) => {
    const nodeId = parseNodeId(row.text('id') ?? '');
    if (nodeId === undefined) return [];
    const address = row.get('netaddr')?.elements()[0]?.text;
    return [
      {
        nodeId,
        features: row.bytes('features'),
        connected: row.flag('connected'),
        ...(address !== undefined && { address }),
      },
    ];
  });
}
