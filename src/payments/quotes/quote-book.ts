/**
 * The quotes of this node: their payments, binding fee limits, and whether they were used.
 *
 *     open ──▶ used          by one payment, which keeps the fee limit or fails
 *       └────▶ expired
 *
 * A quote may hold the liquidity that its first routes need in our own channels, until the quote is used or expires.
 * The number of quotes with holds is limited, and so is the share of our sendable amount that they hold. Quotes survive
 * a restart, and so do the holds of open quotes. A used or expired quote stays in the list for an hour.
 */
import type { LayerBook } from '../../layers/layer-book.ts';
import type { Clock } from '../../model/clock.ts';
import { ReasonedError } from '../../model/errors.ts';
import { type Msat, msat } from '../../model/msat.ts';
import {
  formatShortChannelIdDir,
  parseShortChannelIdDir,
  type ShortChannelIdDir,
} from '../../model/short-channel-id.ts';
import type { NetworkPort } from '../../network/port.ts';
import type { RecordRepository } from '../../store/record-repository.ts';

/** The quoted payment: its command, and the command's parameters as JSON. */
export interface QuotedPayment {
  readonly command: 'xpay' | 'xkeysend';
  readonly params: string;
}

/** The amount that a quote holds in one of our channels. */
export interface QuoteHold {
  readonly of: ShortChannelIdDir;
  readonly amountMsat: Msat;
}

/** A quote. Times are UNIX milliseconds. */
export interface Quote {
  readonly id: string;
  readonly asked: QuotedPayment;
  /** The invoice or node id to be paid. */
  readonly payee: string;
  readonly amountMsat: Msat;
  /** The expected fee. */
  readonly feeMsat: Msat;
  /** The fee limit that a payment with this quote must keep. */
  readonly maxfeeMsat: Msat;
  readonly probabilityPpm: number;
  readonly confidencePpm: number;
  readonly parts: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly holds: readonly QuoteHold[];
  /**
   * The scope of the rune that requested the quote. Undefined for a client on the socket. Only the same rune, or a
   * client on the socket, may use the quote.
   */
  readonly scope: string | undefined;
  /** Set once the quote is used: the time, and the idempotency key of the payment, if it had one. */
  readonly use: { readonly atMs: number; readonly key: string | undefined } | undefined;
}

/** The status of a quote at a given time. */
export type QuoteStatus = 'open' | 'used' | 'expired';

/** Who wants to use a quote, and for which payment. Undefined members are not checked. */
export interface QuoteClaim {
  /** The scope of the requesting rune. Undefined for a client on the socket, which may use every quote. */
  readonly scope: string | undefined;
  readonly command?: QuotedPayment['command'];
  /** The payee that the caller gave besides the quote, if any. */
  readonly payee?: string | undefined;
  /** The idempotency key of the request. A used quote is returned again for the key with which it was used. */
  readonly key?: string | undefined;
}

/** Limits on the number of quotes and on what they hold. */
export interface QuoteLimits {
  /** Maximum number of stored quotes. */
  readonly maxQuotes: number;
  /** Maximum number of open quotes that hold liquidity. */
  readonly maxHolding: number;
  /** Maximum share of our sendable amount that all open quotes together hold, in per cent. */
  readonly maxHeldPercent: number;
}

/** The default limits. */
export const QUOTE_LIMITS: QuoteLimits = { maxQuotes: 10_000, maxHolding: 100, maxHeldPercent: 25 };

/**
 * Why a quote is refused, or cannot be used. The commands add the texts (src/commands/payments/quotes/quote-words.ts).
 */
export type QuoteRefusal =
  | { readonly kind: 'unknown' | 'expired' | 'used' | 'otherPayee' | 'otherCommand'; readonly id: string }
  /** `tooMany`: the maximum number of quotes exists. `tooManyHold`: the maximum number of quotes hold liquidity. */
  | { readonly kind: 'tooMany' | 'tooManyHold'; readonly most: number }
  /** All quotes together would hold more than this percentage of our sendable amount. */
  | {
      readonly kind: 'holdsTooMuch';
      readonly percent: number;
      readonly heldMsat: bigint;
      readonly mostMsat: bigint;
    };

const TOO_MANY: ReadonlySet<QuoteRefusal['kind']> = new Set(['tooMany', 'tooManyHold', 'holdsTooMuch']);

/** Thrown when a quote is refused or cannot be used. */
export class QuoteRefused extends ReasonedError<QuoteRefusal> {
  constructor(reason: QuoteRefusal) {
    super(TOO_MANY.has(reason.kind) ? 'busy' : 'quoteUnusable', reason);
  }
}

/** Time in milliseconds for which a used or expired quote stays in the list. */
const KEEP_MS = 3_600_000;

/** What a quote book needs from other parts of the program. */
export interface QuoteBookOptions {
  readonly repository: RecordRepository;
  readonly book: Pick<LayerBook, 'reserve' | 'unreserve'>;
  readonly network: Pick<NetworkPort, 'ownChannels'>;
  readonly clock: Clock;
  readonly limits?: Partial<QuoteLimits>;
}

