import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  invoiceBasetime,
  nextPeriod,
  periodPaywindow,
  periodStart,
  type Recurrence,
  recurrenceOf,
  recurrenceRequest,
  requestedPeriod,
} from '../../../src/bolt/invoice/bolt12-recurrence.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';

const every = (period: number, unit: Recurrence['unit'], more: Partial<Recurrence> = {}): Recurrence => ({
  unit,
  period,
  isCompulsory: true,
  base: undefined,
  paywindow: undefined,
  limit: undefined,
  isDraft: false,
  ...more,
});

describe('periods', () => {
  // Dates computed by hand: 1970-12-31 10:00 and 2016-02-29 10:00 UTC, and the following periods.
  it.each([
    [31485600n, 'months', 1, 34164000n], // 31 Jan 1971
    [31485600n, 'months', 2, 36583200n], // 28 Feb 1971
    [31485600n, 'months', 10, 57751200n], // 31 Oct 1971
    [31485600n, 'months', 12, 63021600n],
    [31485600n, 'months', 100, 294314400n], // 30 Apr 1979
    [1456740000n, 'months', 1, 1459245600n], // 29 Mar 2016
    [1456740000n, 'months', 10, 1483005600n],
    [1456740000n, 'months', 12, 1488276000n], // 28 Feb 2017
    [1456740000n, 'months', 100, 1719655200n],
    [1456740000n, 'months', 120, 1772272800n], // 28 Feb 2026
    [1456740000n, 'days', 1000, 1543140000n],
    [31485600n, 'days', 1, 31572000n],
    [31485600n, 'days', 100, 40125600n],
    [31485600n, 'seconds', 60, 31485660n],
  ] as const)('%d + %s x %d starts at %d', (basetime, unit, count, start) => {
    expect(periodStart(every(1, unit), basetime, count)).toBe(start);
    expect(periodStart(every(count, unit), basetime, 1)).toBe(start);
  });

  it('of months are counted from the base, so short months do not shorten the next', () => {
    const monthly = every(1, 'months');
    expect(periodStart(monthly, 31485600n, 2)).toBe(36583200n);
    expect(periodStart(monthly, 31485600n, 3)).toBe(39261600n); // 31 Mar 1971
  });

  it('never run backwards and do not overflow', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('seconds' as const, 'days' as const, 'months' as const),
        fc.integer({ min: 1, max: 0xffffffff }),
        fc.bigInt(0n, 2n ** 64n - 1n),
        fc.nat(0xfffffff0),
        (unit, period, basetime, index) => {
          try {
            const recurrence = every(period, unit);
            const start = periodStart(recurrence, basetime, index);
            expect(start).toBeGreaterThanOrEqual(basetime - 31n * 86400n);
            expect(periodStart(recurrence, basetime, index + 1)).toBeGreaterThan(start);
          } catch (error) {
            expect(unit).toBe('months');
            expect(error).toBeInstanceOf(WireError);
          }
        },
      ),
    );
  });
});

describe('the next period', () => {
  it('of one minute may be paid from the start of the previous period to its own end', () => {
    expect(nextPeriod(every(60, 'seconds'), 1000n, 0)).toEqual({
      counter: 1,
      starttime: 1060n,
      endtime: 1119n,
      paywindowStart: 1000n,
      paywindowEnd: 1119n,
    });
  });

  it('respects the paywindow: 20 seconds, -10+0', () => {
    const recurrence = every(20, 'seconds', { paywindow: { secondsBefore: 10, secondsAfter: 0 } });
    expect(nextPeriod(recurrence, 1000n, 1)).toMatchObject({
      counter: 2,
      starttime: 1040n,
      paywindowStart: 1030n,
      paywindowEnd: 1040n,
    });
    expect(periodPaywindow(recurrence, 5n, 0)).toEqual({ start: 0n, end: 5n });
    expect(periodPaywindow(every(20, 'seconds'), 1000n, 0)).toEqual({ start: 0n, end: 1019n });
  });

  it('counts from the requested start, and ends with the limit', () => {
    const recurrence = every(1, 'days', { limit: 5 });
    expect(nextPeriod(recurrence, 0n, 0, 3)).toMatchObject({ counter: 1, starttime: 4n * 86400n });
    expect(nextPeriod(recurrence, 0n, 1, 3)).toMatchObject({ counter: 2 });
    expect(nextPeriod(recurrence, 0n, 2, 3)).toBeUndefined();
  });
});

describe('recurrence fields', () => {
  const period = { timeUnit: 1, period: 7 };
  const base = { isProportional: true, basetime: 9n };

  it('are read under the experimental numbers and under those of the proposal', () => {
    expect(recurrenceOf({})).toBeUndefined();
    expect(recurrenceOf({ offerRecurrenceOptional: period, offerRecurrenceLimit: 4 })).toEqual(
      every(7, 'days', { isCompulsory: false, limit: 4 }),
    );
    expect(recurrenceOf({ offerRecurrenceCompulsoryDraft: period, offerRecurrenceBaseDraft: base })).toEqual(
      every(7, 'days', { base, isDraft: true }),
    );
    const both = { offerRecurrenceCompulsory: period, offerRecurrenceOptional: { timeUnit: 0, period: 1 } };
    expect(recurrenceOf(both)).toEqual(every(7, 'days'));
  });

  it('are answered under the numbers of the offer', () => {
    expect(recurrenceRequest(every(1, 'days'), 3, 1)).toEqual({
      invreqRecurrenceCounter: 3,
      invreqRecurrenceStart: 1,
    });
    const draft = recurrenceRequest(every(1, 'days', { isDraft: true }), 3, undefined);
    expect(draft).toEqual({ invreqRecurrenceCounterDraft: 3, invreqRecurrenceStartDraft: undefined });
    expect(requestedPeriod(draft)).toEqual({ counter: 3, start: undefined });
    expect(invoiceBasetime({ invoiceRecurrenceBasetime: 5n })).toBe(5n);
    expect(invoiceBasetime({ invoiceRecurrenceBasetimeDraft: 6n })).toBe(6n);
  });
});
