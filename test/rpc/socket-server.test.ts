import { existsSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { FulguriteError } from '../../src/model/errors.ts';
import { defineCommandFor, optional, required } from '../../src/rpc/command.ts';
import { createDispatcher } from '../../src/rpc/dispatcher.ts';
import { JsonList } from '../../src/rpc/json-write.ts';
import type { RpcLimits } from '../../src/rpc/limits.ts';
import { string, u32 } from '../../src/rpc/param-types.ts';
import { createRegistry } from '../../src/rpc/registry.ts';
import {
  listenOnSocket,
  MAX_SOCKET_PATH,
  SocketPathError,
  type SocketServerOptions,
} from '../../src/rpc/socket-server.ts';
import { until } from '../until.ts';
import {
  memoryLog,
  mostBytesOnTheWay,
  RawClient,
  serve,
  type TestServer,
  temporaryDirectory,
} from './support.ts';

/** State of the test's commands: calls that wait until the test releases them. */
class Gate {
  running = 0;
  most = 0;
  begun = 0;
  private readonly waiting: (() => void)[] = [];

  async pass(): Promise<void> {
    this.begun++;
    this.most = Math.max(this.most, ++this.running);
    await new Promise<void>((resolve) => void this.waiting.push(resolve));
    this.running--;
  }

  open(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

const define = defineCommandFor<Gate>();
const texts = { summary: '', description: '', category: 'utility', result: {} } as const;

const COMMANDS = [
  define({
    ...texts,
    name: 'echo',
    params: { text: optional(string, '') },
    handler: ({ text }) => ({ text }),
  }),
  define({
    ...texts,
    name: 'size',
    params: { text: required(string, '') },
    handler: ({ text }) => ({ size: text.length }),
  }),
  define({
    ...texts,
    name: 'wait',
    params: {},
    async handler(_params, gate, call) {
      call.notify('info', 'waiting');
      call.progress(0, 2, { num: 1, total: 3 });
      await gate.pass();
      return {};
    },
  }),
  define({
    ...texts,
    name: 'list',
    params: { length: required(u32, ''), fail_at: optional(u32, '') },
    handler: ({ length, fail_at }) => ({ items: new JsonList(items(length, fail_at)), length }),
  }),
  define({
    ...texts,
    name: 'fail',
    params: {},
    handler() {
      throw new Error('secret detail');
    },
  }),
  define({
    ...texts,
    name: 'refuse',
    params: {},
    handler() {
      throw new FulguriteError('routeNotFound', 'No way', { cut: [1n], none: undefined });
    },
  }),
  define({ ...texts, name: 'unwritable', params: {}, handler: () => ({ value: Number.NaN }) }),
  define({
    ...texts,
    name: 'old',
    deprecated: { since: 'v1', removed: 'v2' },
    params: {},
    handler: () => ({}),
  }),
  define({
    ...texts,
    name: 'flags',
    params: { set: optional(string, '') },
    handler({ set }, _gate, { session }) {
      if (set === 'notify') session.notifications = true;
      if (set === 'modern') session.deprecations = false;
      return {};
    },
  }),
];

function* items(length: number, failAt: number | undefined): Generator<object, void> {
  for (let index = 0; index < length; index++) {
    if (index === failAt) throw new Error('broke off');
    yield { index, text: 'x'.repeat(100) };
  }
}

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(
  limits: Partial<RpcLimits> = {},
  more: Pick<SocketServerOptions, 'alwaysServed' | 'leastIdleMs'> = {},
): Promise<TestServer & { gate: Gate }> {
  const gate = new Gate();
  const server = await serve(COMMANDS, gate, limits, false, more);
  cleanups.push(() => server.stop());
  return { ...server, gate };
}

function dial(path: string): RawClient {
  const client = new RawClient(path);
  cleanups.push(() => client.close());
  return client;
}

const request = (id: number | string, method: string, params: unknown = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

describe('a server with one request', () => {
  it.each([
    [
      '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"a"}}',
      '{"jsonrpc":"2.0","id":1,"result":{"text":"a"}}',
    ],
    [
      '{"jsonrpc": "2.0", "method": "echo", "params": ["é\\n"], "id": "me:echo#1"}\n',
      '{"jsonrpc":"2.0","id":"me:echo#1","result":{"text":"é\\n"}}',
    ],
    ['\n\n {"id":null,"method":"echo"}', '{"jsonrpc":"2.0","id":null,"result":{}}'],
    ['{"id":true,"method":"echo","params":{}}', '{"jsonrpc":"2.0","id":true,"result":{}}'],
    ['{"id":7.50e1,"method":"echo","params":{"text":null}}', '{"jsonrpc":"2.0","id":7.50e1,"result":{}}'],
    [
      '{"id":"a\\"b\\\\c\\u0041","method":"echo","extra":{}}',
      '{"jsonrpc":"2.0","id":"a\\"b\\\\c\\u0041","result":{}}',
    ],
    ['{"id":1,"id":2,"method":"echo","method":"nosuch"}', '{"jsonrpc":"2.0","id":1,"result":{}}'],
    [
      '{"id":1,"method":"echo","params":[18446744073709551615]}',
      '{"jsonrpc":"2.0","id":1,"result":{"text":"18446744073709551615"}}',
    ],
    ['{"method":"echo"}', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"No id"}}'],
    [
      '{"id":[1],"method":"echo"}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Expected string/primitive for id"}}',
    ],
    [
      '{"id":1,"jsonrpc":"1.0","method":"echo"}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"jsonrpc: \\"2.0\\" must be specified in the request"}}',
    ],
    ['{"id":1,"params":{}}', '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"No method"}}'],
    [
      '{"id":1,"method":5}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Expected string for method"}}',
    ],
    [
      '{"id":1,"method":"nosuch"}',
      `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Unknown command 'nosuch'"}}`,
    ],
    [
      '{"id":1,"method":"__proto__"}',
      `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Unknown command '__proto__'"}}`,
    ],
    [
      '{"id":1,"method":"echo","params":null}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Expected array or object for params"}}',
    ],
    [
      '{"id":1,"method":"size"}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing required parameter: text","data":{"parameter":"text","reason":"missing"}}}',
    ],
    [
      '{"id":1,"method":"refuse"}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":205,"message":"No way","data":{"cut":[1]}}}',
    ],
    [
      '{"id":1,"method":"fail"}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error: a bug in this service."}}',
    ],
    [
      '{"id":1,"method":"unwritable"}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The answer cannot be written"}}',
    ],
    ['{"id":1,"method":"old"}', '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ])('%s', async (sent, expected) => {
    const { path } = await start();
    const client = dial(path);
    expect(await client.ask(sent)).toBe(expected);
    expect(await client.ask('{"id":"again","method":"echo"}')).toBe(
      '{"jsonrpc":"2.0","id":"again","result":{}}',
    );
  });

  it('reports the cause of an internal error to the operator, not to the client', async () => {
    const { path, log } = await start();
    await dial(path).ask(request(1, 'fail'));
    expect(log.lines.filter((line) => line.includes('secret detail'))).toHaveLength(1);
  });

  it('refuses deprecated commands on a connection that requested this', async () => {
    const { path } = await start();
    const client = dial(path);
    await client.ask(request(1, 'flags', ['modern']));
    expect(JSON.parse((await client.ask(request(2, 'old')))!).error).toEqual({
      code: -32601,
      message: 'Command "old" is deprecated',
    });
    expect(JSON.parse((await dial(path).ask(request(3, 'old')))!).result).toEqual({});
  });
});

describe('unreadable input', () => {
  it.each([
    ['mismatched brackets', '{"a":]}', -32700],
    ['a text', 'hello world', -32700],
    ['a number', '42', -32700],
    ['a trailing comma', '{"a":1,}', -32700],
    ['a string that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), -32700],
    ['too many brackets', `{"a":${'['.repeat(1001)}${']'.repeat(1001)}}`, -32700],
    ['a request too large', `{"a":"${'x'.repeat(3000)}"}`, -32002],
    ['a request that would never end', `{"a":"${'x'.repeat(2_000_000)}`, -32002],
  ])('%s gets the last answer, with id null, and the connection is closed', async (_name, sent, code) => {
    const { path } = await start({ maxRequestBytes: 2500 });
    const client = dial(path);
    client.send(request('first', 'echo'));
    client.send(sent);
    client.send(request('late', 'echo'));
    const [first, second, ...more] = (await client.rest()).split('\n\n');
    expect(JSON.parse(first!)).toEqual({ jsonrpc: '2.0', id: 'first', result: {} });
    expect(JSON.parse(second!)).toMatchObject({ id: null, error: { code } });
    expect(more).toEqual(['']);
  });

  it('is noticed at the end of the input, too', async () => {
    const { path } = await start();
    const client = dial(path);
    client.send('{"id":1,');
    client.socket.end();
    expect(JSON.parse(await client.rest())).toMatchObject({ id: null, error: { code: -32700 } });
  });

  it('never brings the service down', async () => {
    const { path, server } = await start();
    const junk = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'{}[]",:\\ax1 \n'), minLength: 1, maxLength: 40 }),
      fc.json().map((text) => `{"id":1,"method":"echo","params":${text}}`),
      fc.json().map((text) => `{"id":1,"method":"echo","params":[${text}],"filter":${text}}`),
      fc.json().map((text) => `[${text}]`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(junk, { maxLength: 4 }), async (pieces) => {
        const client = new RawClient(path);
        for (const piece of pieces) client.send(piece);
        client.socket.end();
        for (const answer of (await client.rest()).split('\n\n').slice(0, -1)) {
          for (const one of [JSON.parse(answer)].flat()) {
            expect(one.jsonrpc).toBe('2.0');
            expect('result' in one).not.toBe('error' in one);
          }
        }
        client.close();
      }),
      { numRuns: 300 },
    );
    await until(() => server.connections === 0);
    expect(await dial(path).ask(request(1, 'echo'))).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
  });
});

describe('a server with many requests', () => {
  it('answers 10,000 pipelined requests, within the limit of requests in flight', async () => {
    const { path, gate } = await start({ maxInFlight: 50 });
    const client = dial(path);
    const count = 10_000;
    for (let id = 0; id < count; id++) client.send(request(id, 'wait'));
    const answered = new Set<number>();
    const opener = setInterval(() => gate.open(), 1);
    while (answered.size < count) answered.add(JSON.parse((await client.next())!).id);
    clearInterval(opener);
    expect(gate.most).toBe(50);
    expect(gate.begun).toBe(count);
  });

  it('answers in the order of completion', async () => {
    const { path, gate } = await start();
    const client = dial(path);
    client.send(request('slow', 'wait') + request('fast', 'echo'));
    expect(JSON.parse((await client.next())!).id).toBe('fast');
    gate.open();
    expect(JSON.parse((await client.next())!).id).toBe('slow');
  });

  it('serves 1,000 connections at once, and refuses further ones', async () => {
    const { path, server } = await start({ maxConnections: 1000 }, { leastIdleMs: Number.POSITIVE_INFINITY });
    const clients = Array.from({ length: 1000 }, () => dial(path));
    const answers = await Promise.all(clients.map((client, id) => client.ask(request(id, 'echo'))));
    expect(answers.map((answer) => JSON.parse(answer!).id)).toEqual(clients.map((_, id) => id));
    expect(server.connections).toBe(1000);
    const refused = dial(path);
    expect(JSON.parse(await refused.rest())).toMatchObject({
      id: null,
      error: { code: -32001, data: { limit: 1000 } },
    });
    clients[0]!.close();
    await until(() => server.connections === 999);
    expect(await dial(path).ask(request('x', 'echo'))).toBe('{"jsonrpc":"2.0","id":"x","result":{}}');
  });

  it('closes the longest idle connection for a new one', async () => {
    const { path, server } = await start({ maxConnections: 3 }, { leastIdleMs: 0 });
    const clients = [dial(path), dial(path), dial(path)];
    for (const [id, client] of clients.entries()) await client.ask(request(id, 'echo'));
    // All but the second connection have been used again.
    for (const client of [clients[2]!, clients[0]!]) await client.ask(request('again', 'echo'));
    const newcomer = dial(path);
    expect(await newcomer.ask(request('new', 'echo'))).toContain('"id":"new"');
    expect([await clients[1]!.rest(), server.connections]).toEqual(['', 3]);
    for (const client of [clients[0]!, clients[2]!, newcomer]) {
      expect(await client.ask(request('still', 'echo'))).toContain('"id":"still"');
    }
  });

  it('never closes a connection that waits for an answer', async () => {
    const { path, gate } = await start({ maxConnections: 1 }, { leastIdleMs: 0 });
    const waiting = dial(path).ask(request('waiting', 'wait'));
    await until(() => gate.begun > 0);
    expect(JSON.parse((await dial(path).ask(request('late', 'echo')))!)).toMatchObject({
      id: 'late',
      error: { code: -32001, message: 'More than 1 connections' },
    });
    gate.open();
    expect(await waiting).toContain('"id":"waiting"');
  });

  it('serves vital requests for any number of connections, and limits those', async () => {
    const { path } = await start(
      { maxConnections: 1 },
      { alwaysServed: ['echo'], leastIdleMs: Number.POSITIVE_INFINITY },
    );
    const only = dial(path);
    await only.ask(request(0, 'echo'));
    const more = Array.from({ length: 16 }, () => dial(path));
    for (const [id, client] of more.entries()) {
      expect(await client.ask(request(id, 'echo'))).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
    }
    expect(JSON.parse(await dial(path).rest())).toMatchObject({ id: null, error: { code: -32001 } });
    expect(JSON.parse((await more[0]!.ask(request('x', 'list', [1])))!)).toMatchObject({
      error: { code: -32001 },
    });
    // Connections beyond the limit are closed after a second.
    for (const client of more)
      expect(JSON.parse(await client.rest())).toMatchObject({ error: { code: -32001 } });
  });

  it('answers a batch as one array in its order', async () => {
    const { path } = await start({ maxBatch: 4 });
    const client = dial(path);
    const batch = `[${request(1, 'list', [1])}, ${request(2, 'nosuch')},{"id":3}, 5]`;
    const answers = JSON.parse((await client.ask(batch))!);
    expect(answers.map((one: { id: unknown }) => one.id)).toEqual([1, 2, 3, null]);
    expect(answers[0].result.length).toBe(1);
    expect(JSON.parse((await client.ask('[]'))!)).toMatchObject({ id: null, error: { code: -32600 } });
    expect(JSON.parse((await client.ask('[1,2,3,4,5]'))!)).toMatchObject({
      id: null,
      error: { code: -32002 },
    });
    expect(JSON.parse((await client.ask(`[${request(9, 'echo')}]`))!)).toHaveLength(1);
  });

  it('refuses a request of too many values before building them', async () => {
    const { path } = await start({ maxValues: 6 });
    expect(await dial(path).ask('{"id":1,"method":"echo","params":["a","b"]}')).toContain('"id":1');
    const client = dial(path);
    expect(JSON.parse((await client.ask('{"id":1,"method":"echo","params":["a","b","c"]}'))!)).toMatchObject({
      id: null,
      error: { code: -32700, data: { reason: 'more than 6 values at offset 42' } },
    });
    expect(await client.rest()).toBe('');
  });

  it('runs a batch within the limit of requests in flight', async () => {
    const { path, gate } = await start({ maxInFlight: 3 });
    const client = dial(path);
    client.send(`[${Array.from({ length: 10 }, (_, id) => request(id, 'wait')).join(',')}]`);
    const opener = setInterval(() => gate.open(), 1);
    expect(JSON.parse((await client.next())!)).toHaveLength(10);
    clearInterval(opener);
    expect(gate.most).toBe(3);
  });
});

describe('a server with large requests and answers', () => {
  it('reads a request of 20 MB in small pieces', async () => {
    const { path } = await start();
    const client = dial(path);
    const text = 'x'.repeat(20 * 1024 * 1024);
    const bytes = Buffer.from(request(1, 'size', { text }));
    for (let at = 0; at < bytes.length; at += 5000) client.send(bytes.subarray(at, at + 5000));
    expect(await client.next()).toBe(`{"jsonrpc":"2.0","id":1,"result":{"size":${text.length}}}`);
  });

  it('limits the unfinished requests of all clients together', async () => {
    const { path } = await start({ maxRequestBytes: 1_000_000, maxInputBytes: 3_000_000 });
    const half = `{"id":1,"method":"size","params":["${'x'.repeat(900_000)}`;
    const clients = Array.from({ length: 6 }, () => dial(path));
    for (const client of clients) client.send(half);
    const refused = new Set<RawClient>();
    const noticed = clients.map((client) =>
      client.next().then((answer) => {
        if (answer === undefined) return;
        const { error } = JSON.parse(answer);
        if (error !== undefined) refused.add(client);
        expect(error ?? { code: -32001 }).toMatchObject({ code: -32001 });
      }),
    );
    await until(() => refused.size >= 3);
    for (const client of clients) if (!refused.has(client)) client.send('"]}');
    await Promise.all(noticed);
    // Three whole texts fit. Which ones fail depends on the order of their pieces, but the last one has room.
    expect(refused.size).toBeGreaterThanOrEqual(3);
    expect(refused.size).toBeLessThan(6);
    expect(await dial(path).ask(request(1, 'size', ['x'.repeat(900_000)]))).toContain('900000');
  });

  it('stops reading from a client that does not read answers', async () => {
    const { path, gate } = await start({ maxUnsentBytes: 100_000 });
    const client = dial(path);
    client.socket.pause();
    const text = 'x'.repeat(10_000);
    // There are 1,000 answers of 10 kB. The system has buffered some, the server holds 100 kB, and it may
    // have read and begun a further 64 KiB of requests before it counted them. The rest does not begin.
    const mostBegun = Math.ceil((mostBytesOnTheWay() + 100_000 + 65_536) / 10_000);
    let echoed = 0;
    for (let id = 0; id < 1000; id++) client.send(request(id, 'echo', { text }) + request(id, 'wait'));
    const opener = setInterval(() => gate.open(), 1);
    let seen = -1;
    while (seen !== gate.begun) {
      seen = gate.begun;
      for (let turn = 0; turn < 50; turn++) await nextTurn();
    }
    expect(gate.begun).toBeGreaterThan(0);
    expect(gate.begun).toBeLessThanOrEqual(mostBegun);
    client.socket.resume();
    while (echoed < 1000) if (JSON.parse((await client.next())!).result.text === text) echoed++;
    clearInterval(opener);
  });

  it('makes a long list only as fast as the client takes it', async () => {
    const { path } = await start();
    let made = 0;
    function* counted(): Generator<object, void> {
      for (const item of items(200_000, undefined)) {
        made++;
        yield item;
      }
    }
    const long = define({
      ...texts,
      name: 'long',
      params: {},
      handler: () => ({ items: new JsonList(counted()) }),
    });
    const server = await serve([...COMMANDS, long], new Gate());
    cleanups.push(() => server.stop());
    const client = dial(server.path);
    client.socket.pause();
    client.send(request(1, 'long'));
    await until(() => made > 0);
    let seen = -1;
    while (seen !== made) {
      seen = made;
      for (let turn = 0; turn < 50; turn++) await nextTurn();
    }
    // One chunk of 64 KiB waits in the server, and one is being filled. An item has more than 100 characters.
    expect(made).toBeLessThanOrEqual((mostBytesOnTheWay() + 2 * 65_536) / 100);
    const other = dial(server.path);
    expect(JSON.parse((await other.ask(request(2, 'echo')))!).id).toBe(2);
    client.socket.resume();
    expect(JSON.parse((await client.next())!).result.items).toHaveLength(200_000);
    expect(path).not.toBe(server.path);
  });

  it('keeps answers apart while a list is being sent', async () => {
    const { path } = await start();
    const client = dial(path);
    client.send(
      request(1, 'list', [5000]) + request(2, 'echo') + request(3, 'list', [2000]) + request(4, 'echo'),
    );
    const ids: number[] = [];
    for (let i = 0; i < 4; i++) ids.push(JSON.parse((await client.next())!).id);
    expect(ids.toSorted()).toEqual([1, 2, 3, 4]);
  });

  it('closes the connection when a list fails half-way', async () => {
    const { path, log } = await start();
    const client = dial(path);
    client.send(request(1, 'list', [5000, 4000]));
    expect(await client.next()).toBeUndefined();
    expect(log.lines.some((line) => line.startsWith('broken: A response was aborted'))).toBe(true);
  });
});

describe('the end of a connection', () => {
  it('comes after all answers when the client closes its half', async () => {
    const { path, gate } = await start({ maxInFlight: 2 });
    const client = dial(path);
    for (let id = 0; id < 5; id++) client.send(request(id, 'wait'));
    client.socket.end();
    const opener = setInterval(() => gate.open(), 1);
    const answers = (await client.rest()).split('\n\n');
    clearInterval(opener);
    expect(answers.slice(0, -1).map((answer) => JSON.parse(answer).id)).toEqual([0, 1, 2, 3, 4]);
  });

  it('lets begun commands finish after the client is gone', async () => {
    const { path, gate, server } = await start();
    const client = dial(path);
    client.send(request(1, 'wait') + request(2, 'list', [100_000]));
    await until(() => gate.running === 1);
    client.close();
    await until(() => server.connections === 0);
    gate.open();
    await until(() => gate.running === 0);
    expect(await dial(path).ask(request(3, 'echo'))).toBe('{"jsonrpc":"2.0","id":3,"result":{}}');
  });

  it('is orderly when the service stops: begun requests are answered, and the socket file is removed', async () => {
    const { path, gate, server } = await start();
    const client = dial(path);
    const idle = dial(path);
    client.send(request(1, 'wait'));
    await until(() => gate.running === 1);
    const closed = server.close();
    client.send(request(2, 'echo'));
    gate.open();
    expect(await client.rest()).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    expect(await idle.rest()).toBe('');
    client.close();
    idle.close();
    await closed;
    expect(existsSync(path)).toBe(false);
  });

  it('comes even if a command does not end in time', async () => {
    const { path, gate, server } = await start();
    const client = dial(path);
    client.send(request(1, 'wait'));
    await until(() => gate.running === 1);
    await server.close(10);
    expect(await client.rest()).toBe('');
    gate.open();
  });
});

describe('notifications', () => {
  it('arrive before the answers of calls that began after they were enabled', async () => {
    const { path, gate } = await start();
    const client = dial(path);
    client.send(request('before', 'wait') + request('on', 'flags', ['notify']) + request('after', 'wait'));
    expect(await client.next()).toBe(
      '{"jsonrpc":"2.0","method":"message","params":{"id":"after","level":"info","message":"waiting"}}',
    );
    expect(await client.next()).toBe(
      '{"jsonrpc":"2.0","method":"progress","params":{"id":"after","num":0,"total":2,"stage":{"num":1,"total":3}}}',
    );
    expect(JSON.parse((await client.next())!).id).toBe('on');
    gate.open();
    expect(JSON.parse((await client.next())!).id).toBe('before');
    expect(JSON.parse((await client.next())!).id).toBe('after');
  });
});

describe('the socket file', () => {
  const listen = (path: string) =>
    listenOnSocket({
      path,
      dispatcher: createDispatcher(createRegistry(COMMANDS), new Gate(), memoryLog()),
      log: memoryLog(),
    });

  it('is accessible only to its owner, under any umask', async () => {
    const before = process.umask(0);
    const { path } = await start();
    expect(process.umask(before)).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is taken over from a dead process, but not from a running one', async () => {
    const { path } = await start();
    await expect(listen(path)).rejects.toThrow(`${path} is in use by a running process`);
    expect(await dial(path).ask(request(1, 'echo'))).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');

    const directory = temporaryDirectory();
    cleanups.push(directory.remove);
    const stale = join(directory.path, 'rpc');
    await leaveStaleSocket(stale);
    const server = await listen(stale);
    expect(statSync(stale).isSocket()).toBe(true);
    await server.close(0);
  });

  it('replaces no other kind of file', async () => {
    const directory = temporaryDirectory();
    cleanups.push(directory.remove);
    const path = join(directory.path, 'rpc');
    writeFileSync(path, 'precious');
    await expect(listen(path)).rejects.toThrow(`${path} exists and is not a socket`);
  });

  it('must have a path short enough for the system', async () => {
    const directory = temporaryDirectory();
    cleanups.push(directory.remove);
    const room = MAX_SOCKET_PATH - 1 - directory.path.length - 1;
    const server = await listen(join(directory.path, 'x'.repeat(room)));
    await server.close(0);
    await expect(listen(join(directory.path, 'x'.repeat(room + 1)))).rejects.toThrow(SocketPathError);
    const lost = join(directory.path, 'none', 'x');
    await expect(listen(lost)).rejects.toThrow(new SocketPathError(`there is no directory ${dirname(lost)}`));
  });
});

/** The socket file of a dead process: bound under a different name, linked, closed. */
async function leaveStaleSocket(path: string): Promise<void> {
  const { linkSync } = await import('node:fs');
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(`${path}.live`, resolve));
  linkSync(`${path}.live`, path);
  await new Promise((resolve) => server.close(resolve));
}
