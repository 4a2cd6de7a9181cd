/**
 * Payments over several of our nodes, which are used as one, in virtual time. Nodes stop and come back, with
 * HTLCs in flight and while HTLCs are handed over. The daemon crashes. Floors, prices and states differ.
 * These rules must always hold:
 *
 *   once       the amount in flight under one hash, over all nodes, never exceeds the payment's amount with
 *              shadow
 *   money      balances add up to capacities; our nodes together lost exactly the cost of complete payments
 *              and settled transfers
 *   floors     no HTLC of ours leaves a node with less than its floor
 *   states     no new part leaves a resting node
 *   rest       in the end nothing is reserved and nothing is in flight
 */

import { toHex } from '../../../src/bolt/bytes.ts';
import { hmacSha256 } from '../../../src/bolt/crypto/hashes.ts';
import { parseBolt11 } from '../../../src/bolt/invoice/bolt11-invoice.ts';
import { seededRandom } from '../../../src/gossip/random.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import { GLOBAL_LAYER_ID } from '../../../src/layers/layer-book.ts';
import { virtualChannelOf } from '../../../src/layers/purse-layer.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import type { OutgoingHtlc } from '../../../src/network/port.ts';
import { DEFAULT_NODE_SETTINGS } from '../../../src/network/several/index.ts';
import type { Payment, PaymentRequest } from '../../../src/payments/payment.ts';
import { payableBolt11 } from '../../../src/payments/plan/payable-invoice.ts';
import { keysendRequest, SimulatedNode, turn } from './simulated-node.ts';
import { UnreliablePort } from './unreliable-port.ts';

export interface PurseRun {
  readonly complete: number;
  readonly failed: number;
  /** Number of complete payments whose parts left from more than one of our nodes. */
  readonly splitOverNodes: number;
  readonly stops: number;
  readonly crashes: number;
  readonly transfers: number;
  /** Number of complete payments that none of our nodes could have made alone when they began. */
  readonly largerThanAnyNode: number;
  readonly violations: readonly string[];
}

const CONCURRENCY = 8;
const AMOUNTS_SAT = [1_000n, 10_000n, 50_000n, 200_000n, 1_000_000n, 5_000_000n, 20_000_000n];

/**
 * A deliberate defect: the daemon forgets parts with unknown outcomes instead of counting them as in flight.
 */
export type Sabotage = 'none' | 'forgetsFrozenParts';

