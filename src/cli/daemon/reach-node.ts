/** Connects to the node or nodes whose channels and funds the daemon uses, if the options of `start` name any. */
import { type Deferred, deferred } from '../../model/deferred.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { type NodeLink as ClnLink, reachNode } from '../../network/cln/index.ts';
import { type LndLink, reachLnd } from '../../network/lnd/index.ts';
import { connectSharedNetwork, type SharedLink } from '../../network/simulated/index.ts';
import type { Log } from '../../rpc/log.ts';
import { UsageError } from '../client/client-arguments.ts';
import { nodeSocketIn } from '../files/paths.ts';
import type { NodePlace } from '../options/node-options.ts';
import type { StartOptions } from '../options/start-options.ts';
import { knownNodeIds } from './own-nodes-file.ts';

/** A connected node: its kind, and the link to it. */
export type OneNode =
  | { readonly kind: 'cln'; readonly link: ClnLink }
  | { readonly kind: 'lnd'; readonly link: LndLink };

/** A connected node, with its name from the option `--node`. */
export type NamedNode = OneNode & {
  readonly name: string;
  /** Connects to the node again, over a new link. @throws FulguriteError nodeAway, notSupported */
  readonly reach: () => Promise<NamedNode>;
};

/** A node that does not respond at the moment. Its id is known from an earlier run. */
export interface LateNode {
  readonly kind: 'late';
  readonly name: string;
  readonly nodeId: NodeId;
  /** The kind of node. */
  readonly of: 'cln' | 'lnd';
  /** Connects to the node. @throws FulguriteError nodeAway, notSupported */
  readonly reach: NamedNode['reach'];
  /**
   * Resolved with the node once it is connected, by the code that connects to it. From then on, the node's graph is
   * read.
   */
  readonly arrival: Deferred<NamedNode>;
}

/**
 * Several nodes, each with a name. `link` has the facts of the first connected node; closing it closes the links of all
 * nodes that were connected at the start.
 */
export interface SeveralNodes {
  readonly kind: 'several';
  readonly nodes: readonly (NamedNode | LateNode)[];
  readonly link: { readonly facts: ClnLink['facts'] | LndLink['facts']; close(): void | Promise<void> };
}

/** A simulated network that several daemons share. The network treats all these daemons as one node. */
export interface SharedSimulated {
  readonly kind: 'simulated';
  readonly network: SharedLink;
  readonly link: {
    readonly facts: Pick<ClnLink['facts'], 'nodeId' | 'chain'>;
    close(): void;
  };
}

/** The attached node or nodes, or the shared simulated network. */
export type NodeBeside = OneNode | SeveralNodes | SharedSimulated;

/**
 * Connects to the node or nodes named in the options. Undefined when they name none.
 * @throws FulguriteError nodeAway, notSupported; UsageError when a node is on a different chain than `--chain` or than
 *   another node, or when two names mean the same node; DataDirectoryError when the file of known nodes cannot be used
 */
export async function reachNodeBeside(options: StartOptions, log: Log): Promise<NodeBeside | undefined> {
  const { isChainGiven, chain } = options;
  const beside = await reach(options, log);
  if (beside === undefined || !isChainGiven || chain === beside.link.facts.chain) return beside;
  await beside.link.close();
  throw new UsageError(
    `--chain is ${chain}, but the node at ${placeOf(options)} is on ${beside.link.facts.chain}`,
  );
}

async function reach(options: StartOptions, log: Log): Promise<NodeBeside | undefined> {
  const { nodeSocket, lnd, nodes } = options;
  const { sharedNetwork, chain } = options;
  if (sharedNetwork !== undefined) {
    const network = await connectSharedNetwork(sharedNetwork);
    // The simulated network has no chain, so the option's chain is used.
    const facts = { nodeId: network.nodeId, chain };
    return { kind: 'simulated', network, link: { facts, close: () => network.close() } };
  }
  if (nodes.length > 0 && options.network === 'several') return reachAll(options, log);
  if (lnd !== undefined) return { kind: 'lnd', link: await reachLnd(lnd, log) };
  if (nodeSocket === undefined) return undefined;
  return { kind: 'cln', link: await reachNode({ socketPath: nodeSocket, log }) };
}

/**
 * Connects to all nodes. A node that does not respond may join later, if an earlier run used it.
 * After an error, nothing stays open.
 * @throws UsageError when two names mean the same node, or nodes are on different chains; FulguriteError nodeAway,
 *   notSupported when none of the nodes can be reached, or when a node that no earlier run used cannot;
 *   DataDirectoryError
 */
