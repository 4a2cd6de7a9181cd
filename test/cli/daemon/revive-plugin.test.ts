/**
 * The reaction of an engine when the pipe from its plugin closes: it restarts the plugin if the plugin was
 * killed, and only then.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { revivePlugin } from '../../../src/cli/daemon/revive-plugin.ts';

let directory: string;
let server: Server;
let asked: { method: string; params: object }[];
/** lightningd's answer without the id. */
let answer: object;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'revive-'));
  asked = [];
  answer = { result: { command: 'start', plugins: [] } };
  server = createServer((socket) => {
    socket.on('data', (text) => {
      const { id, method, params } = JSON.parse(String(text));
      asked.push({ method, params });
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(join(directory, 'rpc'), resolve));
});
afterEach(() => {
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

const revived = (currentParent: () => number, socket = 'rpc') =>
  revivePlugin({
    parentPid: 7,
    currentParent,
    nodeSocket: join(directory, socket),
    pluginFile: '/opt/fulgurite-plugin',
  });

test('a killed plugin is restarted by lightningd', async () => {
  // The pipe closes a moment before the system gives the orphan a new parent.
  const parents = [7, 7, 1];
  expect(await revived(() => parents.shift() ?? 1)).toBe(true);
  expect(asked).toEqual([
    { method: 'plugin', params: { subcommand: 'start', plugin: '/opt/fulgurite-plugin' } },
  ]);
});

test('a plugin that stops on purpose stays stopped', async () => {
  expect(await revived(() => 7)).toBe(false);
  expect(asked).toEqual([]);
});

test('the engine ends quietly if the node refuses or is gone as well', async () => {
  answer = { error: { code: -3, message: 'no' } };
  expect(await revived(() => 1)).toBe(false);
  expect(await revived(() => 1, 'gone')).toBe(false);
});
