/**
 * Measures how often a forwarding node guesses the sender or the recipient, with the attacks of src/privacy and by
 * timing.
 *
 * The attackers are the k nodes of the largest capacity. They know the public graph, the final blocks that recipients
 * require, and the mean latency of a hop. A uniform random sample of the attempts that reach them on the way is
 * attacked:
 *
 * - by amounts and expiries: the set of all nodes that are consistent with them;
 * - by routes: those nodes of the first set whose cheapest route uses the two channels that the attacker saw;
 * - by time, for recipients of settled attempts: those nodes of the first set whose distance matches the time until the
 *   answer (time / 2 / latency, in hops; Rohrer and Tschorsch, arXiv 2006.12143).
 *
 * The attacker then guesses a random node of the set. If the second or the third set is empty, the first is used. The
 * last attacker on the path guesses the recipient, and the first attacker guesses the sender.
 */
import type { Draws } from '../../model/draws.ts';
import { largestNodes } from '../../model/graph/node-capacities.ts';
import { type PassableGraph, passableOf } from '../../privacy/passable.ts';
import { possibleRecipients } from '../../privacy/possible-recipients.ts';
import { possibleSenders } from '../../privacy/possible-senders.ts';
import { routedRecipients, routedSenders } from '../../privacy/route-attack.ts';
import { sightingAt } from '../../privacy/sighting.ts';
import type { PaymentOutcome, PlayedAttempt } from '../payment-run.ts';
import { PURPOSE } from '../purposes.ts';
import type { LabWorld } from '../truth/world.ts';
import { quantileOf } from './statistics.ts';

/** The results of an attack. */
export interface AttackFigures {
  /** Median size of the set of possible nodes. */
  readonly medianSet: number;
  /** Share of attacked attempts in which the set contains only the true node. */
  readonly certain: number;
  /** Average probability that a random guess from the set is right. */
  readonly guessed: number;
  /** Share of attacked attempts in which the set does not contain the true node. */
  readonly misled: number;
}

/** The figures of a router. */
export interface PrivacyFigures {
  readonly attempts: number;
  /** Number of attempts that reached one of the largest nodes on the way, and how many of them were attacked. */
  readonly observed: number;
  readonly attacked: number;
  readonly recipientsBySight: AttackFigures;
  readonly recipientsByRoute: AttackFigures;
  readonly recipientsByTime: AttackFigures;
  readonly sendersBySight: AttackFigures;
  readonly sendersByRoute: AttackFigures;
  /**
   * Expected share of all attempts in which the best of these attacks guesses the recipient (or the sender) correctly.
   */
  readonly recipientGuessed: number;
  readonly senderGuessed: number;
}

/** An attempt to attack, with the positions of the first and the last attacker on its path. */
interface WatchedAttempt {
  readonly attempt: PlayedAttempt;
  readonly sender: number;
  readonly receiver: number;
  readonly first: number;
  readonly last: number;
}

/** The sums for the results of an attack. */
class AttackTally {
  readonly #sizes: number[] = [];
  #certain = 0;
  #guessed = 0;
  #misled = 0;

  add(set: readonly number[], truth: number): void {
    this.#sizes.push(set.length);
    if (!set.includes(truth)) this.#misled++;
    else {
      this.#guessed += 1 / set.length;
      if (set.length === 1) this.#certain++;
    }
  }

  figures(): AttackFigures {
    const count = this.#sizes.length;
    return {
      medianSet: quantileOf(
        this.#sizes.toSorted((a, b) => a - b),
        0.5,
      ),
      certain: this.#certain / count,
      guessed: this.#guessed / count,
      misled: this.#misled / count,
    };
  }
}

/** Samples and attacks the attempts of a router. */
export class PrivacyCollector {
  readonly #world: LabWorld;
  readonly #draws: Draws;
  readonly #finals: readonly number[];
  readonly #sample: number;
  readonly #attackers: ReadonlySet<number>;
  readonly #watched: WatchedAttempt[] = [];
  #attempts = 0;
  #observed = 0;

  /** @param sample number of attempts to attack @param nodes how many of the largest nodes attack */
  constructor(world: LabWorld, finalCltv: number, sample: number, nodes: number) {
    this.#world = world;
    this.#draws = world.draws;
    this.#finals = [finalCltv];
    this.#sample = sample;
    this.#attackers = sample === 0 ? new Set() : largestNodes(world.graph, nodes);
  }