async function reachAll({ nodes, chain, dataDirectory }: StartOptions, log: Log): Promise<SeveralNodes> {
  const known = knownNodeIds(dataDirectory);
  const asked = await Promise.allSettled(nodes.map((place) => reachPlace(place, chain, log)));
  const reached = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all(reached.map(({ link }) => link.close()));
  };
  try {
    const all = asked.map((each, at): SeveralNodes['nodes'][number] => {
      if (each.status === 'fulfilled') return each.value;
      const late = reached.length > 0 && lateNode(each.reason, nodes[at]!, known, chain, log);
      if (late) return late;
      throw withName(each.reason, nodes[at]!.name);
    });
    requireOneChain(reached);
    requireDifferent(all);
    return { kind: 'several', nodes: all, link: { facts: reached[0]!.link.facts, close } };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * A node that may join later. Undefined when no earlier run used the node, or when the node responds but refuses us.
 */
function lateNode(
  error: unknown,
  place: NodePlace,
  known: ReadonlyMap<string, NodeId>,
  chain: string,
  log: Log,
): LateNode | undefined {
  const nodeId = known.get(place.name);
  if (nodeId === undefined || !isAway(error) || place.kind === 'simulated') return undefined;
  logAway(place.name, error, log);
  const { name, kind } = place;
  const reach = (): Promise<NamedNode> => reachPlace(place, chain, log);
  return { kind: 'late', name, nodeId, of: kind, reach, arrival: deferred() };
}

/**
 * A node that was connected, but stopped responding before the daemon had started. It joins later.
 * @param error what the node's last call failed with
 * @throws error when the node responded
 */
export function lateAgain({ name, kind, link, reach }: NamedNode, error: unknown, log: Log): LateNode {
  if (!isAway(error)) throw error;
  logAway(name, error, log);
  return { kind: 'late', name, nodeId: link.facts.nodeId, of: kind, reach, arrival: deferred() };
}

/** Whether an error means that a node does not respond. */
export const isAway = (error: unknown): error is FulguriteError =>
  error instanceof FulguriteError && error.name === 'nodeAway';

const logAway = (name: string, { message }: FulguriteError, log: Log): void =>
  log.unusual(`node ${name}: ${message}; continuing with the others`);

function requireOneChain([first, ...others]: readonly NamedNode[]): void {
  const chain = first!.link.facts.chain;
  const other = others.find(({ link }) => link.facts.chain !== chain);
  if (other === undefined) return;
  throw new UsageError(
    `--node: ${first!.name} is on ${chain}, but ${other.name} is on ${other.link.facts.chain}`,
  );
}

function requireDifferent(nodes: SeveralNodes['nodes']): void {
  const names = new Map<NodeId, string>();
  for (const node of nodes) {
    const nodeId = nodeIdOf(node);
    const other = names.get(nodeId);
    if (other !== undefined)
      throw new UsageError(`--node: ${other} and ${node.name} are the same node ${nodeId}`);
    names.set(nodeId, node.name);
  }
}

/** The id of one of several nodes. */
export const nodeIdOf = (node: SeveralNodes['nodes'][number]): NodeId =>
  node.kind === 'late' ? node.nodeId : node.link.facts.nodeId;

async function reachPlace(place: NodePlace, chain: string, log: Log): Promise<NamedNode> {
  const { name } = place;
  const reach = (): Promise<NamedNode> => reachPlace(place, chain, log);
  if (place.kind === 'lnd') return { name, reach, kind: 'lnd', link: await reachLnd(place.place, log) };
  if (place.kind !== 'cln') throw new TypeError('a simulated node needs no connection');
  const socketPath = place.isSocket ? place.directory : nodeSocketIn(place.directory, chain);
  return { name, reach, kind: 'cln', link: await reachNode({ socketPath, log }) };
}

/** Adds the node's name to the message of an error. */
function withName(error: unknown, name: string): unknown {
  if (!(error instanceof FulguriteError)) return error;
  return new FulguriteError(error.name, `node ${name}: ${error.message}`, error.data);
}

/** Where the node is, for messages: a socket path, an address or a file; the names if there are several nodes. */
function placeOf({ nodeSocket, lnd, nodes }: StartOptions): string {
  if (nodes.length > 0) return nodes.map(({ name }) => name).join(', ');
  if (lnd === undefined) return nodeSocket ?? '';
  return 'connectPath' in lnd ? lnd.connectPath : lnd.address;
}
