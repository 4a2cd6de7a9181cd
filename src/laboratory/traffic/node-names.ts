/** Nodes by their names in scenarios: 33-byte ids in hex, or names in the graph's file. */
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

  /** Index of the node with this name. Undefined if the name is neither an alias nor the id of a node with channels. */
  tryFind(name: string): number | undefined {
    const alias = this.#aliases.get(name);
    if (alias !== undefined) return alias;
    const id = parseNodeId(name);
    const node = id === undefined ? -1 : this.#graph.nodeIndex(id);
    return node < 0 || this.#graph.nodeDegree[node] === 0 ? undefined : node;
  }

  /**
   * Like `tryFind`, but the node must exist. @throws FulguriteError `scenario`, with the field that contains the name
   */
  find(name: string, field: string): number {
    const node = this.tryFind(name);
    if (node !== undefined) return node;
    throw scenarioError({
      file: 'scenario',
      field,
      expected: 'a node of the graph, by id or alias',
      found: name,
    });
  }
}
