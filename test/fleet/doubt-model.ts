/**
 * Doubt after a failover, as a pure state machine: one invoice that several clients repeatedly ask to pay,
 * several daemons of one Lightning node, a primary with a standby that may lag, and a network that keeps the
 * HTLCs sent to it.
 *
 *     idle ──ask the journal──▶ begins ──commit──▶ sends ──▶ in flight ──▶ settled | failed
 *     failover: the journal is what the standby has; doubt ──lease──▶ HTLCs matched with rows ──▶ clear
 *
 * The rules can be removed one by one, to show that each is needed:
 *   matches       after a failover nothing is begun or sent before the HTLCs are matched with rows, and an HTLC
 *                 without a row blocks payments;
 *   waits         a lease passes before they are matched;
 *   isConfirmed   a daemon sends only within a lease of the database's last answer.
 * There is no pause between the last check and the HTLC here: only the network could close that window.
 */

export interface Rules {
  readonly matches: boolean;
  readonly waits: boolean;
  readonly isConfirmed: boolean;
}

export const ALL_RULES: Rules = { matches: true, waits: true, isConfirmed: true };

/** Milliseconds of virtual time. */
export const LEASE_MS = 10;

type Status = 'sent' | 'settled' | 'failed';

interface Daemon {
  /** The attempt that the daemon has committed and not sent yet. */
  attempt: number | undefined;
  /** The server on which the attempt is committed. */
  timeline: number;
  confirmedAtMs: number;
  isPaused: boolean;
}

/** One event in a history. Steps that are impossible at the moment do nothing. */
export type Step =
  | { readonly kind: 'ask' | 'send' | 'kill' | 'pause' | 'resume' | 'tell'; readonly daemon: number }
  | { readonly kind: 'replicate' | 'failover' | 'match' }
  | { readonly kind: 'outcome'; readonly isSettled: boolean }
  | { readonly kind: 'pass'; readonly ms: number };

/** The state of the whole fleet at one moment. */
export class DoubtingFleet {
  /** Maximum number of payments of the invoice that were in flight or settled at the same time. */
  mostStanding = 0;
  readonly #rules: Rules;
  #nowMs = 0;
  #next = 1;
  #rows = new Map<number, Status>();
  #standby = new Map<number, Status>();
  #timeline = 1;
  #failedOverAtMs = 0;
  #isClear = true;
  /** Attempts that were sent to the network but have no row. */
  readonly #unknown = new Set<number>();
  readonly #network = new Map<number, 'inFlight' | 'settled' | 'failed'>();
  readonly #daemons: Daemon[];

  constructor(daemons: number, rules: Rules) {
    this.#rules = rules;
    this.#daemons = Array.from({ length: daemons }, () => ({
      ...{ attempt: undefined, timeline: 1, confirmedAtMs: 0, isPaused: false },
    }));
  }

  step(step: Step): void {
    switch (step.kind) {
      case 'pass':
        this.#nowMs += step.ms;
        this.#renew();
        break;
      case 'replicate':
        this.#standby = new Map(this.#rows);
        break;
      case 'failover':
        this.#rows = new Map(this.#standby);
        this.#timeline++;
        this.#failedOverAtMs = this.#nowMs;
        this.#isClear = !this.#rules.matches;
        break;
      case 'match':
        this.#match();
        break;
      case 'outcome':
        this.#outcome(step.isSettled);
        break;
      default:
        this.#act(step.kind, this.#daemons[step.daemon]!);
    }
  }

  /**
   * Running daemons receive answers from the database all the time. A daemon that committed on the old server
   * writes its row again.
   */
  #renew(): void {
    for (const daemon of this.#daemons) {
      if (daemon.isPaused) continue;
      daemon.confirmedAtMs = this.#nowMs;
      if (daemon.attempt !== undefined && daemon.timeline !== this.#timeline) {
        if (!this.#rows.has(daemon.attempt)) this.#rows.set(daemon.attempt, 'sent');
        daemon.timeline = this.#timeline;
      }
    }
  }

  #match(): void {
    if (this.#isClear) return;
    if (this.#rules.waits && this.#nowMs - this.#failedOverAtMs <= LEASE_MS) return;
    for (const [attempt, state] of this.#network) {
      if (!this.#rows.has(attempt) && state !== 'failed') this.#unknown.add(attempt);
    }
    this.#isClear = true;
  }

  #outcome(isSettled: boolean): void {
    const [attempt] = [...this.#network].find(([, state]) => state === 'inFlight') ?? [];
    if (attempt === undefined) return;
    this.#network.set(attempt, isSettled ? 'settled' : 'failed');
    if (!isSettled) this.#unknown.delete(attempt);
  }

  #act(kind: 'ask' | 'send' | 'kill' | 'pause' | 'resume' | 'tell', daemon: Daemon): void {
    if (kind === 'resume') daemon.isPaused = false;
    if (kind === 'kill') Object.assign(daemon, { attempt: undefined, isPaused: false });
    if (daemon.isPaused) return;
    if (kind === 'pause') daemon.isPaused = true;
    if (kind === 'ask') this.#ask(daemon);
    if (kind === 'send') this.#send(daemon);
    // The network reports the outcomes of attempts to the running daemons.
    if (kind === 'tell') {
      for (const [attempt, status] of this.#rows) {
        const state = this.#network.get(attempt);
        if (status === 'sent' && state !== undefined && state !== 'inFlight') this.#rows.set(attempt, state);
      }
    }
  }

  #ask(daemon: Daemon): void {
    const isStanding = [...this.#rows.values()].some((status) => status !== 'failed');
    if (!this.#isClear || this.#unknown.size > 0 || isStanding || daemon.attempt !== undefined) return;
    daemon.attempt = this.#next++;
    daemon.timeline = this.#timeline;
    daemon.confirmedAtMs = this.#nowMs;
    this.#rows.set(daemon.attempt, 'sent');
  }

  /** A row on an old server proves nothing once the daemon knows of the new server. */
  #send(daemon: Daemon): void {
    const { attempt } = daemon;
    if (attempt === undefined) return;
    if (this.#rules.isConfirmed && this.#nowMs - daemon.confirmedAtMs > LEASE_MS) return;
    const knowsServer = daemon.confirmedAtMs > this.#failedOverAtMs;
    if (knowsServer && !this.#isClear) return;
    daemon.attempt = undefined;
    this.#network.set(attempt, 'inFlight');
    const standing = [...this.#network.values()].filter((state) => state !== 'failed').length;
    this.mostStanding = Math.max(this.mostStanding, standing);
  }
}
