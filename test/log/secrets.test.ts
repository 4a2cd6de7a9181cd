/**
 * The log never contains a secret, even at its lowest level and with private values allowed. The secrets are
 * those of a real run: every preimage, payment secret and session key that the database holds afterwards, the
 * node's key, the rune secret and every rune, all secrets that commands returned, and what clients sent:
 * notes to payees, runes over HTTP, and secrets passed instead of other values.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { ask } from '../http/http-client.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const PAYMENTS = 60;
/** Number of further payments, whose answers are checked: a keysend, an xkeysend and an invoice. */
const MORE = 3;
const NOTE = 'a note that only the payee may read';
const SENT_BY_MISTAKE = 'c0ffee'.repeat(10);

const directory = temporaryDirectory();
const shown: string[] = [];
/** Number of answers that refer the caller to the log. */
let sentToTheLog = 0;
/** Secrets in answers, by command. */
const answered = new Map<string, string[]>();
/** Number of invoices fetched, and number of invoices paid. */
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
  const options = ['--graph', 'synthetic:120', '--log-level', 'io', '--log-private', '--http', '127.0.0.1:0'];
  const daemon = await DaemonHere.start(directory.path, options, shown);
  try {
    const { nodes } = await daemon.result('listnodes');
    const ids: string[] = nodes.map(({ nodeid }: { nodeid: string }) => nodeid);
    const each = Array.from({ length: PAYMENTS }, (_, n) => ids[n % ids.length]!);
    let ended = 0;
    for (const [n, destination] of each.entries()) {
      const method = n % 2 === 0 ? 'keysend' : 'xkeysend';
      const done = (): void => void ended++;
      daemon.call(method, { destination, amount_msat: 1000 * (1 + 97 * n) }).then(done, done);
    }
    // The simulated network has no faults here, so every payment ends.
    await vi.waitFor(() => expect(ended).toBe(PAYMENTS), { timeout: 50_000 });
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
    await showSecrets(daemon, ids[5]!);
    getlog = await daemon.result('getlog');
  } finally {
    await daemon.stop();
  }
}, 60_000);
afterAll(() => directory.remove());

const SECRET_MEMBERS = ['rune', 'preimage', 'payment_preimage', 'bolt12_proof', 'proof'];

/** The secrets in an answer, at any depth. */
function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    typeof one === 'string' && SECRET_MEMBERS.includes(name) ? [one] : secretsIn(one),
  );
}

/** Calls each command whose answer contains a secret, and sends runes in every possible way. */
async function showSecrets(daemon: DaemonHere, peer: string): Promise<void> {
  const told = async (method: string, params: object = {}): Promise<string> => {
    const found = secretsIn(await daemon.result(method, params));
    answered.set(method, [...(answered.get(method) ?? []), ...found]);
    return found[0]!;
  };
  const all = await told('createrune');
  const small = await told('createrune', { rune: all, restrictions: [['method=getinfo']] });
  const forged = Buffer.from(all, 'base64url').fill(7, 0, 3).toString('base64url');
  answered.set('forged', [forged]);
  await told('showrunes');
  await told('showrunes', { rune: small });
  for (const rune of [small, forged, forged.slice(0, 20)]) {
    await daemon.call('checkrune', { rune, method: 'keysend' });
    for (const path of ['/v1/keysend', '/v1/getinfo', '/', '/v1/notifications']) {
      const headers = { Rune: rune };
      await ask(`${daemon.httpUrl}${path}?rune=${rune}`, { headers, body: '{"id":1,"method":"stop"}' });
    }
  }
  // Requests in which clients put runes in wrong places by mistake.
  await daemon.call(all, { rune: all });
  await daemon.call('getinfo', { rune: all });
  await daemon.call('createrune', { rune: forged, restrictions: [[all]] });
  await ask(`${daemon.httpUrl}/v1/${all}`, { headers: { Rune: all }, body: `{"${all}":"${all}"}` });
  await ask(`${daemon.httpUrl}/v1/getinfo`, { headers: { Rune: all, 'Idempotency-Key': all.slice(0, 60) } });
  await daemon.call('blacklistrune', { start: 0 });
  await ask(`${daemon.httpUrl}/v1/getinfo`, { headers: { Rune: all } });
  await told('keysend', { destination: peer, amount_msat: 4321 });
  await told('xkeysend', { destination: peer, amount_msat: 4322 });
  const { bolt11 } = await daemon.result('simulatedinvoice', { id: peer, amount_msat: 1000 });
  await told('pay', { bolt11 });
  for (const list of ['listpays', 'listsendpays']) await told(list);
  const { payments } = await daemon.result('listsendpays');
  const { payment_hash, partid } = payments.at(-1);
  await told('waitsendpay', { payment_hash, partid });
  const { bolt12 } = (await daemon.result('listpays')).pays.find((one: { bolt12?: string }) => one.bolt12);
  const { proofs } = await daemon.result('createproof', { invstring: bolt12 });
  answered.set(
    'createproof',
    proofs.flatMap((one: object) => Object.values(one)).filter((one: unknown) => typeof one === 'string'),
  );
}

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

