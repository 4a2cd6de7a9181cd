/**
 * Attacks on secrets and on restarts: what is displayed, what a backup restores, and what a service manager repeats.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attack, type Attacked, ask, rpc, start } from './attacked.ts';
import { startDaemonProcess } from './daemon.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';

/** All attacks of this file. */
export const SECRET_ATTACKS: readonly Attack[] = [
  ["a link to the page is read from the browser's history", linkInHistory],
  ['listconfigs shows the token of --esplora', shownToken],
  ['a backup is restored after a rune was blacklisted', restoredBackup],
  ['/metrics through a proxy of this machine', metricsBehindProxy],
  ['a file of the simulated network is damaged', damagedSimulation],
];

async function linkInHistory({ daemon, port }: Attacked): Promise<string> {
  const { url } = (await rpc(daemon, 'explorer')).result;
  const secret = /[A-Za-z0-9_-]{20,}={0,2}$/.exec(decodeURIComponent(url))?.[0] ?? '';
  if ((await ask(port, '/v1/getinfo', { rune: secret, body: '{}' })).status === 201)
    return 'the link holds a rune';
  const redeem = () => ask(port, '/ui/redeem', { body: '', headers: { Code: secret } });
  const statuses = [(await redeem()).status, (await redeem()).status];
  return `the link holds a code: status ${statuses[0]}, then ${statuses[1]}`;
}

async function shownToken({ directory }: Attacked): Promise<string> {
  const peer = ['--network', 'peer', '--esplora', `https://esplora.invalid/${TOKEN}/api?token=${TOKEN}`];
  const place = { directory: join(directory, 'peer'), executable: process.env.BENCH_ATTACKED };
  const daemon = await startDaemonProcess('none', peer, place);
  try {
    const shown = JSON.stringify(await rpc(daemon, 'listconfigs'));
    return shown.includes(TOKEN) ? 'the token is shown' : 'none: the token is hidden';
  } finally {
    await daemon.stop();
  }
}

async function restoredBackup(attacked: Attacked): Promise<string> {
  const { daemon, rune, directory, options } = attacked;
  const elsewhere = join(directory, 'elsewhere');
  mkdirSync(elsewhere);
  const isValid = async (): Promise<boolean> =>
    (await rpc(attacked.daemon, 'checkrune', { rune, method: 'getinfo' })).result?.valid === true;
  await rpc(daemon, 'backup', { destination: join(elsewhere, 'home') });
  await rpc(daemon, 'blacklistrune', { start: 0, end: 0 });
  await daemon.stop();
  attacked.daemon = await start({ directory: elsewhere, options }, '--recover');
  return (await isValid()) ? 'the blacklisted rune works again' : 'none: the rune is refused';
}

async function metricsBehindProxy({ port }: Attacked): Promise<string> {
  const proxied: readonly Readonly<Record<string, string>>[] = [
    { Host: `127.0.0.1:${port}`, Via: '1.1 proxy' },
    { Host: `127.0.0.1:${port}`, 'X-Real-IP': '203.0.113.7' },
    { Host: 'localhost', Forwarded: 'for=203.0.113.7' },
  ];
  const answers = await Promise.all(proxied.map((headers) => ask(port, '/metrics', { headers })));
  return `status ${answers.map(({ status }) => status).join(', ')}`;
}

async function damagedSimulation(attacked: Attacked): Promise<string> {
  await attacked.daemon.stop();
  writeFileSync(join(attacked.directory, 'home', 'simulated-network.journal'), 'x'.repeat(5000));
  try {
    attacked.daemon = await start(attacked);
    return 'the start succeeds';
  } catch (error) {
    return String(error);
  }
}
