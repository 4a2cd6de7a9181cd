/**
 * Decides whether a rune permits a request: every restriction must pass, and a restriction passes if one of its
 * alternatives does. If a restriction does not pass, there is a complaint, worded as in Core Lightning's `checkrune`.
 *
 * `<` and `>` compare signed 64-bit integers. `{` and `}` compare bytes of UTF-8.
 *
 * `outgo<AMOUNT` limits the spending of one request, including fees, and `outgoday<AMOUNT` limits the spending of all
 * requests within a day. Amounts are msat, or have the unit `msat` or `sat`.
 *
 * `node=NAME` limits a rune to one of our nodes, if there are several: a restriction on `node` must pass for each node
 * that the request may use.
 *
 * `rate=N`, and `per=N` with a unit (`per=5min`), require a minimum time since the last use of the rune: 60 s / N, or N
 * units. Unused time does not accumulate: `rate=60` refuses a second use within one second of the first.
 */
import { Fields, parseI64, type RuneRequest } from './asked.ts';
import type { FieldValue } from './field-value.ts';
import type { Alternative, Condition, Restriction } from './restriction.ts';

/** How a rune, and all runes that share its unique id, have been used so far. */
export interface Usage {
  /**
   * Whether this node made the rune and therefore knows its last use. A rune of another node with a rate limit is
   * always refused.
   */
  readonly isKnown: boolean;
  /** Time of the last use, in UNIX nanoseconds. Undefined if never used. */
  readonly lastUsedNs: bigint | undefined;
  /** Msat that may have been spent with these runes in the last day. */
  readonly spentMsat: bigint;
}

const NS_PER_MS = 1_000_000n;
const MINUTE_NS = 60_000_000_000n;
const U64_MAX = 2n ** 64n - 1n;
/** The maximum value of `rate` and `per`. The minimum is 1. */
const MAX_COUNT = 2n ** 32n - 2n;

/** Nanoseconds in each unit of `per`. */
const UNITS_NS: Readonly<Record<string, bigint>> = {
  '': 1_000_000_000n,
  nsec: 1n,
  usec: 1000n,
  msec: 1_000_000n,
  sec: 1_000_000_000n,
  min: MINUTE_NS,
  hour: 60n * MINUTE_NS,
  day: 1440n * MINUTE_NS,
};

/** Prefixes of field names in complaints, and the words that replace them. */
const PREFIXES: readonly (readonly [string, string])[] = [
  ['pname', 'parameter '],
  ['parr', 'parameter #'],
  ['pnum', 'number of parameters'],
  ['pinv', 'invoice parameter '],
];

/**
 * The complaint of the first restriction that does not pass. Undefined if all pass.
 * @param nowMs UNIX time in milliseconds
 */
export function complaintAbout(
  restrictions: readonly Restriction[],
  asked: RuneRequest,
  usage: Usage,
  nowMs: number,
): string | undefined {
  const fields = new Fields(asked, nowMs, usage.spentMsat);
  const nowNs = BigInt(Math.floor(nowMs)) * NS_PER_MS;
  for (const alternatives of restrictions) {
    const isOfNodes = alternatives.some(({ field }) => field === NODE_FIELD);
    for (const node of isOfNodes ? fields.nodes() : [undefined]) {
      const complaint = alternativesComplaint(alternatives, (alternative) =>
        complaintOf(alternative, fields, usage, nowNs, node),
      );
      if (complaint !== undefined)
        return node?.kind === 'text' ? `${complaint}${useOf(node.text)}` : complaint;
    }
  }
  return undefined;
}

/** The field whose conditions must hold for each of our nodes that a request may use. */
export const NODE_FIELD = 'node';

const useOf = (name: string): string => `: the request may use our node ${name}`;

/** The complaints of all alternatives, if none passes. */
function alternativesComplaint(
  alternatives: Restriction,
  complain: (alternative: Alternative) => string | undefined,
): string | undefined {
  const complaints: string[] = [];
  for (const alternative of alternatives) {
    const complaint = complain(alternative);
    if (complaint === undefined) return undefined;
    complaints.push(complaint);
  }
  return readable(complaints.join(' AND '));
}

/** Fields that do not depend on the parameters of a request. */
const WITHOUT_PARAMETERS: readonly string[] = ['method', 'id', 'time', 'rate', 'per'];

/**
 * The first complaint that applies regardless of parameters, by which a request can be refused before its parameters
 * are read. Undefined if the request might pass with some parameters.
 */
export function complaintWithoutParameters(
  restrictions: readonly Restriction[],
  asked: RuneRequest,
  usage: Usage,
  nowMs: number,
): string | undefined {
  const decided = restrictions.filter((alternatives) =>
    alternatives.every(({ field }) => WITHOUT_PARAMETERS.includes(field)),
  );
  return complaintAbout(decided, { ...asked, params: undefined }, usage, nowMs);
}

function readable(complaint: string): string {
  const [prefix, words] = PREFIXES.find(([start]) => complaint.startsWith(start)) ?? ['', ''];
  return words + complaint.slice(prefix.length);
}

