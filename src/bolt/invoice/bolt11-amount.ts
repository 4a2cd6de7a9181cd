/**
 * The human-readable part of an invoice (BOLT 11): `ln`, the chain's currency, and an optional amount in whole bitcoin
 * or, with a multiplier, in thousandths (m), millionths (u), billionths (n) or trillionths (p) of one.
 */

import { type Msat, msat, U64_MAX } from '../../model/msat.ts';
import { WireError } from '../wire-error.ts';

/** Prefixes of Bitcoin's mainnet, testnets (3 and 4), signet and regtest. */
export const BOLT11_CURRENCIES = ['bc', 'tb', 'tbs', 'bcrt'] as const;

/** A chain's prefix in the human-readable part of an invoice (BOLT 11). */
export type Bolt11Currency = (typeof BOLT11_CURRENCIES)[number];

/** Trillionths of a bitcoin in each unit, largest unit first. */
const MULTIPLIERS = {
  '': 1_000_000_000_000n,
  m: 1_000_000_000n,
  u: 1_000_000n,
  n: 1_000n,
  p: 1n,
} as const;
const PICO_PER_MSAT = 10n;

/** The chain and the amount in an invoice's human-readable part (BOLT 11). */
export interface HumanReadablePart {
  readonly currency: Bolt11Currency;
  /** `undefined` when the payer chooses the amount. */
  readonly amountMsat: Msat | undefined;
}

/**
 * Parses the part. @throws WireError for an unknown chain, or for an amount that is malformed or not a whole number of
 * msat.
 */
export function parseHumanReadablePart(text: string): HumanReadablePart {
  const [, prefix = '', amount = ''] = /^(\D*)(.*)$/s.exec(text) ?? [];
  if (!prefix.startsWith('ln'))
    throw new WireError('invalid', `Prefix '${shown(prefix)}' does not start with ln`);
  const currency = BOLT11_CURRENCIES.find((one) => one === prefix.slice(2));
  if (currency === undefined) throw new WireError('invalid', `Unknown chain ${shown(prefix.slice(2))}`);
  return { currency, amountMsat: amount === '' ? undefined : parseAmount(amount) };
}

function parseAmount(text: string): Msat {
  const [, digits = '', rest = ''] = /^(\d+)(.*)$/s.exec(text) ?? [];
  if (!(rest in MULTIPLIERS)) throw new WireError('invalid', `Invalid amount postfix '${shown(rest)}'`);
  const pico = BigInt(digits) * MULTIPLIERS[rest as keyof typeof MULTIPLIERS];
  if (pico % PICO_PER_MSAT !== 0n)
    throw new WireError('invalid', `Invalid sub-millisatoshi amount '${shown(text)}'`);
  if (pico / PICO_PER_MSAT > U64_MAX) throw new WireError('invalid', `Invalid amount '${shown(text)}'`);
  return msat(pico / PICO_PER_MSAT);
}

/**
 * Formats the part with the largest unit in which the amount is a whole number. @throws WireError for an amount of
 * zero.
 */
export function formatHumanReadablePart({ currency, amountMsat }: HumanReadablePart): string {
  if (amountMsat === undefined) return `ln${currency}`;
  if (amountMsat === 0n) throw new WireError('invalid', 'an invoice cannot request an amount of zero');
  const pico = amountMsat * PICO_PER_MSAT;
  const entries = Object.entries(MULTIPLIERS);
  const [multiplier, unit] = entries.find(([, each]) => pico % each === 0n) as (typeof entries)[number];
  return `ln${currency}${pico / unit}${multiplier}`;
}

/** The start of a text, for an error message. */
function shown(text: string): string {
  return text.length <= 20 ? text : `${text.slice(0, 20)}…`;
}

const CURRENCIES: Readonly<Record<string, Bolt11Currency>> = {
  bitcoin: 'bc',
  testnet: 'tb',
  testnet4: 'tb',
  signet: 'tbs',
  regtest: 'bcrt',
};

/** The currency prefix of BOLT 11 invoices on a chain, such as `bc`. For an unknown chain, that of bitcoin. */
export function currencyOf(chain: string): Bolt11Currency {
  return CURRENCIES[chain] ?? BOLT11_CURRENCIES[0];
}
