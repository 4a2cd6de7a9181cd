/**
 * Ensures that no node of a purse (nodes that pay together) belongs to a different purse. Core Lightning nodes are
 * marked in their datastore, LND nodes with an invoice that is never paid. The marks of LND nodes expire, so they are
 * renewed while the daemon runs.
 */
import { FulguriteError } from '../../model/errors.ts';
import { markForPurse } from '../../network/cln/index.ts';
import { markLndForPurse } from '../../network/lnd/index.ts';
import type { Log } from '../../rpc/log.ts';
import { DataDirectoryError } from '../files/data-directory.ts';
import type { Closers } from './parts/closers.ts';
import type { NamedNode, NodeBeside } from './reach-node.ts';

/** Time between two checks of the marks that expire. A mark is renewed months before it expires. */
const CHECK_EVERY_MS = 86_400_000;

/** Marks a node of a purse. @throws DataDirectoryError when it belongs to a different purse; FulguriteError nodeAway */
export type ClaimNode = (node: NamedNode) => Promise<void>;

/**
 * Marks the nodes reached so far, and returns the function that marks nodes reached later. A single node is not marked.
 * Until the daemon closes, the marks of all these nodes are renewed before they expire.
 * @param purseId identifies the purse; the same for all daemons that pay with these nodes
 * @throws DataDirectoryError when a node belongs to a different purse; FulguriteError nodeAway
 */
export async function claimNodes(
  beside: NodeBeside | undefined,
  purseId: string,
  log: Log,
  closers: Closers,
): Promise<ClaimNode> {
  /** Nodes with marks that expire, by name. */
  const expiring = new Map<string, NamedNode>();
  const claim: ClaimNode = async (node) => {
    const mark = await markOn(node, purseId, log);
    if (mark === undefined) return;
    if (mark.owner === purseId) {
      if (node.kind === 'lnd') expiring.set(node.name, node);
      return;
    }
    throw new DataDirectoryError(
      `node ${node.name} belongs to another purse (${mark.owner}). Two purses that both count the node's balance would spend ` +
        "below each other's floors: share a database (--store), or stop the other daemon for good and release the node with " +
        mark.release,
    );
  };
  if (beside?.kind === 'several') {
    for (const node of beside.nodes) if (node.kind !== 'late') await claim(node);
    const check = (): void => {
      for (const node of expiring.values()) {
        claim(node).catch(({ message }: Error) =>
          log.unusual(`node ${node.name}: cannot renew the mark of this purse: ${message}`),
        );
      }
    };
    const timer = setInterval(check, CHECK_EVERY_MS).unref();
    closers.add(() => clearInterval(timer));
  }
  return claim;
}

/** The purse that owns the node, and the command that releases it. Undefined for a node that cannot be marked. */
async function markOn(
  node: NamedNode,
  purseId: string,
  log: Log,
): Promise<{ readonly owner: string; readonly release: string } | undefined> {
  if (node.kind === 'cln') {
    const release = `lightning-cli deldatastore '["fulgurite","purse"]'`;
    return { owner: await markForPurse(node.link, purseId), release };
  }
  try {
    const { owner, paymentHash } = await markLndForPurse(node.link, purseId);
    return { owner, release: `lncli cancelinvoice ${paymentHash}` };
  } catch (error) {
    if (!(error instanceof FulguriteError && error.name === 'notSupported')) throw error;
    log.unusual(
      `node ${node.name}: cannot be marked as part of this purse, so a different purse could use it too: ${error.message}`,
    );
    return undefined;
  }
}
