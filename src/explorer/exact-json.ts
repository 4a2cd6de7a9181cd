/**
 * JSON with exact integers. A whole number that a JavaScript number cannot hold becomes a bigint, as in the client
 * library. Newer browsers pass the digits of a number to the reviver (ECMAScript, `JSON.parse` source text access); for
 * others the text is read by the scanner of `src/rpc/json-token.ts`.
 */
import { parseJson, plainValue } from '../rpc/json-token.ts';

type SourceReviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

const parseWith = JSON.parse as (text: string, reviver: SourceReviver) => unknown;

/** Whether this browser passes the digits of a number to the reviver. */
const givesDigits = (() => {
  let digits: string | undefined;
  parseWith('1', (_key, value, context) => {
    digits = context?.source;
    return value;
  });
  return digits === '1';
})();

const WHOLE = /^-?\d+$/;

function exact(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

/** Parses JSON. @throws SyntaxError or another Error if the text is malformed */
export function parseExact(text: string): unknown {
  if (!givesDigits) return plainValue(parseJson(text), exact);
  return parseWith(text, (_key, value, context) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const digits = context?.source ?? '';
    return WHOLE.test(digits) ? BigInt(digits) : value;
  });
}

/** The JSON text of a value. A bigint is written as an integer. */
export function writeExact(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map((one) => writeExact(one ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${writeExact(member)}`);
  return `{${members.join(',')}}`;
}
