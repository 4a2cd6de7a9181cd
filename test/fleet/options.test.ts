/** The options for joining a fleet, and refused values. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Settings } from '../../src/cli/daemon/settings.ts';
import { runFleetCommand } from '../../src/cli/fleet/fleet-command.ts';
import { parseSolverOptions } from '../../src/cli/options/solver-options.ts';
import { SECRET_OPTION_NAMES, START_OPTION_NAMES } from '../../src/cli/options/start-option-table.ts';
import { configText, parseStartOptions } from '../../src/cli/options/start-options.ts';
import { connectBus } from '../../src/fleet/bus.ts';
import { parseBusAddress } from '../../src/fleet/bus-address.ts';
import { sourcesBelow } from '../rooms.ts';

const STORE = 'postgres://daemon@127.0.0.1/fleet';
const BUS = 'nats://user:secret@127.0.0.1';

test('a bus requires a shared store, and its password is not shown', () => {
  expect(() => parseStartOptions(['--bus', BUS])).toThrow('--bus also requires --store postgres://');
  expect(() => parseStartOptions(['--store', STORE, '--bus', 'http://x'])).toThrow(
    '--bus must be the address',
  );
  expect(() => parseStartOptions(['--bus-plaintext'])).toThrow('--bus-plaintext requires --bus');
  const options = parseStartOptions(['--store', STORE, '--bus', BUS]);
  expect([options.store, options.bus]).toEqual([STORE, BUS]);
  const names = { all: START_OPTION_NAMES, secret: SECRET_OPTION_NAMES };
  expect(configText(new Settings(options.dataDirectory, options.given, names).all)).toContain('bus=...');
});

test('a solver needs both addresses, by option or environment', () => {
  expect(() => parseSolverOptions([], {})).toThrow('a solver needs --bus');
  expect(() => parseSolverOptions(['--bus', 'x'], {})).toThrow('--bus must be the address');
  expect(() => parseSolverOptions(['--bus', BUS], {})).toThrow('a solver needs --store');
  expect(() => parseSolverOptions(['--bus', BUS, '--store', 'file'], {})).toThrow('--store must be');
  const environment = { FULGURITE_BUS: BUS, FULGURITE_STORE: STORE };
  expect(parseSolverOptions(['--workers', '3'], environment)).toEqual({
    ...{ bus: BUS, store: STORE, chain: 'bitcoin', graph: 'synthetic', exactUnits: false, seed: 1n },
    ...{ workers: 3, capacity: 96 },
  });
  for (const [wrong, message] of [
    [['--workers', '0'], '--workers must be a whole number'],
    [['--seed', '-1'], '--seed needs a value'],
    [['--chain', 'moon'], '--chain must be one of'],
    [['--capacity', 'x'], '--capacity must be a whole number'],
    [['--y'], 'unknown option --y'],
  ] as const) {
    expect(() => parseSolverOptions(wrong, environment)).toThrow(message);
  }
});

const FAR = 'nats://user:secret@bus.example';

test.each([
  ['start', (argv: string[]) => parseStartOptions(['--store', STORE, ...argv]).bus],
  ['solver', (argv: string[]) => parseSolverOptions(['--store', STORE, ...argv], {}).bus],
])('%s refuses a bus in plain text to a different machine unless --bus-plaintext permits it', (_, busOf) => {
  for (const far of [
    FAR,
    'nats://127.attacker.example',
    'nats://127.0.0.1,10.0.0.1',
    'nats://[2001:db8::1]:1',
  ]) {
    expect(() => busOf(['--bus', far])).toThrow(/--bus nats:.* in plain text/);
    expect(() => busOf(['--bus', far])).not.toThrow(/secret/);
    expect(busOf(['--bus', far, '--bus-plaintext'])).toBe(far);
  }
  for (const fine of ['tls://bus.example', 'nats://localhost', 'nats://127.0.0.2:1,[::1]:2']) {
    expect(busOf(['--bus', fine])).toBe(fine);
  }
});

test('the environment of a solver allows plain text too', () => {
  const env = { FULGURITE_BUS: FAR, FULGURITE_STORE: STORE };
  expect(() => parseSolverOptions([], env)).toThrow('plain text');
  expect(parseSolverOptions([], { ...env, FULGURITE_BUS_PLAINTEXT: 'true' }).bus).toBe(FAR);
});

test('fleet status refuses a bus in plain text to a different machine', async () => {
  await expect(runFleetCommand(['status', '--store', STORE, '--bus', FAR], {})).rejects.toThrow('plain text');
});

test.each([
  ['tls://h?x=1', 'unknown option x'],
  ['tls://h?ca=', 'ca without a file'],
  ['tls://h?cert=a', 'only one of cert and key'],
  ['nats://localhost?ca=a', 'require tls://'],
  ['tls://u:secret@h?nkey=a', 'more than one of'],
  ['tls://h?nkey=a&creds=b', 'more than one of'],
  ['tls://u:%zz@h', 'not percent-encoded'],
  ['tls://h/secret', 'must be the address'],
  ['tls://', 'must be the address'],
  ['tls://a b', 'malformed host'],
  [`tls://${'h,'.repeat(8)}h`, 'the maximum is 8'],
])('the invalid bus address %s has a specific error, without the password', (url, problem) => {
  const read = () => parseBusAddress(url);
  expect(read).toThrow(problem);
  expect(read).not.toThrow('secret');
});

test('a bus address is used as written', () => {
  expect(parseBusAddress('tls://u%40:p%3A@a,[::1]:7?ca=/x%20y&cert=c&key=k')).toEqual({
    hosts: [
      { host: 'a', port: 4222 },
      { host: '::1', port: 7 },
    ],
    ...{ isEncrypted: true, isLocal: false, login: { user: 'u@', pass: 'p:' } },
    files: { ca: '/x y', cert: 'c', key: 'k' },
    shown: 'tls://a,[::1]:7',
  });
});

test('the state of a fleet is read from the daemon’s database and bus', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-status-'));
  const status = ['status', '--data-dir', directory];
  await expect(runFleetCommand(['state'], {})).rejects.toThrow('fleet needs status or retire');
  await expect(runFleetCommand(status, {})).rejects.toThrow('fleet needs --store');
  await expect(runFleetCommand(['status', '--x'], {})).rejects.toThrow('unknown option --x');
  // Nothing listens on port 1. The error shows which address was tried.
  writeFileSync(join(directory, 'config'), 'store=postgres://role@127.0.0.1:1/x\n', { mode: 0o600 });
  await expect(runFleetCommand(status, {})).rejects.toThrow('127.0.0.1:1');
  await expect(runFleetCommand([...status, '--store', 'mysql://x@y/z'], {})).rejects.toThrow('--store');
  rmSync(directory, { recursive: true });
});

test('a bus that does not answer is named without its login', async () => {
  await expect(connectBus('nats://user:secret@127.0.0.1:9', 'test')).rejects.toThrow(
    /^the bus at nats:\/\/127\.0\.0\.1:9 does not answer: /,
  );
});

test('the NATS client is loaded only if a bus is configured', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const static_ = /^(?:import|export) (?!type ).*'@nats-io\//m;
  const found = sourcesBelow(root, ['src']).filter(({ text }) => static_.test(text));
  expect(found.map(({ path }) => path)).toEqual([]);
  expect(readFileSync(`${root}src/fleet/bus.ts`, 'utf8')).toContain(
    "await import('@nats-io/transport-node')",
  );
});
