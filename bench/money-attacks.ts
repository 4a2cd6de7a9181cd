/** Attacks that make the daemon pay twice, pay without a receipt, or never pay. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { curve } from '../src/bolt/crypto/curve.ts';
import { createInvoice, decodeInvoice, formatInvoice } from '../src/bolt/invoice/bolt12-invoice.ts';
import { createInvoiceRequest } from '../src/bolt/invoice/bolt12-invoice-request.ts';
import { encodeOffer } from '../src/bolt/invoice/bolt12-offer.ts';
import { featuresOf } from '../src/bolt/peer/features.ts';
import { msat } from '../src/model/msat.ts';
import { type Attack, type Attacked, ask, rpc, start } from './attacked.ts';
import type { BenchDaemon } from './daemon.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const DATABASE = 'fulgurite.sqlite3';
const KEY = 'the-key-of-one-payment';
/** Milliseconds within which the page shows its state. */
const PAGE_MS = 3000;
/** Milliseconds within which a daemon notices free space on the disk. */
const ROOM_MS = 4000;
/** Number of payments after which the disk is assumed never to fill. */
const MAX_SENT = 5000;
const SECONDS_PER_MS = 0.001;

/** All attacks of this file. */
export const MONEY_ATTACKS: readonly Attack[] = [
  ['an invoice is pasted into the page', pastedInvoice],
  ['bit 0 of a key in its index is flipped', flippedKey],
  ['a payment while the disk is full', fullDisk],
  ['delpay, then the same key', deletedPayment],
  ['the same HTTP key with another rune', sharedKey],
  ['an invoice of an issuer, signed by another node', forgedInvoice],
];

const keysend = (daemon: BenchDaemon, peer: string, idempotency_key: string) =>
  rpc(daemon, 'keysend', { destination: peer, amount_msat: 1000, idempotency_key });

const payments = async (daemon: BenchDaemon): Promise<number> =>
  (await rpc(daemon, 'listpays')).result.pays.length;

async function pastedInvoice({ daemon, peer }: Attacked): Promise<string> {
  if (!existsSync(CHROMIUM)) return `not run: no browser at ${CHROMIUM}`;
  const asked = { id: peer, amount_msat: 7000, description: 'tea' };
  const { bolt11 } = (await rpc(daemon, 'simulatedinvoice', asked)).result;
  const { url } = (await rpc(daemon, 'explorer')).result;
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.locator('#search').fill(bolt11);
    await page.locator('#search').press('Enter');
    await page.waitForTimeout(PAGE_MS);
    const offered = page.locator('main :is(a, button)', { hasText: /^(Pay .|Find routes to)/ });
    return `the page offers: ${(await offered.allTextContents()).join('; ')}`;
  } finally {
    await browser.close();
  }
}

async function flippedKey(attacked: Attacked): Promise<string> {
  const { daemon, peer, directory } = attacked;
  const first = await keysend(daemon, peer, KEY);
  await daemon.stop();
  const file = join(directory, 'home', DATABASE);
  const bytes = readFileSync(file);
  let flipped = 0;
  // The index contains only the key and the number of its row. The row itself also contains the destination, so it is
  // skipped.
  for (let at = bytes.indexOf(KEY); at >= 0; at = bytes.indexOf(KEY, at + 1)) {
    if (bytes.subarray(at - 600, at + 600).includes(Buffer.from(peer, 'hex'))) continue;
    bytes[at]! ^= 1;
    flipped++;
  }
  if (flipped === 0) return 'not run: the key is in no index';
  writeFileSync(file, bytes);
  try {
    attacked.daemon = await start(attacked);
  } catch (error) {
    return `none: ${String(error)}`;
  }
  const second = await keysend(attacked.daemon, peer, KEY);
  const isSame = first.result?.payment_hash === second.result?.payment_hash;
  return isSame ? 'none: the same payment is answered' : 'the key paid twice';
}

