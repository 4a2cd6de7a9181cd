/** The text forms of an offer's terms: amount, recurrence, paywindow. */
import type { OfferFields, RecurrencePaywindow, RecurrencePeriod } from '../../bolt/invoice/bolt12-fields.ts';
import { parseMsat, U64_MAX } from '../../model/msat.ts';
import { minorUnitDigits } from './currency.ts';

/** The fields for an offer's price: an amount, and its currency if that is not bitcoin. */
export type AmountTerms = Pick<OfferFields, 'offerAmount' | 'offerCurrency'>;

/**
 * Parses `any`, an amount of bitcoin, or a number with a currency code. For any other text, returns the reason for the
 * refusal.
 */
export function parseAmount(text: string): AmountTerms | string {
  if (text === 'any') return {};
  const msat = parseMsat(text);
  if (msat !== undefined) return { offerAmount: msat };
  const match = /^(\d{0,20})(?:\.(\d{0,20}))?([A-Za-z]{3})$/.exec(text);
  if (match === null)
    return text.length < 3 ? 'Not a number, and too short for currency' : unknownSuffix(text);
  const [, whole = '', decimals, code = ''] = match;
  const digits = minorUnitDigits(code);
  if (digits === undefined) return unknownSuffix(text);
  if (whole === '') return 'Not a number';
  if (decimals !== undefined && decimals.length !== digits) {
    return `Currency ${code} requires ${digits} minor units`;
  }
  const offerAmount = BigInt(whole + (decimals ?? '').padEnd(digits, '0'));
  return offerAmount > U64_MAX ? 'excessively large value' : { offerAmount, offerCurrency: code };
}

function unknownSuffix(text: string): string {
  return `Unknown currency suffix ${text.slice(-3)}`;
}

const UNITS: Readonly<Record<string, readonly [timeUnit: number, times: number]>> = {
  second: [0, 1],
  minute: [0, 60],
  hour: [0, 3600],
  day: [1, 1],
  week: [1, 7],
  month: [2, 1],
};

/** Parses a recurrence such as `2weeks`. Undefined for any other text. */
export function parseRecurrence(text: string): RecurrencePeriod | undefined {
  const match = /^(\d{1,10})(second|minute|hour|day|week|month)s?$/.exec(text);
  const unit = match === null ? undefined : UNITS[match[2] as string];
  if (match === null || unit === undefined) return undefined;
  const period = Number(match[1]) * unit[1];
  return period > 0xffff_ffff ? undefined : { timeUnit: unit[0], period };
}

/** Parses `-BEFORE+AFTER`, in seconds. Undefined for any other text. */
export function parsePaywindow(text: string): RecurrencePaywindow | undefined {
  const match = /^-(\d{1,10})\+(\d{1,10})$/.exec(text);
  if (match === null) return undefined;
  const [secondsBefore, secondsAfter] = [Number(match[1]), Number(match[2])];
  return Math.max(secondsBefore, secondsAfter) > 0xffff_ffff ? undefined : { secondsBefore, secondsAfter };
}
