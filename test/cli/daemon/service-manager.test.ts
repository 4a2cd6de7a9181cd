/** The notification to systemd when the daemon is ready. A program of the test replaces systemd-notify. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { notifyReady } from '../../../src/cli/daemon/service-manager.ts';
import { temporaryDirectory } from '../../rpc/support.ts';

const directory = temporaryDirectory();
const told = join(directory.path, 'told');
afterAll(() => directory.remove());

/**
 * An environment in which the program writes its arguments to a file, and moves the file into place when it
 * is complete.
 */
function environment(): NodeJS.ProcessEnv {
  const notifier = join(directory.path, 'systemd-notify');
  writeFileSync(
    notifier,
    `#!/bin/sh\nprintf '%s\\n' "$NOTIFY_SOCKET" "$@" > '${told}.new'\nmv '${told}.new' '${told}'\n`,
  );
  chmodSync(notifier, 0o755);
  return { PATH: `${directory.path}:${process.env.PATH}` };
}

it('no notification is sent if the service manager requests none', () => {
  const failed = vi.fn();
  notifyReady('ready', failed, { PATH: '/nowhere' });
  expect(failed).not.toHaveBeenCalled();
});

it('the notification reports readiness, and the graph', async () => {
  const failed = vi.fn();
  notifyReady('300 nodes', failed, { ...environment(), NOTIFY_SOCKET: '/run/notify' });
  await vi.waitFor(() => expect(existsSync(told)).toBe(true), 20_000);
  expect(readFileSync(told, 'utf8')).toBe('/run/notify\n--ready\n--status=300 nodes\n');
  expect(failed).not.toHaveBeenCalled();
});

it('without systemd’s program, no notification is sent, and this is reported', async () => {
  const failed = vi.fn();
  notifyReady('ready', failed, { PATH: directory.path.concat('/none'), NOTIFY_SOCKET: '/run/notify' });
  await vi.waitFor(() => expect(failed).toHaveBeenCalledWith(expect.stringContaining('ENOENT')), 20_000);
});
