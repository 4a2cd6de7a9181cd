/**
 * What a solver does with a request, wherever it runs. It applies the changes of layers, checks that it has the graph
 * and that the deadline has not passed, and asks its kernel. Errors become replies. But after a trap the kernel's state
 * is unknown, so the error is thrown, and the solver must end.
 */
import { machineMs } from '../../model/clock.ts';
import { FulguriteError } from '../../model/errors.ts';
import { decodeRequest, encodeForNow, type RouteReply } from '../question/messages.ts';
import type { Question } from '../question/question.ts';
import type { RouteRequest } from '../question/route-request.ts';
import { Kernel } from './kernel.ts';
import type { SharedKernel } from './kernel-memory.ts';
import { LayerSlots } from './layer-slots.ts';
import { solveRoute } from './solve-route.ts';

/** A kernel with its copy of the layers. It answers one request at a time. */
export class Responder {
  readonly #kernel: Kernel;
  readonly #layers: LayerSlots;

  /** @param workerIndex index of the solver among the users of the graph */
  constructor(shared: SharedKernel, workerIndex: number) {
    this.#kernel = new Kernel(shared, workerIndex);
    this.#layers = new LayerSlots(this.#kernel);
  }

  /** The packed reply to a packed request. @throws WebAssembly.RuntimeError when the kernel has trapped */
  answer(bytes: Uint8Array): Uint8Array {
    return encodeForNow(this.#respond(decodeRequest(bytes)));
  }

  #respond(request: RouteRequest): RouteReply {
    const [kernel, layers] = [this.#kernel, this.#layers];
    try {
      if (!kernel.reading(() => layers.apply(request.layers))) return { stale: true };
      if (kernel.graphVersion < request.graph) return { outdated: true };
      if (machineMs() > request.deadline) return { fault: { kind: 'late' } };
      kernel.beginTask(request.task);
      const { query } = request;
      const solve = (): RouteReply => {
        const { layerIds, layerNames, odds } = layers.resolve(query.layerIds, query.layerNames);
        // The query was decoded for this search only, and a copy takes longer than all of this.
        const resolved: { -readonly [K in keyof Question]: Question[K] } = query;
        resolved.layerIds = layerIds;
        resolved.layerNames = layerNames;
        resolved.odds = odds;
        return solveRoute(kernel, resolved);
      };
      return request.own === undefined ? solve() : layers.during(request.own, solve);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      const cause = error instanceof Error ? error.message : String(error);
      const name = error instanceof FulguriteError ? error.name : 'internal';
      return { fault: { kind: 'defect', error: name, cause } };
    }
  }
}
