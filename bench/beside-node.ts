/** Fulgurite beside node a of four real Core Lightning nodes, for benchmarks that compare the two. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClnNodes } from '../test/interop/cln/cln-nodes.ts';

const MAIN = fileURLToPath(new URL('../program/cli/main.js', import.meta.url));

/** The nodes, and the sockets of the two payers, Fulgurite and the node itself, which use the same channels. */
export interface SideBySide {
  readonly nodes: ClnNodes;
  readonly paths: { readonly Fulgurite: string; readonly 'Core Lightning': string };
}

/** Starts the nodes and the service, calls `run`, and stops both. */
export async function besideNode(run: (sides: SideBySide) => Promise<void>): Promise<void> {
  const nodes = await ClnNodes.start();
  const directory = mkdtempSync(join(tmpdir(), 'bench-cln-'));
  const where = ['--lightning-rpc-file', nodes.socketPath('a'), '--data-dir', directory];
  const daemon = spawn(
    process.execPath,
    [MAIN, 'start', '--network', 'cln', '--log-level', 'unusual', ...where],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    await once(daemon.stdout!, 'data');
    const paths = { Fulgurite: join(directory, 'fulgurite-rpc'), 'Core Lightning': nodes.socketPath('a') };
    await run({ nodes, paths });
  } finally {
    const ended = once(daemon, 'exit');
    daemon.kill();
    await ended;
    await nodes.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
