/**
 * Fills the journal of a data directory with past payments. Their records are as large as real ones: a request with a
 * label, routes of four hops, and one failed attempt before the last one in a third of them. One in ten thousand is
 * pending, and one in ten failed. The same seed gives the same rows.
 *
 * To run it alone: `node build/bench/long-journal.js DATABASE PAYMENTS`, for a database that a daemon has made.
 */
import { createHash } from 'node:crypto';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { msat } from '../src/model/msat.ts';
import type { NodeId } from '../src/model/node-id.ts';
import type { ShortChannelId } from '../src/model/short-channel-id.ts';
import { Journal } from '../src/payments/books/journal.ts';
import type { Attempt, Payment, PaymentStatus } from '../src/payments/payment.ts';
import { Store } from '../src/store/store.ts';
import { requestTo } from './paying-node.ts';

/** Number of payments that are written in one transaction. */
const PER_COMMIT = 5000;
const HOPS = 4;
const FIRST_MS = 1_700_000_000_000;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const nodeOf = (number: number): NodeId => `02${digest(`node ${number % 5000}`).toString('hex')}` as NodeId;

/** Adds payments to a database that no process uses. */
export async function fillJournal(path: string, payments: number): Promise<void> {
  const store = new Store(path);
  const journal = new Journal(store.payments);
  await journal.open();
  for (let n = 0; n < payments; n++) {
    const payment = paymentOf(n, journal);
    journal.put(payment, payment.attempts);
    if (n % PER_COMMIT === PER_COMMIT - 1) store.committer.flush();
  }
  store.close();
}

function statusOf(n: number): PaymentStatus {
  if (n % 10_000 === 7) return 'pending';
  return n % 10 === 3 ? 'failed' : 'complete';
}

function paymentOf(n: number, journal: Journal): Payment {
  const status = statusOf(n);
  const hash = digest(`hash ${n}`);
  const createdAtMs = FIRST_MS + n * 100;
  const base = requestTo(nodeOf(n), 1000 + (n % 1000), BigInt(n));
  const request = { ...base, label: `order ${n} of the shop` };
  const states: Attempt['status'][] = n % 3 === 0 ? ['failed'] : [];
  states.push(status === 'pending' ? 'sent' : status === 'complete' ? 'settled' : 'failed');
  return {
    id: hash.toString('hex', 0, 16),
    createdIndex: journal.nextPaymentIndex(),
    request,
    paymentHash: Uint8Array.from(hash),
    preimage: Uint8Array.from(digest(`preimage ${n}`)),
    groupId: 0n,
    paymentSecret: undefined,
    totalMsat: request.amountMsat,
    createdAtMs,
    attempts: states.map((state, part) => attemptOf(n, part, state, createdAtMs, journal)),
    status,
    completedAtMs: status === 'pending' ? undefined : createdAtMs + 900,
    failure: status === 'failed' ? { obstacle: 'outOfTime' } : undefined,
  };
}

function attemptOf(
  n: number,
  part: number,
  status: Attempt['status'],
  createdAtMs: number,
  journal: Journal,
): Attempt {
  const bytes = digest(`attempt ${n} ${part}`);
  const channels = Array.from({ length: HOPS }, (_, hop) => bytes.readUInt32BE(hop * 4));
  return {
    id: bytes.toString('hex', 0, 16),
    createdIndex: journal.nextAttemptIndex(),
    partId: part + 1,
    path: channels.map((channel, hop) => ({
      shortChannelIdDir: {
        shortChannelId: ((700_000n + BigInt(channel % 100_000)) << 40n) as ShortChannelId,
        direction: (channel & 1) as 0 | 1,
      },
      nodeIdIn: nodeOf(channel),
      nodeIdOut: nodeOf(channel + 1),
      amountInMsat: msat(1_000_500n + BigInt(hop)),
      amountOutMsat: msat(1_000_400n + BigInt(hop)),
      cltvIn: 160 - hop * 40,
      cltvOut: 120 - hop * 40,
    })),
    amountMsat: msat(1_000_000n),
    amountSentMsat: msat(1_000_500n),
    probabilityPpm: 980_000,
    height: 800_000,
    partOfSeveral: false,
    sessionKey: Uint8Array.from(bytes),
    createdAtMs: createdAtMs + part * 300,
    status,
    completedAtMs: status === 'sent' ? undefined : createdAtMs + part * 300 + 250,
    updatedIndex: status === 'sent' ? undefined : journal.nextUpdate(),
    failure:
      status === 'failed'
        ? {
            rawMessage: Uint8Array.of(0x10, 0x07, 0, 0),
            failcode: 0x1007,
            failcodename: 'temporary_channel_failure',
            erringIndex: 2,
            erringNode: nodeOf(channels[2]!),
            erringChannel: { shortChannelId: (700_000n << 40n) as ShortChannelId, direction: 0 },
            isFinal: false,
          }
        : undefined,
    learned: [],
  };
}

if (import.meta.url === pathToFileURL(argv[1]!).href) await fillJournal(argv[2]!, Number(argv[3]));
