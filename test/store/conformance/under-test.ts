/**
 * The requirements of a conformance suite: places that outlive a process, and stores opened on them. A suite
 * uses only the interface for everything else, so that any implementation can be tested.
 */

/** An open store. */
export interface OpenStore<R> {
  readonly repository: R;
  /** While true, nothing can be written, as on a full disk. */
  refuse(isRefusing: boolean): void;
  /** Closes the store in order: the queue is written. */
  close(): Promise<void>;
  /** Ends the process at once: changes that are not durable may be lost. */
  crash(): Promise<void>;
}

/** A place where a store keeps its content. It is empty at first. */
export interface Place<R> {
  open(): Promise<OpenStore<R>>;
}

/** One implementation of a repository. */
export interface Implementation<R> {
  readonly name: string;
  /**
   * Number of random runs per property. One run takes ten times longer with a database over a network than
   * with a file.
   */
  readonly runs?: number;
  newPlace(): Place<R>;
}

/** Uses an open store, and closes it. */
export async function withStore<R, T>(
  place: Place<R>,
  use: (repository: R, store: OpenStore<R>) => Promise<T>,
): Promise<T> {
  const store = await place.open();
  try {
    return await use(store.repository, store);
  } finally {
    await store.close();
  }
}
