/** The manual pages: every command has one, and groff reads each without a warning. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandManPage, programManPage, roff } from '../../../src/cli/client/man.ts';
import { START_USAGE } from '../../../src/cli/options/start-usage.ts';
import { USAGE } from '../../../src/cli/options/usage.ts';
import { COMMANDS } from '../../../src/commands/index.ts';
import type { Params } from '../../../src/rpc/command.ts';
import { describeNeeding } from '../../needs.ts';

describe('text for roff', () => {
  it('has no escapes, requests or dashes of its own', () => {
    expect(roff("a\\b\n.c\n'd --e …😀")).toBe("a\\eb\n\\&.c\n\\&'d \\-\\-e \\[u2026]\\[u1F600]");
  });
});

const pages = [programManPage(USAGE, START_USAGE, COMMANDS), ...COMMANDS.map(commandManPage)];

it('names the program whose release introduced a command', () => {
  const pageOf = (wanted: string) => commandManPage(COMMANDS.find(({ name }) => name === wanted)!);
  expect(pageOf('getroutes')).toContain('\nSince Core Lightning v24.08.\n');
  expect(pageOf('listlearned')).toContain('\nSince Fulgurite v0.2.0.\n');
  const releases = COMMANDS.flatMap(({ since, deprecated }) => [since ?? [], deprecated?.since ?? []].flat());
  expect(releases.filter((release) => !/^(Core Lightning|Fulgurite) v/.test(release))).toEqual([]);
});

describeNeeding('groff', spawnSync('groff', ['--version']).status === 0, 'groff', () => {
  it('reads every page without a warning, and shows the declared texts', () => {
    const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-P-cbou', '-ww'], {
      input: pages.join(''),
      encoding: 'utf8',
      env: { ...process.env, GROFF_NO_SGR: '1' },
    });
    expect(stderr).toBe('');
    // Long words may be broken at hyphens.
    const text = stdout.replace(/‐\n\s*/g, '').replace(/\s+/g, ' ');
    for (const { name, summary, params } of COMMANDS) {
      expect(text).toContain(`fulgurite-${name} - `);
      expect(text).toContain(summary.slice(0, 20).trim());
      for (const [param, { forDevelopers }] of Object.entries(params as Params<unknown>)) {
        if (forDevelopers !== true) expect(text).toContain(param);
      }
    }
    for (const option of ['--data-dir', '--graph', '--notifications']) expect(text).toContain(option);
  });
});
