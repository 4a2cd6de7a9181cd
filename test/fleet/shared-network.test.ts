/**
 * A simulated network that several daemons share: each gets the outcomes of the HTLCs that it sent or looked up, can
 * look up an HTLC that a different daemon sent, and can send it again without paying twice. Clients that send invalid
 * data are disconnected while the others continue.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { parseNetworkOptions } from '../../src/cli/network-command.ts';
import { parseStartOptions } from '../../src/cli/options/start-options.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { realClock } from '../../src/model/clock.ts';
import { msat, msatFromSat } from '../../src/model/msat.ts';
import { nodeIdFromBytes } from '../../src/model/node-id.ts';
import { InlineOnions } from '../../src/network/onions/onion-builder.ts';
import { MAX_FRAME_BYTES, sendFrame } from '../../src/network/simulated/frames.ts';
import { connectSharedNetwork, networkMapOf, SharedHost } from '../../src/network/simulated/index.ts';
import { PaymentEngine } from '../../src/payments/payment-engine.ts';
import { InProcessEngine, InProcessKernel } from '../payments/in-process-engine.ts';
import { keysendRequest } from '../payments/simulation/simulated-node.ts';
import { CutLink } from '../store/cut-link.ts';
import { SharedJournal } from './shared-journal.ts';

const KEY = new Uint8Array(32).fill(0x42);
const OWN_ID = nodeIdFromBytes(curve.publicKey(KEY));
const graph = generateSyntheticGraph({ nodeCount: 100, seed: 3 });
const closers: (() => unknown)[] = [];

async function network(): Promise<{
  host: SharedHost;
  port: number;
  problems: string[];
  paid: Map<string, number>;
}> {
  const problems: string[] = [];
  const host = new SharedHost({
    data: {
      map: networkMapOf(graph),
      options: {
        ownNodeId: OWN_ID,
        ownSecretKey: KEY,
        seed: 3n,
        ownChannels: { count: 8, capacityMsat: msatFromSat(1_000_000_000n), localShare: 0.9 },
      },
      journalPath: undefined,
    },
    greeting: { graph: 'this one', secretKey: KEY },
    onProblem: (message) => problems.push(message),
  });
  closers.push(() => host.close());
  const paid = new Map<string, number>();
  host.host.simulation.onReceived = ({ paymentHash }) => {
    const hash = Buffer.from(paymentHash).toString('hex');
    paid.set(hash, (paid.get(hash) ?? 0) + 1);
  };
  return { host, port: await host.listen({ host: '127.0.0.1', port: 0 }), problems, paid };
}

/** @param onAway called with the reason when the connection is lost, and with undefined when it is back */
async function daemon(
  port: number,
  journal: SharedJournal,
  name: string,
  onAway: (why: string | undefined) => void = () => undefined,
): Promise<PaymentEngine> {
  const link = await connectSharedNetwork({ host: '127.0.0.1', port });
  expect([link.nodeId, link.graph]).toEqual([OWN_ID, 'this one']);
  const book = new LayerBook();
  const shared = link.open({ onions: new InlineOnions(), onAway });
  const engine = new PaymentEngine({
    network: shared,
    engine: new InProcessEngine(book, new InProcessKernel(graph)),
    book,
    graph: () => graph,
    repository: journal.of(name),
  });
  await engine.start();
  closers.push(async () => {
    await engine.close();
    await shared.close();
  });
  return engine;
}

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('two daemons pay through one network, and each gets reports of all our channels', async () => {
  const { host, port, paid } = await network();
  const journal = new SharedJournal(realClock);
  const [a, b] = [await daemon(port, journal, 'a'), await daemon(port, journal, 'b')];
  await expect.poll(() => host.clients).toBe(2);
  const destinations = Array.from({ length: 6 }, (_, n) => graph.nodeId(10 + n));
  const outcomes = await Promise.all(
    destinations.map((destination, n) =>
      [a, b][n % 2]!.pay(keysendRequest(destination, { amountMsat: msat(50_000n) })),
    ),
  );
  const complete = outcomes.filter(({ status }) => status === 'complete');
  expect(complete.length).toBeGreaterThan(0);
  for (const { paymentHash, status } of outcomes) {
    expect(paid.get(Buffer.from(paymentHash).toString('hex')) ?? 0).toBe(status === 'complete' ? 1 : 0);
  }
  expect(host.host.simulation.checkConservation()).toEqual([]);
});

test('a daemon whose connection is lost reconnects, and receives the outcomes of its payments', async () => {
  const { port, paid, host } = await network();
  const cable = await CutLink.to(port);
  closers.push(() => cable.close());
  const news: (string | undefined)[] = [];
  const engine = await daemon(cable.port, new SharedJournal(realClock), 'a', (why) => news.push(why));
  // The network receives its messages, but the replies are lost.
  cable.cut('answers');
  const outcomes = Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      engine.pay(keysendRequest(graph.nodeId(20 + n), { amountMsat: msat(50_000n) })),
    ),
  );
  const { simulation } = host.host;
  await expect
    .poll(() => paid.size > 0 && simulation.stats().pendingAttempts === 0, { timeout: 60_000 })
    .toBe(true);
  expect(news).toEqual([]);
  cable.mend();
  for (const { paymentHash, status } of await outcomes) {
    expect(paid.get(Buffer.from(paymentHash).toString('hex')) ?? 0).toBe(status === 'complete' ? 1 : 0);
  }
  expect(news).toEqual([expect.stringContaining('is lost'), undefined]);
  expect(simulation.checkConservation()).toEqual([]);
});

