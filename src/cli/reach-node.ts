/** Connects to the node whose channels and money the daemon uses, when the options of `start` name one. */
import { FulguriteError } from '../model/errors.ts';
import { type NodeLink as ClnLink, reachNode } from '../network/cln/index.ts';
import { type LndLink, reachLnd } from '../network/lnd/index.ts';
import type { Log } from '../rpc/log.ts';
import { UsageError } from './client-arguments.ts';
import type { NodePlace } from './node-options.ts';
import { nodeSocketIn } from './paths.ts';
import type { StartOptions } from './start-options.ts';

/** A node that was reached: what it is, and the link that leads to it. */
export type OneNode =
  | { readonly kind: 'cln'; readonly link: ClnLink }
  | { readonly kind: 'lnd'; readonly link: LndLink };

/** Nodes that were reached, by name. `link` is that of the first one, and closes all. */
export interface SeveralNodes {
  readonly kind: 'several';
  readonly nodes: readonly (OneNode & { readonly name: string })[];
  readonly link: { readonly facts: ClnLink['facts'] | LndLink['facts']; close(): void | Promise<void> };
}

/** The node or nodes behind us. */
export type NodeBeside = OneNode | SeveralNodes;

/**
 * Connects to the node that the options name. Undefined when they name none.
 * @throws FulguriteError nodeAway, notSupported; UsageError when it is on another chain than the one named
 */
export async function reachNodeBeside(options: StartOptions, log: Log): Promise<NodeBeside | undefined> {
  const { isChainGiven, chain } = options;
  const beside = await reach(options, log);
  if (beside === undefined || !isChainGiven || chain === beside.link.facts.chain) return beside;
  await beside.link.close();
  throw new UsageError(
    `--chain is ${chain}, and the node at ${placeOf(options)} is on ${beside.link.facts.chain}`,
  );
}

async function reach(options: StartOptions, log: Log): Promise<NodeBeside | undefined> {
  const { nodeSocket, lnd, nodes } = options;
  if (nodes.length > 0 && options.network === 'several') return reachAll(options, log);
  if (lnd !== undefined) return { kind: 'lnd', link: await reachLnd(lnd, log) };
  if (nodeSocket === undefined) return undefined;
  return { kind: 'cln', link: await reachNode({ socketPath: nodeSocket, log }) };
}

/**
 * Reaches all nodes. @throws UsageError when two of them are one node, or are on different chains; FulguriteError
 * nodeAway, notSupported when one cannot be reached; nothing stays open then
 */
async function reachAll({ nodes, chain }: StartOptions, log: Log): Promise<SeveralNodes> {
  const asked = await Promise.allSettled(nodes.map((place) => reachPlace(place, chain, log)));
  const reached = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all(reached.map(({ link }) => link.close()));
  };
  try {
    asked.forEach((each, at) => {
      if (each.status === 'rejected') throw withName(each.reason, nodes[at]!.name);
    });
    const [first, ...others] = reached;
    for (const { name, link } of others) {
      if (link.facts.chain !== first!.link.facts.chain) {
        throw new UsageError(
          `--node: ${first!.name} is on ${first!.link.facts.chain}, and ${name} is on ${link.facts.chain}`,
        );
      }
    }
    const names = new Map<string, string>();
    for (const { name, link } of reached) {
      const other = names.get(link.facts.nodeId);
      if (other !== undefined)
        throw new UsageError(`--node: ${other} and ${name} are the same node ${link.facts.nodeId}`);
      names.set(link.facts.nodeId, name);
    }
    return { kind: 'several', nodes: reached, link: { facts: first!.link.facts, close } };
  } catch (error) {
    await close();
    throw error;
  }
}

async function reachPlace(place: NodePlace, chain: string, log: Log): Promise<SeveralNodes['nodes'][number]> {
  const { name } = place;
  if (place.kind === 'lnd') return { name, kind: 'lnd', link: await reachLnd(place.place, log) };
  if (place.kind !== 'cln') throw new TypeError('a simulated node is not reached');
  const socketPath = place.isSocket ? place.directory : nodeSocketIn(place.directory, chain);
  return { name, kind: 'cln', link: await reachNode({ socketPath, log }) };
}

/** The error of reaching a node, with the node's name. */
function withName(error: unknown, name: string): unknown {
  if (!(error instanceof FulguriteError)) return error;
  return new FulguriteError(error.name, `node ${name}: ${error.message}`, error.data);
}

/** Where the node is, for messages. */
function placeOf({ nodeSocket, lnd, nodes }: StartOptions): string {
  if (nodes.length > 0) return nodes.map(({ name }) => name).join(', ');
  if (lnd === undefined) return nodeSocket ?? '';
  return 'connectPath' in lnd ? lnd.connectPath : lnd.address;
}
