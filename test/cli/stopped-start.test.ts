/** A start that waits for an attached node that does not answer. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAIN } from '../commands/daemon-process.ts';
import { type LineNode, lineNode } from '../lightningd/line-node.ts';

let all: LineNode;
beforeEach(async () => {
  all = lineNode();
  await all.node.start();
});
afterEach(() => all.close());

test.each(['getinfo', 'listpeerchannels'])(
  'SIGTERM ends it while %s is unanswered, and it exits with 0',
  async (unanswered) => {
    const asked = new Promise<void>((resolve) => {
      all.node.beforeCall = (method) => {
        if (method !== unanswered) return undefined;
        resolve();
        return new Promise(() => undefined);
      };
    });
    const where = ['--lightning-rpc-file', all.node.rpcFile, '--data-dir', join(all.directory, 'data')];
    const argv = [MAIN, 'start', '--network', 'cln', '--workers', '1', '--no-http', ...where];
    const daemon = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    daemon.stdout.on('data', (text: Buffer) => {
      said += text;
    });
    daemon.stderr.on('data', (text: Buffer) => {
      said += text;
    });
    await asked;
    daemon.kill('SIGTERM');
    const [code] = await once(daemon, 'close');
    expect([code, said]).toEqual([0, expect.stringContaining('stopped before the start was finished')]);
    expect(said).not.toContain('ready');
    expect(said).not.toContain('serves');
  },
);