/** Stores quotes, and holds liquidity for them. */
export class QuoteBook {
  readonly #options: QuoteBookOptions;
  readonly #limits: QuoteLimits;
  /** The quotes created or read by this process, by id. */
  readonly #quotes = new Map<string, Quote>();
  /** Ids of quotes that hold liquidity now. */
  readonly #holding = new Set<string>();
  /** Ids of quotes whose time is over, even if the clock was set back since. */
  readonly #expired = new Set<string>();
  /** Functions that cancel the timers of quotes, by quote id. */
  readonly #timers = new Map<string, () => void>();

  private constructor(options: QuoteBookOptions) {
    this.#options = options;
    this.#limits = { ...QUOTE_LIMITS, ...options.limits };
  }

  /** Reads the stored quotes, and restores their holds. */
  static async open(options: QuoteBookOptions): Promise<QuoteBook> {
    const book = new QuoteBook(options);
    for (const { body } of await options.repository.records('quote')) {
      const quote = quoteOf(body);
      book.#quotes.set(quote.id, quote);
      if (book.statusOf(quote) === 'open') book.#hold(quote);
      book.#watch(quote);
    }
    return book;
  }

  /** Current time in UNIX milliseconds, by the clock that determines when quotes expire. */
  nowMs(): number {
    return this.#options.clock.nowMs();
  }

  statusOf({ id, use, expiresAtMs }: Quote): QuoteStatus {
    if (use !== undefined) return 'used';
    return this.#options.clock.nowMs() < expiresAtMs && !this.#expired.has(id) ? 'open' : 'expired';
  }

