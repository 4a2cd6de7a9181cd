/** Parsers of option values. Each throws `UsageError` with the option's name and its valid values. */
import { UsageError } from '../client/client-arguments.ts';

/** An HTTP or HTTPS address without credentials. @throws UsageError */
export function httpUrl(option: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username !== '') {
    throw new UsageError(`--${option} must have the form http://HOST:PORT, without a login`);
  }
  return given;
}

/** The given value, which must be one of the choices. @throws UsageError */
export function oneOf<T extends string>(option: string, given: string, choices: readonly T[]): T {
  const choice = choices.find((one) => one === given);
  if (choice === undefined)
    throw new UsageError(`--${option} must be one of ${choices.join(', ')}, not ${given}`);
  return choice;
}

/** The value parsed by `read`, whose error becomes a `UsageError`. @throws UsageError */
export function readOrRefuse<T>(option: string, given: string, read: (text: string) => T): T {
  try {
    return read(given);
  } catch (error) {
    throw new UsageError(`--${option}: ${(error as Error).message}`);
  }
}

/** A whole number within a range. Undefined when none was given. @throws UsageError */
export function whole(
  option: string,
  given: string | undefined,
  minimum: number,
  maximum: number,
): number | undefined {
  if (given === undefined) return undefined;
  const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (!(value >= minimum && value <= maximum)) {
    throw new UsageError(`--${option} must be a whole number from ${minimum} to ${maximum}, not ${given}`);
  }
  return value;
}
