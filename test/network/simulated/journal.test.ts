import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Packr } from 'msgpackr/pack';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import type { HtlcOutcome } from '../../../src/network/port.ts';
import { NetworkJournal } from '../../../src/network/simulated/journal.ts';
import { secretOf } from './payer.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'network-journal-'));
  path = join(directory, 'network');
});
afterEach(() => rmSync(directory, { recursive: true }));

const settled: HtlcOutcome = { status: 'settled', preimage: secretOf('preimage') };
const refused: HtlcOutcome = { status: 'refused', failureCode: 7, reason: 'no' };

function write(fingerprint = 'here'): void {
  const journal = new NetworkJournal(path, fingerprint);
  journal.add({
    attemptId: 'a',
    outcome: settled,
    shifts: [
      [5n, -70n],
      [6n, 2n ** 60n],
    ],
    height: 100,
  });
  journal.add({ attemptId: 'b', outcome: refused, shifts: [], height: 101 });
  journal.flush();
  journal.add({ attemptId: 'c', outcome: settled, shifts: [[5n, 30n]], height: 102 });
  journal.close();
}

function read(fingerprint = 'here') {
  const journal = new NetworkJournal(path, fingerprint);
  journal.close();
  const { outcomes, shifts, height } = journal.content;
  return { ids: [...outcomes.keys()], shifts: [...shifts], height };
}

const ALL = {
  ids: ['a', 'b', 'c'],
  shifts: [
    [5n, -40n],
    [6n, 2n ** 60n],
  ],
  height: 102,
};

