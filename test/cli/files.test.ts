import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getPublicKey } from '@noble/secp256k1';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IdentityError, loadIdentity } from '../../src/cli/files/identity.ts';
import { dataDirectory, prepareSocketDirectory, socketPath } from '../../src/cli/files/paths.ts';
import { usualHttp } from '../../src/cli/options/http-options.ts';
import { parseStartOptions } from '../../src/cli/options/start-options.ts';
import { MAX_SOCKET_PATH } from '../../src/rpc/socket-server.ts';
import { temporaryDirectory } from '../rpc/support.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => {
  directory.remove();
  vi.unstubAllEnvs();
});

describe('the identity', () => {
  it('is created once, readable only by its owner', () => {
    const home = join(directory.path, 'deep', 'home');
    const first = loadIdentity(home);
    expect(loadIdentity(home)).toEqual(first);
    expect(readdirSync(home)).toEqual(['node-key']);
    expect(statSync(join(home, 'node-key')).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    const key = Buffer.from(readFileSync(join(home, 'node-key'), 'utf8').trim(), 'hex');
    expect(first.id).toBe(Buffer.from(getPublicKey(key)).toString('hex'));
    expect(first.color).toBe(first.id.slice(0, 6));
  });

  it('is the public key of the file’s secret key', () => {
    writeFileSync(join(directory.path, 'node-key'), `${'0'.repeat(63)}1\n`);
    expect(loadIdentity(directory.path).id).toBe(
      '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    );
  });

  it.each(['', 'x', '0'.repeat(64), 'f'.repeat(64), '01'.repeat(31)])(
    'is not read from %j, and the file is unchanged',
    (text) => {
      const file = join(directory.path, 'node-key');
      writeFileSync(file, text);
      expect(() => loadIdentity(directory.path)).toThrow(IdentityError);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('is not replaced if the file cannot be read', () => {
    mkdirSync(join(directory.path, 'node-key'));
    expect(() => loadIdentity(directory.path)).toThrow(IdentityError);
  });
});

describe('paths', () => {
  it('follow the option, then FULGURITE_DIR, then the home directory', () => {
    vi.stubEnv('FULGURITE_DIR', '/from/env');
    expect(dataDirectory('/given')).toBe('/given');
    expect(dataDirectory(undefined)).toBe('/from/env');
    vi.stubEnv('FULGURITE_DIR', undefined);
    vi.stubEnv('HOME', '/home/me');
    expect(dataDirectory(undefined)).toBe('/home/me/.fulgurite');
    vi.stubEnv('FULGURITE_DIR', '');
    expect(dataDirectory(undefined)).toBe('/home/me/.fulgurite');
    expect(socketPath(undefined, '/d')).toBe('/d/fulgurite-rpc');
    expect(socketPath('/s', '/d')).toBe('/s');
  });

  it('map a long directory to a short socket path, the same each time, in our own directory', () => {
    vi.stubEnv('XDG_RUNTIME_DIR', directory.path);
    const long = `/${'d'.repeat(200)}`;
    const path = socketPath(undefined, long);
    expect(path).toBe(socketPath(undefined, long));
    expect(path).not.toBe(socketPath(undefined, `${long}x`));
    expect(path.length).toBeLessThan(MAX_SOCKET_PATH);
    prepareSocketDirectory(path);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  it('refuse a short directory that others can enter', () => {
    vi.stubEnv('XDG_RUNTIME_DIR', directory.path);
    const path = socketPath(undefined, `/${'d'.repeat(200)}`);
    mkdirSync(join(path, '..'), { mode: 0o755 });
    expect(() => prepareSocketDirectory(path)).toThrow('is open to other users');
  });
});

describe('options of start', () => {
  it('have defaults', () => {
    expect(parseStartOptions(['--data-dir', '/d'])).toMatchObject({
      network: 'simulated',
      connect: [],
      listen: undefined,
      graph: 'synthetic',
      exactUnits: false,
      seed: 1n,
      dataDirectory: '/d',
      socketPath: '/d/fulgurite-rpc',
      chain: 'bitcoin',
      log: { rules: [], format: 'text', file: undefined, isPrivate: false },
      workers: undefined,
      queueSize: undefined,
      developer: false,
      allowDeprecated: true,
    });
  });

  it.each([
    ['', undefined],
    ['--esplora https://example.com/api', { kind: 'esplora', url: 'https://example.com/api' }],
    ['--bitcoin-rpcurl http://127.0.0.1:8332', { kind: 'bitcoind', url: 'http://127.0.0.1:8332' }],
    ['--bitcoin-rpcurl http://h:1 --bitcoin-rpccookie /c', { cookiePath: '/c' }],
    [
      '--bitcoin-rpcurl http://h:1 --bitcoin-rpcuser me --bitcoin-rpcpassword p',
      { login: { user: 'me', password: 'p' } },
    ],
  ])('takes a chain source: %s', (argv, expected) => {
    const given = argv === '' ? [] : argv.split(' ');
    const { chainSource } = parseStartOptions(['--network', 'peer', ...given]);
    if (expected === undefined) expect(chainSource).toBeUndefined();
    else expect(chainSource).toMatchObject(expected);
  });

  it.each([
    ['--bitcoin-rpcuser me --bitcoin-rpcpassword p', '--bitcoin-rpcurl'],
    ['--bitcoin-rpccookie /c', '--bitcoin-rpcurl'],
    ['--bitcoin-rpcurl http://h:1 --bitcoin-rpcuser me', '--bitcoin-rpcpassword'],
    [
      '--bitcoin-rpcurl http://h:1 --bitcoin-rpcuser a --bitcoin-rpcpassword b --bitcoin-rpccookie /c',
      'not both',
    ],
    ['--bitcoin-rpcurl http://h:1 --esplora http://h', 'not both'],
    ['--bitcoin-rpcurl 127.0.0.1:8332', 'http://HOST:PORT'],
    ['--bitcoin-rpcurl http://me:p@h:1', 'without a login'],
    ['--esplora ftp://h', 'http://HOST:PORT'],
  ])('refuses a chain source: %s', (argv, reason) => {
    expect(() => parseStartOptions(['--network', 'peer', ...argv.split(' ')])).toThrow(reason);
  });

  it('of the peer network', () => {
    const id = `02${'ab'.repeat(32)}`;
    const argv = `--network peer --connect ${id}@[::1]:9736 --connect ${id} --listen 127.0.0.1:0`;
    expect(parseStartOptions(argv.split(' '))).toMatchObject({
      network: 'peer',
      graph: 'none',
      connect: [
        { nodeId: id, address: { host: '::1', port: 9736 } },
        { nodeId: id, address: undefined },
      ],
      listen: { host: '127.0.0.1', port: 0 },
    });
    expect(() => parseStartOptions(['--connect', id])).toThrow('--network peer');
    expect(() => parseStartOptions(['--network', 'peer', '--connect', 'x'])).toThrow('--connect: ');
    expect(() => parseStartOptions(['--allow-private-addresses'])).toThrow('--network peer');
    expect(() => parseStartOptions(['--esplora', 'https://example.com/api'])).toThrow('--network peer');
    expect(() => parseStartOptions(['--network', 'regtest'])).toThrow('simulated, peer');
    expect(() => parseStartOptions(['--chain', 'dogecoin'])).toThrow('testnet4');
  });

  it('are all taken', () => {
    const argv =
      '--graph synthetic:9 --exact-units --seed 18446744073709551615 --data-dir=/d --rpc-file /s --chain regtest ' +
      '--log-level debug --log-level info:rpc --log-format json --log-file /l --log-private --workers 2 --queue-size 0 --askrene-timeout 7 --developer --refuse-deprecated --recover --max-request-bytes 1000 --max-input-bytes 2000 ' +
      '--max-depth 9 --max-values 10 --max-batch 8 --max-in-flight 7 --max-unsent-bytes 6 --max-connections 5 --max-holding-quotes 3 --max-held-percent 7 --webhook-host hooks.example --webhook-host 10.1.2.3:80 --name-resolver 192.0.2.1';
    expect(parseStartOptions(argv.split(' '))).toEqual({
      network: 'simulated',
      replaceAskrene: false,
      nodeMessages: false,
      nodes: [],
      forward: 'all',
      nodeHistory: true,
      stopOnEof: false,
      connect: [],
      listen: undefined,
      graph: 'synthetic:9',
      exactUnits: true,
      seed: 2n ** 64n - 1n,
      dataDirectory: '/d',
      socketPath: '/s',
      chain: 'regtest',
      isChainGiven: true,
      log: {
        rules: [
          { level: 'debug', subsystem: undefined },
          { level: 'info', subsystem: 'rpc' },
        ],
        format: 'json',
        file: '/l',
        isPrivate: true,
      },
      printConfig: false,
      workers: 2,
      queueSize: 0,
      developer: true,
      allowDeprecated: false,
      fetchinvoiceNoconnect: false,
      payStaticInvoices: false,
      learnedOdds: true,
      webhookHosts: ['hooks.example', '10.1.2.3:80'],
      nameResolver: { kind: 'dns', host: '192.0.2.1', port: 53 },
      nameAnchors: undefined,
      quoteLimits: { maxHeldPercent: 7, maxHolding: 3 },
      recover: true,
      usualHttp: usualHttp(),
      given: {
        values: expect.objectContaining({ 'askrene-timeout': '7', 'queue-size': '0', developer: true }),
        sources: expect.any(Map),
      },
      limits: {
        maxRequestBytes: 1000,
        maxInputBytes: 2000,
        maxDepth: 9,
        maxValues: 10,
        maxBatch: 8,
        maxInFlight: 7,
        maxUnsentBytes: 6,
        maxConnections: 5,
      },
    });
  });

  it.each([
    '--nosuch',
    'word',
    '--seed -1',
    '--name-resolver dns.example',
    '--name-anchor 1 8 1 00',
    '--seed 18446744073709551616',
    '--workers 0',
    '--workers x',
    '--log-level loud',
    '--max-depth 0',
    '--graph',
    '--data-dir ',
    '--rpc-file ',
  ])('%s is bad usage', (argv) => {
    expect(() => parseStartOptions(argv.split(' '))).toThrow(Error);
  });
});
