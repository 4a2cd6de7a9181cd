/**
 * `askrene-timeout`, as an option of the daemon and through `setconfig`. It limits the real time of route
 * queries, and is kept over restarts unless the caller makes it transient.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { printable } from '../../src/cli/client/printable.ts';
import { type Daemon, startDaemon } from '../../src/cli/daemon/daemon.ts';
import { SETTINGS_FILE } from '../../src/cli/daemon/settings.ts';
import { parseStartOptions } from '../../src/cli/options/start-options.ts';
import { createNodeLog, textFormat } from '../../src/log/index.ts';
import { memoryLog, RawClient, temporaryDirectory } from '../rpc/support.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let daemon: Daemon;
let client: RawClient;

beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(async () => {
  client?.close();
  await daemon?.stop();
  directory.remove();
});

async function start(...options: string[]): Promise<void> {
  const argv = ['--data-dir', directory.path, '--graph', 'synthetic:50', '--workers', '1', ...options];
  daemon = await startDaemon(parseStartOptions(argv), memoryLog());
  client = new RawClient(daemon.socketPath);
}

async function restart(...options: string[]): Promise<void> {
  client.close();
  await daemon.stop();
  await start(...options);
}

async function ask(method: string, params: object = {}) {
  const answer = await client.ask(JSON.stringify({ id: 1, method, params }));
  return JSON.parse(answer!) as { result: Record<string, never>; error?: { code: number; message: string } };
}
const result = async (method: string, params: object = {}) => (await ask(method, params)).result;
const error = async (method: string, params: object = {}) => (await ask(method, params)).error;
const shown = async () => (await result('listconfigs', { config: 'askrene-timeout' })) as object;
const set = (val: unknown, more: object = {}) =>
  ask('setconfig', { config: 'askrene-timeout', val, ...more });

/** The error code of a route query between two neighbours; 0 if the query is answered. */
async function routeCode(): Promise<number> {
  const { channels } = (await result('listchannels')) as unknown as { channels: Record<string, unknown>[] };
  const { source, destination } = channels.find(({ active }) => active)!;
  const query = { source, destination, amount_msat: 1000, layers: [], maxfee_msat: 100_000, final_cltv: 18 };
  const refused = await error('getroutes', query);
  if (refused?.code === 210) expect(refused.message).toBe('linear_routes: timed out after deadline');
  return refused?.code ?? 0;
}

describe('the time of route queries', () => {
  test('is ten seconds; 0 refuses all queries; the maximum does not overflow', async () => {
    await start();
    expect(await shown()).toEqual({
      configs: { 'askrene-timeout': { value_int: 10, source: 'default', dynamic: true } },
    });
    expect(await routeCode()).toBe(0);
    expect((await set(0)).result).toEqual({
      config: {
        config: 'askrene-timeout',
        value_int: 0,
        source: `${join(directory.path, SETTINGS_FILE)}:2`,
        dynamic: true,
      },
    });
    expect(await routeCode()).toBe(210);
    expect((await set('4294967295')).error).toBeUndefined();
    expect(await routeCode()).toBe(0);
  });

  test('is an option of the daemon', async () => {
    await start('--askrene-timeout', '0');
    expect(await routeCode()).toBe(210);
    expect(await shown()).toMatchObject({
      configs: { 'askrene-timeout': { value_int: 0, source: 'cmdline' } },
    });
  });

  test('is kept over a restart, unless it is transient or the command line overrides it', async () => {
    await start();
    await set(7);
    await set(8, { transient: true });
    expect(await shown()).toMatchObject({
      configs: { 'askrene-timeout': { value_int: 8, source: 'setconfig' } },
    });
    const file = join(directory.path, SETTINGS_FILE);
    expect(readFileSync(file, 'utf8')).toBe('# Written by setconfig\naskrene-timeout=7\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await restart();
    expect(await shown()).toMatchObject({
      configs: { 'askrene-timeout': { value_int: 7, source: `${file}:2` } },
    });
    await restart('--askrene-timeout', '3');
    expect(await shown()).toMatchObject({
      configs: { 'askrene-timeout': { value_int: 3, source: 'cmdline' } },
    });
  });

  test('is not changed if it cannot be stored', async () => {
    await start();
    // There is a directory at the target of the rename, so the file can be written but not renamed.
    mkdirSync(join(directory.path, SETTINGS_FILE));
    expect((await set(0)).error).toMatchObject({
      code: -32003,
      message: expect.stringContaining('nothing was changed'),
    });
    expect(await routeCode()).toBe(0);
    expect(existsSync(join(directory.path, `${SETTINGS_FILE}.new`))).toBe(false);
  });
});

describe('setconfig', () => {
  test.each<readonly [params: object, message: string]>([
    [{ config: 'nosuch', val: 1 }, 'config: Unknown config option: invalid token (see logs for details)'],
    [
      { config: 'workers', val: 1 },
      'config: Not a dynamic config option: invalid token (see logs for details)',
    ],
    [{ config: 'askrene-timeout' }, 'askrene-timeout requires a value'],
    ...[-1, 1.5, '', 'ten', '4294967296', '0x10', ' 1', true].map(
      (val) =>
        [
          { config: 'askrene-timeout', val },
          'val: should be an unsigned 32 bit integer: invalid token (see logs for details)',
        ] as const,
    ),
    [{ val: 1 }, 'missing required parameter: config'],
  ])('refuses %j', async (params, message) => {
    await start();
    expect(await error('setconfig', params)).toMatchObject({ code: -32602, message });
    const checked = await error('check', { command_to_check: 'setconfig', ...params });
    expect(checked).toMatchObject({ code: -32602 });
    expect(await shown()).toMatchObject({ configs: { 'askrene-timeout': { value_int: 10 } } });
  });
});

describe('listconfigs', () => {
  test('shows given values, and refuses unknown names', async () => {
    await start('--developer', '--queue-size', '500');
    const { configs } = await result('listconfigs');
    expect(configs).toMatchObject({
      'askrene-timeout': { value_int: 10, source: 'default', dynamic: true },
      'data-dir': { value_str: directory.path, source: 'cmdline' },
      'log-level': { value_str: 'info', source: 'default', dynamic: true },
      developer: { set: true, source: 'cmdline' },
      graph: { value_str: 'synthetic:50', source: 'cmdline' },
      'queue-size': { value_str: '500', source: 'cmdline' },
      workers: { value_str: '1', source: 'cmdline' },
      'log-format': { value_str: 'text', source: 'default' },
    });
    expect(await error('listconfigs', { config: 'nosuch' })).toMatchObject({
      code: -32602,
      message: 'config: Unknown config option: invalid token (see logs for details)',
    });
  });
});

test.each(['askrene-timeout=x', 'nosuch=1', 'askrene-timeout'])(
  'a file with the line %s is refused',
  async (line) => {
    const file = join(directory.path, SETTINGS_FILE);
    writeFileSync(file, `# by hand\n\n${line}\n`);
    await expect(start()).rejects.toThrow(`${file}:3: not a setting: ${line}`);
  },
);

test('a stored log level applies to every line of a start', async () => {
  writeFileSync(join(directory.path, SETTINGS_FILE), 'log-level=unusual\n');
  const lines: string[] = [];
  const sink = { write: (text: string) => void lines.push(text), reopen: () => undefined };
  const options = parseStartOptions([
    '--data-dir',
    directory.path,
    '--graph',
    'synthetic:50',
    '--workers',
    '1',
  ]);
  const log = createNodeLog({ sink, rules: options.log.rules, format: textFormat(printable) });
  daemon = await startDaemon(options, log);
  expect(lines).toEqual([]);
});
