/** The state of the log: layers and graph. Each record is passed to one of them, in order. */
import type { LayerRecord, LayerReplica } from '../../../layers/layer-replica.ts';
import { type GraphRecord, isGraphRecord } from '../../../model/graph/graph-records.ts';
import type { GraphReplica } from '../../../model/graph/graph-replica.ts';
import type { LogBatch, LogFollower } from './change-log.ts';
import type { ChangeRecord } from './log-chunk.ts';

/** Follows the log, and keeps both layers and graph. */
export class LogState implements LogFollower {
  readonly #layers: LayerReplica;
  readonly #graph: GraphReplica;

  constructor(layers: LayerReplica, graph: GraphReplica) {
    this.#layers = layers;
    this.#graph = graph;
  }

  apply(batches: readonly LogBatch[]): void {
    const ofGraph: GraphRecord[] = [];
    const ofLayers: { isOwn: boolean; records: LayerRecord[] }[] = [];
    for (const { isOwn, records } of batches) {
      const layers = apart(records, ofGraph);
      if (layers.length > 0) ofLayers.push({ isOwn, records: layers });
    }
    if (ofLayers.length > 0) this.#layers.apply(ofLayers);
    if (ofGraph.length > 0) this.#graph.apply(ofGraph);
  }

  restart(records: Iterable<ChangeRecord>): void {
    const ofGraph: GraphRecord[] = [];
    this.#layers.restart(apart(records, ofGraph));
    this.#graph.restart(ofGraph);
  }

  /** The state of the log so far, as records that recreate it. */
  snapshot(): ChangeRecord[] {
    return [...this.#layers.snapshot(), ...this.#graph.snapshot()];
  }
}

/** Returns the records about layers, and adds those about the graph to `ofGraph`. */
function apart(records: Iterable<ChangeRecord>, ofGraph: GraphRecord[]): LayerRecord[] {
  const ofLayers: LayerRecord[] = [];
  for (const record of records) {
    if (isGraphRecord(record)) ofGraph.push(record);
    else ofLayers.push(record);
  }
  return ofLayers;
}
