/**
 * The height of the node's chain. The node reports it at each block (`waitblockheight`). A shorter chain is noticed at
 * the next pulse.
 */
import { FulguriteError } from '../../model/errors.ts';
import { NodeError } from './answer.ts';
import type { NodeConnection, NodeLink } from './node-link.ts';

/** Seconds that one call may stay open before it is repeated. */
const WAIT_S = 600;
/** Error code of `waitblockheight` after that time. */
const TIMED_OUT = 2000;

/** Tracks the height, and notifies listeners of each new one. */
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
        // The node refuses the call, or is unreachable. The height then comes from pulses, and from the next
        // connection.
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
