/**
 * The description of each result is complete: the type of every handler, as the compiler infers it, is compared with
 * the described members, down to the leaves. Unlike a check of answers, this covers members and words that no test
 * produces.
 */
import { fileURLToPath } from 'node:url';
import {
  API,
  SignatureKind,
  SymbolFlags,
  type Type,
  TypeFlags,
  type TypeReference,
} from 'typescript/unstable/sync';
import { afterAll, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/index.ts';
import type { ResultField } from '../../src/rpc/command.ts';
import { shapeOf } from '../../src/rpc/describe.ts';
import type { Shape } from '../../src/rpc/result-shape.ts';
import { sourcesBelow } from '../rooms.ts';
import { pathsOf } from './result-members.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const api = new API();
afterAll(() => api.close());
const { checker } = api.updateSnapshot({ openProjects: [`${root}tsconfig.json`] }).getProjects()[0]!;

/** The results' types by the name of the command, for all definitions in the sources. */
function resultTypes(): Map<string, Type> {
  const types = new Map<string, Type>();
  for (const { path, text } of sourcesBelow(root, ['src/commands'])) {
    for (const { index, 0: found } of text.matchAll(/^ {2}(?:async )?handler\b/gm)) {
      const name = [...text.slice(0, index).matchAll(/^ {2}name: '(.+)'/gm)].at(-1)?.[1];
      const handler = checker.getTypeAtPosition(`${root}${path}`, index + found.length - 1);
      if (name === undefined || handler === undefined) continue;
      const [signature] = checker.getSignaturesOfType(handler, SignatureKind.Call);
      types.set(name, awaited(checker.getReturnTypeOfSignature(signature!)!));
    }
  }
  return types;
}

const nameOf = (type: Type): string | undefined => type.getSymbol()?.name;

const awaited = (type: Type): Type => (nameOf(type) === 'Promise' ? elementsOf(type)[0]! : type);

/** The types of the elements of a list, or of the value of a promise. */
const elementsOf = (type: Type): readonly Type[] => checker.getTypeArguments(type as TypeReference);

/** The alternatives of a type, without undefined, and without elements of lists that are always empty. */
function alternativesOf(type: Type): readonly Type[] {
  const all = type.isUnionType() ? type.getTypes() : [type];
  return all.filter(({ flags }) => (flags & (TypeFlags.Undefined | TypeFlags.Never)) === 0);
}

/** One sentence for each part of the type that the shape does not describe. */
function undescribed(type: Type, shape: Shape, where: string): string[] {
  if (shape === 'any') return [];
  const faults = alternativesOf(type).flatMap((one) => {
    if (typeof shape === 'string') {
      return fits(one, shape) ? [] : [`${where} is no ${shape}: ${checker.typeToString(one)}`];
    }
    if (!isList(shape)) return undescribedIn(one, shape, where);
    return LISTS.includes(nameOf(one) ?? '') || checker.isTupleType(one)
      ? elementsOf(one).flatMap((element) => undescribed(element, shape[0], `${where}[]`))
      : [`${where} is no list: ${checker.typeToString(one)}`];
  });
  return [...new Set(faults)];
}

/** The same for the members of an object. */
function undescribedIn(type: Type, shape: { readonly [name: string]: Shape }, where: string): string[] {
  const named = checker.getIndexInfosOfType(type);
  const any = shape['*'];
  if (any !== undefined) return named.flatMap(({ valueType }) => undescribed(valueType, any, `${where}.*`));
  const isOpen = (type.flags & (TypeFlags.Object | TypeFlags.Intersection)) === 0 || named.length > 0;
  if (isOpen && where in OPEN) return [];
  if (isOpen) return [`${where} has members that no type lists: ${checker.typeToString(type)}`];
  return checker.getPropertiesOfType(type).flatMap((member) => {
    const value = checker.getTypeOfSymbol(member)!;
    const inside = shape[member.name] ?? shape[`${member.name}?`];
    if (inside !== undefined) return undescribed(value, inside, `${where}.${member.name}`);
    const path = `${where}.${member.name}`;
    return alternativesOf(value).length === 0 || path in NEVER ? [] : [`${path} is not described`];
  });
}

/** Members that the types allow but the commands never return, each with the reason. */
const NEVER: Readonly<Record<string, string>> = {
  'askrene-score.path[].next_node_id': 'a name for old clients, which only `getroutes` uses',
  'askrene-score.path[].amount_msat': 'the same',
  'askrene-score.path[].delay': 'the same',
  'sendpay.node': 'a given route is refused if several of our nodes pay',
  'sendpay.invreq_payer_note': 'the invoice is not read',
  'sendpay.invreq_id': 'the same',
  'sendonion.node': 'as for `sendpay`',
  'sendonion.invreq_payer_note': 'the same',
  'sendonion.invreq_id': 'the same',
};

/** Results whose members the compiler does not know, each with the reason. */
const OPEN: Readonly<Record<string, string>> = {
  'listpeerchannels.channels[]': 'rows of an attached node are shown as it reports them',
};

const LISTS: readonly string[] = ['Array', 'ReadonlyArray', 'JsonList'];
const TEXTS: readonly string[] = [
  'string',
  'hex',
  'hash',
  'secret',
  'txid',
  'pubkey',
  'short_channel_id',
  'short_channel_id_dir',
];

/** The words of a leaf that is one of several words. */
const wordsOf = (leaf: string): string[] => (leaf.startsWith('=') ? leaf.slice(1).split('|') : []);

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

/**
 * Whether values of the type are of the leaf's kind. If the leaf is one of several words, the type must name its words.
 */
function fits(type: Type, leaf: string): boolean {
  const is = (flags: number): boolean => basesOf(type).some((one) => (one.flags & flags) !== 0);
  if (leaf.startsWith('=')) return type.isStringLiteralType() && wordsOf(leaf).includes(type.value);
  if (leaf === 'boolean') return is(TypeFlags.BooleanLike);
  if (TEXTS.includes(leaf)) return is(TypeFlags.StringLike);
  return is(TypeFlags.NumberLike | TypeFlags.BigIntLike) || nameOf(type) === 'JsonText';
}

/** The parts of a branded type, such as `bigint & { … }`. */
const basesOf = (type: Type): readonly Type[] => (type.isIntersectionType() ? type.getTypes() : [type]);

const types = resultTypes();
/** Commands that are a different command under a second name. */
const SECOND_NAMES: Readonly<Record<string, string>> = {
  invokerune: 'createrune',
  destroyrune: 'blacklistrune',
};

const shapeOfResult = (name: string): { readonly [member: string]: Shape } => {
  const fields = COMMANDS.find((command) => command.name === name)!.result as Readonly<
    Record<string, ResultField>
  >;
  return Object.fromEntries(
    Object.entries(fields).map(([member, one]) => [
      one.optional === true ? `${member}?` : member,
      shapeOf(one),
    ]),
  );
};

// The result of `stop` is a text.
const named = COMMANDS.map(({ name }) => name).filter((name) => name !== 'stop');

test.for(named)('%s returns only what its description lists', (name) => {
  const type = types.get(SECOND_NAMES[name] ?? name)!;
  expect(undescribed(type, shapeOfResult(name), name)).toEqual([]);
});

const isOptional = ({ flags }: { readonly flags: SymbolFlags }): boolean =>
  (flags & SymbolFlags.Optional) !== 0;

const includesUndefined = (type: Type): boolean =>
  type.isUnionType() && type.getTypes().some(({ flags }) => (flags & TypeFlags.Undefined) !== 0);

/** Members that the types allow to be absent but the commands always return, each with the reason. */
const ALWAYS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['keysend', 'pay', 'transfer', 'waitsendpay', 'xkeysend', 'xpay'],
      'paystatus.pay[].attempts[].success',
    ].map((where) => [`${where}.payment_preimage`, 'the payment is complete']),
  ),
  'waitsendpay.completed_at': 'the attempt is complete',
  'exportlearned.state.persistence': 'only states written by earlier releases lack it',
  'exportlearned.state.times': 'the same',
  'exportlearned.state.terms': 'the same',
};

