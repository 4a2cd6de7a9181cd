/**
 * The plugin's supervisor between a node and an engine, both scripted: what the node receives while the
 * engine starts, dies, hangs, fails, or never comes up.
 */
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/index.ts';
import { ERRORS } from '../../src/model/errors.ts';
import { MESSAGE_HOOK, MESSAGE_METHOD } from '../../src/plugin/onion-messages.ts';
import { ASKRENE_METHODS, OWN_METHODS, shownUsage } from '../../src/plugin/plugin-methods.ts';
import { TAKE_OVER_METHODS } from '../../src/plugin/take-over.ts';
import { usageOf } from '../../src/rpc/command.ts';
import { until } from '../until.ts';
import { FakeHost, type FakeHostOptions } from './fake-host.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
type Json = any;

const hosts: FakeHost[] = [];
function host(options: FakeHostOptions = {}): FakeHost {
  const made = new FakeHost(options);
  hosts.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((one) => one.close()));
});

const seenIn = (result: Json): string[] => result.seen.map(({ method }: { method: string }) => method);
const AWAY = ERRORS.engineAway.code;

describe('the manifest', () => {
  const names = (manifest: Json): string[] => manifest.rpcmethods.map(({ name }: Json) => name);

  test('lists each command with its parameters', () => {
    for (const method of [...ASKRENE_METHODS, ...OWN_METHODS]) {
      const command = COMMANDS.find(({ name }) => name === method.command)!;
      for (const isDeveloper of [false, true]) {
        const shown = `${method.command} ${command.deprecated ? '(DEPRECATED!) ' : ''}${shownUsage(method, isDeveloper)}`;
        expect(shown).toBe(usageOf(command, isDeveloper));
      }
      expect([method.command, method.deprecated]).toEqual([command.name, command.deprecated && true]);
      // Requests that may be repeated must be read-only commands.
      if (method.readOnly) expect([command.name, command.readOnly]).toEqual([command.name, true]);
    }
  });

  test('has the names and options of cln-askrene if the plugin replaces it', async () => {
    const manifest = await host().result('getmanifest');
    expect(names(manifest)).toEqual(
      expect.arrayContaining(['getroutes', 'askrene-age', 'fulgurite-getinfo']),
    );
    expect(manifest.options).toContainEqual(
      expect.objectContaining({ name: 'askrene-timeout', type: 'int', default: 10, dynamic: true }),
    );
    expect(manifest).toMatchObject({ dynamic: true, cancheck: true, nonnumericids: true });
  });

  test('has none of them if the plugin runs beside it', async () => {
    const manifest = await host({ isInPlace: false }).result('getmanifest');
    expect(names(manifest).filter((name) => !name.startsWith('fulgurite-'))).toEqual([]);
    expect(names(manifest)).toContain('fulgurite-getroutes');
    expect(manifest.options.map(({ name }: Json) => name)).not.toContain('askrene-timeout');
  });

  test('requests the hook for calls only if the node can limit it to some methods', async () => {
    const hooks = async (nodeVersion: string) => (await host({ nodeVersion }).result('getmanifest')).hooks;
    expect(await hooks('v25.09.1')).toEqual([MESSAGE_HOOK]);
    for (const version of ['v25.12', 'v26.06-258-g090f4b0', '090f4b0'])
      expect(await hooks(version)).toMatchObject([
        MESSAGE_HOOK,
        { name: 'rpc_command', filters: TAKE_OVER_METHODS },
      ]);
  });

  test('is available before the engine, and init does not wait for it', async () => {
    const one = host();
    one.touch('broken');
    await one.start();
    expect(await one.result('fulgurite-getinfo')).toEqual({
      plugin: {
        version: '1.2.3',
        replaces_cln_askrene: true,
        takes_over: [],
        engine: 'away',
        warning_engine: expect.any(String),
        engine_restarts: expect.any(Number),
      },
    });
  });
});

