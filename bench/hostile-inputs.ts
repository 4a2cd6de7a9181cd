/** Hostile inputs, and the parsers that get them. Each `read` swallows the typed errors that its callers expect. */
import { WireError } from '../src/bolt/wire-error.ts';
import { hostOf, isOwnHost } from '../src/http/addresses.ts';
import { BodyError } from '../src/http/body.ts';
import { asJson } from '../src/http/body-forms.ts';
import { normalized, requestsOf } from '../src/http/call-forms.ts';
import { DEFAULT_HTTP_LIMITS } from '../src/http/limits.ts';
import { FulguriteError } from '../src/model/errors.ts';
import { readRequest } from '../src/rpc/request.ts';
import { invoiceField } from '../src/runes/invoice-field.ts';
import { complaintAbout } from '../src/runes/judge.ts';
import { decodeRune } from '../src/runes/rune.ts';

/** Maximum length of an input: the server's limit for a body without a valid rune. */
const MAX_BYTES = 1024 * 1024;
/** Maximum length of an HTTP header. Node.js refuses longer ones. */
const MAX_HEADER = 16_384;
const LIMITS = { ...DEFAULT_HTTP_LIMITS, maxDepth: 1000, maxBatch: 10_000 };

/** One parser. `read` throws only errors that callers do not expect. */
export interface HostileParser {
  readonly name: string;
  readonly seeds: readonly string[];
  readonly maxLength: number;
  readonly read: (input: string) => void;
}

const EXPECTED = [FulguriteError, BodyError, WireError];

const tolerant =
  (read: (input: string) => unknown) =>
  (input: string): void => {
    try {
      read(input);
    } catch (error) {
      if (!EXPECTED.some((kind) => error instanceof kind)) throw error;
    }
  };

const INVOICE =
  'lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh';

function judged(text: string): void {
  const usage = { isKnown: true, lastUsedNs: 1n, spentMsat: 0n };
  const rune = decodeRune(text) ?? decodeRune(Buffer.from(`${'\0'.repeat(32)}${text}`).toString('base64url'));
  if (rune !== undefined) complaintAbout(rune.restrictions, { method: 'a', params: undefined }, usage, 1e12);
}

/** All parsers of bytes from strangers. */
export const PARSERS: readonly HostileParser[] = [
  {
    name: 'parameters as JSON',
    seeds: ['{"a":null,"b":[1,{"c":null}]}', '[', '{"a":', '"\\ud800', '1e', '{"a":{"b":null,'],
    maxLength: MAX_BYTES,
    read: tolerant((body) =>
      requestsOf(normalized({ form: 'rest', method: 'getinfo', body }, LIMITS), LIMITS),
    ),
  },
  {
    name: 'JSON-RPC',
    seeds: ['{"id":1,"method":"getinfo","params":{}}', '[{"id":1,"method":"a"}]', '{"id":', '[{},'],
    maxLength: MAX_BYTES,
    read: tolerant((body) => {
      const asked = requestsOf({ form: 'rpc', method: '', body }, LIMITS);
      for (const token of Array.isArray(asked) ? asked : [asked]) readRequest(token);
    }),
  },
  {
    name: 'forms',
    seeds: ['a=1&b[0][c]=2', 'a[', 'a[]=1&', 'a[b][c][d]=', '%', '%ff=%', 'a=1&a=2&', '__proto__[x]=1'],
    maxLength: 65_536,
    read: tolerant((body) => asJson(body, 'form')),
  },
  {
    name: 'runes',
    seeds: [
      '=0&method^list|outgo<5',
      'a=\\|\\&',
      '|',
      '&',
      '=',
      'rate=1&per=1day',
      'tU-RLjMiDpY2U0o3W1oFowar36RFGpWloPbW9-RuZdo9MyZpZD0=',
    ],
    maxLength: MAX_HEADER,
    read: judged,
  },
  {
    name: 'invoices (bech32)',
    seeds: [INVOICE, 'lni1qqgds4gweqxey37gexf5jus4kcrwu', 'lnbc1', 'lni1', '+ \n', 'q'],
    maxLength: MAX_BYTES,
    read: tolerant((text) => invoiceField(text, 'amount')),
  },
  {
    name: 'headers',
    seeds: ['127.0.0.1:3010', '[::1]:1', 'localhost', '[', ':', 'a.b'],
    maxLength: MAX_HEADER,
    read: (text) => {
      hostOf(text);
      isOwnHost(text, '127.0.0.1', ['name.example']);
    },
  },
];

/** Inputs from seeds, in a reproducible order. */
export function* hostileInputs(
  seeds: readonly string[],
  count: number,
  maxLength = 4096,
): Generator<string, void> {
  let state = 0x9e3779b9;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const SYMBOLS = '{}[]",:\\&|=%+-_~^<>!#$/.0 1\n\té\ud800nulltrue';
  const pick = (): string => seeds[next(seeds.length)]!;
  const shapes: ((seed: string) => string)[] = [
    // Mutated: some symbols replaced, inserted or cut.
    (seed) => {
      let text = seed;
      for (let times = next(8); times >= 0; times--) {
        const at = next(text.length + 1);
        text = text.slice(0, at) + SYMBOLS.charAt(next(SYMBOLS.length)) + text.slice(at + next(3));
      }
      return text;
    },
    // Deep: one opening bracket many times, with and without the closing ones.
    () => {
      const open = '[{([%\\&|='.charAt(next(9));
      const levels = next(Math.min(maxLength, 100_000) / 2);
      return open.repeat(levels) + (next(2) === 0 ? '' : ']'.repeat(levels));
    },
    // Wide and long: a seed or a symbol repeated up to the maximum length.
    (seed) => {
      const unit = next(2) === 0 ? seed : SYMBOLS.charAt(next(SYMBOLS.length));
      return unit.repeat(Math.max(1, Math.floor(next(maxLength) / unit.length)));
    },
    // A wide input inside a deep one.
    (seed) => {
      const levels = next(980);
      const wide = '1,'.repeat(next(maxLength / 4));
      return `{"a":${'['.repeat(levels)}${wide}null${']'.repeat(levels)}${next(2) === 0 ? '}' : seed}`;
    },
    // Spliced: the beginning of one seed, then another seed without its first characters.
    (seed) => seed.slice(0, next(seed.length)) + pick().slice(next(4)),
  ];
  for (let index = 0; index < count; index++) {
    yield shapes[index % shapes.length]!(pick()).slice(0, maxLength);
  }
}
