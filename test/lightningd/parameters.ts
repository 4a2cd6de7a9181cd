/**
 * How lightningd reads the parameters of a command (`common/json_param.c`): by position or by name, in the
 * order of the request. Each kind of parameter has its own error message.
 *
 * A signature lists the parameters in order, separated by spaces: `name:kind`, with `!` if it is required and
 * `@v25.05` if older releases lack it.
 */
import type { JsonToken } from '../../src/rpc/json-token.ts';
import { badParameter, CODE, Refusal } from './refusal.ts';
import { isSince } from './release.ts';

/** The given parameters by name. Their types depend on their kinds. */
// biome-ignore lint/suspicious/noExplicitAny: each command knows the kinds in its own signature
export type Values = Readonly<Record<string, any>>;

/** The node that reads parameters: its release, and whether it was started with `--developer`. */
export interface Reader {
  readonly release: string;
  readonly isDeveloper: boolean;
}

interface Kind {
  readonly complaint: string;
  /** Undefined if the token is refused. */
  readonly read: (token: JsonToken) => unknown;
}

interface Parameter {
  readonly name: string;
  readonly kind: string;
  readonly isRequired: boolean;
}

const U64_MAX = 2n ** 64n - 1n;

function whole(token: JsonToken, most: bigint): bigint | undefined {
  if (!/^\d{1,20}$/.test(token.text)) return undefined;
  const value = BigInt(token.text);
  return value <= most ? value : undefined;
}

function small(token: JsonToken, most: bigint): number | undefined {
  const value = whole(token, most);
  return value === undefined ? undefined : Number(value);
}

const matching =
  (pattern: RegExp) =>
  ({ text }: JsonToken): string | undefined =>
    pattern.test(text) ? text.toLowerCase() : undefined;

const NODE_ID = /^0[23][0-9a-f]{64}$/i;
const SCID = /^\d+x\d+x\d+$/;

const KINDS: Readonly<Record<string, Kind>> = {
  any: { complaint: '', read: (token) => token },
  string: {
    complaint: 'should be a string (without \\u)',
    read: ({ kind, text }) => (kind === 'string' ? text : undefined),
  },
  text: { complaint: 'should be a string', read: ({ text }) => text },
  strings: {
    complaint: 'should be string or array',
    read: (token) =>
      token.kind === 'array'
        ? token.elements().map(({ text }) => text)
        : token.kind === 'string' && [token.text],
  },
  bool: {
    complaint: "should be 'true' or 'false'",
    read: ({ text }) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  },
  hex: { complaint: 'should be a hex value', read: matching(/^(?:[0-9a-f]{2})*$/i) },
  sha256: { complaint: 'should be a 32 byte hex value', read: matching(/^[0-9a-f]{64}$/i) },
  number: { complaint: 'should be an integer', read: (token) => small(token, 2n ** 32n - 1n) },
  u16: { complaint: 'should be an unsigned 16 bit integer', read: (token) => small(token, 65_535n) },
  u32: { complaint: 'should be an unsigned 32 bit integer', read: (token) => small(token, 2n ** 32n - 1n) },
  u64: { complaint: 'should be an unsigned 64 bit integer', read: (token) => whole(token, U64_MAX) },
  nonZero: { complaint: 'Must be non-zero', read: (token) => whole(token, U64_MAX) || undefined },
  msat: { complaint: 'should be a millisatoshi amount', read: (token) => whole(token, U64_MAX) },
  nodeId: { complaint: 'should be a node id', read: matching(NODE_ID) },
  scid: { complaint: 'should be a short_channel_id of form NxNxN', read: matching(SCID) },
  status: { complaint: 'should be an invoice status', read: matching(/^(?:pending|complete|failed)$/) },
  ended: { complaint: 'Cannot delete pending status', read: matching(/^(?:complete|failed)$/) },
  index: { complaint: 'unknown index', read: matching(/^(?:created|updated|deleted)$/) },
  subsystem: { complaint: 'unknown subsystem', read: matching(/^[a-z]+$/) },
  mode: {
    complaint:
      "should be 'must-create', 'must-replace', 'create-or-replace', 'must-append', or 'create-or-append'",
    read: matching(/^(?:must-create|must-replace|create-or-replace|must-append|create-or-append)$/),
  },
};

