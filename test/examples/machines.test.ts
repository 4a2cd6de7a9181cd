/**
 * `examples/fleet/machines.sh`: a fleet on three network namespaces, behind one endpoint. While requests to pay arrive at the
 * endpoint, each daemon is stopped and started again, as in an upgrade. No request may fail. The amounts go in one part: the
 * rest of a payment in parts is not sent by another daemon.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { natsServerPath } from '../fleet/nats-server.ts';
import { describeNeeding } from '../needs.ts';
import { POSTGRES_PROGRAMS } from '../store/postgres-server.ts';

const SCRIPT = fileURLToPath(new URL('../../examples/fleet/machines.sh', import.meta.url));
const ENDPOINT = 'http://127.0.0.1:8326/v1';
const DAEMONS = [1, 2, 3] as const;
/** Requests at once. */
const CLIENTS = 2;
/** Codes of errors that say why the network does not carry a payment: the request itself was served. */
const REFUSALS = new Set([203, 205, 209, 210]);
/** A daemon that stops finishes what it has begun, and a payment may wait for its recipient. */
const LONG = { timeout: 300_000 };

const hasPrograms = (...names: readonly string[]): boolean =>
  names.every((name) =>
    ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].some((folder) => existsSync(join(folder, name))),
  );
const isThere =
  process.getuid?.() === 0 &&
  hasPrograms('ip', 'openssl', 'haproxy', 'setpriv') &&
  natsServerPath !== undefined &&
  POSTGRES_PROGRAMS !== undefined;

describeNeeding('machines', isThere, 'the example of three machines', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-machines-'));
  let script: ChildProcess;
  let headers: Record<string, string>;
  let isOver = false;

  beforeAll(async () => {
    script = spawn(SCRIPT, [directory], {
      env: { ...process.env, GRAPH: 'synthetic:60' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    while (!existsSync(join(directory, 'up')) && script.exitCode === null) await sleep(200);
    headers = {
      rune: readFileSync(join(directory, 'rune'), 'utf8').trim(),
      'content-type': 'application/json',
    };
  }, 240_000);

  afterAll(async () => {
    isOver = true;
    const ended = once(script, 'exit');
    script.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' })).not.toContain('fulgurite');
    rmSync(directory, { recursive: true });
  }, 120_000);

  async function call(
    method: string,
    params: object,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${ENDPOINT}/${method}`, {
      ...{ method: 'POST', headers, body: JSON.stringify(params) },
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** Pays one node after another until the upgrade is over. */
  async function paying(nodes: readonly string[], first: number): Promise<string[]> {
    const outcomes: string[] = [];
    for (let n = first; !isOver; n += CLIENTS) {
      const { status, body } = await call('xkeysend', {
        destination: nodes[n % nodes.length],
        amount_msat: 100_000,
        idempotency_key: `${first}-${n}-${randomBytes(4).toString('hex')}`,
      });
      if (body.payment_preimage !== undefined) outcomes.push('complete');
      else outcomes.push(REFUSALS.has(body.code as number) ? 'refused' : `${status} ${JSON.stringify(body)}`);
      await sleep(50);
    }
    return outcomes;
  }

  test('each daemon is restarted, and no request fails', LONG, async () => {
    isOver = false;
    const { body } = await call('listnodes', {});
    const nodes = (body.nodes as { nodeid: string }[]).map(({ nodeid }) => nodeid);
    const { id } = (await call('getinfo', {})).body;
    const others = nodes.filter((node) => node !== id);
    const clients = Array.from({ length: CLIENTS }, (_, n) => paying(others, n));
    for (const daemon of DAEMONS) {
      const pid = Number(readFileSync(join(directory, `daemon${daemon}.pid`), 'utf8'));
      process.kill(pid);
      await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 60_000 }).toBe(false);
      execFileSync('sh', [join(directory, `start${daemon}.sh`)], { stdio: 'inherit' });
    }
    isOver = true;
    const outcomes = (await Promise.all(clients)).flat();
    expect(outcomes.filter((outcome) => outcome !== 'complete' && outcome !== 'refused')).toEqual([]);
    const complete = outcomes.filter((outcome) => outcome === 'complete').length;
    expect(complete).toBeGreaterThan(outcomes.length / 2);
    expect(outcomes.length).toBeGreaterThan(2 * DAEMONS.length);
  });
});
