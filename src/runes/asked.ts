/**
 * The facts against which a rune is tested: a request, its caller and its time. Each field but `node` has at most one
 * value.
 *
 *   time           seconds since 1970                    id             the caller's node id
 *   method         the command's name                    pnum           the number of parameters
 *   pnameN         the parameter named N                 parrI          the parameter at position I, from 0
 *   pinvN_amount, pinvN_description, pinvN_node          facts of the invoice in parameter N
 *   outgo          msat that may be spent, with fees     outgoday       `outgo` plus the spending of the last day
 *   node           name of one of our nodes that the request may use. Conditions on it must hold for each such node
 *
 * Parameters are tested as the command sees them: keys are unescaped, and null means absent. A parameter can be named
 * as the caller named it, or as it is declared. Both names also work without punctuation.
 */
import type { JsonToken } from '../rpc/json-token.ts';
import type { FieldValue, JudgedElsewhere, Unreadable } from './field-value.ts';
import { type InvoiceField, invoiceField } from './invoice-field.ts';

/** The parts of a request that runes test. Undefined members count as absent. */
export interface RuneRequest {
  readonly method: string | undefined;
  /** The parameters: an object or an array. */
  readonly params: JsonToken | undefined;
  /** The caller's node id in hex. Undefined for callers without one, as over HTTP. */
  readonly nodeId?: string | undefined;
  /** Other names of the command's parameters, mapped to the declared ones. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /**
   * Returns the maximum msat that the request can spend: its amount plus its fee limit. If absent, the maximum counts
   * as unknown.
   */
  readonly outgo?: (() => FieldValue | Unreadable | JudgedElsewhere) | undefined;
  /**
   * Returns the names of our nodes that the request may use. Undefined, or a function that returns undefined, if we
   * have a single node. The field `node` is then absent.
   */
  readonly ourNodes?: (() => readonly string[] | Unreadable | JudgedElsewhere | undefined) | undefined;
}

const OUTGO_UNKNOWN: Unreadable = { kind: 'unreadable', complaint: 'outgo is not known' };

const INVOICE_FIELDS: readonly InvoiceField[] = ['amount', 'description', 'node'];
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
const I64_MIN = -(2n ** 63n);
const I64_MAX = 2n ** 63n - 1n;

/** The signed 64-bit integer in a text of decimal digits. Undefined if the text is not such an integer. */
export function parseI64(text: string): bigint | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= I64_MIN && value <= I64_MAX ? value : undefined;
}

/** Looks up the fields of one request. The parameters are parsed only once. */
export class Fields {
  readonly #asked: RuneRequest;
  readonly #nowMs: number;
  readonly #spentMsat: bigint;
  #parameters: ReadonlyMap<string, JsonToken> | undefined;
  #count = 0;

  /** @param nowMs UNIX time in milliseconds @param spentMsat the rune's spending in the last day */
  constructor(asked: RuneRequest, nowMs: number, spentMsat: bigint) {
    this.#asked = asked;
    this.#nowMs = nowMs;
    this.#spentMsat = spentMsat;
  }

  /** The value of a field. Undefined if the field is absent or unknown. */
  value(field: string): FieldValue | Unreadable | JudgedElsewhere | undefined {
    const { method, nodeId } = this.#asked;
    if (field === 'time') return integer(BigInt(Math.floor(this.#nowMs / 1000)));
    if (field === 'method') return text(method);
    if (field === 'id') return text(nodeId);
    if (field === 'outgo' || field === 'outgoday') return this.#outgo(field);
    const parameters = this.#read();
    if (field === 'pnum') return integer(BigInt(this.#count));
    if (field.startsWith('pinv')) return this.#ofInvoice(field.slice('pinv'.length), parameters);
    const token = parameters.get(field);
    return token && fieldValueOf(token);
  }

  /**
   * The values of the field `node`. A request that uses none of our nodes has no value, so every condition on `node`
   * passes.
   */
  nodes(): readonly (FieldValue | Unreadable | JudgedElsewhere | undefined)[] {
    const told = this.#asked.ourNodes?.();
    return told === undefined || 'kind' in told ? [told] : told.map((name) => ({ kind: 'text', text: name }));
  }

  #outgo(field: 'outgo' | 'outgoday'): FieldValue | Unreadable | JudgedElsewhere {
    const { outgo = () => OUTGO_UNKNOWN } = this.#asked;
    const value = outgo();
    return value.kind === 'integer' && field === 'outgoday'
      ? integer(value.integer + this.#spentMsat)
      : value;
  }

  #ofInvoice(name: string, parameters: ReadonlyMap<string, JsonToken>): FieldValue | Unreadable | undefined {
    const suffix = INVOICE_FIELDS.find((known) => name.endsWith(`_${known}`));
    if (suffix === undefined) return { kind: 'unreadable', complaint: `Unknown invoice field ${name}` };
    const parameter = name.slice(0, -suffix.length - 1);
    const token = parameters.get(`pname${parameter}`);
    if (token === undefined) {
      return { kind: 'unreadable', complaint: `Unknown invoice parameter ${parameter}` };
    }
    return invoiceField(token.text, suffix);
  }

  #read(): ReadonlyMap<string, JsonToken> {
    if (this.#parameters !== undefined) return this.#parameters;
    const { params, aliases = {} } = this.#asked;
    const found = new Map<string, JsonToken>();
    const add = (name: string, token: JsonToken) => {
      if (!found.has(name)) found.set(name, token);
    };
    const members = params?.members().filter(({ value }) => value.kind !== 'null') ?? [];
    const names = members.map(({ key, value }) => {
      const declared = Object.hasOwn(aliases, key) ? aliases[key]! : key;
      return { key, declared, value };
    });
    for (const { key, declared, value } of names) {
      add(`pname${key}`, value);
      add(`pname${declared}`, value);
    }
    for (const { key, declared, value } of names) {
      add(`pname${key.replace(PUNCTUATION, '')}`, value);
      add(`pname${declared.replace(PUNCTUATION, '')}`, value);
    }
    const elements = params?.elements() ?? [];
    for (const [index, value] of elements.entries()) if (value.kind !== 'null') add(`parr${index}`, value);
    this.#count = members.length + elements.filter(({ kind }) => kind !== 'null').length;
    this.#parameters = found;
    return found;
  }
}

const integer = (value: bigint): FieldValue => ({ kind: 'integer', integer: value });
const text = (value: string | undefined): FieldValue | undefined =>
  value === undefined ? undefined : { kind: 'text', text: value };

/** The value of a parameter. Only a JSON number can be an integer; the string "12" is not one. */
function fieldValueOf(token: JsonToken): FieldValue {
  const value = token.kind === 'number' ? parseI64(token.raw) : undefined;
  return value === undefined ? { kind: 'text', text: token.text } : integer(value);
}
