/**
 * Reads and checks the fields of a map one by one. Each error contains the file, the line, the field, what was expected
 * and what was found. `done` refuses unknown fields, and lists the known ones.
 */
import type { Located, LocatedFile, Scalar } from './located.ts';
import { scenarioError } from './scenario-error.ts';

/** The largest amount or time that is read as a JavaScript number. */
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** A value with its location and the name of its field. */
export class Field {
  readonly #file: LocatedFile;
  readonly value: Located;
  /** Dotted path from the root of the file. */
  readonly path: string;

  constructor(file: LocatedFile, value: Located, path: string) {
    this.#file = file;
    this.value = value;
    this.path = path;
  }

  /** Refuses the value. @throws FulguriteError `scenario`, always */
  refuse(expected: string, found: string = this.shown): never {
    throw scenarioError({
      file: this.#file.name,
      line: this.value.offset < 0 ? undefined : this.#file.lineOf(this.value.offset),
      field: this.path,
      expected,
      found,
    });
  }

  /** The value as shown in errors. */
  get shown(): string {
    const { scalar, elements, members } = this.value;
    if (elements !== undefined) return `a list of ${elements.length}`;
    if (members !== undefined) return 'a map';
    return typeof scalar === 'string' ? JSON.stringify(scalar) : String(scalar as Scalar);
  }

  get isMap(): boolean {
    return this.value.members !== undefined;
  }

  get isList(): boolean {
    return this.value.elements !== undefined;
  }

  get isText(): boolean {
    return typeof this.value.scalar === 'string';
  }

  map(): FieldMap {
    const { members } = this.value;
    return members === undefined ? this.refuse('a map') : new FieldMap(this, members, this.#file);
  }

  list(): Field[] {
    const { elements } = this.value;
    if (elements === undefined) return this.refuse('a list');
    return elements.map((element, index) => new Field(this.#file, element, `${this.path}[${index}]`));
  }

  text(): string {
    const { scalar } = this.value;
    return typeof scalar === 'string' ? scalar : this.refuse('a text');
  }

  oneOf<T extends string>(...names: readonly T[]): T {
    const { scalar } = this.value;
    const name = names.find((each) => each === scalar);
    return name ?? this.refuse(`one of ${names.join(', ')}`);
  }

  flag(): boolean {
    const { scalar } = this.value;
    return typeof scalar === 'boolean' ? scalar : this.refuse('true or false');
  }

  /** Reads a whole number between the bounds, inclusive. */
  bigint(least: bigint, most: bigint, what = 'a whole number'): bigint {
    const { scalar } = this.value;
    const number = typeof scalar === 'bigint' ? scalar : undefined;
    if (number === undefined || number < least || number > most)
      return this.refuse(`${what} from ${least} to ${most}`);
    return number;
  }

  integer(least = 0, most = Number.MAX_SAFE_INTEGER, what = 'a whole number'): number {
    const most64 = BigInt(most);
    return Number(this.bigint(BigInt(least), most64 < MAX_SAFE ? most64 : MAX_SAFE, what));
  }

  /** Reads a number between the bounds, inclusive. */
  number(least: number, most: number, what = 'a number'): number {
    const { scalar } = this.value;
    const number = typeof scalar === 'bigint' || typeof scalar === 'number' ? Number(scalar) : Number.NaN;
    if (!(number >= least && number <= most)) return this.refuse(`${what} from ${least} to ${most}`);
    return number;
  }

  /** Reads a share from 0 to 1. */
  share(): number {
    return this.number(0, 1, 'a share');
  }
}

/** The fields of a map. */
export class FieldMap {
  readonly #file: LocatedFile;
  readonly #of: Field;
  readonly #members: ReadonlyMap<string, Located>;
  readonly #asked = new Set<string>();

  constructor(of: Field, members: ReadonlyMap<string, Located>, file: LocatedFile) {
    this.#of = of;
    this.#members = members;
    this.#file = file;
  }

  /** The field with this name. Undefined if absent or null. */
  optional(name: string): Field | undefined {
    this.#asked.add(name);
    const value = this.#members.get(name);
    if (value === undefined || value.scalar === null) return undefined;
    return new Field(this.#file, value, this.#of.path === '' ? name : `${this.#of.path}.${name}`);
  }

  /** @throws FulguriteError `scenario` when it is absent */
  required(name: string): Field {
    const prefix = this.#of.path === '' ? '' : `${this.#of.path}.`;
    return this.optional(name) ?? this.#of.refuse(`the field ${prefix}${name}`, 'no such field');
  }

  /** Reads a field, or returns the default if it is absent. */
  get<T>(name: string, read: (field: Field) => T, absent: T): T {
    const field = this.optional(name);
    return field === undefined ? absent : read(field);
  }

  get names(): string[] {
    return [...this.#members.keys()];
  }

  /** Names of fields that were never read. */
  get leftOver(): string[] {
    return [...this.#members.keys()].filter((name) => !this.#asked.has(name));
  }

  /** @throws FulguriteError `scenario` for a field that was never read */
  done(): void {
    for (const [name, value] of this.#members) {
      if (this.#asked.has(name)) continue;
      const field = new Field(this.#file, value, this.#of.path === '' ? name : `${this.#of.path}.${name}`);
      field.refuse(`one of the fields ${[...this.#asked].sort().join(', ')}`, `the field ${name}`);
    }
  }
}
