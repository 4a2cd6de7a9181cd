/**
 * Stores the compiled code of the program's bundles beside them, so that load.js need not compile them. It starts a daemon
 * on a small simulated network and waits until it has answered a request on its socket and one over HTTP, so that the code
 * of functions that a start needs is included. Without stored code, the program starts slower, so a failure is no error.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../build/program/', import.meta.url));
const { codeFile } = createRequire(import.meta.url)(join(program, 'load.js'));
const recorder = fileURLToPath(new URL('record-scripts.cjs', import.meta.url));
const POLL_MS = 50;
const MOST_MS = 30_000;
/** The bundles of the threads with which a daemon starts. */
const RUN = [
  'cli.main',
  'engine.host.worker',
  'http.server',
  'network.simulated.worker',
  'store.store-thread',
];

const isStored = (name) => statSync(codeFile(name)).size > 0;
// load.js runs a bundle in the way that uses stored code if there is such a file. V8 does not use empty code.
for (const name of RUN) writeFileSync(codeFile(name), '');
const directory = mkdtempSync(join(tmpdir(), 'fulgurite-code-'));
const trigger = join(directory, 'keep');
const options = [
  '--data-dir',
  directory,
  '--graph',
  'synthetic:200',
  '--workers',
  '1',
  '--http',
  '127.0.0.1:0',
];
const daemon = spawn(process.execPath, [join(program, 'cli/main.js'), 'start', ...options], {
  stdio: ['ignore', 'pipe', 'pipe'],
  env: { ...process.env, KEEP_CODE: trigger, NODE_OPTIONS: `--require=${recorder}` },
});
const ended = new Promise((resolve) => {
  daemon.once('exit', resolve);
});
let printed = '';
for (const stream of [daemon.stdout, daemon.stderr]) {
  stream.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
}

/** Waits until `isDone`. @throws Error if the daemon ends or this takes too long */
async function until(isDone) {
  const endMs = Date.now() + MOST_MS;
  while (!isDone()) {
    if (daemon.exitCode !== null || Date.now() > endMs) throw new Error('the daemon did not start');
    await sleep(POLL_MS);
  }
}

/** Sends requests, and waits for as many answers. */
function ask(path, requests) {
  return new Promise((resolve, reject) => {
    let answers = 0;
    const socket = connect(path).setEncoding('utf8').on('error', reject);
    socket.on('data', (text) => {
      answers += text.split('\n\n').length - 1;
      if (answers >= requests.length) socket.end(resolve);
    });
    for (const request of requests) socket.write(JSON.stringify(request));
  });
}

try {
  const ready = () => /^ready (.+)$/m.exec(printed);
  await until(ready);
  const request = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });
  await ask(ready()[1], [request(1, 'getinfo', {})]);
  const http = () => /^HTTP on (.+)$/m.exec(printed);
  await until(http);
  await fetch(`${http()[1]}/healthz`);
  writeFileSync(trigger, '');
  await until(() => RUN.every(isStored));
} catch (error) {
  process.stderr.write(`no compiled code is stored: ${error.message}\n${printed}`);
} finally {
  daemon.kill();
  await ended;
  rmSync(directory, { recursive: true });
  for (const name of RUN) if (!isStored(name)) rmSync(codeFile(name));
}
