/**
 * Random histories of quotes, with crashes at any moment: the reserved amount is always exactly the sum of
 * the open quotes and within the limits; a quote is used once; no reservation is lost.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import type { Clock } from '../../../src/model/clock.ts';
import { msat } from '../../../src/model/msat.ts';
import type { OwnChannel } from '../../../src/model/own-channel.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { type Quote, QuoteBook, QuoteRefused } from '../../../src/payments/quotes/quote-book.ts';
import { RecordDisk } from '../../store/record-disk.ts';

const SPENDABLE = 1_000_000n;
const LIMITS = { maxQuotes: 12, maxHolding: 4, maxHeldPercent: 50 };
const HOUR_MS = 3_600_000;

class VirtualClock implements Clock {
  #nowMs = 1_000_000;
  #timers: { readonly atMs: number; readonly action: () => void }[] = [];
  nowMs(): number {
    return this.#nowMs;
  }
  monotonicMs(): number {
    throw new Error('quotes expire at a time of day');
  }
  after(ms: number, action: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, action };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined || next.atMs > untilMs) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.action();
    }
    this.#nowMs = untilMs;
  }
  /** Sets the time. Timers fire after the same duration as before. */
  set(nowMs: number): void {
    this.#timers = this.#timers.map(({ atMs, action }) => ({ atMs: atMs + nowMs - this.#nowMs, action }));
    this.#nowMs = nowMs;
  }
}

/** A usable channel, and one that cannot be used: its money does not count. */
const CHANNELS = [true, false].map((usable) => ({ usable, spendableMsat: msat(SPENDABLE) }) as OwnChannel);

type Action =
  | { readonly kind: 'add'; readonly holdMsat: number; readonly lifeS: number }
  | { readonly kind: 'take' | 'remove'; readonly at: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'crash' };

const action = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    holdMsat: fc.constantFrom(0, 1, 90_000, 200_000, 400_000),
    lifeS: fc.integer({ min: 1, max: 120 }),
  }),
  fc.record({ kind: fc.constantFrom('take' as const, 'remove' as const), at: fc.nat(15) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(10, 999, 30_000, HOUR_MS) }),
  fc.record({ kind: fc.constant('crash' as const) }),
);

test('the reserved amount is always the sum of the open quotes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 60 }), async (actions: Action[]) => {
      const clock = new VirtualClock();
      const disk = new RecordDisk();
      let book = new LayerBook(() => Math.floor(clock.nowMs() / 1000));
      const open = (): Promise<QuoteBook> =>
        QuoteBook.open({
          repository: disk,
          network: { ownChannels: () => ({ revision: 1, channels: CHANNELS }) },
          ...{ book, clock, limits: LIMITS },
        });
      let quotes = await open();
      const ids: string[] = [];
      const used = new Set<string>();
      for (const [n, step] of actions.entries()) {
        if (step.kind === 'add') {
          const quote = quoteOf(n, step.holdMsat, clock.nowMs(), step.lifeS);
          const refusal = await quotes.add(quote).catch((error: unknown) => error);
          if (refusal === undefined) ids.push(quote.id);
          else expect(refusal).toBeInstanceOf(QuoteRefused);
        } else if (step.kind === 'wait') clock.advance(step.ms);
        else if (step.kind === 'crash') {
          // The process is gone, and so are its reservations. Its timers must not affect the next process.
          quotes.close();
          book = new LayerBook(() => Math.floor(clock.nowMs() / 1000));
          quotes = await open();
        } else {
          const id = ids[step.at % Math.max(1, ids.length)] ?? '0';
          const ask =
            step.kind === 'take' ? quotes.take(id, { scope: undefined }) : quotes.remove(id, undefined);
          const done = await ask.catch((error: unknown) => error);
          if (done instanceof Error) expect(done).toBeInstanceOf(QuoteRefused);
          else if (step.kind === 'take') {
            expect(used.has(id)).toBe(false);
            used.add(id);
          }
        }
        const listed = quotes.list(undefined);
        const holding = listed.filter((one) => quotes.statusOf(one) === 'open' && one.holds.length > 0);
        const heldMsat = holding.reduce((sum, { holds }) => sum + holds[0]!.amountMsat, 0n);
        const reserved = [...book.reservations()].reduce((sum, { amountMsat }) => sum + amountMsat, 0n);
        expect(reserved).toBe(heldMsat);
        expect(quotes.heldMsat).toBe(heldMsat);
        expect(heldMsat).toBeLessThanOrEqual(SPENDABLE / 2n);
        expect(holding.length).toBeLessThanOrEqual(LIMITS.maxHolding);
        expect(listed.length).toBeLessThanOrEqual(LIMITS.maxQuotes);
        expect(disk.kept.size).toBe(listed.length);
      }
      clock.advance(2 * HOUR_MS);
      expect(quotes.list(undefined)).toEqual([]);
      expect([...book.reservations()]).toEqual([]);
      expect(disk.kept.size).toBe(0);
    }),
    { numRuns: 1000 },
  );
}, 60_000);

