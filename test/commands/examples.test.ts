/**
 * The examples of the API description are correct: each request is repeated on the same simulated network,
 * and both the new answer and the printed one have the described shape. Each command has an example.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnsweredExample, askExamples, EXAMPLE_RUNS } from '../../src/cli/ask-examples.ts';
import { FulguriteClient } from '../../src/client/client.ts';
import { examples } from '../../src/commands/examples.ts';
import { COMMANDS } from '../../src/commands/index.ts';
import type { ResultField } from '../../src/rpc/command.ts';
import { shapeOf } from '../../src/rpc/describe.ts';
import { misfits } from '../../src/rpc/result-shape.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { DaemonHere } from './daemon-here.ts';

const directory = temporaryDirectory();
const answered: AnsweredExample[] = [];
beforeAll(async () => {
  for (const [at, { options, calls }] of EXAMPLE_RUNS.entries()) {
    const home = join(directory.path, `home-${at}`);
    const daemon = await DaemonHere.start(home, options);
    const client = new FulguriteClient(join(home, 'fulgurite-rpc'));
    try {
      const ask = (method: string, params: object) => client.callByName(method, params);
      for await (const one of askExamples(ask, directory.path, calls)) answered.push(one);
    } finally {
      await daemon.stop();
    }
  }
}, 300_000);
afterAll(() => directory.remove());

/** Returns the differences between a result and the description in `rpc.discover`. */
function undescribed(name: string, result: unknown): string[] {
  // The result of this command is a text.
  if (name === 'stop') return typeof result === 'string' ? [] : [`${name} answers no text`];
  const fields = COMMANDS.find((command) => command.name === name)!.result as Record<string, ResultField>;
  const shape = Object.entries(fields).map(
    ([member, one]) => [one.optional === true ? `${member}?` : member, shapeOf(one)] as const,
  );
  return misfits(result, Object.fromEntries(shape), name);
}

const membersOf = (value: unknown): string[] => (typeof value === 'object' ? Object.keys(value!).sort() : []);

describe('the examples', () => {
  it('exist for each command', () => {
    const calls = EXAMPLE_RUNS.flatMap((run) => run.calls);
    const without = COMMANDS.filter(({ name }) => !calls.some(({ command }) => command === name));
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('are up to date: `npm run build:examples` regenerates them', () => {
    expect(examples().map(({ command }) => command)).toEqual(answered.map(({ call }) => call.command));
    for (const [index, { call, params, result, error }] of answered.entries()) {
      const shown = examples()[index]!;
      const stale = `${call.command}: npm run build:examples`;
      expect([stale, membersOf(shown.params)]).toEqual([stale, membersOf(params)]);
      expect([stale, membersOf(shown.result ?? {})]).toEqual([stale, membersOf(result ?? {})]);
      expect([stale, shown.error]).toEqual([stale, error]);
    }
  });

  it('have the described shape, both as printed and as returned now', () => {
    const wrong = [
      ...answered.map(({ call, result, error }) => ({ command: call.command, result, error })),
      ...examples(),
    ].flatMap(({ command, result, error }) => (error === undefined ? undescribed(command, result) : []));
    expect(wrong).toEqual([]);
  });

  it('fail only where success is impossible', () => {
    expect(answered.filter(({ error }) => error !== undefined).map(({ call }) => call.command)).toEqual([
      'disconnect',
      // There is no LND node in this test.
      'importmissioncontrol',
      'importnodehistory',
      'exportmissioncontrol',
      // No resolver is configured.
      'fetchbip353',
    ]);
  });
});
