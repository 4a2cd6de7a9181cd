/**
 * Checks of untrusted values from another machine. A check covers type and size only. A value that passes may still be
 * false.
 */

/** A check of one value. */
export type ForeignShape = (value: unknown) => boolean;

/** The members of a map. Names that end in `?` may be absent. */
export type ForeignMembers = Readonly<Record<string, ForeignShape>>;

/** Text of at most this many UTF-16 units. */
export const textUpTo =
  (maximum: number): ForeignShape =>
  (value) =>
    typeof value === 'string' && value.length <= maximum;

/** Bytes of a length in this range. */
export const bytesOf =
  (minimum: number, maximum: number): ForeignShape =>
  (value) =>
    value instanceof Uint8Array && value.length >= minimum && value.length <= maximum;

/** An integer from `minimum` to `maximum`. */
export const integerIn =
  (minimum: number, maximum: number): ForeignShape =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;

/** An unsigned 64-bit bigint: an amount in msat, or a short channel id. */
export const unsigned64: ForeignShape = (value) =>
  typeof value === 'bigint' && BigInt.asUintN(64, value) === value;

/** Exactly one of these values. */
export const oneOf =
  (...values: readonly unknown[]): ForeignShape =>
  (value) =>
    values.includes(value);

/** One of these shapes. */
export const anyOf =
  (...shapes: readonly ForeignShape[]): ForeignShape =>
  (value) =>
    shapes.some((shape) => shape(value));

/** A list of at most `maximum` elements. */
export const listOf =
  (shape: ForeignShape, maximum: number): ForeignShape =>
  (value) =>
    Array.isArray(value) && value.length <= maximum && value.every(shape);

/** A list that begins with these elements. More may follow, because a later release may add some. */
export const tupleOf =
  (...shapes: readonly ForeignShape[]): ForeignShape =>
  (value) =>
    Array.isArray(value) && value.length >= shapes.length && shapes.every((shape, at) => shape(value[at]));

/** A map with exactly these members. */
export function mapOf(members: ForeignMembers): ForeignShape {
  const fits = membersFit(members, (member) => member === undefined);
  const known = new Set(Object.keys(members).map((name) => name.replace(/\?$/, '')));
  return (value) => fits(value) && Object.keys(value as object).every((name) => known.has(name));
}

/** A map with these members, and any others. A null member counts as absent. */
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

/** A map whose `kind` determines its other members. */
export function unionOf(kinds: Readonly<Record<string, ForeignMembers>>): ForeignShape {
  const shapes = new Map(
    Object.entries(kinds).map(([kind, members]) => [kind, mapOf({ kind: oneOf(kind), ...members })]),
  );
  return (value) => {
    const kind = (value as { readonly kind?: unknown } | null)?.kind;
    return typeof kind === 'string' && shapes.get(kind)?.(value) === true;
  };
}
