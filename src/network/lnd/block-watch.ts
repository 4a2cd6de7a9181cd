/**
 * The height of the node's chain, from its chain notifier and from its pulses. The notifier may report a replaced
 * block, so the newest message counts, even if its height is lower.
 */
import type { Log } from '../../rpc/log.ts';
import { keepStream } from './client/kept-stream.ts';
import type { LndConnection, LndLink } from './node-link.ts';

/** Tracks the height, and notifies listeners of each new one. */
export class LndBlockWatch {
  #height: number;
  readonly #link: LndLink;
  readonly #log: Log;
  readonly #listeners = new Set<(height: number) => void>();
  readonly #unsubscribe: (() => void)[];

  constructor(link: LndLink, log: Log) {
    this.#link = link;
    this.#log = log;
    this.#height = link.facts.height;
    this.#unsubscribe = [
      link.onUp((connection) => this.#follow(connection)),
      link.onPulse(({ height }) => this.#set(height)),
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

  #follow(connection: LndConnection): void {
    keepStream<{ height: number }>(this.#link, connection, 'RegisterBlockEpochNtfn', {
      onMessage: ({ height }) => this.#set(height),
      onEnd: ({ message }) => this.#log.debug(`events of blocks ended: ${message}`),
      onRefused: ({ message }) =>
        this.#log.unusual(`no events of blocks: ${message}; polling the height every few seconds`),
    });
  }

  #set(height: number): void {
    if (height === this.#height || height === 0) return;
    this.#height = height;
    for (const listener of this.#listeners) listener(height);
  }
}
