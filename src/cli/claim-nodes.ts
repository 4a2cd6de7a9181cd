/**
 * Makes sure that the nodes of a purse belong to no other purse, as far as nodes can say so: Core Lightning nodes carry a
 * mark in their datastore, LND has no such place.
 */
import { markForPurse } from '../network/cln/index.ts';
import { DataDirectoryError } from './data-directory.ts';
import type { NamedNode, NodeBeside } from './reach-node.ts';

/** Marks a node of a purse. @throws DataDirectoryError when it belongs to another purse; FulguriteError nodeAway */
export type ClaimNode = (node: NamedNode) => Promise<void>;

/**
 * Makes the function that marks nodes, and marks those that were reached. Nothing is marked beside one node.
 * @param purseId the same for all daemons that pay with these nodes together
 * @throws DataDirectoryError when a node belongs to another purse; FulguriteError nodeAway
 */
export async function claimNodes(beside: NodeBeside | undefined, purseId: string): Promise<ClaimNode> {
  const claim: ClaimNode = async (node) => {
    if (node.kind !== 'cln') return;
    const owner = await markForPurse(node.link, purseId);
    if (owner === purseId) return;
    throw new DataDirectoryError(
      `node ${node.name} belongs to another purse (${owner}). Two daemons that both count its balance would undercut each ` +
        "other's floors: share a database (--store), or stop the other daemon for good and release the node with " +
        `lightning-cli deldatastore '["fulgurite","purse"]'`,
    );
  };
  if (beside?.kind === 'several') {
    for (const node of beside.nodes) if (node.kind !== 'late') await claim(node);
  }
  return claim;
}
