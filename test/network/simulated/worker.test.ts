import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { onionAlong } from '../../../src/network/onion-message-end.ts';
import { networkMapOf, openSimulatedNetwork, type WorkerPort } from '../../../src/network/simulated/index.ts';
import { HtlcClient, htlcOf, ReadyOnions } from './htlc-client.ts';
import { A, A_TO_B, B, B_TO_C, C, CAPACITY, line, lineGraph, OWN_ID, routeTo, START_HEIGHT } from './line.ts';
import { type BuiltAttempt, buildAttempt, readFailure } from './payer.ts';

const AMOUNT = 10_000_000n;

let directory: string;
const open: WorkerPort[] = [];
const SECRET_KEY = new Uint8Array(32).fill(9);
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'network-worker-'));
});
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
  rmSync(directory, { recursive: true });
});

/** The line of line.ts in a thread, nearly without latency. With seed 5 both channels have enough balance. */
async function start(
  changes: { nodeId?: NodeId; seed?: number; handler?: string; onions?: ReadyOnions } = {},
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
    secretKey: SECRET_KEY,
    onions: changes.onions ?? new ReadyOnions(),
    ...(changes.handler && { messageHandlerModule: `data:text/javascript,${changes.handler}` }),
  });
  open.push(port);
  return port;
}

function attemptOver(port: WorkerPort, attemptId: string): BuiltAttempt {
  const network = line();
  const ours = port.ownChannels().channels[0]?.shortChannelId as ShortChannelId;
  return buildAttempt(attemptId, routeTo({ ...network, ours }, C, AMOUNT));
}

async function balances(port: WorkerPort): Promise<bigint[]> {
  return [await port.control('balanceMsat', A_TO_B), await port.control('balanceMsat', B_TO_C)];
}

