/**
 * Notifies systemd that the daemon is ready, if systemd requests this (`Type=notify`). Node.js has no UNIX datagram
 * sockets, so the program `systemd-notify` sends the message. This takes about 20 ms, once.
 *
 * Source: sd_notify(3), systemd-notify(1).
 */
import { spawn } from 'node:child_process';

/**
 * Reports readiness if the environment names a socket for the report. Does not wait and never throws: without the
 * report, systemd ends the service after TimeoutStartSec and logs the reason. `failed` is called when `systemd-notify`
 * cannot run.
 */
export function notifyReady(
  status: string,
  failed: (reason: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): void {
  if (!environment.NOTIFY_SOCKET) return;
  const notifier = spawn('systemd-notify', ['--ready', `--status=${status}`], {
    env: environment,
    stdio: 'ignore',
  });
  notifier.on('error', (error) => failed(error.message));
  notifier.unref();
}
