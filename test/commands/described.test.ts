/**
 * The description of the commands in `rpc.discover`: it is complete, answers conform to it, and the client's
 * types are generated from it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ownTypes } from '../../src/cli/generate-client.ts';
import { COMMANDS } from '../../src/commands/index.ts';
import { RESULT_SHAPES } from '../../src/commands/result-shapes/index.ts';
import { ERRORS } from '../../src/model/errors.ts';
import type { ResultField } from '../../src/rpc/command.ts';
import { ERRORS_OF_ALL, openRpc, shapeOf } from '../../src/rpc/describe.ts';
import { createRegistry } from '../../src/rpc/registry.ts';
import { leavesOf, misfits, schemaOf } from '../../src/rpc/result-shape.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Schema {
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
}

/** Paths at which a schema declares a bare `array` or `object`, without describing its content. */
function open(schema: Schema, path: string): string[] {
  const { type, items, properties, additionalProperties } = schema;
  if (type === 'array') return items === undefined ? [path] : open(items, `${path}[]`);
  if (type !== 'object') return [];
  if (additionalProperties !== undefined) return open(additionalProperties, `${path}.*`);
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([name, one]) => open(one, `${path}.${name}`));
}

describe('the description', () => {
  const { methods } = JSON.parse(
    JSON.stringify(openRpc(createRegistry(COMMANDS), '0'), (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    ),
  );

  it('gives every member of every result a type, down to the leaves', () => {
    const paths = methods.flatMap(({ name, result }: { name: string; result: { schema: Schema } }) =>
      open(result.schema, name),
    );
    expect(paths).toEqual([]);
  });

  it('reports the errors of each command, with codes of the table', () => {
    const codes = Object.values(ERRORS).map(({ code }) => code as number);
    for (const { errors } of methods) {
      expect(errors.length).toBeGreaterThanOrEqual(ERRORS_OF_ALL.length);
      for (const { code } of errors) expect(codes).toContain(code);
    }
    const of = (name: string): number[] =>
      methods
        .find((one: { name: string }) => one.name === name)
        .errors.map(({ code }: { code: number }) => code);
    expect(of('getroutes')).toEqual(expect.arrayContaining([205, 206, 210, 215, 220, -32602]));
    expect(of('fetchinvoice')).toEqual(expect.arrayContaining([1002, 1003, 1004, 1005]));
  });

  it('lists only errors that are thrown somewhere', () => {
    const sources = (readdirSync(join(root, 'src'), { recursive: true }) as string[])
      .filter((file) => file.endsWith('.ts') && !/(^|\/)(errors|described|examples|describe)\.ts$/.test(file))
      .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
      .join('\n');
    const listed = new Set([...COMMANDS.flatMap(({ errors = [] }) => errors), ...ERRORS_OF_ALL]);
    expect([...listed].filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
  });

  it('describes only members that exist', () => {
    const stray = Object.entries(RESULT_SHAPES).flatMap(([name, shapes]) => {
      const result = COMMANDS.find((command) => command.name === name)?.result as object | undefined;
      return Object.keys(shapes)
        .filter((member) => !(member in (result ?? {})))
        .map((member) => `${name}.${member}`);
    });
    expect(stray).toEqual([]);
  });

  it('rejects a result of unknown content', () => {
    expect(() => shapeOf({ type: 'array', description: '' } as ResultField)).toThrow('has no shape');
  });
});

describe('the shape of a result', () => {
  const shape = { a: 'msat', 'b?': ['=x|y'], 'c?': { '*': 'boolean' } } as const;

  it('is a schema', () => {
    expect(schemaOf(shape)).toEqual({
      type: 'object',
      properties: {
        a: { title: 'msat', type: 'integer', minimum: 0 },
        b: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
        c: { type: 'object', additionalProperties: { title: 'boolean', type: 'boolean' } },
      },
      required: ['a'],
    });
  });

  it('reports where a value does not match it', () => {
    expect(misfits({ a: 2n ** 63n, b: ['x'], c: { any: true } }, shape, 'r')).toEqual([]);
    expect(misfits({ b: ['z'], c: { any: 1 }, d: 0 }, shape, 'r')).toEqual([
      'r.a is missing',
      'r.b[0] is no =x|y: "z"',
      'r.c.any is no boolean: 1',
      'r.d is not described',
    ]);
    expect(misfits({ a: -1 }, shape, 'r')).toEqual(['r.a is no msat: -1']);
    expect(misfits([], shape, 'r')).toEqual(['r is not an object: []']);
    expect(misfits({ a: 1, b: 'x' }, shape, 'r')).toEqual(['r.b is not a list: "x"']);
  });

  it('lists its leaves for the reference documentation', () => {
    expect(leavesOf([shape], 'r').map(({ path, leaf }) => `${path} ${leaf}`)).toEqual([
      'r[].a msat',
      'r[].b[] =x|y',
      'r[].c.* boolean',
    ]);
  });
});

describe('the types of the client', () => {
  it('match the description: `npm run build:client` regenerates them', () => {
    expect(readFileSync(join(root, 'src/client/methods.ts'), 'utf8')).toBe(ownTypes());
  });
});
