/** A graph built from the records of a log. */
import { ChannelGraph } from '../channel-graph.ts';
import { applyGraphRecord, type GraphRecord, recordsOf } from './graph-records.ts';

/** A copy of a graph. Its counterparts in other processes are equal to it, because all apply the same records. */
export class GraphReplica {
  /** The graph. It is always the same object, and only records change it. */
  readonly graph = new ChannelGraph();
  #isWhole = false;
  /** Called after each group of records, once the graph is complete. */
  onChange: () => void = () => undefined;

  /** Whether the log has contained the complete first graph. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  apply(records: Iterable<GraphRecord>): void {
    for (const record of records) {
      if (record[0] === 'whole') this.#isWhole = true;
      else this.#applyIfItFits(record);
    }
    if (this.#isWhole) this.onChange();
  }

  /** A record that does not fit the graph, such as a channel between unknown nodes, has no effect in any copy. */
  #applyIfItFits(record: GraphRecord): void {
    try {
      applyGraphRecord(this.graph, record);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }

  /** Starts over with the records of a snapshot. */
  restart(records: Iterable<GraphRecord>): void {
    this.graph.adopt(new ChannelGraph());
    this.#isWhole = false;
    this.apply(records);
  }

  /** Records that rebuild the copy from an empty graph. */
  *snapshot(): Generator<GraphRecord, void> {
    if (this.graph.nodeCount === 0 && !this.#isWhole) return;
    yield* recordsOf(this.graph);
    if (this.#isWhole) yield ['whole'];
  }
}
