/**
 * Parses the parameters of a request by a command's declaration.
 *
 * The order of checks and the error texts are those of Core Lightning. Values are parsed in the order sent, and the
 * first invalid one is reported. If all are valid, the first missing parameter in declaration order is reported. Null
 * means absent, for both positional and named parameters.
 */
import { FulguriteError } from '../model/errors.ts';
import type { Command, Param, Params } from './command.ts';
import type { JsonToken } from './json-token.ts';
import { BadToken } from './param-types.ts';

/**
 * Whether parameters are parsed for a real call, or for `check`. The error of `check` shows the invalid token, and that
 * of a real call refers to the log.
 */
export type ParseMode = 'run' | 'check';

/** Maximum number of characters of a token shown in an error, so that a huge request does not cause a huge error. */
const MAX_TOKEN_SHOWN = 1000;

/** The parts of a command that parsing needs. */
type Declaration<C> = Pick<Command<C>, 'params' | 'aliases' | 'extraParams' | 'interchangeable'>;

interface Declared {
  readonly name: string;
  readonly param: Param<unknown>;
}

/** A value and its parameter. A surplus positional value has no name, and an undeclared name has no parameter. */
interface Given {
  readonly name: string | undefined;
  readonly declared: Declared | undefined;
  readonly token: JsonToken;
}

/**
 * Parses the values for the handler.
 * @param token the params of the request, if any.
 * @param isDeveloper whether developer parameters are available.
 * @throws FulguriteError invalidParams, with `data: {parameter, reason, value?}` when a single parameter is wrong.
 */
export function parseParams<C>(
  command: Declaration<C>,
  token: JsonToken | undefined,
  context: C,
  mode: ParseMode = 'run',
  isDeveloper = false,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const seen = new Set<Declared>();
  const given = givenValues(command, token);
  for (const [index, { name: givenName, declared, token: value }] of given.entries()) {
    if (declared === undefined) {
      if (command.extraParams) continue;
      throw givenName === undefined ? tooMany(given.length, command.params) : unknownParameter(givenName);
    }
    const { name, param } = declared;
    if (seen.has(declared))
      throw parameterFault(name, 'given more than once', `duplicate json names: ${name}`);
    seen.add(declared);
    if (value.kind === 'null') continue;
    if (param.forDevelopers && !isDeveloper)
      throw developerOnly(name, token?.kind === 'array' ? String(index) : `'${name}'`);
    try {
      values[name] = param.type.parse(value, context);
    } catch (error) {
      throw error instanceof BadToken ? badToken(name, error, mode) : error;
    }
  }
  return withAbsent(command.params, values);
}

/**
 * Adds the values that stand for absent parameters.
 * @throws FulguriteError invalidParams if a required one is missing
 */
function withAbsent<C>(declared: Params<C>, values: Record<string, unknown>): Record<string, unknown> {
  for (const name in declared) {
    if (Object.hasOwn(values, name)) continue;
    const param = declared[name]!;
    const isExcused = param.unless !== undefined && Object.hasOwn(values, param.unless);
    if (param.required && !isExcused)
      throw parameterFault(name, 'missing', `missing required parameter: ${name}`);
    values[name] = param.absent;
  }
  return values;
}

/** Converts positional or named parameters to a list of named values, in the order sent. */
function givenValues<C>(command: Declaration<C>, token: JsonToken | undefined): Given[] {
  if (token === undefined) return [];
  const byName = declaredNames(command);
  if (token.kind === 'object') {
    return token.members().map(({ key, value }) => ({ name: key, declared: byName.get(key), token: value }));
  }
  if (token.kind !== 'array') {
    throw new FulguriteError('invalidParams', 'Expected array or object for params');
  }
  const elements = token.elements();
  const names = positionalNames(command, elements);
  return elements.map((element, index) => {
    const name = names[index];
    return { name, declared: name === undefined ? undefined : byName.get(name), token: element };
  });
}

const namesOfCommands = new WeakMap<object, ReadonlyMap<string, Declared>>();

