/**
 * The gate of the server's thread, compared with the rune book of the main thread: the gate refuses nothing
 * that the book permits, it refuses by itself everything that can be refused without the main thread, and the
 * number of its messages does not grow with the number of clients.
 */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it, test, vi } from 'vitest';
import { authorizeByRune, HttpSession } from '../../src/http/authorize.ts';
import { normalized, requestsOf } from '../../src/http/call-forms.ts';
import type { RefusedMessage, RuneChange } from '../../src/http/messages.ts';
import { RefusalReport } from '../../src/http/refusal-report.ts';
import { type RuneBearer, RuneGate } from '../../src/http/rune-gate.ts';
import { realClock } from '../../src/model/clock.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { parseJson } from '../../src/rpc/json-token.ts';
import { DEFAULT_LIMITS } from '../../src/rpc/limits.ts';
import { parseAlternative } from '../../src/runes/restriction.ts';
import { encodeRune, issueRune } from '../../src/runes/rune.ts';
import { RuneBook } from '../../src/runes/rune-book.ts';
import type { RuneRepository } from '../../src/store/rune-repository.ts';

const ALIASES = [
  ['getinfo', {}],
  ['keysend', { amount: 'amount_msat' }],
] as const;
const SECRET = randomBytes(16);

/** A store that is empty and discards all changes. */
const repository: RuneRepository = {
  runes: async () => [],
  blacklist: async () => [],
  nextUniqueId: async () => 0n,
  outgo: async () => [],
  putOutgo: () => undefined,
  putRune: () => undefined,
  putLastUsed: () => undefined,
  putBlacklist: () => undefined,
  skipUniqueIds: () => undefined,
  durable: async () => undefined,
};

let book: RuneBook;
let gate: RuneGate;
/** Messages of the book that the gate has not processed yet. */
let changes: RuneChange[];
let told: RefusedMessage[];

beforeEach(async () => {
  book = await RuneBook.open({ secret: SECRET, repository, clock: realClock });
  changes = [];
  told = [];
  const memory = book.share({
    onBlacklist: (blacklist) => changes.push({ kind: 'blacklist', blacklist }),
    onUsed: (uniqueId, lastUsedNs) => changes.push({ kind: 'used', uniqueId, lastUsedNs }),
  });
  gate = new RuneGate({
    settings: { ...memory, limits: DEFAULT_LIMITS, aliases: ALIASES },
    report: new RefusalReport(
      (message) => told.push(message),
      () => 0,
    ),
    catchUp() {
      for (const one of changes.splice(0)) gate.take(one);
    },
  });
});

const rune = async (...restrictions: string[][]): Promise<string> =>
  encodeRune(await book.create(restrictions.map((any) => any.map((one) => parseAlternative(one)!))));

const asker = (shown: string | undefined): RuneBearer => ({ rune: shown, address: '192.0.2.7' });

/** The reason why the main thread refuses. Undefined if it permits. */
function judgedByBook(shown: string | undefined, method: string, params: string): FulguriteError | undefined {
  const log = { debug: () => undefined, unusual: () => undefined };
  const commands = new Map(ALIASES.map(([name, aliases]) => [name, { aliases }]));
  const session = new HttpSession({ ...asker(shown), client: book }, true);
  try {
    authorizeByRune(book, commands, log, {
      outgoOf: () => ({ kind: 'integer', integer: 0n }),
      nodesOf: () => undefined,
    })(method, parseJson(params), session);
    return undefined;
  } catch (error) {
    if (error instanceof FulguriteError) return error;
    throw error;
  }
}

const codeOf = (pieces: Iterable<unknown>): number => JSON.parse([...pieces].join('')).code;

