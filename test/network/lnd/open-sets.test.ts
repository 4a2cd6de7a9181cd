/** Sets of parts that LND keeps open: which are ended, when, and what a further part waits for. */
import { afterEach, expect, test, vi } from 'vitest';
import { type Deferred, deferred } from '../../../src/model/deferred.ts';
import { OpenSets, type OpenSetsOptions } from '../../../src/network/lnd/open-sets.ts';
import type { HtlcOutcome, OutgoingHtlc } from '../../../src/network/port.ts';

const SETTLED: HtlcOutcome = { status: 'settled', preimage: new Uint8Array(32) };
const FAILED: HtlcOutcome = { status: 'failed', packet: new Uint8Array(0) };

const part = (attemptId: string): OutgoingHtlc =>
  ({
    attemptId,
    paymentHash: new Uint8Array(32),
    path: [{ nodeId: '02', cltvExpiry: 100 }],
    finalPayload: { paymentData: { paymentSecret: new Uint8Array(32), totalMsat: 1000n } },
  }) as unknown as OutgoingHtlc;

/** LND, which answers the parts that end a payment only when the test says so. */
function subject() {
  const answers: Deferred<object>[] = [];
  const link = {
    call: () => {
      const answer = deferred<object>();
      answers.push(answer);
      return answer.promise;
    },
  };
  const log = { debug: () => undefined };
  const timing = { openSetMs: 60_000, callMs: 60_000 };
  const sets = new OpenSets({ link, log, timing } as unknown as OpenSetsOptions);
  const [one, other] = [part('one'), part('other')];
  return { answers, sets, one, other };
}

afterEach(() => vi.useRealTimers());

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each([
  ['settled first', [SETTLED, FAILED]],
  ['settled last', [FAILED, SETTLED]],
])('a set with a part that %s is not ended', async (_, [first, second]) => {
  const { answers, sets, one, other } = subject();
  await sets.begin(one);
  await sets.begin(other);
  sets.end(one, first!);
  sets.end(other, second!);
  await sets.flush();
  expect(answers).toEqual([]);
});

test('a set is ended once all its parts have failed, and not before', async () => {
  const { answers, sets, one, other } = subject();
  await sets.begin(one);
  await sets.begin(other);
  sets.end(one, FAILED);
  // A part of a set that is not known, or that was told already, changes nothing.
  sets.end(one, FAILED);
  await sets.flush();
  expect(answers).toEqual([]);

  await sets.begin(one);
  sets.end(one, FAILED);
  const flushed = sets.flush();
  await turn();
  expect(answers).toHaveLength(1);
  answers[0]!.resolve({});
  await flushed;
});

test('a further part waits until the set is ended', async () => {
  const { answers, sets, one, other } = subject();
  await sets.begin(one);
  sets.end(one, FAILED);
  const flushed = sets.flush();
  let isBegun = false;
  const begun = sets.begin(other).then(() => {
    isBegun = true;
  });
  await turn();
  expect([answers.length, isBegun]).toEqual([1, false]);
  answers[0]!.resolve({});
  await Promise.all([flushed, begun]);
});

test('a set is not ended while a further part is in flight', async () => {
  vi.useFakeTimers();
  const { answers, sets, one, other } = subject();
  await sets.begin(one);
  sets.end(one, FAILED);
  vi.advanceTimersByTime(59_999);
  await sets.begin(other);
  vi.advanceTimersByTime(60_000);
  expect(answers).toHaveLength(0);
  sets.end(other, FAILED);
  vi.advanceTimersByTime(60_000);
  expect(answers).toHaveLength(1);
});
