/**
 * Lessons that a service imports from the payments and forwards of its Core Lightning node, here a stand-in.
 *
 *     we ── node ── A ── B ── C
 */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatShortChannelId, formatShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import { A, AB, B, BC, C, directionFrom, type LineNode, lineNode } from '../lightningd/line-node.ts';
import { until } from '../until.ts';

const nowS = Math.floor(Date.now() / 1000);
const HOUR_S = 3600;

let all: LineNode;
let daemon: DaemonHere | undefined;

async function start(...options: string[]): Promise<void> {
  daemon = await DaemonHere.start(join(all.directory, 'data'), [...all.daemonOptions, ...options]);
}

async function stop(): Promise<void> {
  await daemon?.stop();
  daemon = undefined;
}

const ask = (method: string, params: object = {}) => daemon!.answer(method, params);

/** Repeats the call until its answer meets the condition. */
// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
async function answerWhen(method: string, params: object, isSo: (answer: any) => boolean): Promise<any> {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  let answer: any;
  await until(async () => {
    answer = await ask(method, params);
    return isSo(answer);
  });
  return answer;
}

let rows = 0;

function addPayment(more: object): void {
  all.node.payments.addEnded({
    paymentHash: (++rows).toString(16).padStart(64, '0'),
    ...{ groupId: 1n, partId: 0n, destination: C, amountMsat: 5_000_000n, amountSentMsat: 5_001_000n },
    ...{
      totalMsat: 0n,
      createdAtS: nowS - 60,
      completedAtS: nowS - 50,
      status: 'failed',
      preimage: undefined,
    },
    ...{
      label: undefined,
      invoice: undefined,
      description: undefined,
      errorOnion: undefined,
      error: undefined,
    },
    ...more,
  });
}

/** The failure of a payment, as a real node (v26.06) reports it. */
const failedAt = (scid: bigint, from: typeof A, to: typeof A, failcode: number): object => ({
  error: {
    code: 204,
    message: 'failed: reply from remote',
    data: {
      ...{ erring_index: 1, failcode, erring_node: from },
      ...{ erring_channel: formatShortChannelId(scid as typeof AB), erring_direction: from < to ? 0 : 1 },
    },
  },
});

const TEMPORARY_CHANNEL_FAILURE = 4103;
const UNKNOWN_NEXT_PEER = 16394;

/**
 * A lower bound of the channel from B to C, as askrene stores it: type 3, channel, direction, time, minimum, no
 * maximum.
 */
function xpayRecord(minimumMsat: bigint, timestamp: number): string {
  const record = Buffer.alloc(29);
  record.writeUInt16BE(3, 0);
  record.writeBigUInt64BE(BC, 2);
  record.writeUInt8(directionFrom(B, C), 10);
  record.writeBigUInt64BE(BigInt(timestamp), 11);
  record.writeUInt8(1, 19);
  record.writeBigUInt64BE(minimumMsat, 20);
  return `${record.toString('hex')}00`;
}

beforeEach(async () => {
  all = lineNode();
  const { node } = all;
  addPayment({ status: 'complete', preimage: '00'.repeat(32) });
  addPayment(failedAt(AB, A, B, TEMPORARY_CHANNEL_FAILURE));
  // Payments: one of ours, one whose sender decrypts failures itself, one that our own node refused, and one
  // from yesterday.
  addPayment({ status: 'complete', preimage: '01'.repeat(32), label: `fulgurite-${'0'.repeat(32)}` });
  addPayment({ errorOnion: 'ab'.repeat(292) });
  addPayment({
    error: { code: 204, message: 'no', data: { erring_index: 0, failcode: TEMPORARY_CHANNEL_FAILURE } },
  });
  addPayment({ status: 'complete', createdAtS: nowS - 24 * HOUR_S, completedAtS: nowS - 24 * HOUR_S });
  const forward = {
    in_channel: '1x1x1',
    out_channel: formatShortChannelId(all.ours),
    in_msat: 2000,
    out_msat: 1000,
  };
  node.addForward({ ...forward, status: 'settled', received_time: nowS - 40.5, resolved_time: nowS - 39.5 });
  node.addForward({
    ...forward,
    status: 'local_failed',
    failcode: UNKNOWN_NEXT_PEER,
    received_time: nowS - 30,
  });
  node.addForward({
    ...forward,
    status: 'local_failed',
    failcode: TEMPORARY_CHANNEL_FAILURE,
    received_time: nowS,
  });
  node.datastore.put({
    key: ['askrene', 'layers', 'xpay'],
    hex: xpayRecord(7_000_000n, nowS - 100) + xpayRecord(9_000_000n, nowS - 2 * HOUR_S),
  });
  await node.start();
});

afterEach(async () => {
  await stop();
  await all.close();
});

const ofHistory = { layer: 'nodehistory', sort: 'channel' };

test("a start imports the node's own payments, once, as a layer that can be listed, removed and read again", async () => {
  await start();
  const { beliefs } = await answerWhen('listbeliefs', ofHistory, ({ num_beliefs }) => num_beliefs === 2);
  expect(beliefs).toMatchObject([
    {
      short_channel_id_dir: formatShortChannelIdDir({ shortChannelId: AB, direction: directionFrom(A, B) }),
      maximum_msat: 5_000_999,
      timestamp: nowS - 50,
    },
    {
      short_channel_id_dir: formatShortChannelIdDir({ shortChannelId: BC, direction: directionFrom(B, C) }),
      minimum_msat: 7_000_000,
      timestamp: nowS - 100,
    },
  ]);
  // A responded twice (a report and an accepted forward) and failed to respond once; C was paid once.
  const { state } = await answerWhen('exportlearned', {}, ({ state: { nodes } }) => nodes.length === 2);
  const counts = (nodes: [string, number, number, number][]) =>
    Object.fromEntries(nodes.map(([node, answered, failed]) => [node, [answered, failed].map(Math.round)]));
  expect(counts(state.nodes)).toEqual({ [A]: [2, 1], [C]: [1, 0] });
  expect(state.historyUntilS).toBe(nowS - 30);
  expect(await ask('askrene-remove-layer', { layer: 'nodehistory' })).toEqual({});
  expect((await ask('listbeliefs', ofHistory)).code).toBe(-32602);
  expect(await ask('importnodehistory')).toEqual({ bounds: 2, unknown: 0, answers: 0 });
  expect((await ask('listbeliefs', ofHistory)).num_beliefs).toBe(2);

  // A second start does not count the same responses again. With `--no-node-history`, it does not even read them.
  await stop();
  const calls = all.node.called('listforwards').length;
  await start('--no-node-history');
  expect((await ask('listbeliefs', ofHistory)).code).toBe(-32602);
  expect(all.node.called('listforwards')).toHaveLength(calls);
  expect(await ask('importnodehistory')).toEqual({ bounds: 2, unknown: 0, answers: 0 });
  expect(counts((await ask('exportlearned')).state.nodes)).toEqual({ [A]: [2, 1], [C]: [1, 0] });
});