test('together, quotes hold exactly the permitted share of the spendable amount, and no more', async () => {
  const [clock, disk] = [new VirtualClock(), new RecordDisk()];
  const quotes = await QuoteBook.open({
    repository: disk,
    network: { ownChannels: () => ({ revision: 1, channels: CHANNELS }) },
    ...{ book: new LayerBook(() => 0), clock, limits: LIMITS },
  });
  await quotes.add(quoteOf(1, 400_000, clock.nowMs(), 100));
  await expect(quotes.add(quoteOf(2, 100_001, clock.nowMs(), 100))).rejects.toMatchObject({
    reason: { kind: 'holdsTooMuch', percent: 50, heldMsat: 400_000n, mostMsat: 500_000n },
  });
  await quotes.add(quoteOf(3, 100_000, clock.nowMs(), 100));
  expect(quotes.heldMsat).toBe(500_000n);
});

test.each([
  ['back by a year, after a quote was made', 0, -1],
  ['back, after a quote was made while the clock was a year ahead', 1, 0],
])('the clock is set %s: the quote holds no longer than it should', async (_, first, then) => {
  const YEAR_MS = 365 * 24 * HOUR_MS;
  const [clock, disk] = [new VirtualClock(), new RecordDisk()];
  const startMs = 2 * YEAR_MS;
  const open = (book: LayerBook): Promise<QuoteBook> =>
    QuoteBook.open({
      repository: disk,
      network: { ownChannels: () => ({ revision: 1, channels: CHANNELS }) },
      ...{ book, clock, limits: LIMITS },
    });
  clock.set(startMs + first * YEAR_MS);
  const quotes = await open(new LayerBook(() => 0));
  const quote = quoteOf(1, 90_000, clock.nowMs(), 60);
  await quotes.add(quote);
  clock.set(startMs + then * YEAR_MS);
  clock.advance(59_999);
  expect([quotes.statusOf(quote), quotes.heldMsat]).toEqual(['open', 90_000n]);
  // A process that starts now does not know how much of the time is over.
  const later = await open(new LayerBook(() => 0));
  clock.advance(1);
  expect([quotes.statusOf(quote), quotes.heldMsat]).toEqual(['expired', 0n]);
  await expect(quotes.take(quote.id, { scope: undefined })).rejects.toMatchObject({
    reason: { kind: 'expired' },
  });
  clock.advance(59_999);
  expect([later.statusOf(quote), later.heldMsat]).toEqual(['expired', 0n]);
  clock.advance(2 * HOUR_MS);
  expect([quotes.list(undefined), later.list(undefined)]).toEqual([[], []]);
});

test('of two daemons that take a quote at the same time, one gets it', async () => {
  const [clock, disk] = [new VirtualClock(), new RecordDisk()];
  const open = (): Promise<QuoteBook> =>
    QuoteBook.open({
      repository: disk,
      network: { ownChannels: () => ({ revision: 1, channels: CHANNELS }) },
      ...{ book: new LayerBook(() => 0), clock, limits: LIMITS },
    });
  const maker = await open();
  const quotes = [1, 2].map((n) => quoteOf(n, 0, clock.nowMs(), 100));
  for (const quote of quotes) await maker.add(quote);
  const daemons = [maker, await open(), await open()];
  const taken = (id: string, key?: string) =>
    Promise.all(
      daemons.map((daemon) => daemon.take(id, { scope: undefined, key }).catch((error: unknown) => error)),
    );
  const [plain, keyed] = [await taken(quotes[0]!.id), await taken(quotes[1]!.id, 'k')];
  expect(plain.filter((one) => one instanceof QuoteRefused)).toHaveLength(2);
  for (const daemon of daemons) expect(daemon.known(quotes[0]!.id)?.use).toBeDefined();
  // Requests with the same idempotency key are the same payment.
  expect(keyed.filter((one) => one instanceof QuoteRefused)).toEqual([]);
});

