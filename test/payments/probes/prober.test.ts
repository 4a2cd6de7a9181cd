/**
 * Probes on a simulated network: they cannot be settled, they yield the same lessons as payments, they stay
 * within their limits, and no list of payments contains them.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { randomBytes } from '../../../src/model/random-bytes.ts';
import { arrived } from '../../../src/payments/books/arrival.ts';
import { readLedger } from '../../../src/payments/books/ledger.ts';
import { OddsModel } from '../../../src/payments/learn/odds-model.ts';
import type { Payment } from '../../../src/payments/payment.ts';
import { type ProbeLimits, Prober } from '../../../src/payments/probes/prober.ts';
import { collected } from '../../collected.ts';
import { keysendRequest, SimulatedNode } from '../simulation/simulated-node.ts';

let node: SimulatedNode;
/** Number of plans in progress. */
let planning = 0;
afterEach(() => node.destroy());

const LIMITS: ProbeLimits = { perHour: 60, maxInFlightMsat: 20_000_000n };

/** A node with learned odds, and all random bytes that it drew. */
function learningNode(): { drawn: Uint8Array[]; model: OddsModel } {
  const drawn: Uint8Array[] = [];
  const model = new OddsModel(() => 0);
  planning = 0;
  node = new SimulatedNode({
    // Virtual time is stopped while a probe is chosen.
    isBusy: () => planning > 0,
    engine: {
      odds: model,
      randomBytes: (length) => {
        const bytes = randomBytes(length);
        drawn.push(bytes);
        return bytes;
      },
    },
  });
  return { drawn, model };
}

function proberOf(limits: ProbeLimits = LIMITS): Prober {
  let draws = 0;
  return new Prober({
    limits,
    payments: {
      pay: (request) => node.payments.pay(request),
      hopChances: (path, layers) => node.payments.hopChances(path, layers),
      liveProbes: () => node.payments.liveProbes(),
      plan: async (request) => {
        planning++;
        return node.payments.plan(request).finally(() => planning--);
      },
    },
    network: node.port,
    graph: () => node.graph,
    clock: node,
    randomBytes: (length) => sha256(new Uint8Array([draws >> 8, draws++ & 0xff])).subarray(0, length),
    onProbed: () => undefined,
  });
}

/** The probes sent during the given hours of virtual time. */
async function probed(prober: Prober, hours: number): Promise<Payment[]> {
  const untilMs = node.nowMs() + hours * 3_600_000;
  void prober.run();
  while (node.nowMs() < untilMs) await node.pass();
  prober.close();
  while (prober.figures.inFlightMsat > 0n) await node.pass();
  await node.store.payments.durable();
  const all = await collected(node.payments.journal.payments());
  return all.filter(({ request }) => request.kind === 'probe');
}

