/**
 * A daemon over HTTP: the paths and statuses of clnrest (Core Lightning), JSON-RPC 2.0, and runes that permit
 * parts of it. Requests that a rune does not permit are refused with 401 or 403, and logged.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { ask, type HttpAsk } from './http-client.ts';

const directory = temporaryDirectory();
const log: string[] = [];
let daemon: DaemonHere;
/** The rune permits paying, listing and getinfo, and nothing else. */
let rune: string;
let peer: string;

beforeAll(async () => {
  const options = ['--graph', 'synthetic:200', '--seed', '7', '--http', '127.0.0.1:0'];
  daemon = await DaemonHere.start(join(directory.path, 'home'), options, log);
  const restrictions = [['method=keysend', 'method^list', 'method=getinfo']];
  ({ rune } = await daemon.result('createrune', { restrictions }));
  const { channels } = await daemon.result('listpeerchannels');
  peer = channels[0].peer_id;
});
afterAll(async () => {
  await daemon?.stop();
  directory.remove();
});

const call = (path: string, body?: object | string, more: HttpAsk = {}, shown = rune) =>
  ask(`${daemon.httpUrl}${path}`, {
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...more,
    headers: { Rune: shown, ...more.headers },
  });

describe('POST /v1/METHOD', () => {
  test('returns 201 with the bare result', async () => {
    const { status, headers, json } = await call('/v1/getinfo');
    expect(status).toBe(201);
    expect(headers['content-type']).toBe('application/json');
    expect(json).toEqual(await daemon.result('getinfo'));
  });

  test('pays, and lists what was paid', async () => {
    const paid = await call('/v1/keysend', { destination: peer, amount_msat: 12_345_678 });
    expect(paid.status).toBe(201);
    expect(paid.json).toMatchObject({ destination: peer, status: 'complete' });
    const { json } = await call('/v1/listpays', { payment_hash: paid.json.payment_hash });
    expect(json.pays).toMatchObject([{ status: 'complete', preimage: paid.json.payment_preimage }]);
  });

  test('keeps every digit of a number, in requests and in results', async () => {
    const { rune: all } = await daemon.result('createrune');
    const ends = {
      source: peer,
      destination: (await daemon.result('getinfo')).id,
      short_channel_id: '1x2x3',
    };
    await call('/v1/askrene-create-layer', { layer: 'digits' }, {}, all);
    const made = JSON.stringify({ layer: 'digits', ...ends }).replace(
      '}',
      ',"capacity_msat":9007199254740993}',
    );
    expect((await call('/v1/askrene-create-channel', made, {}, all)).status).toBe(201);
    const { text } = await call('/v1/askrene-listlayers', { layer: 'digits' }, {}, all);
    expect(text).toContain('"capacity_msat":9007199254740993');
  });

  test('treats null as absent, and an empty body as no parameters', async () => {
    expect((await call('/v1/listpeers', { id: null })).status).toBe(201);
    expect((await call('/v1/listpeers', '')).status).toBe(201);
    expect((await call('/v1/listpeers', '{}')).status).toBe(201);
  });

  test('streams a long list with the same content as over the socket', async () => {
    const { status, json } = await call('/v1/listchannels');
    expect(status).toBe(201);
    expect(json).toEqual(await daemon.result('listchannels'));
  });

  test('answers errors of commands as clnrest does', async () => {
    const wrong = await call('/v1/keysend', { destination: 'x', amount_msat: 1 });
    expect([wrong.status, wrong.json.code]).toEqual([500, -32602]);
    expect(Object.keys(wrong.json)).toEqual(['code', 'message', 'data']);
    const unknown = await call('/v1/listnothing');
    expect([unknown.status, unknown.json.code]).toEqual([404, -32601]);
    const garbled = await call('/v1/getinfo', '{"a":');
    expect([garbled.status, garbled.json.code]).toEqual([500, -32700]);
    const array = await call('/v1/getinfo', '[1]');
    expect([array.status, array.json.code]).toEqual([500, -32602]);
    const injected = await call('/v1/getinfo', '{},"method":"stop"');
    expect([injected.status, injected.json.code]).toEqual([500, -32700]);
  });

  test('treats paths, methods and types as clnrest does', async () => {
    const get = await call('/v1/getinfo', undefined, { method: 'GET' });
    expect([get.status, get.json.code]).toEqual([405, -32601]);
    const elsewhere = await call('/api/v1/getinfo');
    expect([elsewhere.status, elsewhere.json.message]).toEqual([
      404,
      'Path invalid, version missing for CLN methods',
    ]);
    const nowhere = await call('/getinfo');
    expect([nowhere.status, nowhere.json.message]).toEqual([404, 'Path not found']);
    expect((await call('/v1/getinfo', '', { headers: { 'Content-Type': 'text/csv' } })).status).toBe(406);
    expect((await call('/v1/getinfo', '', { headers: { Accept: 'image/png' } })).status).toBe(406);
  });
});

