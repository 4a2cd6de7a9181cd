import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/model/errors.ts';
import {
  defineCommandFor,
  field,
  optional,
  optionalField,
  required,
  withDefault,
} from '../../src/rpc/command.ts';
import { commandMarkdown, ERRORS_OF_ALL, errorsMarkdown, openRpc } from '../../src/rpc/describe.ts';
import { toJson } from '../../src/rpc/json-write.ts';
import { msat, oneOf, u16 } from '../../src/rpc/param-types.ts';
import { createRegistry } from '../../src/rpc/registry.ts';

const pay = defineCommandFor<object>()({
  name: 'pay',
  summary: 'Pay.',
  description: 'Pays something.',
  category: 'payments',
  since: 'v1',
  deprecated: { since: 'v2', removed: 'v3' },
  params: {
    amount_msat: required(msat, 'How much.'),
    way: optional(oneOf(['in', 'out'], ''), 'Which way.'),
    tries: withDefault(u16, 3, 'How often; three are enough.'),
  },
  result: { id: field('hash', 'Which.'), note: optionalField('string', 'Why.') },
  handler: () => ({}),
});

describe('descriptions', () => {
  it('come as text for people', () => {
    expect(commandMarkdown(pay)).toBe(`# pay

Pay.

    pay (DEPRECATED!) amount_msat [way] [tries]

Pays something.

Since v1.

Deprecated since v2, removed after v3.

| parameter | type | required | meaning |
|---|---|---|---|
| amount_msat | msat | yes | How much. |
| way | in\\|out | no | Which way. |
| tries | u16 | no, 3 | How often; three are enough. |

| result | type | always | meaning |
|---|---|---|---|
| id | hash | yes | Which. |
| note | string | no | Why. |
`);
  });

  it('come as JSON for programs', () => {
    expect(JSON.parse(toJson(openRpc(createRegistry([pay]), '1')))).toEqual({
      openrpc: '1.3.2',
      info: { title: 'Fulgurite', version: '1' },
      methods: [
        {
          name: 'pay',
          summary: 'Pay.',
          description: 'Pays something.',
          tags: [{ name: 'payments' }],
          deprecated: true,
          paramStructure: 'either',
          params: [
            {
              name: 'amount_msat',
              description: 'How much.',
              required: true,
              schema: { title: 'msat', oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
            },
            {
              name: 'way',
              description: 'Which way.',
              required: false,
              schema: { title: 'in|out', type: 'string', enum: ['in', 'out'] },
            },
            {
              name: 'tries',
              description: 'How often; three are enough.',
              required: false,
              schema: { title: 'u16', type: 'integer', minimum: 0, maximum: 65535, default: 3 },
            },
          ],
          result: {
            name: 'result',
            schema: {
              type: 'object',
              properties: {
                id: { title: 'hash', type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Which.' },
                note: { title: 'string', type: 'string', description: 'Why.' },
              },
              required: ['id'],
            },
          },
          errors: ERRORS_OF_ALL.map((name) =>
            expect.objectContaining({ code: ERRORS[name].code, data: expect.objectContaining({ name }) }),
          ),
        },
      ],
    });
  });

  it('include all errors', () => {
    for (const name of Object.keys(ERRORS)) expect(errorsMarkdown()).toContain(`| ${name} |`);
    expect(errorsMarkdown()).toMatch(/^\| -32601 \| unknownMethod \|.*\| no \| 404 \|$/m);
  });

  it('mark read-only commands', () => {
    const look = { ...pay, name: 'look', readOnly: true } as const;
    expect(commandMarkdown(look)).toContain('\nRead-only: it changes nothing and pays nothing.\n');
    const { methods } = JSON.parse(toJson(openRpc(createRegistry([look, pay]), '1')));
    const told = methods.map((method: Record<string, unknown>) => [method.name, method['x-read-only']]);
    expect(told).toEqual([
      ['look', true],
      ['pay', undefined],
    ]);
  });

  it('need different names', () => {
    expect(() => createRegistry([pay, pay])).toThrow('two commands are named pay');
  });
});
