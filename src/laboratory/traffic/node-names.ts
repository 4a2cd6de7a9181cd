/** Nodes by the names that scenarios use: 33-byte ids in hex, or aliases where the graph's file gives them. */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { parseNodeId } from '../../model/node-id.ts';
import { scenarioError } from '../scenario/scenario-error.ts';

/** Finds nodes by name. */
export class NodeNames {
  readonly #graph: ChannelGraph;
  readonly #aliases: ReadonlyMap<string, number>;

  constructor(graph: ChannelGraph, aliases: ReadonlyMap<string, number> = new Map()) {
    this.#graph = graph;
    this.#aliases = aliases;
  }

  /** Index of a node. @throws FulguriteError `scenario`, with the field in which the name stands */
  find(name: string, field: string, file = 'scenario'): number {
    const alias = this.#aliases.get(name);
    if (alias !== undefined) return alias;
    const id = parseNodeId(name);
    const node = id === undefined ? -1 : this.#graph.nodeIndex(id);
    if (node < 0 || this.#graph.nodeDegree[node] === 0) {
      throw scenarioError({ file, field, expected: 'a node of the graph, by id or alias', found: name });
    }
    return node;
  }
}
