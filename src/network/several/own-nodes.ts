/** All our nodes, by name or id, with their settings. */
import type { NodeId } from '../../model/node-id.ts';
import type { PurseChannel, PurseMember } from '../../model/purse.ts';
import { added } from '../listeners.ts';
import type { OwnNode, OwnNodeSettings } from './own-node.ts';

/**
 * Stores a node's settings before they apply, so that they survive restarts. When it throws or rejects, the settings do
 * not change. Returns undefined if the settings were stored during the call.
 */
export type SaveSettings = (node: OwnNode, settings: OwnNodeSettings) => undefined | Promise<void>;

/** Holds our nodes, in the order of their names in the options. */
export class OwnNodes {
  readonly list: readonly OwnNode[];
  readonly #byId: ReadonlyMap<NodeId, OwnNode>;
  readonly #save: SaveSettings;
  readonly #listeners = new Set<() => void>();

  constructor(list: readonly OwnNode[], save: SaveSettings = () => undefined) {
    this.list = list;
    this.#byId = new Map(list.map((node) => [node.nodeId, node]));
    this.#save = save;
    this.agreeOnHeight();
  }

  byId(nodeId: NodeId): OwnNode | undefined {
    return this.#byId.get(nodeId);
  }

  byName(name: string): OwnNode | undefined {
    return this.list.find((node) => node.name === name);
  }

  /** Stores a node's new settings, then applies them. Throws or rejects as `save` does. */
  set(node: OwnNode, change: Partial<OwnNodeSettings>): undefined | Promise<void> {
    const saved = this.#save(node, { ...node.settings, ...change });
    if (saved === undefined) this.adopt(node, change);
    return saved?.then(() => this.adopt(node, change));
  }

  /** Applies settings that are already stored. */
  adopt(node: OwnNode, change: Partial<OwnNodeSettings>): void {
    node.settings = { ...node.settings, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Calls back after a change of settings. @returns a function that unsubscribes */
  onChange(listener: () => void): () => void {
    return added(this.#listeners, listener);
  }

  /**
   * Determines the height that most responding nodes agree on, sets `agreedHeight` of all nodes to it, and returns it.
   * It is the median. If the number of nodes is even, it is the higher of the two middle heights, because a node is
   * more often behind than ahead.
   * If no node responds, `agreedHeight` becomes undefined, and the highest known height is returned.
   */
  agreeOnHeight(): number {
    const heights = this.list
      .filter(({ settings, problem }) => settings.state !== 'off' && problem === undefined)
      .map(({ port }) => port.blockHeight())
      .sort((a, b) => a - b);
    const agreed = heights[Math.floor(heights.length / 2)];
    for (const node of this.list) node.agreedHeight = agreed;
    return agreed ?? Math.max(0, ...this.list.map(({ port }) => port.blockHeight()));
  }

  /** Difference between the highest and the lowest price of our nodes in searches, in parts per million. */
  get priceSpreadPpm(): number {
    const prices = this.list.map(({ weighedPricePpm }) => weighedPricePpm);
    return Math.max(...prices) - Math.min(...prices);
  }

  /** Our nodes, with what each may spend and its price relative to the cheapest node. */
  members(): PurseMember[] {
    const lowest = Math.min(...this.list.map(({ weighedPricePpm }) => weighedPricePpm));
    return this.list.map((node) => ({
      nodeId: node.nodeId,
      number: node.number,
      spendableMsat: node.mayPayMsat,
      largestPartMsat: node.settings.largestPartMsat ?? 2n ** 62n,
      pricePpm: node.weighedPricePpm - lowest,
    }));
  }

  /** Channels of all our nodes that can be part of routes. */
  routable(): PurseChannel[] {
    return this.list.flatMap((node) => node.routable());
  }
}
