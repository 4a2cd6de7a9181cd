/**
 * The ownership of a payment, as a pure state machine: one payment, several daemons, the database that they
 * share, and a network that keeps the HTLCs sent to it. Time is virtual. Every step is one thing that a
 * daemon, the network or fate can do at that moment, so a list of steps is one history of the fleet.
 *
 *     idle ──claim──▶ owner ──journal──▶ attempt in the journal ──send──▶ in flight ──▶ outcome ──write──▶ …
 *
 * The rules can be removed one by one, to show that each is needed:
 *   journalFirst    an attempt is in the journal before it leaves;
 *   sameAgain       after a takeover, each attempt without an outcome is sent again under its id, and no other
 *                   attempt is made before it has its outcome (without the rule: an attempt that the network does
 *                   not know is treated as one that never left);
 *   oneTransaction  the outcome of an attempt and that of the payment are written together;
 *   fences          a write counts only while the writer is the owner.
 * The rules rely on the network, which sends nothing twice under the same id.
 */

/** The rules in force. */
export interface Rules {
  readonly journalFirst: boolean;
  readonly sameAgain: boolean;
  readonly oneTransaction: boolean;
  readonly fences: boolean;
}

export const ALL_RULES: Rules = { journalFirst: true, sameAgain: true, oneTransaction: true, fences: true };

/** Milliseconds of virtual time for which a claim holds. */
export const LEASE_MS = 10;

type Outcome = 'settled' | 'failed';

interface JournaledAttempt {
  readonly id: number;
  status: 'sent' | Outcome;
}

/** A daemon's next step, as far as the daemon knows. It survives a pause, but not a kill. */
type Plan =
  | { readonly kind: 'idle' }
  | { readonly kind: 'owns' }
  | { readonly kind: 'send' | 'await'; readonly attempt: number }
  | { readonly kind: 'journal'; readonly attempt: number }
  | { readonly kind: 'write'; readonly attempt: number; readonly outcome: Outcome }
  | { readonly kind: 'conclude' };

interface Daemon {
  plan: Plan;
  fence: number;
  isPaused: boolean;
}

/** One event in a history. Steps that are impossible at the moment do nothing. */
export type Step =
  | { readonly kind: 'act' | 'kill' | 'pause' | 'resume'; readonly daemon: number }
  /** The network decides the outcome of the oldest HTLC in flight. */
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'expire'; readonly ms: number };

/** The state of the whole fleet at one moment. */
export class Fleet {
  readonly rules: Rules;
  #nowMs = 0;
  #nextAttempt = 1;
  readonly #row = { status: 'pending' as 'pending' | 'complete', owner: -1, fence: 0, untilMs: -1 };
  readonly #journal: JournaledAttempt[] = [];
  /** The HTLCs sent to the network, by attempt. */
  readonly #network = new Map<number, 'inFlight' | Outcome>();
  readonly #daemons: Daemon[];

