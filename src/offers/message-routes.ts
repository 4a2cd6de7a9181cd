/**
 * Routes for onion messages: the fewest hops over the public graph, through nodes that announce onion messages.
 *
 * Messages need connected nodes, but no capacity. So a direction is usable if it is enabled and its destination accepts
 * onion messages. The search is breadth first, from the target back until it finds one of our connected peers. It
 * takes O(nodes + channels) time: about a millisecond on the main network.
 */
import type { NodeId } from '../model/node-id.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';

/** The part of `ChannelGraph` that message routes need. */
export interface MessageGraph {
  readonly nodeCount: number;
  readonly channelCount: number;
  readonly node1: Uint32Array;
  readonly node2: Uint32Array;
  readonly policyFlags: Uint8Array;
  /** Increases when channels are added or removed, which makes the index outdated. */
  readonly topologyVersion: number;
  nodeId(index: number): NodeId;
  /** Index of a node, or -1 if there is no such node. */
  nodeIndex(id: NodeId): number;
  channelIndex(shortChannelId: bigint): number;
}

/** The graph's policy flag `POLICY_ENABLED`, set for enabled directions. */
const ENABLED = 2;
/** Maximum number of nodes of a route, including the target. Its onion easily fits in the larger packet size. */
export const MAX_ROUTE_NODES = 20;

/** Which nodes a route may use. */
export interface RouteWishes {
  /** Returns whether the node with this index accepts onion messages. */
  readonly takesMessages: (node: number) => boolean;
  /** Nodes that the route must not pass, by index. Its first and last node may be among them. */
  readonly avoid?: ReadonlySet<number>;
}

/** Finds routes for onion messages over the public graph. */
export class MessageRoutes {
  readonly #graph: MessageGraph;
  #version = -1;
  #start = new Uint32Array(0);
  #channels = new Uint32Array(0);
  /**
   * For each node that the last search found, the next node towards the target; -1 for all others. Kept between
   * searches, because allocating this much memory outside V8's heap causes frequent garbage collection.
   */
  #towards = new Int32Array(0);
  /** The nodes that the last search found, in order. */
  #found = new Uint32Array(0);
  #foundCount = 0;
  /** The starts of the last search, and their indexes in that version of the graph. */
  #lastStarts:
    | {
        readonly ids: readonly NodeId[];
        readonly topologyVersion: number;
        readonly indexes: ReadonlySet<number>;
      }
    | undefined;

  constructor(graph: MessageGraph) {
    this.#graph = graph;
  }

  /**
   * The node that a channel direction identifies. Direction 0 identifies the node with the smaller id. `undefined` for
   * unknown channels.
   */
  resolve({ shortChannelId, direction }: ShortChannelIdDir): NodeId | undefined {
    const channel = this.#graph.channelIndex(shortChannelId);
    if (channel < 0) return undefined;
    return this.#graph.nodeId((direction === 0 ? this.#graph.node1 : this.#graph.node2)[channel]!);
  }

  isPublic(nodeId: NodeId): boolean {
    return this.#graph.nodeIndex(nodeId) >= 0;
  }

  indexOf(nodeId: NodeId): number {
    return this.#graph.nodeIndex(nodeId);
  }

  /**
   * Nodes from one of `starts` to the target, including both. `undefined` if there is no route.
   * @param starts ids of connected nodes. A list must not change after a search from it.
   */
  find(starts: readonly NodeId[], target: NodeId, wishes: RouteWishes): NodeId[] | undefined {
    if (starts.includes(target)) return [target];
    const last = this.indexOf(target);
    if (last < 0 || !wishes.takesMessages(last)) return undefined;
    const startIndexes = this.#indexesOf(starts);
    const [only = -1] = startIndexes;
    if (startIndexes.size === 1 && this.#leads(only, last)) return [this.#graph.nodeId(only), target];
    const from = this.#search(startIndexes, last, wishes);
    return from === undefined ? undefined : this.#follow(from);
  }

  /** Indexes of the nodes with these ids. The last list is remembered, because our peers seldom change. */
  #indexesOf(ids: readonly NodeId[]): ReadonlySet<number> {
    const { topologyVersion } = this.#graph;
    let last = this.#lastStarts;
    if (last === undefined || last.ids !== ids || last.topologyVersion !== topologyVersion) {
      const indexes = new Set(ids.map((id) => this.indexOf(id)).filter((node) => node >= 0));
      last = { ids, topologyVersion, indexes };
      this.#lastStarts = last;
    }
    return last.indexes;
  }

