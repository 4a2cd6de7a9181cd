/** Limits of runes on spending: the ledger of a day, and the conditions `outgo` and `outgoday`. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Clock } from '../../src/model/clock.ts';
import type { RuneRequest } from '../../src/runes/asked.ts';
import { complaintAbout } from '../../src/runes/judge.ts';
import { OUTGO_MINUTES, OutgoLedger } from '../../src/runes/outgo-ledger.ts';
import { parseAlternative, parseRestrictions } from '../../src/runes/restriction.ts';
import { RuneBook } from '../../src/runes/rune-book.ts';
import type { OutgoRow, RuneRepository, RuneRow } from '../../src/store/rune-repository.ts';

const MINUTE_MS = 60_000;
const DAY_MS = OUTGO_MINUTES * MINUTE_MS;
const NOW_MS = 1_800_000_000_000;

/** The rows as a store keeps them. */
function rows() {
  const kept = new Map<string, OutgoRow>();
  const keep = (row: OutgoRow): void => {
    if (row.msat === 0n) kept.delete(`${row.uniqueId} ${row.minute}`);
    else kept.set(`${row.uniqueId} ${row.minute}`, row);
  };
  return { kept, keep, all: () => [...kept.values()] };
}

describe('the ledger', () => {
  it('counts all charges of the last day, and drops them within one more minute', () => {
    const charge = fc.record({ agoMs: fc.nat(2 * DAY_MS), msat: fc.bigInt({ min: 1n, max: 10n ** 12n }) });
    fc.assert(
      fc.property(fc.array(charge, { maxLength: 20 }), (charges) => {
        const ledger = new OutgoLedger([], () => undefined);
        const inOrder = [...charges].sort((a, b) => b.agoMs - a.agoMs);
        for (const { agoMs, msat } of inOrder) ledger.charge(1n, msat, NOW_MS - agoMs);
        const within = (ms: number) =>
          charges.filter(({ agoMs }) => agoMs < ms).reduce((sum, { msat }) => sum + msat, 0n);
        const spent = ledger.spentMsat(1n, NOW_MS);
        expect(spent).toBeGreaterThanOrEqual(within(DAY_MS));
        expect(spent).toBeLessThanOrEqual(within(DAY_MS + MINUTE_MS + 1));
      }),
    );
  });

  it('counts a charge of less than a day ago whose minute began more than a day ago', () => {
    const ledger = new OutgoLedger([], () => undefined);
    const halfPastMs = NOW_MS + MINUTE_MS / 2;
    ledger.charge(1n, 5n, halfPastMs - DAY_MS + 1);
    expect(ledger.spentMsat(1n, halfPastMs)).toBe(5n);
    expect(ledger.spentMsat(1n, NOW_MS + MINUTE_MS)).toBe(0n);
  });

  it('is the same after a restart, and keeps at most one row per minute of a day', () => {
    const store = rows();
    const ledger = new OutgoLedger([], store.keep);
    for (let minute = 0; minute < 3 * OUTGO_MINUTES; minute++) {
      ledger.charge(7n, 5n, NOW_MS + minute * MINUTE_MS);
      ledger.spentMsat(7n, NOW_MS + minute * MINUTE_MS);
    }
    expect(store.kept.size).toBeLessThanOrEqual(OUTGO_MINUTES + 1);
    const endMs = NOW_MS + 3 * DAY_MS;
    const restarted = new OutgoLedger(store.all(), store.keep);
    expect(restarted.spentMsat(7n, endMs)).toBe(ledger.spentMsat(7n, endMs));
    expect(restarted.spentMsat(8n, endMs)).toBe(0n);
  });

  it('lowers a charge once, to the sent amount', () => {
    const store = rows();
    const ledger = new OutgoLedger([], store.keep);
    const first = ledger.charge(1n, 1000n, NOW_MS);
    const second = ledger.charge(1n, 500n, NOW_MS);
    first.settle(300n);
    first.settle(0n);
    expect(ledger.spentMsat(1n, NOW_MS)).toBe(800n);
    second.settle(0n);
    expect(store.all().map(({ msat }) => msat)).toEqual([300n]);
    // A sent amount above the charged amount counts only as the charged amount.
    ledger.charge(1n, 10n, NOW_MS).settle(11n);
    expect(ledger.spentMsat(1n, NOW_MS)).toBe(310n);
  });

  it('neither forgets charges nor keeps them longer than a day when the clock is set back', () => {
    const store = rows();
    const ledger = new OutgoLedger([], store.keep);
    ledger.charge(1n, 1000n, NOW_MS + 400 * DAY_MS);
    expect(ledger.spentMsat(1n, NOW_MS)).toBe(1000n);
    expect(ledger.spentMsat(1n, NOW_MS + DAY_MS - MINUTE_MS)).toBe(1000n);
    expect(ledger.spentMsat(1n, NOW_MS + DAY_MS + MINUTE_MS)).toBe(0n);
    expect(store.kept.size).toBe(0);
  });
});

