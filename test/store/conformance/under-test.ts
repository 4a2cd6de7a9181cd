/**
 * What a conformance suite needs of an implementation: places that survive a process, and the store opened on
 * them. A suite asks everything else through the interface, so that any implementation can be tested.
 */

/** A store that is open. */
export interface OpenStore<R> {
  readonly repository: R;
  /** While set, nothing can be written, as on a full disk. */
  refuse(isRefusing: boolean): void;
  /** Ends the process in order: what is queued is written. */
  close(): Promise<void>;
  /** Ends the process at once: what was not safe may be lost. */
  crash(): Promise<void>;
}

/** One place where a store keeps things. It is empty at first. */
export interface Place<R> {
  open(): Promise<OpenStore<R>>;
}

/** One implementation of a repository. */
export interface Implementation<R> {
  readonly name: string;
  /**
   * Number of random runs per property. One run takes ten times longer with a database over a network than with a file.
   */
  readonly runs?: number;
  newPlace(): Place<R>;
}

/** Does something with an open store, and closes it. */
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
