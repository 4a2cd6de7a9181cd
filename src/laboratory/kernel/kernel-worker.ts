/**
 * A thread with one kernel. Its only task of the pool lasts for the whole run: questions arrive over a port, and are
 * answered in order, which tasks of a pool would not guarantee.
 */
import type { MessagePort } from 'node:worker_threads';
import { workerData } from 'piscina';
import type { SharedKernel } from '../../engine/solver/kernel-memory.ts';
import { ScidTable } from '../../model/graph/scid-table.ts';
import { NODE_ID_BYTES, nodeIdFromBytes } from '../../model/node-id.ts';
import { type GraphNames, KernelHost } from './kernel-host.ts';
import type { KernelReply, NumberedQuestion } from './messages.ts';

/** What a thread needs from the graph, in shared memory. */
export interface KernelWorkerData {
  readonly shared: SharedKernel;
  readonly workerIndex: number;
  readonly nodeIds: Uint8Array;
  readonly shortChannelIds: BigUint64Array;
  /** Room for the applied layers of senders that pay in turns. */
  readonly keptStacksBytes: number;
}

const { shared, workerIndex, nodeIds, shortChannelIds, keptStacksBytes } = workerData as KernelWorkerData;
const scids = new ScidTable(shortChannelIds.length);
shortChannelIds.forEach((scid, channel) => {
  scids.set(scid, channel);
});
const graph: GraphNames = {
  nodeId: (node) => nodeIdFromBytes(nodeIds.subarray(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES)),
  channelIndex: (scid) => scids.find(scid),
};
const host = new KernelHost(shared, workerIndex, graph, keptStacksBytes);

function reply({ number, question }: NumberedQuestion): KernelReply {
  try {
    return { number, plan: host.answer(question) };
  } catch (error) {
    return { number, fault: error instanceof Error ? error.message : String(error) };
  }
}

/** The task that the pool runs. It ends when the port is closed. */
export default (port: MessagePort): Promise<void> =>
  new Promise((resolve) => {
    port.on('message', (message: NumberedQuestion) => port.postMessage(reply(message)));
    port.on('close', resolve);
  });
