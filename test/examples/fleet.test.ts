/**
 * `examples/fleet/start.sh` starts a fleet and stops all of it. While it runs, the daemons share layers, and
 * their searches go to the solvers.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { natsServerPath } from '../fleet/nats-server.ts';
import { describeNeeding } from '../needs.ts';
import { POSTGRES_PROGRAMS } from '../store/postgres-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const isThere = natsServerPath !== undefined && POSTGRES_PROGRAMS !== undefined;

describeNeeding(natsServerPath === undefined ? 'nats' : 'postgres', isThere, 'the example of a fleet', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-fleet-'));
  let script: ChildProcess;
  let statusCommand: string[] = [];

  beforeAll(async () => {
    script = spawn(join(root, 'examples/fleet/start.sh'), [directory], {
      env: { ...process.env, GRAPH: 'synthetic:60' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: script.stdout! })) {
      if (line.includes(' fleet status ')) statusCommand = line.trim().split(' ');
      if (line.startsWith('Ctrl-C')) break;
    }
  });
  afterAll(async () => {
    const ended = once(script, 'exit');
    script.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    rmSync(directory, { recursive: true });
  });

  async function call(daemon: string, ...args: string[]): Promise<Record<string, unknown>> {
    const { stdout } = await run(join(root, 'bin/fulgurite.mjs'), [
      '--data-dir',
      join(directory, daemon),
      ...args,
    ]);
    return JSON.parse(stdout);
  }

  async function status(): Promise<{
    log_head: number;
    database_clock_ms: number;
    solvers: { lag: number; answered: number; clock_ms: number }[];
    daemons: { payments: number }[];
  }> {
    const [program, ...args] = statusCommand;
    return JSON.parse((await run(program!, [...args, '--json'])).stdout);
  }

  test('shares layers, searches on solvers, and shows its state', async () => {
    const { log_head: before, solvers, daemons, database_clock_ms } = await status();
    expect([solvers.length, daemons.map(({ payments }) => payments)]).toEqual([3, [0, 0]]);
    expect(Math.abs(database_clock_ms)).toBeLessThan(60_000);
    await call('daemon1', 'askrene-create-layer', 'fleet', 'true');
    await expect
      .poll(() =>
        call('daemon2', 'askrene-listlayers', 'fleet').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const { nodes } = (await call('daemon1', 'listnodes')) as { nodes: { nodeid: string }[] };
    const ends = [nodes[3]!.nodeid, nodes[50]!.nodeid];
    for (const daemon of ['daemon1', 'daemon2']) {
      const routes = await call(daemon, 'getroutes', ...ends, '100000', '["fleet"]', '100000', '18');
      expect(routes.routes).not.toEqual([]);
    }
    const after = await status();
    expect(after.log_head).toBeGreaterThan(before);
    expect(after.solvers.reduce((sum, { answered }) => sum + answered, 0)).toBe(2);
    const { stdout } = await run(statusCommand[0]!, statusCommand.slice(1));
    expect(stdout).toMatch(
      /^fleet [0-9a-f]{16}; layer log at \d+; schema \d+; database clock [+-]?\d+ ms\n\nSOLVER /,
    );
  });
});
