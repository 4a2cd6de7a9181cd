/**
 * Why there is no route, in words and as data, through real queries. The tests check every text of askrene's
 * explanation with its numbers, and the layer and entry that it names. A second query with the remedy proves
 * that it works.
 *
 *   A ──X── B ──Y── C      X = 1x1x1 (100,000 sat), Y = 2x2x2 (50,000 sat), free unless a case says otherwise
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { RouteEngine } from '../../../src/engine/host/engine.ts';
import type { RouteQuery } from '../../../src/engine/question/route.ts';
import { type Inform, LayerBook } from '../../../src/layers/layer-book.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { msat } from '../../../src/model/msat.ts';
import type { PolicyUpdate } from '../../../src/model/policy.ts';
import {
  type Direction,
  formatShortChannelIdDir,
  parseShortChannelId,
  type ShortChannelIdDir,
} from '../../../src/model/short-channel-id.ts';
import { told } from '../../in-words.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';
import { inProcessSolvers } from './in-process-solvers.ts';

const U = 'We could not find a usable set of paths.';

/** The direction of a channel from one node to the other, which are given by their letters. */
function between(from: string, to: string, scid: string): ShortChannelIdDir {
  const direction = (nodeNamed(from) < nodeNamed(to) ? 0 : 1) as Direction;
  return { shortChannelId: parseShortChannelId(scid)!, direction };
}
const X = between('A', 'B', '1x1x1');
const Y = between('B', 'C', '2x2x2');
const NEW = between('C', 'D', '9x9x9');
const name = formatShortChannelIdDir;

let now = 1_800_000_000;
let book: LayerBook;
let engine: RouteEngine;
const engines: RouteEngine[] = [];

beforeEach(() => {
  now = 1_800_000_000;
  book = new LayerBook(() => now);
  engine = new RouteEngine({ book, solvers: inProcessSolvers() });
  engines.push(engine);
});
afterAll(() => Promise.all(engines.map((each) => each.close())));

const layer = (of: string) => book.layer(of) ?? book.createLayer(of, false);
const update = (of: string, scidd: ShortChannelIdDir, fields: PolicyUpdate) =>
  book.updateChannel(layer(of), scidd, fields);
const inform = (of: string, scidd: ShortChannelIdDir, amount: bigint, what: Inform) =>
  book.informChannel(layer(of), scidd, msat(amount), what);
const reserve = (scidd: ShortChannelIdDir, amount: bigint, command: string, of?: string) =>
  book.reserve(
    [{ shortChannelIdDir: scidd, amountMsat: msat(amount), ...(of && { layer: layer(of) }) }],
    command,
  );
const create = (of: string, capacity: bigint) =>
  book.createChannel(layer(of), nodeNamed('C'), nodeNamed('D'), NEW.shortChannelId, msat(capacity));

interface Case {
  readonly title: string;
  /** Settings of X and Y (tiny-graph.ts). */
  readonly x?: string;
  readonly y?: string;
  readonly layers?: () => void;
  readonly ask: bigint;
  readonly query?: Partial<Omit<RouteQuery, 'amountMsat'>>;
  readonly code: number;
  readonly message: string;
  readonly binding: object;
  readonly remedy?: object;
}

function ask(one: Case, remedy: object = {}): Promise<unknown> {
  const query: RouteQuery = {
    source: nodeNamed('A'),
    destination: nodeNamed('C'),
    amountMsat: msat(one.ask),
    layers: [...book.layers()].map((each) => each.name),
    maxfeeMsat: msat(1_000_000_000n),
    finalCltv: 18,
    maxdelay: 2016,
    maxparts: 100,
    ...one.query,
  };
  return told(engine.getroutes({ ...query, ...inQuery(remedy) }));
}

/** A remedy, in terms of the request's parameters. */
function inQuery(remedy: object): Partial<RouteQuery> {
  const names: Record<string, string> = {
    amount_msat: 'amountMsat',
    maxfee_msat: 'maxfeeMsat',
    final_cltv: 'finalCltv',
  };
  return Object.fromEntries(Object.entries(remedy).map(([key, value]) => [names[key] ?? key, value]));
}

