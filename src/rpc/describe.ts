/**
 * Descriptions of the commands for programs (OpenRPC 1.3) and for people (Markdown), from their definitions.
 */
import { ERRORS } from '../model/errors.ts';
import { type Command, type ResultField, shownParams, usageOf } from './command.ts';
import type { Registry } from './registry.ts';

/** The OpenRPC document of a registry. */
export function openRpc<C>(registry: Registry<C>, version: string): object {
  return {
    openrpc: '1.3.2',
    info: { title: 'Fulgurite', version },
    methods: registry.names.map((name) => openRpcMethod(registry.commands.get(name)!, registry.isDeveloper)),
  };
}

function openRpcMethod<C>(command: Command<C>, isDeveloper: boolean): object {
  const params = shownParams(command, isDeveloper);
  return {
    name: command.name,
    summary: command.summary,
    description: command.description,
    tags: [{ name: command.category }],
    deprecated: command.deprecated === undefined ? undefined : true,
    'x-read-only': command.readOnly,
    paramStructure: 'either',
    params: params.map(([name, { type, required, absent, description }]) => ({
      name,
      description,
      required,
      schema: { title: type.name, ...type.schema, default: absent },
    })),
    result: { name: 'result', schema: resultSchema(command.result) },
  };
}

function resultSchema(result: Readonly<Record<string, ResultField>>): object {
  const fields = Object.entries(result);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, { type, description }]) => [name, { title: type, description }]),
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
  if (command.readOnly === true) lines.push('', 'Only reads: it changes nothing and sends nothing.');
  if (command.since !== undefined) lines.push('', `Since ${command.since}.`);
  if (command.deprecated !== undefined) {
    lines.push(
      '',
      `Deprecated since ${command.deprecated.since}, removed after ${command.deprecated.removed}.`,
    );
  }
  if (params.length > 0) lines.push('', '| parameter | type | required | meaning |', '|---|---|---|---|');
  for (const [name, { type, required, absent, description }] of params) {
    const need = required ? 'yes' : absent === undefined ? 'no' : `no, ${String(absent)}`;
    lines.push(`| ${name} | ${cell(type.name)} | ${need} | ${cell(description)} |`);
  }
  const fields = Object.entries(command.result);
  if (fields.length > 0) lines.push('', '| result | type | always | meaning |', '|---|---|---|---|');
  for (const [name, { type, description, optional }] of fields) {
    lines.push(`| ${name} | ${cell(type)} | ${optional === true ? 'no' : 'yes'} | ${cell(description)} |`);
  }
  return `${lines.join('\n')}\n`;
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
