/**
 * Random requests to a whole daemon: every request is answered, none with an internal error, and the process
 * survives.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/commands/index.ts';
import { ERRORS } from '../../src/model/errors.ts';
import { ERRORS_OF_ALL } from '../../src/rpc/describe.ts';
import { MAIN } from '../commands/daemon-process.ts';
import { RawClient, temporaryDirectory } from '../rpc/support.ts';

const directory = temporaryDirectory();
let daemon: ChildProcess;
let client: RawClient;
let socketPath: string;
let log = '';

beforeAll(async () => {
  const argv = ['start', '--graph', 'synthetic:100', '--data-dir', directory.path, '--log-level', 'broken'];
  daemon = spawn(process.execPath, [MAIN, ...argv]);
  daemon.stderr?.on('data', (text) => {
    log += text;
  });
  const [line] = await once(daemon.stdout!, 'data');
  socketPath = String(line).trim().slice('ready '.length);
  client = new RawClient(socketPath);
  await client.ask('{"id":1,"method":"askrene-create-layer","params":["fuzz"]}');
});

/**
 * The answer to a request. Random requests may have enabled notifications, which arrive in between and have
 * no id.
 */
async function answerTo(asked: RawClient, request: string) {
  let answer = JSON.parse((await asked.ask(request))!);
  while (answer.id === undefined) answer = JSON.parse((await asked.next())!);
  return answer;
}

afterAll(async () => {
  client?.close();
  daemon?.kill('SIGKILL');
  directory.remove();
});

/** Values that some parameter accepts, so that many requests pass the checks of their parameters. */
const plausible = fc.constantFrom(
  '"fuzz"',
  '["fuzz"]',
  '[]',
  '"auto.sourcefree"',
  '"03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c"',
  '"0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"',
  '"1x1x1"',
  '"1x1x1/0"',
  '[{"short_channel_id_dir":"1x1x1/0","amount_msat":1}]',
  '18446744073709551615',
  '"1000sat"',
  '0',
  '18',
  '-100',
  '"in"',
  '"constrained"',
  'true',
  'null',
);
const value = fc.oneof(
  { weight: 3, arbitrary: plausible },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
);

/**
 * Commands that wait for a payment without a time limit. Their refusals are tested in
 * commands/offers/own-invoices.test.ts.
 */
const WAITS: readonly string[] = ['waitinvoice', 'waitanyinvoice'];

/** Every command except those that wait and the one that stops the daemon. */
const request = fc
  .constantFrom(...COMMANDS.filter(({ name }) => name !== 'stop' && !WAITS.includes(name)))
  .chain(({ name, params }) => {
    const names = Object.keys(params);
    const positional = fc
      .array(value, { maxLength: names.length + 1 })
      .map((values) => `[${values.join(',')}]`);
    const member = fc
      .tuple(fc.constantFrom(...names, 'foo', '__proto__'), value)
      .map(([key, text]) => `"${key}":${text}`);
    const named = fc
      .array(member, { maxLength: names.length + 1 })
      .map((members) => `{${members.join(',')}}`);
    return fc
      .oneof(
        { weight: 4, arbitrary: positional },
        { weight: 4, arbitrary: named },
        { weight: 1, arbitrary: fc.json() },
      )
      .map((json) => `{"id":7,"method":"${name}","params":${json}}`);
  });

/**
 * Read-only commands that require no parameters. Without parameters they must succeed, regardless of earlier
 * requests.
 */
const UNCONDITIONAL = COMMANDS.filter(
  ({ name, readOnly, params }) =>
    readOnly === true &&
    !WAITS.includes(name) &&
    (Object.values(params) as { required: boolean }[]).every(({ required }) => !required),
).map(({ name }) => name);

/** The error codes in the description of the request's command. */
function codesOf(request: string): number[] {
  const { method } = JSON.parse(request) as { method: string };
  const { errors = [] } = COMMANDS.find(({ name }) => name === method)!;
  return [...errors, ...ERRORS_OF_ALL].map((name) => ERRORS[name].code);
}

describe('a daemon that receives random requests', () => {
  it('answers everything with a result or a typed error', async () => {
    await fc.assert(
      fc.asyncProperty(request, async (text) => {
        const answer = await answerTo(client, text);
        expect(answer.id).toBe(7);
        if (answer.error === undefined) {
          expect(answer.result).toBeDefined();
        } else {
          expect(codesOf(text), text).toContain(answer.error.code);
          expect(answer.error.code, answer.error.message).not.toBe(ERRORS.internal.code);
          expect(answer.error.message).toMatch(/./);
        }
      }),
      { numRuns: 2000 },
    );
    expect(daemon.exitCode).toBeNull();
    expect(log).not.toContain(' BROKEN ');
  });

  it('still answers every command without required parameters', async () => {
    expect(UNCONDITIONAL).toContain('getinfo');
    // A new connection: on the old one, a random request may have disabled deprecated commands.
    const other = new RawClient(socketPath);
    for (const method of UNCONDITIONAL) {
      const answer = await answerTo(other, JSON.stringify({ id: 8, method, params: {} }));
      expect(answer, `${method}: ${JSON.stringify(answer.error)}`).toHaveProperty('result');
    }
    other.close();
  });
});
