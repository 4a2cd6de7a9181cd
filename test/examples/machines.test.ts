/**
 * `examples/fleet/machines.sh`: a fleet on three network namespaces, behind one endpoint. While requests to
 * pay arrive at the endpoint, each daemon is restarted, as in an upgrade, and then killed. No request may
 * fail, whether it pays in one part or in several.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
const PROGRAM = fileURLToPath(new URL('../../bin/fulgurite.mjs', import.meta.url));
/**
 * The program of an earlier release, from which the fleet is upgraded. Without it, the daemons are only
 * restarted.
 */
const OLDER = process.env.OLDER_RELEASE;
/** The clients, by the amount of each payment. The second client pays in parts, because of a layer. */
const AMOUNTS = [
  { amount_msat: 100_000 },
  { amount_msat: '100000sat', maxfee: '1000sat', layers: ['narrow'] },
] as const;
/** Maximum that the layer allows through each of our channels. */
const NARROW_MSAT = '60000sat';
/** Codes of errors that explain why the network cannot carry a payment: the request itself was served. */
const REFUSALS = new Set([203, 205, 209, 210, 220]);
interface PeerChannel {
  readonly peer_id: string;
  readonly short_channel_id: string;
}

/** A stopping daemon finishes payments in progress, and a payment may wait for its recipient. */
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
      env: { ...process.env, GRAPH: 'synthetic:60', FULGURITE: OLDER ?? PROGRAM },
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

  /** The outcomes that a client saw: `complete`, `in parts`, `refused`, or the answer of a failed request. */
  async function paying(nodes: readonly string[], amount: object): Promise<string[]> {
    const outcomes: string[] = [];
    for (let n = 0; !isOver; n++) {
      const { status, body } = await call('xkeysend', {
        destination: nodes[n % nodes.length],
        ...amount,
        idempotency_key: randomBytes(8).toString('hex'),
      });
      const isComplete = body.payment_preimage !== undefined;
      if (isComplete) outcomes.push((body.successful_parts as number) > 1 ? 'in parts' : 'complete');
      else outcomes.push(REFUSALS.has(body.code as number) ? 'refused' : `${status} ${JSON.stringify(body)}`);
      await sleep(50);
    }
    return outcomes;
  }

  /** Pays while each daemon is stopped by a signal and restarted. */
  async function payDuring(signal: NodeJS.Signals, prepare = (): void => undefined): Promise<void> {
    isOver = false;
    const peers = (await call('listpeerchannels', {})).body.channels as PeerChannel[];
    const peerIds = peers.map(({ peer_id }) => peer_id);
    const clients = AMOUNTS.map((amount) => paying(peerIds, amount));
    await sleep(1_000);
    prepare();
    for (const daemon of DAEMONS) {
      const pid = Number(readFileSync(join(directory, `daemon${daemon}.pid`), 'utf8'));
      process.kill(pid, signal);
      await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 60_000 }).toBe(false);
      execFileSync('sh', [join(directory, `start${daemon}.sh`)], { stdio: 'inherit' });
    }
    isOver = true;
    const outcomes = await Promise.all(clients);
    const count = (of: readonly string[], ...kinds: readonly string[]): number =>
      of.filter((outcome) => kinds.includes(outcome)).length;
    const failed = outcomes.flat().filter((one) => !['complete', 'in parts', 'refused'].includes(one));
    expect(failed).toEqual([]);
    for (const of of outcomes) {
      expect(of.length).toBeGreaterThan(DAEMONS.length);
      expect(count(of, 'complete', 'in parts')).toBeGreaterThan(of.length / 2);
    }
    expect(count(outcomes[1]!, 'in parts')).toBeGreaterThan(0);
  }

  test('each daemon is restarted, and no request fails', LONG, async () => {
    await narrow();
    await payDuring('SIGTERM', upgrade);
  });

  test('each daemon is killed, and no request fails', LONG, () => payDuring('SIGKILL'));

  /** Upgrades the database while the older daemons run, and makes daemons start with the new program. */
  function upgrade(): void {
    if (OLDER === undefined) return;
    const config = readFileSync(join(directory, 'daemon1/config'), 'utf8');
    const address = /^store=(.*)$/m.exec(config)![1]!;
    const roles = ['--daemon-role', 'fulgurite_daemon', '--solver-role', 'fulgurite_solver'];
    execFileSync('ip', ['netns', 'exec', 'fulgurite1', PROGRAM, 'store', 'prepare', ...roles], {
      env: { ...process.env, FULGURITE_STORE: address.replace('fulgurite_daemon', 'fulgurite_owner') },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    for (const daemon of DAEMONS) {
      const path = join(directory, `start${daemon}.sh`);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(OLDER, PROGRAM));
    }
  }

  /** Creates a layer in which each of our channels carries less than the larger amount. */
  async function narrow(): Promise<void> {
    await call('askrene-create-layer', { layer: 'narrow', persistent: true });
    const { id } = (await call('getinfo', {})).body as { id: string };
    const { channels } = (await call('listpeerchannels', {})).body as { channels: PeerChannel[] };
    for (const { peer_id, short_channel_id } of channels) {
      const { body } = await call('askrene-inform-channel', {
        layer: 'narrow',
        short_channel_id_dir: `${short_channel_id}/${id < peer_id ? 0 : 1}`,
        ...{ amount_msat: NARROW_MSAT, inform: 'constrained' },
      });
      expect(body).toHaveProperty('constraints');
    }
  }
});
