/** A network from a file: the public graph, and data that only some formats contain. */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { ChannelLimits } from '../truth/true-channels.ts';

/** The numbers that a CLoTH network gives to edges and nodes. */
export class ClothEdges {
  /** For each direction, the number of its edge. */
  readonly idOf: Uint32Array;
  readonly #firsts: Uint8Array;
  readonly #nodes: ReadonlyMap<number, number>;

  /**
   * @param firsts for each channel, the direction (0 or 1) that is its edge 1
   * @param nodes for each node of the graph, its number in CLoTH
   */
  constructor(idOf: Uint32Array, firsts: Uint8Array, nodes: ReadonlyMap<number, number>) {
    this.idOf = idOf;
    this.#firsts = firsts;
    this.#nodes = nodes;
  }

  nodeIdOf(node: number): number {
    return this.#nodes.get(node)!;
  }

  /** The direction that is edge 1 of a channel. */
  firstOf(channel: number): number {
    return 2 * channel + this.#firsts[channel]!;
  }

  /** All directions, in the order of their edge numbers. */
  inOrder(): number[] {
    return [...this.idOf.keys()].sort((a, b) => this.idOf[a]! - this.idOf[b]!);
  }
}

/** The result of a network reader. */
export interface NetworkInput {
  readonly graph: ChannelGraph;
  /** Balance of node 1 in each channel, in msat, if the format contains balances. */
  readonly balances?: BigInt64Array;
  /** Limits of each direction, if the format contains them. */
  readonly limits?: ChannelLimits;
  /** Nodes by their names in the file. */
  readonly aliases: ReadonlyMap<string, number>;
  /** Only for CLoTH networks. */
  readonly cloth?: ClothEdges;
  /** Warnings about suspicious but usable input, such as amounts that seem to be in a different unit. */
  readonly warnings: readonly string[];
}

/** A median capacity below 1,000 sat suggests that the unit is wrong. */
const MIN_LIKELY_MEDIAN_MSAT = 1_000_000n;

/** Warns if most capacities are so small that they are probably sat instead of msat. */
export function suspectUnits(graph: ChannelGraph, file: string): string[] {
  const capacities = [...graph.capacityMsat.subarray(0, graph.channelCount)].sort((a, b) => (a < b ? -1 : 1));
  const median = capacities[capacities.length >> 1];
  if (median === undefined || median >= MIN_LIKELY_MEDIAN_MSAT) return [];
  return [
    `${file}: half of the channels have a capacity of at most ${median} msat. ` +
      'Capacities must be in msat; these look like sat, 1000 times too small.',
  ];
}
