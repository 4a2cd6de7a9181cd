/**
 * The plugin side of the stand-in, compared with lightningd (`lightningd/plugin.c`, `plugin_hook.c`,
 * `plugin_control.c`): which plugins it accepts, what it sends them, and when it kills them or stops itself.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { toHex } from '../../src/bolt/bytes.ts';
import { createBlindedPath } from '../../src/bolt/onion/blinded-path.ts';
import { encodeEncryptedData } from '../../src/bolt/onion/encrypted-data.ts';
import { createOnionMessage } from '../../src/bolt/onion/onion-message.ts';
import { nodeIdToBytes } from '../../src/model/node-id.ts';
import { parseJson } from '../../src/rpc/json-token.ts';
import { until } from '../until.ts';
import { callNode, type LineNode, lineNode, OWN_ID } from './line-node.ts';
import { type Manifest, type ManifestContext, readManifest } from './manifest.ts';
import { type SamplePlugin, writePlugin } from './sample-plugin.ts';
import type { StandInOptions } from './stand-in.ts';

let made: LineNode | undefined;
afterEach(async () => {
  await made?.close();
  made = undefined;
});

/** A started node with these plugins, in the order of their start. */
async function nodeWith(
  plugins: Readonly<Record<string, SamplePlugin>>,
  more: Partial<StandInOptions> = {},
): Promise<LineNode> {
  const first = lineNode();
  const paths = Object.entries(plugins).map(([name, plugin]) => ({
    path: writePlugin(first.directory, name, plugin),
    isImportant: name.startsWith('important'),
  }));
  made = lineNode({ directory: first.directory, plugins: paths, ...more });
  await made.node.start();
  return made;
}

const method = (name: string) => ({ name, usage: '' });
const manifest = (more: object) => ({ options: [], rpcmethods: [], ...more });

describe('a manifest', () => {
  const context: ManifestContext = {
    release: 'v26.06',
    ownerOf: () => undefined,
    isOptionTaken: () => false,
    onOptionClash: () => undefined,
  };
  const read = (result: object, release = 'v26.06') =>
    readManifest(parseJson(JSON.stringify({ jsonrpc: '2.0', id: 'x', result })), { ...context, release });
  const option = (more: object) => ({ options: [{ name: 'ours', description: '', ...more }] });

  test.each<[string, object, string]>([
    ['no options', { rpcmethods: [] }, '"result.options" was not found in the manifest'],
    ['no methods', { options: [] }, '"result.rpcmethods" missing'],
    ['no usage', manifest({ rpcmethods: [{ name: 'ours' }] }), '"usage" not provided by plugin'],
    ['a hook that does not exist', manifest({ hooks: ['nonsense'] }), 'Unknown hook name nonsense'],
    [
      'the same hook twice',
      manifest({ hooks: ['recover', 'recover'] }),
      'Registered for hook recover multiple times',
    ],
    [
      'filters for a hook without filters',
      manifest({ hooks: [{ name: 'openchannel', filters: ['a'] }] }),
      'Hook openchannel does not allow filters',
    ],
    [
      'a number as a filter for commands',
      manifest({ hooks: [{ name: 'rpc_command', filters: [1] }] }),
      "filters must be array of strings, not '1'",
    ],
    [
      'a topic reserved for the node',
      manifest({ notifications: [{ method: 'block_added' }] }),
      'plugin attempted to register a native notification topic "block_added", these may however only be sent by lightningd',
    ],
    [
      'a flag that is on by default',
      manifest(option({ type: 'flag', default: true })),
      "--ours type flag default must be 'false' not true",
    ],
    [
      'a flag with several values',
      manifest(option({ type: 'flag', multi: true })),
      'flag type cannot be multi',
    ],
    [
      'a default that is not a number',
      manifest(option({ type: 'int', default: 'x' })),
      "Invalid default 'x'",
    ],
    ['numbers as ids', manifest({ nonnumericids: false }), 'Plugin does not allow nonnumericids'],
    [
      'feature bits of a dynamic plugin',
      manifest({ dynamic: true, featurebits: { node: '80' } }),
      'Custom featurebits only allows for non-dynamic plugins',
    ],
  ])('with %s is refused', (_what, result, words) => {
    expect(() => read(result)).toThrow(words);
  });

  test('keeps filters only if the release knows them', () => {
    const result = manifest({ hooks: [{ name: 'rpc_command', filters: ['keysend'] }] });
    const filters = (release: string) => (read(result, release) as Manifest).hooks[0]!.filters;
    expect([filters('v25.09'), filters('v25.12')]).toEqual([undefined, ['keysend']]);
  });

  test.each<[string, string, string]>([
    ['is not JSON', `console.log('hello')`, 'Failed to parse RPC JSON'],
    [
      'lacks jsonrpc',
      'process.stdout.write(JSON.stringify({ id, result: {} }))',
      'JSON-RPC message does not contain "jsonrpc" field',
    ],
    [
      'follows a notification about no call',
      `say({ method: 'message', params: { message: 'x' } })`,
      'JSON-RPC notify "id"-field is not present',
    ],
  ])('that %s ends the plugin, and not the node', async (_what, answer, words) => {
    const all = await nodeWith({ ours: { script: `on.getmanifest = ({ id }) => ${answer};` } });
    expect(all.node.lines('unusual')[0]).toContain(`plugin-ours: Killing plugin: ${words}`);
    expect(all.node.crashed).toBeUndefined();
    expect(await callNode(all, 'plugin', { subcommand: 'list' })).toEqual({ command: 'list', plugins: [] });
  });

  test('with a method of an earlier plugin: the second plugin is killed, with the node’s own message', async () => {
    const taken = manifest({ rpcmethods: [method('same')] });
    const all = await nodeWith({ one: { manifest: taken }, other: { manifest: taken } });
    expect(all.node.lines('unusual')[0]).toContain(
      'Could not register method "same", a method with that name is already registered by plugin',
    );
    expect(all.node.plugins.plugins).toHaveLength(1);
  });

  test('that disables the plugin ends the plugin quietly, even an important one', async () => {
    const all = await nodeWith({ important: { manifest: { disable: 'not today' } } });
    expect(all.node.crashed).toBeUndefined();
    expect(all.node.lines('info')).toContain('plugin-important: Killing plugin: disabled itself: not today');
  });
});

