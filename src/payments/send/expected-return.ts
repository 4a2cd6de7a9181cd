/**
 * Chooses what a payment without a route waits for, if there may soon be one:
 *
 *     the peers of our channels are briefly away              ChannelReturn
 *     the peers of the recipient are briefly away             RecipientReturn
 *     our other payments hold the money that it needs         FundsReturn
 */
import type { AttemptFailure, Payment } from '../payment.ts';
import type { NoPlan } from '../plan/no-plan.ts';
import type { Services } from '../services.ts';
import { ChannelReturn } from './channel-return.ts';
import { FundsReturn } from './funds-return.ts';
import type { Pauses } from './pauses.ts';
import { RecipientReturn } from './recipient-return.ts';

/** A wait after which a search may find a route. */
export interface ExpectedReturn {
  /**
   * Resolves once there may be a route, or the time is over.
   * @param waitMs maximum wait in milliseconds
   */
  wait(waitMs: number): Promise<void>;
  /** Whether the lessons of the payment no longer hold after the wait, because channels were away. */
  readonly endsLessons: boolean;
}

/** The returns that one payment may wait for. */
export class ExpectedReturns {
  readonly #channels: ChannelReturn;
  readonly #recipient: RecipientReturn;
  readonly #funds: FundsReturn;
  readonly #payment: Payment;

  constructor(services: Services, payment: Payment, pauses: Pauses) {
    const { network, presence, clock, graph } = services;
    this.#channels = new ChannelReturn(network, presence, clock, pauses);
    this.#recipient = new RecipientReturn(graph, clock, pauses);
    this.#funds = new FundsReturn(services, payment, pauses);
    this.#payment = payment;
  }

  /**
   * What the payment should wait for, given why the last search found no route. Undefined if nothing is expected, and
   * while parts are in flight, because the payment then waits for them.
   * @param endedAtMs when the latest attempt ended, in milliseconds of the monotonic clock; undefined if none has
   */
  after(noPlan: NoPlan, endedAtMs: number | undefined): ExpectedReturn | undefined {
    const { attempts } = this.#payment;
    if (attempts.some(({ status }) => status === 'sent')) return undefined;
    const isPeerAway = isOfAwayPeer(attempts.at(-1)?.failure);
    if (this.#channels.isWorthwhile(isPeerAway ? endedAtMs : undefined)) return this.#channels;
    if (this.#recipient.isWorthwhile(noPlan)) return this.#recipient;
    return this.#funds.isWorthwhile(noPlan) ? this.#funds : undefined;
  }
}

/** Whether our own channel refused the attempt because the channel's peer was away. */
const isOfAwayPeer = (failure: AttemptFailure | undefined): boolean =>
  failure?.notSent?.kind === 'byNode' && failure.notSent.cause === 'peerAway';
