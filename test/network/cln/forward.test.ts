/**
 * Requests forwarded to the node, against a socket that answers as each test defines. Answers come back byte
 * for byte. If the node hangs, floods, disconnects, sends garbage or is a different node, the error is typed.
 * Nothing stays open afterwards.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ERRORS } from '../../../src/model/errors.ts';
import { type ForwardLimits, NodeForward } from '../../../src/network/cln/forward.ts';
import type { NodeConnection, NodeLink } from '../../../src/network/cln/node-link.ts';
import { parseJson } from '../../../src/rpc/json-token.ts';
import { readRequest } from '../../../src/rpc/request.ts';
import type { Session } from '../../../src/rpc/session.ts';
import { temporaryDirectory } from '../../rpc/support.ts';

const NODE_ID = '022d223620a359a47ff7f7ac447c85c46c923da53389221a0054c11c1e3ca31d59';
const QUICK: ForwardLimits = {
  greetMs: 2000,
  answerMs: 1_000,
  lookMs: 10,
  maxAnswerBytes: 2000,
  maxBytes: 4000,
  maxRunning: 2,
};

let directory: ReturnType<typeof temporaryDirectory>;
let server: Server;
let sockets: Set<Socket>;
/** The requests exactly as they arrived. */
let came: string[];
let nodeId: string;
/** Answers the forwarded request. */
let answer: (socket: Socket) => void;
let session: Session;
let sent: string[];
let link: Pick<NodeLink, 'connection' | 'facts' | 'problem'>;

beforeEach(async () => {
  directory = temporaryDirectory();
  [sockets, came, sent, nodeId] = [new Set(), [], [], NODE_ID];
  session = { notifications: false, deprecations: true, batching: false };
  link = {
    connection: {} as NodeConnection,
    facts: { nodeId: NODE_ID } as NodeLink['facts'],
    problem: undefined,
  };
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      const text = bytes.toString().trim();
      came.push(text);
      if (text.includes('"getinfo"')) {
        socket.write(`{"jsonrpc":"2.0","id":"fulgurite:forward","result":{"id":"${nodeId}"}}\n\n`);
      } else if (text.includes('"notifications"')) {
        socket.write('{"jsonrpc":"2.0","id":"fulgurite:forward","result":{}}\n\n');
      } else answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(join(directory.path, 'rpc'), resolve));
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  directory.remove();
});

const forward = (limits: Partial<ForwardLimits> = {}): NodeForward =>
  new NodeForward({ socketPath: join(directory.path, 'rpc'), link }, { ...QUICK, ...limits });

async function ask(text: string, through = forward()): Promise<unknown> {
  const request = readRequest(parseJson(text));
  if ('error' in request) throw request.error;
  const found = await through.answer(request, session, (one) => void sent.push(JSON.stringify(one.params)));
  return 'result' in found ? found.result.text : found.error;
}

const INVOICE = '{"id":7,"method":"invoice","params":[1000, "a\\u0041", "b"]}';
const failure = (request: string, through?: NodeForward) =>
  ask(request, through).then(
    (found) => expect.unreachable(`answered ${found}`),
    (error) => error,
  );

test('id, parameters and filter reach the node unchanged, and its result is returned byte for byte', async () => {
  const result = '{ "a":1e3, "big":18446744073709551615, "twice":1,"twice":2, "text":"\\u00e9/é" }';
  answer = (socket) => socket.write(`{"id":"x\\u0041","result":${result}}\n\n`);
  const request =
    '{"id":"x\\u0041","method":"invoice","filter":{"a": true},"params":{"amount_msat": 18446744073709551615}}';
  expect(await ask(request)).toBe(result);
  expect(came[1]).toBe(
    '{"jsonrpc":"2.0","id":"x\\u0041","method":"invoice","filter":{"a": true},"params":{"amount_msat": 18446744073709551615}}',
  );
});

test('node-METHOD calls the node’s method even if we have a method of that name', async () => {
  answer = (socket) => socket.write('{"id":7,"result":{"invoices":[]}}');
  expect(await ask('{"id":7,"method":"node-listinvoices"}')).toBe('{"invoices":[]}');
  expect(came[1]).toBe('{"jsonrpc":"2.0","id":7,"method":"listinvoices","params":{}}');
});