describe('a node is stopped by', () => {
  test.each<[string, Readonly<Record<string, SamplePlugin>>, string]>([
    [
      'an option that two plugins declare',
      {
        one: { manifest: manifest({ options: [{ name: 'same', type: 'string', description: '' }] }) },
        other: { manifest: manifest({ options: [{ name: 'same', type: 'string', description: '' }] }) },
      },
      "option name 'same' is already taken",
    ],
    ['an important plugin that is refused', { important: { manifest: {} } }, 'important was important'],
    [
      'a plugin that does not answer',
      { slow: { script: 'on.init = () => undefined;' } },
      "Can't recover from plugin failure, terminating.",
    ],
  ])('%s', async (_what, plugins, words) => {
    const all = await nodeWith(plugins, words.startsWith('Can') ? { pluginStartMs: 300 } : {});
    expect(all.node.crashed).toContain(words);
    await expect(callNode(all, 'getinfo')).rejects.toMatchObject({ name: 'nodeAway' });
  });

  test('a hook that is answered with an error', async () => {
    const script = `on.rpc_command = ({ id }) => say({ id, error: { code: -1, message: 'no' } });`;
    const all = await nodeWith({ ours: { manifest: manifest({ hooks: ['rpc_command'] }), script } });
    await callNode(all, 'getinfo').catch(() => undefined);
    await until(() => all.node.crashed !== undefined);
    expect(all.node.crashed).toContain('Plugin ours for rpc_command returned non-result response');
  });
});