describe('the gate and the book agree', () => {
  const other = encodeRune(issueRune(randomBytes(16), [[{ field: '', condition: '=', value: '0' }]]));
  const cases: [string, string[][] | string | undefined, string, string][] = [
    ['no rune', undefined, 'getinfo', '{}'],
    ['a text that is no rune', 'let me in', 'getinfo', '{}'],
    ['a rune of another node', other, 'getinfo', '{}'],
    ['a rune for everything', [], 'getinfo', '{}'],
    ['a method that is permitted', [['method=getinfo']], 'getinfo', '{}'],
    ['a method that is not', [['method=getinfo']], 'stop', '{}'],
    ['a parameter within its limit', [['pnameamount_msat<2000']], 'keysend', '{"amount":1999}'],
    ['a parameter above it, by its other name', [['pnameamount_msat<2000']], 'keysend', '{"amount":2000}'],
    ['a time that is over', [['time<1']], 'getinfo', '{}'],
    ['a rate of one a day, unused', [['per=1day']], 'getinfo', '{}'],
    ['a rate that is malformed', [['rate=often']], 'getinfo', '{}'],
  ];
  it.each(cases)('%s', async (_what, given, method, params) => {
    const shown = Array.isArray(given) ? await rune(...given) : given;
    const byGate = gate.answer({ form: 'rest', method, body: params }, asker(shown));
    const byBook = judgedByBook(shown, method, params);
    expect(byGate === undefined).toBe(byBook === undefined);
    if (byGate !== undefined) expect(codeOf(byGate.reply.pieces)).toBe(byBook!.code);
  });

  test('a rune used too soon, once the book has reported its last use', async () => {
    const daily = await rune(['per=1day']);
    const ask = () => gate.answer({ form: 'rest', method: 'getinfo', body: '{}' }, asker(daily));
    expect(ask()).toBeUndefined();
    expect(judgedByBook(daily, 'getinfo', '{}')).toBeUndefined();
    expect(changes).toHaveLength(1);
    for (const one of changes.splice(0)) gate.take(one);
    expect(codeOf(ask()!.reply.pieces)).toBe(1502);
    expect(judgedByBook(daily, 'getinfo', '{}')!.code).toBe(1502);
  });

  test('a rune that was disabled, and one enabled again, before the gate processed the message', async () => {
    const shown = await rune();
    await book.setBlacklisted({ start: 0n, end: 0n }, true);
    // Until the gate processes the message, the main thread refuses the rune.
    expect(gate.knownName(shown)).toBe(0n);
    for (const one of changes.splice(0)) gate.take(one);
    expect([gate.knownName(shown), codeOf(gate.refusalOf('getinfo', asker(shown))!.pieces)]).toEqual([
      undefined,
      1503,
    ]);
    await book.setBlacklisted({ start: 0n, end: 0n }, false);
    expect([gate.knownName(shown), gate.refusalOf('getinfo', asker(shown))]).toEqual([0n, undefined]);
  });
});

test('a batch passes if one of its requests may be permitted, and otherwise each request is refused separately', async () => {
  const shown = await rune(['method=getinfo']);
  const ask = (methods: readonly string[]) => {
    const body = JSON.stringify(methods.map((method, id) => ({ id, method })));
    return gate.answer({ form: 'rpc', method: '', body }, asker(shown));
  };
  expect(ask(['stop', 'getinfo'])).toBeUndefined();
  const { reply, count } = ask(['stop', 'keysend', 'stop'])!;
  const { status, pieces } = reply;
  expect(count).toBe(3);
  expect([status, JSON.parse([...pieces].join(''))]).toMatchObject([
    401,
    [
      { id: 0, error: { code: 1502 } },
      { id: 1, error: { code: 1502 } },
      { id: 2, error: { code: 1502 } },
    ],
  ]);
});

test('a body that cannot be read is not passed on', async () => {
  const shown = await rune();
  const limits = { maxDepth: 10, maxValues: 100, maxBatch: 10 };
  const rest = (body: string) => normalized({ form: 'rest', method: 'getinfo', body }, limits);
  expect(() => rest('{')).toThrow(expect.objectContaining({ name: 'parseError' }));
  expect(() => rest('[]')).toThrow(expect.objectContaining({ name: 'invalidParams' }));
  const rpc = (body: string) => gate.answer({ form: 'rpc', method: '', body }, asker(shown))?.reply.status;
  expect([rpc('{'), rpc('[]'), rpc('{"id":1,"method":"getinfo"}')]).toEqual([400, 400, undefined]);
  expect(gate.answer(rest(' '), asker(shown))).toBeUndefined();
});

test('a batch has at most the permitted number of requests', () => {
  const batchOf = (count: number) => () =>
    requestsOf(
      { form: 'rpc', method: '', body: JSON.stringify(Array(count).fill({})) },
      { maxDepth: 10, maxValues: 100, maxBatch: 10 },
    );
  expect(batchOf(10)()).toHaveLength(10);
  expect(batchOf(11)).toThrow(expect.objectContaining({ name: 'tooLarge' }));
});

test('a method that a rune never permits is refused without reading parameters', async () => {
  const shown = await rune(['method=keysend', 'method=getinfo'], ['pnameamount_msat<5']);
  const codes = ['stop', 'keysend'].map((method) => {
    const reply = gate.refusalOfMethod('rest', method, asker(shown));
    return reply && codeOf(reply.pieces);
  });
  expect(codes).toEqual([1502, undefined]);
});

test('a thousand refusals cause two hundred messages at the same moment, and later one with the rest', () => {
  vi.useFakeTimers();
  try {
    for (let n = 0; n < 1000; n++) gate.refusalOf('getinfo', asker(n % 2 === 0 ? undefined : 'AAAA'));
    expect(told).toHaveLength(200);
    expect(told[0]!.line).toBe('HTTP 192.0.2.7: getinfo refused: Not authorized: Missing rune');
    vi.runAllTimers();
    expect(told).toHaveLength(201);
    expect(told[200]).toMatchObject({ line: undefined, unwritten: 800 });
    expect(told.reduce((sum, { counts }) => sum + counts[0]!.count, 0)).toBe(1000);
  } finally {
    vi.useRealTimers();
  }
});