/** Makes random payments from one seed. @param sabotage breaks a rule, to show that the checks detect it */
export async function simulatePurse(
  seed: number,
  count: number,
  ownNodes = 5,
  sabotage: Sabotage = 'none',
): Promise<PurseRun> {
  const random = seededRandom(seed, 77);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const violations: string[] = [];
  const ports = new Map<number, UnreliablePort>();
  const exposed = new Map<string, bigint>();
  const ended = new Set<string>();

  const node = new SimulatedNode({
    graph: generateSyntheticGraph({ nodeCount: 200, seed }),
    ownNodes,
    engine: { randomBytes: (length) => bytes(length) },
    simulation: {
      seed,
      blockIntervalMs: 60_000,
      ownChannels: { count: 4, capacityMsat: msat(3_000_000_000n) },
      faults: { stuckHtlcs: 0.01, stuckMs: 20_000, unresponsiveNodes: 0.005, garbledFailures: 0.02 },
      onEvent: (line) => hear(line),
    },
    wrap(below, at) {
      const port = new UnreliablePort(below, random);
      if (ports.get(at)?.isAway) port.stop();
      port.onSend = (htlc) => check(htlc, at);
      ports.set(at, port);
      return sabotage === 'none' ? port.port : forgetful(port);
    },
  });
  let drawn = 0;
  /** Secrets that are derived from the seed. */
  function bytes(length: number): Uint8Array {
    const key = new Uint8Array(8);
    new DataView(key.buffer).setUint32(0, seed);
    new DataView(key.buffer).setUint32(4, drawn++);
    return Uint8Array.from(hmacSha256(key, new Uint8Array(1)).subarray(0, length));
  }
  const parts = new Map<string, { readonly hash: string; readonly amountMsat: bigint }>();

  /** `TIME ATTEMPT settled|failed|refused …`: the network's report of an attempt's outcome. */
  function hear(line: string): void {
    const [, attemptId = '', what] = line.split(' ');
    const part = parts.get(attemptId);
    if (part === undefined || ended.has(attemptId)) return;
    if (what !== 'settled' && what !== 'failed' && what !== 'refused') return;
    ended.add(attemptId);
    if (what === 'settled') return;
    exposed.set(part.hash, exposed.get(part.hash)! - part.amountMsat);
  }

  function check(htlc: OutgoingHtlc, at: number): void {
    const hash = toHex(htlc.paymentHash);
    if (parts.has(htlc.attemptId)) violations.push(`attempt ${htlc.attemptId} is sent twice`);
    const amountMsat: bigint = htlc.path.at(-1)!.amountMsat;
    parts.set(htlc.attemptId, { hash, amountMsat });
    exposed.set(hash, (exposed.get(hash) ?? 0n) + amountMsat);
    const payment = [...node.payments.live()].find((each) => toHex(each.paymentHash) === hash);
    if (payment === undefined) violations.push(`an HTLC of an unknown payment ${hash}`);
    else if (exposed.get(hash)! > payment.totalMsat) {
      violations.push(`${exposed.get(hash)}msat on their way for ${payment.totalMsat}msat under ${hash}`);
    }
    const own = node.nodes.list[at]!;
    const { ourNodes, oneNode } = payment?.request ?? {};
    if (ourNodes?.includes(own.nodeId) === false) violations.push(`${own.name} pays and was not asked to`);
    const senders = new Set(
      payment?.attempts.filter(({ status }) => status === 'sent').map(({ ownNode }) => ownNode),
    );
    if (oneNode === true && senders.size > 1)
      violations.push('parts of one payment leave from several nodes');
    const leftMsat = own.spendableMsat - htlc.path[0]!.amountMsat;
    if (leftMsat < own.settings.floorMsat) violations.push(`${own.name} has ${leftMsat}msat below its floor`);
    if (own.settings.state === 'rest' || own.settings.state === 'off')
      violations.push(`${own.name} rests and pays`);
  }

  for (const own of node.nodes.list) {
    node.nodes.set(own, {
      ...DEFAULT_NODE_SETTINGS,
      floorMsat: random() < 0.6 ? BigInt(Math.floor(random() * 3e9)) : 0n,
      pricePpm: random() < 0.5 ? Math.floor(random() * 2000) - 500 : 0,
      largestPartMsat: random() < 0.3 ? 1_000_000_000n : undefined,
      maxHtlcs: random() < 0.3 ? 5 : undefined,
    });
  }

  const ownTotal = (): bigint =>
    node.simulation.ownChannelRecords().reduce((sum, { toUsMsat }) => sum + toUsMsat, 0n);
  const before = ownTotal();
  const destinations = node.destinations();
  const all: Promise<void>[] = [];
  const run = {
    complete: 0,
    failed: 0,
    splitOverNodes: 0,
    stops: 0,
    crashes: 0,
    transfers: 0,
    largerThanAnyNode: 0,
  };
  let begun = 0;
  let running = 0;

  function note(payment: Payment, largestMsat: bigint): void {
    running--;
    if (payment.status !== 'complete') {
      run.failed++;
      return;
    }
    run.complete++;
    if (payment.request.isTransfer) run.transfers++;
    const sent = new Set(
      payment.attempts.filter(({ status }) => status !== 'failed').map(({ ownNode }) => ownNode),
    );
    if (sent.size > 1) run.splitOverNodes++;
    if (payment.request.amountMsat > largestMsat) run.largerThanAnyNode++;
  }

  function begin(): void {
    begun++;
    running++;
    const largestMsat = node.nodes.list.reduce(
      (most, { mayPayMsat }) => (mayPayMsat > most ? mayPayMsat : most),
      0n,
    );
    const request = random() < 0.05 ? transfer() : invoiceRequest();
    all.push(
      node.payments.pay(request).then(
        (payment) => note(payment, largestMsat),
        (error: Error) => {
          running--;
          if (!['shuttingDown', 'nodeAway'].includes(error.name)) violations.push(`pay rejects: ${error}`);
        },
      ),
    );
  }

  function invoiceRequest(): PaymentRequest {
    const amountMsat = msat(pick(AMOUNTS_SAT) * 1000n);
    const limits = {
      amountMsat,
      maxfeeMsat: msat(5_000n + amountMsat / (random() < 0.3 ? 2_000n : 100n)),
      seed: BigInt(begun),
      oneNode: random() < 0.1,
      ...(random() < 0.1 && { ourNodes: [pick(node.ownNodeIds), pick(node.ownNodeIds)] }),
    };
    if (random() < 0.3) return keysendRequest(pick(destinations), limits);
    return withInvoice(pick(destinations), limits);
  }

  function withInvoice(destination: NodeId, more: Partial<PaymentRequest>): PaymentRequest {
    const plain = keysendRequest(destination, { ...more, kind: 'xpay' });
    const text = node.simulation.issueInvoice(destination, {
      ...{ currency: 'bc', amountMsat: plain.amountMsat, description: '', expirySeconds: 3600 },
      ...{ minFinalCltvExpiryDelta: 18, hints: 8, hasMetadata: false, nonce: nonce(begun) },
    });
    const { terms, routeHints } = payableBolt11(parseBolt11(text), text, plain.amountMsat);
    return { ...plain, invoice: terms, routeHints };
  }

  function transfer(): PaymentRequest {
    const [from, to] = [pick(node.ownNodeIds), pick(node.ownNodeIds)];
    if (from === to) return invoiceRequest();
    const amountMsat = msat(pick(AMOUNTS_SAT) * 1000n);
    const more = { amountMsat, maxfeeMsat: msat(5_000n + amountMsat / 100n), seed: BigInt(begun) };
    return withInvoice(to, { ...more, isTransfer: true, ourNodes: [from] });
  }

  for (let passes = 0; begun < count || running > 0; passes++) {
    if (passes > 200 * count + 100_000) {
      violations.push('does not end');
      break;
    }
    if (begun < count && running < CONCURRENCY && random() < 0.3) begin();
    await node.pass();
    for (const port of ports.values()) {
      if (!port.isAway && random() < 0.001) {
        port.stop();
        run.stops++;
      } else if (port.isAway && (random() < 0.02 || begun >= count)) {
        port.start();
        for (const own of node.nodes.list) node.nodes.set(own, {});
      }
    }
    if (random() < 0.002) {
      run.crashes++;
      await node.crash();
      await node.open();
    }
  }
  await Promise.all(all);
  for (const port of ports.values()) if (port.isAway) port.start();
  for (let turns = 0; turns < 20_000 && (!node.simulation.isIdle || node.timersSet > 0); turns++)
    await node.pass();
  // Changes caused by the last event are written a few turns later.
  for (let turns = 0; turns < 100; turns++) await turn();
  violations.push(...(await checkRest(node)), ...node.simulation.checkConservation());
  const complete = await paid(node);
  if (before - ownTotal() !== complete) {
    violations.push(`${before - ownTotal()}msat left our nodes, and payments say ${complete}msat`);
  }
  await node.destroy();
  return { ...run, violations };
}

