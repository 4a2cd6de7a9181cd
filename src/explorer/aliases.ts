/** The aliases of nodes, asked of the node one by one when they are first wanted. */
import type { Rpc } from './rpc.ts';

/** Most nodes that are remembered; then all are forgotten and asked for anew. */
const MOST = 2000;

/** Knows aliases, or learns them. */
export class Aliases {
  readonly #rpc: Rpc;
  readonly #changed: () => void;
  readonly #left: AbortSignal;
  /** Empty: it has none, or it is asked for. */
  readonly #known = new Map<string, string>();

  /** @param changed called when an alias has come. */
  constructor(rpc: Rpc, changed: () => void, left: AbortSignal) {
    this.#rpc = rpc;
    this.#changed = changed;
    this.#left = left;
  }

  /** The alias of a node. Undefined when it has none, or while it is asked for. */
  of(id: string): string | undefined {
    const known = this.#known.get(id);
    if (known === undefined) void this.#ask(id);
    return known || undefined;
  }

  async #ask(id: string): Promise<void> {
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(id, '');
    try {
      const { nodes } = await this.#rpc.call('listnodes', { id }, { signal: this.#left });
      const alias = nodes[0]?.alias;
      if (alias === undefined || alias === '') return;
      this.#known.set(id, alias);
      this.#changed();
    } catch {
      // The short id stands there instead.
    }
  }
}
