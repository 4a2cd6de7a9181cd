/**
 * Two daemons with one journal and the same three nodes. The first daemon is paused in the middle of a
 * payment over all nodes, with some parts sent and others not. The second daemon takes the payment over. It
 * is paid once.
 */
import { expect, test } from 'vitest';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import { DEFAULT_NODE_SETTINGS, OwnNode, OwnNodes, SeveralNetwork } from '../../src/network/several/index.ts';
import { InProcessPort } from '../../src/network/simulated/in-process-port.ts';
import { OwnNodePort } from '../../src/network/simulated/own/own-node-port.ts';
import type { Simulation } from '../../src/network/simulated/simulation.ts';
import type { Payment } from '../../src/payments/payment.ts';
import { PaymentEngine } from '../../src/payments/payment-engine.ts';
import { OutcomeUnknownHere } from '../../src/store/payment-leases.ts';
import { InProcessEngine, InProcessKernel } from '../payments/in-process-engine.ts';
import { keysendRequest, SimulatedNode } from '../payments/simulation/simulated-node.ts';
import { portsOn } from './ports-on.ts';
import { type JournalOfDaemon, SharedJournal } from './shared-journal.ts';

interface Daemon {
  readonly engine: PaymentEngine;
  readonly shared: InProcessPort;
  readonly store: JournalOfDaemon;
}

const NODES = 3;
/** Leaves each node about 270,000 sat to spend, less than the payment needs. */
const SETTINGS = { ...DEFAULT_NODE_SETTINGS, floorMsat: 2_400_000_000n };
const degree = ({ graph }: SimulatedNode, nodeId: NodeId): number =>
  graph.nodeDegree[graph.nodeIndex(nodeId)]!;

async function daemonOn(
  node: SimulatedNode,
  journal: SharedJournal,
  newPort: () => Simulation,
  name: string,
): Promise<Daemon> {
  const book = new LayerBook(() => Math.floor(node.nowMs() / 1000));
  const shared = new InProcessPort(newPort());
  const ports = node.ownNodeIds.map((nodeId) => new OwnNodePort(shared, nodeId));
  const list = ports.map(
    (port, at) =>
      new OwnNode(`n${at}`, at, port, SETTINGS, async () => Promise.reject(new Error('no invoices'))),
  );
  const nodes = new OwnNodes(list);
  const store = journal.of(name);
  const engine = new PaymentEngine({
    network: new SeveralNetwork({ identity: shared.identity, nodes, messages: shared }),
    ownNodes: nodes,
    engine: new InProcessEngine(book, new InProcessKernel(node.graph)),
    book,
    graph: () => node.graph,
    repository: store,
    clock: node,
  });
  await engine.start();
  return { engine, shared, store };
}

async function outcomeFrom(
  { engine }: Daemon,
  request: Parameters<PaymentEngine['pay']>[0],
): Promise<Payment> {
  for (;;) {
    try {
      return await engine.pay(request);
    } catch (error) {
      if (!(error instanceof OutcomeUnknownHere)) throw error;
    }
  }
}

test.each([0, 1, 2])(
  'the owner is paused after it sent %i parts',
  { timeout: 60_000 },
  async (sentBefore) => {
    const node = new SimulatedNode({
      ...{ nodes: 200, ownNodes: NODES },
      simulation: {
        seed: 3,
        multiPartTimeoutMs: 600_000,
        ownChannels: { count: 3, capacityMsat: msat(1_000_000_000n), localShare: 0.9 },
      },
    });
    const journal = new SharedJournal(node);
    const newPort = portsOn(node.simulation);
    const first = await daemonOn(node, journal, newPort, 'first');
    const second = await daemonOn(node, journal, newPort, 'second');
    const before = node.simulation.ownChannelRecords().reduce((sum, { toUsMsat }) => sum + toUsMsat, 0n);
    const [, hub] = node.destinations().sort((a, b) => degree(node, b) - degree(node, a));
    const request = keysendRequest(hub!, {
      ...{
        kind: 'xkeysend',
        amountMsat: msat(600_000_000n),
        maxfeeMsat: msat(100_000_000n),
        retryForS: 600,
      },
      idempotencyKey: 'once',
    });
    const send = first.shared.send.bind(first.shared);
    let sent = 0;
    const stopped: (() => void)[] = [];
    first.shared.send = (htlc) => {
      if (sent++ < sentBefore) return send(htlc);
      first.store.isPaused = true;
      return new Promise((resolve, reject) => stopped.push(() => void send(htlc).then(resolve, reject)));
    };
    const asked = first.engine.pay(request).catch((error: Error) => error);
    for (let steps = 0; stopped.length === 0; steps++) {
      if (steps > 100_000) throw new Error('the owner was not paused');
      await node.pass();
    }
    const payment = await node.until(outcomeFrom(second, request));
    first.store.isPaused = false;
    for (const wake of stopped) wake();
    await node.until(asked);
    // A payment is complete once its first part has settled. The outcomes of the others are recorded later.
    const isOver = (): boolean => [...journal.attempts.values()].every(({ status }) => status !== 'sent');
    for (let turns = 0; turns < 50_000 && !(node.simulation.isIdle && isOver()); turns++) await node.pass();
    const settled = [...journal.attempts.values()].filter(({ status }) => status === 'settled');
    const sums = { arrived: 0n, sent: 0n };
    for (const { amountMsat, amountSentMsat } of settled) {
      sums.arrived += amountMsat;
      sums.sent += amountSentMsat;
    }
    const after = node.simulation.ownChannelRecords().reduce((sum, { toUsMsat }) => sum + toUsMsat, 0n);
    expect(before - after).toBe(sums.sent);
    expect(sums.arrived).toBe(payment.totalMsat);
    expect(node.simulation.stats().repeatedPayments).toBe(0);
    expect(node.simulation.checkConservation()).toEqual([]);
    expect(payment.status).toBe('complete');
    expect(new Set(settled.map(({ ownNode }) => ownNode)).size).toBe(NODES);
    expect(second.engine.takeovers.takenOver).toBe(1);
    for (const { engine, shared } of [first, second]) {
      await engine.close();
      await shared.close();
    }
    await node.destroy();
  },
);
