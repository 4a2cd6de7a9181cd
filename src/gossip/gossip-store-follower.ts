/**
 * Keeps a channel graph equal to a `gossip_store` that another process writes.
 *
 * The file is followed by its descriptor. New records are applied when the file system reports a change, and at
 * intervals in case it does not. When the writer compacts the store, it renames a new file over the path, and ends the
 * old file with a record that contains the successor's uuid, and the offset in the successor that matches the end of
 * the old file. Reading continues there. If anything does not match, the new file is read from its beginning. A file
 * that was truncated, or replaced without such a record, is read from its beginning too. The old graph stays until the
 * new file is read completely. The graph object is always the same.
 *
 * If the file is corrupt, the graph keeps the state of the last good record. The problem is reported once, and each
 * poll checks the file again.
 */
import { EventEmitter } from 'node:events';
import { type FSWatcher, type Stats, watch } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { ChannelGraph } from '../model/channel-graph.ts';
import { FulguriteError } from '../model/errors.ts';
import { drain, loadOpenStore, openStore } from './gossip-store.ts';
import { GossipStoreLoader } from './gossip-store-loader.ts';
import { graphFileError } from './graph-file.ts';
import { HEADER_BYTES, UUID_BYTES } from './store-format.ts';

/** How often to check the file, and how long to collect changes. Times are in milliseconds. */
export interface FollowerOptions {
  /**
   * Milliseconds between two checks of the file if the file system reports no change. Default: 1000, since gossip is
   * minutes old anyway.
   */
  readonly pollIntervalMs?: number;
  /** Milliseconds for which reports of the file system are collected, to cause a single check. Default: 100. */
  readonly coalesceMs?: number;
}

interface FollowerEvents {
  /** The graph has changed. Emitted at most once per check of the file. */
  readonly change: [graph: ChannelGraph];
  /** The file cannot be followed at the moment. Not emitted again while the cause stays the same. */
  readonly problem: [error: FulguriteError];
}

/** Number of polls for which a replaced file is still read, to wait for its closing record. */
const GRACE_POLLS = 3;
/** First pause, in milliseconds, after a failure to start over. Later pauses double, up to `MAX_BACKOFF_MS`. */
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;

const HEAD_BYTES = 1 + HEADER_BYTES + 2 + UUID_BYTES;

/** Follows a `gossip_store` and notifies its listeners when the graph has changed. */
export class GossipStoreFollower extends EventEmitter<FollowerEvents> {
  readonly path: string;
  readonly graph: ChannelGraph;
  private file: FileHandle;
  private loader: GossipStoreLoader;
  private readonly pollIntervalMs: number;
  private readonly coalesceMs: number;
  private watcher: FSWatcher | undefined;
  private pollTimer: NodeJS.Timeout | undefined;
  private soonTimer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | undefined;
  private stopped = false;
  private replacedPolls = 0;
  private backoffMs = 0;
  private notBeforeMs = 0;
  private lastProblem = '';

  private constructor(path: string, file: FileHandle, loader: GossipStoreLoader, options: FollowerOptions) {
    super();
    this.path = path;
    this.file = file;
    this.loader = loader;
    this.graph = loader.graph;
    this.pollIntervalMs = options.pollIntervalMs ?? 1000;
    this.coalesceMs = options.coalesceMs ?? 100;
  }

