/** Files, environment and command line: precedence, lists that add up, the source of each value, and refusals. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Settings } from '../../../src/cli/daemon/settings.ts';
import { nearest } from '../../../src/cli/options/nearest.ts';
import { SECRET_OPTION_NAMES, START_OPTION_NAMES } from '../../../src/cli/options/start-option-table.ts';
import { configText, parseStartOptions } from '../../../src/cli/options/start-options.ts';
import { DEFAULT_LIMITS } from '../../../src/rpc/limits.ts';
import { NEEDS } from '../../needs-table.ts';
import { temporaryDirectory } from '../../rpc/support.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let home: string;

beforeEach(() => {
  directory = temporaryDirectory();
  home = directory.path;
});
afterEach(() => directory.remove());

/** Writes a file in the data directory. @returns its path */
function write(name: string, ...lines: string[]): string {
  const path = join(home, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  return path;
}

const parse = (argv: string[] = [], env: Record<string, string> = {}) =>
  parseStartOptions(['--data-dir', home, ...argv], env);
/** The lines of `--print-config`. */
const printed = (argv: string[] = [], env: Record<string, string> = {}) => {
  const names = { all: START_OPTION_NAMES, secret: SECRET_OPTION_NAMES };
  return configText(new Settings(home, parse(argv, env).given, names).all)
    .replaceAll(home, 'DIR')
    .split('\n');
};
/** The lines of `--print-config`, without defaults. */
const shown = (argv: string[] = [], env: Record<string, string> = {}) =>
  printed(argv, env).filter(
    (line) => line !== '' && !line.startsWith('data-dir=') && !line.endsWith('# default'),
  );

describe('an option given in several places', () => {
  it('the stronger place wins: command line, environment, the chain’s file, the general file', () => {
    write('config', '# a comment', '', 'workers=1', 'queue-size=1', 'seed=1', 'max-batch=1', 'chain=regtest');
    write('regtest/config', 'workers=2', 'queue-size=2', 'seed=2');
    const env = { FULGURITE_WORKERS: '3', FULGURITE_QUEUE_SIZE: '3', HOME: '/h' };
    const argv = ['--workers', '4'];
    expect(parse(argv, env)).toMatchObject({ workers: 4, queueSize: 3, seed: 2n, chain: 'regtest' });
    expect(parse(argv, env).limits.maxBatch).toBe(1);
    expect(shown(argv, env)).toEqual([
      'chain=regtest  # DIR/config:7',
      'max-batch=1  # DIR/config:6',
      'queue-size=3  # environment FULGURITE_QUEUE_SIZE',
      'seed=2  # DIR/regtest/config:3',
      'workers=4  # cmdline',
    ]);
  });

  it('adds up if the option may be given several times; for log levels, the last one wins', () => {
    const id = (byte: string) => `02${byte.repeat(32)}`;
    write('config', `connect=${id('aa')}`, 'network=peer', 'log-level=debug', 'log-level=broken:rpc');
    const { connect, log } = parse(['--connect', id('bb')], {
      FULGURITE_CONNECT: id('cc'),
      FULGURITE_LOG_LEVEL: 'info',
    });
    expect(connect.map(({ nodeId }) => nodeId)).toEqual([id('aa'), id('cc'), id('bb')]);
    expect(log.rules).toEqual([
      { level: 'debug', subsystem: undefined },
      { level: 'broken', subsystem: 'rpc' },
      { level: 'info', subsystem: undefined },
    ]);
  });

  it('a switch stands alone, and a stronger place can turn it off', () => {
    write('config', 'developer', 'log-private = true');
    expect(parse()).toMatchObject({ developer: true, log: { isPrivate: true } });
    expect(parse([], { FULGURITE_DEVELOPER: 'false' })).toMatchObject({ developer: false });
  });
});

describe('the origin of every option', () => {
  it('is shown, also for defaults and for values stored by setconfig', () => {
    write('config', 'workers=1', 'log-level=debug');
    write('config.setconfig', '# Written by setconfig', 'log-level=broken');
    expect(printed(['--seed', '3'], { FULGURITE_MAX_DEPTH: '7' })).toEqual([
      'askrene-timeout=10  # default',
      'chain=bitcoin  # default',
      'data-dir=DIR  # cmdline',
      'graph=synthetic  # default',
      'http=127.0.0.1:3010  # default',
      'log-format=text  # default',
      'log-level=broken  # DIR/config.setconfig:2',
      `max-batch=${DEFAULT_LIMITS.maxBatch}  # default`,
      `max-connections=${DEFAULT_LIMITS.maxConnections}  # default`,
      'max-depth=7  # environment FULGURITE_MAX_DEPTH',
      `max-in-flight=${DEFAULT_LIMITS.maxInFlight}  # default`,
      `max-input-bytes=${DEFAULT_LIMITS.maxInputBytes}  # default`,
      `max-request-bytes=${DEFAULT_LIMITS.maxRequestBytes}  # default`,
      `max-unsent-bytes=${DEFAULT_LIMITS.maxUnsentBytes}  # default`,
      `max-values=${DEFAULT_LIMITS.maxValues}  # default`,
      'network=simulated  # default',
      'rpc-file=DIR/fulgurite-rpc  # default',
      'seed=3  # cmdline',
      'workers=1  # DIR/config:1',
      '',
    ]);
  });

  it.each([['cln'], ['lnd']])(
    'shows no default chain with --network %s, because the node’s is used',
    (network) => {
      expect(printed(['--network', network]).filter((line) => line.startsWith('chain='))).toEqual([]);
      expect(printed(['--network', network, '--chain', 'signet'])).toContain('chain=signet  # cmdline');
    },
  );

  it('accepts the variable of the script that `plugin install` writes', () => {
    expect(shown([], { FULGURITE_PLUGIN_FILE: '/p' })).toEqual([]);
  });
});

describe('HTTP', () => {
  it('is served by default on loopback, but only on the simulated network', () => {
    expect(parse().usualHttp).toMatchObject({ host: '127.0.0.1', port: 3010, isTls: false });
    expect(parse().http).toBeUndefined();
    for (const network of ['cln', 'peer', 'none']) {
      expect(parse(['--network', network])).toMatchObject({ http: undefined, usualHttp: undefined });
    }
    expect(parse(['--no-http'])).toMatchObject({ http: undefined, usualHttp: undefined });
    expect(parse(['--http', '127.0.0.1:1'])).toMatchObject({ http: { port: 1 }, usualHttp: undefined });
    write('config', 'http=127.0.0.1:1');
    expect(parse(['--no-http'])).toMatchObject({ http: undefined, usualHttp: undefined });
    expect(parse(['--network', 'cln']).http).toMatchObject({ port: 1 });
  });
});

describe('files', () => {
  it('include others, relative to themselves; --conf replaces the general one', () => {
    write('config', 'include more/one', 'workers=1');
    write('more/one', 'include two', 'queue-size=5');
    write('more/two', 'workers=9', 'seed=8');
    expect(parse()).toMatchObject({ workers: 1, queueSize: 5, seed: 8n });
    const other = write('other', 'workers=7');
    expect(shown(['--conf', other])).toEqual(['conf=DIR/other  # cmdline', 'workers=7  # DIR/other:1']);
  });

  it.each<readonly [name: string, lines: string[], message: RegExp]>([
    ['config', ['', 'wokrers=1'], /config:2: unknown option wokrers; did you mean workers\?$/],
    ['config', ['log_level=debug'], /config:1: unknown option log_level; did you mean log-level\?$/],
    ['config', ['zzzzzz'], /config:1: unknown option zzzzzz$/],
    ['config', ['toString'], /unknown option toString$/],
    ['config', ['workers'], /config:1: workers needs a value$/],
    ['config', ['developer=yes'], /config:1: developer is a switch: give true, false, or the name alone$/],
    ['config', ['data-dir=/x'], /config:1: data-dir is not allowed in a file$/],
    ['config', ['recover'], /recover is not allowed in a file$/],
    ['config', ['include missing'], /missing: ENOENT/],
    ['config', ['include config'], /includes are nested more than 10 deep$/],
    [
      'bitcoin/config',
      ['chain=regtest'],
      /bitcoin\/config:1: chain is not allowed in the file of a particular chain$/,
    ],
    ['config', ['workers=0'], /--workers must be a whole number from 1 to 256, not 0$/],
    ['config', ['seed='], /--seed is empty$/],
  ])('%s with %j is refused', (name, lines, message) => {
    write(name, ...lines);
    expect(() => parse()).toThrow(message);
  });

  it('named by --conf must exist; default files need not', () => {
    expect(parse()).toMatchObject({ network: 'simulated' });
    expect(() => parse(['--conf', join(home, 'nosuch')])).toThrow('nosuch: ENOENT');
    expect(() => parse(['--conf', home])).toThrow('EISDIR');
  });

  it('with a password must not be readable by others, and the password is not shown', () => {
    const path = write(
      'config',
      'network=peer',
      'bitcoin-rpcurl=http://127.0.0.1:8332',
      'bitcoin-rpcuser=me',
    );
    const secret = write('secret', 'bitcoin-rpcpassword=hunter2');
    writeFileSync(path, 'include secret\n', { flag: 'a' });
    expect(parse().chainSource).toMatchObject({ login: { user: 'me', password: 'hunter2' } });
    expect(shown()).toContain('bitcoin-rpcpassword=...  # DIR/secret:1');
    // The including file contains no secret itself.
    chmodSync(path, 0o644);
    expect(parse().chainSource).toBeDefined();
    chmodSync(secret, 0o640);
    expect(() => parse()).toThrow(/secret:1: bitcoin-rpcpassword is a secret, .* \(mode 640\): chmod 600 /);
  });
});

describe('the environment', () => {
  it.each([
    [{ FULGURITE_WORKRES: '1' }, 'FULGURITE_WORKRES is not an option; did you mean FULGURITE_WORKERS?'],
    [{ FULGURITE_QQQQQQQ: '1' }, 'FULGURITE_QQQQQQQ is not an option'],
    [{ FULGURITE_DEVELOPER: '1' }, 'developer is a switch'],
    [{ FULGURITE_WORKERS: '' }, '--workers is empty'],
  ] as [Record<string, string>, string][])('%j is refused', (env, message) => {
    expect(() => parse([], env)).toThrow(message);
  });

  it('may have the variables that enable tests', () => {
    const names = Object.values(NEEDS).flatMap(({ enabledBy }) => enabledBy.match(/FULGURITE_\w+/g) ?? []);
    expect(names).toContain('FULGURITE_PYLN');
    for (const name of names) expect(shown([], { [name]: '1' })).toEqual([]);
  });

  it('can set the data directory and the file too', () => {
    const other = write('elsewhere/conf', 'workers=6');
    expect(parseStartOptions([], { FULGURITE_DATA_DIR: home, FULGURITE_CONF: other })).toMatchObject({
      dataDirectory: home,
      workers: 6,
    });
  });
});

it.each([
  [['--wrokers', '1'], 'unknown option --wrokers; did you mean --workers?'],
  [['--print-confg'], 'did you mean --print-config?'],
  [['--log-level'], '--log-level needs a value'],
  [['--graph', '--developer'], '--graph needs a value'],
  [['--developer=true'], '--developer takes no value'],
  [['simulated'], 'start takes options only, not simulated'],
] as [string[], string][])('the command line %j is refused', (argv, message) => {
  expect(() => parse(argv)).toThrow(message);
});

it('finds the nearest name for every name with one character missing, doubled, changed or swapped', () => {
  for (const name of START_OPTION_NAMES.filter(({ length }) => length >= 6)) {
    const middle = Math.floor(name.length / 2);
    const [before, after] = [name.slice(0, middle), name.slice(middle)];
    const swapped = before.slice(0, -1) + after[0] + before.at(-1) + after.slice(1);
    for (const written of [
      before + after.slice(1),
      `${before}${after[0]}${after}`,
      `${before}?${after.slice(1)}`,
      swapped,
    ]) {
      expect([written, nearest(written, START_OPTION_NAMES)]).toEqual([written, name]);
    }
  }
  expect(nearest('', START_OPTION_NAMES)).toBeUndefined();
  expect(nearest('x'.repeat(1_000_000), START_OPTION_NAMES)).toBeUndefined();
});
