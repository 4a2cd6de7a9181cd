/** Log lines for refused requests: their content, what they leave out, and their number. */
import { beforeEach, expect, it } from 'vitest';
import { FulguriteError } from '../../src/model/errors.ts';
import { defineCommandFor, required } from '../../src/rpc/command.ts';
import { string } from '../../src/rpc/param-types.ts';
import { RefusalLines } from '../../src/rpc/refusal-lines.ts';
import { memoryLog } from './support.ts';

const command = defineCommandFor<unknown>()({
  name: 'say',
  summary: '',
  description: '',
  category: 'utility',
  params: { what: required(string, '') },
  result: {},
  handler: () => ({}),
});

let log: ReturnType<typeof memoryLog>;
let nowMs: number;
let refusals: RefusalLines;
const refused = (data?: object, message = 'what: wrong: invalid token (see logs for details)') =>
  refusals.note(command, '7', new FulguriteError('invalidParams', message, data as Record<string, unknown>));

beforeEach(() => {
  log = memoryLog();
  nowMs = 0;
  refusals = new RefusalLines(log, () => nowMs);
});

it('a line names parameter, reason and length, but not the value', () => {
  refused({ parameter: 'what', reason: 'should be short', value: 'a secret' });
  refused({ parameter: 'a secret', reason: 'unknown' });
  refused({ parameter: 'what', reason: 'the key "a secret" of "it" is odd', value: 'x' });
  refused(undefined, "'a secret' is nothing");
  expect(log.recent.lines.map(({ message, fields }) => [message, fields])).toEqual([
    [
      'say refused: should be short',
      { method: 'say', req: '7', code: -32602, parameter: 'what', characters: 8 },
    ],
    ['say refused: unknown', { method: 'say', req: '7', code: -32602 }],
    [
      'say refused: the key … is odd',
      { method: 'say', req: '7', code: -32602, parameter: 'what', characters: 1 },
    ],
    ['say refused: … is nothing', { method: 'say', req: '7', code: -32602 }],
  ]);
});

it('other errors are logged at debug level, and bugs elsewhere', () => {
  refusals.note(command, '8', new FulguriteError('routeNotFound', 'a secret'));
  refusals.note(command, '9', new Error('a defect'));
  expect(log.lines).toEqual(['debug: say failed']);
});

it('lines are limited in number, and the omitted ones are counted', () => {
  for (let n = 0; n < 1000; n++) refused({ parameter: 'what', reason: 'bad' });
  expect(log.lines.length).toBe(200);
  nowMs = 1000;
  refused({ parameter: 'what', reason: 'bad' });
  expect(log.lines.slice(200)).toEqual(['info: 800 more requests were refused', 'info: say refused: bad']);
});