  /** The quotes that a caller may see, oldest first. @param scope undefined for a socket client, which may see all */
  list(scope: string | undefined): Quote[] {
    return [...this.#quotes.values()]
      .filter((quote) => scope === undefined || quote.scope === scope)
      .sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  /** Total msat held by open quotes. */
  get heldMsat(): bigint {
    return [...this.#holding].reduce((sum, id) => sum + heldBy(this.#quotes.get(id)!), 0n);
  }

  /**
   * Stores a quote, and holds liquidity for it. Resolves once the quote is on disk.
   * @throws QuoteRefused, FulguriteError storeFailed
   */
  async add(quote: Quote): Promise<void> {
    this.#requireRoom(quote);
    this.#put(quote);
    this.#hold(quote);
    this.#watch(quote);
    await this.#options.repository.durable();
  }

  /** @throws QuoteRefused when there would be too many quotes, or they would hold too much */
  #requireRoom(quote: Quote): void {
    const { maxQuotes, maxHolding, maxHeldPercent } = this.#limits;
    if (this.#quotes.size >= maxQuotes) throw new QuoteRefused({ kind: 'tooMany', most: maxQuotes });
    if (quote.holds.length === 0) return;
    if (this.#holding.size >= maxHolding) {
      throw new QuoteRefused({ kind: 'tooManyHold', most: maxHolding });
    }
    const { channels } = this.#options.network.ownChannels();
    const spendableMsat = channels.reduce(
      (sum, { usable, spendableMsat: one }) => (usable ? sum + one : sum),
      0n,
    );
    const mostMsat = (spendableMsat * BigInt(maxHeldPercent)) / 100n;
    if (this.heldMsat + heldBy(quote) <= mostMsat) return;
    throw new QuoteRefused({
      kind: 'holdsTooMuch',
      percent: maxHeldPercent,
      heldMsat: this.heldMsat,
      mostMsat,
    });
  }

  /**
   * Marks a quote as used by one payment, and releases what it holds. Resolves to the used quote once this is on disk.
   * @throws QuoteRefused; FulguriteError storeFailed
   */
  async take(id: string, { scope, command, payee, key }: QuoteClaim): Promise<Quote> {
    const { repository, clock } = this.#options;
    const kept = await repository.record('quote', id);
    const known = this.#quotes.get(id);
    // A different daemon may have used the quote, which only the store shows. This process's own changes are in memory.
    const quote = known?.use === undefined && kept !== undefined ? quoteOf(kept.body) : known;
    if (quote === undefined || (scope !== undefined && quote.scope !== scope))
      throw new QuoteRefused({ kind: 'unknown', id });
    if (command !== undefined && quote.asked.command !== command) {
      throw new QuoteRefused({ kind: 'otherCommand', id });
    }
    if (payee !== undefined && payee.toLowerCase() !== quote.payee.toLowerCase()) {
      throw new QuoteRefused({ kind: 'otherPayee', id });
    }
    if (quote.use !== undefined) {
      if (key !== undefined && quote.use.key === key) return quote;
      throw new QuoteRefused({ kind: 'used', id });
    }
    if (kept === undefined) throw new QuoteRefused({ kind: 'unknown', id });
    if (this.statusOf(quote) === 'expired') throw new QuoteRefused({ kind: 'expired', id });
    this.#release(id);
    const used: Quote = { ...quote, use: { atMs: clock.nowMs(), key } };
    this.#quotes.set(id, used);
    this.#watch(used);
    if (await repository.replaceRecord('quote', kept, bodyOf(used))) return used;
    return this.#takenElsewhere(id, key);
  }

  /** Reads a quote that a different daemon has just used or removed, and returns it for the same idempotency key. */
  async #takenElsewhere(id: string, key: string | undefined): Promise<Quote> {
    const kept = await this.#options.repository.record('quote', id);
    if (kept === undefined) throw new QuoteRefused({ kind: 'unknown', id });
    const quote = quoteOf(kept.body);
    this.#quotes.set(id, quote);
    this.#watch(quote);
    if (key !== undefined && quote.use?.key === key) return quote;
    throw new QuoteRefused({ kind: 'used', id });
  }

  /** The quote with this id, in any status, from memory. For limits that must be known before a request runs. */
  known(id: string): Quote | undefined {
    return this.#quotes.get(id);
  }

  /** Deletes a quote and releases what it holds. @throws QuoteRefused; FulguriteError storeFailed */
  async remove(id: string, scope: string | undefined): Promise<Quote> {
    const quote = this.#quotes.get(id);
    if (quote === undefined || (scope !== undefined && quote.scope !== scope))
      throw new QuoteRefused({ kind: 'unknown', id });
    this.#forget(id);
    await this.#options.repository.durable();
    return quote;
  }

  /** Releases all holds, and stops the timers. Quotes stay on disk. */
  close(): void {
    for (const id of [...this.#holding]) this.#release(id);
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #put(quote: Quote): void {
    this.#quotes.set(quote.id, quote);
    this.#options.repository.putRecord('quote', { id: quote.id, body: bodyOf(quote) });
  }

  #hold(quote: Quote): void {
    if (quote.holds.length === 0) return;
    this.#options.book.reserve(reservationsOf(quote), `quote ${quote.id}`);
    this.#holding.add(quote.id);
  }

  #release(id: string): void {
    if (!this.#holding.delete(id)) return;
    this.#options.book.unreserve(reservationsOf(this.#quotes.get(id)!));
  }

  /**
   * Sets the timer for the next event of a quote: its expiry, or its removal from the list. Neither is later than for a
   * quote made now, so that a quote made while the clock was ahead does not hold liquidity until that time comes.
   */
  #watch(quote: Quote): void {
    const { clock } = this.#options;
    const { id, use, createdAtMs, expiresAtMs } = quote;
    this.#timers.get(id)?.();
    const isOpen = this.statusOf(quote) === 'open';
    const atMs = isOpen ? expiresAtMs : (use?.atMs ?? expiresAtMs) + KEEP_MS;
    const mostMs = isOpen ? expiresAtMs - createdAtMs : KEEP_MS;
    const cancel = clock.after(Math.min(mostMs, Math.max(0, atMs - clock.nowMs())), () => {
      if (!isOpen) return this.#forget(id);
      this.#expired.add(id);
      this.#release(id);
      this.#watch(quote);
    });
    this.#timers.set(id, cancel);
  }

  #forget(id: string): void {
    this.#release(id);
    this.#timers.get(id)?.();
    this.#timers.delete(id);
    this.#expired.delete(id);
    this.#quotes.delete(id);
    this.#options.repository.removeRecord('quote', id);
  }
}

const heldBy = ({ holds }: Quote): bigint => holds.reduce((sum, { amountMsat }) => sum + amountMsat, 0n);

const reservationsOf = ({ holds }: Quote): { shortChannelIdDir: ShortChannelIdDir; amountMsat: Msat }[] =>
  holds.map(({ of, amountMsat }) => ({ shortChannelIdDir: of, amountMsat }));

/** The stored form of a quote: JSON with amounts as decimal text. */
function bodyOf(quote: Quote): string {
  const { holds, use, ...rest } = quote;
  return JSON.stringify({
    ...rest,
    amountMsat: String(quote.amountMsat),
    feeMsat: String(quote.feeMsat),
    maxfeeMsat: String(quote.maxfeeMsat),
    holds: holds.map(({ of, amountMsat }) => [formatShortChannelIdDir(of), String(amountMsat)]),
    use: use ?? null,
  });
}

type QuoteBody = Omit<Quote, 'amountMsat' | 'feeMsat' | 'maxfeeMsat' | 'holds' | 'use'> & {
  readonly amountMsat: string;
  readonly feeMsat: string;
  readonly maxfeeMsat: string;
  readonly holds: readonly (readonly [of: string, amountMsat: string])[];
  readonly use: { readonly atMs: number; readonly key?: string } | null;
};

function quoteOf(body: string): Quote {
  const { amountMsat, feeMsat, maxfeeMsat, holds, use, scope, ...rest } = JSON.parse(body) as QuoteBody;
  return {
    ...rest,
    scope,
    amountMsat: msat(BigInt(amountMsat)),
    feeMsat: msat(BigInt(feeMsat)),
    maxfeeMsat: msat(BigInt(maxfeeMsat)),
    holds: holds.map(([of, held]) => ({ of: parseShortChannelIdDir(of)!, amountMsat: msat(BigInt(held)) })),
    use: use === null ? undefined : { atMs: use.atMs, key: use.key },
  };
}
