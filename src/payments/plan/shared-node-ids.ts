/**
 * Node ids of routes as texts that all routes share.
 *
 * An answer of the engine has the ids of a route in one text. V8 represents a part of a text as a reference to the whole,
 * so an id that is kept for long, such as the key of a map of what payments teach, would keep all ids of its route in
 * memory. Also, V8 computes the hash of a shared id once, and not for each map in which a route looks it up.
 */
import type { Route } from '../../engine/question/route.ts';
import type { NodeId } from '../../model/node-id.ts';

/** Maximum number of ids. The main network has about 17,000 nodes. */
export const MAX_SHARED_IDS = 32_768;

/** The node ids of recent routes. */
export class SharedNodeIds {
  readonly #ids = new Map<NodeId, NodeId>();

  /** Number of ids. */
  get size(): number {
    return this.#ids.size;
  }

  /** The same route with shared ids. */
  in(route: Route): Route {
    const path = route.path.map((hop) => ({
      ...hop,
      nodeIdIn: this.#shared(hop.nodeIdIn),
      nodeIdOut: this.#shared(hop.nodeIdOut),
    }));
    return { ...route, path };
  }

  #shared(id: NodeId): NodeId {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    if (this.#ids.size === MAX_SHARED_IDS) this.#ids.clear();
    const copy = Buffer.from(id, 'latin1').toString('latin1') as NodeId;
    this.#ids.set(copy, copy);
    return copy;
  }
}