function complaintOf(
  alternative: Alternative,
  fields: Fields,
  usage: Usage,
  nowNs: bigint,
  node: ReturnType<Fields['nodes']>[number],
): string | undefined {
  const { field, condition } = alternative;
  if (field === 'rate') return rateComplaint(alternative, usage, nowNs);
  if (field === 'per') return perComplaint(alternative, usage, nowNs);
  if (field === 'outgoday' && !usage.isKnown) return `${field} needs a rune of this node`;
  const value = field === NODE_FIELD ? node : fields.value(field);
  if (value?.kind === 'elsewhere') return undefined;
  if (value?.kind === 'unreadable') return value.complaint;
  if (condition === '#') return undefined;
  if (condition === '!') return value === undefined ? undefined : `${field} is present`;
  if (value === undefined) return `${field} not present`;
  return condition === '<' || condition === '>'
    ? integerComplaint(alternative, value)
    : textComplaint(alternative, value);
}

function integerComplaint({ field, condition, value }: Alternative, given: FieldValue): string | undefined {
  if (given.kind !== 'integer') return `${field} is not an integer field`;
  const limit = OUTGO_FIELDS.includes(field) ? parseOutgo(value) : parseI64(value);
  if (limit === undefined) return `${value} is not a valid integer`;
  if (condition === '<') {
    return given.integer < limit ? undefined : `${field} is greater or equal to ${value}`;
  }
  return given.integer > limit ? undefined : `${field} is less or equal to ${value}`;
}

/** Fields whose values are amounts. */
export const OUTGO_FIELDS: readonly string[] = ['outgo', 'outgoday'];
const MSAT_PER_SAT = 1000n;

/** The amount in a text, in msat. Undefined if it is not an amount. */
function parseOutgo(text: string): bigint | undefined {
  const [, digits = '', unit] = /^(\d{1,19})(msat|sat|)$/.exec(text) ?? [];
  if (digits === '') return undefined;
  return BigInt(digits) * (unit === 'sat' ? MSAT_PER_SAT : 1n);
}

type TextCondition = Exclude<Condition, '!' | '#' | '<' | '>'>;

const order = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8'));

/** For each condition: the test, and the complaint about a failing value. */
const TEXT_RULES: Readonly<Record<TextCondition, [(given: string, value: string) => boolean, string]>> = {
  '=': [(given, value) => given === value, 'is not equal to'],
  '/': [(given, value) => given !== value, 'is equal to'],
  '^': [(given, value) => given.startsWith(value), 'does not start with'],
  $: [(given, value) => given.endsWith(value), 'does not end with'],
  '~': [(given, value) => given.includes(value), 'does not contain'],
  '{': [(given, value) => order(given, value) < 0, 'is equal to or ordered after'],
  '}': [(given, value) => order(given, value) > 0, 'is equal to or ordered before'],
};

function textComplaint({ field, condition, value }: Alternative, given: FieldValue): string | undefined {
  const text = given.kind === 'text' ? given.text : String(given.integer);
  const [passes, complaint] = TEXT_RULES[condition as TextCondition];
  return passes(text, value) ? undefined : `${field} ${complaint} ${value}`;
}

function rateComplaint({ condition, value }: Alternative, usage: Usage, nowNs: bigint): string | undefined {
  if (condition !== '=') return 'rate operator must be =';
  const perMinute = count(value);
  if (perMinute === undefined) return 'malformed rate';
  return tooSoon('rate', MINUTE_NS / perMinute, usage, nowNs);
}

function perComplaint({ condition, value }: Alternative, usage: Usage, nowNs: bigint): string | undefined {
  if (condition !== '=') return 'per operator must be =';
  const [, digits = '', unit = ''] = /^(\d*)(.*)$/s.exec(value)!;
  const units = count(digits);
  if (units === undefined) return 'malformed per';
  const unitNs = Object.hasOwn(UNITS_NS, unit) ? UNITS_NS[unit]! : undefined;
  if (unitNs === undefined) return 'malformed suffix';
  return units * unitNs > U64_MAX ? 'per overflow' : tooSoon('per', units * unitNs, usage, nowNs);
}

function count(digits: string): bigint | undefined {
  const value = /^\d{1,10}$/.test(digits) ? BigInt(digits) : 0n;
  return value >= 1n && value <= MAX_COUNT ? value : undefined;
}

/**
 * The complaint if the rune was used too recently. If the clock has gone back since the last use, the rune counts as
 * just used.
 */
function tooSoon(
  field: string,
  leastNs: bigint,
  { isKnown, lastUsedNs }: Usage,
  nowNs: bigint,
): string | undefined {
  if (!isKnown) return `${field} needs a rune of this node`;
  if (lastUsedNs === undefined) return undefined;
  const agoNs = nowNs > lastUsedNs ? nowNs - lastUsedNs : 0n;
  return agoNs < leastNs ? 'too soon' : undefined;
}