/** The parameters of a command by declared name and by alias. Cached, because every request needs these names. */
function declaredNames<C>(command: Declaration<C>): ReadonlyMap<string, Declared> {
  const known = namesOfCommands.get(command);
  if (known !== undefined) return known;
  const params = command.params as Params<unknown>;
  const names = new Map(Object.entries(params).map(([name, param]) => [name, { name, param }]));
  for (const [alias, name] of Object.entries(command.aliases ?? {}))
    names.set(alias, names.get(name as string)!);
  namesOfCommands.set(command, names);
  return names;
}

/** The names in positional order. Interchangeable neighbours are swapped if the kinds of their values require it. */
function positionalNames<C>(command: Declaration<C>, elements: readonly JsonToken[]): string[] {
  const names = Object.keys(command.params);
  if (command.interchangeable === undefined) return names;
  const declared = command.params as Params<C>;
  const [first, second] = command.interchangeable;
  const at = names.indexOf(first);
  const swapped =
    elements[at]?.kind === declared[second]?.type.kind ||
    elements[at + 1]?.kind === declared[first]?.type.kind;
  if (swapped) names.splice(at, 2, second, first);
  return names;
}

function parameterFault(name: string, reason: string, message: string, value?: string): FulguriteError {
  return parameterError(name, reason, message, { value });
}

/**
 * The error for a parameter that a handler refuses.
 * @param message the full text, if Core Lightning has a special one; by default `NAME: REASON`
 */
export function parameterError(
  parameter: string,
  reason: string,
  message = `${parameter}: ${reason}`,
  more: object = {},
): FulguriteError {
  return new FulguriteError('invalidParams', message, { parameter, reason, ...more });
}

/** The error for a parameter that a handler refuses with a full sentence, which is also the reason. */
export const refusedParameter = (parameter: string, message: string): FulguriteError =>
  parameterError(parameter, message, message);

/**
 * Throws `refusedParameter`. For use in expressions that otherwise yield a value. @throws FulguriteError invalidParams
 */
export function refuse(parameter: string, message: string): never {
  throw refusedParameter(parameter, message);
}

/** @throws FulguriteError invalidParams if the value is not between the two bounds, inclusive */
export function requireBetween(parameter: string, value: number, minimum: number, maximum: number): void {
  if (value >= minimum && value <= maximum) return;
  throw parameterError(parameter, `should be between ${minimum} and ${maximum}`);
}

function developerOnly(name: string, place: string): FulguriteError {
  return parameterFault(name, 'developer-only', `Parameter ${place} is developer-only`);
}

function badToken(name: string, { reason, token }: BadToken, mode: ParseMode): FulguriteError {
  const container = token.kind === 'array' || token.kind === 'object';
  const tail = mode === 'check' ? `'${shown(token.raw)}'` : '(see logs for details)';
  const message = `${name}: ${reason}: invalid token ${tail}`;
  return parameterFault(name, reason, message, container ? undefined : shown(token.text));
}

/**
 * The error for a well-formed parameter whose value a handler refuses, such as the name of a missing channel. It has
 * the same form as the error of a parameter type. A check that needs only the context belongs in a parameter type
 * instead, so that the `check` command performs it too.
 */
export function badParameter(name: string, reason: string, value?: string): FulguriteError {
  const message = `${name}: ${reason}: invalid token (see logs for details)`;
  return parameterFault(name, reason, message, value === undefined ? undefined : shown(value));
}

function unknownParameter(name: string): FulguriteError {
  return parameterFault(shown(name), 'unknown', `unknown parameter: ${shown(name)}`);
}

function tooMany<C>(given: number, declared: Params<C>): FulguriteError {
  const expected = Object.keys(declared).length;
  const message = `too many parameters: got ${given}, expected ${expected}`;
  return new FulguriteError('invalidParams', message, { reason: 'too many parameters' });
}

/** The start of a text, for errors that quote input. */
export function shown(text: string): string {
  return text.length <= MAX_TOKEN_SHOWN ? text : `${text.slice(0, MAX_TOKEN_SHOWN)}…`;
}
