/**
 * Layer commands with arbitrary parameters: each request is carried out or refused with a typed error, never
 * anything else.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NodeContext } from '../../../src/commands/context.ts';
import { COMMANDS } from '../../../src/commands/index.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { parseJson } from '../../../src/rpc/json-token.ts';
import { parseParams } from '../../../src/rpc/params.ts';

const commands = COMMANDS.filter(({ name }) => name.startsWith('askrene-'));
const book = new LayerBook(() => 0);
book.createLayer('test', false);
const context = { layers: book } as NodeContext;

/** JSON that is close to valid parameters: it contains words, numbers and shapes that the commands accept. */
const scalar = fc.oneof(
  fc.constantFrom('test', '1x2x3', '1x2x3/1', '5sat', '', 'in', 'succeeded', `02${'79be667e'.repeat(8)}`),
  fc.constantFrom(0, 1, -1, 1.5, 2 ** 53, 1e300),
  fc.constantFrom(null, true, false),
  fc.string(),
);
const element = fc.dictionary(fc.constantFrom('short_channel_id_dir', 'amount_msat', 'layer', 'x'), scalar);
const value = fc.oneof(
  scalar,
  fc.array(fc.oneof(element, scalar), { maxLength: 3 }),
  element,
  fc.jsonValue(),
);

test.each(commands)('$name', (command) => {
  const names = fc.constantFrom(...Object.keys(command.params), 'foo');
  const params = fc.oneof(fc.array(value, { maxLength: 9 }), fc.dictionary(names, value), value);
  fc.assert(
    fc.property(params, fc.boolean(), (given, check) => {
      try {
        const parsed = parseParams(
          command,
          parseJson(JSON.stringify(given)),
          context,
          check ? 'check' : 'run',
        );
        expect(Object.keys(parsed).sort()).toEqual(Object.keys(command.params).sort());
      } catch (error) {
        expect(error).toBeInstanceOf(FulguriteError);
        expect((error as FulguriteError).code).toBe(-32602);
      }
    }),
    { numRuns: 300 },
  );
});
