/** The link to the socket under Core Lightning's name. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkSocket } from '../../../src/cli/daemon/socket-link.ts';
import { memoryLog, temporaryDirectory } from '../../rpc/support.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let link: string;
let socket: string;
beforeEach(() => {
  directory = temporaryDirectory();
  link = join(directory.path, 'regtest', 'lightning-rpc');
  socket = join(directory.path, 'fulgurite-rpc');
});
afterEach(() => directory.remove());

const make = (at = socket) => {
  const log = memoryLog();
  return { remove: linkSocket(directory.path, 'regtest', at, log), lines: log.lines };
};

test('the link in the directory of Core Lightning’s clients points to the socket, and is removed with it', async () => {
  const server = createServer((client) => client.end('here'));
  await new Promise<void>((resolve) => void server.listen(socket, resolve));
  const { remove, lines } = make();
  // Clients change into the directory of the network and connect to the bare name of the socket.
  const program = "require('net').connect('lightning-rpc').pipe(process.stdout)";
  const child = spawn(process.execPath, ['-e', program], { cwd: join(directory.path, 'regtest') });
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  await once(child, 'close');
  expect(out).toBe('here');
  expect(readlinkSync(link)).toBe('../fulgurite-rpc');
  expect(lstatSync(join(directory.path, 'regtest')).mode & 0o777).toBe(0o700);
  await new Promise((resolve) => void server.close(resolve));
  remove();
  expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
  expect(lines).toEqual([]);
});

test('the link replaces that of a dead process, and contains the full path of a socket elsewhere', () => {
  mkdirSync(join(directory.path, 'regtest'));
  symlinkSync('/gone', link);
  make('/elsewhere/rpc');
  expect(readlinkSync(link)).toBe('/elsewhere/rpc');
});

test('a file at the place of the link is kept, and this is reported', () => {
  mkdirSync(join(directory.path, 'regtest'));
  writeFileSync(link, 'of somebody else');
  const { remove, lines } = make();
  remove();
  expect(existsSync(link)).toBe(true);
  expect(lines).toEqual([expect.stringContaining('this path exists and is not a link')]);
});

test('the link is not removed once a different process has replaced it', () => {
  const first = make();
  make('/another/rpc');
  first.remove();
  expect(readlinkSync(link)).toBe('/another/rpc');
});

test('a read-only directory does not prevent serving', () => {
  writeFileSync(join(directory.path, 'regtest'), 'a file in the way');
  expect(make().lines).toHaveLength(1);
});
