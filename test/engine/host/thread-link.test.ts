/** The link to a solver's thread, without the engine. */
import { expect, it } from 'vitest';
import { ThreadLink } from '../../../src/engine/host/thread-link.ts';
import { decodeReply, encode } from '../../../src/engine/question/messages.ts';
import { createSharedKernel, GraphPublisher } from '../../../src/engine/solver/kernel-memory.ts';
import { machineMs } from '../../../src/model/clock.ts';
import { msat } from '../../../src/model/msat.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

const { graph } = tinyGraph(['A-B 1x1x1 fee=10+0']);
/** The amount at which the thread never answers again (faulty-worker.mjs). */
const NEVER = 667n;

const requestFor = (amountMsat: bigint, task: number, from: number): Uint8Array => {
  const ends = { source: nodeNamed('A'), destination: nodeNamed('B'), layerIds: [], layerNames: [] };
  const limits = { maxfeeMsat: msat(1_000n), finalCltv: 18, maxdelay: 2016, maxparts: 1, maxhops: 20 };
  const query = { ...ends, ...limits, amountMsat: msat(amountMsat), includeFees: false };
  const deadline = machineMs() + 600_000;
  return encode({ task, deadline, graph: 0, layers: { from, to: 0, chunks: [] }, query });
};

it('finished replies are delivered while a later search does not end', async () => {
  const shared = createSharedKernel();
  new GraphPublisher(shared).publish(graph);
  const filename = new URL('./faulty-worker.mjs', import.meta.url).href;
  const link = new ThreadLink({ shared, workerIndex: 0, filename });
  // The thread announces two replies only with a third one, because three requests are left.
  const amounts = [1n, 2n, NEVER, 4n, 5n];
  const replies = amounts.map((amount, n) => link.send(n + 1, requestFor(amount, n + 1, n === 0 ? -1 : 0)));
  for (const reply of replies.slice(2)) reply.catch(() => undefined);
  for (const reply of replies.slice(0, 2)) expect(decodeReply(await reply)).toHaveProperty('answer');
  await link.close();
});
