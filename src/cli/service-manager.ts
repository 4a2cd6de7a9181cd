/**
 * Tells systemd that the daemon is ready, where it asks for that (`Type=notify`). Node.js has no unix datagram
 * sockets, so `systemd-notify` tells it: a program of systemd itself, which needs some 20 ms, once.
 *
 * Source: sd_notify(3), systemd-notify(1).
 */
import { spawn } from 'node:child_process';

/**
 * Reports readiness if the environment names a socket for that. It neither waits nor fails: without the report
 * systemd ends the service after TimeoutStartSec and says why. `failed` is told when the program cannot be run.
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
