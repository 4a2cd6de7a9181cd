/**
 * Hints that the client adds to errors that users can fix: the command or parameter they probably meant, and how
 * amounts are written. The service's answer stays unchanged; hints go to standard error.
 */
import { ERRORS } from '../../model/errors.ts';
import { parseMsat } from '../../model/msat.ts';
import { nearest } from '../options/nearest.ts';
import type { NamedCommand } from './help-pages.ts';

/** The members of an error that determine the hints. */
export interface ReportedError {
  readonly code: number;
  /** `data.parameter`, `data.reason` and `data.value` of an error about parameters. */
  readonly parameter?: string | undefined;
  readonly reason?: string | undefined;
  readonly value?: string | undefined;
}

const FORMS =
  'Amounts are written 1000 or 1000msat (millisatoshi), 1sat, 1.500sat (three decimals) or 0.00000001btc, ' +
  'without a sign, space, comma or exponent.';

/** Hints for the caller of `method`, or undefined. `program` is how the user calls this program. */
export function adviceOn(
  error: ReportedError,
  method: string,
  commands: readonly NamedCommand[],
  program: string,
): string | undefined {
  const { code, parameter, reason, value } = error;
  if (code === ERRORS.unknownMethod.code) return adviceOnCommand(method, commands, program);
  if (code !== ERRORS.invalidParams.code) return undefined;
  if (reason === 'should be a millisatoshi amount' && value !== undefined) return amountAdvice(value);
  if (reason?.endsWith('must be non-zero') && parameter?.startsWith('amount')) {
    return (
      '0 is not a valid amount. If the invoice or offer has an amount, omit it. A fee limit of 0 is allowed ' +
      'and means no fees.'
    );
  }
  const command = commands.find(({ name }) => name === method);
  if (command === undefined) return undefined;
  const usage = `See: ${program} help ${method}`;
  if (reason !== 'unknown' || parameter === undefined) return usage;
  const name = nearest(parameter, Object.keys(command.params));
  const keys = 'With -k, every argument is NAME=VALUE.';
  return name === undefined ? `${usage}. ${keys}` : `Did you mean ${name}? ${usage}. ${keys}`;
}

/** Commands that this program runs itself, and that hints and completion offer. */
export const LOCAL_COMMANDS = ['start', 'completion'] as const;

/** A hint with the command that an unknown name probably means, and how to list all commands. */
export function adviceOnCommand(name: string, commands: readonly NamedCommand[], program: string): string {
  const meant = nearest(name, [...LOCAL_COMMANDS, ...commands.map((command) => command.name)]);
  const list = `All commands: ${program} help`;
  // If this program knows the command but the service refuses it, the command is deprecated or belongs to another
  // release.
  return meant === undefined || meant === name ? list : `Did you mean ${meant}? ${list}`;
}

/** A hint on how to write the amount correctly. */
function amountAdvice(text: string): string {
  const meant = meantAmount(text);
  const amount = meant === undefined ? undefined : parseMsat(meant);
  return amount === undefined ? FORMS : `Did you mean ${meant} (${inBothUnits(amount)})? ${FORMS}`;
}

/** Names of units as users may write them, and the unit that each one means. */
const UNITS: Readonly<Record<string, string>> = {
  '': '',
  msat: 'msat',
  msats: 'msat',
  millisat: 'msat',
  millisats: 'msat',
  millisatoshi: 'msat',
  millisatoshis: 'msat',
  sat: 'sat',
  sats: 'sat',
  satoshi: 'sat',
  satoshis: 'sat',
  btc: 'btc',
  bitcoin: 'btc',
  bitcoins: 'btc',
};

/** The amount that the text probably means, in a valid form. Undefined when the meaning is unclear. */
function meantAmount(text: string): string | undefined {
  const bare = text
    .toLowerCase()
    .replace(/^\+/, '')
    .replaceAll(/[\s_']/g, '');
  // A comma between groups of three digits separates thousands. Any other comma may be a decimal point, so
  // the meaning is unclear.
  const grouped = /^\d{1,3}(,\d{3})+(?!\d)/.test(bare) ? bare.replaceAll(',', '') : bare;
  const match = /^(\d{1,20})(?:\.(\d{1,11}))?(?:e(\d{1,2}))?([a-z]*)$/.exec(grouped);
  const unit = UNITS[match?.[4] ?? ' '];
  if (match === null || unit === undefined) return undefined;
  const [, whole = '', decimals = '', exponent = '0'] = match;
  const digits = decimals.padEnd(Number(exponent), '0');
  const moved = `${whole}${digits.slice(0, Number(exponent))}`.replace(/^0+(?=\d)/, '');
  const rest = digits.slice(Number(exponent)).replace(/0+$/, '');
  if (rest === '') return `${moved}${unit}`;
  if (unit === 'sat') return rest.length <= 3 ? `${moved}.${rest.padEnd(3, '0')}sat` : undefined;
  return unit === 'btc' ? `${moved}.${rest}btc` : undefined;
}

/** The amount in satoshi and in millisatoshi: `1000.5 sat = 1000500 msat`. */
export function inBothUnits(amountMsat: bigint): string {
  return `${satText(amountMsat)} sat = ${amountMsat} msat`;
}

/** Millisatoshi as satoshi, with three decimals if needed. */
export function satText(amountMsat: bigint): string {
  const [whole, rest] = [amountMsat / 1000n, amountMsat % 1000n];
  return rest === 0n ? `${whole}` : `${whole}.${String(rest).padStart(3, '0')}`;
}
