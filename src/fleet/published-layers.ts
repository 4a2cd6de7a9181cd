/**
 * The automatic layers of this daemon, which solvers need for its searches: its own channels, all its nodes as one
 * source, and what it learned. Each change is published once, at the latest before the next search.
 *
 * Nothing is published before the first search, nor after a minute without a search, so a daemon that searches only
 * locally has no such cost. The next search then begins a new session.
 */
import { oddsChange, packCell } from '../engine/question/messages.ts';
import { type LayerBook, nameOfAutomatic } from '../layers/layer-book.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';
import type { NatsConnection } from './bus.ts';
import type { FleetName } from './fleet-name.ts';
import { AUTOMATIC_LAYERS, type LayerItem } from './layer-state.ts';
import type { StatePosition } from './state-message.ts';
import { StatePublisher } from './state-publisher.ts';

/** Number of heartbeats between two attempts to publish everything to a solver that had no room. */
const BEATS_WHILE_FULL = 15;
/** Number of heartbeats without a search after which nothing more is published. */
const BEATS_WITHOUT_SEARCH = 30;

/** Options of the published layers. */
export interface PublishedLayersOptions {
  readonly bus: NatsConnection;
  readonly fleet: FleetName;
  /** Id of this daemon. */
  readonly id: string;
  readonly book: LayerBook;
}

/** Publishes automatic layers while searches need them. */
export class PublishedLayers {
  readonly #options: PublishedLayersOptions;
  #publisher: StatePublisher<LayerItem> | undefined;
  #unsubscribe: () => void = () => undefined;
  #isFull = false;
  #beatsWithoutSearch = 0;

  constructor(options: PublishedLayersOptions) {
    this.#options = options;
  }

  /** Publishes the changes since the last report. @returns the position that a solver must reach for this search */
  flush(): StatePosition {
    this.#beatsWithoutSearch = 0;
    this.#publisher ??= this.#start();
    return this.#publisher.flush();
  }

  /** Publishes everything again within a second, because a solver lacks some of it. */
  repeatSoon(): void {
    this.#publisher?.repeatSoon();
  }

  /** Publishes everything again within half a minute, because a solver had no room for it. */
  repeatLater(): void {
    this.#isFull = true;
  }

  close(): void {
    this.#unsubscribe();
    this.#publisher?.close();
    this.#publisher = undefined;
  }

  #start(): StatePublisher<LayerItem> {
    const { bus, fleet, id, book } = this.#options;
    const publisher = new StatePublisher<LayerItem>({
      ...{ bus, fleet, id, kind: AUTOMATIC_LAYERS },
      itemOf: (item) => itemOf(book, item),
      all: () => allOf(book),
      onBeat: (beats) => {
        if (++this.#beatsWithoutSearch >= BEATS_WITHOUT_SEARCH) this.close();
        else if (this.#isFull && beats % BEATS_WHILE_FULL === 0) {
          this.#isFull = false;
          publisher.repeat();
        }
      },
    });
    const note = (item: LayerItem): void => {
      if (nameOfAutomatic(item[1]) !== undefined) publisher.note(item);
    };
    this.#unsubscribe = book.subscribe({
      channelChanged: (layerId, channel) => note(['channel', layerId, channel, null]),
      nodeChanged: (layerId, node) => note(['node', layerId, node, null]),
      oddsChanged: (layerId) => note(['odds', layerId, null]),
      layerRemoved: () => undefined,
    });
    for (const item of allOf(book)) note(item);
    return publisher;
  }
}

/** The item with its current value. The value in `item` is ignored. */
function itemOf(book: LayerBook, item: LayerItem): LayerItem {
  const [kind, layerId] = item;
  if (kind === 'odds') return oddsChange(book, layerId) as LayerItem;
  if (kind === 'node') return [kind, layerId, item[2], book.nodeCell(layerId, item[2]) ?? null];
  const cell = book.channelCell(layerId, item[2] as ShortChannelId);
  return [kind, layerId, item[2], cell === undefined ? null : packCell(cell)];
}

function* allOf(book: LayerBook): Generator<LayerItem> {
  for (const layerId of book.layerIds()) {
    if (nameOfAutomatic(layerId) === undefined) continue;
    const { channelIds, nodeIds } = book.cells(layerId);
    for (const channel of channelIds) yield itemOf(book, ['channel', layerId, channel, null]);
    for (const node of nodeIds) yield itemOf(book, ['node', layerId, node, null]);
    if (book.odds(layerId) !== undefined) yield itemOf(book, ['odds', layerId, null]);
  }
}
