/**
 * The height of the node's chain. The node reports it at each block (`waitblockheight`). A chain that became
 * shorter is noticed at the next pulse.
 */
import { FulguriteError } from '../../model/errors.ts';
import { NodeError } from './answer.ts';
import type { NodeConnection, NodeLink } from './node-link.ts';

/** Seconds that one question may stay open. Then it is asked again. */
const WAIT_S = 600;
/** Error code of `waitblockheight` when that time is over. */
const TIMED_OUT = 2000;

/** Keeps the height, and notifies listeners of each new one. */
export class BlockWatch {
  #height: number;
  readonly #listeners = new Set<(height: number) => void>();
  readonly #unsubscribe: (() => void)[];

  constructor(link: NodeLink) {
    this.#height = link.facts.height;
    this.#unsubscribe = [
      link.onUp((connection) => void this.#follow(connection)),
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

  async #follow({ socket }: NodeConnection): Promise<void> {
    while (socket.isOpen) {
      try {
        const blockheight = this.#height + 1;
        const answer = await socket.call('waitblockheight', { blockheight, timeout: WAIT_S });
        this.#set(answer.requireNumber('blockheight'));
      } catch (error) {
        if (error instanceof NodeError && error.code === TIMED_OUT) continue;
        // The node refuses the question, or is away. Then the height comes from pulses, and from the next connection.
        if (error instanceof NodeError || error instanceof FulguriteError) return;
        throw error;
      }
    }
  }

  #set(height: number): void {
    if (height === this.#height) return;
    this.#height = height;
    for (const listener of this.#listeners) listener(height);
  }
}