test('is not used for a different payee; letters may be of either case, as in QR codes', async () => {
  const [clock, disk] = [new VirtualClock(), new RecordDisk()];
  const quotes = await QuoteBook.open({
    repository: disk,
    network: { ownChannels: () => ({ revision: 1, channels: CHANNELS }) },
    ...{ book: new LayerBook(() => 0), clock, limits: LIMITS },
  });
  const quote = { ...quoteOf(1, 0, clock.nowMs(), 100), payee: 'lnbc1x' };
  await quotes.add(quote);
  const claim = { scope: undefined, payee: 'LNBC1Y' };
  await expect(quotes.take(quote.id, claim)).rejects.toMatchObject({ reason: { kind: 'otherPayee' } });
  expect((await quotes.take(quote.id, { ...claim, payee: 'LNBC1X' })).use).toBeDefined();
});

test('is used only with the rune that requested it, or over the socket, and only by its command', async () => {
  const [clock, disk] = [new VirtualClock(), new RecordDisk()];
  const quotes = await QuoteBook.open({
    repository: disk,
    network: { ownChannels: () => ({ revision: 1, channels: CHANNELS }) },
    ...{ book: new LayerBook(() => 0), clock, limits: LIMITS },
  });
  const [one, two] = [1, 2].map((n) => ({ ...quoteOf(n, 0, clock.nowMs(), 100), scope: 'rune 1' }));
  for (const quote of [one!, two!]) await quotes.add(quote);
  const refused = (kind: string) => ({ reason: { kind } });
  await expect(quotes.take(one!.id, { scope: 'rune 2' })).rejects.toMatchObject(refused('unknown'));
  await expect(quotes.remove(one!.id, 'rune 2')).rejects.toMatchObject(refused('unknown'));
  expect(quotes.list('rune 2')).toEqual([]);
  const claim = { scope: 'rune 1', command: 'xpay' } as const;
  await expect(quotes.take(one!.id, claim)).rejects.toMatchObject(refused('otherCommand'));
  for (const [quote, scope] of [
    [one!, 'rune 1'],
    [two!, undefined],
  ] as const)
    expect((await quotes.take(quote.id, { scope })).use).toBeDefined();
});

test('the numbers of quotes, and of quotes that hold liquidity, have limits', async () => {
  const clock = new VirtualClock();
  const quotes = await QuoteBook.open({
    repository: new RecordDisk(),
    network: { ownChannels: () => ({ revision: 1, channels: CHANNELS }) },
    ...{ book: new LayerBook(() => 0), clock, limits: LIMITS },
  });
  let made = 0;
  const add = (holdMsat: number) => quotes.add(quoteOf(++made, holdMsat, clock.nowMs(), 100));
  for (let holding = 0; holding < LIMITS.maxHolding; holding++) await add(1);
  await expect(add(1)).rejects.toMatchObject({ reason: { kind: 'tooManyHold', most: LIMITS.maxHolding } });
  for (let other = LIMITS.maxHolding; other < LIMITS.maxQuotes; other++) await add(0);
  await expect(add(0)).rejects.toMatchObject({ reason: { kind: 'tooMany', most: LIMITS.maxQuotes } });
});

function quoteOf(n: number, holdMsat: number, nowMs: number, lifeS: number): Quote {
  return {
    id: String(n).padStart(32, '0'),
    asked: { command: 'xkeysend', params: '{}' },
    payee: 'x',
    amountMsat: msat(1),
    feeMsat: msat(1),
    maxfeeMsat: msat(2),
    probabilityPpm: 1,
    confidencePpm: 1,
    parts: 1,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 1000 * lifeS,
    holds:
      holdMsat === 0
        ? []
        : [{ of: { shortChannelId: shortChannelId(1, 1, 1), direction: 0 }, amountMsat: msat(holdMsat) }],
    scope: undefined,
    use: undefined,
  };
}