const toD = { query: { destination: nodeNamed('D') } };

const CASES: readonly Case[] = [
  {
    title: 'more than the source has',
    ask: 100_000_001n,
    code: 215,
    message: `${U} Total source capacity is only 100000000msat (in 1 channels).`,
    binding: { kind: 'source_capacity', channels: [name(X)] },
    remedy: { amount_msat: 50_000_000n },
  },
  {
    title: 'more than the destination has',
    ask: 50_000_001n,
    code: 220,
    message: `${U} Total destination capacity is only 50000000msat (in 1 channels).`,
    binding: { kind: 'destination_capacity', channels: [name(Y)] },
    remedy: { amount_msat: 50_000_000n },
  },
  {
    title: 'more than a layer knows of the source',
    layers: () => inform('seen', X, 40_000_001n, 'constrained'),
    ask: 40_000_001n,
    code: 215,
    message: `${U} We know from seen that source has maximum capacity 40000000msat (in 1 channels).`,
    binding: { kind: 'source_capacity', layers: ['seen'], limit_msat: 40_000_000n },
    remedy: { amount_msat: 40_000_000n },
  },
  {
    title: 'more than the last of several layers knows of the destination',
    layers: () => {
      inform('seen', Y, 30_000_001n, 'constrained');
      inform('learned', Y, 20_000_001n, 'constrained');
      update('blind', Y, { enabled: true });
    },
    ask: 20_000_001n,
    code: 220,
    message: `${U} We know from learned that destination has maximum capacity 20000000msat (in 1 channels).`,
    binding: { kind: 'destination_capacity', layers: ['learned'], limit_msat: 20_000_000n },
    remedy: { amount_msat: 20_000_000n },
  },
  {
    title: 'more than two layers know of two channels of the source',
    x: 'A-B 1x1x2 cap=10000sat fee=0+0',
    layers: () => {
      inform('one', X, 10_000_001n, 'constrained');
      inform('two', between('A', 'B', '1x1x2'), 5_000_001n, 'constrained');
    },
    ask: 15_000_001n,
    code: 215,
    message: `${U} We know from layers one and two that source has maximum capacity 15000000msat (in 2 channels).`,
    binding: { layers: ['one', 'two'], limit_msat: 15_000_000n },
    remedy: { amount_msat: 15_000_000n },
  },
  {
    title: 'more than three layers know of three channels of the source',
    x: '\nA-B 1x1x2 cap=10000sat fee=0+0\nA-B 1x1x3 cap=10000sat fee=0+0',
    layers: () => {
      inform('one', X, 10_000_001n, 'constrained');
      inform('two', between('A', 'B', '1x1x2'), 5_000_001n, 'constrained');
      inform('three', between('A', 'B', '1x1x3'), 2_000_001n, 'constrained');
    },
    ask: 17_000_001n,
    code: 215,
    message: `${U} We know from layers one, two and three that source has maximum capacity 17000000msat (in 3 channels).`,
    binding: { layers: ['one', 'two', 'three'], limit_msat: 17_000_000n },
    remedy: { amount_msat: 17_000_000n },
  },
  {
    // 900,000 went twice from B to A over a capacity of 1,000,000, so A can send at most 1,000,000.
    title: 'more than a channel holds, after payments the other way',
    x: 'cap=1000sat',
    layers: () => {
      const back = { ...X, direction: (1 - X.direction) as Direction };
      inform('seen', back, 900_000n, 'succeeded');
      inform('seen', back, 900_000n, 'succeeded');
    },
    ask: 2_500_000n,
    code: 215,
    message: `${U} Total source capacity is only 1000000msat (in 1 channels).`,
    binding: { kind: 'source_capacity', channels: [name(X)] },
    remedy: { amount_msat: 1_000_000n },
  },
  {
    // As in the previous case, then 300,000 from A to B: A can still send 1,000,000 - 300,000, not 1,800,000
    // - 300,000.
    title: 'more than is left of a full channel after payments both ways',
    x: 'cap=1000sat',
    layers: () => {
      const back = { ...X, direction: (1 - X.direction) as Direction };
      inform('seen', back, 900_000n, 'succeeded');
      inform('seen', back, 900_000n, 'succeeded');
      inform('seen', X, 300_000n, 'succeeded');
    },
    ask: 700_001n,
    code: 215,
    message: `${U} We know from seen that source has maximum capacity 700000msat (in 1 channels).`,
    binding: { kind: 'source_capacity', layers: ['seen'], limit_msat: 700_000n },
    remedy: { amount_msat: 700_000n },
  },
  {
    title: 'a source without gossip',
    x: '> none',
    ask: 1000n,
    code: 205,
    message: `${U} Missing gossip for source: only known 0/1 channels, leaving capacity only 0msat of 100000000msat.`,
    binding: { kind: 'source_capacity', channels: [name(X)] },
  },
  {
    title: 'the capacity of the destination, although the known channels of the source are just sufficient',
    x: '\nA-B 1x1x2 cap=10000sat > none',
    ask: 100_000_000n,
    code: 220,
    message: `${U} Total destination capacity is only 50000000msat (in 1 channels).`,
    binding: { kind: 'destination_capacity', channels: [name(Y)] },
    remedy: { amount_msat: 50_000_000n },
  },
  {
    title: 'a destination whose only channel a layer disables',
    layers: () => update('shut', Y, { enabled: false }),
    ask: 1000n,
    code: 205,
    message: `${U} All 1 channels to the destination are disabled.`,
    binding: {
      kind: 'destination_capacity',
      disabled: [{ short_channel_id_dir: name(Y), reason: 'disabled', layer: 'shut' }],
    },
  },
  {
    title: 'a source of which one channel is disabled by gossip and one is too small',
    x: '> off\nA-B 1x1x2 cap=10000sat fee=0+0',
    ask: 10_000_001n,
    code: 205,
    message: `${U} 1 of 2 channels to source are disabled, leaving capacity only 10000000msat of 110000000msat.`,
    binding: { disabled: [{ short_channel_id_dir: name(X), reason: 'disabled' }] },
    remedy: { amount_msat: 10_000_000n },
  },
  {
    title: 'a source whose enabled channels a layer limits',
    x: '> off\nA-B 1x1x2 cap=10000sat fee=0+0',
    layers: () => inform('seen', between('A', 'B', '1x1x2'), 7_000_001n, 'constrained'),
    ask: 7_000_001n,
    code: 205,
    message: `${U} We know from seen that source has maximum usable capacity 7000000msat (in 2 channels).`,
    binding: { layers: ['seen'], limit_msat: 7_000_000n },
    remedy: { amount_msat: 7_000_000n },
  },
  {
    title: 'no connection',
    x: '\nE-D 7x7x7',
    ask: 1000n,
    ...toD,
    code: 205,
    message: 'There is no connection between source and destination at all',
    binding: { kind: 'unconnected' },
  },
  {
    title: 'an unknown destination',
    ask: 1000n,
    ...toD,
    code: 205,
    message: `Unknown destination node ${nodeNamed('D')}`,
    binding: { kind: 'unknown_node', end: 'destination' },
  },
  {
    title: 'no gossip on the way',
    y: '> none\nC-D 3x3x3 fee=0+0',
    ask: 1000n,
    ...toD,
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->3x3x3, but ${name(Y)} has no gossip`,
    binding: { kind: 'channel', short_channel_id_dir: name(Y), reason: 'no_gossip' },
  },
  {
    title: 'a node on the way that a layer disables',
    y: '\nC-D 3x3x3 fee=0+0',
    layers: () => book.disableNode(layer('avoid'), nodeNamed('C')),
    ask: 1000n,
    ...toD,
    code: 205,
    message: `${U} All 1 channels to the destination are disabled.`,
    binding: { disabled: [{ reason: 'node_disabled', layer: 'avoid', node: nodeNamed('C') }] },
  },
  {
    title: 'a node further inside that a layer disables',
    y: '\nC-D 3x3x3 fee=0+0\nD-E 4x4x4 fee=0+0',
    layers: () => book.disableNode(layer('avoid'), nodeNamed('C')),
    ask: 1000n,
    query: { destination: nodeNamed('E') },
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->3x3x3->4x4x4, but ${name(Y)} leads to node disabled by layer avoid.`,
    binding: { kind: 'channel', short_channel_id_dir: name(Y), reason: 'node_disabled', layer: 'avoid' },
  },
  {
    title: 'a channel on the way that the latest of two layers disables',
    y: '\nC-D 3x3x3 fee=0+0',
    layers: () => {
      update('first', Y, { enabled: false });
      update('second', Y, { enabled: false });
    },
    ask: 1000n,
    ...toD,
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->3x3x3, but ${name(Y)} marked disabled by layer second.`,
    binding: { kind: 'channel', short_channel_id_dir: name(Y), reason: 'disabled', layer: 'second' },
  },
  {
    title: 'a channel on the way that gossip disables, before a destination that a layer disables',
    y: '> off\nC-D 3x3x3 fee=0+0',
    layers: () => book.disableNode(layer('avoid'), nodeNamed('D')),
    ask: 1000n,
    ...toD,
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->3x3x3, but ${name(Y)} marked disabled by gossip message.`,
    binding: { kind: 'channel', short_channel_id_dir: name(Y), reason: 'disabled' },
  },
  {
    title: 'a channel on the way that is too small',
    y: '\nC-D 3x3x3 fee=0+0 cap=90000sat',
    ask: 50_000_001n,
    ...toD,
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->3x3x3, but ${name(Y)} isn't big enough to carry 50000001msat.`,
    binding: { kind: 'channel', reason: 'capacity', limit_msat: 50_000_000n, amount_msat: 50_000_001n },
    remedy: { amount_msat: 50_000_000n },
  },
  {
    title: 'a created channel on the way that is too small',
    y: '\nD-E 3x3x3 fee=0+0',
    layers: () => {
      create('mine', 1_000_000n);
      update('mine', NEW, { enabled: true, htlcMaximumMsat: 2_000_000n });
    },
    ask: 1_000_001n,
    query: { destination: nodeNamed('E') },
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->9x9x9->3x3x3, but ${name(NEW)}  (created by layer mine) isn't big enough to carry 1000001msat.`,
    binding: { kind: 'channel', reason: 'capacity', limit_msat: 1_000_000n, layer: 'mine' },
    remedy: { amount_msat: 1_000_000n },
  },
  {
    title: 'a created channel on the way that was never enabled',
    y: '\nD-E 3x3x3 fee=0+0',
    layers: () => {
      create('mine', 1_000_000n);
      update('mine', NEW, { htlcMaximumMsat: 2_000_000n });
    },
    ask: 1000n,
    query: { destination: nodeNamed('E') },
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->9x9x9->3x3x3, but ${name(NEW)} was never enabled (created by layer mine).`,
    binding: { kind: 'channel', reason: 'not_enabled', layer: 'mine' },
  },
  {
    title: 'a constraint and reservations on the way',
    y: '\nC-D 3x3x3 fee=0+0',
    layers: () => {
      inform('seen', Y, 40_000_001n, 'constrained');
      reserve(Y, 9_000_000n, 'cmd-1');
      now += 7;
      reserve(Y, 1_000_000n, 'cmd-2', 'seen');
    },
    ask: 30_000_001n,
    ...toD,
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->3x3x3, but ${name(Y)} layer seen says max is 40000000msat and already reserved 9000000msat by command cmd-1 (7 seconds ago), 1000000msat by command cmd-2`,
    binding: {
      kind: 'channel',
      reason: 'constraint',
      layer: 'seen',
      maximum_msat: 40_000_000n,
      limit_msat: 30_000_000n,
      reserved_msat: 10_000_000n,
      reservations: [
        { amount_msat: 9_000_000n, command_id: 'cmd-1', age_in_seconds: 7 },
        { amount_msat: 1_000_000n, command_id: 'cmd-2', age_in_seconds: 0, layer: 'seen' },
      ],
    },
    remedy: { amount_msat: 30_000_000n },
  },
  {
    title: 'more reserved than there is',
    y: '\nC-D 3x3x3 fee=0+0',
    layers: () => reserve(Y, 10n ** 15n, 'greedy'),
    ask: 1n,
    ...toD,
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->3x3x3, but ${name(Y)} already reserved 1000000000000000msat by command greedy`,
    binding: { kind: 'channel', reason: 'constraint', limit_msat: 0n },
  },
  {
    title: 'an HTLC maximum',
    y: '> max=0\nC-D 3x3x3 fee=0+0',
    ask: 1000n,
    ...toD,
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->3x3x3, but ${name(Y)} exceeds htlc_maximum_msat ~0msat`,
    binding: { kind: 'channel', reason: 'htlc_maximum', limit_msat: 0n },
  },
  {
    title: 'an HTLC minimum',
    y: '> min=2000\nC-D 3x3x3 fee=0+0',
    ask: 1999n,
    ...toD,
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->3x3x3, but ${name(Y)} below htlc_minumum_msat ~2000msat`,
    binding: { kind: 'channel', reason: 'htlc_minimum', limit_msat: 2000n },
    remedy: { amount_msat: 2000n },
  },
  {
    title: 'fees taken out of the amount that leave nothing',
    y: 'fee=1000+0',
    ask: 1000n,
    query: { layers: ['auto.include_fees'] },
    code: 205,
    message: `${U} Fees taken out of the amount leave 0msat for ${name(Y)}.`,
    binding: { kind: 'deduction', short_channel_id_dir: name(Y), amount_msat: 0n, limit_msat: 1n },
    remedy: { amount_msat: 1001n },
  },
  {
    // 1,999 enter. B charges 1,000, so 999 are left for Y.
    title: 'fees taken out of the amount that leave less than an HTLC minimum',
    y: 'fee=1000+0 min=1000',
    ask: 1999n,
    query: { layers: ['auto.include_fees'] },
    code: 205,
    message: `${U} Fees taken out of the amount leave 999msat for ${name(Y)}, below htlc_minumum_msat ~1000msat`,
    binding: { kind: 'deduction', short_channel_id_dir: name(Y), amount_msat: 999n, limit_msat: 1000n },
    remedy: { amount_msat: 2000n },
  },
  {
    // B charges 1 %. That is 396,039 of 39,603,961, so 40,000,000 cross X.
    title: 'more than a channel passes with the fees that cross it, and the remedy leaves them room',
    x: 'cap=40000sat',
    y: 'fee=0+10000',
    ask: 40_000_000n,
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2, but ${name(X)} isn't big enough to carry 40400000msat.`,
    binding: { kind: 'channel', short_channel_id_dir: name(X) },
    remedy: { amount_msat: 39_603_961n },
  },
  {
    // One part carries at most 50,000,000. The remedy is within 1 % of this.
    title: 'more parts than a layer allows: the remedy is a smaller amount, not more parts',
    x: '\nA-C 5x5x5 cap=30000sat fee=0+0',
    ask: 60_000_000n,
    query: { layers: ['auto.no_mpp_support'] },
    code: 205,
    message: 'Failed to reduce 2 flows down to maxparts (1)',
    binding: { kind: 'parts_cap', maxparts: 1 },
    remedy: { amount_msat: 49_654_687n },
  },
  {
    title: 'a fee that no payment is worth',
    y: '\nC-D 3x3x3 fee=0+0',
    layers: () => update('absurd', Y, { feeBaseMsat: 2n ** 40n }),
    ask: 1000n,
    ...toD,
    code: 205,
    message: `${U} The shortest path is 1x1x1->2x2x2->3x3x3, but ${name(Y)} charges more than any payment is worth.`,
    binding: { kind: 'channel', reason: 'fee' },
  },
  {
    title: 'a fee beyond the limit',
    y: 'fee=1000+0',
    ask: 1000n,
    query: { maxfeeMsat: msat(999n) },
    code: 206,
    message: 'Could not find route without excessive cost',
    binding: { kind: 'fee_cap', maxfee_msat: 999n },
    remedy: { maxfee_msat: 1000n },
  },
  {
    title: 'delays beyond the limit',
    y: 'delay=100',
    ask: 1000n,
    query: { maxdelay: 117 },
    code: 206,
    message: 'Could not find route without excessive delays',
    binding: { kind: 'delay_cap', maxdelay: 117 },
    remedy: { maxdelay: 118 },
  },
  {
    title: 'a destination that alone asks for more blocks than allowed',
    ask: 1000n,
    query: { maxdelay: 10 },
    code: 206,
    message: 'Could not find route without excessive delays',
    binding: { kind: 'delay_cap', maxdelay: 10 },
    remedy: { maxdelay: 18 },
  },
  {
    title: 'delays that leave the recipient fewer blocks than it asks for, within what any request may allow',
    y: 'delay=100',
    ask: 1000n,
    query: { finalCltv: 1917 },
    code: 206,
    message: 'Could not find route without excessive delays',
    binding: { kind: 'delay_cap', maxdelay: 2016 },
    remedy: { final_cltv: 1916 },
  },
  {
    title: 'delays that leave the recipient fewer blocks than it asks for, with a limit below the maximum',
    y: 'delay=100',
    ask: 1000n,
    query: { maxdelay: 200, finalCltv: 2000 },
    code: 206,
    message: 'Could not find route without excessive delays',
    binding: { kind: 'delay_cap', maxdelay: 200 },
    remedy: { maxdelay: 2016, final_cltv: 1916 },
  },
  {
    title: 'delays that no request may allow',
    y: 'delay=2017',
    ask: 1000n,
    code: 206,
    message: 'Could not find route without excessive delays',
    binding: { kind: 'delay_cap', maxdelay: 2016 },
  },
  {
    title: 'more parts than allowed',
    x: '\nA-C 5x5x5 cap=30000sat fee=0+0',
    ask: 60_000_000n,
    query: { maxparts: 1 },
    code: 205,
    message: 'Failed to reduce 2 flows down to maxparts (1)',
    binding: { kind: 'parts_cap', maxparts: 1 },
    remedy: { maxparts: 2 },
  },
  {
    // Three parts of 50, 30 and 30 thousand would be cheaper, but two are enough.
    title: 'more parts than allowed: the remedy allows no more than needed',
    x: '\nA-C 5x5x5 cap=30000sat fee=0+0\nA-C 6x6x6 cap=30000sat fee=0+0',
    ask: 60_000_000n,
    query: { maxparts: 1 },
    code: 205,
    message: 'Failed to reduce 2 flows down to maxparts (1)',
    binding: { kind: 'parts_cap', maxparts: 1 },
    remedy: { maxparts: 2 },
  },
];