describe('a condition', () => {
  const about = (text: string, asked: Partial<RuneRequest>, spentMsat = 0n, isKnown = true) =>
    complaintAbout(
      parseRestrictions(text)!,
      { method: 'keysend', params: undefined, ...asked },
      { isKnown, lastUsedNs: undefined, spentMsat },
      NOW_MS,
    );
  const leaving = (msat: bigint) => ({ outgo: () => ({ kind: 'integer', integer: msat }) as const });

  it.each([
    ['outgo<1000msat', 999n, undefined],
    ['outgo<1000msat', 1000n, 'outgo is greater or equal to 1000msat'],
    ['outgo<1000', 999n, undefined],
    ['outgo<1sat', 999n, undefined],
    ['outgo<1sat', 1000n, 'outgo is greater or equal to 1sat'],
    // All bitcoin, in msat: 19 digits.
    ['outgo<2100000000000000000', 2_099_999_999_999_999_999n, undefined],
    ['outgo<10000000000000000000', 0n, '10000000000000000000 is not a valid integer'],
    ['outgo<1btc', 1n, '1btc is not a valid integer'],
    ['outgo<-5', 0n, '-5 is not a valid integer'],
    ['outgo<', 0n, ' is not a valid integer'],
    ['outgo!', 0n, 'outgo is present'],
  ])('%s for %s msat', (text, msat, words) => {
    expect(about(text, leaving(msat))).toBe(words);
  });

  it('for a day counts earlier spending', () => {
    expect(about('outgoday<1000msat', leaving(400n), 599n)).toBeUndefined();
    expect(about('outgoday<1000msat', leaving(400n), 600n)).toBe('outgoday is greater or equal to 1000msat');
    expect(about('outgoday<9msat', leaving(1n), 0n, false)).toBe('outgoday needs a rune of this node');
  });

  it('refuses an unknown amount', () => {
    expect(about('outgo<1000msat', {})).toBe('outgo is not known');
    expect(about('outgo<1000msat|method=keysend', {})).toBeUndefined();
    expect(about('outgo<5', { outgo: () => ({ kind: 'elsewhere' }) })).toBeUndefined();
  });
});

describe('two daemons with one store', () => {
  const clock = { nowMs: () => NOW_MS, after: () => () => undefined } as unknown as Clock;
  const secret = randomBytes(16);

  /** Two books with separate rows. Each book also sees the other's rows. */
  async function twoBooks() {
    const stores = [rows(), rows()];
    const runes: RuneRow[] = [];
    const bookOf = (own: number) =>
      RuneBook.open({
        secret,
        clock,
        repository: {
          runes: async () => runes,
          blacklist: async () => [],
          nextUniqueId: async () => 1n,
          outgo: async () => stores[own]!.all(),
          putOutgo: stores[own]!.keep,
          putRune: (row) => runes.push(row),
          putLastUsed: () => undefined,
          putBlacklist: () => undefined,
          skipUniqueIds: () => undefined,
          durable: async () => undefined,
          shared: {
            secret: async () => secret,
            takeUniqueId: async () => BigInt(runes.length),
            version: async () => 1n,
            replaceBlacklist: async () => true,
            onChange: () => undefined,
            outgoElsewhere: async (id, since) =>
              stores[1 - own]!.all()
                .filter(({ uniqueId, minute }) => uniqueId === id && minute >= since)
                .reduce((sum, { msat }) => sum + msat, 0n),
          },
        },
      });
    const rune = await (await bookOf(0)).create([[parseAlternative('outgoday<1000msat')!]]);
    return { rune, books: [await bookOf(0), await bookOf(1)] as const };
  }
  const pay = (msat: bigint): RuneRequest => ({
    method: 'keysend',
    params: undefined,
    outgo: () => ({ kind: 'integer', integer: msat }),
  });

  test('together spend no more than the rune permits, in either order of requests', async () => {
    const { rune, books } = await twoBooks();
    const uses = books.map((book) => book.check(rune, pay(600n))!.durable);
    const outcomes = await Promise.allSettled(uses);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
    // Refused requests do not count.
    const left = outcomes.some(({ status }) => status === 'fulfilled') ? 399n : 999n;
    await books[1].check(rune, pay(left))!.durable;
    await expect(books[0].check(rune, pay(1n))!.durable).rejects.toMatchObject({ name: 'notPermitted' });
  });
});

describe('the book', () => {
  const store = rows();
  const repository = {
    runes: async () => [],
    blacklist: async () => [],
    nextUniqueId: async () => 0n,
    outgo: async () => store.all(),
    putOutgo: store.keep,
    putRune: () => undefined,
    putLastUsed: () => undefined,
    putBlacklist: () => undefined,
    skipUniqueIds: () => undefined,
    durable: async () => undefined,
  } satisfies RuneRepository;
  let nowMs = NOW_MS;
  const clock = { nowMs: () => nowMs, after: () => () => undefined } as unknown as Clock;
  const secret = randomBytes(16);

  test('counts a day for all runes of one name together, and refunds a rate when the clock is set back', async () => {
    const book = await RuneBook.open({ secret, repository, clock });
    const parent = await book.create([]);
    const limit = [parseAlternative('outgoday<1000msat')!];
    const [child, twin] = [book.narrow(parent, [limit]), book.narrow(parent, [limit, limit])];
    const pay = (msat: bigint) => ({
      ...{ method: 'keysend', params: undefined },
      outgo: () => ({ kind: 'integer', integer: msat }) as const,
    });
    const use = book.check(child, pay(600n));
    expect(() => book.check(twin, pay(400n))).toThrow('outgoday is greater or equal to 1000msat');
    use!.charge.settle(100n);
    expect(book.check(twin, pay(400n))).toBeDefined();
    // A nested request, such as that of `check`, is checked but not counted.
    expect(book.check(child, pay(0n), pay(499n))).toBeUndefined();
    expect(() => book.check(child, pay(0n), pay(500n))).toThrow('outgoday');
    expect(book.check(parent, pay(10n ** 9n))).toBeUndefined();

    const minutely = await book.create([[parseAlternative('rate=1')!]]);
    book.check(minutely, pay(0n));
    nowMs -= 3_600_000;
    expect(() => book.check(minutely, pay(0n))).toThrow('too soon');
    nowMs += 60_000;
    expect(() => book.check(minutely, pay(0n))).not.toThrow();
  });
});