async function fullDisk(attacked: Attacked): Promise<string> {
  await attacked.daemon.stop();
  const home = join(attacked.directory, 'home');
  rmSync(home, { recursive: true });
  mkdirSync(home);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', home], { stdio: 'ignore' });
  } catch {
    return 'not run: only root can mount a small disk';
  }
  try {
    attacked.daemon = await start(attacked);
    const { daemon, peer } = attacked;
    const ballast = join(home, 'ballast');
    execFileSync('sh', ['-c', `cat /dev/zero > ${ballast} 2>/dev/null || true`]);
    // The write-ahead log still has some room, so a few payments fit.
    let [key, sent] = ['', 0];
    for (let answer = {} as { error?: object }; answer.error === undefined && sent < MAX_SENT; sent++) {
      key = `${KEY} ${sent}`;
      answer = await keysend(daemon, peer, key);
    }
    rmSync(ballast);
    // Meanwhile the daemon writes pending rows, and the key becomes free again.
    await sleep(ROOM_MS);
    const said = (answer: { error?: { code: number } }) => answer.error?.code ?? 'paid';
    const [again, fresh] = [await keysend(daemon, peer, key), await keysend(daemon, peer, KEY)];
    return `payment ${sent} is refused; its key, once there is room: ${said(again)}; a new key: ${said(fresh)}`;
  } finally {
    await attacked.daemon.stop();
    execFileSync('umount', ['-l', home]);
  }
}

async function deletedPayment({ daemon, peer }: Attacked): Promise<string> {
  const { result: first } = await keysend(daemon, peer, KEY);
  await rpc(daemon, 'delpay', { payment_hash: first.payment_hash, status: 'complete' });
  const second = await keysend(daemon, peer, KEY);
  if (second.error !== undefined) return `none: ${second.error.code} ${second.error.message}`;
  const isSame = second.result.payment_hash === first.payment_hash && (await payments(daemon)) === 0;
  return isSame ? 'none: the first outcome is answered' : 'the key paid twice';
}

async function sharedKey({ daemon, port, peer, rune, other }: Attacked): Promise<string> {
  const body = JSON.stringify({ destination: peer, amount_msat: 1000 });
  const headers = { 'Idempotency-Key': KEY };
  const first = await ask(port, '/v1/keysend', { rune, body, headers });
  const second = await ask(port, '/v1/keysend', { rune: other, body, headers });
  const preimage = (text: string): string | undefined => JSON.parse(text).payment_preimage;
  const isLeaked = preimage(first.text) === preimage(second.text);
  const sent = await payments(daemon);
  return isLeaked
    ? `the other rune gets the first payer's preimage; ${sent} payment`
    : `none: ${sent} payments`;
}

async function forgedInvoice({ daemon }: Attacked): Promise<string> {
  const [issuer, forger] = [new Uint8Array(32).fill(0x41), new Uint8Array(32).fill(0x42)];
  const [issuerId, forgerId] = [curve.publicKey(issuer), curve.publicKey(forger)];
  const offer = encodeOffer({ offerDescription: 'tea', offerIssuerId: issuerId, offerAmount: 2000n });
  const asked = { invreqMetadata: new Uint8Array(16), invreqPayerId: forgerId };
  const request = createInvoiceRequest(offer, asked, forger);
  const hops = [{ blindedNodeId: forgerId, encryptedRecipientData: new Uint8Array(50) }];
  const invoice = createInvoice(
    request,
    {
      invoicePaths: [{ firstNode: forgerId, firstPathKey: forgerId, hops }],
      invoiceBlindedPay: [
        {
          feeBaseMsat: 0,
          feeProportionalMillionths: 0,
          cltvExpiryDelta: 18,
          htlcMinimumMsat: msat(0),
          htlcMaximumMsat: msat(10n ** 9n),
          features: new Uint8Array(0),
        },
      ],
      invoiceCreatedAt: BigInt(Math.floor(Date.now() * SECONDS_PER_MS)),
      invoicePaymentHash: new Uint8Array(32),
      invoiceAmountMsat: msat(2000),
      invoiceFeatures: featuresOf([17]),
      invoiceNodeId: forgerId,
    },
    forger,
  );
  const string = formatInvoice(decodeInvoice(invoice));
  const { valid } = (await rpc(daemon, 'decode', { string })).result ?? { valid: false };
  const { error } = await rpc(daemon, 'xpay', { invstring: string });
  return `decode says valid: ${valid}; xpay: ${error?.message ?? 'pays'}`;
}
