/**
 * The shape of a result down to its leaves, in a short notation. JSON Schema and checks are made from it.
 *
 *     'msat'                       a leaf: one of the types below
 *     '=pending|complete'          one of these words
 *     [shape]                      a list of any length
 *     { a: shape, 'b?': shape }    an object; members with a question mark may be absent
 *     { '*': shape }               an object with arbitrary names
 */
import type { JsonSchema } from './param-types.ts';

const whole = (maximum?: number): JsonSchema => ({
  type: 'integer',
  minimum: 0,
  ...(maximum !== undefined && { maximum }),
});
const text = (pattern?: string): JsonSchema => ({
  type: 'string',
  ...(pattern !== undefined && { pattern }),
});

/** The JSON Schema of each leaf type. A 64-bit integer may be too large for a JavaScript number. */
const LEAVES = {
  string: text(),
  hex: text('^([0-9a-f]{2})*$'),
  hash: text('^[0-9a-f]{64}$'),
  secret: text('^[0-9a-f]{64}$'),
  txid: text('^[0-9a-f]{64}$'),
  pubkey: text('^0[23][0-9a-f]{64}$'),
  short_channel_id: text('^\\d+x\\d+x\\d+$'),
  short_channel_id_dir: text('^\\d+x\\d+x\\d+/[01]$'),
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  msat: whole(),
  u8: whole(0xff),
  u16: whole(0xffff),
  u32: whole(0xffff_ffff),
  u64: whole(),
  /** Parts per million: a share from 0 to 1. */
  ppm: whole(1_000_000),
  any: {},
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** The name of a leaf type. */
export type Leaf = keyof typeof LEAVES;

/** A shape in the notation above. */
export type Shape = Leaf | `=${string}` | readonly [Shape] | { readonly [name: string]: Shape };

/** The key of a shape that stands for any name. */
const ANY_NAME = '*';

const isLeaf = (name: string): name is Leaf => Object.hasOwn(LEAVES, name);

/** The leaf type with this name. Undefined for other types, such as `array`. */
export const leafOf = (name: string): Leaf | undefined => (isLeaf(name) ? name : undefined);

/** The JSON Schema of a shape. */
export function schemaOf(shape: Shape): JsonSchema {
  if (typeof shape === 'string') {
    return isLeaf(shape) ? { title: shape, ...LEAVES[shape] } : { type: 'string', enum: wordsOf(shape) };
  }
  if (isList(shape)) return { type: 'array', items: schemaOf(shape[0]) };
  const rest = shape[ANY_NAME];
  if (rest !== undefined) return { type: 'object', additionalProperties: schemaOf(rest) };
  const members = membersOf(shape);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(({ name, shape: one }) => [name, schemaOf(one)])),
    required: members.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
  };
}

/** A leaf of a shape. `path` is its position: `channels[].peer_id`. */
export interface ShapeLeaf {
  readonly path: string;
  readonly isOptional: boolean;
  readonly leaf: string;
}

/** All leaves below a list or an object, in order. A shape that is itself a leaf has none. */
export function leavesOf(shape: Shape, path: string, isOptional = false): ShapeLeaf[] {
  if (typeof shape === 'string') return [];
  const below = isList(shape)
    ? [{ path: `${path}[]`, isOptional, shape: shape[0] }]
    : membersOf(shape).map((one) => ({ ...one, path: `${path}.${one.name}` }));
  return below.flatMap((one) =>
    typeof one.shape === 'string'
      ? [{ path: one.path, isOptional: one.isOptional, leaf: one.shape }]
      : leavesOf(one.shape, one.path, one.isOptional),
  );
}

/**
 * A sentence for each place where a value does not match its shape. @param where name of the value, for these sentences
 */
export function misfits(value: unknown, shape: Shape, where: string): string[] {
  if (typeof shape === 'string')
    return fitsLeaf(value, shape) ? [] : [`${where} is no ${shape}: ${shown(value)}`];
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${where} is not a list: ${shown(value)}`];
    return value.flatMap((one, index) => misfits(one, shape[0], `${where}[${index}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [`${where} is not an object: ${shown(value)}`];
  }
  const rest = shape[ANY_NAME];
  const members = new Map(membersOf(shape).map((member) => [member.name, member]));
  const missing = [...members.values()].filter(
    ({ name, isOptional }) => name !== ANY_NAME && !isOptional && !(name in value),
  );
  return [
    ...missing.map(({ name }) => `${where}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, one]) => {
      const known = rest ?? members.get(name)?.shape;
      return known === undefined
        ? [`${where}.${name} is not described`]
        : misfits(one, known, `${where}.${name}`);
    }),
  ];
}

function fitsLeaf(value: unknown, shape: Leaf | `=${string}`): boolean {
  if (!isLeaf(shape)) return typeof value === 'string' && wordsOf(shape).includes(value);
  const { type, pattern, minimum, maximum } = LEAVES[shape] as {
    readonly type?: string;
    readonly pattern?: string;
    readonly minimum?: number;
    readonly maximum?: number;
  };
  if (type === undefined) return true;
  if (type === 'integer') {
    const isWhole = typeof value === 'bigint' || Number.isInteger(value);
    return isWhole && Number(value) >= (minimum ?? -Infinity) && Number(value) <= (maximum ?? Infinity);
  }
  if (type === 'string') return typeof value === 'string' && new RegExp(pattern ?? '').test(value);
  return type === 'boolean' ? typeof value === 'boolean' : typeof value === 'number';
}

const shown = (value: unknown): string =>
  String(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one))).slice(0, 80);

const wordsOf = (shape: string): string[] => shape.slice(1).split('|');

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly shape: Shape;
}

const membersOf = (shape: { readonly [name: string]: Shape }): Member[] =>
  Object.entries(shape).map(([key, one]) => {
    const isOptional = key.endsWith('?');
    return { name: isOptional ? key.slice(0, -1) : key, isOptional, shape: one };
  });