test('the outcome of an HTLC goes to the daemons that sent it or looked it up, and changes of channels go to all', async () => {
  const { host, port } = await network();
  const { simulation } = host.host;
  const payer = await daemon(port, new SharedJournal(realClock), 'payer');
  const connected = async () => {
    const link = await connectSharedNetwork({ host: '127.0.0.1', port });
    const open = link.open({ onions: new InlineOnions() });
    closers.push(() => open.close());
    const ended: string[] = [];
    open.onOutcome((attemptId) => void ended.push(attemptId));
    return { open, ended };
  };
  const [reader, stranger] = [await connected(), await connected()];
  const destination = graph.nodeId(10);
  simulation.setTrait(destination, 'unresponsive', true);
  const paid = payer.pay(keysendRequest(destination, { amountMsat: msat(50_000n) })).catch(() => undefined);
  await expect.poll(() => simulation.sentHtlcs().length).toBe(1);
  const [htlc] = simulation.sentHtlcs();
  const states = await reader.open.outcomes([htlc!]);
  expect(states.get(htlc!.attemptId)).toMatchObject({ status: 'pending' });
  await expect.poll(() => stranger.open.ownChannels().revision).toBe(simulation.ownChannels().revision);
  await payer.close();
  // The HTLC expires with the first block after it has reached its destination.
  let height = 100_000_000;
  await expect
    .poll(async () => {
      await reader.open.control('setHeight', height++);
      return reader.ended;
    })
    .toEqual([htlc!.attemptId]);
  await expect.poll(() => stranger.open.ownChannels().revision).toBe(simulation.ownChannels().revision);
  expect(stranger.ended).toEqual([]);
  await paid;
});

test('a client that sends garbage is disconnected, and the others continue', async () => {
  const { host, port, problems } = await network();
  const link = await connectSharedNetwork({ host: '127.0.0.1', port });
  const good = link.open({ onions: new InlineOnions() });
  closers.push(() => good.close());
  for (const nonsense of [Buffer.from([0xc1]), Buffer.from([0x01]), Buffer.from([0x91, 0x91, 0x01])]) {
    const socket = connect(port, '127.0.0.1');
    socket.resume();
    sendFrame(socket, nonsense);
    await once(socket, 'close');
  }
  expect(problems).toHaveLength(3);
  const long = connect(port, '127.0.0.1');
  long.resume();
  const head = Buffer.alloc(4);
  head.writeUInt32BE(MAX_FRAME_BYTES + 1);
  long.on('error', () => undefined);
  long.write(head);
  await once(long, 'close');
  await expect.poll(() => host.clients).toBe(1);
  expect(await good.control('checkConservation')).toEqual([]);
});

test('a server that is not our network is distinguished from one that does not answer', async () => {
  const { port } = await network();
  closers[0]!();
  await expect(connectSharedNetwork({ host: '127.0.0.1', port })).rejects.toMatchObject({ name: 'nodeAway' });
});

test('options: an address and a directory, for one node, and only on the simulated network', () => {
  const parsed = parseNetworkOptions([
    'simulated',
    '--listen',
    '127.0.0.1:9790',
    '--data-dir',
    '/x',
    '--seed',
    '7',
  ]);
  expect(parsed).toEqual({
    listen: { host: '127.0.0.1', port: 9790 },
    directory: '/x',
    graph: 'synthetic',
    exactUnits: false,
    seed: 7n,
  });
  const listen = ['simulated', '--listen', '127.0.0.1:9790'];
  for (const [wrong, message] of [
    [['real'], 'network has only one command'],
    [['simulated', '--data-dir', '/x'], 'needs --listen'],
    [['simulated', '--listen', '127.0.0.1', '--data-dir', '/x'], 'needs --listen'],
    [listen, 'needs --data-dir'],
    [[...listen, '--data-dir', '/x', '--unknown'], 'unknown option --unknown'],
    [[...listen, '--data-dir', '/x', 'word'], 'only options are allowed, not word'],
  ] as const) {
    expect(() => parseNetworkOptions(wrong)).toThrow(message);
  }
  expect(parseStartOptions(['--simulated-network', 'h:1']).sharedNetwork).toEqual({ host: 'h', port: 1 });
  for (const wrong of [
    ['--simulated-network', 'h'],
    ['--simulated-network', 'h:1', '--network', 'none'],
    ['--simulated-network', 'h:1', '--node', 'a=simulated', '--node', 'b=simulated'],
  ]) {
    expect(() => parseStartOptions(wrong)).toThrow(/--simulated-network/);
  }
});
