import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOnionMessage, pathToNode } from '../../../src/bolt/onion-message.ts';
import { type NodeId, nodeIdToBytes } from '../../../src/model/node-id.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import type { OnionMessage } from '../../../src/network/port.ts';
import { networkMapOf, openSimulatedNetwork, type WorkerPort } from '../../../src/network/simulated/index.ts';
import {
  A,
  AB,
  B,
  BC,
  C,
  CAPACITY,
  directionFrom,
  line,
  lineGraph,
  OWN_ID,
  routeTo,
  START_HEIGHT,
} from './line.ts';
import { type BuiltAttempt, buildAttempt, readFailure, secretOf } from './payer.ts';

const AMOUNT = 10_000_000n;
const A_TO_B = { shortChannelId: AB, direction: directionFrom(A, B) };
const B_TO_C = { shortChannelId: BC, direction: directionFrom(B, C) };

let directory: string;
const open: WorkerPort[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'network-worker-'));
});
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
  rmSync(directory, { recursive: true });
});

/** The line of line.ts, in a thread and nearly without latency. Seed 5 leaves both channels balance enough. */
async function start(
  changes: { nodeId?: NodeId; seed?: number; handler?: string } = {},
): Promise<WorkerPort> {
  const port = await openSimulatedNetwork({
    map: networkMapOf(lineGraph()),
    simulation: {
      ownNodeId: OWN_ID,
      seed: changes.seed ?? 5,
      startHeight: START_HEIGHT,
      latencyMs: { least: 1, most: 1 },
      jitterMs: 0,
      ownChannels: [{ peerId: changes.nodeId ?? A, capacityMsat: CAPACITY, localMsat: CAPACITY }],
    },
    journalPath: join(directory, 'network'),
    ...(changes.handler && { messageHandlerModule: `data:text/javascript,${changes.handler}` }),
  });
  open.push(port);
  return port;
}

function attemptOver(port: WorkerPort, attemptId: string): BuiltAttempt {
  const network = line();
  const ours = port.ownChannels()[0]?.shortChannelId as ShortChannelId;
  return buildAttempt(attemptId, routeTo({ ...network, ours }, C, AMOUNT));
}

async function balances(port: WorkerPort): Promise<bigint[]> {
  return [await port.control('balanceMsat', A_TO_B), await port.control('balanceMsat', B_TO_C)];
}

