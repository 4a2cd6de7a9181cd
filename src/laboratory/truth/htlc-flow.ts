/**
 * The life of an HTLC: it is offered, forwarded hop by hop, held or settled by its recipient, and answered hop by hop
 * on the way back. On the way to the recipient, it occupies a slot, balance and in-flight room of each direction, and
 * on the way back it releases them.
 *
 *     sender --hold--> node 1 --hold--> node 2 ... recipient        check, offer
 *     sender <-------- node 1 <-------- node 2 ... recipient        settle or fail, each after the hop's latency
 *
 * There is no onion, but the sender learns no more than it would with one: which node failed the HTLC, the failure, and
 * the hold times of the nodes that report them, up to the first node that does not.
 */
import type { Failure } from '../../bolt/onion/failure.ts';
import { failureOf, judgeForward } from './forwarding.ts';
import type { LabWorld } from './world.ts';

/** The unit of reported hold times: 100 ms. */
const UNIT_US = 100_000;

/** A route, hop by hop: the directions, and the amount and the absolute expiry (block height) on each. */
export interface Path {
  readonly directions: readonly number[];
  readonly amountsMsat: readonly bigint[];
  readonly expiries: readonly number[];
}

/** How long each node held an HTLC, as reported by the first nodes of the path, in seconds. */
interface Reported {
  readonly holdTimesS?: readonly number[];
}

/** How an HTLC ended. `index` counts nodes from the sender, which is 0. */
export type HtlcEnd = Reported &
  (
    | { readonly kind: 'settled' }
    | { readonly kind: 'failed'; readonly index: number; readonly failure: Failure }
  );

/** An HTLC that has reached its recipient, which answers it now or later. */
export interface DeliveredHtlc {
  readonly amountMsat: bigint;
  readonly expiry: number;
  /** Returns the preimage to the sender. */
  settle(): void;
  fail(failure: Failure): void;
}

/** An HTLC in the simulated network. */
export class LabHtlc implements DeliveredHtlc {
  readonly #world: LabWorld;
  /** Number of the HTLC in its world. It determines draws and the order of simultaneous events. */
  readonly #id: number;
  readonly #path: Path;
  readonly #arrived: (htlc: DeliveredHtlc) => void;
  readonly #ended: (end: HtlcEnd) => void;
  readonly sentUs: number;
  /** When each node received the HTLC, from the first peer on. */
  readonly #receivedUs: number[] = [];
  /** How long each node held the HTLC. */
  readonly #heldUs: number[] = [];

  constructor(
    world: LabWorld,
    id: number,
    path: Path,
    arrived: (htlc: DeliveredHtlc) => void,
    ended: (end: HtlcEnd) => void,
  ) {
    this.#world = world;
    this.#id = id;
    this.#path = path;
    this.#arrived = arrived;
    this.#ended = ended;
    this.sentUs = world.nowUs;
  }

  get amountMsat(): bigint {
    return this.#path.amountsMsat.at(-1)!;
  }

  get expiry(): number {
    return this.#path.expiries.at(-1)!;
  }

  /** Offers the HTLC on the sender's channel. Its end is reported later, never during this call. */
  send(): void {
    const { directions, amountsMsat } = this.#path;
    const world = this.#world;
    const first = directions[0]!;
    const isRefused =
      !world.policies.isEnabled(first) ||
      amountsMsat[0]! > world.graph.htlcMaximumMsat[first]! ||
      world.channels.refusal(first, amountsMsat[0]!) !== undefined ||
      !world.isOnline(world.head(first));
    const isFaulty = world.isFaulty(this.#id, 0);
    if (isRefused || isFaulty) {
      const failure = failureOf('temporary_channel_failure');
      world.after(isRefused ? 0 : world.network.faultyUs, this.#id, () =>
        this.#ended({ kind: 'failed', index: 0, failure }),
      );
      return;
    }
    this.#hold(0);
  }

  /** Moves the amount over hop `hop` from the balance into flight. The next node sees the HTLC after the latency. */
  #hold(hop: number): void {
    const world = this.#world;
    world.channels.hold(this.#path.directions[hop]!, this.#path.amountsMsat[hop]!);
    const forwardUs = world.forwardUs(this.#id, hop, this.#path.directions[hop]!);
    world.after(forwardUs, this.#id, () => this.#reached(hop + 1));
  }

  /** Called when the HTLC has reached node `index`, which forwards, fails or keeps it. */
  #reached(index: number): void {
    const { directions, amountsMsat, expiries } = this.#path;
    const world = this.#world;
    this.#receivedUs[index - 1] = world.nowUs;
    if (index === directions.length) {
      this.#arrived(this);
      return;
    }
    const direction = directions[index]!;
    const failure = judgeForward(world.channels, world.policies, {
      direction,
      incomingMsat: amountsMsat[index - 1]!,
      incomingExpiry: expiries[index - 1]!,
      amountMsat: amountsMsat[index]!,
      cltvExpiry: expiries[index]!,
      height: world.height,
      isConnected: world.isOnline(world.head(direction)),
    });
    if (failure === undefined && world.isFaulty(this.#id, index)) {
      const unanswered = failureOf('temporary_channel_failure');
      world.after(world.network.faultyUs, this.#id, () =>
        this.#home(index, { kind: 'failed', index, failure: unanswered }),
      );
    } else if (failure === undefined) this.#hold(index);
    else this.#home(index, { kind: 'failed', index, failure });
  }

  settle(): void {
    this.#home(this.#path.directions.length, { kind: 'settled' });
  }

  fail(failure: Failure): void {
    const index = this.#path.directions.length;
    this.#home(index, { kind: 'failed', index, failure });
  }

  /** Sends the answer from node `index` to the sender, and settles or fails the HTLC on each hop on the way. */
  #home(index: number, end: HtlcEnd): void {
    const world = this.#world;
    const step = 2 * this.#path.directions.length - index;
    const hop = index - 1;
    this.#heldUs[hop] = world.nowUs - this.#receivedUs[hop]!;
    const [direction, amountMsat] = [this.#path.directions[hop]!, this.#path.amountsMsat[hop]!];
    world.after(world.latencyUs(this.#id, step, direction ^ 1), this.#id, () => {
      if (end.kind === 'settled') world.channels.settle(direction, amountMsat);
      else world.channels.release(direction, amountMsat);
      if (hop === 0) this.#ended({ ...end, ...this.#reported() });
      else this.#home(hop, end);
    });
  }

  /**
   * The hold times of all nodes before the first one that does not report its own, in seconds, rounded to 100 ms
   * (BOLT 4, "Returning Errors").
   */
  #reported(): Reported {
    const world = this.#world;
    if (world.network.latency.reporting === 0) return {};
    const silent = this.#heldUs.findIndex(
      (_, hop) => !world.reportsHoldTimes(world.head(this.#path.directions[hop]!)),
    );
    const reports = silent < 0 ? this.#heldUs : this.#heldUs.slice(0, silent);
    return { holdTimesS: reports.map((us) => Math.round(us / UNIT_US) / 10) };
  }
}
