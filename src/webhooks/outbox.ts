/**
 * Events of payments and invoices on their way to webhooks. Each event is posted until its receiver accepts it with a
 * status of 2xx, so a receiver may get it more than once. The events of one payment are posted in order.
 *
 *     payment begins ──▶ entry is stored, before any HTLC leaves
 *     payment ends   ──▶ event is added to the entry ──▶ posted … posted again ──▶ accepted: entry is removed
 *
 * If an entry shows at startup that its payment is in progress, the end of the payment may have been missed, so the
 * payment's state is read from the journal. So no crash loses an event.
 *
 * An invoice has no entry before it is paid or expires. Its event is then stored together with its outcome.
 *
 * If a receiver does not answer, or answers 5xx or 429, nothing is posted to it for 1, 2, 4, … seconds, at most a day,
 * and then a single event is tried. If it refuses an event with any other status, only that event is retried, after the
 * same pauses.
 */
import type { Clock } from '../model/clock.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { NamedHosts } from './named-hosts.ts';
import { type PostOutcome, post } from './post.ts';
import { isOfInvoice, signedHeaders, type Webhook, type WebhookEvent } from './webhook.ts';

/** An event of a payment or an invoice: its content, and its JSON for receivers. */
export interface PaymentEventText {
  /** Id of the payment, or `invoice-` and the payment hash of the invoice. */
  readonly paymentId: string;
  readonly createdIndex: number;
  readonly event: WebhookEvent;
  readonly body: string;
}

/** Limits on deliveries. */
export interface OutboxLimits {
  /** Maximum number of entries per webhook. Events that need a further entry are dropped and counted. */
  readonly maxWaiting: number;
  /** Maximum number of events posted to one webhook at a time. */
  readonly atOnce: number;
  /** Timeout for one attempt to post, in milliseconds. */
  readonly timeoutMs: number;
  /** The pause before the second attempt, and the longest pause before a later attempt, in milliseconds. */
  readonly backOffMs: { readonly least: number; readonly most: number };
}

/** The default limits. */
export const OUTBOX_LIMITS: OutboxLimits = {
  maxWaiting: 100_000,
  atOnce: 8,
  timeoutMs: 10_000,
  backOffMs: { least: 1_000, most: 86_400_000 },
};

/** The services and settings that the outbox needs. */
export interface OutboxOptions {
  readonly repository: RecordRepository;
  readonly hosts: NamedHosts;
  readonly clock: Clock;
  /** Id of this daemon. The other daemons of a fleet have their own entries. */
  readonly daemon: string;
  /** Returns the event for the current state of a payment. Undefined if there is no such payment. */
  readonly standing: (createdIndex: number) => Promise<PaymentEventText | undefined>;
  readonly log: { unusual(message: string): void };
  readonly limits?: Partial<OutboxLimits>;
}

/** The state of deliveries to a webhook. Times are UNIX milliseconds. */
export interface WebhookState {
  readonly webhook: Webhook;
  /** Number of events waiting to be posted. */
  readonly waiting: number;
  readonly delivered: number;
  readonly failures: number;
  readonly dropped: number;
  readonly lastDeliveredAtMs: number | undefined;
  readonly lastProblem: string | undefined;
  /** Time of the next attempt, while the receiver does not accept events. */
  readonly nextAtMs: number | undefined;
}

interface WaitingEvent {
  readonly id: string;
  readonly body: string;
}

/** The events of one payment or invoice for one webhook. */
interface WebhookEntry {
  readonly paymentId: string;
  readonly createdIndex: number;
  /** Whether the payment is still in progress. */
  isOpen: boolean;
  events: readonly WaitingEvent[];
  failures: number;
  /** Its place in the order of posting. */
  place: number;
}

/** A webhook, and its queued events. */
class WebhookLine {
  readonly webhook: Webhook;
  readonly entries = new Map<string, WebhookEntry>();
  /** Entries with an event to post, in the order of posting. */
  ready = new Set<WebhookEntry>();
  lastPlace = 0;
  readonly posting = new Set<WebhookEntry>();
  delivered = 0;
  failed = 0;
  dropped = 0;
  lastDeliveredAtMs: number | undefined;
  lastProblem: string | undefined;
  /** Number of consecutive failures of the receiver, as opposed to refusals of single events. */
  failures = 0;
  nextAtMs: number | undefined;
  cancel: (() => void) | undefined;

  constructor(webhook: Webhook) {
    this.webhook = webhook;
  }
}

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
/** Milliseconds between two checks for changes by other daemons of a fleet. */
const LOOK_MS = 10_000;

