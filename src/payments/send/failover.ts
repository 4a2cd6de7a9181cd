/**
 * Recovery after a failover of a shared journal: rows that the database may have lost are found with the network's
 * records.
 *
 *     a different server responds ──▶ our payments are rewritten ──▶ a lease passes ──▶ our HTLCs are matched with rows
 *                                 ──▶ the HTLCs of all Lightning nodes are matched ──▶ payments resume
 *
 * A daemon may be paused after writing to the journal, just before it sends. Once a lease has passed, such a daemon
 * checks the database before it sends anything. An HTLC without a row is followed here until it ends.
 */
import { toHex } from '../../bolt/bytes.ts';
import type { Clock } from '../../model/clock.ts';
import type { NetworkPort } from '../../network/port.ts';
import type { Doubt, UnknownHtlc } from '../../store/payment-leases.ts';
import { Pauses } from './pauses.ts';

/** What the recovery needs from the engine. */
export interface FailoverOptions {
  readonly doubt: Doubt;
  readonly leaseMs: number;
  readonly network: Pick<NetworkPort, 'sentHtlcs' | 'outcomes' | 'capabilities'>;
  readonly clock: Clock;
  readonly log: { unusual(message: string): void };
  /** Rewrites the payments in progress, with all their attempts. */
  readonly rewrite: () => void;
}

/** Detects failovers, and resolves the doubt that they cause. */
export class Failover {
  readonly #options: FailoverOptions;
  readonly #pauses: Pauses;
  /** Name of the database server to which payments were last rewritten. */
  #rewrittenFor = '';

  constructor(options: FailoverOptions) {
    this.#options = options;
    this.#pauses = new Pauses(options.clock);
  }

  /** Checks for doubt and for unknown HTLCs a few times per lease, until `close` is called. */
  async run(): Promise<void> {
    const { doubt, leaseMs, log } = this.#options;
    while (!this.#pauses.isEnded) {
      try {
        if (doubt.isOpen) await this.#match();
        if (doubt.unknown.length > 0) await this.#follow();
      } catch (error) {
        if (!this.#pauses.isEnded) log.unusual(`cannot match HTLCs after a failover: ${error}`);
      }
      await this.#pauses.wait(leaseMs / 4);
    }
  }

  async #match(): Promise<void> {
    const { doubt, leaseMs, network, log, rewrite } = this.#options;
    await doubt.refresh();
    if (!doubt.isOpen) return;
    if (this.#rewrittenFor !== doubt.server) {
      this.#rewrittenFor = doubt.server;
      log.unusual(
        `a different database server (${doubt.server}) answers: no payments are made until its rows match our HTLCs`,
      );
      rewrite();
      await this.#pauses.wait(leaseMs);
    }
    if (!doubt.isMatched) {
      const sinceMs = await doubt.lostSinceMs();
      if (network.sentHtlcs !== undefined) await doubt.match(await network.sentHtlcs(sinceMs));
      else if (!network.capabilities.pays) await doubt.match([]);
      else
        log.unusual(
          'this network cannot list its HTLCs, so payments wait until the operator resolves the doubt',
        );
    }
    await doubt.refresh();
    for (const { paymentHash } of doubt.unknown)
      log.unusual(`the payment of an HTLC is not in the database: payment hash ${toHex(paymentHash)}`);
    if (!doubt.isOpen) log.unusual('all HTLCs are matched: payments resume');
  }

  /** Looks up, on our own node, the state of its HTLCs that have no row, and records how they ended. */
  async #follow(): Promise<void> {
    const { doubt, network } = this.#options;
    const open = doubt.ownUnknown;
    if (open.length > 0) {
      const states = await network.outcomes(open);
      for (const htlc of open) await this.#note(htlc, states.get(htlc.attemptId));
    }
    await doubt.refresh();
  }

  async #note(
    htlc: UnknownHtlc,
    state: { readonly status: string; readonly preimage?: Uint8Array } | undefined,
  ) {
    const { doubt } = this.#options;
    if (state === undefined || state.status === 'pending' || state.status === 'unknown') return;
    await doubt.ended(htlc, state.status === 'settled' ? state.preimage : undefined);
  }

  close(): void {
    this.#pauses.end();
  }
}
