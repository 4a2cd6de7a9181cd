/**
 * The commands `plugin install` and `plugin check`. The first writes a script that starts the plugin. The second
 * runs a script as lightningd would, and so finds what is missing in the node's environment.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runPluginCommand } from '../../../src/cli/plugin/plugin-command.ts';
import { tryPlugin } from '../../../src/cli/plugin/plugin-trial.ts';

const PACKAGED = fileURLToPath(new URL('../../../bin/fulgurite-plugin', import.meta.url));
/** A PATH with `env` and `sh`, and without Node.js. */
const withoutNode = (): string => {
  const folder = join(directory, 'bin');
  mkdirSync(folder);
  for (const name of ['env', 'sh']) {
    const found = ['/usr/bin', '/bin'].map((at) => join(at, name)).find((path) => existsSync(path))!;
    writeFileSync(
      join(folder, name),
      `#!${found === '/bin/sh' ? '/bin/sh' : '/bin/sh'}\nexec ${found} "$@"\n`,
      { mode: 0o755 },
    );
  }
  return folder;
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plugin-command-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const script = (text: string, mode = 0o755): string => {
  const file = join(directory, 'tried');
  writeFileSync(file, text, { mode });
  return file;
};

describe('plugin install', () => {
  test('writes a script that needs no PATH, and the check confirms it', async () => {
    const file = join(directory, 'with spaces', 'fulgurite-plugin');
    const installed = await runPluginCommand(['install', file]);
    expect(installed.text).toContain(`plugin=${file}`);
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(readFileSync(file, 'utf8')).toContain(`exec ${process.execPath} `);
    const checked = await runPluginCommand(['check', file, '--path', '/nowhere']);
    expect(checked.text).toMatch(/works with the PATH given: it answered with \d+ methods/);
    expect(checked.code).toBe(0);
  });

  test.each(['cln-askrene', 'keysend'])(
    'refuses the name %s, which the node uses for a different plugin',
    async (name) => {
      await expect(runPluginCommand(['install', join(directory, name)])).rejects.toThrow(
        'choose a different name',
      );
      expect(existsSync(join(directory, name))).toBe(false);
    },
  );

  test.each([
    [['install', 'a', 'b'], 'plugin install takes at most one file'],
    [['check', 'a', 'b'], 'plugin check takes at most one file'],
    [['look'], 'plugin needs install or check'],
    [['check', '--nothing'], 'unknown option --nothing'],
  ])('refuses %j: %s', async (argv, message) => {
    await expect(runPluginCommand(argv)).rejects.toThrow(message);
  });
});

describe('plugin check', () => {
  test('reports that Node.js is not on the node’s PATH', async () => {
    const { text, code } = await runPluginCommand(['check', PACKAGED, '--path', withoutNode()]);
    expect(code).toBe(1);
    expect(text).toContain('fulgurite plugin install');
    expect(text).toContain('lightningd would not start');
  });

  test('looks for the environment of the lightningd that runs in the directory', async () => {
    const chain = join(directory, 'regtest');
    mkdirSync(chain);
    writeFileSync(join(directory, 'lightningd-regtest.pid'), `${process.pid}\n`);
    const file = script(
      `#!/bin/sh\nread request\nprintf '{"result":{"rpcmethods":[{"name":"getroutes"},{"name":"askrene-age"},{"name":"askrene-create-layer"}]}}\\n\\n'\n`,
    );
    const { text } = await runPluginCommand([
      'check',
      file,
      '--lightning-dir',
      directory,
      '--chain',
      'regtest',
    ]);
    expect(text).toContain(
      `in the environment of lightningd (process ${process.pid}): it answered with 3 methods`,
    );
  });

  test.each<[string, string, string]>([
    ['ends', '#!/bin/sh\necho "no build" >&2\nexit 3\n', 'it ended with code 3 (no build)'],
    ['says something else', "#!/bin/sh\nprintf 'hello\\n\\n'\n", 'its output is not JSON (hello)'],
    [
      'is another plugin',
      '#!/bin/sh\nprintf \'{"result":{"rpcmethods":[]}}\\n\\n\'\n',
      'it does not provide getroutes',
    ],
    ['writes without end', '#!/bin/sh\nexec yes\n', 'its output is too long'],
  ])('reports the problem of a plugin that %s', async (_what, text, problem) => {
    const found = await tryPlugin(script(text), { environment: { PATH: '/usr/bin:/bin' } });
    expect(found).toMatchObject({ problem });
  });

  test('reports that the plugin does not answer', async () => {
    const file = script('#!/bin/sh\nexec sleep 60\n');
    const found = await tryPlugin(file, { environment: { PATH: '/usr/bin:/bin' }, waitMs: 100 });
    expect(found.problem).toBe('no answer within 0.1 s');
  });

  test('reports that the file is missing, or not executable', async () => {
    const environment = {};
    expect(await tryPlugin(join(directory, 'none'), { environment })).toMatchObject({
      problem: 'there is no such file',
    });
    const file = script('#!/bin/sh\n');
    chmodSync(file, 0o644);
    expect(await tryPlugin(file, { environment })).toMatchObject({ problem: 'it is not executable' });
    expect(await tryPlugin(directory, { environment })).toMatchObject({
      problem: 'it is not a regular file',
    });
  });

  test('is a command of the program, with an exit code', () => {
    const program = fileURLToPath(new URL('../../../bin/fulgurite.mjs', import.meta.url));
    const ran = spawnSync(process.execPath, [program, 'plugin', 'check', join(directory, 'none')], {
      encoding: 'utf8',
    });
    expect([ran.status, ran.stdout]).toEqual([1, expect.stringContaining('there is no such file')]);
  });
});
