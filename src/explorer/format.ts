/**
 * Formats numbers and times. Amounts are shown in sat with thin spaces between groups of three digits; the title
 * contains the msat. Odds are rounded so that uncertain odds never look certain.
 */
import type { Amount } from './event-types.ts';

/** The space between groups of digits: U+202F, thin, and never the place of a line break. */
export const THIN = '\u202f';

/** A whole number with thin spaces between groups of three digits. */
export const grouped = (value: number | bigint): string => value.toString().replace(/\B(?=(\d{3})+$)/g, THIN);

/** An amount in sat. Fractions of a sat are shown with up to three digits, without trailing zeros. */
export function sat(msat: Amount): string {
  const amount = BigInt(msat);
  const fraction = (amount % 1000n).toString().padStart(3, '0').replace(/0+$/, '');
  return `${grouped(amount / 1000n)}${fraction === '' ? '' : `.${fraction}`}${THIN}sat`;
}

/** An amount in msat with its unit, for the title. */
export const inMsat = (msat: Amount): string => `${grouped(BigInt(msat))}${THIN}msat`;

/**
 * A rounded amount with a suitable unit, for values that need not be exact, such as capacities.
 */
export function about(msat: Amount): string {
  const amount = Number(msat) / 1000;
  const [value, unit] =
    amount >= 1e8
      ? [amount / 1e8, 'BTC']
      : amount >= 1e6
        ? [amount / 1e6, 'M sat']
        : amount >= 1e3
          ? [amount / 1e3, 'k sat']
          : [amount, 'sat'];
  return `${shortened(value)}${THIN}${unit}`;
}

/** A number rounded to two significant digits below 10, to three below 100, and to a whole number from 100 on. */
export function shortened(value: number): string {
  if (value === 0 || value >= 100) return grouped(BigInt(Math.round(value)));
  return String(Number(value.toPrecision(value >= 10 ? 3 : 2)));
}

/** Odds in per cent. Rounded odds never look certain, and odds of 0 ppm are not shown as impossible. */
export function odds(ppm: number | bigint): string {
  const percent = Number(ppm) / 10_000;
  if (percent === 100) return `${percent}${THIN}%`;
  if (percent < 0.1) return `<${THIN}0.1${THIN}%`;
  if (percent > 99.9) return `>${THIN}99.9${THIN}%`;
  return `${percent < 10 || percent > 99 ? percent.toFixed(1) : percent.toFixed(0)}${THIN}%`;
}

/** The share of a fee in an amount, in per cent. */
export function share(part: Amount, whole: Amount): string {
  if (BigInt(whole) === 0n) return '–';
  const percent = (Number(part) / Number(whole)) * 100;
  return `${percent === 0 ? '0' : percent < 0.001 ? '<0.001' : shortened(percent)}${THIN}%`;
}

/** A duration as text, such as `1.5 s`, from milliseconds. */
export function duration(ms: number): string {
  if (ms < 1) return `${shortened(ms)}${THIN}ms`;
  if (ms < 1000) return `${shortened(Math.round(ms))}${THIN}ms`;
  if (ms < 60_000) return `${shortened(ms / 1000)}${THIN}s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}${THIN}min`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)}${THIN}h`;
  return `${Math.floor(ms / 86_400_000)}${THIN}d`;
}

/** The time from `time` to `now`, both in UNIX seconds, such as `5 min ago`. */
export function ago(time: number, now: number): string {
  const seconds = now - time;
  if (seconds < 1) return 'just now';
  return `${duration(Math.floor(seconds) * 1000)} ago`;
}

/** A time in UNIX seconds as local date and time. */
export const absolute = (time: number): string => new Date(time * 1000).toLocaleString();

/** An id, shortened to its beginning and end if it is long. */
export const shortId = (id: string): string => (id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`);

/** `1 part`, `2 parts`. */
export const counted = (count: number | bigint, one: string, many = `${one}s`): string =>
  `${grouped(count)}${THIN}${BigInt(count) === 1n ? one : many}`;

/** Invisible characters, and characters that change a text's direction or break its lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text from others, with a box in place of each invisible character. */
export const visible = (text: string): string => text.replace(INVISIBLE, '\u25a1');

/**
 * An amount as users write it: `1000`, `1 000 sat`, `5msat`, `0.001 btc`. A number without a unit is in sat. Returns
 * msat; undefined if the text is not an amount.
 */
export function parseAmount(text: string): bigint | undefined {
  const compact = text.replace(/[\s\u202f_',]/g, '').toLowerCase();
  const [, whole, fraction = '', unit = 'sat'] =
    /^(\d{1,16})(?:\.(\d{1,11}))?(msat|sat|sats|btc|k|m)?$/.exec(compact) ?? [];
  if (whole === undefined) return undefined;
  const digits = { msat: 0, sat: 3, sats: 3, k: 6, m: 9, btc: 11 }[unit]!;
  if (fraction.length > digits) return undefined;
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

/** A sentence from the node, with its amounts converted to sat. */
export const sentence = (text: string): string =>
  text.replace(/\b(\d{1,20}) ?msat\b/g, (_whole, digits: string) => sat(BigInt(digits)));
