/** HTTP by default: the page of a simulated network, on loopback, if its port is free. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Daemon, startDaemon } from '../../src/cli/daemon/daemon.ts';
import { parseStartOptions } from '../../src/cli/options/start-options.ts';
import { textFormat } from '../../src/log/index.ts';
import { createNodeLog } from '../../src/log/node-log.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const directory = temporaryDirectory();
let daemon: Daemon | undefined;
afterEach(async () => {
  await daemon?.stop();
  directory.remove();
});

/** Starts the daemon with a port other than the default, which a developer's own daemon may use. */
async function start(port: number, network = 'simulated'): Promise<string[]> {
  const lines: string[] = [];
  const argv = ['--data-dir', join(directory.path, 'home'), '--graph', 'synthetic:50', '--workers', '1'];
  const options = parseStartOptions([...argv, '--network', network]);
  const { usualHttp } = options;
  const sink = { write: (text: string) => void lines.push(text), reopen: () => undefined };
  const log = createNodeLog({ sink, rules: [], format: textFormat((text) => text) });
  const moved = { ...options, usualHttp: usualHttp && { ...usualHttp, port } };
  daemon = await startDaemon(moved, log, { servesUsualHttp: true });
  return lines;
}

test('a simulated network serves the page, and creates a link that opens it', async () => {
  await start(0);
  const link = new URL((await daemon!.pageLink())!);
  expect([link.protocol, link.hostname, link.pathname]).toEqual(['http:', '127.0.0.1', '/ui/']);
  const code = link.hash.replace('#code=', '');
  const redeemed = await fetch(new URL('/ui/redeem', link), { method: 'POST', headers: { Code: code } });
  const { rune } = (await redeemed.json()) as { rune: string };
  const info = await fetch(new URL('/v1/getinfo', link), { method: 'POST', headers: { Rune: rune } });
  expect(await info.json()).toMatchObject({ simulated: true });
});

test('a port in use is reported, and the node still serves its socket', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const lines = await start(port);
  expect([daemon!.httpUrl, await daemon!.pageLink()]).toEqual([undefined, undefined]);
  expect(lines.filter((line) => line.includes('HTTP is disabled')).join()).toMatch(
    new RegExp(`EADDRINUSE.*127\\.0\\.0\\.1:${port}; use --http HOST:PORT for another address`),
  );
  other.close();
});

test('other networks serve no page', async () => {
  await start(0, 'none');
  expect([daemon!.httpUrl, await daemon!.pageLink()]).toEqual([undefined, undefined]);
});
