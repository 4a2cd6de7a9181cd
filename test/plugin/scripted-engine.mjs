/**
 * Replaces the plugin's engine. It is started with the same arguments, and prints `ready`. It answers each
 * request with its pid, the arguments of its start, all earlier requests, and what it received on standard
 * input. Members of the params add members to the result (`more`), or make it fail (`fail`: code), die
 * (`die`), stay silent (`silent`), wait (`gate`: until a file of that name exists), or send a notification
 * before the answer (`tell`: its text).
 */
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const directory = process.argv[process.argv.indexOf('--data-dir') + 1];
const path = join(directory, `engine-${process.pid}`);
const seen = [];
let told = '';

if (existsSync(join(directory, 'broken'))) {
  process.stderr.write('2026-01-01T00:00:00.000Z UNUSUAL the data directory belongs to another node\n');
  process.exit(1);
}

async function answer(socket, request) {
  const { id, method, params, filter } = request;
  if (method === 'notifications' || method === 'deprecations') {
    socket.deprecations = method === 'deprecations' ? params.enable : socket.deprecations;
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n\n`);
    return;
  }
  seen.push({ method, params, id });
  if (params.die) process.exit(3);
  if (params.silent) return;
  while (params.gate && !existsSync(join(directory, params.gate))) await sleep(2);
  if (params.tell) {
    const message = { id, level: 'info', message: params.tell };
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'message', params: message })}\n\n`);
  }
  const result = {
    pid: process.pid,
    arguments: process.argv.slice(2),
    deprecated: socket.deprecations,
    filter,
    seen: seen.slice(0, -1),
    told,
    ...params.more,
  };
  const outcome = params.fail
    ? { error: { code: params.fail, message: params.message ?? 'as requested' } }
    : { result };
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n\n`);
}

const server = createServer((socket) => {
  let text = '';
  socket.on('data', (chunk) => {
    const parts = (text + chunk).split('\n\n');
    text = parts.pop();
    for (const part of parts) void answer(socket, JSON.parse(part));
  });
  socket.on('error', () => undefined);
});
process.stdin.on('end', () => {
  rmSync(path, { force: true });
  process.exit(0);
});
process.stdin.on('data', (text) => {
  told += text;
});
server.listen(path, () => process.stdout.write(`ready ${path}\n`));
