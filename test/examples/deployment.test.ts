/**
 * The unit for systemd and the container file: everything they name exists, and they follow the rules of their tools.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EXIT_CONFIG } from '../../src/cli/exit-code.ts';
import { parseStartOptions } from '../../src/cli/options/start-options.ts';
import { describeNeeding } from '../needs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const unitOf = (name: string): string => readFileSync(join(root, 'examples/systemd', name), 'utf8');
/** The units, with the options that each starts the daemon with. */
const UNITS = [
  ['fulgurite.service', { dataDirectory: '/var/lib/fulgurite', socketPath: '/run/fulgurite/rpc' }],
  [
    'fulgurite-cln.service',
    {
      network: 'cln',
      nodeSocket: '/home/bitcoin/.lightning/bitcoin/lightning-rpc',
      dataDirectory: '/var/lib/fulgurite-cln',
      socketPath: '/run/fulgurite-cln/rpc',
      // With real money, HTTP is off unless it is enabled.
      http: undefined,
      usualHttp: undefined,
    },
  ],
] as const;

describe.each(UNITS)('the unit %s', (name, options) => {
  const unit = unitOf(name);

  it('starts the daemon with existing options', () => {
    const variables = new Map(
      [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]),
    );
    const [, command] = /^ExecStart=\/usr\/bin\/env fulgurite start (.*)$/m.exec(unit)!;
    const argv = command!.replace(/\$\{(\w+)\}/g, (_, key: string) => variables.get(key)!).split(' ');
    expect(parseStartOptions(argv)).toMatchObject(options);
  });

  it('does not restart after a mistake in the configuration', () => {
    expect(unit).toMatch(/^Restart=on-failure$/m);
    expect(unit).toMatch(new RegExp(`^RestartPreventExitStatus=${EXIT_CONFIG}$`, 'm'));
  });

  it('allows what Node.js needs', () => {
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m);
  });
});

it('beside a node, the unit lets the daemon read a home, where the node keeps its socket', () => {
  expect(unitOf('fulgurite-cln.service')).toMatch(/^ProtectHome=read-only$/m);
  expect(unitOf('fulgurite.service')).toMatch(/^ProtectHome=true$/m);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describeNeeding('systemd', hasSystemd, 'systemd', () => {
  it.each(UNITS)('accepts %s, and rates it as well confined', (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'fulgurite-unit-'));
    try {
      // The manual page that the unit names is installed with the package, and not here.
      const path = join(folder, name);
      writeFileSync(path, unitOf(name).replace(/^Documentation=.*\n/m, ''));
      const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
      expect(verified.stderr.split('\n').filter((line) => line.includes('fulgurite'))).toEqual([]);
      expect(verified.status).toBe(0);
      const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', path], {
        encoding: 'utf8',
      });
      const exposure = /Overall exposure level.*: ([\d.]+)/.exec(stdout)?.[1];
      // systemd's own scale: below 2 is "OK".
      expect(Number(exposure)).toBeLessThan(2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the container file', () => {
  const text = readFileSync(join(root, 'examples/container/Dockerfile'), 'utf8');
  /** Instructions with their arguments, continued lines joined. */
  const steps = text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/ (.*)/s) as [string, string]);
  const of = (instruction: string) => steps.filter(([name]) => name === instruction).map(([, rest]) => rest);

  it('has only existing instructions, and names the version of its base', () => {
    const known = 'FROM RUN COPY WORKDIR USER ENV VOLUME STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(' ');
    expect(steps.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([]);
    for (const base of of('FROM')) expect(base).toMatch(/^node:\d+-\w+-slim( AS \w+)?$/);
    const node = Number(/^node:(\d+)/.exec(of('FROM').at(-1)!)![1]);
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(node).toBeGreaterThanOrEqual(Number.parseInt(engines.node.slice('>='.length), 10));
  });

  it('copies existing files, and runs without root privileges', () => {
    const sources = of('COPY')
      .filter((rest) => !rest.startsWith('--from='))
      .flatMap((rest) => rest.split(' ').slice(0, -1));
    expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const names = steps.map(([name]) => name);
    expect(names.lastIndexOf('USER')).toBeLessThan(names.indexOf('ENTRYPOINT'));
    expect(of('USER').at(-1)).not.toBe('root');
  });

  it('starts the program in a form that signals reach', () => {
    expect([JSON.parse(of('ENTRYPOINT')[0]!), JSON.parse(of('CMD')[0]!)]).toEqual([['fulgurite'], ['start']]);
    expect(of('STOPSIGNAL')).toEqual(['SIGTERM']);
  });
});