describe('a simulated network in its own thread', () => {
  test('pays, fails, reports and listens as in process', async () => {
    const port = await start();
    const client = new HtlcClient(port);
    expect(port.identity.nodeId).toBe(OWN_ID);
    expect(port.blockHeight()).toBe(START_HEIGHT);
    expect(port.peers()).toMatchObject([{ nodeId: A, connected: true }]);
    let changes = 0;
    port.onOwnChannels(() => changes++);
    const before = port.ownChannels().channels[0]!.spendableMsat;
    const attempt = attemptOver(port, 'well');
    expect(await client.sendHtlc(attempt.offer)).toEqual({ status: 'settled', preimage: attempt.preimage });
    expect(port.ownChannels().channels[0]!.spendableMsat).toBe(before - attempt.offer.amountMsat);
    expect(changes).toBeGreaterThan(0);
    expect(await client.sendHtlc(attempt.offer)).toEqual({ status: 'settled', preimage: attempt.preimage });
    await port.control('setTrait', C, 'takesKeysend', false);
    const failing = attemptOver(port, 'badly');
    const read = readFailure(failing, await client.sendHtlc(failing.offer));
    expect([read?.hop, read?.failure.name]).toEqual([2, 'invalid_onion_payload']);
    expect(await client.lookUpHtlc('well')).toEqual({ status: 'settled', preimage: attempt.preimage });
    expect(await client.lookUpHtlc('never')).toEqual({ status: 'unknown' });
    expect(await port.control('checkConservation')).toEqual([]);
    await expect(port.control('setTrait', OWN_ID, 'offline', true)).rejects.toMatchObject({
      name: 'invalidParams',
    });
    expect(await port.connect(B)).toMatchObject({ nodeId: B, connected: true });
  });

  test('remembers outcomes and balances across a restart; what was in flight never happened', async () => {
    const first = await start();
    const start0 = await balances(first);
    const done = attemptOver(first, 'done');
    const client = new HtlcClient(first);
    await client.sendHtlc(done.offer);
    const moved = await balances(first);
    expect(moved).not.toEqual(start0);
    const spendable = first.ownChannels().channels[0]!.spendableMsat;
    await first.control('setTrait', C, 'unresponsive', true);
    const hanging = attemptOver(first, 'hanging').offer;
    await first.send(htlcOf(hanging));
    expect(await client.lookUpHtlc('hanging')).toEqual({ status: 'pending' });
    await first.close();
    await expect(first.send(htlcOf(hanging))).rejects.toMatchObject({ name: 'shuttingDown' });
    const second = await start();
    const next = new HtlcClient(second);
    expect(await next.lookUpHtlc('done')).toEqual({ status: 'settled', preimage: done.preimage });
    expect(await next.lookUpHtlc('hanging')).toEqual({ status: 'unknown' });
    expect(await balances(second)).toEqual(moved);
    expect(second.ownChannels().channels[0]!.spendableMsat).toBe(spendable);
    expect(await second.control('checkConservation')).toEqual([]);
    await second.close();
    // A different seed gives a different network with its own balances. The outcomes of attempts are still
    // known.
    const other = await start({ seed: 6 });
    expect(await new HtlcClient(other).lookUpHtlc('done')).toMatchObject({ status: 'settled' });
    expect(other.ownChannels().channels[0]!.spendableMsat).toBe((CAPACITY * 99n) / 100n);
  });

  test('remembers when its channels were opened, and what they carried', async () => {
    const first = await start();
    const client = new HtlcClient(first);
    await client.sendHtlc(attemptOver(first, 'done').offer);
    await first.control('setTrait', C, 'takesKeysend', false);
    await client.sendHtlc(attemptOver(first, 'failed').offer);
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
    // The HTLC count continues from its value before the restart.
    await second.control('setTrait', A, 'unresponsive', true);
    await second.send(htlcOf(attemptOver(second, 'third').offer));
    const records = () => second.ownChannelRecords();
    let [busy] = await records();
    while (busy!.htlcs.length === 0) [busy] = await records();
    expect(busy).toMatchObject({ htlcs: [{ direction: 'out', id: 2, amountMsat }] });
    await second.close();
    // A different network, whose channels have carried nothing yet.
    const other = await start({ seed: 6 });
    expect(await other.ownChannelRecords()).toMatchObject([
      { outgoing: { offeredCount: 0 }, maxToUsMsat: CAPACITY },
    ]);
  });

  test('answers messages with a given module; an error in that module ends the thread and all pending calls', async () => {
    const said = (to: NodeId, text: string) => ({
      route: [to],
      path: undefined,
      content: { invoiceRequest: new Uint8Array(Buffer.from(text)) },
    });
    // The only answer that the handler can give is a message to us. It is built here, since the handler has
    // no library.
    const ours = nodeIdFromBytes(curve.publicKey(SECRET_KEY));
    const answer = onionAlong(said(ours, 'heard'), C);
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
    const handler = `export default ({ send, content: { invoiceRequest } }) => {
      if (invoiceRequest.length > 4) throw new Error('defect');
      const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
      send('${OWN_ID}', { pathKey: bytes('${hex(answer.pathKey)}'), packet: bytes('${hex(answer.packet)}') });
    }`;
    const port = await start({ handler });
    await port.connect(C);
    const got = new Promise((resolve) => {
      port.onOnionMessage(({ from, content }) => {
        resolve([from, Buffer.from(content.invoiceRequest!).toString()]);
      });
    });
    await port.sendOnionMessage(said(C, 'well'));
    expect(await got).toEqual([C, 'heard']);
    await expect(port.sendOnionMessage(said(B, 'B'))).rejects.toThrow('not connected');
    await port.control('setTrait', B, 'unresponsive', true);
    await port.send(htlcOf(attemptOver(port, 'hanging').offer));
    await port.sendOnionMessage(said(C, 'badly'));
    await vi.waitFor(() => expect(port.control('stats')).rejects.toMatchObject({ name: 'workerDied' }), {
      timeout: 20_000,
    });
    await expect(port.send(htlcOf(attemptOver(port, 'after').offer))).rejects.toMatchObject({
      name: 'workerDied',
    });
  });

  test('does not keep callers waiting if its thread is gone before the onions are closed', async () => {
    const onions = new ReadyOnions();
    const port = await start({ onions });
    const { worker } = port as unknown as { readonly worker: Worker };
    vi.spyOn(onions, 'close').mockImplementation(async () => void (await worker.terminate()));
    await port.close();
    await expect(port.control('stats')).rejects.toMatchObject({ name: 'shuttingDown' });
  });

  test('reports why it cannot start, and refuses calls once it is closed', async () => {
    await expect(start({ nodeId: OWN_ID })).rejects.toMatchObject({ name: 'invalidParams' });
    const port = await start();
    await port.close();
    await port.close();
    const { offer } = attemptOver(port, 'late');
    await expect(port.send(htlcOf(offer))).rejects.toMatchObject({ name: 'shuttingDown' });
    await expect(port.outcomes([htlcOf(offer)])).rejects.toMatchObject({ name: 'shuttingDown' });
  });
});
