/**
 * Reads answers of a Core Lightning node, member by member. Numbers keep all their digits, since amounts and group ids
 * go up to 2^64 − 1. If a required member is missing or has the wrong type, the error names the member.
 */
import { FulguriteError } from '../../model/errors.ts';
import { type Msat, msat, U64_MAX } from '../../model/msat.ts';
import { type NodeId, parseNodeId } from '../../model/node-id.ts';
import { parseShortChannelId, type ShortChannelId } from '../../model/short-channel-id.ts';
import type { JsonToken } from '../../rpc/json-token.ts';

/** An error returned by the node, with its message. */
export class NodeError extends Error {
  readonly code: number;
  readonly data: Members | undefined;

  constructor(code: number, message: string, data: Members | undefined) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The members of a JSON object in an answer. */
export class Members {
  readonly #members = new Map<string, JsonToken>();
  readonly #what: string;

  /** @param what name of the object, for error messages. */
  constructor(token: JsonToken, what: string) {
    this.#what = what;
    for (const { key, value } of token.members()) {
      if (value.kind !== 'null' && !this.#members.has(key)) this.#members.set(key, value);
    }
  }

  /** The member's token. Undefined when it is absent or null. */
  get(name: string): JsonToken | undefined {
    return this.#members.get(name);
  }

  /** All members that are not null, in the order sent. */
  entries(): [string, JsonToken][] {
    return [...this.#members];
  }

  /** The members of a nested object. Undefined when the member is absent or not an object. */
  object(name: string): Members | undefined {
    const token = this.get(name);
    return token?.kind === 'object' ? new Members(token, `${this.#what}.${name}`) : undefined;
  }

  /** The objects of an array. Empty when the array is absent. */
  objects(name: string): Members[] {
    const elements = this.get(name)?.elements() ?? [];
    return elements.map((element) => new Members(element, `${this.#what}.${name}[]`));
  }

  text(name: string): string | undefined {
    const token = this.get(name);
    return token?.kind === 'string' ? token.text : undefined;
  }

  requireText(name: string): string {
    return this.text(name) ?? this.#fail(name, 'a string');
  }

  /** True only when the member is JSON's `true`. */
  flag(name: string): boolean {
    return this.get(name)?.raw === 'true';
  }

  /** A whole number of up to 64 bits. Amounts of old nodes end in `msat`. */
  whole(name: string): bigint | undefined {
    const digits = /^(\d{1,20})(?:msat)?$/.exec(this.get(name)?.text ?? '')?.[1];
    if (digits === undefined) return undefined;
    const value = BigInt(digits);
    return value <= U64_MAX ? value : undefined;
  }

  requireWhole(name: string): bigint {
    return this.whole(name) ?? this.#fail(name, 'a whole number');
  }

  /** A whole number that a double holds exactly. */
  number(name: string): number | undefined {
    const value = this.whole(name);
    return value !== undefined && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : undefined;
  }

  requireNumber(name: string): number {
    return this.number(name) ?? this.#fail(name, 'a whole number');
  }

  /** A UNIX time in whole seconds, although the node may write it with decimals. 0 when absent. */
  seconds(name: string): number {
    return Math.floor(Number(this.get(name)?.text ?? 0)) || 0;
  }

  amount(name: string): Msat | undefined {
    const value = this.whole(name);
    return value === undefined ? undefined : msat(value);
  }

  requireAmount(name: string): Msat {
    return msat(this.requireWhole(name));
  }

  /** Bytes that the node writes as hex. Empty when absent or not hex. */
  bytes(name: string): Uint8Array {
    const hex = this.text(name) ?? '';
    return /^(?:[0-9a-fA-F]{2})*$/.test(hex) ? Uint8Array.from(Buffer.from(hex, 'hex')) : new Uint8Array(0);
  }

  requireNodeId(name: string): NodeId {
    return parseNodeId(this.text(name) ?? '') ?? this.#fail(name, 'a node id');
  }

  shortChannelId(name: string): ShortChannelId | undefined {
    return parseShortChannelId(this.text(name) ?? '');
  }

  #fail(name: string, wanted: string): never {
    const got = this.get(name)?.raw.slice(0, 60) ?? 'nothing';
    throw new FulguriteError(
      'unspecified',
      `the node returned ${got} for ${this.#what}.${name} instead of ${wanted}`,
    );
  }
}