describe('probes', () => {
  test('have no known preimage, move no money, and teach the same as payments', async () => {
    const { drawn, model } = learningNode();
    const before = node.port.ownChannels().channels.map(({ spendableMsat }) => spendableMsat);
    const prober = proberOf();
    const probes = await probed(prober, 0.4);
    expect(probes.length).toBeGreaterThan(12);
    const attempts = probes.flatMap((probe) => probe.attempts);
    expect(attempts.every(({ status }) => status === 'failed')).toBe(true);
    expect(probes.every(({ preimage }) => preimage === undefined)).toBe(true);
    // No random bytes that this node drew hash to the payment hash of a probe.
    const hashes = new Set(probes.map(({ paymentHash }) => toHex(paymentHash)));
    expect(hashes.size).toBe(probes.length);
    for (const bytes of drawn) expect(hashes.has(toHex(sha256(bytes)))).toBe(false);
    expect(node.port.ownChannels().channels.map(({ spendableMsat }) => spendableMsat)).toEqual(before);
    expect(node.simulation.checkConservation()).toEqual([]);
    expect([...node.book.reservations()]).toEqual([]);
    const reached = attempts.filter((attempt) => arrived(attempt) === true);
    expect(prober.figures).toMatchObject({
      sent: attempts.length,
      arrived: reached.length,
      inFlightMsat: 0n,
    });
    expect(reached.length).toBeGreaterThan(0);
    expect(reached.length).toBeLessThan(attempts.length);
    for (const { failure } of reached)
      expect(failure?.failcodename).toBe('incorrect_or_unknown_payment_details');
    expect(model.observed).toBe(attempts.length);
    expect(node.book.layer('xpay')!.records.length).toBeGreaterThan(0);
  });

  test('respect their rate, the amount that they may lock, and a quarter of the channels', async () => {
    learningNode();
    const send = node.port.send.bind(node.port);
    const held = new Map<string, bigint>();
    let most = 0n;
    node.port.onOutcome((attemptId) => held.delete(attemptId));
    node.port.send = async (htlc) => {
      held.set(htlc.attemptId, htlc.path[0]!.amountMsat);
      const now = [...held.values()].reduce((sum, each) => sum + each, 0n);
      if (now > most) most = now;
      return send(htlc);
    };
    const free = node.port.ownChannels().channels.reduce((sum, each) => sum + each.spendableMsat, 0n);
    const probes = await probed(proberOf({ perHour: 240, maxInFlightMsat: 10n ** 15n }), 0.2);
    expect(probes.length).toBeLessThanOrEqual(96);
    expect(most).toBeGreaterThan(0n);
    expect(most).toBeLessThanOrEqual(free / 4n);
    const visits = new Map<NodeId, number>();
    for (const { attempts } of probes)
      for (const { path } of attempts)
        for (const { nodeIdOut } of path) visits.set(nodeIdOut, (visits.get(nodeIdOut) ?? 0) + 1);
    // The probes took less than an hour, in which each node may be on at most 20 routes.
    expect(Math.max(...visits.values())).toBeLessThanOrEqual(20);
  });

  test('are in no list of payments, and are tracked after a crash', async () => {
    learningNode();
    const prober = proberOf();
    await probed(prober, 0.1);
    const paid = await node.pay(keysendRequest(node.destinations()[30]!));
    const again = proberOf();
    void again.run();
    const inFlight = (): Payment | undefined =>
      node.payments.liveProbes().find(({ attempts }) => attempts.some(({ status }) => status === 'sent'));
    while (inFlight() === undefined) await node.pass();
    const live = inFlight();
    await node.store.payments.durable();
    again.close();
    expect([...node.payments.live()]).toEqual([]);
    expect(node.payments.inFlight()).toMatchObject({ payments: 0, htlcs: 1 });
    await node.crash();
    await node.open();
    expect(node.payments.liveProbes()).toHaveLength(1);
    expect(proberOf().figures.inFlightMsat).toBe(live!.attempts[0]!.amountSentMsat);
    while (node.payments.liveProbes().length > 0) await node.pass();
    expect([...node.book.reservations()]).toEqual([]);
    const { journal } = node.payments;
    const outlines = await collected(journal.outlines({ by: 'created' }));
    expect(outlines.flatMap((page) => [...page]).map(({ payment }) => payment.id)).toEqual([paid.id]);
    const range = { start: 1, limit: 1000, sinceMs: 0, withRefunds: true };
    const { movements } = await readLedger(journal, range);
    expect(movements.map(({ payment }) => payment.id)).toEqual(paid.attempts.map(() => paid.id));
  });

  test('go where they teach most: not where the outcome is known, and not where no payments go', async () => {
    learningNode();
    const prober = proberOf();
    const first = await node.until(prober.choose());
    expect(first!.lesson).toBeGreaterThan(0);
    const lessons: number[] = [];
    for (const probe of await probed(prober, 0.2)) expect(probe.attempts.length).toBeLessThanOrEqual(1);
    const later = proberOf();
    for (let count = 0; count < 5; count++) lessons.push((await node.until(later.choose()))?.lesson ?? 0);
    expect(Math.max(...lessons)).toBeLessThan(first!.lesson * 2);
  });
});
