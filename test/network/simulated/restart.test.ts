/**
 * The process of a simulated network is killed after any of its events and is restarted from its journal. A
 * payment that the recipient has released is paid with all its parts. A payment that was not released never
 * happened. A closed channel stays closed.
 *
 *     we ── A ── B ── C        with 5,000,000,000 msat on each side of A–B and B–C
 */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import { NetworkJournal } from '../../../src/network/simulated/journal.ts';
import { MEMORY, temporaryDirectory } from '../../rpc/support.ts';
import { A, A_TO_B, B_TO_C, C, type Line, line, routeTo, START_HEIGHT } from './line.ts';
import { buildAttempt, secretOf } from './payer.ts';

const directory = temporaryDirectory(MEMORY);
afterAll(() => directory.remove());

const HALF = 5_000_000n;
let files = 0;

/** A network with a journal: new, or with the state in the file. */
function opened(path: string): Line & { kill(): void } {
  const network = line();
  const journal = new NetworkJournal(path, 'line', 1);
  network.simulation.restore(journal.content);
  network.simulation.onDecided = (entries) => journal.add(...entries);
  network.simulation.onClosed = (scid, atMs) => journal.addClosure(scid, atMs);
  // The thread of the network writes at the end of each turn, before it reports anything to our side.
  return { ...network, kill: () => journal.flush() };
}

const state = ({ simulation, ours }: Line, ids: readonly string[]) => ({
  states: simulation.lookUpHtlcs(ids).map(({ status }) => status),
  ours: simulation.ownChannels().channels[0]!.spendableMsat,
  totals: simulation.ownChannelRecords()[0]!.outgoing,
  hops: [A_TO_B, B_TO_C].map((direction) => simulation.balanceMsat(direction)),
  channel: ours,
});

/** Sends a payment in two parts, and kills the network after the given number of events. */
function twoParts(events: number) {
  const path = join(directory.path, `${files++}`);
  const network = opened(path);
  const paymentData = { paymentSecret: secretOf('secret'), totalMsat: msat(2n * HALF) };
  const part = { keysendPreimage: secretOf('whole'), paymentData };
  const ids = ['1', '2'];
  const before = state(network, ids);
  for (const id of ids) network.simulation.offerHtlc(buildAttempt(id, routeTo(network, C, HALF), part).offer);
  let isOver = false;
  for (let taken = 0; taken < events && !isOver; taken++) {
    network.simulation.step();
    isOver = network.simulation.isIdle;
  }
  network.kill();
  const atKill = state(network, ids);
  network.simulation.runUntilIdle();
  const after = state(network, ids);
  return { before, atKill, after, found: state(opened(path), ids), isOver };
}

test('after a kill at any moment, either all parts of a payment have settled or none', () => {
  const seen = { paid: 0, undone: 0, toldInPart: 0 };
  for (let events = 1; ; events++) {
    const { before, atKill, after, found, isOver } = twoParts(events);
    expect(after.states).toEqual(['settled', 'settled']);
    if (found.states.includes('settled')) {
      seen.paid++;
      expect(found, `killed after ${events} events`).toEqual(after);
    } else {
      seen.undone++;
      expect(found).toEqual({ ...before, states: ['unknown', 'unknown'] });
      // Nothing that was reported to our side earlier becomes false.
      expect(atKill.states).not.toContain('settled');
    }
    if (atKill.states.filter((status) => status === 'settled').length === 1) seen.toldInPart++;
    if (isOver) break;
    expect(events).toBeLessThan(1000);
  }
  expect(Math.min(seen.paid, seen.undone, seen.toldInPart)).toBeGreaterThan(0);
});

test('a closed channel stays closed after a restart, with the same closing time, even if the file is rewritten', () => {
  const path = join(directory.path, `${files++}`);
  const network = opened(path);
  const { simulation } = network;
  simulation.setTrait(A, 'unresponsive', true);
  simulation.offerHtlc(buildAttempt('expiring', routeTo(network, C, HALF)).offer);
  simulation.advanceTo(simulation.nowMs + 1000);
  simulation.setHeight(START_HEIGHT + 122);
  expect(simulation.ownChannels().channels[0]!.usable).toBe(false);
  network.kill();
  const [closed] = simulation.ownChannelRecords();
  // The limit of zero bytes is below the size of the file, so the second opening rewrites it.
  for (const compactAboveBytes of [undefined, 0, undefined]) {
    new NetworkJournal(path, 'line', 2, compactAboveBytes).close();
    const [again] = opened(path).simulation.ownChannelRecords();
    expect(again).toMatchObject({ usable: false, phase: 'onchain', closedBy: 'local' });
    expect(again!.phaseChanges.at(-1)).toEqual(closed!.phaseChanges.at(-1));
  }
  new NetworkJournal(path, 'another network', 3).close();
  expect(opened(path).simulation.ownChannels().channels[0]!.usable).toBe(true);
});

test('an HTLC that is offered twice in the same instant is reported only once it is on our channel', () => {
  const network = line();
  const { simulation } = network;
  const { revision } = simulation.ownChannels();
  const revisions: number[] = [];
  simulation.onTaken = (_attemptId, at) => revisions.push(at);
  const { offer } = buildAttempt('twice', routeTo(network, C, HALF));
  simulation.offerHtlc(offer);
  simulation.offerHtlc(offer);
  expect(revisions).toEqual([]);
  simulation.step();
  expect(revisions).toEqual([revision + 1]);
  simulation.offerHtlc(offer);
  expect(revisions).toEqual([revision + 1, revision + 1]);
  simulation.runUntilIdle();
});
