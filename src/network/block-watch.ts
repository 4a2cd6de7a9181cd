/** Watches the block height of a node in another process. */

/** The part of the link to the node that a watch uses. */
export interface WatchedChain<Connection> {
  readonly facts: { readonly height: number };
  onUp(listener: (connection: Connection) => void): () => void;
  onFacts(listener: (facts: { readonly height: number }) => void): () => void;
}

/** Tracks the height, and notifies listeners of each change. */
export abstract class BlockWatch<Connection> {
  readonly #link: WatchedChain<Connection>;
  #height: number;
  readonly #listeners = new Set<(height: number) => void>();
  #unsubscribe: (() => void)[] = [];

  constructor(link: WatchedChain<Connection>) {
    this.#link = link;
    this.#height = link.facts.height;
  }

  /** Calls `set` at each block, until the connection ends. */
  protected abstract follow(connection: Connection): void;

  /** Starts watching. Subclasses call it at the end of their constructors. */
  protected start(): void {
    this.#unsubscribe = [
      this.#link.onUp((connection) => this.follow(connection)),
      this.#link.onFacts(({ height }) => this.set(height)),
    ];
  }

  get height(): number {
    return this.#height;
  }

  onBlock(listener: (height: number) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#listeners.clear();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  protected set(height: number): void {
    if (height === this.#height) return;
    this.#height = height;
    for (const listener of this.#listeners) listener(height);
  }
}
