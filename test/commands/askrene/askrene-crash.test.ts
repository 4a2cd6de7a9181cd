/**
 * A daemon receives many layer mutations and is repeatedly killed and restarted on the same data directory.
 * Mutation number i sets the layer's minimum to i. So the stored minimums must read 1, 2, … m without a gap,
 * and m must be at least the number of acknowledged mutations.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { RawClient, temporaryDirectory } from '../../rpc/support.ts';
import { randomFrom } from '../../store/layer-actions.ts';
import { MAIN } from '../daemon-process.ts';

const directory = temporaryDirectory();
const ROUNDS = 3;

/** The current daemon. If the test fails before it kills this daemon, the cleanup does. */
let running: ChildProcess | undefined;

afterAll(() => {
  running?.kill('SIGKILL');
  directory.remove();
});

async function startDaemon(): Promise<[ChildProcess, RawClient]> {
  const options = ['start', '--graph', 'synthetic:50', '--data-dir', directory.path];
  const daemon = spawn(process.execPath, [MAIN, ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
  running = daemon;
  await once(daemon.stdout, 'data');
  return [daemon, new RawClient(join(directory.path, 'fulgurite-rpc'))];
}

const request = (id: number, method: string, params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** The minimums that the layer holds, in order. */
async function kept(client: RawClient): Promise<number[]> {
  const { result } = JSON.parse((await client.ask(request(0, 'askrene-listlayers', ['kept'])))!);
  return result.layers[0].constraints.map(({ minimum_msat }: { minimum_msat: number }) => minimum_msat);
}

/**
 * Sends mutations from `first` on until the daemon dies. Returns the numbers of mutations sent and
 * acknowledged.
 */
async function hail(
  client: RawClient,
  first: number,
  onFirst: () => void,
): Promise<{ sent: number; acknowledged: number }> {
  let [sent, acknowledged] = [0, 0];
  for (;;) {
    for (let burst = 0; burst < 20; burst++, sent++) {
      const params = ['kept', `${sent % 7}x1x1/0`, first + sent, 'unconstrained'];
      client.send(request(sent, 'askrene-inform-channel', params));
    }
    for (let burst = 0; burst < 20; burst++, acknowledged++) {
      if ((await client.next()) === undefined) return { sent, acknowledged };
    }
    onFirst();
  }
}

test('a daemon that is killed keeps every acknowledged mutation, and never half of one', async () => {
  const seed = Number(process.env.FULGURITE_TEST_SEED ?? Date.now() % 2 ** 31);
  process.stderr.write(`kill times of FULGURITE_TEST_SEED=${seed}\n`);
  const random = randomFrom(seed);
  let expectedAtLeast = 0;
  let expectedAtMost = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const [daemon, client] = await startDaemon();
    if (round === 0) await client.ask(request(0, 'askrene-create-layer', ['kept', true] as unknown[]));
    const values = await kept(client);
    expect(values).toEqual(Array.from({ length: values.length }, (_, index) => index + 1));
    expect(values.length).toBeGreaterThanOrEqual(expectedAtLeast);
    expect(values.length).toBeLessThanOrEqual(expectedAtMost);

    let hailing: ReturnType<typeof hail> | undefined;
    await new Promise<void>((resolve) => {
      hailing = hail(client, values.length + 1, resolve);
    });
    await sleep(random(200));
    daemon.kill('SIGKILL');
    await once(daemon, 'close');
    const { sent, acknowledged } = await hailing!;
    client.close();
    expectedAtLeast = values.length + acknowledged;
    expectedAtMost = values.length + sent;
  }
  // In every round, at least one burst of 20 was acknowledged before the kill.
  expect(expectedAtLeast).toBeGreaterThanOrEqual((ROUNDS + 1) * 20);
}, 120_000);