/**
 * One sentence for each member and each word of the shape that no value of the types has, and for each member that a
 * value may lack although the shape requires it.
 */
function unreturned(types: readonly Type[], shape: Shape, where: string): string[] {
  const every = types.flatMap(alternativesOf);
  if (typeof shape === 'string') {
    const words = every.filter((one) => one.isStringLiteralType()).map(({ value }) => value);
    return wordsOf(shape)
      .filter((word) => !words.includes(word))
      .map((word) => `${where} is never ${word}`);
  }
  if (isList(shape)) {
    const elements = every.flatMap(elementsOf);
    // Some lists are always empty.
    return elements.flatMap(alternativesOf).length === 0 ? [] : unreturned(elements, shape[0], `${where}[]`);
  }
  if ('*' in shape || where in OPEN) return [];
  return Object.entries(shape).flatMap(([key, inside]) => {
    const name = key.replace('?', '');
    const members = every.flatMap((one) => checker.getPropertyOfType(one, name) ?? []);
    const values = members.map((member) => checker.getTypeOfSymbol(member)!);
    const path = `${where}.${name}`;
    if (name === 'simulated') return [];
    if (values.flatMap(alternativesOf).length === 0) return [`${path} is never returned`];
    const mayLack =
      members.length < every.length || members.some(isOptional) || values.some(includesUndefined);
    const isFault = mayLack && !key.endsWith('?') && !(path in ALWAYS);
    return [...(isFault ? [`${path} may be absent`] : []), ...unreturned(values, inside, path)];
  });
}

test.for(named)('%s returns everything that its description lists', (name) => {
  expect(unreturned([types.get(SECOND_NAMES[name] ?? name)!], shapeOfResult(name), name)).toEqual([]);
});

test('every row of a list of payments, offers or channels may be marked as simulated', () => {
  const unmarked = named.flatMap((name) => {
    const shape = shapeOfResult(name);
    if (!('simulated?' in shape)) return [];
    const lists = Object.entries(shape).filter(([, one]) => isList(one) && typeof one[0] === 'object');
    return lists
      .filter(([, one]) => !('simulated?' in (one as readonly [object])[0]))
      .map(([member]) => `${name}.${member}`);
  });
  expect(unmarked).toEqual([]);
});

test('the description of `listpeerchannels` has all members that a Core Lightning node reports', () => {
  const shape = shapeOfResult('listpeerchannels');
  const known = Object.entries(shape).flatMap(([name, one]) => allPaths(one, name.replace('?', '')));
  expect(pathsOf('listpeerchannels').filter((path) => !known.includes(path))).toEqual([]);
});

/** The path of a shape and of everything inside it. */
function allPaths(shape: Shape, path: string): string[] {
  if (typeof shape === 'string') return [path];
  const below = isList(shape)
    ? allPaths(shape[0], `${path}[]`)
    : Object.entries(shape).flatMap(([name, one]) => allPaths(one, `${path}.${name.replace('?', '')}`));
  return [path, ...below];
}