describe('a running plugin', () => {
  const echo = `on.echo = ({ id, ...request }) => answer(id, { request: { id, ...request } });`;

  test('receives its location and its options as they were set', async () => {
    const options = [
      { name: 'ours-number', type: 'int', description: '', default: 7, dynamic: true },
      { name: 'ours-text', type: 'string', description: '' },
      { name: 'ours-many', type: 'string', description: '', multi: true },
      { name: 'ours-flag', type: 'flag', description: '' },
    ];
    const script = `let told; on.init = ({ id, params }) => { told = { ...params, argv: process.argv.slice(2), cwd: process.cwd(), env: process.env.LIGHTNINGD_VERSION }; answer(id, {}); };
      on.told = ({ id }) => answer(id, told);`;
    const plugin = { manifest: manifest({ options, rpcmethods: [method('told')] }), script };
    const all = await nodeWith({ ours: plugin }, { options: { 'ours-many': ['a', 'b'], 'ours-flag': true } });
    expect(await callNode(all, 'told')).toEqual({
      options: { 'ours-number': 7, 'ours-many': ['a', 'b'], 'ours-flag': true },
      configuration: {
        'lightning-dir': all.directory,
        'rpc-file': all.node.rpcFile,
        startup: true,
        network: 'regtest',
        feature_set: expect.anything(),
      },
      argv: ['--developer'],
      cwd: all.directory,
      env: 'v26.06',
    });
  });

  test('receives calls as they were sent, with an id from the node, and its progress goes only to callers who want it', async () => {
    const script = `${echo} on.slow = ({ id }) => { say({ method: 'message', params: { id, level: 'info', message: 'half' } }); answer(id, {}); };`;
    const rpcmethods = [method('echo'), method('slow')];
    const all = await nodeWith({ ours: { manifest: manifest({ rpcmethods }), script } });
    const { request } = (await callNode(all, 'echo', { b: 1, a: [2] })) as {
      request: Record<string, unknown>;
    };
    expect(request).toMatchObject({ method: 'echo', params: { b: 1, a: [2] } });
    expect(request.id).toMatch(/^fulgurite:echo#1\/cln:echo#\d+$/);
    expect(await callNode(all, 'slow')).toEqual({});
  });

  test('receives checks only if it supports them, and for dynamic options', async () => {
    const options = [{ name: 'ours-number', type: 'int', description: '', default: 7, dynamic: true }];
    const script = `on.check = ({ id, params }) => answer(id, { command_to_check: params.command_to_check, seen: params });
      on.setconfig = ({ id, params }) => params.val === '8' ? answer(id, {}) : say({ id, error: { code: -32602, message: 'only 8' } });`;
    const able = { manifest: manifest({ options, cancheck: true, rpcmethods: [method('able')] }), script };
    const plain = { manifest: manifest({ rpcmethods: [method('plain')] }) };
    const all = await nodeWith({ ours: able, plain });
    expect(await callNode(all, 'check', { command_to_check: 'plain', x: 1 })).toEqual({
      command_to_check: 'plain',
    });
    expect(await callNode(all, 'check', { command_to_check: 'able', x: 1 })).toMatchObject({
      seen: { x: 1 },
    });
    expect(await callNode(all, 'setconfig', { config: 'ours-number', val: 9 })).toBe('-32602 only 8');
    expect(await callNode(all, 'setconfig', { config: 'ours-number', val: 'x' })).toBe(
      '-32602 ours-number: x does not parse as type int',
    );
    expect(await callNode(all, 'setconfig', { config: 'ours-number', val: 8 })).toMatchObject({
      config: { config: 'ours-number', value_int: 8, dynamic: true },
    });
  });

  test('that dies fails its calls and loses its methods, but the node survives', async () => {
    const script = `on.die = () => process.exit(1);`;
    const all = await nodeWith({ ours: { manifest: manifest({ rpcmethods: [method('die')] }), script } });
    expect(await callNode(all, 'die')).toBe('-4 Plugin terminated before replying to RPC call.');
    expect(await callNode(all, 'die')).toBe("-32601 Unknown command 'die'");
    expect(all.node.crashed).toBeUndefined();
  });

  test('is stopped and started by command: only if it is dynamic, and after `shutdown`', async () => {
    const script = `on.shutdown = () => { say({ method: 'log', params: { level: 'warn', message: 'good bye' } }); setTimeout(() => process.exit(), 5); };`;
    const dynamic = { manifest: manifest({ dynamic: true, subscriptions: ['shutdown'] }), script };
    const all = await nodeWith({ ours: dynamic, fixed: {} });
    expect(await callNode(all, 'plugin', { subcommand: 'stop', plugin: 'fixed' })).toBe(
      '-32602 fixed cannot be managed when lightningd is up',
    );
    expect(await callNode(all, 'plugin', { subcommand: 'stop', plugin: 'ours' })).toEqual({
      command: 'stop',
      result: 'Successfully stopped ours.',
    });
    expect(all.node.lines('unusual')).toEqual(['plugin-ours: good bye']);
    const path = `${all.directory}/ours`;
    const started = (await callNode(all, 'plugin', { subcommand: 'start', plugin: path })) as {
      plugins: object[];
    };
    expect(started.plugins).toContainEqual({ name: path, active: true, dynamic: true });
  });

  test('receives the notifications it subscribed to, from the node and from other plugins', async () => {
    const hears = {
      manifest: manifest({ subscriptions: ['block_added', 'ours_topic'] }),
      script: `for (const topic of ['block_added', 'ours_topic']) on[topic] = (message) => say({ method: 'log', params: { message: JSON.stringify(message) } });`,
    };
    const says = {
      manifest: manifest({ rpcmethods: [method('say')], notifications: [{ method: 'ours_topic' }] }),
      script: `on.say = ({ id }) => { say({ method: 'ours_topic', params: { x: 1 } }); say({ method: 'undeclared', params: {} }); answer(id, {}); };`,
    };
    const all = await nodeWith({ hears, says });
    all.node.channeld.mineTo(all.node.channeld.height + 1);
    await callNode(all, 'say');
    await until(() => all.node.lines('info').length === 2);
    const [block, topic] = all.node
      .lines('info')
      .map((line) => JSON.parse(line.replace('plugin-hears: ', '')));
    expect(block.params.block_added.height).toBe(all.node.channeld.height);
    expect(topic).toEqual({ jsonrpc: '2.0', method: 'ours_topic', origin: 'says', params: { x: 1 } });
    expect(all.node.lines('unusual')[0]).toContain('topic "undeclared" it hasn\'t declared');
  });
});

describe('the hook rpc_command', () => {
  const hook = (more: object = {}) => ({ hooks: [{ name: 'rpc_command', filters: ['getinfo'], ...more }] });

  test('replaces a call, but only calls that match its filter', async () => {
    const script = `on.rpc_command = ({ id, params }) => answer(id, { replace: { ...params.rpc_command, method: 'ours' } });
      on.ours = ({ id, params }) => answer(id, { ours: params });`;
    const plugin = { manifest: manifest({ ...hook(), rpcmethods: [method('ours')] }), script };
    const all = await nodeWith({ ours: plugin });
    expect(await callNode(all, 'getinfo')).toEqual({ ours: {} });
    expect(await callNode(all, 'listpeers')).toHaveProperty('peers');
  });

  test('is called for everything by releases without filters', async () => {
    const script = `let calls = 0; on.rpc_command = ({ id }) => { calls++; answer(id, { result: 'continue' }); };
      on.count = ({ id }) => answer(id, { calls });`;
    const plugin = { manifest: manifest({ ...hook(), rpcmethods: [method('count')] }), script };
    const all = await nodeWith({ ours: plugin }, { version: 'v25.09' });
    await callNode(all, 'listpeers');
    expect(await callNode(all, 'count')).toEqual({ calls: 2 });
  });

  test('is called in the order that plugins request; the second change is ignored', async () => {
    const says = (who: string) =>
      `on.rpc_command = ({ id }) => answer(id, { return: { result: { from: '${who}' } } });`;
    const all = await nodeWith({
      one: { manifest: manifest(hook()), script: says('one') },
      other: { manifest: manifest(hook({ before: ['one'] })), script: says('other') },
    });
    expect(await callNode(all, 'getinfo')).toEqual({ from: 'other' });
    expect(all.node.lines('unusual')).toEqual(['rpc_command hook already modified, ignoring.']);
  });
});

describe('onion messages', () => {
  /**
   * A message to the node itself over a path of ours with this secret, in the format that
   * `injectonionmessage` accepts.
   */
  function toOurselves(pathId: Uint8Array) {
    const key = (byte: number) => new Uint8Array(32).fill(byte);
    const nodes = [{ nodeId: nodeIdToBytes(OWN_ID), data: encodeEncryptedData({ pathId }) }];
    const path = createBlindedPath(nodes, key(1));
    const { pathKey, packet } = createOnionMessage(path, { invoice: Uint8Array.of(1, 2) }, key(2));
    return { path_key: toHex(pathKey), message: toHex(packet) };
  }
  const both = ['onion_message_recv', 'onion_message_recv_secret'];
  const script = `for (const hook of ${JSON.stringify(both)}) on[hook] = ({ id, params }) => {
    say({ method: 'log', params: { message: hook + ' ' + JSON.stringify(params.onion_message) } });
    answer(id, { result: 'continue' });
  };`;

  test('reach the hook for their secret; a secret of the wrong length counts as none', async () => {
    const all = await nodeWith({ ours: { manifest: manifest({ hooks: both }), script } });
    expect(await callNode(all, 'injectonionmessage', toOurselves(new Uint8Array(32).fill(7)))).toEqual({});
    expect(await callNode(all, 'injectonionmessage', toOurselves(new Uint8Array(31)))).toEqual({});
    await until(() => all.node.lines('info').length === 2);
    const shown = all.node.lines('info').map((line) => line.replace('plugin-ours: ', ''));
    const content = { invoice: '0102', unknown_fields: [] };
    expect(shown).toEqual([
      `onion_message_recv_secret ${JSON.stringify({ pathsecret: '07'.repeat(32), ...content })}`,
      `onion_message_recv ${JSON.stringify(content)}`,
    ]);
  });

  test('are refused if they cannot be read', async () => {
    const all = await nodeWith({});
    const { path_key, message } = toOurselves(new Uint8Array(32));
    const spoilt = `${message.slice(0, -2)}${message.endsWith('00') ? '01' : '00'}`;
    expect(await callNode(all, 'injectonionmessage', { path_key, message: spoilt })).toMatch(
      /^-1 onion msg: /,
    );
  });
});