describe('the journal of a simulated network', () => {
  test('sums what our channels sent, even across a rewrite, and keeps the time of the first start', () => {
    const totals = { offeredCount: 1, offeredMsat: msat(70), fulfilledCount: 1, fulfilledMsat: msat(70) };
    const failed = { offeredCount: 1, offeredMsat: msat(5), fulfilledCount: 0, fulfilledMsat: msat(0) };
    const sum = { offeredCount: 2, offeredMsat: 75n, fulfilledCount: 1, fulfilledMsat: 70n };
    const open = (nowMs: number, compactAboveBytes?: number) =>
      new NetworkJournal(path, 'here', nowMs, compactAboveBytes);
    const journal = open(1000);
    journal.add({ attemptId: 'a', outcome: settled, shifts: [], traffic: [[5n, totals]], height: 100 });
    journal.add({ attemptId: 'b', outcome: refused, shifts: [], traffic: [[5n, failed]], height: 100 });
    journal.close();
    // The limit of zero bytes is below the size of the file, so the second opening rewrites it.
    for (const compactAboveBytes of [undefined, 0, undefined]) {
      const again = open(2000, compactAboveBytes);
      again.close();
      expect(again.content).toMatchObject({ openedAtMs: 1000, traffic: new Map([[5n, sum]]) });
    }
    const elsewhere = new NetworkJournal(path, 'there', 3000);
    elsewhere.close();
    expect(elsewhere.content).toMatchObject({ openedAtMs: undefined, traffic: new Map() });
    expect(new NetworkJournal(path, 'there', 4000).content.openedAtMs).toBe(3000);
  });

  test('returns what was written, any number of times', () => {
    expect(read()).toEqual({ ids: [], shifts: [], height: 0 });
    write();
    expect(read()).toEqual(ALL);
    expect(read()).toEqual(ALL);
    const { outcomes } = new NetworkJournal(path, 'here').content;
    expect(outcomes.get('b')).toEqual(refused);
    expect(Buffer.from((outcomes.get('a') as { preimage: Uint8Array }).preimage)).toEqual(
      Buffer.from(secretOf('preimage')),
    );
  });

  test('keeps the outcomes but not the balance shifts when it is read for a different network', () => {
    write();
    expect(read('elsewhere')).toEqual({ ...ALL, shifts: [] });
    expect(read('elsewhere')).toEqual({ ...ALL, shifts: [] });
    expect(read('here')).toEqual({ ...ALL, shifts: [] });
  });

  test('keeps its complete entries if it is cut off anywhere, and continues from there', () => {
    write();
    const whole = readFileSync(path);
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length));
      const { ids } = read();
      expect(ids).toEqual(ALL.ids.slice(0, ids.length));
      const journal = new NetworkJournal(path, 'here');
      journal.add({ attemptId: 'later', outcome: refused, shifts: [], height: 103 });
      journal.close();
      expect(read().ids).toEqual([...ids, 'later']);
    }
  });

  test('survives any bytes at its end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.boolean(), (bytes, framed) => {
        // Random bytes in a frame can look like a message if their length fits.
        const noise = framed ? Uint8Array.of(0, 0, 0, bytes.length, ...bytes) : bytes;
        writeFileSync(path, '');
        write();
        appendFileSync(path, noise);
        expect(read().ids.slice(0, 3)).toEqual(ALL.ids);
      }),
    );
  });

  test('is refused if a bit was flipped, and the file is kept; with --recover, complete entries are kept', () => {
    write();
    const whole = readFileSync(path);
    fc.assert(
      fc.property(fc.nat(whole.length * 8 - 1), (bit) => {
        const bytes = Buffer.from(whole);
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        writeFileSync(path, bytes);
        // If the length of the last frame reaches beyond the end, a crash may have cut off the file.
        const lastFrame = whole.lastIndexOf('attemptId') - 8;
        if (bit >> 3 >= lastFrame && bit >> 3 < lastFrame + 4) return;
        expect(() => new NetworkJournal(path, 'here')).toThrow(
          /is damaged at byte \d+\. Nothing was changed.*--recover/,
        );
        expect(readFileSync(path).equals(bytes)).toBe(true);
        const journal = new NetworkJournal(path, 'here', 0, undefined, true);
        journal.close();
        const { content } = journal;
        expect([...content.outcomes.keys()].length).toBeGreaterThanOrEqual(2);
        expect(ALL.ids).toEqual(expect.arrayContaining([...content.outcomes.keys()]));
        expect(readFileSync(`${path}.bad`).equals(bytes)).toBe(true);
        expect(read().ids).toEqual([...content.outcomes.keys()]);
      }),
      { numRuns: 300 },
    );
  });

  test('is read from a file of an older release, without checksums, and rewritten', () => {
    const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });
    const old = (message: object): Buffer => {
      const body = packr.pack(message);
      return Buffer.concat([Buffer.from([0, 0, body.length >> 8, body.length & 255]), body]);
    };
    const entries = ALL.ids.map((attemptId) =>
      old({ attemptId, outcome: refused, shifts: [[5n, 1n]], height: 7 }),
    );
    writeFileSync(path, Buffer.concat([old({ format: 1, fingerprint: 'here' }), ...entries]));
    const expected = { ids: ALL.ids, shifts: [[5n, 3n]], height: 7 };
    expect(read()).toEqual(expected);
    const bytes = readFileSync(path);
    bytes[bytes.length - 20]! ^= 1;
    expect(read()).toEqual(expected);
    writeFileSync(path, bytes);
    expect(() => read()).toThrow('is damaged');
  });

  test('has the same content and stays small if it is rewritten while it grows', () => {
    const journal = new NetworkJournal(path, 'here', 0, 1000);
    let largest = 0;
    for (let i = 0; i < 1000; i++) {
      journal.add({ attemptId: `${i % 10}`, outcome: refused, shifts: [[5n, BigInt(i)]], height: i });
      journal.flush();
      largest = Math.max(largest, statSync(path).size);
    }
    journal.close();
    const { ids, shifts, height } = read();
    expect(ids.sort()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect([shifts, height]).toEqual([[[5n, 499_500n]], 999]);
    // Ten outcomes of about a hundred bytes, twice over, and the frame that exceeds the limit.
    expect(largest).toBeLessThan(5000);
  });

  test('can be read only by its owner', () => {
    write();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
