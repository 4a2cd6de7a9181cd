/**
 * Makes sure that the nodes of a purse belong to no other purse, as far as nodes can say so: Core Lightning nodes carry a
 * mark in their datastore, LND has no such place.
 */
import { markForPurse } from '../network/cln/index.ts';
import { DataDirectoryError } from './data-directory.ts';
import type { NodeBeside } from './reach-node.ts';

/**
 * Marks the nodes. Nothing to do beside one node.
 * @param purseId the same for all daemons that pay with these nodes together
 * @throws DataDirectoryError when a node belongs to another purse; FulguriteError nodeAway
 */
export async function claimNodes(beside: NodeBeside | undefined, purseId: string): Promise<void> {
  if (beside?.kind !== 'several') return;
  for (const node of beside.nodes) {
    if (node.kind !== 'cln') continue;
    const owner = await markForPurse(node.link, purseId);
    if (owner === purseId) continue;
    throw new DataDirectoryError(
      `node ${node.name} belongs to another purse (${owner}). Two daemons that both count its balance would undercut each ` +
        "other's floors: share a database (--store), or stop the other daemon for good and release the node with " +
        `lightning-cli deldatastore '["fulgurite","purse"]'`,
    );
  }
}
