/**
 * Checks results against the table of Core Lightning's members and types in
 * `test/vectors/result-members.txt`. The head of that file explains its format.
 */
import { readFileSync } from 'node:fs';

interface Row {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: string;
  /** The rule applies only to objects that have this member. */
  readonly when: { readonly member: string; readonly values: readonly string[] | undefined } | undefined;
  readonly inside: Row[];
}

const text = readFileSync(new URL('../vectors/result-members.txt', import.meta.url), 'utf8');

const hexOf = (digits: number) => (value: unknown) =>
  typeof value === 'string' && new RegExp(`^[0-9a-f]{${digits}}$`).test(value);
const matching = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const unsigned = (bits: bigint) => (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 0 && BigInt(value as number) < 1n << bits;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  boolean: (value) => typeof value === 'boolean',
  true: (value) => value === true,
  false: (value) => value === false,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  u8: unsigned(8n),
  u16: unsigned(16n),
  u32: unsigned(32n),
  u64: unsigned(64n),
  msat: unsigned(64n),
  hex: matching(/^([0-9a-f]{2})*$/),
  hash: hexOf(64),
  txid: hexOf(64),
  secret: hexOf(64),
  bip340sig: hexOf(128),
  pubkey: matching(/^0[23][0-9a-f]{64}$/),
  signature: matching(/^[0-9a-f]{16,144}$/),
  short_channel_id: matching(/^\d+x\d+x\d+$/),
  short_channel_id_dir: matching(/^\d+x\d+x\d+\/[01]$/),
};

const named = new Map<string, string>();
const shapes = new Map<string, Row>();
const commands = new Map<string, Row>();
read();

/** The commands in the table. */
export const TABLED: readonly string[] = [...commands.keys()];

/** The paths of all members of a command's result in the table, such as `channels[].peer_id`. */
export const pathsOf = (command: string): string[] => {
  const below = (row: Row, path: string): string[] =>
    row.inside.flatMap((one) => {
      const inner = one.name === '[]' ? `${path}[]` : path === '' ? one.name : `${path}.${one.name}`;
      return [inner, ...below(one, inner)];
    });
  return [...new Set(below(commands.get(command)!, ''))];
};

/** The faults in the result of a command, one line each; empty if there are none. */
export function wrongMembers(command: string, result: unknown): string[] {
  const rows = commands.get(command);
  if (rows === undefined) return [`${command} is not in the table`];
  return wrongIn(result, rows, command);
}

function read(): void {
  let into: Row = rootRow();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [first = '', second = ''] = line.trim().split(' ');
    if (line.startsWith('  ')) addRow(into, line.trim());
    else if (first === 'type') named.set(second, line.slice(`type ${second} `.length));
    else {
      into = rootRow();
      (first === 'shape' ? shapes : commands).set(second, into);
    }
  }
}

function rootRow(): Row {
  return { name: '.', isOptional: false, type: 'object', when: undefined, inside: [] };
}

function addRow(root: Row, line: string): void {
  const [head = '', condition] = line.split(' when ');
  const space = head.indexOf(' ');
  const path = head.slice(0, space);
  const steps = path === '.' ? ['.'] : path.replaceAll('[]', '.[]').replace(/\?$/, '').split('.');
  const name = steps.pop() as string;
  let parent = root;
  for (const step of steps) parent = parent.inside.findLast((row) => row.name === step) as Row;
  const [member = '', values] = condition?.split('=') ?? [];
  const when = condition === undefined ? undefined : { member, values: values?.split('|') };
  const isOptional = path.endsWith('?');
  parent.inside.push({ name, isOptional, type: head.slice(space + 1), when, inside: [] });
}

function wrongIn(value: unknown, row: Row, where: string): string[] {
  const whole = row.inside.find(({ name }) => name === '.');
  if (whole !== undefined) return wrongValue(value, whole, where);
  if (Array.isArray(value)) {
    const element = row.inside.find(({ name }) => name === '[]');
    if (element === undefined) return value.length === 0 ? [] : [`${where}: elements of unknown type`];
    return value.flatMap((one, index) => wrongValue(one, element, `${where}[${index}]`));
  }
  return wrongObject(value as Readonly<Record<string, unknown>>, row.inside, where);
}

function wrongObject(
  value: Readonly<Record<string, unknown>>,
  rows: readonly Row[],
  where: string,
): string[] {
  const holding = rows.filter(({ when }) => when === undefined || holds(value, when));
  const missing = holding.filter(({ name, isOptional }) => !isOptional && !(name in value));
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const row = holding.find((one) => one.name === name);
    return row === undefined ? [`${where}.${name} is unknown`] : wrongValue(member, row, `${where}.${name}`);
  });
  return [...missing.map(({ name }) => `${where}.${name} is missing`), ...wrong];
}

function holds(
  value: Readonly<Record<string, unknown>>,
  { member, values }: NonNullable<Row['when']>,
): boolean {
  return values === undefined ? member in value : values.includes(String(value[member]));
}

function wrongValue(value: unknown, row: Row, where: string): string[] {
  const shape = shapes.get(row.type);
  const type = named.get(row.type) ?? row.type;
  const fits = type.startsWith('=')
    ? type
        .slice(1)
        .split('|')
        .includes(value as string)
    : (TYPES[shape === undefined ? type : 'object'] as (value: unknown) => boolean)(value);
  if (!fits) return [`${where} is no ${type}: ${JSON.stringify(value)?.slice(0, 100)}`];
  if (shape !== undefined) return wrongIn(value, shape, where);
  return type === 'object' || type === 'array' ? wrongIn(value, row, where) : [];
}
