/** The options by which a fleet is joined, and what is refused. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { fleetText } from '../../src/cli/fleet-status.ts';
import { Settings } from '../../src/cli/settings.ts';
import { parseSolverOptions } from '../../src/cli/solver-options.ts';
import {
  configText,
  parseStartOptions,
  SECRET_OPTION_NAMES,
  START_OPTION_NAMES,
} from '../../src/cli/start-options.ts';
import { connectBus } from '../../src/fleet/bus.ts';
import { sourcesBelow } from '../rooms.ts';

const STORE = 'postgres://daemon@127.0.0.1/fleet';
const BUS = 'nats://user:secret@127.0.0.1';

test('a bus goes with a shared store, and its password is not shown', () => {
  expect(() => parseStartOptions(['--bus', BUS])).toThrow('--bus goes with --store postgres://');
  expect(() => parseStartOptions(['--store', STORE, '--bus', 'http://x'])).toThrow('--bus is the address');
  const options = parseStartOptions(['--store', STORE, '--bus', BUS]);
  expect([options.store, options.bus]).toEqual([STORE, BUS]);
  const names = { all: START_OPTION_NAMES, secret: SECRET_OPTION_NAMES };
  expect(configText(new Settings(options.dataDirectory, options.given, names).all)).toContain('bus=...');
});

test('a solver needs both addresses, by option or environment', () => {
  expect(() => parseSolverOptions([], {})).toThrow('a solver needs --bus');
  expect(() => parseSolverOptions(['--bus', 'x'], {})).toThrow('--bus is an address');
  expect(() => parseSolverOptions(['--bus', BUS], {})).toThrow('a solver needs --store');
  expect(() => parseSolverOptions(['--bus', BUS, '--store', 'file'], {})).toThrow('--store of a solver');
  const environment = { FULGURITE_BUS: BUS, FULGURITE_STORE: STORE };
  expect(parseSolverOptions(['--workers', '3'], environment)).toEqual({
    ...{ bus: BUS, store: STORE, chain: 'bitcoin', graph: 'synthetic', exactUnits: false, seed: 1n },
    ...{ workers: 3, capacity: 24 },
  });
  for (const wrong of [
    ['--workers', '0'],
    ['--seed', '-1'],
    ['--chain', 'moon'],
    ['--capacity', 'x'],
    ['--y'],
  ]) {
    expect(() => parseSolverOptions(wrong, environment)).toThrow();
  }
});

test('the state of a fleet is asked of the database and bus of the daemon', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-status-'));
  const status = ['status', '--data-dir', directory];
  await expect(fleetText(['state'], {})).rejects.toThrow('the only command of a fleet');
  await expect(fleetText(status, {})).rejects.toThrow('--store is');
  await expect(fleetText(['status', '--x'], {})).rejects.toThrow("Unknown option '--x'");
  // Nobody listens on port 1. The error shows which address was tried.
  writeFileSync(join(directory, 'config'), 'store=postgres://role@127.0.0.1:1/x\n', { mode: 0o600 });
  await expect(fleetText(status, {})).rejects.toThrow('127.0.0.1:1');
  await expect(fleetText([...status, '--store', 'mysql://x@y/z'], {})).rejects.toThrow('--store');
  rmSync(directory, { recursive: true });
});

test('a bus that does not answer is named without its login', async () => {
  await expect(connectBus('nats://user:secret@127.0.0.1:9', 'test')).rejects.toThrow(
    /^the bus at nats:\/\/127\.0\.0\.1:9 does not answer: /,
  );
});

test('the client of NATS is loaded only when a bus is asked for', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const static_ = /^(?:import|export) (?!type ).*'@nats-io\//m;
  const found = sourcesBelow(root, ['src']).filter(({ text }) => static_.test(text));
  expect(found.map(({ path }) => path)).toEqual([]);
  expect(readFileSync(`${root}src/fleet/bus.ts`, 'utf8')).toContain(
    "await import('@nats-io/transport-node')",
  );
});
