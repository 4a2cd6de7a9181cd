/**
 * A worker of the pool: one kernel that answers one request after the other. Request and reply are msgpack
 * (messages.ts). An error inside becomes a reply. But a kernel that trapped is in an unknown state, so then
 * the thread dies, and the pool starts another.
 */
import { move, workerData } from 'piscina';
import { FulguriteError } from '../model/errors.ts';
import { Kernel } from './kernel.ts';
import type { SharedKernel } from './kernel-memory.ts';
import { LayerSlots } from './layer-slots.ts';
import { decodeRequest, encode, type RouteReply, type RouteRequest } from './messages.ts';
import { solveRoute } from './solve-route.ts';

interface WorkerData {
  readonly shared: SharedKernel;
  readonly workerIndex: number;
}

const { shared, workerIndex } = workerData as WorkerData;
const kernel = new Kernel(shared, workerIndex);
const layers = new LayerSlots(kernel);

let isDying = false;

/** The task that the pool runs. */
export default function answer(bytes: Uint8Array): unknown {
  if (isDying) return new Promise(() => undefined);
  try {
    const reply = encode(respond(decodeRequest(bytes)));
    return move(reply as Uint8Array<ArrayBuffer>);
  } catch (error) {
    isDying = true;
    // Nobody catches this error. So it ends the thread and tells the pool why, before the next request is
    // looked at.
    queueMicrotask(() => {
      throw error;
    });
    return new Promise(() => undefined);
  }
}

function respond(request: RouteRequest): RouteReply {
  try {
    if (!kernel.reading(() => layers.apply(request.layers))) return { stale: true };
    if (kernel.graphVersion < request.graph) return { outdated: true };
    if (Date.now() > request.deadline) return { fault: { kind: 'late' } };
    kernel.beginTask(request.task);
    const { layerIds, layerNames, ...query } = request.query;
    return solveRoute(kernel, { ...query, ...layers.resolve(layerIds, layerNames) });
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    const name = error instanceof FulguriteError ? error.name : 'internal';
    return { fault: { kind: 'defect', error: name, cause } };
  }
}
