/** The machine-readable descriptions, checked by the reference validators of OpenRPC and OpenAPI. */
import * as jsonSchemaPackage from '@json-schema-tools/meta-schema';
import * as openRpcPackage from '@open-rpc/meta-schema';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/index.ts';
import { openRpc } from '../../src/rpc/describe.ts';
import { toJson } from '../../src/rpc/json-write.ts';
import { createRegistry } from '../../src/rpc/registry.ts';
import { swagger } from '../../src/rpc/swagger.ts';

// The type declarations of both packages describe documents, but omit the schemas that the packages export.
const { jsonSchema } = jsonSchemaPackage as unknown as { readonly jsonSchema: object };
const { openrpcDocument } = openRpcPackage as unknown as { readonly openrpcDocument: object };

interface OpenRpcDocument {
  readonly methods: readonly {
    readonly name: string;
    readonly params: readonly {
      readonly name: string;
      readonly required: boolean;
      readonly schema: object;
    }[];
    readonly result: { readonly schema: object };
    readonly errors: readonly { readonly code: number }[];
  }[];
}

/**
 * A meta-schema without its `$schema`, which is draft 7 under an address that the validator does not know.
 */
function withoutSchema(schema: object): object {
  const { $schema: _, ...rest } = schema as { readonly $schema?: string };
  return rest;
}

describe.each([false, true])('with developer commands: %s', (isDeveloper) => {
  const registry = createRegistry(COMMANDS, isDeveloper);
  const openrpc: OpenRpcDocument = JSON.parse(toJson(openRpc(registry, '1.0.0')));

  /**
   * A validator of OpenRPC documents. Their meta-schema refers to the meta-schema of JSON Schema by an address that
   * OpenRPC's authors chose.
   */
  function metaSchema() {
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    const schema = withoutSchema(jsonSchema);
    // The address occurs with and without a final slash.
    ajv.addSchema(schema);
    ajv.addSchema({ ...schema, $id: undefined }, 'https://meta.json-schema.tools');
    return ajv.compile(withoutSchema(openrpcDocument));
  }

  test('/openrpc.json is a valid OpenRPC document', () => {
    const validate = metaSchema();
    validate(openrpc);
    expect(validate.errors).toBeNull();
    expect(openrpc.methods).toHaveLength(registry.names.length);
    // The validator does detect faults: it rejects an error with unknown members.
    const [first, ...others] = openrpc.methods;
    const wrong = { ...first, errors: [{ ...first!.errors[0], 'x-name': 'invalidParams' }] };
    expect(validate({ ...openrpc, methods: [wrong, ...others] })).toBe(false);
  });

  test('rules beyond the meta-schema hold too: names are unique, required parameters come first, schemas compile', () => {
    const ajv = new Ajv({ strict: false });
    expect(new Set(openrpc.methods.map(({ name }) => name)).size).toBe(openrpc.methods.length);
    for (const { params, result } of openrpc.methods) {
      expect(new Set(params.map(({ name }) => name)).size).toBe(params.length);
      const firstOptional = params.findIndex(({ required }) => !required);
      const after = firstOptional < 0 ? [] : params.slice(firstOptional);
      expect(after.filter(({ required }) => required)).toEqual([]);
      for (const { schema } of [...params, result]) expect(() => ajv.compile(schema)).not.toThrow();
    }
  });

  test('/swagger.json is a valid OpenAPI 3.0 document', async () => {
    const document = JSON.parse(toJson(swagger(registry, '1.0.0')));
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.0');
    const [path] = Object.keys(document.paths);
    delete document.paths[path!].post.responses;
    expect((await new Validator().validate(document)).valid).toBe(false);
  });
});