  constructor(daemons: number, rules: Rules) {
    this.rules = rules;
    this.#daemons = Array.from({ length: daemons }, () => ({
      plan: { kind: 'idle' },
      fence: 0,
      isPaused: false,
    }));
  }

  /** Number of times that the payment was paid. */
  get paid(): number {
    return [...this.#network.values()].filter((state) => state === 'settled').length;
  }

  get status(): 'pending' | 'complete' {
    return this.#row.status;
  }

  get hasOpenLease(): boolean {
    return this.#row.status === 'pending' && this.#row.untilMs >= this.#nowMs;
  }

  step(step: Step): void {
    switch (step.kind) {
      case 'act':
        this.#act(step.daemon);
        break;
      case 'kill':
        this.#daemons[step.daemon] = { plan: { kind: 'idle' }, fence: 0, isPaused: false };
        break;
      case 'pause':
        this.#daemons[step.daemon]!.isPaused = true;
        break;
      case 'resume':
        this.#daemons[step.daemon]!.isPaused = false;
        break;
      case 'outcome':
        for (const [id, state] of this.#network) {
          if (state !== 'inFlight') continue;
          this.#network.set(id, step.outcome);
          break;
        }
        break;
      case 'expire':
        this.#nowMs += step.ms;
    }
  }

  #act(index: number): void {
    const daemon = this.#daemons[index]!;
    if (daemon.isPaused) return;
    const { plan } = daemon;
    switch (plan.kind) {
      case 'idle':
        this.#claim(index, daemon);
        break;
      case 'owns':
        this.#plan(daemon);
        break;
      case 'journal':
        this.#journalAttempt(index, daemon, plan.attempt);
        break;
      case 'send':
        this.#send(daemon, plan.attempt);
        break;
      case 'await': {
        const state = this.#network.get(plan.attempt);
        if (state !== undefined && state !== 'inFlight')
          daemon.plan = { kind: 'write', attempt: plan.attempt, outcome: state };
        break;
      }
      case 'write':
        this.#write(index, daemon, plan.attempt, plan.outcome);
        break;
      case 'conclude':
        if (this.#owns(index, daemon)) this.#row.status = 'complete';
        daemon.plan = { kind: 'idle' };
    }
  }

  /** The check that the database makes in the writing statement. */
  #owns(index: number, { fence }: Daemon): boolean {
    if (!this.rules.fences) return true;
    const { owner, fence: current, untilMs } = this.#row;
    return owner === index && current === fence && untilMs > this.#nowMs;
  }

  #claim(index: number, daemon: Daemon): void {
    const row = this.#row;
    if (row.status !== 'pending' || row.untilMs > this.#nowMs) return;
    Object.assign(row, { owner: index, fence: row.fence + 1, untilMs: this.#nowMs + LEASE_MS });
    daemon.fence = row.fence;
    daemon.plan = { kind: 'owns' };
    const open = this.#journal.find(({ status }) => status === 'sent');
    if (open === undefined) return;
    if (this.rules.sameAgain || this.#network.has(open.id)) daemon.plan = { kind: 'send', attempt: open.id };
    else open.status = 'failed';
  }

  #plan(daemon: Daemon): void {
    if (this.rules.oneTransaction && this.#journal.some(({ status }) => status === 'settled')) {
      throw new Error('a settled attempt in a pending payment');
    }
    const attempt = this.#nextAttempt++;
    daemon.plan = { kind: this.rules.journalFirst ? 'journal' : 'send', attempt };
  }

  #journalAttempt(index: number, daemon: Daemon, id: number): void {
    if (!this.#owns(index, daemon)) {
      daemon.plan = { kind: 'idle' };
      return;
    }
    this.#journal.push({ id, status: 'sent' });
    daemon.plan = { kind: this.rules.journalFirst ? 'send' : 'await', attempt: id };
  }

  /**
   * Sends an HTLC without querying the database. A query would not help: the daemon may pause between the query and
   * the HTLC.
   */
  #send(daemon: Daemon, id: number): void {
    if (!this.#network.has(id)) this.#network.set(id, 'inFlight');
    const isJournaled = this.#journal.some((attempt) => attempt.id === id);
    daemon.plan = { kind: isJournaled ? 'await' : 'journal', attempt: id };
  }

  #write(index: number, daemon: Daemon, id: number, outcome: Outcome): void {
    if (!this.#owns(index, daemon)) {
      daemon.plan = { kind: 'idle' };
      return;
    }
    this.#journal.find((attempt) => attempt.id === id)!.status = outcome;
    if (outcome === 'failed') daemon.plan = { kind: 'owns' };
    else if (this.rules.oneTransaction) {
      this.#row.status = 'complete';
      daemon.plan = { kind: 'idle' };
    } else daemon.plan = { kind: 'conclude' };
  }

  /** Brings all daemons back, then lets them work and time pass until nothing changes any more. */
  settle(): void {
    for (const daemon of this.#daemons) daemon.isPaused = false;
    for (let round = 0; round < 50 && this.#row.status === 'pending'; round++) {
      for (let turn = 0; turn < 8; turn++) {
        this.#daemons.forEach((_, daemon) => {
          this.step({ kind: 'act', daemon });
        });
        this.step({ kind: 'outcome', outcome: 'settled' });
      }
      this.step({ kind: 'expire', ms: LEASE_MS + 1 });
    }
  }
}
