/**
 * The network that the daemons share, as a process: `node shared-network.js SOCKET SEED`. It keeps the
 * records that decide whether a run was correct: how often each payment hash was paid. When it reads `audit`
 * on standard input, it answers with one line of JSON.
 */
import { createInterface } from 'node:readline';
import { toHex } from '../../../src/bolt/bytes.ts';
import { msatFromSat } from '../../../src/model/msat.ts';
import { networkMapOf } from '../../../src/network/simulated/index.ts';
import { SharedHost } from '../../../src/network/simulated/shared/shared-host.ts';
import { OWN_ID, OWN_KEY, worldGraph } from './world.ts';

const [path = '', seed = '1'] = process.argv.slice(2);

const shared = new SharedHost({
  data: {
    map: networkMapOf(worldGraph(Number(seed))),
    options: {
      ownNodeId: OWN_ID,
      seed: Number(seed),
      ownChannels: { count: 8, capacityMsat: msatFromSat(1_000_000_000n), localShare: 0.9 },
      latencyMs: { least: 5, most: 40 },
      // Time in milliseconds after which the recipient fails a part whose other parts do not arrive, for instance
      // because one failed before a takeover. Real nodes wait a minute.
      multiPartTimeoutMs: 2_000,
    },
    journalPath: undefined,
  },
  greeting: { graph: seed, secretKey: OWN_KEY },
});
const { simulation } = shared.host;

const paid = new Map<string, number>();
simulation.onReceived = ({ paymentHash }) => {
  const hash = toHex(paymentHash);
  paid.set(hash, (paid.get(hash) ?? 0) + 1);
};

createInterface({ input: process.stdin }).on('line', () => {
  const { pendingAttempts, repeatedPayments } = simulation.stats();
  process.stdout.write(`${JSON.stringify({ paid: [...paid], pendingAttempts, repeatedPayments })}\n`);
});
process.stdin.on('end', () => process.exit(0));
await shared.listen(path);
process.stdout.write('ready\n');
