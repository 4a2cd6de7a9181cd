/**
 * The authorization hook of the dispatcher. Every request, alone or in a batch, passes it before its method
 * is looked up.
 */
import { describe, expect, it } from 'vitest';
import { ERRORS, FulguriteError } from '../../src/model/errors.ts';
import { defineCommandFor, optional } from '../../src/rpc/command.ts';
import { type Authorize, createDispatcher } from '../../src/rpc/dispatcher.ts';
import { parseJson } from '../../src/rpc/json-token.ts';
import { toJson } from '../../src/rpc/json-write.ts';
import { string } from '../../src/rpc/param-types.ts';
import { createRegistry } from '../../src/rpc/registry.ts';
import type { Session } from '../../src/rpc/session.ts';
import { listenOnSocket } from '../../src/rpc/socket-server.ts';
import { memoryLog, RawClient, temporaryDirectory } from './support.ts';

const ran: string[] = [];
const define = defineCommandFor<object>();
const texts = { summary: '', description: '', category: 'utility', result: {} } as const;
const commands = ['listthings', 'spend'].map((name) =>
  define({
    ...texts,
    name,
    params: { label: optional(string, '') },
    handler: () => {
      ran.push(name);
      return {};
    },
  }),
);

const log = memoryLog();
const dispatcherOf = (authorize?: Authorize) =>
  createDispatcher(createRegistry(commands), {}, log, { authorize });
const session: Session = { notifications: false, deprecations: true, batching: false };

async function ask(authorize: Authorize | undefined, method: string, params: object = {}) {
  const token = parseJson(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return JSON.parse(toJson(await dispatcherOf(authorize).answer(token, session, () => undefined)));
}

const onlyLists: Authorize = (method) => {
  if (!method.startsWith('list')) throw new FulguriteError('notPermitted', `Not permitted: ${method}`);
};
const refused = { jsonrpc: '2.0', id: 1, error: { code: 1502, message: 'Not permitted: spend' } };

describe('the authorization hook', () => {
  it('permits everything if it is not set', async () => {
    expect(await ask(undefined, 'spend')).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  it('refuses before the command runs, and permits other requests', async () => {
    ran.length = 0;
    expect(await ask(onlyLists, 'spend')).toEqual(refused);
    expect(await ask(onlyLists, 'listthings')).toMatchObject({ result: {} });
    expect(ran).toEqual(['listthings']);
  });

  it('does not reveal to a stranger which commands exist', async () => {
    const strange = await ask(onlyLists, 'no-such');
    expect(strange).toMatchObject({ error: { code: 1502 } });
    expect(await ask(onlyLists, 'listnothing')).toMatchObject({ error: { code: -32601 } });
  });

  it('gets method, parameters and session, and may be asynchronous', async () => {
    const seen: unknown[] = [];
    const result = await ask(
      async (method, params, of) => {
        await Promise.resolve();
        seen.push(method, params?.raw, of === session);
      },
      'spend',
      { label: 'x' },
    );
    expect(seen).toEqual(['spend', '{"label":"x"}', true]);
    expect(result).toMatchObject({ result: {} });
  });

  it('permits nothing if it fails itself', async () => {
    ran.length = 0;
    const answer = await ask(() => Promise.reject(new Error('the list of permissions is gone')), 'spend');
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32603, message: ERRORS.internal.meaning },
    });
    expect(ran).toEqual([]);
    expect(log.lines.at(-1)).toContain('the list of permissions is gone');
  });

  it('checks each request of a batch over the socket', async () => {
    const directory = temporaryDirectory();
    const dispatcher = dispatcherOf(onlyLists);
    const server = await listenOnSocket({ path: `${directory.path}/rpc`, dispatcher, log });
    const client = new RawClient(server.path);
    const batch = ['listthings', 'spend'].map((method, id) => ({ jsonrpc: '2.0', id, method, params: [] }));
    const answers = JSON.parse((await client.ask(JSON.stringify(batch)))!);
    client.close();
    await server.close(100);
    directory.remove();
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 0, result: {} },
      { ...refused, id: 1 },
    ]);
  });
});

/**
 * The statuses of Core Lightning's clnrest: 404 for -32601, 401 if the rune does not permit the request, 500 for all
 * other errors.
 */
describe('HTTP statuses', () => {
  it('are those of clnrest, or of RFC 9110 for errors that clnrest does not have', () => {
    const others = Object.entries(ERRORS).filter(([, { httpStatus }]) => httpStatus !== 500);
    expect(Object.fromEntries(others.map(([name, { httpStatus }]) => [name, httpStatus]))).toEqual({
      unknownMethod: 404,
      notPermitted: 401,
      notAuthorized: 401,
      runeMalformed: 401,
      runeBlacklisted: 401,
      runeMissing: 403,
      keyUsed: 409,
      engineAway: 503,
      tooLarge: 413,
      busy: 503,
      nodeAway: 503,
      shuttingDown: 503,
    });
  });
});
