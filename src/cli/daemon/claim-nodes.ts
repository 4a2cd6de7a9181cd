/**
 * Ensures that no node of a purse (nodes that pay together) belongs to a different purse. Core Lightning nodes are
 * marked in their datastore, LND nodes with an invoice that is never paid. The marks of LND nodes expire, so they are
 * renewed while the daemon runs.
 */
import { FulguriteError } from '../../model/errors.ts';
import { markForPurse } from '../../network/cln/index.ts';
import { type LndLink, lndPurseMark, markLndForPurse } from '../../network/lnd/index.ts';
import type { Log } from '../../rpc/log.ts';
import { DataDirectoryError } from '../files/data-directory.ts';
import type { Closers } from './parts/closers.ts';
import {
  type LateNode,
  lateAgain,
  type NamedNode,
  type NodeBeside,
  type SeveralNodes,
} from './reach-node.ts';

/** Time between two checks of the marks that expire. A mark is renewed months before it expires. */
const CHECK_EVERY_MS = 86_400_000;

/** Marks a node of a purse. @throws DataDirectoryError when it belongs to a different purse; FulguriteError nodeAway */
export type ClaimNode = (node: NamedNode) => Promise<void>;

/** The nodes that the daemon may use, and the function that marks nodes reached later. */
export interface ClaimedNodes {
  readonly beside: NodeBeside | undefined;
  readonly claim: ClaimNode;
}

/**
 * Marks the nodes reached so far. A single node is not marked; if it is an LND node of a purse, a warning is logged
 * (with Core Lightning, the daemons notice each other by their entries in its datastore). A node that has stopped
 * responding joins later. Until the daemon closes, the marks of all these nodes are renewed before they expire.
 * @param purseId identifies the purse; the same for all daemons that pay with these nodes
 * @throws DataDirectoryError when a node belongs to a different purse
 */
export async function claimNodes(
  beside: NodeBeside | undefined,
  purseId: string,
  log: Log,
  closers: Closers,
): Promise<ClaimedNodes> {
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
  if (beside?.kind === 'lnd') void warnOfPurse(beside.link, purseId, log);
  if (beside?.kind !== 'several') return { beside, claim };
  const nodes: SeveralNodes['nodes'][number][] = [];
  for (const node of beside.nodes) nodes.push(node.kind === 'late' ? node : await claimed(node, claim, log));
  const check = (): void => {
    for (const node of expiring.values()) {
      claim(node).catch(({ message }: Error) =>
        log.unusual(`node ${node.name}: cannot renew the mark of this purse: ${message}`),
      );
    }
  };
  const timer = setInterval(check, CHECK_EVERY_MS).unref();
  closers.add(() => clearInterval(timer));
  return { beside: { ...beside, nodes }, claim };
}

/** Logs a warning if a single LND node belongs to a purse. Never rejects: a node that cannot be asked is not checked. */
async function warnOfPurse(link: LndLink, ownId: string, log: Log): Promise<void> {
  try {
    const mark = await lndPurseMark(link);
    if (mark === undefined || mark.owner === ownId) return;
    log.unusual(
      `LND belongs to a purse of another Fulgurite daemon with several nodes (${mark.owner}). While both run, they do not ` +
        "share payments or idempotency keys, and both count the node's whole balance as their own. If that daemon was " +
        `stopped for good, release the node with lncli cancelinvoice ${mark.paymentHash}`,
    );
  } catch (error) {
    log.debug(`cannot look for the mark of a purse: ${error}`);
  }
}

/** The node, marked; or, if it has stopped responding, the node that joins later. */
async function claimed(node: NamedNode, claim: ClaimNode, log: Log): Promise<NamedNode | LateNode> {
  try {
    await claim(node);
    return node;
  } catch (error) {
    return lateAgain(node, error, log);
  }
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
