/**
 * No secret is ever in the log, at its lowest level and with everything that may be named. The secrets are those of a
 * real run: every preimage, payment secret and session key that the database holds afterwards, the node's key, and
 * what clients sent: notes to payees, and secrets in the place of other values.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const PAYMENTS = 60;
const NOTE = 'a note that only the payee may read';
const SENT_BY_MISTAKE = 'c0ffee'.repeat(10);

const directory = temporaryDirectory();
const shown: string[] = [];
/** Answers that tell their reader to see the log. */
let sentToTheLog = 0;
/** Invoices that were fetched, and invoices that were paid. */
let fetched = 0;
let paid = 0;
let getlog: { log: { type: string; source: string; log: string; fields?: object }[] };

/** The forms in which bytes could be written. */
function forms(bytes: Uint8Array): string[] {
  const buffer = Buffer.from(bytes);
  const decimal = [...bytes].join(',');
  return [buffer.toString('hex'), buffer.toString('base64'), buffer.toString('base64url'), decimal];
}

beforeAll(async () => {
  const options = ['--graph', 'synthetic:120', '--log-level', 'io', '--log-private'];
  const daemon = await DaemonHere.start(directory.path, options, shown);
  try {
    const { nodes } = await daemon.result('listnodes');
    const ids: string[] = nodes.map(({ nodeid }: { nodeid: string }) => nodeid);
    const each = Array.from({ length: PAYMENTS }, (_, n) => ids[n % ids.length]!);
    let answered = 0;
    for (const [n, destination] of each.entries()) {
      const method = n % 2 === 0 ? 'keysend' : 'xkeysend';
      const done = (): void => void answered++;
      daemon.call(method, { destination, amount_msat: 1000 * (1 + 97 * n) }).then(done, done);
    }
    // The simulated network has no faults here, so every payment ends.
    await vi.waitFor(() => expect(answered).toBe(PAYMENTS), { timeout: 50_000 });
    const { offers } = await daemon.result('listsimulatedoffers');
    for (const { bolt12 } of offers.slice(0, 6) as { bolt12: string }[]) {
      const asked = { offer: bolt12, amount_msat: 5000, payer_note: NOTE, timeout: 1 };
      const { error } = await daemon.call('fetchinvoice', asked);
      if (error === undefined) fetched++;
    }
    const { bolt12: tea } = offers.find(({ kind }: { kind: string }) => /any.?amount/i.test(kind));
    const { bolt11 } = await daemon.result('simulatedinvoice', { id: ids[3]!, amount_msat: 1000 });
    for (const asked of [{ invstring: tea, amount_msat: 7000, payer_note: NOTE }, { invstring: bolt11 }]) {
      const { error } = await daemon.call('xpay', asked);
      if (error === undefined) paid++;
    }
    for (const [method, params] of [
      ['keysend', { destination: SENT_BY_MISTAKE, amount_msat: 1 }],
      ['keysend', { destination: ids[0], amount_msat: SENT_BY_MISTAKE }],
      ['keysend', { destination: ids[0], amount_msat: 1, extratlvs: SENT_BY_MISTAKE }],
      ['keysend', { destination: ids[0], amount_msat: 1, extratlvs: { [SENT_BY_MISTAKE]: '00' } }],
      ['keysend', { [SENT_BY_MISTAKE]: 1 }],
      ['checkproof', [bolt11, `${SENT_BY_MISTAKE}zz`]],
      ['decode', [SENT_BY_MISTAKE]],
      ['setconfig', ['askrene-timeout', SENT_BY_MISTAKE]],
      ['setconfig', [SENT_BY_MISTAKE, '1']],
      ['listpays', { bolt11: SENT_BY_MISTAKE }],
      ['getroutes', { source: ids[0], destination: ids[1], amount_msat: 1, layers: [SENT_BY_MISTAKE] }],
      ['askrene-listlayers', [SENT_BY_MISTAKE]],
      ['waitsendpay', [SENT_BY_MISTAKE]],
      [SENT_BY_MISTAKE, {}],
    ] as const) {
      const { error } = await daemon.call(method, params);
      if (error?.message.includes('see logs')) sentToTheLog++;
    }
    getlog = await daemon.result('getlog');
  } finally {
    await daemon.stop();
  }
}, 60_000);
afterAll(() => directory.remove());

/** Every secret that the run left on disk. */
function secretsOnDisk(): Uint8Array[] {
  const connection = new DatabaseSync(join(directory.path, 'fulgurite.sqlite3'), { readOnly: true });
  try {
    const rows = (sql: string) =>
      (connection.prepare(sql).all() as Record<string, Uint8Array | null>[]).flatMap((row) =>
        Object.values(row),
      );
    const secrets = [
      ...rows('SELECT preimage, payment_secret FROM payment'),
      ...rows('SELECT session_key FROM attempt'),
    ];
    return secrets.filter((secret) => secret !== null);
  } finally {
    connection.close();
  }
}

/** How many lines of the log match. */
const lines = (pattern: RegExp): number => shown.join('').match(pattern)?.length ?? 0;

describe('the log of a run', () => {
  it('has a line for each attempt and each payment', () => {
    // Two invoices are paid beside the keysends.
    expect(lines(/ INFO payments: \w+ \d+ (?:complete|failed: )/g)).toBe(PAYMENTS + 2);
    const settled = lines(/ INFO payments: \w+ \d+ part \d+ settled/g);
    expect(settled).toBeGreaterThanOrEqual(lines(/ INFO payments: \w+ \d+ complete/g));
    // For the offer xpay fetches an invoice itself. That is one more.
    expect(lines(/ INFO offers: fetch \d+ answered/g)).toBe(fetched + 1);
  });

  it('has none of its secrets', () => {
    const key = readFileSync(join(directory.path, 'node-key'), 'utf8').trim();
    const secrets = [Uint8Array.from(Buffer.from(key, 'hex')), ...secretsOnDisk()];
    // The node's key; the preimage of each keysend, and of each invoice that was paid; the payment secret of each
    // payment but that of the BOLT 12 invoice; and the session key of each attempt.
    const attempts = lines(/ INFO payments: \w+ \d+ part \d+ (?:settled|failed)/g);
    expect(secrets).toHaveLength(1 + (PAYMENTS + paid) + (PAYMENTS + 1) + attempts);
    const text = shown.join('').toLowerCase();
    // The search itself finds what is there: hashes are named when the operator asks for it.
    expect(text).toMatch(/payment_hash=[0-9a-f]{64}/);
    const found = secrets.flatMap(forms).filter((form) => text.includes(form.toLowerCase()));
    expect(found).toEqual([]);
    expect(text).not.toContain(NOTE);
    expect(text).not.toContain(SENT_BY_MISTAKE);
  });

  it('has a line wherever an answer says that it has one', () => {
    const refused = getlog.log.filter(({ source, log }) => source === 'rpc' && log.includes(' refused: '));
    // So many of the requests above have a value that their answer does not repeat.
    expect(sentToTheLog).toBe(9);
    expect(refused.length).toBeGreaterThanOrEqual(sentToTheLog);
    const keysends = refused.filter(({ log }) => log.startsWith('keysend'));
    expect(keysends[0]).toMatchObject({
      type: 'INFO',
      log: 'keysend refused: should be a node id',
      fields: { method: 'keysend', parameter: 'destination', characters: 60, code: -32602 },
    });
  });
});
