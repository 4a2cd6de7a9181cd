/** Calls over one connection to a Core Lightning node: errors of any form, and calls that are answered late. */
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NodeSocket } from '../../../src/network/cln/node-socket.ts';
import { temporaryDirectory } from '../../rpc/support.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let server: Server;
let socket: NodeSocket;
const connections: Socket[] = [];
/** The members of each answer besides its id. Undefined: no answer. */
let answer: object | undefined;

beforeEach(async () => {
  directory = temporaryDirectory();
  const path = join(directory.path, 'rpc');
  server = createServer((connection) => {
    connections.push(connection);
    connection.on('data', (request) => {
      if (answer === undefined) return;
      const { id } = JSON.parse(request.toString());
      connection.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  socket = await NodeSocket.open(path, 1_000);
});
afterEach(async () => {
  socket.close();
  for (const connection of connections.splice(0)) connection.destroy();
  await new Promise((resolve) => server.close(resolve));
  directory.remove();
});

describe('an error of the node', () => {
  test.each([
    ['an object', { code: 205, message: 'no route', data: {} }, 205, 'no route'],
    ['a malformed object', { code: 'x', message: 5 }, -1, 'an error without a message'],
    ['a text', 'rpc is disabled', -1, 'rpc is disabled'],
    ['a long text, which is cut', 'x'.repeat(1_000), -1, 'x'.repeat(300)],
    ['another value', [1, 2], -1, '[1,2]'],
  ])('is %s', async (_form, error, code, message) => {
    answer = { error };
    await expect(socket.call('getinfo')).rejects.toMatchObject({ code, message });
  });

  test('is absent, and so is the result', async () => {
    answer = { error: null };
    await expect(socket.call('getinfo')).rejects.toMatchObject({ code: -1, message: 'getinfo: no result' });
  });
});

test('the first slow call of each method is reported, with the time left', async () => {
  answer = undefined;
  const slow: [string, number][] = [];
  socket.watchSlowCalls(10, (method, leftMs) => void slow.push([method, leftMs]));
  const calls = [
    socket.call('listchannels', {}, { timeoutMs: 40 }),
    socket.call('listchannels', {}, { timeoutMs: 40 }),
    socket.call('getinfo', {}, { timeoutMs: 30 }),
    // These are too short, or without a timeout.
    socket.call('listpeers', {}, { timeoutMs: 10 }),
  ];
  const waiting = socket.call('wait');
  const ended = await Promise.allSettled(calls);
  expect(ended.map((each) => each.status === 'rejected' && each.reason.message)).toEqual([
    'the node has not answered listchannels for 0.04 s',
    'the node has not answered listchannels for 0.04 s',
    'the node has not answered getinfo for 0.03 s',
    'the node has not answered listpeers for 0.01 s',
  ]);
  expect(slow).toEqual([
    ['listchannels', 30],
    ['getinfo', 20],
  ]);
  socket.close();
  await expect(waiting).rejects.toThrow('the connection was closed');
});