/** Stores webhooks, and posts events to them. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #limits: OutboxLimits;
  readonly #lines = new Map<string, WebhookLine>();
  readonly #timers = new Set<() => void>();
  #isClosed = false;

  private constructor(options: OutboxOptions) {
    this.#options = options;
    this.#limits = { ...OUTBOX_LIMITS, ...options.limits };
  }

  /** Loads the stored entries, looks up missed ends of payments in the journal, and starts posting. */
  static async open(options: OutboxOptions, isShared = false): Promise<Outbox> {
    const outbox = new Outbox(options);
    await outbox.#readWebhooks();
    for (const { id, body } of await options.repository.records('notice')) {
      const [webhookId, paymentId] = id.split(' ') as [string, string];
      const { daemon, ...kept } = JSON.parse(body) as Omit<
        WebhookEntry,
        'paymentId' | 'failures' | 'place'
      > & {
        readonly daemon: string;
      };
      const line = outbox.#lines.get(webhookId);
      if (line === undefined) options.repository.removeRecord('notice', id);
      if (line === undefined || daemon !== options.daemon) continue;
      const entry: WebhookEntry = { ...kept, paymentId, failures: 0, place: 0 };
      line.entries.set(paymentId, entry);
      outbox.#queue(line, entry);
      if (entry.isOpen) await outbox.#catchUp(line, entry);
    }
    if (isShared) outbox.#lookAgain();
    for (const line of outbox.#lines.values()) outbox.#pump(line);
    return outbox;
  }

  async #readWebhooks(): Promise<void> {
    const kept = await this.#options.repository.records('webhook');
    const ids = new Set(kept.map(({ id }) => id));
    for (const [id, line] of this.#lines) if (!ids.has(id)) this.#drop(line);
    for (const { id, body } of kept) {
      if (!this.#lines.has(id)) this.#lines.set(id, new WebhookLine(JSON.parse(body) as Webhook));
    }
  }

  #lookAgain(): void {
    this.#after(LOOK_MS, () => {
      this.#readWebhooks()
        .catch((error: unknown) => this.#options.log.unusual(`webhooks cannot be read: ${error}`))
        .finally(() => this.#lookAgain());
    });
  }

  /** Adds the missed event, if the payment has ended. Removes the entry, if the journal has no such payment. */
  async #catchUp(line: WebhookLine, entry: WebhookEntry): Promise<void> {
    const standing = await this.#options.standing(entry.createdIndex);
    if (standing === undefined) this.#remove(line, entry);
    else if (standing.event !== 'pending') this.#take(line, standing);
  }

  /** All webhooks, oldest first. */
  list(): WebhookState[] {
    return [...this.#lines.values()]
      .map((line) => ({
        webhook: line.webhook,
        waiting: [...line.entries.values()].reduce((sum, { events }) => sum + events.length, 0),
        delivered: line.delivered,
        failures: line.failed,
        dropped: line.dropped,
        lastDeliveredAtMs: line.lastDeliveredAtMs,
        lastProblem: line.lastProblem,
        nextAtMs: line.nextAtMs,
      }))
      .sort((a, b) => a.webhook.createdAtMs - b.webhook.createdAtMs);
  }

  /**
   * Stores a webhook. Events of payments that begin from then on, and of invoices that are paid or expire from then on,
   * are posted to it. @throws FulguriteError storeFailed
   */
  async add(webhook: Webhook): Promise<void> {
    const { repository } = this.#options;
    this.#lines.set(webhook.id, new WebhookLine(webhook));
    repository.putRecord('webhook', { id: webhook.id, body: JSON.stringify(webhook) });
    await repository.durable();
  }

  /**
   * Removes a webhook and its queued events. Returns the webhook; undefined if there is none with this id.
   * @throws FulguriteError storeFailed
   */
  async remove(id: string): Promise<Webhook | undefined> {
    const line = this.#lines.get(id);
    if (line === undefined) return undefined;
    const { repository } = this.#options;
    for (const { paymentId } of line.entries.values())
      repository.removeRecord('notice', `${id} ${paymentId}`);
    repository.removeRecord('webhook', id);
    this.#drop(line);
    await repository.durable();
    return line.webhook;
  }

  #drop(line: WebhookLine): void {
    line.cancel?.();
    line.entries.clear();
    line.ready.clear();
    this.#lines.delete(line.webhook.id);
  }

  /** Whether there is no webhook, so that an event needs no text. */
  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /**
   * Accepts an event, and posts it if possible. In the SQLite store, the changed entries are written together with
   * journal entries of the same turn of the event loop.
   */
  note(told: PaymentEventText): void {
    for (const line of this.#lines.values()) {
      this.#take(line, told);
      this.#pump(line);
    }
  }

  #take(line: WebhookLine, { paymentId, createdIndex, event, body }: PaymentEventText): void {
    const known = line.entries.get(paymentId);
    const isInvoice = isOfInvoice(event);
    if (isInvoice && !line.webhook.events.includes(event)) return;
    // If a payment began before the webhook was added, no event of the payment is posted to the webhook.
    if (known === undefined && event !== 'pending' && !isInvoice) return;
    if (known?.isOpen === false && !isInvoice) return;
    if (known === undefined && line.entries.size >= this.#limits.maxWaiting) {
      if (line.dropped++ === 0) {
        this.#options.log.unusual(
          `webhook ${line.webhook.id}: too many events are waiting; further events are dropped`,
        );
      }
      return;
    }
    const entry = known ?? { paymentId, createdIndex, isOpen: true, events: [], failures: 0, place: 0 };
    if (known !== undefined && event === 'pending') return;
    line.entries.set(paymentId, entry);
    if (event !== 'pending') entry.isOpen = false;
    if (line.webhook.events.includes(event)) {
      entry.events = [...entry.events, { id: `${paymentId}.${event}`, body }];
      this.#queue(line, entry);
    }
    this.#keep(line, entry);
  }

  /** Stores an entry, or removes it if it has no further use. @throws FulguriteError storeFailed */
  #keep(line: WebhookLine, entry: WebhookEntry): void {
    if (!entry.isOpen && entry.events.length === 0) this.#remove(line, entry);
    else this.#write(line, entry);
  }

  #write({ webhook }: WebhookLine, { paymentId, createdIndex, isOpen, events }: WebhookEntry): void {
    const body = JSON.stringify({ daemon: this.#options.daemon, createdIndex, isOpen, events });
    this.#options.repository.putRecord('notice', { id: `${webhook.id} ${paymentId}`, body });
  }

  #remove(line: WebhookLine, entry: WebhookEntry): void {
    line.entries.delete(entry.paymentId);
    line.ready.delete(entry);
    this.#options.repository.removeRecord('notice', `${line.webhook.id} ${entry.paymentId}`);
  }

  /** Queues an entry for posting, if it has an event, is still stored, and is not being posted. */
  #queue(line: WebhookLine, entry: WebhookEntry): void {
    if (line.entries.get(entry.paymentId) !== entry || line.posting.has(entry)) return;
    if (entry.events.length === 0 || line.ready.has(entry)) return;
    entry.place = ++line.lastPlace;
    line.ready.add(entry);
  }

  /** Posts ready events, up to the limit. */
  #pump(line: WebhookLine): void {
    if (this.#isClosed) return;
    // After a failure of the receiver, only one event is tried.
    const atOnce = line.failures > 0 ? 1 : this.#limits.atOnce;
    for (const entry of line.ready) {
      // A post to a host that is no longer permitted fails at once.
      if (line.nextAtMs !== undefined || line.posting.size >= atOnce) return;
      line.ready.delete(entry);
      line.posting.add(entry);
      void this.#post(line, entry);
    }
  }

  async #post(line: WebhookLine, entry: WebhookEntry): Promise<void> {
    const { url, secret } = line.webhook;
    const { id, body } = entry.events[0]!;
    const { clock, hosts } = this.#options;
    const objection = hosts.objection(new URL(url));
    const headers = signedHeaders(secret, id, Math.floor(clock.nowMs() / 1000), body);
    const outcome: PostOutcome =
      objection === undefined
        ? await post(url, headers, body, { lookup: hosts.lookup, timeoutMs: this.#limits.timeoutMs })
        : { problem: objection };
    line.posting.delete(entry);
    if (this.#isClosed || !this.#lines.has(line.webhook.id)) return;
    if ('status' in outcome && outcome.status >= 200 && outcome.status < 300) this.#taken(line, entry);
    else this.#failed(line, entry, outcome);
    this.#pump(line);
  }

  #taken(line: WebhookLine, entry: WebhookEntry): void {
    line.delivered++;
    line.failures = 0;
    line.lastDeliveredAtMs = this.#options.clock.nowMs();
    entry.failures = 0;
    entry.events = entry.events.slice(1);
    this.#queue(line, entry);
    try {
      this.#keep(line, entry);
    } catch (error) {
      const what = `webhook ${line.webhook.id}: an accepted event may be posted again after a restart`;
      this.#options.log.unusual(`${what}: ${(error as Error).message}`);
    }
  }

  #failed(line: WebhookLine, entry: WebhookEntry, outcome: PostOutcome): void {
    line.failed++;
    line.lastProblem = 'status' in outcome ? `the receiver answered ${outcome.status}` : outcome.problem;
    const isReceivers =
      !('status' in outcome) || outcome.status >= SERVER_ERROR || outcome.status === TOO_MANY_REQUESTS;
    if (!isReceivers) {
      this.#after(this.#backOff(entry.failures++), () => {
        this.#queue(line, entry);
        this.#pump(line);
      });
      return;
    }
    // The entry goes back to its place. Others that were posted at the same time may be back already.
    line.ready = new Set([entry, ...line.ready].sort((a, b) => a.place - b.place));
    if (line.nextAtMs !== undefined) return;
    const waitMs = this.#backOff(line.failures++);
    line.nextAtMs = this.#options.clock.nowMs() + waitMs;
    line.cancel = this.#after(waitMs, () => {
      line.nextAtMs = undefined;
      this.#pump(line);
    });
  }

  #backOff(failures: number): number {
    const { least, most } = this.#limits.backOffMs;
    return Math.min(most, least * 2 ** Math.min(failures, 30));
  }

  #after(ms: number, action: () => void): () => void {
    const cancel = this.#options.clock.after(ms, () => {
      this.#timers.delete(cancel);
      if (!this.#isClosed) action();
    });
    this.#timers.add(cancel);
    return cancel;
  }

  /** Stops posting. Queued events are posted after the next start. */
  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
