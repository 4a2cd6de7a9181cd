/**
 * Damages the files beside the database one bit or one sector at a time: secrets, certificates, the journal
 * of the simulated network and our gossip_store. Each damage must be found with a typed error, or must leave
 * the content of the file unchanged. The journal and the gossip_store may lose records, because a crash may
 * cut off their end: then outcomes of attempts and channels may be missing, but none may be changed.
 *
 * CI runs a small share. FULGURITE_DAMAGES=10000 runs that many; FULGURITE_TEST_SEED repeats a run.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, stdout } from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAIN_HASHES } from '../../src/bolt/invoice/bolt12-offer.ts';
import {
  CERTIFICATE_FOLDER,
  CertificateError,
  certificateFor,
} from '../../src/cli/files/http-certificate.ts';
import { openRuneSecret } from '../../src/cli/files/rune-secret.ts';
import { SecretFileError } from '../../src/cli/files/secret-file.ts';
import { OwnGossipStore } from '../../src/gossip/own-gossip-store.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { NetworkJournal } from '../../src/network/simulated/journal.ts';
import type { Log } from '../../src/rpc/log.ts';
import { SignedNetwork } from '../network/peer/signed-gossip.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const DAMAGES = Number(env.FULGURITE_DAMAGES ?? 75);
const SEED = Number(env.FULGURITE_TEST_SEED ?? Date.now() % 2 ** 31);
const SECTOR_BYTES = 512;
const TYPED = [SecretFileError, CertificateError, FulguriteError];

const root = temporaryDirectory();
const whole = join(root.path, 'whole');
const trial = join(root.path, 'trial');
const silent = { info: () => undefined, unusual: () => undefined } as unknown as Log;

let state = SEED;
/** A random number in [0, `below`) (mulberry32). */
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
}

/**
 * Facts that files contain, as texts. The facts in damaged files must be a subset of those in the original files.
 */
type Statements = readonly string[];

const readSecret = async (directory: string): Promise<Statements> => [
  Buffer.from(openRuneSecret(directory, 1, silent)).toString('hex'),
];

async function readCertificate(directory: string): Promise<Statements> {
  await certificateFor({ host: '127.0.0.1', hostNames: [], certificate: undefined }, directory, silent);
  return ['it serves'];
}

async function readJournal(directory: string): Promise<Statements> {
  const journal = new NetworkJournal(join(directory, 'journal'), 'here');
  journal.close();
  return [...journal.content.outcomes].map(([id, outcome]) => `${id} ${JSON.stringify(outcome)}`);
}

async function readGossip(directory: string): Promise<Statements> {
  const graph = new ChannelGraph();
  const store = await OwnGossipStore.open(join(directory, 'gossip_store'), graph);
  await store.close();
  return Array.from({ length: 2 * graph.channelCount }, (_, index) => index)
    .filter((index) => graph.policy(index) !== undefined)
    .map((index) => {
      const { timestamp, feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta } = graph.policy(index)!;
      const scid = graph.shortChannelIds[index >> 1];
      return [scid, index & 1, timestamp, feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta].join(' ');
    });
}

/** Each kind: its files, how they are read, and whether records may be missing after damage. */
const KINDS = [
  { files: ['rune-secret', 'rune-secret.sum'], read: readSecret, mayLack: false },
  {
    files: ['ca.pem', 'server.pem', 'server-key.pem'].map((name) => join(CERTIFICATE_FOLDER, name)),
    read: readCertificate,
    mayLack: false,
  },
  { files: ['journal'], read: readJournal, mayLack: true },
  { files: ['gossip_store'], read: readGossip, mayLack: true },
];

beforeAll(async () => {
  mkdirSync(whole);
  openRuneSecret(whole, 0, silent);
  await readCertificate(whole);
  const journal = new NetworkJournal(join(whole, 'journal'), 'here');
  for (let n = 0; n < 200; n++) {
    const outcome = { status: 'refused', failureCode: n, reason: `no ${n}` } as const;
    journal.add({ attemptId: `attempt-${n}`, outcome, shifts: [[BigInt(n), BigInt(n)]], height: n });
  }
  journal.close();
  const chainHash = CHAIN_HASHES.regtest;
  const network = new SignedNetwork({ nodes: 10, channels: 20, chainHash, timestamp: 1_700_000_000 });
  const store = await OwnGossipStore.open(join(whole, 'gossip_store'), new ChannelGraph());
  await store.append(network.messages());
  await store.close();
  for (const { read } of KINDS) expect((await read(whole)).length).toBeGreaterThan(0);
});
afterAll(() => root.remove());

/** @returns a description of the damage, for the failure message */
function damage(name: string): string {
  const path = join(trial, name);
  const bytes = readFileSync(path);
  const at = random(bytes.length);
  if (random(2) === 0) {
    const bit = random(8);
    bytes[at]! ^= 1 << bit;
    writeFileSync(path, bytes);
    return `${name}: bit ${bit} of byte ${at}`;
  }
  const start = at - (at % SECTOR_BYTES);
  const sector = bytes.subarray(start, start + SECTOR_BYTES);
  if (random(2) === 0) sector.fill(0);
  else for (let index = 0; index < sector.length; index++) sector[index] = random(256);
  writeFileSync(path, bytes);
  return `${name}: sector at ${start}`;
}

test(`every one of ${DAMAGES} damages is found, or changes no fact in the file (seed ${SEED})`, async () => {
  const counts: Record<string, number> = {};
  const failures: string[] = [];
  for (let count = 0; count < DAMAGES; count++) {
    const { files, read, mayLack } = KINDS[count % KINDS.length]!;
    rmSync(trial, { recursive: true, force: true });
    cpSync(whole, trial, { recursive: true });
    const said = await read(whole);
    const what = damage(files[random(files.length)]!);
    let verdict: string;
    try {
      const now = await read(trial);
      const isSame = now.every((statement) => said.includes(statement));
      verdict = isSame && (mayLack || now.length === said.length) ? 'harmless' : 'silent';
    } catch (error) {
      verdict = TYPED.some((type) => error instanceof type) ? 'found' : `untyped: ${error}`;
    }
    counts[verdict] = (counts[verdict] ?? 0) + 1;
    if (verdict !== 'found' && verdict !== 'harmless') failures.push(`${what}: ${verdict}`);
  }
  stdout.write(`${JSON.stringify(counts)} of ${DAMAGES} damages\n`);
  expect(failures).toEqual([]);
}, 7_200_000);
