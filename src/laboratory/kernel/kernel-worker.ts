/**
 * A thread with kernels. The thread runs a single task of the pool, which lasts for the whole run: questions arrive
 * over a port, and each kernel answers its questions in order. Separate tasks of a pool would not guarantee that order.
 *
 * Questions to kernels with a single sender have priority: they are asked late, so their answers are needed soon.
 */
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { SharedKernel } from '../../engine/solver/kernel-memory.ts';
import { ScidTable } from '../../model/graph/scid-table.ts';
import { NODE_ID_BYTES, nodeIdFromBytes } from '../../model/node-id.ts';
import { type GraphNames, KernelHost } from './kernel-host.ts';
import type { KernelPlace, KernelReply, NumberedQuestion } from './messages.ts';

/** The data of the graph that a thread needs, in shared memory. */
export interface KernelWorkerData {
  readonly shared: SharedKernel;
  readonly nodeIds: Uint8Array;
  readonly shortChannelIds: BigUint64Array;
}

const { shared, nodeIds, shortChannelIds } = workerData as KernelWorkerData;
const scids = ScidTable.of(shortChannelIds);
const graph: GraphNames = {
  nodeId: (node) => nodeIdFromBytes(nodeIds.subarray(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES)),
  channelIndex: (scid) => scids.find(scid),
};
/** The kernels of this thread, by index. */
const hosts = new Map<number, KernelHost>();

function hostOf(kernel: KernelPlace): KernelHost {
  const known = hosts.get(kernel.index);
  if (known !== undefined) return known;
  const host = new KernelHost(shared, kernel, graph);
  hosts.set(kernel.index, host);
  return host;
}

function reply({ number, kernel, question }: NumberedQuestion): KernelReply {
  try {
    return { number, plan: hostOf(kernel).answer(question) };
  } catch (error) {
    return { number, fault: error instanceof Error ? error.message : String(error) };
  }
}

/** Questions that have arrived and wait for an answer, in order. */
const urgent: NumberedQuestion[] = [];
const others: NumberedQuestion[] = [];

function take(message: NumberedQuestion): void {
  (message.kernel.isShared ? others : urgent).push(message);
}

/** Answers all questions, including those that arrive in the meantime. */
function answerAll(port: MessagePort): void {
  for (;;) {
    const arrived = receiveMessageOnPort(port) as { readonly message: NumberedQuestion } | undefined;
    if (arrived !== undefined) {
      take(arrived.message);
      continue;
    }
    const next = urgent.shift() ?? others.shift();
    if (next === undefined) return;
    port.postMessage(reply(next));
  }
}

/** The task that the pool runs. It ends when the port closes. */
export default (port: MessagePort): Promise<void> =>
  new Promise((resolve) => {
    port.on('message', (message: NumberedQuestion) => {
      take(message);
      answerAll(port);
    });
    port.on('close', resolve);
  });
