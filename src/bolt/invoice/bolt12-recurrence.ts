/**
 * Recurring offers: the periods, and when each may be paid (BOLT 12 proposal "recurrence").
 *
 *     start(n) = basetime + n periods     seconds and days: fixed lengths; months: by the calendar, in UTC, same
 *                                         day and time of day, or the month's last day if it has no such day
 *     end(n)   = start(n+1) - 1
 *     paywindow = start(n) - before .. start(n) + after, or without one start(n-1) .. end(n)
 *
 * Times are seconds since 1970 as bigint, so that a hostile offer cannot cause an overflow. Periods of months must
 * start before the end of JavaScript's calendar.
 */

import { WireError } from '../wire-error.ts';
import type {
  InvoiceFields,
  InvoiceRequestFields,
  OfferFields,
  RecurrenceBase,
  RecurrencePaywindow,
} from './bolt12-fields.ts';

const SECONDS_PER_DAY = 86_400n;
const MS_PER_SECOND = 1000;

/** The unit of a period's length. */
export type RecurrenceUnit = 'seconds' | 'days' | 'months';
const UNITS: readonly RecurrenceUnit[] = ['seconds', 'days', 'months'];

/** How an offer recurs: the length of its periods, where they start, and when each may be paid. */
export interface Recurrence {
  readonly unit: RecurrenceUnit;
  /** Units in one period. */
  readonly period: number;
  /** Whether payers without recurrence support must not pay. */
  readonly isCompulsory: boolean;
  readonly base: RecurrenceBase | undefined;
  readonly paywindow: RecurrencePaywindow | undefined;
  /** Index of the last period. */
  readonly limit: number | undefined;
  /** Whether the offer uses the proposal's type numbers. Its requests and invoices must then use them too. */
  readonly isDraft: boolean;
}

/** A period in the form that clients receive. */
export interface Period {
  readonly counter: number;
  readonly starttime: bigint;
  readonly endtime: bigint;
  readonly paywindowStart: bigint;
  readonly paywindowEnd: bigint;
}

/**
 * How the offer recurs. `undefined` when it does not. If the offer has both the optional and the compulsory field, the
 * compulsory field counts.
 */
export function recurrenceOf(fields: OfferFields): Recurrence | undefined {
  const experimental = fields.offerRecurrenceCompulsory ?? fields.offerRecurrenceOptional;
  const isDraft = experimental === undefined;
  const compulsory = isDraft ? fields.offerRecurrenceCompulsoryDraft : fields.offerRecurrenceCompulsory;
  const chosen =
    compulsory ?? (isDraft ? fields.offerRecurrenceOptionalDraft : fields.offerRecurrenceOptional);
  const unit = chosen && UNITS[chosen.timeUnit];
  if (chosen === undefined || unit === undefined) return undefined;
  return {
    unit,
    period: chosen.period,
    isCompulsory: compulsory !== undefined,
    base: isDraft ? fields.offerRecurrenceBaseDraft : fields.offerRecurrenceBase,
    paywindow: isDraft ? fields.offerRecurrencePaywindowDraft : fields.offerRecurrencePaywindow,
    limit: isDraft ? fields.offerRecurrenceLimitDraft : fields.offerRecurrenceLimit,
    isDraft,
  };
}

/** The fields with which a request takes part in a recurrence. */
export function recurrenceRequest(
  recurrence: Recurrence,
  counter: number,
  start?: number,
  isCancelled = false,
): InvoiceRequestFields {
  const cancel = isCancelled || undefined;
  return recurrence.isDraft
    ? {
        invreqRecurrenceCounterDraft: counter,
        invreqRecurrenceStartDraft: start,
        invreqRecurrenceCancelDraft: cancel,
      }
    : {
        invreqRecurrenceCounter: counter,
        invreqRecurrenceStart: start,
        invreqRecurrenceCancel: cancel,
      };
}

/** The recurrence counter and start in the request, under either set of type numbers. */
export function requestedPeriod(fields: InvoiceRequestFields): { counter?: number; start?: number } {
  return {
    counter: fields.invreqRecurrenceCounter ?? fields.invreqRecurrenceCounterDraft,
    start: fields.invreqRecurrenceStart ?? fields.invreqRecurrenceStartDraft,
  };
}