describe('without a valid rune', () => {
  test('nothing is permitted', async () => {
    const url = daemon.httpUrl;
    const { rune: other } = await daemon.result('createrune', { restrictions: 'readonly' });
    const { rune: gone, unique_id } = await daemon.result('createrune', {
      restrictions: [['method=getinfo']],
    });
    await daemon.result('blacklistrune', { start: unique_id });
    const widened = (rune.startsWith('A') ? 'B' : 'A') + rune.slice(1);
    const refusals: [string, Record<string, string>, number, number][] = [
      ['no rune', {}, 403, 1501],
      ['not a rune', { Rune: 'let me in' }, 401, -32602],
      ['another one', { Rune: widened }, 401, 1501],
      ['one that was taken back', { Rune: gone }, 401, 1503],
      ['one for reading', { Rune: other }, 401, 1502],
    ];
    for (const [what, headers, status, code] of refusals) {
      const before = log.length;
      const body = JSON.stringify({ destination: peer, amount_msat: 1000 });
      const rest = await ask(`${url}/v1/keysend`, { headers, body });
      expect([what, rest.status, rest.json.code]).toEqual([what, status, code]);
      const rpc = await ask(`${url}/`, { headers, body: `{"id":1,"method":"keysend","params":${body}}` });
      expect([what, rpc.status, rpc.json.error.code]).toEqual([what, status, code]);
      const said = () => log.slice(before).join('');
      // The server's thread reports a refusal only after it has answered.
      await expect.poll(() => said().match(/HTTP 127.0.0.1: keysend refused/g)).toHaveLength(2);
      const lines = said();
      for (const secret of [rune, other, gone, widened]) expect(lines).not.toContain(secret.slice(0, 43));
    }
  });

  test('createrune warns of an id that was blacklisted in advance', async () => {
    const restrictions = [['method=getinfo']];
    const { unique_id } = await daemon.result('createrune', { restrictions });
    const next = Number(unique_id) + 1;
    await daemon.result('blacklistrune', { start: next });
    const made = await daemon.result('createrune', { restrictions });
    expect(made).toMatchObject({
      unique_id: String(next),
      warning_blacklisted: expect.stringContaining(`blacklistrune start=${next} relist=true`),
    });
    const narrowed = await daemon.result('createrune', { rune: made.rune, restrictions });
    expect(narrowed).toHaveProperty('warning_blacklisted');
    await daemon.result('blacklistrune', { start: next, relist: true });
    expect(await daemon.result('createrune', { rune: made.rune, restrictions })).not.toHaveProperty(
      'warning_blacklisted',
    );
  });

  test('a client cannot learn which commands exist', async () => {
    const known = await call('/v1/stop');
    const unknown = await call('/v1/no-such-command');
    expect([known.status, known.json]).toEqual([unknown.status, unknown.json]);
    expect(known.status).toBe(401);
  });

  test('check needs permission for the command inside as well', async () => {
    const { rune: checking } = await daemon.result('createrune', {
      restrictions: [['method=check', 'method=getinfo']],
    });
    const check = (of: object | string) => call('/v1/check', of, {}, checking);
    expect((await check({ command_to_check: 'getinfo' })).status).toBe(201);
    expect((await check({ command_to_check: 'keysend', destination: peer, amount_msat: 1 })).json.code).toBe(
      1502,
    );
    expect((await check(`{"command_to_check":"getinfo","command_to_check":"keysend"}`)).status).not.toBe(201);
  });

  test('the limit of a rune is enforced for any spelling of parameters', async () => {
    const restrictions = [['method=keysend'], ['pnameamountmsat<2000'], [`pnamedestination=${peer}`]];
    const { rune: small } = await daemon.result('createrune', { restrictions });
    const pay = (body: string) => call('/v1/keysend', body, {}, small);
    expect((await pay(`{"destination":"${peer}","amount_msat":1999}`)).status).toBe(201);
    for (const amount of [
      '"amount_msat":2000',
      String.raw`"amount\u005fmsat":2000`,
      '"amount_msat":"1999"',
    ]) {
      expect((await pay(`{"destination":"${peer}",${amount}}`)).json).toMatchObject({ code: 1502 });
    }
    const byPlace = { id: 1, method: 'keysend', params: [peer, 1000] };
    expect((await call('/', byPlace, {}, small)).json.error).toMatchObject({ code: 1502 });
  });
});