  add({ order, attempts }: PaymentOutcome): void {
    if (this.#sample === 0) return;
    for (const attempt of attempts) {
      this.#attempts++;
      const places = this.#places(attempt);
      if (places.length === 0) continue;
      const seen = this.#observed++;
      const { sender, receiver } = order;
      const watched = { attempt, sender, receiver, first: places[0]!, last: places.at(-1)! };
      if (seen < this.#sample) {
        this.#watched.push(watched);
        continue;
      }
      // Reservoir sampling: every observed attempt is kept with the same probability.
      const place = Math.floor(this.#draws.uniform(PURPOSE.watched, order.id, attempt.part) * (seen + 1));
      if (place < this.#sample) this.#watched[place] = watched;
    }
  }

  /** Attacks the sample. Undefined if no sample was requested. */
  figures(): PrivacyFigures | undefined {
    if (this.#sample === 0) return undefined;
    const passable = passableOf(this.#world.graph);
    const tallies = {
      recipientsBySight: new AttackTally(),
      recipientsByRoute: new AttackTally(),
      recipientsByTime: new AttackTally(),
      sendersBySight: new AttackTally(),
      sendersByRoute: new AttackTally(),
    };
    for (const watched of this.#watched) {
      this.#attackRecipient(passable, watched, tallies);
      this.#attackSender(passable, watched, tallies);
    }
    const recipients = [tallies.recipientsBySight, tallies.recipientsByRoute, tallies.recipientsByTime];
    const senders = [tallies.sendersBySight, tallies.sendersByRoute];
    const share = this.#attempts === 0 ? 0 : this.#observed / this.#attempts;
    const best = (attacks: readonly AttackTally[]): number =>
      share === 0 ? 0 : share * Math.max(...attacks.map((tally) => tally.figures().guessed || 0));
    return {
      attempts: this.#attempts,
      observed: this.#observed,
      attacked: this.#watched.length,
      recipientsBySight: tallies.recipientsBySight.figures(),
      recipientsByRoute: tallies.recipientsByRoute.figures(),
      recipientsByTime: tallies.recipientsByTime.figures(),
      sendersBySight: tallies.sendersBySight.figures(),
      sendersByRoute: tallies.sendersByRoute.figures(),
      recipientGuessed: best(recipients),
      senderGuessed: best(senders),
    };
  }

  /** Positions of attackers on the part of the path that the HTLC reached. The sender has position 0. */
  #places({ route, end }: PlayedAttempt): number[] {
    const { directions } = route;
    const reached = end.kind === 'settled' ? directions.length : end.index;
    const places: number[] = [];
    for (let index = 1; index < directions.length && index <= reached; index++) {
      if (this.#attackers.has(this.#world.tail(directions[index]!))) places.push(index);
    }
    return places;
  }

  #attackRecipient(
    passable: PassableGraph,
    watched: WatchedAttempt,
    tallies: Readonly<Record<RecipientAttack, AttackTally>>,
  ): void {
    const { attempt, receiver, last } = watched;
    const sighting = sightingAt(attempt.route, last);
    const { nodes, hops } = possibleRecipients(passable, sighting, this.#finals);
    tallies.recipientsBySight.add(nodes, receiver);
    const routed = routedRecipients(passable, sighting, nodes, this.#finals);
    tallies.recipientsByRoute.add(routed.length > 0 ? routed : nodes, receiver);
    if (attempt.end.kind !== 'settled') return;
    const distance = this.#distance(attempt, last);
    const atDistance = nodes.filter((_, index) => hops[index] === distance - 1);
    tallies.recipientsByTime.add(atDistance.length > 0 ? atDistance : nodes, receiver);
  }

  #attackSender(
    passable: PassableGraph,
    watched: WatchedAttempt,
    tallies: Readonly<Record<SenderAttack, AttackTally>>,
  ): void {
    const { attempt, sender, first } = watched;
    const sighting = sightingAt(attempt.route, first);
    const possible = possibleSenders(passable, sighting);
    tallies.sendersBySight.add(possible, sender);
    const recipients = possibleRecipients(passable, sighting, this.#finals).nodes;
    const routed = routedSenders(
      passable,
      sighting,
      routedRecipients(passable, sighting, recipients, this.#finals),
    );
    tallies.sendersByRoute.add(routed.length > 0 ? routed : possible, sender);
  }

  /**
   * Number of hops from a node of the path to the recipient, estimated from the time between forwarding the HTLC and
   * its answer.
   */
  #distance({ htlc, route, sentUs, endedUs }: PlayedAttempt, place: number): number {
    const world = this.#world;
    let elapsedUs = endedUs - sentUs;
    for (let hop = 0; hop < place; hop++) {
      const back = 2 * route.directions.length - 1 - hop;
      elapsedUs -= world.forwardUs(htlc, hop, route.directions[hop]!);
      elapsedUs -= world.latencyUs(htlc, back, route.directions[hop]! ^ 1);
    }
    return Math.max(1, Math.round(elapsedUs / 2 / Math.max(1, world.network.latency.meanUs)));
  }
}

type RecipientAttack = 'recipientsBySight' | 'recipientsByRoute' | 'recipientsByTime';
type SenderAttack = 'sendersBySight' | 'sendersByRoute';