/** The lines of the graph of a case: the channels A-B and B-C with the settings X and Y, and further channels. */
function drawing({ x = '', y = '' }: Case): string[] {
  const [xSettings = '', ...xLines] = x.startsWith('A-') ? ['', x] : x.split('\n');
  const [ySettings = '', ...yLines] = y.split('\n');
  return [
    `A-B 1x1x1 cap=100000sat fee=0+0 delay=0 ${xSettings}`,
    `B-C 2x2x2 cap=50000sat fee=0+0 delay=0 ${ySettings}`,
    ...xLines,
    ...yLines,
  ];
}

describe('no route because of', () => {
  it.each(CASES)('$title', async (one) => {
    engine.publish(tinyGraph(drawing(one)).graph);
    one.layers?.();
    const error = await ask(one).then(
      () => expect.unreachable('there is a route'),
      (thrown: unknown) => thrown as FulguriteError,
    );
    expect(error).toBeInstanceOf(FulguriteError);
    expect({ code: error.code, message: error.message }).toEqual({ code: one.code, message: one.message });
    const { binding, remedy } = error.data as { binding: object; remedy?: object };
    expect(binding).toMatchObject(one.binding);
    expect(Object.keys(remedy ?? {}).length === 0 ? undefined : remedy).toEqual(one.remedy);
    if (one.remedy !== undefined) await expect(ask(one, one.remedy)).resolves.toHaveProperty('routes');
  });
});