  /**
   * Loads the file. Call `start` to follow it from then on.
   * @throws FulguriteError `graphSource` if it cannot be read, is not a gossip_store or is corrupt
   */
  static async open(path: string, options: FollowerOptions = {}): Promise<GossipStoreFollower> {
    const file = await openStore(path);
    try {
      return new GossipStoreFollower(path, file, await loadOpenStore(file, path), options);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** File offset up to which records are applied. */
  get offset(): number {
    return this.loader.offset;
  }

  /** Starts to follow the file. Following does not keep the process alive. */
  start(): void {
    if (this.stopped || this.pollTimer !== undefined) return;
    this.watchFile();
    this.pollTimer = setInterval(() => void this.poll(), this.pollIntervalMs).unref();
  }

  /** Stops following and closes the file. The graph does not change. */
  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    clearInterval(this.pollTimer);
    clearTimeout(this.soonTimer);
    this.watcher?.close();
    this.watcher = undefined;
    await this.polling;
    await this.file.close();
  }

  /** Checks the file now and applies new records. A call during a check only waits for the end of that check. */
  poll(): Promise<void> {
    if (this.stopped) return Promise.resolve();
    this.polling ??= this.pollOnce().finally(() => {
      this.polling = undefined;
    });
    return this.polling;
  }

  private async pollOnce(): Promise<void> {
    const before = this.graph.version;
    try {
      if (await this.followFile()) this.lastProblem = '';
    } catch (error) {
      this.report(error);
    }
    if (this.graph.version !== before && !this.stopped) this.emit('change', this.graph);
  }

  /**
   * Applies new records, or starts over if the file was rewritten or replaced. Returns false if there is a problem, or
   * during the pause after a failure.
   */
  private async followFile(): Promise<boolean> {
    if (await this.isRewritten()) return this.startOver();
    await drain(this.file, this.loader);
    const moved = await this.followPath();
    const { problem } = this.loader;
    if (problem !== undefined) this.report(graphFileError(this.path, problem.cause, problem.offset));
    return moved && problem === undefined;
  }

  /** Whether the file under our descriptor was rewritten since we read it. */
  private async isRewritten(): Promise<boolean> {
    const { size } = await this.file.stat();
    if (size < this.loader.offset) return true;
    return this.loader.uuid !== undefined && (await readHead(this.file)).uuid !== this.loader.uuid;
  }

  /**
   * Switches to the file at the path if a new file has replaced the open one. Returns false during the pause after a
   * failure.
   */
  private async followPath(): Promise<boolean> {
    const there = await stat(this.path);
    if (sameFile(there, await this.file.stat())) {
      this.replacedPolls = 0;
      return true;
    }
    // The writer renames the new file first, and only then adds the closing record to the old file.
    if (this.loader.ended === undefined && ++this.replacedPolls < GRACE_POLLS) return true;
    if (this.loader.ended !== undefined && (await this.continueInSuccessor())) return true;
    return this.startOver();
  }

  /** Continues in the successor that the closing record names. Returns false if the path leads to a different file. */
  private async continueInSuccessor(): Promise<boolean> {
    const { equivalentOffset, uuid } = this.loader.ended!;
    const file = await openStore(this.path);
    const head = await readHead(file);
    const { size } = await file.stat();
    if (
      uuid === undefined ||
      head.uuid !== uuid ||
      equivalentOffset < HEAD_BYTES ||
      equivalentOffset > size
    ) {
      await file.close();
      return false;
    }
    const loader = new GossipStoreLoader(this.graph);
    loader.minorVersion = head.minorVersion;
    loader.uuid = uuid;
    loader.offset = equivalentOffset;
    await this.switchTo(file, loader);
    await drain(file, loader);
    return true;
  }

  /**
   * Reads the file at the path from its beginning, and takes over its graph if that succeeds. Returns false during the
   * pause after a failure.
   */
  private async startOver(): Promise<boolean> {
    if (performance.now() < this.notBeforeMs) return false;
    this.backoffMs = Math.min(MAX_BACKOFF_MS, Math.max(FIRST_BACKOFF_MS, this.backoffMs * 2));
    this.notBeforeMs = performance.now() + this.backoffMs;
    const file = await openStore(this.path);
    let loader: GossipStoreLoader;
    try {
      loader = await loadOpenStore(file, this.path);
    } catch (error) {
      await file.close();
      throw error;
    }
    this.graph.adopt(loader.graph);
    loader.graph = this.graph;
    await this.switchTo(file, loader);
    this.backoffMs = 0;
    this.notBeforeMs = 0;
    return true;
  }

  private async switchTo(file: FileHandle, loader: GossipStoreLoader): Promise<void> {
    const old = this.file;
    this.file = file;
    this.loader = loader;
    this.replacedPolls = 0;
    this.lastProblem = '';
    if (this.watcher !== undefined) this.watchFile();
    await old.close();
  }

  /** Watches the file currently at the path. If that is impossible, changes are found only by polling. */
  private watchFile(): void {
    this.watcher?.close();
    try {
      this.watcher = watch(this.path, { persistent: false }, () => this.pollSoon());
      this.watcher.on('error', () => this.watcher?.close());
    } catch (error) {
      this.report(error);
    }
  }

  private pollSoon(): void {
    if (this.stopped || this.soonTimer !== undefined) return;
    this.soonTimer = setTimeout(() => {
      this.soonTimer = undefined;
      void this.poll();
    }, this.coalesceMs).unref();
  }

  private report(error: unknown): void {
    const { message } = error as Error;
    if (message === this.lastProblem) return;
    this.lastProblem = message;
    this.emit('problem', error instanceof FulguriteError ? error : graphFileError(this.path, message));
  }
}

function sameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** Version and uuid at the beginning of a file. The uuid is undefined if the file has none. */
async function readHead(file: FileHandle): Promise<{ minorVersion: number; uuid: string | undefined }> {
  const head = new Uint8Array(HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, head.length, 0);
  const loader = new GossipStoreLoader(new ChannelGraph(0, 0));
  loader.apply(head, bytesRead);
  return { minorVersion: loader.minorVersion, uuid: loader.uuid };
}
