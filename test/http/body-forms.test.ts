/**
 * Bodies as forms, which Core Lightning's clnrest accepts too. The cases of lists are those of its own test
 * (tests/test_clnrest.py, test_content_types). The others are cases of hostile bodies.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { BodyError } from '../../src/http/body.ts';
import { asJson, type BodyForm, formOf } from '../../src/http/body-forms.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { ask } from './http-client.ts';

const FORM = 'application/x-www-form-urlencoded';

describe('a body as JSON', () => {
  test.each<[string, BodyForm, string]>([
    ['key=project', 'form', '{"key":"project"}'],
    ['key[0]=a&key[1]=b', 'form', '{"key":["a","b"]}'],
    ['key=a&key=b', 'form', '{"key":["a","b"]}'],
    ['path[0][amount_msat]=5&label=a%26b', 'form', '{"path":[{"amount_msat":"5"}],"label":"a&b"}'],
    ['{"a": 1}', 'form', '{"a": 1}'],
    [' ', 'form', ' '],
    ['a[]=1&a[]=2&b[x][]=3', 'form', '{"a":["1","2"],"b":{"x":["3"]}}'],
    ['a[1]=y&a[0]=x', 'form', '{"a":["x","y"]}'],
    ['a[10]=y&a[9]=x', 'form', '{"a":["x","y"]}'],
    [`a${'[b]'.repeat(9)}=1`, 'form', `{"a":${'{"b":'.repeat(9)}"1"${'}'.repeat(9)}}`],
    ['a[0][x]=1&a[0][y]=2&a[1][x]=3', 'form', '{"a":[{"x":"1","y":"2"},{"x":"3"}]}'],
    ['not looked at', 'json', 'not looked at'],
  ])('%s', (body, form, expected) => expect(asJson(body, form)).toBe(expected));

  test.each<[string, string, BodyForm]>([
    ['members in members', `a${'[b]'.repeat(10)}=1`, 'form'],
    ['a thousand and one members', Array.from({ length: 1001 }, (_, n) => `a${n}=1`).join('&'), 'form'],
    ['a list with a far place', 'a[99999]=1', 'form'],
    ['a bracket that is open', 'a[b=1', 'form'],
    ['a bracket too many', 'a[b]]=1', 'form'],
    ['text behind a bracket', 'a[b]c=1', 'form'],
    ['a value that also has members', 'a=1&a[b]=2', 'form'],
  ])('is refused: %s', (_, body, form) => {
    expect(() => asJson(body, form)).toThrow(expect.objectContaining({ name: 'parseError' }));
  });

  it('has a maximum length if it is not JSON', () => {
    const long = `a=${'x'.repeat(65_536)}`;
    expect(() => asJson(long, 'form')).toThrow(BodyError);
    expect(() => asJson(long, 'form')).toThrow('exceeds 65536 characters');
  });

  it('does not let a member replace a prototype', () => {
    expect(JSON.parse(asJson('__proto__[x]=1', 'form')).x).toBeUndefined();
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('is read according to its content type', () => {
    expect(['application/json; charset=utf-8', '*/*', FORM, 'application/yaml'].map(formOf)).toEqual([
      'json',
      'json',
      'form',
      undefined,
    ]);
  });
});

describe('the server', () => {
  const directory = temporaryDirectory();
  let daemon: DaemonHere;
  let rune: string;
  let peer: string;
  beforeAll(async () => {
    const options = ['--graph', 'synthetic:100', '--seed', '7', '--http', '127.0.0.1:0'];
    daemon = await DaemonHere.start(join(directory.path, 'home'), options);
    ({ rune } = await daemon.result('createrune', { restrictions: [['method=keysend', 'method^list']] }));
    peer = (await daemon.result('listpeerchannels')).channels[0].peer_id;
  });
  afterAll(async () => {
    await daemon?.stop();
    directory.remove();
  });
  const post = (path: string, type: string, body: string, headers: Record<string, string> = { Rune: rune }) =>
    ask(daemon.httpUrl + path, { headers: { 'Content-Type': type, ...headers }, body });

  it('pays according to a form', async () => {
    const form = await post('/v1/keysend', FORM, `destination=${peer}&amount_msat=1001`);
    expect([form.status, form.json.amount_msat]).toEqual([201, 1001]);
    expect((await post('/v1/listpays', FORM, '')).json.pays).toHaveLength(1);
  });

  it('enforces the limit of a rune for a form: a text does not count as a number', async () => {
    const restrictions = [['method=keysend'], ['pnameamountmsat<2000']];
    const small = { Rune: (await daemon.result('createrune', { restrictions })).rune };
    const body = `destination=${peer}&amount_msat=1999`;
    expect((await post('/v1/keysend', FORM, body, small)).json.code).toBe(1502);
  });

  it('reports errors in a form, and reads no body without a rune', async () => {
    const open = await post('/v1/listpays', FORM, 'a[b=1');
    expect([open.status, open.json.code]).toEqual([500, -32700]);
    const nobody = await post('/v1/listpays', FORM, 'a[b=1', {});
    expect([nobody.status, nobody.json.code]).toEqual([403, 1501]);
  });

  it('accepts no YAML', async () => {
    expect((await post('/v1/listpays', 'application/yaml', 'a: 1')).status).toBe(406);
    expect(
      (await post('/v1/listpays', 'application/json', '{}', { Rune: rune, Accept: 'application/yaml' }))
        .status,
    ).toBe(406);
  });
});