/** The parameters of a signature that this release supports. */
export function parametersOf(signature: string, release: string): Parameter[] {
  return signature
    .split(' ')
    .filter((one) => one !== '')
    .flatMap((one) => {
      const [, name, kind, mark, since] = /^(\w+):(\w+)(!?)(?:@(v[\d.]+))?$/.exec(one)!;
      if (since !== undefined && !isSince(release, since)) return [];
      return [{ name: name!, kind: kind!, isRequired: mark === '!' }];
    });
}

/** @throws Refusal with the node's message about the first parameter that it refuses. */
export function readParameters(signature: string, params: JsonToken, reader: Reader): Values {
  const known = parametersOf(signature, reader.release);
  const values: Record<string, unknown> = {};
  const given = params.kind === 'array' ? byPosition(known, params) : byName(known, params);
  for (const [parameter, token] of given) {
    if (parameter.name in values) {
      throw new Refusal(CODE.invalidParams, `duplicate json names: ${parameter.name}`);
    }
    values[parameter.name] = readOne(parameter, token, reader);
  }
  const missing = known.find(({ name, isRequired }) => isRequired && !(name in values));
  if (missing !== undefined) {
    throw new Refusal(CODE.invalidParams, `missing required parameter: ${missing.name}`);
  }
  return values;
}

function* byPosition(known: readonly Parameter[], params: JsonToken): Generator<[Parameter, JsonToken]> {
  const tokens = params.elements();
  for (const [i, token] of tokens.entries()) {
    const parameter = known[i];
    if (parameter === undefined) {
      const message = `too many parameters: got ${tokens.length}, expected ${known.length}`;
      throw new Refusal(CODE.invalidParams, message);
    }
    if (token.kind !== 'null') yield [parameter, token];
  }
}

/** Hints that the node adds for users of its command line client. */
const KEY_VALUE_HINT =
  'this may be caused by a failure to autodetect key=value-style parameters. ' +
  'Please try using the -k flag and explicit key=value pairs of parameters.';

function* byName(known: readonly Parameter[], params: JsonToken): Generator<[Parameter, JsonToken]> {
  if (params.kind !== 'object') {
    throw new Refusal(CODE.invalidParams, 'Expected array or object for params');
  }
  for (const { key, value } of params.members()) {
    const parameter = known.find(({ name }) => name === key);
    if (parameter === undefined) {
      throw new Refusal(CODE.invalidParams, `unknown parameter: ${key}, ${KEY_VALUE_HINT}`);
    }
    yield [parameter, value];
  }
}

function readOne({ name, kind }: Parameter, token: JsonToken, { isDeveloper }: Reader): unknown {
  if (kind === 'routeHop') return readRouteHop(name, token, isDeveloper);
  const { complaint, read } = KINDS[kind]!;
  const value = read(token);
  if (value !== undefined && value !== false) return value;
  if (kind === 'bool' && value === false) return value;
  throw badParameter(name, complaint, token, isDeveloper);
}

/** The first hop argument of `sendonion`. */
export interface RouteHop {
  readonly id: string | undefined;
  readonly channel: string | undefined;
  readonly amountMsat: bigint;
  readonly delay: number;
}

function readRouteHop(name: string, token: JsonToken, isDeveloper: boolean): RouteHop {
  const members = new Map(token.members().map(({ key, value }) => [key, value]));
  const [id, channel, amount, delay] = ['id', 'channel', 'amount_msat', 'delay'].map((key) =>
    members.get(key),
  );
  const refuse = (message: string) => new Refusal(CODE.invalidParams, message);
  if (id === undefined && channel === undefined) {
    throw refuse("Either 'id' or 'channel' is required for a route_hop");
  }
  if (amount === undefined) throw refuse("'amount_msat' is required");
  if (delay === undefined) throw refuse("'delay' is required");
  const bad = (complaint: string, one: JsonToken) => badParameter(name, complaint, one, isDeveloper);
  if (id && !NODE_ID.test(id.text)) throw bad('should be a node_id', id);
  if (channel && !SCID.test(channel.text)) throw bad('should be a short_channel_id', channel);
  const amountMsat = whole(amount, U64_MAX);
  if (amountMsat === undefined) throw bad('should be a valid amount_msat', amount);
  const blocks = small(delay, 2n ** 32n - 1n);
  if (!blocks) throw bad('should be a positive, non-zero, number', delay);
  return { id: id?.text, channel: channel?.text, amountMsat, delay: blocks };
}