/** The start of period 0 in the invoice, under either set of type numbers. */
export function invoiceBasetime(fields: InvoiceFields): bigint | undefined {
  return fields.invoiceRecurrenceBasetime ?? fields.invoiceRecurrenceBasetimeDraft;
}

/** Checks the recurrence fields. @throws WireError with the reason when they are invalid or contradict each other. */
export function checkRecurrence(fields: OfferFields): void {
  for (const chosen of [
    fields.offerRecurrenceCompulsory,
    fields.offerRecurrenceOptional,
    fields.offerRecurrenceCompulsoryDraft,
    fields.offerRecurrenceOptionalDraft,
  ]) {
    if (chosen === undefined) continue;
    if (UNITS[chosen.timeUnit] === undefined) {
      throw reject(`Offer contains invalid recurrence time_unit ${chosen.timeUnit}`);
    }
    if (chosen.period === 0) throw reject('Offer contains recurrence period 0');
  }
  const recurrence = recurrenceOf(fields);
  if (recurrence?.limit === 0) throw reject('Offer contains recurrence limit 0');
  const hasParts =
    fields.offerRecurrenceBase ??
    fields.offerRecurrencePaywindow ??
    fields.offerRecurrenceLimit ??
    fields.offerRecurrenceBaseDraft ??
    fields.offerRecurrencePaywindowDraft ??
    fields.offerRecurrenceLimitDraft;
  if (recurrence === undefined && hasParts !== undefined) {
    throw reject('Offer contains recurrence fields but no recurrence');
  }
}

/**
 * Start of the period with this index.
 * @throws WireError when the period is beyond the calendar (months only).
 */
export function periodStart({ unit, period }: Recurrence, basetime: bigint, index: number): bigint {
  const count = BigInt(period) * BigInt(index);
  if (unit === 'seconds') return basetime + count;
  if (unit === 'days') return basetime + count * SECONDS_PER_DAY;
  return addMonths(basetime, Number(count));
}

/**
 * When the period with this index may be paid. The start is never before 1970. Without a paywindow, period 0 may be
 * paid at any time up to its end.
 */
export function periodPaywindow(
  recurrence: Recurrence,
  basetime: bigint,
  index: number,
): { start: bigint; end: bigint } {
  const start = periodStart(recurrence, basetime, index);
  const { paywindow } = recurrence;
  if (paywindow !== undefined) {
    const opens = start - BigInt(paywindow.secondsBefore);
    return { start: opens < 0n ? 0n : opens, end: start + BigInt(paywindow.secondsAfter) };
  }
  const opens = index === 0 ? 0n : periodStart(recurrence, basetime, index - 1);
  return { start: opens, end: periodStart(recurrence, basetime, index + 1) - 1n };
}

/**
 * The period after the requested one. `undefined` when the offer ends there.
 * @param counter the recurrence counter of the request
 * @param start the recurrence start of the request
 * @param basetime the start of period 0, from the invoice
 * @throws WireError when the period is beyond the calendar (months only).
 */
export function nextPeriod(
  recurrence: Recurrence,
  basetime: bigint,
  counter: number,
  start = 0,
): Period | undefined {
  const index = counter + 1 + start;
  if (recurrence.limit !== undefined && index > recurrence.limit) return undefined;
  const window = periodPaywindow(recurrence, basetime, index);
  return {
    counter: counter + 1,
    starttime: periodStart(recurrence, basetime, index),
    endtime: periodStart(recurrence, basetime, index + 1) - 1n,
    paywindowStart: window.start,
    paywindowEnd: window.end,
  };
}

/**
 * The same time on the same day of the month, `months` calendar months later, or on the last day of that month if it
 * has no such day.
 */
function addMonths(basetime: bigint, months: number): bigint {
  const base = new Date(Number(basetime) * MS_PER_SECOND);
  const [year, month, day] = [base.getUTCFullYear(), base.getUTCMonth() + months, base.getUTCDate()];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, month, Math.min(day, lastDay));
  if (!Number.isFinite(midnight)) throw new WireError('invalid', 'a period lies beyond the calendar');
  const timeOfDay = basetime % SECONDS_PER_DAY;
  return BigInt(midnight / MS_PER_SECOND) + timeOfDay;
}

function reject(reason: string): WireError {
  return new WireError('fields', reason);
}
