/**
 * Keeps a layer book as one of several copies that follow the same log. The state of a copy is the result of applying
 * the records of the log in order.
 *
 * A local change takes effect immediately, and is *pending* until it is in the log. If records of other daemons arrive
 * first, all pending changes are undone, the records are applied, and the pending changes are reapplied on top. So each
 * copy has applied the same records in the same order, and all copies are equal, including the order of lists.
 *
 *     log:      1 2 3 | 4 (theirs)                       visible before 4: 1 2 3 P Q
 *     pending:          P Q                              visible after 4:  1 2 3 4 P Q
 *
 * A layer gets its number when the record that creates it is applied. All copies count the same way, so the numbers
 * depend only on the order of the log, and no number is reused. A record about a removed layer has no effect, nor has
 * one that creates a layer that exists: if two daemons create the same layer at the same time, the first record takes
 * effect. Biases in records are absolute, so the last record about a bias takes effect.
 */
import type { LayerMutation } from './entries.ts';
import type { Layer } from './layer.ts';
import type { LayerBook, LayerJournal } from './layer-book.ts';

/** State of the import of a layer from the node behind us: begun, or the whole layer was imported. */
export type TakenOver = 'begun' | 'whole';

/** Refers to a layer: by its number in the log, or by its name until it is in the log. */
export type LoggedLayer = number | string;

/** One change in the log. The last two kinds occur only in snapshots. */
export type LayerRecord =
  | readonly [kind: 'create', name: string]
  | readonly [kind: 'change', layer: LoggedLayer, mutation: LayerMutation]
  | readonly [kind: 'remove', layer: LoggedLayer]
  | readonly [kind: 'import', name: string, state: TakenOver]
  /** A layer and its number. */
  | readonly [kind: 'layer', number: number, name: string]
  /** The number of the next layer. */
  | readonly [kind: 'next', number: number];

/** Records that arrived together from the log. */
export interface LoggedBatch {
  /** Whether this copy made the records. If so, they are its oldest pending changes. */
  readonly isOwn: boolean;
  readonly records: readonly LayerRecord[];
}

/** Maximum number of pending lessons returned for a layer. There are more only while the log cannot be written. */
const MAX_LESSONS = 4_000;

/** A record of liquidity to be added to a layer. */
export type LiquidityLesson = Extract<LayerMutation, { readonly type: 'inform' }>;

/** A local change that is not yet in the log. */
interface OwnChange {
  readonly record: LayerRecord;
  /** The layer that the record creates. */
  readonly made?: Layer;
  /** Whether another daemon created that layer first. */
  isTooLate: boolean;
  undo: () => void;
}

const nothing = (): void => undefined;

/** Keeps a book equal to the log, and appends the changes of the book to it. */
export class LayerReplica implements LayerJournal {
  readonly #book: LayerBook;
  readonly #append: (record: LayerRecord) => void;
  #byNumber = new Map<number, Layer>();
  #numbers = new Map<Layer, number>();
  #nextNumber = 1;
  #imported = new Map<string, TakenOver>();
  #pending: OwnChange[] = [];
  /** Number of pending changes per layer. */
  readonly #pendingOf = new Map<string, number>();

  /** @param append adds a record to the log. If it throws, the change does not happen. */
  constructor(book: LayerBook, append: (record: LayerRecord) => void) {
    this.#book = book;
    this.#append = append;
  }

  /** Number of changes not yet in the log. */
  get pending(): number {
    return this.#pending.length;
  }

  /**
   * Liquidity records of a layer that were learned here and are not in the log yet, oldest first. Undefined if the log
   * does not have the layer, if there are too many, or if changes of other kinds are pending too.
   */
  pendingLessons(name: string): readonly LiquidityLesson[] | undefined {
    const layer = this.#book.layer(name);
    const number = layer && this.#numbers.get(layer);
    if (number === undefined) return undefined;
    const count = this.#pendingOf.get(name) ?? 0;
    if (count === 0) return [];
    if (count > MAX_LESSONS) return undefined;
    const lessons: LiquidityLesson[] = [];
    for (const { record } of this.#pending) {
      if (record[1] !== number && record[1] !== name) continue;
      if (record[0] !== 'change' || record[2].type !== 'inform') return undefined;
      lessons.push(record[2]);
    }
    return lessons;
  }