/** The sum that complete payments cost all our nodes together; for a transfer, only the fees. */
async function paid(node: SimulatedNode): Promise<bigint> {
  let sum = 0n;
  for await (const payment of node.payments.journal.payments({})) {
    for (const { status, amountMsat, amountSentMsat } of payment.attempts) {
      if (status !== 'settled') continue;
      sum += payment.request.isTransfer ? amountSentMsat - amountMsat : amountSentMsat;
    }
  }
  return sum;
}

async function checkRest(node: SimulatedNode): Promise<string[]> {
  const wrong: string[] = [];
  for await (const payment of node.payments.journal.payments({})) {
    const open = payment.attempts.filter(({ status }) => status === 'sent').length;
    if (payment.status === 'pending' || open > 0) {
      const states = payment.attempts.map(({ ownNode, status }) => `${ownNode} ${status}`);
      wrong.push(`payment ${payment.createdIndex} is not over: ${payment.status}, ${states.join(', ')}`);
    }
    const settled = payment.attempts.filter(({ status }) => status === 'settled');
    const sumMsat = settled.reduce((sum, { amountMsat }) => sum + amountMsat, 0n);
    if (sumMsat > payment.totalMsat)
      wrong.push(`payment ${payment.createdIndex} is paid with ${sumMsat}msat`);
  }
  for (const { number, name } of node.nodes.list) {
    const { reservedMsat = [0n, 0n] } =
      node.book.channelCell(GLOBAL_LAYER_ID, virtualChannelOf(number)) ?? {};
    if (reservedMsat.some((held) => held !== 0n))
      wrong.push(`${reservedMsat.join()}msat of ${name} stay reserved`);
  }
  return wrong;
}

/** A port that wrongly reports "it never left" for a node that is away. */
function forgetful(unreliable: UnreliablePort): UnreliablePort['port'] {
  const { port } = unreliable;
  return new Proxy(port, {
    get(target, name) {
      if (name !== 'outcomes') return Reflect.get(target, name, target);
      return async (keys: Parameters<typeof port.outcomes>[0]) =>
        unreliable.isAway
          ? new Map(keys.map(({ attemptId }) => [attemptId, { status: 'neverLeft' as const }]))
          : port.outcomes(keys);
    },
  });
}

function nonce(number: number): Uint8Array {
  const bytes = new Uint8Array(9);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}
