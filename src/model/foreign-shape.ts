/**
 * Checks of untrusted values from another machine. A check covers only type and size. A value that passes may still be
 * wrong.
 */

/** A check of one value. */
export type ForeignShape = (value: unknown) => boolean;

/** The members of a map. Names that end in `?` may be absent. */
export type ForeignMembers = Readonly<Record<string, ForeignShape>>;

/** Accepts text of at most this many UTF-16 units. */
export const textUpTo =
  (maximum: number): ForeignShape =>
  (value) =>
    typeof value === 'string' && value.length <= maximum;

/** Accepts a byte array whose length is in this range. */
export const bytesOf =
  (minimum: number, maximum: number): ForeignShape =>
  (value) =>
    value instanceof Uint8Array && value.length >= minimum && value.length <= maximum;

/** Accepts an integer from `minimum` to `maximum`. */
export const integerIn =
  (minimum: number, maximum: number): ForeignShape =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;

/** Accepts an unsigned 64-bit bigint, such as an amount in msat or a short channel id. */
export const unsigned64: ForeignShape = (value) =>
  typeof value === 'bigint' && BigInt.asUintN(64, value) === value;

/** Accepts exactly these values. */
export const oneOf =
  (...values: readonly unknown[]): ForeignShape =>
  (value) =>
    values.includes(value);

/** Accepts a value of any of these shapes. */
export const anyOf =
  (...shapes: readonly ForeignShape[]): ForeignShape =>
  (value) =>
    shapes.some((shape) => shape(value));

/** Accepts a list of at most `maximum` elements of this shape. */
export const listOf =
  (shape: ForeignShape, maximum: number): ForeignShape =>
  (value) =>
    Array.isArray(value) && value.length <= maximum && value.every(shape);

/** Accepts a list that begins with elements of these shapes. A later release may add more elements. */
export const tupleOf =
  (...shapes: readonly ForeignShape[]): ForeignShape =>
  (value) =>
    Array.isArray(value) && value.length >= shapes.length && shapes.every((shape, at) => shape(value[at]));

/** Accepts a map with exactly these members. */
export function mapOf(members: ForeignMembers): ForeignShape {
  const fits = membersFit(members, (member) => member === undefined);
  const known = new Set(Object.keys(members).map((name) => name.replace(/\?$/, '')));
  return (value) => fits(value) && Object.keys(value as object).every((name) => known.has(name));
}

/** Accepts a map with these members and any others. A null member counts as absent. */
export function openMapOf(members: ForeignMembers): ForeignShape {
  return membersFit(members, (member) => member === undefined || member === null);
}

function membersFit(members: ForeignMembers, isAbsent: (member: unknown) => boolean): ForeignShape {
  const named = Object.entries(members).map(([name, shape]) => {
    const isOptional = name.endsWith('?');
    return { name: isOptional ? name.slice(0, -1) : name, shape, isOptional };
  });
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const map = value as Readonly<Record<string, unknown>>;
    return named.every(({ name, shape, isOptional }) =>
      isAbsent(map[name]) ? isOptional : shape(map[name]),
    );
  };
}

/** Accepts a map whose member `kind` determines the other members. */
export function unionOf(kinds: Readonly<Record<string, ForeignMembers>>): ForeignShape {
  const shapes = new Map(
    Object.entries(kinds).map(([kind, members]) => [kind, mapOf({ kind: oneOf(kind), ...members })]),
  );
  return (value) => {
    const kind = (value as { readonly kind?: unknown } | null)?.kind;
    return typeof kind === 'string' && shapes.get(kind)?.(value) === true;
  };
}
