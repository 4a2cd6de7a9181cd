/**
 * The aliases of nodes, requested when they are first needed. On a busy node, each list of recent payments needs dozens
 * of new aliases. So all requests within a quarter of a second are combined into one call, and its result causes one
 * redraw.
 */
import type { Rpc } from './rpc.ts';

/** Maximum number of cached nodes. Beyond this number, the cache is cleared. */
const MAX_ALIASES = 2000;
/** Milliseconds for which wanted aliases are collected before they are requested. */
const GATHER_MS = 250;
/** Maximum number of aliases in one request. Aliases beyond this number are requested the next time they are needed. */
const MAX_AT_ONCE = 64;

/** Caches and requests aliases. */
export class Aliases {
  readonly #rpc: Pick<Rpc, 'callEach'>;
  readonly #changed: () => void;
  readonly #left: AbortSignal;
  /** Aliases by node id. Empty if the node has no alias, or while its alias is being requested. */
  readonly #known = new Map<string, string>();
  /** Node ids that have not been requested yet. */
  #wanted: string[] = [];
  #isAsking = false;

  /** @param changed called when aliases have arrived */
  constructor(rpc: Pick<Rpc, 'callEach'>, changed: () => void, left: AbortSignal) {
    this.#rpc = rpc;
    this.#changed = changed;
    this.#left = left;
  }

  /** The alias of a node. Undefined if the node has no alias, or its alias is not known yet. */
  of(id: string): string | undefined {
    const known = this.#known.get(id);
    if (known === undefined) this.#want(id);
    return known || undefined;
  }

  #want(id: string): void {
    if (this.#known.size >= MAX_ALIASES) this.#known.clear();
    this.#known.set(id, '');
    this.#wanted.push(id);
    if (this.#isAsking) return;
    this.#isAsking = true;
    setTimeout(() => void this.#ask(), GATHER_MS);
  }

  async #ask(): Promise<void> {
    const ids = this.#wanted.splice(-MAX_AT_ONCE);
    for (const id of this.#wanted.splice(0)) this.#known.delete(id);
    this.#isAsking = false;
    if (this.#left.aborted) return;
    try {
      const each = ids.map((id) => ({ id }));
      const answers = await this.#rpc.callEach('listnodes', each, this.#left);
      let isNew = false;
      for (const [place, id] of ids.entries()) {
        const alias = answers[place]?.nodes[0]?.alias;
        if (alias === undefined || alias === '') continue;
        this.#known.set(id, alias);
        isNew = true;
      }
      if (isNew) this.#changed();
    } catch {
      // If the call fails, the pages show short ids.
    }
  }
}
