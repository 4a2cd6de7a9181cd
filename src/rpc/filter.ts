/**
 * `filter`: the client sends a pattern in the shape of the result that it wants. In an object, the members named in the
 * pattern are kept. `true` keeps a member whole. An array of one element describes every element.
 *
 * If the pattern has an object and the result an array, or vice versa, that container is sent empty. The result then
 * has `warning_parameter_filter`, unless the container held only scalars. A pattern `{}` drops the scalars and keeps
 * the containers. Long lists are filtered while they are written.
 */
import type { FulguriteError } from '../model/errors.ts';
import type { JsonToken } from './json-token.ts';
import { JsonList } from './json-write.ts';
import { badParameter } from './params.ts';

/** The part of a value to keep: all of it, some members of an object, or a part of each element of an array. */
export type Filter = true | { readonly members: ReadonlyMap<string, Filter> } | { readonly element: Filter };

/** Maximum length of a filter in characters. */
const MAX_FILTER = 65_536;

/** Reads a filter. @throws FulguriteError invalidParams */
export function parseFilter(token: JsonToken): Filter {
  if (token.raw.length > MAX_FILTER) throw badFilter(`should have at most ${MAX_FILTER} characters`, token);
  if (token.kind !== 'object') throw badFilter('Expected object', token);
  return parseMirror(token);
}

function parseMirror(token: JsonToken): Filter {
  if (token.kind === 'object') {
    const members = new Map<string, Filter>();
    for (const { key, value } of token.members()) {
      if (!members.has(key)) members.set(key, parseMirror(value));
    }
    return { members };
  }
  if (token.kind === 'array') {
    const elements = token.elements();
    if (elements.length !== 1) throw badFilter('Arrays can only have one element', token);
    return { element: parseMirror(elements[0]!) };
  }
  if (token.raw !== 'true') throw badFilter('value must be true', token);
  return true;
}

function badFilter(reason: string, token: JsonToken): FulguriteError {
  const scalar = token.kind !== 'object' && token.kind !== 'array';
  return badParameter('filter', reason, scalar ? token.text : undefined);
}

/** The part of a result that the filter keeps. */
export function applyFilter(filter: Filter, result: unknown): unknown {
  if (filter === true || typeof result !== 'object' || result === null) return result;
  let warning: string | undefined;
  const kept = keep(filter, result, '', (text) => {
    warning ??= text;
  });
  if (typeof kept === 'object' && kept !== null && !isArray(kept)) {
    // The warning is a getter, and the last member to be read. Lists are filtered while they are written, so only at
    // the end is it known whether they matched the filter's shape.
    Object.defineProperty(kept, 'warning_parameter_filter', { enumerable: true, get: () => warning });
  }
  return kept;
}

type Warn = (text: string) => void;

function keep(filter: Filter, value: unknown, path: string, warn: Warn): unknown {
  if (filter === true || !isContainer(value)) return value;
  if (isArray(value)) {
    if ('element' in filter) return keepElements(filter.element, value, path, warn);
    if (!(value instanceof JsonList) && value.every((element) => !isContainer(element))) return [];
    warn(`${path} is an array`);
    return [];
  }
  if ('members' in filter) return keepMembers(filter.members, value, path, warn);
  if (Object.values(value).some(isContainer)) warn(`${path} is an object`);
  return {};
}

function keepElements(
  filter: Filter,
  list: readonly unknown[] | JsonList,
  path: string,
  warn: Warn,
): unknown {
  const one = (element: unknown) => keep(filter, element, `${path}[]`, warn);
  return list.map(one);
}

function keepMembers(
  members: ReadonlyMap<string, Filter>,
  value: Record<string, unknown>,
  path: string,
  warn: Warn,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const filter = members.get(name);
    if (filter !== undefined) kept[name] = keep(filter, member, `${path}.${name}`, warn);
    else if (members.size === 0 && isContainer(member)) kept[name] = member;
  }
  return kept;
}

function isContainer(value: unknown): value is Record<string, unknown> | readonly unknown[] | JsonList {
  return typeof value === 'object' && value !== null;
}

function isArray(value: unknown): value is readonly unknown[] | JsonList {
  return Array.isArray(value) || value instanceof JsonList;
}