describe('POST /', () => {
  test('is JSON-RPC 2.0, and repeats the id byte for byte', async () => {
    const { status, text, json } = await call(
      '/',
      '{"jsonrpc":"2.0","id":18446744073709551615,"method":"getinfo"}',
    );
    expect(status).toBe(200);
    expect(text).toContain('"id":18446744073709551615,');
    expect(json.result).toEqual(await daemon.result('getinfo'));
    expect((await call('/rpc', { id: 1, method: 'getinfo' })).status).toBe(200);
  });

  test('answers errors of commands with 200, and invalid requests with 400', async () => {
    const wrong = await call('/', { id: 1, method: 'keysend', params: {} });
    expect([wrong.status, wrong.json.error.code]).toEqual([200, -32602]);
    expect((await call('/', '{')).status).toBe(400);
    expect((await call('/', '[]')).status).toBe(400);
  });

  test('checks each member of a batch', async () => {
    const batch = ['getinfo', 'stop', 'listpeers'].map((method, id) => ({ id, method }));
    const mixed = await call('/', batch);
    expect(mixed.status).toBe(200);
    expect(mixed.json).toMatchObject([
      { id: 0, result: {} },
      { id: 1, error: { code: 1502 } },
      { id: 2, result: {} },
    ]);
    expect((await call('/', [{ id: 1, method: 'stop' }])).status).toBe(401);
  });
});

describe('documents', () => {
  test('are available to everyone', async () => {
    const get = (path: string) => ask(daemon.httpUrl + path, { method: 'GET' });
    expect((await get('/healthz')).text).toBe('ok\n');
    expect((await get('/readyz')).json).toEqual({ ready: true, reasons: {} });
    const methods = await get('/v1/list-methods');
    expect(methods.headers['content-type']).toMatch(/^text\/html/);
    expect(methods.text).toContain('Command: getinfo \n');
    expect((await get('/openrpc.json')).json).toEqual(await daemon.result('rpc.discover'));
  });
});

describe('pages of other websites', () => {
  test('cannot call through their own host name', async () => {
    const { status } = await call('/v1/getinfo', '', { headers: { Host: 'evil.example' } });
    expect(status).toBe(421);
    for (const host of ['localhost', '127.0.0.1:80', '[::1]:3010']) {
      expect((await call('/v1/getinfo', '', { headers: { Host: host } })).status).toBe(201);
    }
    expect((await call('/v1/getinfo', '', { headers: { Host: '192.0.2.1' } })).status).toBe(421);
  });

  test('cannot call from their own origin', async () => {
    const origin = (value: string) => call('/v1/getinfo', '', { headers: { Origin: value } });
    expect((await origin('https://evil.example')).status).toBe(403);
    expect((await origin(`${daemon.httpUrl}0`)).status).toBe(403);
    expect((await origin(daemon.httpUrl)).status).toBe(201);
  });
});

test('a body that is too long is refused, and not read further', async () => {
  const most = 1024 * 1024;
  expect((await call('/v1/getinfo', `{}${' '.repeat(most - 2)}`)).status).toBe(201);
  const more = await call('/v1/getinfo', `{}${' '.repeat(most - 1)}`);
  expect([more.status, more.json.code]).toEqual([413, -32002]);
});