  /** State of the import of a layer, according to the latest change. */
  imported(name: string): TakenOver | undefined {
    const isOf = ({ record: [kind, of] }: OwnChange): boolean => kind === 'import' && of === name;
    const pending = this.#pending.findLast(isOf)?.record as ['import', string, TakenOver] | undefined;
    return pending?.[2] ?? this.#imported.get(name);
  }

  // ---------------------------------------------------------------- local changes

  created(layer: Layer): void {
    this.#make(layer.name, { record: ['create', layer.name], made: layer }).undo = () =>
      void this.#book.takeOut(layer);
  }

  mutated(): void {
    throw new Error('changes of shared layers must be undoable');
  }

  mutatedForNow(layer: Layer, mutation: LayerMutation): (undo: () => void) => void {
    const pending = this.#make(layer.name, { record: ['change', this.#refOf(layer), mutation] });
    return (undo) => {
      pending.undo = undo;
    };
  }

  removed(layer: Layer): void {
    const pending = this.#make(layer.name, { record: ['remove', this.#refOf(layer)] });
    const place = [...this.#book.layers()].indexOf(layer);
    pending.undo = () => this.#book.putBack(layer, place);
  }

  noteImport(name: string, state: TakenOver): void {
    this.#make(name, { record: ['import', name, state] });
  }

  #make(name: string, made: Pick<OwnChange, 'record' | 'made'>): OwnChange {
    this.#append(made.record);
    const pending: OwnChange = { ...made, isTooLate: false, undo: nothing };
    this.#pending.push(pending);
    this.#pendingOf.set(name, (this.#pendingOf.get(name) ?? 0) + 1);
    return pending;
  }

