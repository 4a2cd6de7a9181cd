/**
 * Objects as lists, which are packed and unpacked several times faster, because no member names are written or looked
 * up. Writer and reader know the fixed order of the members.
 */

/** Names of all members of `T`, in the order of the list. Omitting a name is a compile error. */
export const membersOf =
  <T>() =>
  <const N extends readonly (keyof T)[]>(
    ...names: [keyof T] extends [N[number]] ? N : never
  ): readonly (keyof T)[] =>
    names;

/** The members of an object as a list. */
export function asList<T>(names: readonly (keyof T)[], object: T): unknown[] {
  return names.map((name) => object[name]);
}

/** For each list of names, an object in which all of these members are undefined. */
const EMPTY = new WeakMap<readonly PropertyKey[], object>();

/**
 * The object from which `asList` made the list. It has all members, in the order of the names. Absent ones are undefined.
 *
 * It begins as a copy of an object with these members, because V8 makes a new hidden class for each member that is added
 * by a computed name.
 */
export function fromList<T>(names: readonly (keyof T)[], list: readonly unknown[]): T {
  let empty = EMPTY.get(names);
  if (empty === undefined) {
    empty = Object.fromEntries(names.map((name) => [name, undefined]));
    EMPTY.set(names, empty);
  }
  const found: Partial<Record<keyof T, unknown>> = { ...empty };
  for (let index = 0; index < names.length; index++) found[names[index]!] = list[index];
  return found as T;
}
