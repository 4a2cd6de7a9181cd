/** Describes the commands for programs (OpenRPC 1.3) and for people (Markdown), based on their definitions. */
import { ERRORS, type ErrorName } from '../model/errors.ts';
import type { Registry } from './command.ts';
import {
  type Command,
  type CommandExample,
  isAlwaysRequired,
  type ResultField,
  shownParams,
  usageOf,
} from './command.ts';
import { toJson } from './json-write.ts';
import { leafOf, leavesOf, type Shape, schemaOf } from './result-shape.ts';

/** Errors that every command can return, whatever it does. */
export const ERRORS_OF_ALL: readonly ErrorName[] = [
  'invalidParams',
  'unknownMethod',
  'internal',
  'busy',
  'shuttingDown',
  'notPermitted',
];

/** The shape of a result member. @throws Error when it is a list or an object of unknown content */
export function shapeOf({ type, shape }: ResultField): Shape {
  const leaf = shape ?? leafOf(type);
  if (leaf === undefined) throw new Error(`a result of type ${type} has no shape`);
  return leaf;
}

/** An error in OpenRPC's form, which allows only three members: code, message and data. */
function errorObject(name: ErrorName): object {
  const { code, meaning, remedy, retryable, httpStatus } = ERRORS[name];
  return { code, message: meaning, data: { name, remedy, retryable, http_status: httpStatus } };
}

/** The OpenRPC document of a registry. */
export function openRpc<C>(registry: Registry<C>, version: string) {
  return {
    openrpc: '1.3.2',
    info: { title: 'Fulgurite', version },
    methods: registry.names.map((name) => openRpcMethod(registry.commands.get(name)!, registry.isDeveloper)),
  };
}

function openRpcMethod<C>(command: Command<C>, isDeveloper: boolean) {
  const params = shownParams(command, isDeveloper);
  return {
    name: command.name,
    summary: command.summary,
    description: command.description,
    tags: [{ name: command.category }],
    deprecated: command.deprecated === undefined ? undefined : true,
    'x-read-only': command.readOnly,
    paramStructure: 'either',
    params: params.map(([name, param]) => ({
      name,
      description: param.description,
      required: isAlwaysRequired(param),
      schema: { title: param.type.name, ...param.type.schema, default: param.absent },
    })),
    result: { name: 'result', schema: resultSchema(command.result) },
    errors: [...(command.errors ?? []), ...ERRORS_OF_ALL].map(errorObject),
    examples: command.examples?.map((one, index) => examplePairing(command.name, one, index)),
  };
}

/** An example in OpenRPC's form. An example without a result shows its error in an additional member. */
function examplePairing(name: string, { params, result, error }: CommandExample, index: number): object {
  return {
    name: index === 0 ? name : `${name} ${index + 1}`,
    params: Object.entries(params).map(([param, value]) => ({ name: param, value })),
    ...(error === undefined ? { result: { name: 'result', value: result } } : { 'x-error': error }),
  };
}

function resultSchema(result: Readonly<Record<string, ResultField>>): object {
  const fields = Object.entries(result);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, one]) => [name, { ...schemaOf(shapeOf(one)), description: one.description }]),
    ),
    required: fields.filter(([, { optional }]) => optional !== true).map(([name]) => name),
  };
}

/** The reference of one command as Markdown. */
export function commandMarkdown<C>(command: Command<C>): string {
  const params = shownParams(command, false);
  const lines = [
    `# ${command.name}`,
    '',
    command.summary,
    '',
    `    ${usageOf(command)}`,
    '',
    command.description,
  ];
  if (command.readOnly === true) lines.push('', 'Read-only: it changes nothing and pays nothing.');
  if (command.since !== undefined) lines.push('', `Since ${command.since}.`);
  if (command.deprecated !== undefined) {
    lines.push(
      '',
      `Deprecated since ${command.deprecated.since}, removed after ${command.deprecated.removed}.`,
    );
  }
  if (params.length > 0) lines.push('', '| parameter | type | required | meaning |', '|---|---|---|---|');
  for (const [name, { type, required, unless, absent, description }] of params) {
    const need =
      unless !== undefined
        ? `unless ${unless}`
        : required
          ? 'yes'
          : absent === undefined
            ? 'no'
            : `no, ${String(absent)}`;
    lines.push(`| ${name} | ${cell(type.name)} | ${need} | ${cell(description)} |`);
  }
  const fields = Object.entries(command.result);
  if (fields.length > 0) lines.push('', '| result | type | always | meaning |', '|---|---|---|---|');
  for (const [name, one] of fields) {
    const { type, description, optional } = one;
    lines.push(`| ${name} | ${cell(type)} | ${optional === true ? 'no' : 'yes'} | ${cell(description)} |`);
    for (const { path, isOptional, leaf } of leavesOf(shapeOf(one), name)) {
      lines.push(`| ${path} | ${cell(leaf)} | ${isOptional ? 'no' : 'yes'} | |`);
    }
  }
  for (const example of command.examples ?? []) lines.push('', ...exampleLines(command.name, example));
  const errors = command.errors ?? [];
  if (errors.length > 0) lines.push('', '| error | meaning | remedy |', '|---|---|---|');
  for (const { code, meaning, remedy } of errors.map((name) => ERRORS[name])) {
    lines.push(`| ${code} | ${cell(meaning)} | ${cell(remedy)} |`);
  }
  return `${lines.join('\n')}\n`;
}

/** A request and its answer. Lists show only their first element. */
function exampleLines(method: string, { params, result, error }: CommandExample): string[] {
  const answer = error === undefined ? { result } : { error };
  return [
    'Example, with the first element of each list:',
    '',
    '```json',
    toJson({ method, params }),
    toJson(answer),
    '```',
  ];
}

/** The table of errors as Markdown. */
export function errorsMarkdown(): string {
  const rows = Object.entries(ERRORS).map(
    ([name, { code, meaning, remedy, retryable, httpStatus }]) =>
      `| ${code} | ${name} | ${meaning} | ${remedy} | ${retryable ? 'yes' : 'no'} | ${httpStatus} |`,
  );
  return [
    '# Errors',
    '',
    '| code | name | meaning | remedy | retry helps | HTTP status |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
