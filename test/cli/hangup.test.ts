/** SIGHUP without a log file: the terminal was closed, or a daemon has none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DaemonProcess } from '../commands/daemon-process.ts';
import { describeNeeding } from '../needs.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { until } from '../until.ts';
import { hasScript, shellCommand } from './terminal.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());
const GRAPH = ['--graph', 'synthetic:50'];

test('a daemon without a terminal ignores it, as under `nohup`', async () => {
  const daemon = await DaemonProcess.start(directory.path, GRAPH);
  daemon.signal('SIGHUP');
  await until(async () => JSON.stringify(await daemon.answer('getlog')).includes('SIGHUP: ignored'));
  await daemon.stop();
  expect((await daemon.ended).code).toBe(0);
});

describeNeeding('terminal', hasScript, 'when its terminal is closed', () => {
  test('a daemon stops cleanly, and then ends by the signal', async () => {
    const [socket, status] = [join(directory.path, 'fulgurite-rpc'), join(directory.path, 'status')];
    const place = ['--data-dir', directory.path, '--workers', '1', '--no-http'];
    const start = shellCommand('start', ...place, ...GRAPH);
    // Like an interactive shell, this one passes the signal on, but it then reports how the daemon ended.
    const line = `${start} & trap "kill -HUP $!" HUP; wait; wait $!; echo $? > '${status}'`;
    const terminal = spawn('script', ['-qec', line, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let shown = '';
    terminal.stdout.on('data', (text: Buffer) => {
      shown += text;
    });
    await until(() => shown.includes('ready '));
    terminal.kill('SIGKILL');
    await once(terminal, 'close');
    await until(() => existsSync(status) && readFileSync(status, 'utf8') !== '');
    // 128 plus the number of SIGHUP.
    expect(readFileSync(status, 'utf8')).toBe('129\n');
    expect(existsSync(socket)).toBe(false);
  });
});
