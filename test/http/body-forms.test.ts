/**
 * Bodies in YAML and as forms, which Core Lightning's clnrest takes too. The cases of `listpeerchannels`-like calls and
 * of lists are those of its own test (tests/test_clnrest.py, test_content_types); the others are what a hostile body
 * could be.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { BodyError } from '../../src/http/body.ts';
import { asJson, type BodyForm, formOf } from '../../src/http/body-forms.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { ask } from './http-client.ts';

describe('a body as JSON', () => {
  test.each<[string, BodyForm, string]>([
    // A list in one line is YAML as well: so clnrest's test sends it.
    ["key: ['project']", 'yaml', '{"key":["project"]}'],
    [
      'amount_msat: 18446744073709551615\nnote: "5"',
      'yaml',
      '{"amount_msat":18446744073709551615,"note":"5"}',
    ],
    ['a: null\nb: true\nc: {d: [1, x]}', 'yaml', '{"a":null,"b":true,"c":{"d":[1,"x"]}}'],
    ['{"a": 1}', 'yaml', '{"a":1}'],
    ['key=project', 'form', '{"key":"project"}'],
    ['key[0]=a&key[1]=b', 'form', '{"key":["a","b"]}'],
    ['key=a&key=b', 'form', '{"key":["a","b"]}'],
    ['path[0][amount_msat]=5&label=a%26b', 'form', '{"path":[{"amount_msat":"5"}],"label":"a&b"}'],
    ['{"a": 1}', 'form', '{"a": 1}'],
    [' ', 'yaml', ' '],
    ['not looked at', 'json', 'not looked at'],
  ])('%s', (body, form, expected) => expect(asJson(body, form)).toBe(expected));

  test.each<[string, string, BodyForm]>([
    ['an open string', 'a: "x', 'yaml'],
    ['the same name twice', 'a: 1\na: 2', 'yaml'],
    ['two documents', 'a: 1\n---\nb: 2', 'yaml'],
    ['values that refer to others', 'a: &x [1]\nb: [*x, *x]', 'yaml'],
    ['no number', 'a: .nan', 'yaml'],
    ['lists in lists without end', '['.repeat(30_000), 'yaml'],
    ['members in members', `a${'[b]'.repeat(11)}=1`, 'form'],
    ['a thousand and one members', Array.from({ length: 1001 }, (_, n) => `a${n}=1`).join('&'), 'form'],
    ['a list with a far place', 'a[99999]=1', 'form'],
  ])('is refused: %s', (_, body, form) => {
    expect(() => asJson(body, form)).toThrow(expect.objectContaining({ name: 'parseError' }));
  });

  it('is bounded where it is not JSON', () => {
    expect(() => asJson(`a: ${'x'.repeat(65_536)}`, 'yaml')).toThrow(BodyError);
    expect(() => asJson(`a=${'x'.repeat(65_536)}`, 'form')).toThrow('exceeds 65536 characters');
  });

  it('puts no member in the place of a prototype', () => {
    for (const body of [asJson('__proto__: {x: 1}', 'yaml'), asJson('__proto__[x]=1', 'form')]) {
      expect(JSON.parse(body).x).toBeUndefined();
    }
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('has the form that its type names', () => {
    expect(['application/json; charset=utf-8', '*/*', 'application/yaml', 'text/csv'].map(formOf)).toEqual([
      'json',
      'json',
      'yaml',
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
  const YAML = 'application/yaml';
  const FORM = 'application/x-www-form-urlencoded';

  it('pays what a form and a YAML text say', async () => {
    const form = await post('/v1/keysend', FORM, `destination=${peer}&amount_msat=1001`);
    expect([form.status, form.json.amount_msat]).toEqual([201, 1001]);
    const yaml = await post('/v1/keysend', YAML, `destination: "${peer}"\namount_msat: 1002\nlabel: null\n`);
    expect([yaml.status, yaml.json.amount_msat]).toEqual([201, 1002]);
    expect((await post('/v1/listpays', YAML, '')).json.pays).toHaveLength(2);
  });

  it('holds the limit of a rune in every form', async () => {
    const restrictions = [['method=keysend'], ['pnameamountmsat<2000']];
    const small = { Rune: (await daemon.result('createrune', { restrictions })).rune };
    const code = async (type: string, body: string) =>
      (await post('/v1/keysend', type, body, small)).json.code;
    expect(await code(YAML, `destination: "${peer}"\namount_msat: 2000`)).toBe(1502);
    // A text is no number to a rune, so the limit refuses every form.
    expect(await code(FORM, `destination=${peer}&amount_msat=1999`)).toBe(1502);
    expect((await post('/v1/keysend', YAML, `destination: "${peer}"\namount_msat: 1999`, small)).status).toBe(
      201,
    );
  });

  it('says what is wrong as clnrest does, and looks at no body without a rune', async () => {
    const list = await post('/v1/listpays', YAML, '- 1');
    expect([list.status, list.json.code]).toEqual([500, -32602]);
    const open = await post('/v1/listpays', YAML, 'a: "x');
    expect([open.status, open.json.code]).toEqual([500, -32700]);
    const nobody = await post('/v1/listpays', YAML, 'a: "x', {});
    expect([nobody.status, nobody.json.code]).toEqual([403, 1501]);
    expect((await post('/', YAML, 'method: listpays')).status).toBe(406);
  });

  it('answers YAML to those who take nothing else', async () => {
    const yaml = await post('/v1/listpays', YAML, '', { Rune: rune, Accept: YAML });
    expect([yaml.status, yaml.headers['content-type']]).toEqual([201, YAML]);
    expect(JSON.parse(yaml.text)).toEqual(await daemon.result('listpays'));
    const wrong = await post('/v1/listpays', YAML, 'x: 1', { Rune: rune, Accept: YAML });
    expect([wrong.status, wrong.headers['content-type']]).toEqual([500, 'application/json']);
  });
});
