/**
 * How credible nodes are when they report failures of directions that leave them.
 *
 * A node that fails payments to steer us reports mostly failures, about directions that leave it. So the observations
 * that it reports count less, the larger the share of failures among them (credence), and the larger the number of
 * failures (trust):
 *
 *   credence = ((c + a) / (c + a + f))²      trust = 1 / (1 + f / n)²
 *
 * where `a` amounts were carried and `f` failed, with counts that fade with a half-life of a day, c = 4 and n = 8.
 *
 * Trust applies to carried amounts, too, because estimates from all of those and only a part of the failures would be too
 * high. But carried amounts do not reduce it: a node cannot pretend to have carried an amount.
 */
import type { NodeId } from '../../model/node-id.ts';
import type { NodeCounts } from './persistence.ts';

/** Number of failures of directions leaving one node after which the next observation has a weight of 1/4. */
const NODE_SHARE = 8;
const HALF_LIFE_S = 86_400;
/** Number of carried amounts with which each node is credited at the start. */
const CREDIT = 4;

/** Counts of one node, and the time of their last change. */
interface ReportRecord extends NodeCounts {
  readonly atS: number;
}

/** Counts observations of directions by the node that they leave, and rates how credible that node is. */
export class Reporters {
  readonly #now: () => number;
  readonly #maxNodes: number;
  /** Counts of each node, in the order in which nodes were last seen. */
  readonly #reported = new Map<NodeId, ReportRecord>();

  /**
   * @param now returns the time in seconds
   * @param maxNodes maximum number of remembered nodes; the least recently seen one is dropped first
   */
  constructor(now: () => number, maxNodes: number) {
    this.#now = now;
    this.#maxNodes = maxNodes;
  }

  /**
   * How credible a node is when it reports about directions that leave it: 0 … 1. Always 1 for our own node
   * (undefined).
   */
  credence(node: NodeId | undefined): number {
    if (node === undefined) return 1;
    const { answered, failed } = this.#reportsOf(node);
    return ((CREDIT + answered) / (CREDIT + answered + failed)) ** 2;
  }

  /** Records an observation of a direction that leaves this node. @returns its weight, 0 … 1 */
  trust(node: NodeId | undefined, wasCarried: boolean): number {
    if (node === undefined) return 1;
    const { answered, failed } = this.#reportsOf(node);
    this.#reported.delete(node);
    this.#reported.set(node, {
      answered: answered + Number(wasCarried),
      failed: failed + Number(!wasCarried),
      atS: this.#now(),
    });
    if (this.#reported.size > this.#maxNodes) {
      const [oldest] = this.#reported.keys();
      this.#reported.delete(oldest!);
    }
    return 1 / (1 + failed / NODE_SHARE) ** 2;
  }

  /** Faded counts of observations of the directions that leave a node. */
  #reportsOf(node: NodeId): NodeCounts {
    const before = this.#reported.get(node);
    if (before === undefined) return { answered: 0, failed: 0 };
    const faded = 0.5 ** (Math.max(0, this.#now() - before.atS) / HALF_LIFE_S);
    return { answered: before.answered * faded, failed: before.failed * faded };
  }
}
