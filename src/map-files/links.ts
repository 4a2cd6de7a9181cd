/** The links of a graph, sorted by descending capacity. All channels between two nodes form one link. */
import { capacityStep, indexColumn } from './columns.ts';

/** Copies of those columns of a graph that the map needs, for use in another thread. */
export interface GraphCopy {
  readonly version: number;
  /** Node ids, 33 bytes each. */
  readonly ids: Uint8Array;
  /** Aliases of nodes, 32 bytes each, padded with zeros. */
  readonly aliases: Uint8Array;
  readonly node1: Uint32Array;
  readonly node2: Uint32Array;
  readonly capacityMsat: BigUint64Array;
  /** The flags of each direction, as in `ChannelGraph`. */
  readonly policyFlags: Uint8Array;
}

/** Bits of `policyFlags` that are set for an enabled direction with a known policy. */
const USABLE = 3;

/** The links of a graph, as in `MapColumns`. */
export interface Links {
  readonly from: Uint16Array | Uint32Array;
  readonly to: Uint16Array | Uint32Array;
  readonly capacity: Uint8Array;
  readonly flags: Uint8Array;
}

/** Number of nodes of a copy. */
export const nodesOf = ({ ids }: GraphCopy): number => ids.length / 33;

/** Merges channels into links, and sorts the links. */
export function linksOf(graph: GraphCopy): Links {
  const { node1, node2, capacityMsat, policyFlags } = graph;
  const nodes = nodesOf(graph);
  const merged = new Map<number, { capacityMsat: bigint; flags: number }>();
  for (let channel = 0; channel < node1.length; channel++) {
    const pair = node1[channel]! * nodes + node2[channel]!;
    const flags =
      (policyFlags[2 * channel] === USABLE ? 1 : 0) | (policyFlags[2 * channel + 1] === USABLE ? 2 : 0);
    const known = merged.get(pair);
    if (known === undefined) merged.set(pair, { capacityMsat: capacityMsat[channel]!, flags });
    else {
      known.capacityMsat += capacityMsat[channel]!;
      known.flags |= flags;
    }
  }
  const links = [...merged].map(([pair, { capacityMsat: msat, flags }]) => ({
    pair,
    flags,
    step: capacityStep(msat),
  }));
  links.sort((a, b) => b.step - a.step || a.pair - b.pair);
  const from = indexColumn(nodes, links.length);
  const to = indexColumn(nodes, links.length);
  for (const [place, { pair }] of links.entries()) {
    from[place] = Math.floor(pair / nodes);
    to[place] = pair % nodes;
  }
  return {
    from,
    to,
    capacity: Uint8Array.from(links, ({ step }) => step),
    flags: Uint8Array.from(links, ({ flags }) => flags),
  };
}

/**
 * The neighbours of each node. Those of node n are in `ends` from `start[n]` (inclusive) to `start[n + 1]` (exclusive).
 */
export interface Neighbours {
  readonly start: Uint32Array;
  readonly ends: Uint32Array;
}

/** Lists the neighbours of each node. */
export function neighboursOf(nodes: number, { from, to }: Pick<Links, 'from' | 'to'>): Neighbours {
  const start = new Uint32Array(nodes + 1);
  for (let link = 0; link < from.length; link++) {
    start[from[link]! + 1]!++;
    start[to[link]! + 1]!++;
  }
  for (let node = 0; node < nodes; node++) start[node + 1]! += start[node]!;
  const next = start.slice();
  const ends = new Uint32Array(from.length * 2);
  for (let link = 0; link < from.length; link++) {
    ends[next[from[link]!]!++] = to[link]!;
    ends[next[to[link]!]!++] = from[link]!;
  }
  return { start, ends };
}
