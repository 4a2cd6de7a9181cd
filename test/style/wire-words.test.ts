/**
 * The rooms engine, payments, layers and offers contain no words of the interface: they return typed values.
 * Only `src/commands` turns them into sentences and names of members.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { FAILURES } from '../../src/bolt/onion/failure.ts';
import { FEATURE } from '../../src/bolt/peer/features.ts';
import { AUTOMATIC } from '../../src/layers/automatic.ts';
import { wireWords } from './wire-words.ts';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));

/** Names that others defined: failure codes (BOLT 4), features (BOLT 9), and automatic layers. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(FAILURES),
  ...Object.keys(FEATURE),
  ...Object.values(AUTOMATIC).map(({ name }) => name.replace('auto.', '')),
]);

/** Purposes of keys that are derived from ours. They are part of the derivation, and never shown. */
const PURPOSES = ['offer path', 'offer path key', 'request path', 'request path key', 'payer keys'];

/**
 * Files with texts that issuers and payers send each other in `invoice_error` (BOLT 12). Our clients never get
 * these texts.
 */
const TOLD_TO_PEERS = ['offers/issuer.ts', 'offers/own-requests.ts', 'offers/request-check.ts'];

it.each(['engine', 'payments', 'layers', 'offers'])('%s has no words of the interface', (room) => {
  const files = readdirSync(join(SOURCES, room), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !TOLD_TO_PEERS.includes(`${room}/${file}`),
  );
  expect(files.length).toBeGreaterThan(0);
  const found = files.flatMap((file) =>
    wireWords(readFileSync(join(SOURCES, room, file), 'utf8'), KNOWN)
      .filter(({ text }) => !PURPOSES.includes(text))
      .map(({ line, text }) => `src/${room}/${file}:${line}: ${text}`),
  );
  expect(found).toEqual([]);
});

it.each([
  ["throw new FulguriteError('busy', 'the queue is full');", 'the queue is full'],
  [`const text = \`layer \${name} says\`;`, undefined],
  [`const text = \`layer \${name} says max\`;`, `layer \${name} says max`],
  [`const text = \`\${name} carried \${amount}msat\`;`, `\${name} carried \${amount}msat`],
  ['return { amount_msat: 1n };', 'amount_msat'],
  ["return { kind: 'unknown_node' };", 'unknown_node'],
  [`return \`\${name}: amount_msat\`;`, 'amount_msat'],
  ["if (name === 'mpp_timeout') return;", undefined],
  ['/** The queue is full: amount_msat. */ // and so on, fee_cap', undefined],
  ["throw new Error('the kernel sent too much');", undefined],
  [`throw new RangeError(\`no such layer at \${place}\`);`, undefined],
  [`this.#services.log.unusual(\`sending an HTLC: \${error}\`);`, undefined],
  ["import { encode } from './messages_of_old.ts';", undefined],
  ["const KEYS = ['maxfeeMsat', 'maxdelay'] as const;", undefined],
  ["const path = 'a/b'; // it's the 'path' of it", undefined],
])('in %j, the found text is %j', (source, found) => {
  expect(wireWords(source, KNOWN).map(({ text }) => text)).toEqual(found === undefined ? [] : [found]);
});

it('a word is reported with its line', () => {
  const source = "/**\n * A comment.\n */\nconst a = 1;\nconst b = 'two words';\nconst c_d = 2;\n";
  expect(wireWords(source, KNOWN)).toEqual([
    { line: 5, text: 'two words' },
    { line: 6, text: 'c_d' },
  ]);
});
