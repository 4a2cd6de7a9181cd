/**
 * Persistent layers in PostgreSQL, shared by all daemons of a fleet: a replica of the book that follows the log of
 * changes, and appends to it. The same log also contains the graph, if daemons share one (graph-log.ts).
 */
import type { Layer } from '../../layers/layer.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import { LayerReplica, type LiquidityLesson } from '../../layers/layer-replica.ts';
import { GraphReplica } from '../../model/graph/graph-replica.ts';
import type { ImportState, LayerRepository } from '../layer-repository.ts';
import { StoreError } from '../store-error.ts';
import type { PostgresLine } from './line.ts';
import { ChangeLog, type ChangeLogOptions } from './log/change-log.ts';
import { GraphLog } from './log/graph-log.ts';
import { type OpenListener, PostgresLogNotifier } from './log/log-notifier.ts';
import { isSnapshotDue, readSnapshot, SNAPSHOT_AFTER, writeSnapshot } from './log/log-snapshot.ts';
import { LogState } from './log/log-state.ts';

/** Options of the log, and how often to write a snapshot of it. */
export interface SharedLayersOptions extends ChangeLogOptions {
  /** Number of changes after which a snapshot is due. Default 100,000. */
  readonly snapshotAfter?: number;
}

/** Separate connections, so that a long snapshot does not delay the log. */
export interface LogLines {
  readonly log: PostgresLine;
  readonly questions: PostgresLine;
  /** Makes the connection for notifications about the log. */
  readonly notified: OpenListener;
}

/** Milliseconds between checks whether a snapshot is due. */
const LOOK_MS = 5000;

/** A book that follows the log, and the position in the log that it has reached. */
export interface FollowedLayers {
  readonly book: LayerBook;
  /** Number of the last chunk of the log that the book contains. */
  readonly position: number;
  /**
   * Lessons of the layer that are not in the log yet. Undefined when the log lacks the layer itself, or a change of the
   * layer that is not a lesson.
   */
  pendingLessons(name: string): readonly LiquidityLesson[] | undefined;
  /** Waits at most `waitMs` until the book has reached the position. @returns whether it has */
  reach(position: number, waitMs: number): Promise<boolean>;
}

/** Stores layers in the log of a PostgreSQL database. */
export class PostgresLayerRepository implements LayerRepository {
  readonly #lines: LogLines;
  readonly #writer: string;
  readonly #shown: string;
  readonly #options: SharedLayersOptions;
  #log: ChangeLog | undefined;
  #replica: LayerReplica | undefined;
  #state: LogState | undefined;
  /** The graph in the log. Empty if no daemon shares one. */
  readonly graph = new GraphReplica();
  #looking: NodeJS.Timeout | undefined;

  /** @param writer a random id that differs in each process. @param shown the store's address, for messages */
  constructor(lines: LogLines, writer: string, shown: string, options: SharedLayersOptions = {}) {
    this.#lines = lines;
    this.#writer = writer;
    this.#shown = shown;
    this.#options = options;
  }

  async attach(book: LayerBook): Promise<void> {
    const { replica } = await this.#open(book);
    book.journalTo(replica);
    this.#looking = setInterval(() => void this.#sumUp(), LOOK_MS).unref();
  }

  /** Follows the log without ever writing to it, as solvers do. @throws StoreError */
  async follow(book: LayerBook): Promise<FollowedLayers> {
    await this.#open(book);
    return this.followed(book);
  }

  async #open(book: LayerBook): Promise<{ readonly replica: LayerReplica }> {
    const replica = new LayerReplica(book, (record) => log.append(record));
    const state = new LogState(replica, this.graph);
    const log = new ChangeLog(
      this.#lines.log,
      this.#writer,
      state,
      () => readSnapshot(this.#lines.questions),
      this.#options,
      (onGrown) => new PostgresLogNotifier(this.#lines.notified, onGrown),
    );
    try {
      await log.open();
    } catch (error) {
      log.close();
      const message = `cannot rebuild the layers (${(error as Error).message})`;
      throw new StoreError('corrupt', this.#shown, message, error);
    }
    this.#log = log;
    this.#replica = replica;
    this.#state = state;
    return { replica };
  }

  /** The log that the layers follow. Undefined until they are attached. */
  get log(): ChangeLog | undefined {
    return this.#log;
  }

  /** The means to write the graph. Call this once the book is attached. @param daemon id of the daemon */
  graphLog(daemon: string): GraphLog {
    return new GraphLog(this.#lines.log, this.#log!, daemon);
  }

  /** The book and its position, for searches on other machines. Call this once the book is attached. */
  followed(book: LayerBook): FollowedLayers {
    const [log, replica] = [this.#log!, this.#replica!];
    return {
      book,
      get position() {
        return log.position;
      },
      pendingLessons: (name) => replica.pendingLessons(name),
      reach: (position, waitMs) => log.reach(position, waitMs),
    };
  }

  imported(name: string): ImportState {
    return this.#replica?.imported(name) ?? 'none';
  }

  noteImport(name: string, state: 'begun' | 'whole'): void {
    this.#replica!.noteImport(name, state);
  }

  async durable(_layer: Layer): Promise<void> {
    await this.#log!.durable();
  }

  created(layer: Layer): void {
    this.#replica!.created(layer);
  }

  mutated(): void {
    this.#replica!.mutated();
  }

  removed(layer: Layer): void {
    this.#replica!.removed(layer);
  }

  get queued(): number {
    return this.#log?.queued ?? 0;
  }

  /** Writes a snapshot when one is due. A failure is retried later. */
  async #sumUp(): Promise<void> {
    const after = this.#options.snapshotAfter ?? SNAPSHOT_AFTER;
    try {
      if (await isSnapshotDue(this.#lines.questions, after)) await this.sumUp();
    } catch {
      // The log stays unchanged, and the next check tries again.
    }
  }

  /** Writes a snapshot of the log's state, if enough has changed since the last. @throws FulguriteError storeFailed */
  async sumUp(): Promise<void> {
    const [log, state] = [this.#log!, this.#state!];
    await writeSnapshot(this.#lines.questions, log.position, state.snapshot(), this.#options.snapshotAfter);
  }

  /** Stops following. Changes that are not in the log yet are lost. */
  close(): void {
    clearInterval(this.#looking);
    this.#log?.close();
  }
}