  /**
   * Whether an enabled direction leads from one node to the other. A search from the target would go through all of the
   * target's channels first, and the target may be one of the largest nodes.
   */
  #leads(from: number, to: number): boolean {
    this.#index();
    const { node1, node2, policyFlags } = this.#graph;
    for (let i = this.#start[from]!; i < this.#start[from + 1]!; i++) {
      const channel = this.#channels[i]!;
      const isNode1 = node1[channel] === from;
      const next = isNode1 ? node2[channel] : node1[channel];
      if (next === to && (policyFlags[2 * channel + (isNode1 ? 0 : 1)]! & ENABLED) !== 0) return true;
    }
    return false;
  }

  /** Searches breadth first from the target. Returns the index of the first start found. */
  #search(
    starts: ReadonlySet<number>,
    target: number,
    { takesMessages, avoid }: RouteWishes,
  ): number | undefined {
    for (let i = 0; i < this.#foundCount; i++) this.#towards[this.#found[i]!] = -1;
    this.#foundCount = 0;
    this.#index();
    const { node1, node2, policyFlags } = this.#graph;
    const towards = this.#towards;
    const found = this.#found;
    towards[target] = target;
    found[this.#foundCount++] = target;
    let from = 0;
    for (let depth = 1; depth < MAX_ROUTE_NODES && from < this.#foundCount; depth++) {
      const end = this.#foundCount;
      for (; from < end; from++) {
        const node = found[from]!;
        for (let i = this.#start[node]!; i < this.#start[node + 1]!; i++) {
          const channel = this.#channels[i]!;
          const isNode2 = node2[channel] === node;
          const before = isNode2 ? node1[channel]! : node2[channel]!;
          if (towards[before] !== -1 || (policyFlags[2 * channel + (isNode2 ? 0 : 1)]! & ENABLED) === 0)
            continue;
          const isStart = starts.has(before);
          if (!isStart && (!takesMessages(before) || avoid?.has(before))) continue;
          towards[before] = node;
          found[this.#foundCount++] = before;
          if (isStart) return before;
        }
      }
    }
    return undefined;
  }

  #follow(from: number): NodeId[] {
    const towards = this.#towards;
    const nodes = [from];
    for (let node = from; towards[node] !== node; node = towards[node]!) nodes.push(towards[node]!);
    return nodes.map((node) => this.#graph.nodeId(node));
  }

  /** Indexes the channels by node, if the topology has changed since the last call. */
  #index(): void {
    const { topologyVersion, nodeCount, channelCount, node1, node2 } = this.#graph;
    if (this.#version === topologyVersion && this.#start.length === nodeCount + 1) return;
    const start = new Uint32Array(nodeCount + 1);
    for (let channel = 0; channel < channelCount; channel++) {
      start[node1[channel]! + 1]!++;
      start[node2[channel]! + 1]!++;
    }
    for (let node = 0; node < nodeCount; node++) start[node + 1]! += start[node]!;
    const at = start.slice();
    const channels = new Uint32Array(2 * channelCount);
    for (let channel = 0; channel < channelCount; channel++) {
      channels[at[node1[channel]!]!++] = channel;
      channels[at[node2[channel]!]!++] = channel;
    }
    this.#start = start;
    this.#channels = channels;
    this.#towards = new Int32Array(nodeCount).fill(-1);
    this.#found = new Uint32Array(nodeCount);
    this.#version = topologyVersion;
  }
}
