/**
 * Channel revisions of several nodes as a single number, which is reached only once every HTLC up to it is reported.
 */
import { expect, test } from 'vitest';
import { ReportTickets } from '../../../src/network/several/report-tickets.ts';

test('a number is reached once its node has reported the revision, and not before', () => {
  const tickets = new ReportTickets<string>(() => false);
  const a = tickets.take('a', 5);
  const b = tickets.take('b', 1);
  expect(tickets.level).toBeLessThan(a);
  tickets.arrived('b', 1);
  expect(tickets.level).toBeLessThan(a);
  tickets.arrived('a', 4);
  expect(tickets.level).toBeLessThan(a);
  tickets.arrived('a', 5);
  expect(tickets.level).toBeGreaterThanOrEqual(b);
});

test('reports of other nodes do not reach the number of a later HTLC', () => {
  const tickets = new ReportTickets<string>(() => false);
  const first = tickets.take('a', 1);
  tickets.arrived('a', 1);
  expect(tickets.level).toBeGreaterThanOrEqual(first);
  const second = tickets.take('a', 2);
  for (let report = 0; report < 10; report++) tickets.arrived('b', report);
  expect(tickets.level).toBeLessThan(second);
});

test('a node that is gone, or silent for half a minute, is not awaited', () => {
  let nowMs = 0;
  let isGone = false;
  const tickets = new ReportTickets<string>(
    (node) => isGone && node === 'a',
    () => nowMs,
  );
  const a = tickets.take('a', 1);
  const b = tickets.take('b', 1);
  isGone = true;
  tickets.arrived('c', 1);
  expect(tickets.level).toBeGreaterThanOrEqual(a);
  expect(tickets.level).toBeLessThan(b);
  nowMs = 30_000;
  tickets.arrived('c', 2);
  expect(tickets.level).toBeGreaterThanOrEqual(b);
});