describe('a running engine', () => {
  test('gets the node’s request, under its own command name', async () => {
    const one = host({ isDeveloper: true });
    await one.start({ 'askrene-timeout': 7, 'fulgurite-workers': 2 }, { always_use_proxy: true });
    const result = await one.result('getroutes', { a: 1 }, { filter: { b: true } });
    expect(result.filter).toEqual({ b: true });
    expect(result.arguments).toEqual([
      'start',
      ...['--network', 'cln', '--lightning-rpc-file', join(one.directory, 'lightning-rpc')],
      ...['--data-dir', one.directory, '--log-level', 'info', '--max-in-flight', '20000'],
      ...['--askrene-timeout', '7', '--node-messages', '--stop-on-eof', '--workers', '2'],
      ...['--replace-askrene', '--developer'],
      '--fetchinvoice-noconnect',
    ]);
    const { seen } = await one.result('fulgurite-xkeysend', ['02', 5]);
    expect(seen).toEqual([{ method: 'getroutes', params: expect.anything(), id: expect.any(String) }]);
    expect((await one.result('fulgurite-getinfo')).plugin).toMatchObject({
      engine: 'up',
      engine_restarts: 0,
    });
  });

  test('answers getroutes without `unfinished`, except for a request for a Pareto front', async () => {
    const one = host();
    await one.start();
    const more = { probability_ppm: 5, unfinished: { cost_msat: 1, least_cost_msat: 0 } };
    const members = async (method: string, params: object) =>
      Object.keys(await one.result(method, { more, ...params })).slice(-2);
    expect(await members('getroutes', {})).toEqual(['told', 'probability_ppm']);
    expect(await members('getroutes', { pareto: true })).toEqual(['probability_ppm', 'unfinished']);
    expect(await members('fulgurite-xkeysend', {})).toEqual(['probability_ppm', 'unfinished']);
  });

  test('gets calls in the order of arrival, including those from before its start', async () => {
    const one = host();
    const early = Promise.all(['a', 'b', 'c'].map((layer) => one.ask('askrene-age', { layer, cutoff: 1 })));
    await one.start();
    await early;
    const { seen } = await one.result('askrene-listlayers');
    expect(seen.map(({ params }: Json) => params.layer)).toEqual(['a', 'b', 'c']);
  });

  test('sends its progress to callers and to the log', async () => {
    const one = host();
    await one.start();
    await one.result('getroutes', { tell: 'Final answer has 7 flows' });
    expect(one.notifications).toEqual([
      {
        method: 'message',
        params: { id: expect.any(String), level: 'info', message: 'Final answer has 7 flows' },
      },
    ]);
    const message = 'notify msg info: Final answer has 7 flows';
    expect(one.logs).toContainEqual({ level: 'debug', message });
    await one.result('askrene-unreserve', { path: [] });
    expect(one.logs).toContainEqual({
      level: 'trace',
      message: 'json_askrene_unreserve called: {"path":[]}',
    });
  });

  test('returns its errors unchanged', async () => {
    const one = host();
    await one.start();
    const { error } = await one.ask('getroutes', { fail: 205, message: 'no \u00fc route' });
    expect(error).toEqual({ code: 205, message: 'no \u00fc route' });
    expect((await one.ask('fulgurite-nothing')).error.code).toBe(-32601);
  });

  test('allows deprecated features as instructed by the node, for all calls or for the next one', async () => {
    const one = host();
    await one.start();
    const isServed = async () => (await one.result('askrene-listlayers')).deprecated;
    one.notify('deprecated_oneshot', { deprecated_oneshot: { deprecated_ok: false } });
    expect([await isServed(), await isServed()]).toEqual([false, true]);
    const strict = host();
    await strict.result('getmanifest', { 'allow-deprecated-apis': false });
    const directory = strict.directory;
    await strict.result('init', {
      options: { 'fulgurite-dir': '.' },
      configuration: { 'lightning-dir': directory },
    });
    expect((await strict.result('askrene-listlayers')).deprecated).toBe(false);
  });
});

