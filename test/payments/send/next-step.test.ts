/** The decision table of a payment: the next step, given the events so far. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import type { AttemptStatus, Payment, PaymentStatus } from '../../../src/payments/payment.ts';
import { type Circumstances, MAX_ATTEMPTS, nextStep } from '../../../src/payments/send/next-step.ts';

const calm: Circumstances = {
  leftMs: 59_000,
  nowMs: 1_000,
  expiresAtMs: Number.POSITIVE_INFINITY,
  height: 100,
  isHopeless: false,
  isDeclined: false,
  isHeld: false,
  isNodeAway: false,
  isReturnExpected: false,
  isRouteless: false,
  isInterrupted: false,
  awaitHeight: undefined,
};

/** A payment of 1,000 msat with attempts in these states, with these amounts. */
function payment(
  attempts: readonly (readonly [AttemptStatus, bigint])[],
  status: PaymentStatus = 'pending',
): Payment {
  return {
    request: { kind: 'xkeysend' },
    status,
    totalMsat: msat(1_000),
    attempts: attempts.map(([state, amount]) => ({ status: state, amountMsat: msat(amount) })),
  } as unknown as Payment;
}

const whole = 1_000n;

describe('a payment', () => {
  test.each([
    ['without attempts', payment([]), {}, { kind: 'plan', remainingMsat: 1_000n }],
    [
      'without any time left still tries once',
      payment([]),
      { leftMs: -39_999 },
      { kind: 'plan', remainingMsat: 1_000n },
    ],
    ['not released yet', payment([]), { isHeld: true }, { kind: 'awaitRelease' }],
    [
      'not released in time',
      payment([]),
      { isHeld: true, leftMs: -39_999 },
      { kind: 'fail', obstacle: 'notReleased' },
    ],
    [
      'released at the last moment still tries once',
      payment([]),
      { leftMs: -39_999 },
      { kind: 'plan', remainingMsat: 1_000n },
    ],
    ['while its node is away', payment([['failed', whole]]), { isNodeAway: true }, { kind: 'awaitNode' }],
    [
      'while channels or money may soon return',
      payment([]),
      { isReturnExpected: true },
      { kind: 'awaitReturn' },
    ],
    [
      'whose node is still away at the end of its time',
      payment([['failed', whole]]),
      { isNodeAway: true, leftMs: -39_999 },
      { kind: 'fail', obstacle: 'ownNodeRefused' },
    ],
    ['in flight', payment([['sent', whole]]), {}, { kind: 'awaitAttempt' }],
    ['in flight past its time', payment([['sent', whole]]), { leftMs: -39_999 }, { kind: 'awaitAttempt' }],
    ['in flight and hopeless', payment([['sent', 400n]]), { isHopeless: true }, { kind: 'awaitAttempt' }],
    [
      'partly in flight',
      payment([
        ['sent', 400n],
        ['failed', 600n],
      ]),
      {},
      { kind: 'plan', remainingMsat: 600n },
    ],
    [
      'partly in flight, without a route',
      payment([['sent', 400n]]),
      { isRouteless: true },
      { kind: 'awaitAttempt' },
    ],
    ['that failed once', payment([['failed', whole]]), {}, { kind: 'plan', remainingMsat: 1_000n }],
    [
      'that failed, out of time',
      payment([['failed', whole]]),
      { leftMs: 0 },
      { kind: 'fail', obstacle: 'outOfTime' },
    ],
    [
      'refused',
      payment([['failed', whole]]),
      { isHopeless: true },
      { kind: 'fail', obstacle: 'recipientRefused' },
    ],
    ['without route', payment([]), { isRouteless: true }, { kind: 'fail', obstacle: 'noRoute' }],
    [
      'interrupted',
      payment([['failed', whole]]),
      { isInterrupted: true },
      { kind: 'fail', obstacle: 'interrupted' },
    ],
    ['interrupted, in flight', payment([['sent', 1n]]), { isInterrupted: true }, { kind: 'awaitAttempt' }],
    ['ahead of the chain', payment([['failed', whole]]), { awaitHeight: 101 }, { kind: 'awaitHeight' }],
    [
      'no longer ahead of the chain',
      payment([['failed', whole]]),
      { awaitHeight: 100 },
      { kind: 'plan', remainingMsat: 1_000n },
    ],
    ['that arrived', payment([['settled', whole]]), {}, { kind: 'succeed' }],
    [
      'that arrived, parts on their way',
      payment([
        ['settled', 1n],
        ['sent', 999n],
      ]),
      {},
      { kind: 'succeed' },
    ],
    [
      'complete, parts on their way',
      payment(
        [
          ['settled', 1n],
          ['sent', 999n],
        ],
        'complete',
      ),
      {},
      { kind: 'awaitAttempt' },
    ],
    ['complete', payment([['settled', whole]], 'complete'), {}, { kind: 'rest' }],
    ['failed', payment([['failed', whole]], 'failed'), {}, { kind: 'rest' }],
  ] as const)('%s', (_name, state, more, step) => {
    expect(nextStep(state, { ...calm, ...more })).toEqual(step);
  });

  test('gives up after the maximum number of attempts', () => {
    const tried = payment(Array.from({ length: MAX_ATTEMPTS }, () => ['failed', whole] as const));
    expect(nextStep(tried, calm)).toEqual({ kind: 'fail', obstacle: 'outOfAttempts' });
  });

  test('never fails in flight, never plans after settling, and never plans more than the missing amount', () => {
    const states = fc.array(
      fc.tuple(fc.constantFrom<AttemptStatus>('sent', 'settled', 'failed'), fc.bigInt(1n, 1_000n)),
      { maxLength: 6 },
    );
    const circumstances = fc.record({
      leftMs: fc.integer({ min: -60_000, max: 60_000 }),
      nowMs: fc.nat(120_000),
      expiresAtMs: fc.nat(120_000),
      height: fc.nat(200),
      isHopeless: fc.boolean(),
      isDeclined: fc.boolean(),
      isHeld: fc.boolean(),
      isNodeAway: fc.boolean(),
      isReturnExpected: fc.boolean(),
      isRouteless: fc.boolean(),
      isInterrupted: fc.boolean(),
      awaitHeight: fc.option(fc.nat(200), { nil: undefined }),
    });
    fc.assert(
      fc.property(states, circumstances, (attempts, now) => {
        const step = nextStep(payment(attempts), now);
        const inFlight = attempts.filter(([state]) => state === 'sent');
        const isSettled = attempts.some(([state]) => state === 'settled');
        if (step.kind === 'fail') expect(inFlight).toEqual([]);
        expect(step.kind === 'succeed').toBe(isSettled);
        if (step.kind !== 'plan') return;
        const underWay = inFlight.reduce((sum, [, amount]) => sum + amount, 0n);
        expect(step.remainingMsat + underWay).toBe(whole);
        expect(now.isHopeless || now.isDeclined || now.isRouteless || now.isInterrupted).toBe(false);
        expect(now.isNodeAway || now.isReturnExpected || now.isHeld).toBe(false);
      }),
    );
  });
});
