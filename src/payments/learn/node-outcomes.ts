/**
 * How often each node answered and failed, and from that the chance that a node is away or unreliable.
 *
 * The chance is the mean of a beta distribution around the rate of all nodes (persistence.ts). The counts of a node fade
 * with a half-life. A failure may be due to lack of balance or to the absence of the next node. It says nothing about the
 * node if the balance did not suffice anyway. So it counts with the probability that the balance sufficed: as a failure
 * of the node in proportion to the probability that the node was away, and otherwise as excused. An excused failure
 * counts only for the rate of all nodes. If a node answers after a failure whose cause is uncertain, the failure was
 * probably due to the balance, so less of it is left.
 */
import type { NodeId } from '../../model/node-id.ts';
import { type NodeCounts, Persistence } from './persistence.ts';

/** Initial share of nodes that are away, close to what probes of the main network find. */
const FIRST_AWAY = 0.02;
/** Weight of the initial share, in observations. */
const FIRST_COUNT = 50;
/** Half-life of the counts of a node, in seconds. */
const HALF_LIFE_S = 3600;
/** Maximum number of remembered nodes; the least recently seen one is dropped first. */
export const MAX_NODES_REMEMBERED = 20_000;

/** The share of a count that remains after this many seconds. */
export const fading = (seconds: number): number => 0.5 ** (Math.max(0, seconds) / HALF_LIFE_S);

/** The record of one node: faded counts, and the time of their last change. */
interface NodeRecord extends NodeCounts {
  /** Failures of hops to this node that were due to the balance. */
  readonly excused: number;
  readonly atS: number;
}

/** The record of one node in a form that can be written as JSON. State written by earlier releases has no `excused`. */
export type NodeRecordState = readonly [
  node: NodeId,
  answered: number,
  failed: number,
  atS: number,
  excused?: number,
];

/** Counts outcomes by node, and predicts the next ones. */
export class NodeOutcomes {
  readonly #now: () => number;
  readonly #persistence = new Persistence();
  /** Nodes in the order in which they were last seen. */
  readonly #nodes = new Map<NodeId, NodeRecord>();
  /** Nodes with changes since the last `takeChanged`. */
  readonly #changed = new Set<NodeId>();
  /**
   * `#seen` is `FIRST_COUNT` plus the sum over nodes of their faded number of outcomes, at most 1 per node, so that all
   * nodes count nearly the same. `#away` is the failed part of `#seen`.
   */
  #seen = FIRST_COUNT;
  #away = FIRST_COUNT * FIRST_AWAY;

  /** @param now returns the time in seconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Probability that an unknown node is away. */
  get awayRate(): number {
    return this.#away / this.#seen;
  }

  /** Probability that a node is away or unreliable. */
  awayChance(node: NodeId): number {
    const rate = this.awayRate;
    const record = this.#nodes.get(node);
    if (record === undefined) return rate;
    return this.#persistence.failingChance(rate, record, fading(this.#now() - record.atS));
  }

  /** The `count` nodes most likely to be away. */
  leastReliable(count: number): { readonly node: NodeId; readonly away: number; readonly seenAtS: number }[] {
    return [...this.#nodes]
      .map(([node, { atS }]) => ({ node, away: this.awayChance(node), seenAtS: atS }))
      .sort((a, b) => b.away - a.away)
      .slice(0, count);
  }

  /** Nodes that have changed since the last call; after `clear`, all nodes. */
  takeChanged(): NodeId[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** Records that something else about this node has changed. */
  noteChange(node: NodeId): void {
    this.#changed.add(node);
  }

  /**
   * Counts an outcome. If its cause is uncertain, the parameters are fractions with a sum of at most 1.
   * @param excused probability that a failure was due to the balance
   */
  observe(node: NodeId, answered: number, failed: number, excused = 0): void {
    const atS = this.#now();
    const last = this.#nodes.get(node) ?? { answered: 0, failed: 0, excused: 0, atS };
    const kept = fading(atS - last.atS);
    this.#persistence.observe(this.awayRate, last, { answered, failed }, kept);
    this.#note(node, {
      answered: kept * last.answered + answered,
      failed: kept * this.#persistence.failedAfter(this.awayRate, last, answered, kept) + failed,
      excused: kept * last.excused + excused,
      atS,
    });
  }

  #note(node: NodeId, after: NodeRecord): void {
    const before = this.#nodes.get(node);
    this.#nodes.delete(node);
    this.#nodes.set(node, after);
    this.#changed.add(node);
    if (before !== undefined) this.#sumUp(before, -1);
    this.#sumUp(after, 1);
    if (this.#nodes.size <= MAX_NODES_REMEMBERED) return;
    const [oldest] = this.#nodes.keys();
    this.#sumUp(this.#nodes.get(oldest!)!, -1);
    this.#nodes.delete(oldest!);
  }

  #sumUp(record: NodeRecord, sign: 1 | -1): void {
    const outcomes = record.answered + record.failed + record.excused;
    if (outcomes === 0) return;
    const seen = sign * Math.min(1, outcomes);
    this.#seen += seen;
    this.#away += (seen * record.failed) / outcomes;
  }

  /** Forgets all nodes, but not how well outcomes predict the next ones. */
  clear(): void {
    for (const node of this.#nodes.keys()) this.#changed.add(node);
    this.#nodes.clear();
    this.#seen = FIRST_COUNT;
    this.#away = FIRST_COUNT * FIRST_AWAY;
  }

  /** The records of all nodes, to be restored by a later process. */
  state(): NodeRecordState[] {
    return Array.from(this.#nodes, nodeState);
  }

  /** The weights of the hypotheses about how long nodes stay away. */
  get persistence(): readonly number[] {
    return this.#persistence.weights;
  }

  /** Restores what `state` and `persistence` returned. A time in the future counts as now. */
  restore(nodes: readonly NodeRecordState[], persistence: readonly number[] | undefined): void {
    const nowS = this.#now();
    for (const [node, answered, failed, atS, excused = 0] of nodes)
      this.#note(node, { answered, failed, excused, atS: Math.min(atS, nowS) });
    if (persistence !== undefined) this.#persistence.restore(persistence);
  }
}

// V8 would compile this again for each state if it were a closure of `state`.
const nodeState = ([node, { answered, failed, excused, atS }]: readonly [
  NodeId,
  NodeRecord,
]): NodeRecordState => (excused > 0 ? [node, answered, failed, atS, excused] : [node, answered, failed, atS]);