describe('a dying engine', () => {
  test('only delays read-only calls', async () => {
    const one = host();
    await one.start();
    const { pid } = await one.result('askrene-listlayers');
    const held = one.result('getroutes', { gate: 'open' });
    const killed = await one.ask('fulgurite-fetchinvoice', { die: true });
    expect(killed.error).toMatchObject({ code: AWAY, data: { sent: true } });
    one.touch('open');
    const answer = await held;
    expect(answer.pid).not.toBe(pid);
    expect(answer.seen).toEqual([]);
  });

  test('never causes a second payment', async () => {
    const one = host();
    await one.start();
    const { error } = await one.ask('fulgurite-xkeysend', { destination: '02', die: true });
    expect(error).toMatchObject({
      code: AWAY,
      message: expect.stringContaining('xkeysend'),
      data: { sent: true },
    });
    expect(seenIn(await one.result('askrene-listlayers'))).toEqual([]);
  });

  test('loses no layer and no reservation: the next engine gets them first', async () => {
    const one = host();
    await one.start();
    const path = [{ short_channel_id_dir: '1x1x1/0', amount_msat: 5 }];
    const tagged = [{ short_channel_id_dir: '1x1x1/0', amount_msat: '7msat', layer: 'xpay-1' }];
    const gone = [{ short_channel_id_dir: '2x1x1/0', amount_msat: '9msat' }];
    await one.result('askrene-create-layer', { layer: 'kept', persistent: true });
    await one.result('askrene-create-layer', ['xpay-1']);
    await one.result('askrene-update-channel', { layer: 'xpay-1', short_channel_id_dir: '1x1x1/0' });
    await one.result('askrene-update-channel', { layer: 'kept', short_channel_id_dir: '1x1x1/0' });
    await one.result('askrene-create-layer', { layer: 'xpay-2' });
    await one.result('askrene-reserve', { path: [...path, ...gone] });
    await one.result('askrene-reserve', { path: tagged });
    await one.result('askrene-unreserve', { path: [{ short_channel_id_dir: '2x1x1/0', amount_msat: 9 }] });
    await one.result('askrene-remove-layer', { layer: 'xpay-2' });
    await one.ask('fulgurite-backup', { die: true });
    const { seen } = await one.result('askrene-listlayers');
    expect(seen.map(({ method, params }: Json) => [method, params])).toEqual([
      ['askrene-create-layer', ['xpay-1']],
      ['askrene-update-channel', { layer: 'xpay-1', short_channel_id_dir: '1x1x1/0' }],
      ['askrene-reserve', { path }],
      ['askrene-reserve', { path: tagged }],
    ]);
    // The reservation still has the id of its original request.
    expect(seen[2].id).toContain('askrene-reserve');
    await one.result('askrene-remove-layer', { layer: 'xpay-1' });
    await one.ask('fulgurite-backup', { die: true });
    expect(seenIn(await one.result('askrene-listlayers'))).toEqual(['askrene-reserve']);
  });

  test('is replaced by one that receives changes of lost state again, but not those that may be on disk', async () => {
    const one = host();
    await one.start();
    await one.result('askrene-create-layer', { layer: 'mine' });
    const open = [
      one.ask('askrene-reserve', { path: [], gate: 'open' }),
      one.ask('askrene-inform-channel', { layer: 'mine', gate: 'open' }),
      one.ask('askrene-inform-channel', { layer: 'kept', gate: 'open' }),
    ];
    await one.ask('fulgurite-backup', { die: true });
    one.touch('open');
    const [reserve, mine, kept] = await Promise.all(open);
    expect([reserve!.error, mine!.error]).toEqual([undefined, undefined]);
    expect(kept!.error).toMatchObject({ code: AWAY, data: { sent: true } });
  });

  test('is restarted after a pause, each time', async () => {
    const one = host();
    await one.start();
    for (let death = 1; death <= 5; death++) {
      await one.ask('fulgurite-backup', { die: true });
      await one.result('askrene-listlayers');
      expect((await one.result('fulgurite-getinfo')).plugin.engine_restarts).toBe(death);
    }
  });

  test('gets a request that kills it at most three times', async () => {
    const one = host();
    await one.start();
    const { error } = await one.ask('getroutes', { die: true });
    expect(error).toMatchObject({ code: AWAY, message: expect.stringContaining('3 engines') });
    expect((await one.result('fulgurite-getinfo')).plugin.engine_restarts).toBeGreaterThanOrEqual(2);
    await one.result('getroutes');
  });

  test('is killed when it hangs', async () => {
    const one = host({ silenceMs: 50 });
    await one.start();
    const { pid } = await one.result('askrene-listlayers');
    process.kill(pid, 'SIGSTOP');
    expect((await one.result('getroutes')).pid).not.toBe(pid);
    expect(one.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('not responded') });
  });
});