describe('a simulated network in a thread of its own', () => {
  test('pays, fails, tells and listens as in process', async () => {
    const port = await start();
    expect(port.identity.nodeId).toBe(OWN_ID);
    expect(port.blockHeight()).toBe(START_HEIGHT);
    expect(port.peers()).toMatchObject([{ nodeId: A, connected: true }]);
    let changes = 0;
    port.onOwnChannelsChanged(() => changes++);
    const before = port.ownChannels()[0]!.spendableMsat;
    const attempt = attemptOver(port, 'well');
    expect(await port.sendHtlc(attempt.offer)).toEqual({ status: 'settled', preimage: attempt.preimage });
    expect(port.ownChannels()[0]!.spendableMsat).toBe(before - attempt.offer.amountMsat);
    expect(changes).toBeGreaterThan(0);
    expect(await port.sendHtlc(attempt.offer)).toEqual({ status: 'settled', preimage: attempt.preimage });
    await port.control('setTrait', C, 'takesKeysend', false);
    const failing = attemptOver(port, 'badly');
    const read = readFailure(failing, await port.sendHtlc(failing.offer));
    expect([read?.hop, read?.failure.name]).toEqual([2, 'invalid_onion_payload']);
    expect(await port.lookUpHtlc('well')).toEqual({ status: 'settled', preimage: attempt.preimage });
    expect(await port.lookUpHtlc('never')).toEqual({ status: 'unknown' });
    expect(await port.control('checkConservation')).toEqual([]);
    await expect(port.control('setTrait', OWN_ID, 'offline', true)).rejects.toMatchObject({
      name: 'invalidParams',
    });
    expect(await port.connect(B)).toMatchObject({ nodeId: B, connected: true });
  });

  test('remembers outcomes and balances over a restart; what was in flight never happened', async () => {
    const first = await start();
    const start0 = await balances(first);
    const done = attemptOver(first, 'done');
    await first.sendHtlc(done.offer);
    const moved = await balances(first);
    expect(moved).not.toEqual(start0);
    const spendable = first.ownChannels()[0]!.spendableMsat;
    await first.control('setTrait', C, 'unresponsive', true);
    const hanging = first.sendHtlc(attemptOver(first, 'hanging').offer).catch((error) => error);
    expect(await first.lookUpHtlc('hanging')).toEqual({ status: 'pending' });
    await first.close();
    expect(await hanging).toMatchObject({ name: 'shuttingDown' });
    const second = await start();
    expect(await second.lookUpHtlc('done')).toEqual({ status: 'settled', preimage: done.preimage });
    expect(await second.lookUpHtlc('hanging')).toEqual({ status: 'unknown' });
    expect(await balances(second)).toEqual(moved);
    expect(second.ownChannels()[0]!.spendableMsat).toBe(spendable);
    expect(await second.control('checkConservation')).toEqual([]);
    await second.close();
    // Another seed is another network: its balances are its own, what happened to attempts is still known.
    const other = await start({ seed: 6 });
    expect(await other.lookUpHtlc('done')).toMatchObject({ status: 'settled' });
    expect(other.ownChannels()[0]!.spendableMsat).toBe((CAPACITY * 99n) / 100n);
  });

  test('remembers since when its channels are there, and what went over them', async () => {
    const first = await start();
    await first.sendHtlc(attemptOver(first, 'done').offer);
    await first.control('setTrait', C, 'takesKeysend', false);
    await first.sendHtlc(attemptOver(first, 'failed').offer);
    const [before] = await first.ownChannelRecords();
    const { amountMsat } = attemptOver(first, 'any').offer;
    const totals = {
      offeredCount: 2,
      offeredMsat: 2n * amountMsat,
      fulfilledCount: 1,
      fulfilledMsat: amountMsat,
    };
    const balances = {
      toUsMsat: CAPACITY - amountMsat,
      minToUsMsat: CAPACITY - amountMsat,
      maxToUsMsat: CAPACITY,
    };
    expect(before).toMatchObject({ outgoing: totals, ...balances, htlcs: [] });
    await first.close();
    const second = await start();
    const [after] = await second.ownChannelRecords();
    expect(after).toMatchObject({ outgoing: totals, ...balances, phaseChanges: before!.phaseChanges });
    // HTLCs are counted on from there.
    await second.control('setTrait', A, 'unresponsive', true);
    second.sendHtlc(attemptOver(second, 'third').offer).catch(() => undefined);
    const records = () => second.ownChannelRecords();
    let [busy] = await records();
    while (busy!.htlcs.length === 0) [busy] = await records();
    expect(busy).toMatchObject({ htlcs: [{ direction: 'out', id: 2, amountMsat }] });
    await second.close();
    // Another network: nothing has gone over its channels yet.
    const other = await start({ seed: 6 });
    expect(await other.ownChannelRecords()).toMatchObject([
      { outgoing: { offeredCount: 0 }, maxToUsMsat: CAPACITY },
    ]);
  });

  test('answers messages by a module given to it; a defect of that ends the thread, and all that waits', async () => {
    const said = (text: string): OnionMessage => {
      const path = pathToNode([], nodeIdToBytes(C), secretOf('path'));
      const content = { invoiceRequest: new Uint8Array(Buffer.from(text)) };
      const { pathKey, packet } = createOnionMessage(path, content, secretOf(text));
      return { pathKey, onion: packet };
    };
    const handler = `export default ({ send, content: { invoiceRequest } }) => {
      if (invoiceRequest.length > 4) throw new Error('defect');
      send('${OWN_ID}', { pathKey: new Uint8Array(33), onion: invoiceRequest });
    }`;
    const port = await start({ handler });
    await port.connect(C);
    const got = new Promise((resolve) => {
      port.onOnionMessage((from, { onion }) => resolve([from, Buffer.from(onion).toString()]));
    });
    await port.sendOnionMessage(C, said('well'));
    expect(await got).toEqual([C, 'well']);
    await expect(port.sendOnionMessage(B, said('B'))).rejects.toThrow('not connected');
    await port.control('setTrait', B, 'unresponsive', true);
    const hanging = port.sendHtlc(attemptOver(port, 'hanging').offer);
    await port.sendOnionMessage(C, said('badly'));
    await expect(hanging).rejects.toMatchObject({ name: 'workerDied' });
    await expect(port.sendHtlc(attemptOver(port, 'after').offer)).rejects.toMatchObject({
      name: 'workerDied',
    });
  });

  test('that cannot start says why; that is closed refuses', async () => {
    await expect(start({ nodeId: OWN_ID })).rejects.toMatchObject({ name: 'invalidParams' });
    const port = await start();
    await port.close();
    await port.close();
    const { offer } = attemptOver(port, 'late');
    await expect(port.sendHtlc(offer)).rejects.toMatchObject({ name: 'shuttingDown' });
    await expect(port.lookUpHtlc('late')).rejects.toMatchObject({ name: 'shuttingDown' });
  });
});