/** Number of matching lines of the log. */
const lines = (pattern: RegExp): number => shown.join('').match(pattern)?.length ?? 0;

describe('the log of a run', () => {
  it('has a line for each attempt and each payment', () => {
    // Two invoices are paid in addition to the keysends.
    expect(lines(/ INFO payments: \w+ \d+ (?:complete|failed: )/g)).toBe(PAYMENTS + 2 + MORE);
    const settled = lines(/ INFO payments: \w+ \d+ part \d+ settled/g);
    expect(settled).toBeGreaterThanOrEqual(lines(/ INFO payments: \w+ \d+ complete/g));
    // xpay fetches an invoice for the offer itself, which makes one more.
    expect(lines(/ INFO offers: fetch \d+ answered/g)).toBe(fetched + 1);
  });

  it('contains none of its secrets', () => {
    const key = readFileSync(join(directory.path, 'node-key'), 'utf8').trim();
    const runeSecret = readFileSync(join(directory.path, 'rune-secret'), 'utf8').trim();
    const secrets = [
      ...[key, runeSecret].map((one) => Uint8Array.from(Buffer.from(one, 'hex'))),
      ...secretsOnDisk(),
    ];
    // The node's key; the rune secret; the preimage of each keysend and of each paid invoice; the payment secret of
    // each payment except that of the BOLT 12 invoice; and the session key of each attempt.
    const attempts = lines(/ INFO payments: \w+ \d+ part \d+ (?:settled|failed)/g);
    expect(secrets).toHaveLength(2 + (PAYMENTS + paid + MORE) + (PAYMENTS + 1 + MORE) + attempts);
    const text = shown.join('').toLowerCase();
    // This checks that the search can find something: hashes are logged, since the operator requested it.
    expect(text).toMatch(/payment_hash=[0-9a-f]{64}/);
    const found = secrets.flatMap(forms).filter((form) => text.includes(form.toLowerCase()));
    expect(found).toEqual([]);
    expect(text).not.toContain(NOTE);
    expect(text).not.toContain(SENT_BY_MISTAKE);
  });

  it('contains no secret that commands returned, and no rune, neither whole nor in part', () => {
    const without = [...answered].filter(([, secrets]) => secrets.length === 0).map(([method]) => method);
    expect(without).toEqual([]);
    const text = shown.join('').toLowerCase();
    const code = (rune: string): string[] => forms(Buffer.from(rune, 'base64url').subarray(0, 32));
    for (const [method, secrets] of answered) {
      for (const secret of secrets) {
        const at = text.indexOf(secret.toLowerCase());
        expect(at < 0 ? '' : text.slice(Math.max(0, at - 120), at + 20), method).toBe('');
        if (!/rune|forged/.test(method)) continue;
        // The first 43 characters are the authentication code. The rest contains the restrictions.
        for (const part of [secret.slice(0, 20), ...code(secret)]) {
          const found = text.indexOf(part.toLowerCase());
          expect(found < 0 ? '' : text.slice(Math.max(0, found - 120), found), `${method}: ${part}`).toBe('');
        }
      }
    }
    // Refusals over HTTP are logged, without the rune.
    expect(lines(/ refused/g)).toBeGreaterThan(10);
  });

  it('has a line wherever an answer refers to it', () => {
    const refused = getlog.log.filter(({ source, log }) => source === 'rpc' && log.includes(' refused: '));
    // Nine requests of this test have a value that the answer does not repeat.
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