test('an error of the node is returned with its code, message and data', async () => {
  answer = (socket) =>
    socket.write(
      '{"id":7,"error":{"code":900,"message":"Duplicate label","data":{"n":18446744073709551615}}}',
    );
  expect(await ask(INVOICE)).toEqual({
    code: 900,
    message: 'Duplicate label',
    data: { text: '{"n":18446744073709551615}' },
  });
});

test('notifications for a request reach only clients that have enabled them', async () => {
  const note = '{"jsonrpc":"2.0","method":"message","params":{"id":7,"level":"info","message":"half"}}';
  answer = (socket) => socket.write(`${note}\n\n{"id":7,"result":{}}\n\n`);
  session.notifications = true;
  await ask(INVOICE);
  expect(came.map((text) => JSON.parse(text).method)).toEqual(['getinfo', 'notifications', 'invoice']);
  expect(sent).toEqual([JSON.stringify({ text: '{"id":7,"level":"info","message":"half"}' })]);
});

test('a different node on the socket gets no requests', async () => {
  nodeId = NODE_ID.replace('022d', '032d');
  expect(await failure(INVOICE)).toMatchObject({ code: ERRORS.nodeAway.code, data: { sent: false } });
  expect(came).toHaveLength(1);
});

test.each([
  ['hangs', '', 'nodeAway', 'has not answered for 1 s'],
  ['answers too much', `{"id":7,"result":"${'x'.repeat(3000)}"}`, 'tooLarge', 'exceeds 2000 bytes'],
  ['sends endless text', `{"id":7,"result":"${'x'.repeat(30_000)}`, 'tooLarge', 'exceeds 2000 bytes'],
  ['sends no JSON', 'HTTP/1.1 200 OK', 'unspecified', 'cannot be read'],
  ['sends broken JSON', '{"id":7,"result":{]}', 'unspecified', 'cannot be read'],
  ['answers another request', '{"id":8,"result":{}}', 'unspecified', 'id does not match'],
  ['answers neither', '{"id":7}', 'unspecified', 'neither result nor error'],
  ['answers half an error', '{"id":7,"error":{"code":1}}', 'unspecified', 'no code or no message'],
  ['answers an error of text', '{"id":7,"error":"no"}', 'unspecified', 'no code or no message'],
] as const)('a node that %s', async (_what, text, kind, words) => {
  answer = (socket) => socket.write(text);
  const error = await failure(INVOICE);
  expect(error).toMatchObject({ code: ERRORS[kind].code, data: { sent: true } });
  expect(error.message).toContain(words);
});

test('a node that dies before it answers', async () => {
  answer = (socket) => socket.destroy();
  expect(await failure(INVOICE)).toMatchObject({ code: ERRORS.nodeAway.code, data: { sent: true } });
});

test('a node that is away, or whose socket is gone', async () => {
  const gone = new NodeForward({ socketPath: join(directory.path, 'absent'), link }, QUICK);
  expect(await failure(INVOICE, gone)).toMatchObject({ code: ERRORS.nodeAway.code, data: { sent: false } });
  link = { ...link, connection: undefined, problem: 'the node is unreachable: it stopped' };
  expect((await failure(INVOICE)).message).toBe('the node is unreachable: it stopped');
});

test('a request that waits has no time limit, ends with its client, and leaves room for others', async () => {
  const through = forward();
  answer = () => undefined;
  const waits = [1, 2].map((id) => failure(`{"id":${id},"method":"waitanyinvoice"}`, through));
  await expect.poll(() => came.filter((text) => text.includes('waitanyinvoice')).length).toBe(2);
  expect(await failure(INVOICE, through)).toMatchObject({ code: ERRORS.busy.code });
  session.isClosed = true;
  for (const error of await Promise.all(waits)) expect(error.message).toContain('the client disconnected');
  session.isClosed = false;
  answer = (socket) => socket.write('{"id":7,"result":{}}');
  expect(await ask(INVOICE, through)).toBe('{}');
});

test('stopping ends the requests that wait', async () => {
  const through = forward();
  answer = () => undefined;
  const waiting = failure('{"id":1,"method":"waitinvoice","params":{"label":"a"}}', through);
  await expect.poll(() => came.length).toBe(2);
  through.close();
  expect((await waiting).message).toContain('the service is stopping');
});
