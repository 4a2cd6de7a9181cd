/** How often directions keep their announced terms, and the effect on odds and searches. */
import { expect, test } from 'vitest';
import { directionKey } from '../../../src/layers/cell.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { DirectionTerms, MAX_DIRECTIONS_REMEMBERED } from '../../../src/payments/learn/direction-terms.ts';
import { blameOf, type KnownHop, OddsModel } from '../../../src/payments/learn/odds-model.ts';
import { nodeId } from '../../reference/tiny-graph.ts';

const HOUR_S = 3600;
const SCID = 123n as ShortChannelId;
const [FORTH, BACK] = [directionKey(SCID, 0), directionKey(SCID, 1)];

const hop = (to: number, direction: bigint | undefined): KnownHop => ({
  ...{ to: nodeId(to), isOwn: false, least: 0.5, most: 1, amount: 0.1, ofClass: 1, ageS: 0 },
  direction,
});
const own: KnownHop = { ...hop(1, undefined), isOwn: true };

test('a direction that broke its terms is expected to break them for a long time, unlike other directions', () => {
  let nowS = 0;
  const model = new OddsModel(() => nowS);
  const [other, before] = [model.hopChance(hop(2, BACK)), model.hopChance(hop(2, FORTH))];
  const end = { kind: 'failed', index: 1, blames: blameOf('fee_insufficient') } as const;
  model.observe([own, hop(2, FORTH)], end);
  expect(model.hopChance(hop(2, FORTH))).toBeLessThan(0.05);
  expect(model.hopChance(hop(2, BACK))).toBeGreaterThan(other - 0.05);
  // A route that pays the fee given in the failure does not rely on the announced terms.
  expect(model.hopChance(hop(2, undefined))).toBeGreaterThan(before - 0.01);
  const again = new OddsModel(() => nowS, JSON.parse(JSON.stringify(model.state())));
  expect(again.hopChance(hop(2, FORTH))).toBeCloseTo(model.hopChance(hop(2, FORTH)), 12);
  nowS = 48 * HOUR_S;
  expect(model.hopChance(hop(2, FORTH))).toBeGreaterThan(0.85);
  model.observe([own, hop(2, FORTH)], { kind: 'arrived' });
  expect(model.hopChance(hop(2, FORTH))).toBeGreaterThan(before - 0.01);
});

test('times in the future count as now when a state is restored, so that they fade', () => {
  const laterS = 1000 * HOUR_S;
  const later = new OddsModel(() => laterS);
  later.observe([own, hop(2, FORTH)], { kind: 'failed', index: 1, blames: blameOf('fee_insufficient') });
  later.observe([own, hop(3, BACK)], { kind: 'failed', index: 1, blames: blameOf('unknown_next_peer') });
  later.observe([own, hop(2, BACK)], { kind: 'arrived' }, { roundTripS: 20, holdTimesS: [], waited: false });
  let nowS = 0;
  const restored = new OddsModel(() => nowS, JSON.parse(JSON.stringify(later.state())));
  const { nodes, terms, times } = restored.state();
  const seen = [
    nodes.map(([, , , atS]) => atS),
    terms?.map(([, , atS]) => atS),
    times?.nodes.map(([, , , atS]) => atS),
  ];
  expect(seen).toEqual([
    [0, 0, 0],
    [0, 0],
    [0, 0],
  ]);
  const [broken, away] = [restored.hopChance(hop(2, FORTH)), restored.awayChance(nodeId(3))];
  nowS = 48 * HOUR_S;
  expect(restored.hopChance(hop(2, FORTH))).toBeGreaterThan(broken + 0.3);
  expect(restored.awayChance(nodeId(3))).toBeLessThan(away);
});

test('a node that reports an insufficient fee counts as responsive', () => {
  const model = new OddsModel(() => 0);
  const fresh = model.awayChance(nodeId(2));
  const hops = [own, hop(2, BACK), hop(3, FORTH)];
  model.observe(hops, { kind: 'failed', index: 2, blames: blameOf('fee_insufficient') });
  expect(model.awayChance(nodeId(2))).toBeLessThan(fresh);
  model.observe(hops, { kind: 'failed', index: 2, blames: blameOf('temporary_node_failure') });
  expect(model.awayChance(nodeId(2))).toBeGreaterThan(fresh);
});

test('the rate is learned from distinct directions, and the number of remembered directions is limited', () => {
  const terms = new DirectionTerms(() => 0);
  expect(terms.rate).toBeLessThan(0.01);
  for (let n = 0; n < 1000; n++) for (let time = 0; time < 3; time++) terms.note(BigInt(n), n % 10 !== 0);
  expect(terms.rate).toBeCloseTo(0.1, 2);
  expect(terms.brokenChance(5000n)).toBe(terms.rate);
  expect(terms.brokenChance(1n)).toBeLessThan(0.01);
  expect(terms.brokenChance(10n)).toBeGreaterThan(0.9);
  for (let n = 0; n < MAX_DIRECTIONS_REMEMBERED; n++) terms.note(BigInt(10_000 + n), true);
  expect([...terms.entries()]).toHaveLength(MAX_DIRECTIONS_REMEMBERED);
  expect(terms.rate).toBeLessThan(0.001);
});
