/**
 * Objects as lists, which pack and unpack several times faster: no member name is written, read or looked up. A list
 * has the members of its kind in one fixed order, which both sides know.
 */

/** Names of all members of `T`, in the order of the list. A name that is left out does not compile. */
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

/** The object that `asList` made a list of. Members that were undefined are absent. */
export function fromList<T>(names: readonly (keyof T)[], list: readonly unknown[]): T {
  const found: Partial<Record<keyof T, unknown>> = {};
  for (let index = 0; index < names.length; index++) {
    if (list[index] !== undefined) found[names[index]!] = list[index];
  }
  return found as T;
}
