/**
 * One simulated network for several daemons, as a process: `node shared-network.js SOCKET SEED`. All daemons are one
 * Lightning node to it, so each hears everything. It keeps the books by which a run is judged: how often each payment
 * hash was paid. On its standard input it is asked `audit`, and answers with one line of JSON.
 */
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { toHex } from '../../../src/bolt/bytes.ts';
import { msatFromSat } from '../../../src/model/msat.ts';
import { NetworkHost } from '../../../src/network/simulated/host.ts';
import { networkMapOf } from '../../../src/network/simulated/index.ts';
import {
  decodeToNetwork,
  encodeFromNetwork,
  type FromNetwork,
  type ToNetwork,
} from '../../../src/network/simulated/messages.ts';
import { onFrames, sendFrame } from './socket-frames.ts';
import { OWN_ID, worldGraph } from './world.ts';

const [path = '', seed = '1'] = process.argv.slice(2);

const clients = new Set<Socket>();
/** Operations under way, by our number: who asked, and under which number. */
const asked = new Map<number, { readonly client: Socket; readonly id: number }>();
let lastAsked = 0;
let standing: Pick<FromNetwork, 'identity' | 'channels' | 'height'> = { height: 0 };

const host = new NetworkHost(
  {
    map: networkMapOf(worldGraph(Number(seed))),
    options: {
      ownNodeId: OWN_ID,
      seed: Number(seed),
      ownChannels: { count: 8, capacityMsat: msatFromSat(1_000_000_000n), localShare: 0.9 },
      latencyMs: { least: 5, most: 40 },
      // A part whose sibling failed before a takeover waits in vain for so long. Nodes wait a minute.
      multiPartTimeoutMs: 2_000,
    },
    journalPath: undefined,
    messageHandlerModule: undefined,
  },
  (report) => {
    standing = { ...standing, ...report };
    const { replies, identity: _, ...news } = report;
    for (const client of clients) {
      const own = replies.flatMap(([number, ...reply]) => {
        const from = asked.get(number);
        return from?.client === client ? [[from.id, ...reply] as (typeof replies)[number]] : [];
      });
      sendFrame(client, encodeFromNetwork({ ...news, replies: own }));
    }
    for (const [number] of replies) asked.delete(number);
  },
);

const paid = new Map<string, number>();
host.simulation.onReceived = ({ paymentHash }) => {
  const hash = toHex(paymentHash);
  paid.set(hash, (paid.get(hash) ?? 0) + 1);
};

const server = createServer((client) => {
  const { identity, channels, height } = standing;
  const first = { identity, channels, height, taken: [], outcomes: [], messages: [], replies: [] };
  sendFrame(client, encodeFromNetwork(first as unknown as FromNetwork));
  clients.add(client);
  client.on('error', () => undefined);
  client.on('close', () => clients.delete(client));
  onFrames(client, (bytes) => {
    const requests = decodeToNetwork(bytes).map((request): ToNetwork => {
      if (request[0] !== 'control') return request;
      const [kind, id, name, args] = request;
      asked.set(++lastAsked, { client, id });
      return [kind, lastAsked, name, args];
    });
    host.receive(requests);
  });
});
server.listen(path, () => process.stdout.write('ready\n'));

createInterface({ input: process.stdin }).on('line', () => {
  const { pendingAttempts, repeatedPayments } = host.simulation.stats();
  process.stdout.write(`${JSON.stringify({ paid: [...paid], pendingAttempts, repeatedPayments })}\n`);
});
process.stdin.on('end', () => process.exit(0));