describe('an engine that cannot start', () => {
  test('causes a typed error for each waiting call, with its last log line', async () => {
    const one = host({ bounds: { waitMs: 300 } });
    one.touch('broken');
    await one.start();
    await until(() => one.logs.some(({ message }) => message.includes('restarting it')));
    const { error } = await one.ask('getroutes');
    expect(error.code).toBe(AWAY);
    expect(error.message).toContain('belongs to another node');
    one.untouch('broken');
    while ((await one.ask('getroutes')).error !== undefined);
  });

  test('keeps no more calls waiting than allowed', async () => {
    const one = host({ bounds: { mostCalls: 2 } });
    one.touch('broken');
    await one.start();
    const waiting = [one.ask('getroutes'), one.ask('getroutes')];
    expect((await one.ask('getroutes')).error.code).toBe(ERRORS.busy.code);
    one.untouch('broken');
    for (const { error } of await Promise.all(waiting)) expect(error).toBeUndefined();
  });
});

describe('calls that must not fail', () => {
  const AGE = { layer: 'xpay', cutoff: 5 };
  const CREATE = { layer: 'xpay', persistent: true };

  test('are answered without an engine, and the next engine creates the layer first', async () => {
    const one = host({ bounds: { vitalWaitMs: 10 } });
    one.touch('broken');
    await one.start();
    const search = one.result('getroutes');
    const { layers } = await one.result('askrene-create-layer', CREATE);
    expect(layers).toMatchObject([{ layer: 'xpay', persistent: true, constraints: [], node_biases: [] }]);
    expect(await one.result('askrene-age', AGE)).toEqual({ layer: 'xpay', num_removed: 0 });
    one.untouch('broken');
    expect((await search).seen).toMatchObject([{ method: 'askrene-create-layer', params: CREATE }]);
    expect(one.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('do not fail when the engine fails, dies, or stays silent', async () => {
    const one = host({ bounds: { vitalWaitMs: 100 } });
    await one.start();
    await one.result('askrene-listlayers');
    const aged = { layer: 'xpay', num_removed: 0 };
    expect(await one.result('askrene-age', { ...AGE, fail: -32003 })).toEqual(aged);
    expect(await one.result('askrene-age', { ...AGE, silent: true })).toEqual(aged);
    expect(await one.result('askrene-age', { ...AGE, die: true })).toEqual(aged);
    expect(await one.result('askrene-create-layer', { ...CREATE, fail: -32603 })).toHaveProperty('layers');
  });

  test('create the layer if it is missing', async () => {
    const one = host();
    await one.start();
    const message = 'layer: Unknown layer: invalid token (see logs for details)';
    const aged = await one.result('askrene-age', { ...AGE, fail: -32602, message });
    expect(aged).toEqual({ layer: 'xpay', num_removed: 0 });
    const { seen } = await one.result('askrene-listlayers');
    expect(seen.at(-1)).toMatchObject({ method: 'askrene-create-layer', params: CREATE });
  });

  test('still report mistakes; calls for other layers may fail', async () => {
    const one = host();
    await one.start();
    const wrong = await one.ask('askrene-age', {
      ...AGE,
      fail: -32602,
      message: 'cutoff: should be a number',
    });
    expect(wrong.error.code).toBe(-32602);
    expect((await one.ask('askrene-age', { layer: 'mine', fail: -1 })).error.code).toBe(-1);
    expect((await one.ask('askrene-create-layer', { layer: 'xpay', fail: -1 })).error.code).toBe(-1);
  });
});

describe('options', () => {
  test('limit simultaneous searches, with a message', async () => {
    const one = host();
    await one.start({ 'askrene-max-threads': 2 });
    const searches = [1, 2, 3].map((n) => one.result('getroutes', { n, gate: 'open' }));
    await until(() => one.notifications.length > 0);
    expect(one.notifications[0].params.message).toBe('Too many running at once (2 vs 2): waiting');
    expect(seenIn(await one.result('askrene-listlayers'))).toEqual(['getroutes', 'getroutes']);
    await one.result('setconfig', { config: 'askrene-max-threads', val: '3' });
    expect(
      seenIn(await one.result('askrene-listlayers')).filter((name) => name === 'getroutes'),
    ).toHaveLength(3);
    one.touch('open');
    await Promise.all(searches);
    expect(one.logs).toContainEqual({
      level: 'debug',
      message: 'notify msg info: Too many running at once (2 vs 2): waiting',
    });
  });

  test('change at run time, for this engine and the next', async () => {
    const one = host();
    await one.start();
    await one.result('askrene-listlayers');
    expect(await one.result('setconfig', { config: 'askrene-timeout', val: '0' })).toEqual({});
    const { seen } = await one.result('askrene-listlayers');
    expect(seen.at(-1).params).toEqual({ config: 'askrene-timeout', val: '0', transient: true });
    await one.ask('fulgurite-backup', { die: true });
    const { arguments: given } = await one.result('askrene-listlayers');
    expect(given[given.indexOf('--askrene-timeout') + 1]).toBe('0');
  });

  test('refuse invalid values, or use the default at the start', async () => {
    const one = host();
    await one.start({ 'askrene-max-threads': 0, 'fulgurite-take-over': 'getinfo' });
    expect(one.logs.filter(({ level }) => level === 'warn')).toHaveLength(2);
    for (const [config, val] of [
      ['askrene-timeout', 'soon'],
      ['askrene-timeout', '4294967296'],
      ['askrene-max-threads', '0'],
      ['fulgurite-take-over', 'keysend,stop'],
      ['nothing', '1'],
    ]) {
      expect((await one.ask('setconfig', { config, val })).error.code).toBe(-32602);
      const checked = await one.ask('check', { command_to_check: 'setconfig', config, val });
      expect(checked.error.code).toBe(-32602);
    }
    const fine = { command_to_check: 'setconfig', config: 'askrene-timeout', val: '1' };
    expect(await one.result('check', fine)).toEqual({ command_to_check: 'setconfig' });
  });
});

describe('check', () => {
  test('reaches the engine under its own command name, and returns the caller’s name', async () => {
    const one = host();
    await one.start();
    const name = 'fulgurite-keysend';
    expect(await one.result('check', { command_to_check: name, a: 1 })).toEqual({ command_to_check: name });
    expect(await one.result('check', [name, 2])).toEqual({ command_to_check: name });
    const { seen } = await one.result('askrene-listlayers');
    expect(seen.map(({ params }: Json) => params)).toEqual([
      { command_to_check: 'keysend', a: 1 },
      ['keysend', 2],
    ]);
    expect((await one.ask('check', { command_to_check: 'stop' })).error.code).toBe(-32601);
  });
});

describe('taken-over commands', () => {
  const call = (method: string) => ({
    rpc_command: { jsonrpc: '2.0', id: 'a/1', method, params: [1, '2'], filter: { x: true } },
  });

  test('are renamed to ours, and all others pass unchanged', async () => {
    const one = host();
    await one.start({ 'fulgurite-take-over': 'keysend, fetchinvoice' });
    await one.result('askrene-listlayers');
    expect(await one.result('rpc_command', call('keysend'))).toEqual({
      replace: { ...call('keysend').rpc_command, method: 'fulgurite-keysend' },
    });
    expect(await one.result('rpc_command', call('pay'))).toEqual({ result: 'continue' });
    await one.result('setconfig', { config: 'fulgurite-take-over', val: '' });
    expect(await one.result('rpc_command', call('keysend'))).toEqual({ result: 'continue' });
  });

  test('are not offered to a node that would call us before every command', async () => {
    const one = host({ nodeVersion: 'v25.02' });
    await one.start({ 'fulgurite-take-over': 'keysend' });
    expect(one.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('older than v25.12') });
    const asked = await one.ask('setconfig', { config: 'fulgurite-take-over', val: 'keysend' });
    expect(asked.error).toMatchObject({ code: -32602, message: expect.stringContaining('v25.12') });
    expect((await one.result('fulgurite-getinfo')).plugin.takes_over).toEqual([]);
    expect(await one.result('setconfig', { config: 'fulgurite-take-over', val: '' })).toEqual({});
  });

  test('are all in the manifest', () => {
    const offered = OWN_METHODS.map(({ command }) => command);
    expect(offered).toEqual(expect.arrayContaining([...TAKE_OVER_METHODS]));
  });

  test('are left to the node while there is no engine', async () => {
    const one = host();
    one.touch('broken');
    await one.start({ 'fulgurite-take-over': 'keysend' });
    expect(await one.result('rpc_command', call('keysend'))).toEqual({ result: 'continue' });
    expect(await one.result('rpc_command', 5)).toEqual({ result: 'continue' });
  });
});

describe('onion messages to the node', () => {
  const message = (more: object) => ({ onion_message: { pathsecret: '07'.repeat(32), ...more } });

  test('are all passed on, and the engine gets a line for each reply', async () => {
    const one = host();
    await one.start();
    await one.result('askrene-listlayers');
    const reply = message({ invoice: 'ab', unknown_fields: [{ number: 65, value: '01' }] });
    const refusal = message({ invoice_error: 'cd' });
    for (const params of [reply, message({ invoice_request: 'ef' }), {}, 5, refusal]) {
      expect(await one.result(MESSAGE_METHOD, params)).toEqual({ result: 'continue' });
    }
    let told = '';
    while (told.split('\n').length < 3) ({ told } = await one.result('askrene-listlayers'));
    const lines = told.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([reply.onion_message, refusal.onion_message]);
  });

  test('are passed on without an engine, too', async () => {
    const one = host();
    one.touch('broken');
    await one.start();
    expect(await one.result(MESSAGE_METHOD, message({ invoice: 'ab' }))).toEqual({ result: 'continue' });
  });
});

describe('the end of the plugin', () => {
  test('comes when the node stops or is gone, and the engine ends first', async () => {
    for (const end of [
      (one: FakeHost) => one.notify('shutdown', { shutdown: {} }),
      (one: FakeHost) => void one.input.end(),
    ]) {
      const one = host();
      await one.start();
      const { pid } = await one.result('askrene-listlayers');
      end(one);
      await one.exited;
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    }
  });

  test('has no other cause', async () => {
    const one = host();
    await one.start();
    one.notify('shutdown-later', {});
    one.notify('deprecated_oneshot', 7);
    await one.ask('setconfig', 7);
    await one.ask('check', 'x');
    await one.ask('init', []);
    await one.ask('fulgurite-backup', { die: true });
    expect(one.hasExited).toBe(false);
  });
});
