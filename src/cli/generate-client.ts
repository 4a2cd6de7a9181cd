/**
 * Writes the types of the client from the description that `rpc.discover` answers: for each command its
 * parameters, and its result down to the leaves.
 *
 *     generate-client FILE
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { COMMANDS } from '../commands/index.ts';
import { VERSION } from '../model/version.ts';
import { openRpc } from '../rpc/describe.ts';
import { toJson } from '../rpc/json-write.ts';
import { createRegistry } from '../rpc/registry.ts';

/** What is read of a JSON Schema. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly maximum?: number;
  readonly description?: string;
}

/** What is read of the description of one command. */
interface Method {
  readonly name: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly params: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly description: string;
    readonly schema: Schema;
  }[];
  readonly result: { readonly schema: Schema };
}

/** The lines that say what a command takes. */
function paramLines(params: Method['params']): string[] {
  if (params.length === 0) return ['    params: Record<string, never>;'];
  const lines = params.map(
    ({ name, description, required, schema }) =>
      `      ${comment(description)}\n      '${name}'${required ? '' : '?'}: ${given(schema)};`,
  );
  return ['    params: {', ...lines, '    };'];
}

/** The source of the types, from an OpenRPC document. */
export function clientTypes({ methods }: { readonly methods: readonly Method[] }): string {
  const entries = methods.map(({ name, summary, deprecated, params, result }) =>
    [
      `  ${comment(deprecated === true ? `${summary} @deprecated` : summary)}`,
      `  '${name}': {`,
      ...paramLines(params),
      `    result: ${result.schema.properties === undefined || Object.keys(result.schema.properties).length === 0 ? 'object | string' : typeOf(result.schema, '    ')};`,
      '  };',
    ].join('\n'),
  );
  return [
    '/**',
    ' * The commands of a node: made by `npm run client` from what `rpc.discover` answers, and not by hand.',
    ' *',
    ' * Amounts and other integers of 64 bits are bigint where a JavaScript number cannot hold them. Parameters take',
    ' * what the node reads: an amount also as text, such as `10sat`.',
    ' */',
    '',
    '/** By the name of a command, what it takes and what it answers. */',
    'export interface Methods {',
    ...entries,
    '}',
    '',
  ].join('\n');
}

const comment = (text: string): string => `/** ${text.replaceAll('*/', '*\\/')} */`;

/** A type of values that the node answers. */
function typeOf(schema: Schema, indent: string): string {
  if (schema.oneOf !== undefined) return schema.oneOf.map((one) => typeOf(one, indent)).join(' | ');
  if (schema.enum !== undefined) return schema.enum.map((word) => `'${word}'`).join(' | ');
  switch (schema.type) {
    case 'integer':
      return schema.maximum === undefined ? 'number | bigint' : 'number';
    case 'array':
      return `readonly (${typeOf(schema.items ?? {}, indent)})[]`;
    case 'object':
      return objectType(schema, indent);
    case undefined:
      return 'unknown';
    default:
      return schema.type;
  }
}

function objectType({ properties, additionalProperties, required = [] }: Schema, indent: string): string {
  if (properties === undefined) {
    return `Readonly<Record<string, ${additionalProperties === undefined ? 'unknown' : typeOf(additionalProperties, indent)}>>`;
  }
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, one]) => {
    const head = one.description === undefined ? '' : `${inner}${comment(one.description)}\n`;
    return `${head}${inner}readonly '${name}'${required.includes(name) ? '' : '?'}: ${typeOf(one, inner)};`;
  });
  return `{\n${members.join('\n')}\n${indent}}`;
}

/** A type of values that the node takes. What is a number may be given as text too. */
function given(schema: Schema): string {
  const plain = typeOf(schema, '      ');
  return schema.type === 'integer' ? `${plain} | string` : plain;
}

/** The types of this release. */
export const ownTypes = (): string =>
  clientTypes(JSON.parse(toJson(openRpc(createRegistry(COMMANDS), VERSION))));

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(process.argv[2]!, ownTypes());
