/**
 * Automatic layers of other daemons, in the layer book of a solver. Each gets a new id in this book, because every
 * daemon has a layer with the same name and id.
 */
import type { NodeId } from '../model/node-id.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';
import type { ChannelCell, LayerCells, LayerSubscriber, NodeCell } from './cell.ts';
import type { OddsTable } from './learned-odds.ts';

interface ForeignLayer extends LayerCells {
  readonly id: number;
  readonly channels: Map<ShortChannelId, ChannelCell>;
  readonly nodes: Map<NodeId, NodeCell>;
  odds: OddsTable | undefined;
}

/** Stores the layers by daemon and by their id at that daemon, and also by their id in this book. */
export class ForeignLayers {
  readonly #newId: () => number;
  readonly #subscriber: LayerSubscriber;
  readonly #byDaemon = new Map<string, Map<number, ForeignLayer>>();
  readonly #byId = new Map<number, ForeignLayer>();

  constructor(newId: () => number, subscriber: LayerSubscriber) {
    this.#newId = newId;
    this.#subscriber = subscriber;
  }

  /** The id, in this book, of a daemon's layer. Undefined if the daemon has reported nothing about the layer. */
  idOf(daemon: string, layerId: number): number | undefined {
    return this.#byDaemon.get(daemon)?.get(layerId)?.id;
  }

  /** The layer with this id in this book. */
  cellsOf(id: number): LayerCells | undefined {
    return this.#byId.get(id);
  }

  /** The ids that the layers have in this book. */
  ids(): Iterable<number> {
    return this.#byId.keys();
  }

  setChannel(daemon: string, layerId: number, channel: ShortChannelId, cell: ChannelCell | undefined): void {
    const layer = this.#of(daemon, layerId);
    if (cell === undefined) layer.channels.delete(channel);
    else layer.channels.set(channel, cell);
    this.#subscriber.channelChanged(layer.id, channel);
  }

  setNode(daemon: string, layerId: number, node: NodeId, cell: NodeCell | undefined): void {
    const layer = this.#of(daemon, layerId);
    if (cell === undefined) layer.nodes.delete(node);
    else layer.nodes.set(node, cell);
    this.#subscriber.nodeChanged(layer.id, node);
  }

  setOdds(daemon: string, layerId: number, odds: OddsTable | undefined): void {
    const layer = this.#of(daemon, layerId);
    layer.odds = odds;
    this.#subscriber.oddsChanged?.(layer.id);
  }

  /** Drops all layers of a daemon. */
  forget(daemon: string): void {
    const layers = this.#byDaemon.get(daemon) ?? new Map<number, ForeignLayer>();
    this.#byDaemon.delete(daemon);
    for (const { id } of layers.values()) {
      this.#byId.delete(id);
      this.#subscriber.layerRemoved(id);
    }
  }

  #of(daemon: string, layerId: number): ForeignLayer {
    const ofDaemon = this.#byDaemon.get(daemon) ?? new Map<number, ForeignLayer>();
    this.#byDaemon.set(daemon, ofDaemon);
    const known = ofDaemon.get(layerId);
    if (known !== undefined) return known;
    const [channels, nodes] = [new Map<ShortChannelId, ChannelCell>(), new Map<NodeId, NodeCell>()];
    const made: ForeignLayer = {
      ...{ id: this.#newId(), channels, nodes, odds: undefined },
      channelCell: (channel) => channels.get(channel),
      nodeCell: (node) => nodes.get(node),
      channelIds: () => channels.keys(),
      nodeIds: () => nodes.keys(),
    };
    ofDaemon.set(layerId, made);
    this.#byId.set(made.id, made);
    return made;
  }
}
