/** The commands as REST paths, for programs that read OpenAPI 3.0, such as Swagger UI. */

import type { Registry } from './command.ts';
import { type Command, isAlwaysRequired, type ResultField, shownParams } from './command.ts';

/** The OpenAPI document of a registry: one `POST /v1/METHOD` for each command, with the rune in a header. */
export function swagger<C>(registry: Registry<C>, version: string): object {
  const paths = registry.names.map((name) => [
    `/v1/${name}`,
    { post: operation(registry.commands.get(name)!, registry.isDeveloper) },
  ]);
  return {
    openapi: '3.0.3',
    info: { title: 'Fulgurite', version },
    paths: Object.fromEntries(paths),
    components: { securitySchemes: { rune: { type: 'apiKey', in: 'header', name: 'Rune' } } },
    security: [{ rune: [] }],
  };
}

function operation<C>(command: Command<C>, isDeveloper: boolean): object {
  const params = shownParams(command, isDeveloper);
  const required = params.filter(([, param]) => isAlwaysRequired(param)).map(([name]) => name);
  const properties = params.map(([name, { type, description }]) => [
    name,
    { title: type.name, ...type.schema, description },
  ]);
  const body = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
  return {
    operationId: command.name,
    summary: command.summary,
    description: command.description,
    tags: [command.category],
    deprecated: command.deprecated === undefined ? undefined : true,
    requestBody: { required: required.length > 0, content: { 'application/json': { schema: body } } },
    responses: {
      '201': {
        description: 'The result.',
        content: { 'application/json': { schema: resultOf(command.result) } },
      },
      '401': { description: 'The rune does not permit the request.' },
      '403': { description: 'The rune is missing.' },
      '500': { description: 'The command failed: code, message, data.' },
    },
  };
}

function resultOf(result: Readonly<Record<string, ResultField>>): object {
  const members = Object.entries(result).map(([name, { type, description }]) => [
    name,
    { title: type, description },
  ]);
  return { type: 'object', properties: Object.fromEntries(members) };
}
