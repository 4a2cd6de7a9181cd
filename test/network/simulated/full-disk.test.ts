/** The simulated network while its journal cannot be written. It does not report anything that it could not write. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import { START_HEIGHT as HEIGHT, line, lineGraph, OWN_ID } from './line.ts';

const disk = vi.hoisted(() => ({ freeBytes: Number.POSITIVE_INFINITY }));

/** Writes like a file system with `freeBytes` left: first a part of the data, then nothing. */
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const writeSync = (descriptor: number, bytes: Uint8Array, at = 0): number => {
    const length = Math.min(bytes.length - at, disk.freeBytes);
    if (length === 0) throw new Error('ENOSPC: no space left on device, write');
    disk.freeBytes -= length;
    return fs.writeSync(descriptor, bytes, at, length);
  };
  return { ...fs, writeSync };
});

const { NetworkHost } = await import('../../../src/network/simulated/host.ts');
const { NetworkJournal } = await import('../../../src/network/simulated/journal.ts');
const { networkMapOf } = await import('../../../src/network/simulated/index.ts');

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'network-full-disk-'));
  path = join(directory, 'network');
});
afterEach(() => {
  disk.freeBytes = Number.POSITIVE_INFINITY;
  rmSync(directory, { recursive: true });
});

const entry = (attemptId: string, gain: bigint) => ({
  attemptId,
  outcome: { status: 'refused', failureCode: 7, reason: 'no' } as const,
  shifts: [[5n, gain]] as const,
  height: 1,
});

function read(): unknown {
  const journal = new NetworkJournal(path, 'here');
  journal.close();
  return [[...journal.content.outcomes.keys()], journal.content.shifts.get(5n)];
}

test.each([0, 1, 50])('a write that fails on a disk with %i bytes left is completed later', (freeBytes) => {
  const journal = new NetworkJournal(path, 'here');
  journal.add(entry('a', 1n));
  journal.flush();
  const before = readFileSync(path);
  journal.add(entry('b', 10n));
  disk.freeBytes = freeBytes;
  expect(() => journal.flush()).toThrow(/ENOSPC/);
  expect(readFileSync(path)).toEqual(before);
  journal.add(entry('c', 100n));
  disk.freeBytes = Number.POSITIVE_INFINITY;
  journal.flush();
  journal.close();
  expect(read()).toEqual([['a', 'b', 'c'], 111n]);
});

test('a file that cannot be rewritten when it should be keeps growing', () => {
  const journal = new NetworkJournal(path, 'here', 0, 200);
  for (let i = 0; i < 20; i++) {
    journal.add(entry(`${i}`, 1n));
    disk.freeBytes = 180;
    journal.flush();
  }
  journal.close();
  disk.freeBytes = Number.POSITIVE_INFINITY;
  expect(read()).toEqual([Array.from({ length: 20 }, (_, i) => `${i}`), 20n]);
});

test('an outcome is reported once it is written, not before', async () => {
  const outcomes: string[] = [];
  const options = { ownNodeId: OWN_ID, startHeight: HEIGHT };
  const host = new NetworkHost({ map: networkMapOf(lineGraph()), options, journalPath: path }, (report) =>
    outcomes.push(...report.outcomes.map(([attemptId]) => attemptId)),
  );
  const { shortChannelId } = line().simulation.ownChannels().channels[0]!;
  // Our own node refuses this HTLC at once, because there is no such channel.
  const offer = {
    shortChannelId: (shortChannelId! + 1n) as typeof shortChannelId & bigint,
    amountMsat: msat(1000),
    cltvExpiry: HEIGHT + 100,
    paymentHash: new Uint8Array(32),
    onion: new Uint8Array(1366),
    attemptId: 'a',
    groupId: 1n,
    partId: 1,
  };
  disk.freeBytes = 0;
  host.receive([['offer', offer]]);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(outcomes).toEqual([]);
  disk.freeBytes = Number.POSITIVE_INFINITY;
  await expect.poll(() => outcomes).toEqual(['a']);
  host.close();
});