  #refOf(layer: Layer): LoggedLayer {
    return this.#numbers.get(layer) ?? layer.name;
  }

  // ---------------------------------------------------------------- records of the log

  /** Applies the next records of the log, in order. */
  apply(batches: readonly LoggedBatch[]): void {
    let isBare = false;
    for (const { isOwn, records } of batches) {
      if (!isOwn && !isBare && this.#pending.length > 0) {
        this.#takeBack();
        isBare = true;
      }
      const own = isOwn ? this.#pending.splice(0, records.length) : [];
      records.forEach((record, index) => {
        if (isOwn && !isBare) this.#confirm(record, own[index]!);
        else if (isOwn) this.#followOwn(record, own[index]!);
        else this.#follow(record);
      });
    }
    if (isBare) this.#makeAgain();
    if (batches.some(({ isOwn }) => isOwn)) this.#recount();
  }

  /**
   * Starts over from the records of a snapshot and the log records after it. Keeps pending changes, and layers that are
   * not in the log.
   */
  restart(records: Iterable<LayerRecord>): void {
    this.#takeBack();
    for (const layer of [...this.#numbers.keys()]) this.#book.dropLayer(layer);
    this.#byNumber = new Map();
    this.#numbers = new Map();
    this.#imported = new Map();
    this.#nextNumber = 1;
    for (const record of records) this.#follow(record);
    this.#makeAgain();
  }

  /** The content of the log so far, as records that recreate it. Pending changes are excluded. */
  snapshot(): LayerRecord[] {
    this.#takeBack();
    const records: LayerRecord[] = [];
    for (const [number, layer] of this.#byNumber) {
      records.push(['layer', number, layer.name]);
      for (const mutation of mutationsOf(layer)) records.push(['change', number, mutation]);
    }
    for (const [name, state] of this.#imported) records.push(['import', name, state]);
    records.push(['next', this.#nextNumber]);
    this.#makeAgain();
    return records;
  }

  #takeBack(): void {
    for (const pending of this.#pending.toReversed()) pending.undo();
  }

  #makeAgain(): void {
    for (const pending of this.#pending) pending.undo = this.#again(pending);
  }

  /** Reapplies a pending change. @returns its undo function */
  #again(pending: OwnChange): () => void {
    const { record } = pending;
    switch (record[0]) {
      case 'create':
        return this.#makeLayerAgain(record[1], pending);
      case 'change':
        return this.#resolve(record[1])?.applyReversibly(record[2]).undo ?? nothing;
      case 'remove': {
        const layer = this.#resolve(record[1]);
        if (layer === undefined) return nothing;
        const place = this.#book.takeOut(layer);
        this.#book.discard(layer);
        return () => this.#book.putBack(layer, place);
      }
      default:
        return nothing;
    }
  }

  /** Reapplies the creation of a layer. If another daemon created the layer first, drops ours. */
  #makeLayerAgain(name: string, pending: OwnChange): () => void {
    const made = pending.made!;
    pending.isTooLate = this.#persistent(name) !== undefined;
    if (pending.isTooLate) {
      this.#book.discard(made);
      return nothing;
    }
    this.#book.putBack(made);
    return () => void this.#book.takeOut(made);
  }

  /** Updates numbers and imports for our change, which is now in the log. The book already has the change. */
  #confirm(record: LayerRecord, { made, isTooLate }: OwnChange): void {
    if (record[0] === 'create') {
      if (!isTooLate) this.#number(made!);
    } else if (record[0] === 'remove') this.#forget(record[1]);
    else if (record[0] === 'import') this.#imported.set(record[1], record[2]);
  }

  /**
   * Reapplies our change, which had been undone, now that it is in the log. Watchers were notified when it was made.
   */
  #followOwn(record: LayerRecord, pending: OwnChange): void {
    this.#again(pending);
    this.#confirm(record, pending);
  }

  #follow(record: LayerRecord): void {
    switch (record[0]) {
      case 'create':
        if (this.#persistent(record[1]) === undefined) this.#number(this.#book.adoptLayer(record[1]));
        return;
      case 'layer':
        this.#nextNumber = record[1];
        this.#number(this.#book.adoptLayer(record[2]));
        return;
      case 'change': {
        const layer = this.#resolve(record[1]);
        if (layer !== undefined) this.#book.follow(layer, record[2]);
        return;
      }
      case 'remove': {
        const layer = this.#resolve(record[1]);
        this.#forget(record[1]);
        if (layer !== undefined) this.#book.dropLayer(layer);
        return;
      }
      case 'import':
        this.#imported.set(record[1], record[2]);
        return;
      case 'next':
        this.#nextNumber = record[1];
    }
  }

  #number(layer: Layer): void {
    this.#byNumber.set(this.#nextNumber, layer);
    this.#numbers.set(layer, this.#nextNumber);
    this.#nextNumber += 1;
  }

  #forget(ref: LoggedLayer): void {
    const layer = typeof ref === 'number' ? this.#byNumber.get(ref) : this.#loggedByName(ref);
    const number = layer && this.#numbers.get(layer);
    if (layer === undefined || number === undefined) return;
    this.#byNumber.delete(number);
    this.#numbers.delete(layer);
  }

  #loggedByName(name: string): Layer | undefined {
    return [...this.#numbers.keys()].find((layer) => layer.name === name);
  }

  #persistent(name: string): Layer | undefined {
    const layer = this.#book.layer(name);
    return layer?.persistent === true ? layer : undefined;
  }

  /** The layer of a record, if it still exists. */
  #resolve(ref: LoggedLayer): Layer | undefined {
    if (typeof ref === 'string') return this.#persistent(ref);
    const layer = this.#byNumber.get(ref);
    return layer !== undefined && this.#book.layer(layer.name) === layer ? layer : undefined;
  }

  #recount(): void {
    this.#pendingOf.clear();
    for (const { record } of this.#pending) {
      const ref = record[1];
      const name = typeof ref === 'number' ? this.#byNumber.get(ref)?.name : ref;
      if (name !== undefined) this.#pendingOf.set(name, (this.#pendingOf.get(name) ?? 0) + 1);
    }
  }
}

/** The mutations that rebuild a layer from an empty one. */
export function* mutationsOf(layer: Layer): Generator<LayerMutation, void> {
  for (const node of layer.disabledNodes) yield { type: 'disableNode', node };
  for (const entry of layer.createdChannels) yield { type: 'createChannel', ...entry };
  for (const entry of layer.channelUpdates) yield { type: 'updateChannel', ...entry };
  for (const { shortChannelId, direction, kind, amountMsat, timestamp } of layer.records) {
    yield { type: 'inform', shortChannelId, direction, kind, amountMsat, timestamp };
  }
  for (const entry of layer.biases) yield { type: 'biasChannel', ...entry };
  for (const entry of layer.nodeBiases) yield { type: 'biasNode', ...entry };
}
