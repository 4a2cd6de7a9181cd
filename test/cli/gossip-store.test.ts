/**
 * The daemon on a gossip_store of real nodes. Their keys are unknown, so routes are found but nothing can be
 * paid.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getPublicKey } from '@noble/secp256k1';
import { afterAll, expect, it, vi } from 'vitest';
import { MAIN } from '../commands/daemon-process.ts';
import { amountBody, announcementBody, record, update, uuid, version } from '../gossip/store-builder.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const directory = temporaryDirectory();
const store = join(directory.path, 'gossip_store');
let daemon: ChildProcess | undefined;

afterAll(() => {
  daemon?.kill('SIGKILL');
  directory.remove();
});

/** Two node ids whose keys the simulation cannot derive, in ascending order. */
const [first, second] = [7, 9]
  .map((fill) => Buffer.from(getPublicKey(new Uint8Array(32).fill(fill))))
  .sort(Buffer.compare) as [Buffer, Buffer];

/** Offset of the node ids in an announcement without features (BOLT 7). */
const NODE_IDS_AT = 2 + 256 + 2 + 32 + 8;

function realChannel(scid: bigint, capacitySat: number): Buffer {
  const body = announcementBody(scid, 0, 1);
  Buffer.concat([first, second]).copy(body, NODE_IDS_AT);
  const terms = { max: BigInt(capacitySat) * 1000n, delta: 6, base: 1, ppm: 0 };
  return Buffer.concat([
    record(body),
    record(amountBody(capacitySat)),
    update(scid, { ...terms, direction: 0 }),
    update(scid, { ...terms, direction: 1 }),
  ]);
}

const call = (...argv: string[]): string =>
  execFileSync(process.execPath, [MAIN, '--data-dir', directory.path, ...argv], { encoding: 'utf8' });

/** Matches the error of a client that printed this error code. */
const withCode = (code: number): object =>
  expect.objectContaining({ stdout: expect.stringContaining(`"code": ${code}`) });

it('a daemon finds routes over a gossip_store, and over channels appended to it', async () => {
  writeFileSync(store, Buffer.concat([version(), uuid(1), realChannel((1n << 40n) | 1n, 1_000)]));
  daemon = spawn(process.execPath, [MAIN, 'start', '--graph', store, '--data-dir', directory.path]);
  const [line] = await once(daemon.stdout!, 'data');
  expect(String(line)).toBe(`ready ${join(directory.path, 'fulgurite-rpc')}\n`);
  const ask = (sat: number): string =>
    call('getroutes', first.toString('hex'), second.toString('hex'), `${sat}sat`, '[]', '10sat', '9');
  expect(JSON.parse(ask(500)).probability_ppm).toBe(500_000);
  expect(() => call('keysend', second.toString('hex'), '1sat')).toThrow(withCode(-32005));
  expect(() => ask(1_500)).toThrow(withCode(215));
  appendFileSync(store, realChannel((2n << 40n) | 1n, 9_000));
  await vi.waitFor(() => expect(JSON.parse(ask(1_500)).routes.length).toBeGreaterThan(0), {
    timeout: 30_000,
    interval: 200,
  });
});
