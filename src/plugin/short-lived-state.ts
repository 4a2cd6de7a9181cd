/**
 * The state that the engine keeps only in memory: layers that are not persistent, and reservations. The engine loses
 * both when it dies, although payers of the node still use them. So the plugin keeps the requests that made them, and
 * sends these requests to the next engine. It keeps only requests that succeeded, in the order in which they succeeded.
 */
import { type JsonToken, parseJson } from '../rpc/json-token.ts';
import { toJson } from '../rpc/json-write.ts';
import { membersOf } from '../rpc/socket-client.ts';

/** A request as received. `id` and `params` are JSON text. */
export interface KeptRequest {
  readonly id: string;
  readonly command: string;
  readonly params: string;
}

/**
 * Maximum number of requests kept, where each element of a reserved path counts as one. One payment of the node makes a
 * few dozen requests, and undoes them when it ends.
 */
const MAX_KEPT = 200_000;

const CREATE_LAYER = 'askrene-create-layer';
const REMOVE_LAYER = 'askrene-remove-layer';
const RESERVE = 'askrene-reserve';
const UNRESERVE = 'askrene-unreserve';

/** Requests that change a layer. The name of the layer is their first parameter. */
const LAYER_CHANGES: ReadonlySet<string> = new Set([
  'askrene-disable-node',
  'askrene-create-channel',
  'askrene-update-channel',
  'askrene-remove-channel-update',
  'askrene-inform-channel',
  'askrene-bias-channel',
  'askrene-bias-node',
  'askrene-age',
]);

interface KeptChange extends KeptRequest {
  readonly order: number;
}

/** One reservation: the JSON text of the path's element, and the request that made it. */
interface KeptReservation {
  readonly id: string;
  readonly element: string;
  readonly layer: string | undefined;
  readonly order: number;
}

/** A parameter by name or position. Undefined if absent or null. */
export function parameter(params: JsonToken, name: string, place: number): JsonToken | undefined {
  const token = params.kind === 'array' ? params.elements()[place] : membersOf(params)[name];
  return token?.kind === 'null' ? undefined : token;
}

/** Stores the state to send to the next engine. */
export class ShortLivedState {
  readonly #layers = new Map<string, KeptChange[]>();
  readonly #reservations = new Map<string, KeptReservation[]>();
  readonly #maxKept: number;
  #kept = 0;
  #order = 0;

  constructor(maxKept = MAX_KEPT) {
    this.#maxKept = maxKept;
  }

  /** Whether a layer is lost when the engine dies. */
  hasLayer(name: string): boolean {
    return this.#layers.has(name);
  }

  /** Whether a request changes only state that is lost when the engine dies. */
  dies(command: string, paramsText: string): boolean {
    if (command === RESERVE || command === UNRESERVE) return true;
    const params = parseJson(paramsText);
    const layer = parameter(params, 'layer', 0)?.text ?? '';
    if (command === CREATE_LAYER) return parameter(params, 'persistent', 1)?.raw !== 'true';
    return (LAYER_CHANGES.has(command) || command === REMOVE_LAYER) && this.hasLayer(layer);
  }

  /** Records a successful request. @returns false if too many requests are kept already */
  succeeded(request: KeptRequest): boolean {
    const params = parseJson(request.params);
    if (request.command === RESERVE || request.command === UNRESERVE) return this.#reserved(request, params);
    const layer = parameter(params, 'layer', 0)?.text;
    if (layer === undefined) return true;
    if (request.command === CREATE_LAYER) {
      const isPersistent = parameter(params, 'persistent', 1)?.raw === 'true';
      if (!isPersistent) this.#layers.set(layer, []);
      return isPersistent || this.#keep(layer, request);
    }
    if (request.command === REMOVE_LAYER) {
      this.#remove(layer);
      return true;
    }
    return !LAYER_CHANGES.has(request.command) || !this.hasLayer(layer) || this.#keep(layer, request);
  }

  /** The requests that restore the state, in their original order. */
  requests(): KeptRequest[] {
    const made: KeptChange[] = [...this.#layers.values()].flat();
    const paths = new Map<string, KeptReservation[]>();
    for (const one of [...this.#reservations.values()].flat().sort((a, b) => a.order - b.order)) {
      const path = paths.get(one.id);
      if (path === undefined) paths.set(one.id, [one]);
      else path.push(one);
    }
    for (const [id, path] of paths) {
      const params = `{"path":[${path.map(({ element }) => element).join(',')}]}`;
      made.push({ id, command: RESERVE, params, order: path[0]!.order });
    }
    return made.sort((a, b) => a.order - b.order).map(({ id, command, params }) => ({ id, command, params }));
  }

  #keep(layer: string, request: KeptRequest): boolean {
    if (this.#kept >= this.#maxKept) return false;
    this.#kept++;
    this.#layers.get(layer)!.push({ ...request, order: this.#order++ });
    return true;
  }

  #remove(layer: string): void {
    this.#kept -= this.#layers.get(layer)?.length ?? 0;
    this.#layers.delete(layer);
    for (const [key, list] of this.#reservations) {
      const left = list.filter((one) => one.layer !== layer);
      this.#kept -= list.length - left.length;
      if (left.length === 0) this.#reservations.delete(key);
      else this.#reservations.set(key, left);
    }
  }

  #reserved({ id, command }: KeptRequest, params: JsonToken): boolean {
    if (command === UNRESERVE && parameter(params, 'dev_remove_all', 1)?.raw === 'true') {
      for (const list of this.#reservations.values()) this.#kept -= list.length;
      this.#reservations.clear();
      return true;
    }
    for (const element of parameter(params, 'path', 0)?.elements() ?? []) {
      const layer = parameter(element, 'layer', 0)?.text;
      const key = reservationKey(element, layer);
      const equal = this.#reservations.get(key) ?? [];
      if (command === UNRESERVE) {
        if (equal.pop() !== undefined) this.#kept--;
        if (equal.length === 0) this.#reservations.delete(key);
        continue;
      }
      if (this.#kept >= this.#maxKept) return false;
      this.#kept++;
      this.#reservations.set(key, [...equal, { id, element: element.raw, layer, order: this.#order++ }]);
    }
    return true;
  }
}

/**
 * Equal reservations have equal keys. The node's payers write an amount in the same form when they reserve and when
 * they unreserve; only the suffix `msat` may differ.
 */
function reservationKey(element: JsonToken, layer: string | undefined): string {
  const { short_channel_id_dir: of, amount_msat: amount } = membersOf(element);
  return toJson([of?.text ?? '', amount?.text.replace(/msat$/, '') ?? '', layer ?? null]);
}
