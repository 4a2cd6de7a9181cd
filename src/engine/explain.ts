/**
 * Why there is no route, from a diagnosis: as text, in Core Lightning's forms where they are true, and as
 * data.
 *
 * `data.binding.kind` is one of:
 *
 *   unknown_node           an end has no channel under these layers
 *   fee_cap, delay_cap, parts_cap, hop_limit    a limit stands in the way
 *   source_capacity, destination_capacity       the channels of an end pass too little
 *   unconnected            no path connects the ends
 *   channel                one direction stands in the way
 *   capacity               the network between the ends cannot pass the amount
 *   deduction              fees taken out of the amount leave a hop too little
 *   deadline, effort       the search ended first
 *
 * `cut` lists the directions of a minimum cut: no routes can get more across than the sum of their known
 * maxima. Layers are named where they say something: `layers` (their records limit an end), `layer` with
 * `reason` and `short_channel_id_dir` or `node` (the entry that disables), `disabled` (the same for each
 * channel of an end). `data.remedy` names the parameters to change and their values (remedy.ts). It is absent
 * when no remedy was found.
 */
import { forwardingFeeMsat } from '../model/policy.ts';
import { formatShortChannelIdDir } from '../model/short-channel-id.ts';
import type { Ends, Shortfall } from './ask.ts';
import type { Diagnosis } from './diagnosis.ts';
import { type EffectiveArc, type Kernel, NONE } from './kernel.ts';
import { reservedText } from './name-reservations.ts';
import type { ResolvedQuery, RouteFailure } from './route-outcome.ts';

/** Most channels of an end that are described one by one. */
const DESCRIBED = 20;
/**
 * Stands for a base fee that fits no record. Such a direction is out of use (assembly/overlay/effective.ts).
 */
const BASE_BEYOND = 0xffffffff;
const UNUSABLE = 'We could not find a usable set of paths.';

/**
 * The failure that the caller gets. Its data are JSON members already, since they come from the kernel's host
 * as they are.
 */
export function explainFailure(
  kernel: Kernel,
  query: ResolvedQuery,
  diagnosis: Diagnosis,
  { source, destination }: Ends,
): RouteFailure {
  const remedy = remedyData(diagnosis.remedy);
  switch (diagnosis.binding) {
    case 'deadline':
      return failure('timedOut', 'linear_routes: timed out after deadline', { kind: 'deadline' });
    case 'effort':
      return failure(
        'undecided',
        'The search ended before it found a route or proved that there is none',
        { kind: 'effort' },
        remedy,
      );
    case 'fee':
      return failure(
        'routeTooExpensive',
        'Could not find route without excessive cost',
        { kind: 'fee_cap', maxfee_msat: query.maxfeeMsat },
        remedy,
      );
    case 'delay':
      return failure(
        'routeTooExpensive',
        'Could not find route without excessive delays',
        { kind: 'delay_cap', maxdelay: query.maxdelay },
        remedy,
      );
    case 'parts':
      return failure(
        'routeNotFound',
        `Failed to reduce ${diagnosis.remedy?.maxparts ?? diagnosis.parts} flows down to maxparts (${query.maxparts})`,
        { kind: 'parts_cap', maxparts: query.maxparts },
        remedy,
      );
    case 'hops':
      return failure('routeNotFound', `Only paths of more than ${query.maxhops} hops exist`, {
        kind: 'hop_limit',
        maxhops: query.maxhops,
      });
    case 'deduction':
      return explainDeduction(diagnosis.shortfall!, remedy);
    case 'capacity':
      return explainCapacity(new Explainer(kernel, query, diagnosis), source, destination, remedy);
  }
}

/**
 * The parameters of the request that must change together, with their new values. Undefined when nothing is
 * known to help.
 */
function remedyData(terms: Diagnosis['remedy']): Remedy {
  if (terms === undefined) return undefined;
  const { amountMsat, maxfeeMsat, maxdelay, finalCltv, maxparts } = terms;
  return {
    ...(amountMsat !== undefined && { amount_msat: amountMsat }),
    ...(maxfeeMsat !== undefined && { maxfee_msat: maxfeeMsat }),
    ...(maxdelay !== undefined && { maxdelay }),
    ...(finalCltv !== undefined && { final_cltv: finalCltv }),
    ...(maxparts !== undefined && { maxparts }),
  };
}

/** With `auto.include_fees`: the fees leave some hop less than it passes on, or nothing. */
function explainDeduction(shortfall: Shortfall, remedy: Remedy): RouteFailure {
  const { shortChannelIdDir, amountMsat, leastMsat, htlcMinimumMsat } = shortfall;
  const left = `Fees taken out of the amount leave ${amountMsat}msat for ${shortChannelIdDir}`;
  const text = amountMsat === 0n ? `${left}.` : `${left}, below htlc_minumum_msat ~${htlcMinimumMsat}msat`;
  const binding = {
    kind: 'deduction',
    short_channel_id_dir: shortChannelIdDir,
    amount_msat: amountMsat,
    limit_msat: leastMsat,
  };
  return failure('routeNotFound', `${UNUSABLE} ${text}`, binding, remedy);
}

function failure(
  error: RouteFailure['error'],
  message: string,
  binding: Readonly<Record<string, unknown>>,
  remedy?: Readonly<Record<string, unknown>>,
): RouteFailure {
  return { error, message, data: remedy === undefined ? { binding } : { binding, remedy } };
}

function explainCapacity(
  explainer: Explainer,
  source: number,
  destination: number,
  remedy: Remedy,
): RouteFailure {
  return (
    explainer.atEnd('source', source, remedy) ??
    explainer.atEnd('destination', destination, remedy) ??
    explainer.alongShortestPath(source, destination, remedy)
  );
}

/** A list in words: `layer a`, or `layers a, b and c`. */
function listed(layers: readonly string[]): string {
  if (layers.length <= 1) return layers[0] ?? 'gossip';
  return `layers ${layers.slice(0, -1).join(', ')} and ${layers.at(-1)}`;
}

type End = 'source' | 'destination';
type Remedy = Readonly<Record<string, unknown>> | undefined;

/** Why a direction does not pass an amount: text that follows its name, and the same as data. */
interface DirectionFault {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

class Explainer {
  readonly #kernel: Kernel;
  readonly #query: ResolvedQuery;
  readonly #diagnosis: Diagnosis;
  readonly #amount: bigint;

  constructor(kernel: Kernel, query: ResolvedQuery, diagnosis: Diagnosis) {
    this.#kernel = kernel;
    this.#query = query;
    this.#diagnosis = diagnosis;
    this.#amount = query.amountMsat;
  }

  /**
   * Asks five questions about the channels of one end, in Core Lightning's order. The first that applies is
   * the explanation.
   */
  atEnd(end: End, node: number, remedy: Remedy): RouteFailure | undefined {
    const arcs = this.#kernel.arcsOf(node, end === 'source');
    const capacity = (arc: number): bigint => this.#kernel.capacityMsat(arc);
    const sum = (list: readonly number[], of: (arc: number) => bigint): bigint =>
      list.reduce((total, arc) => total + of(arc), 0n);
    const known = (arc: number): bigint => this.#unreservedMaximum(arc);
    const total = sum(arcs, capacity);
    const among = `(in ${arcs.length} channels)`;
    const lacking = end === 'source' ? 'sourceCapacity' : 'destinationCapacity';
    const binding = { kind: `${end}_capacity`, channels: arcs.map((arc) => this.#name(arc)) };
    if (this.#amount > total) {
      return failure(
        lacking,
        `${UNUSABLE} Total ${end} capacity is only ${total}msat ${among}.`,
        binding,
        remedy,
      );
    }
    const limit = sum(arcs, known);
    if (this.#amount > limit) {
      const layers = this.#layersLimiting(arcs);
      const text = `We know from ${listed(layers)} that ${end} has maximum capacity ${limit}msat ${among}.`;
      return failure(lacking, `${UNUSABLE} ${text}`, { ...binding, layers, limit_msat: limit }, remedy);
    }
    const announced = arcs.filter((arc) => this.#kernel.arc(arc).known);
    const gossip = sum(announced, capacity);
    if (this.#amount > gossip) {
      const text = `Missing gossip for ${end}: only known ${announced.length}/${arcs.length} channels, leaving capacity only ${gossip}msat of ${total}msat.`;
      return failure('routeNotFound', `${UNUSABLE} ${text}`, binding, remedy);
    }
    const enabled = announced.filter((arc) => this.#kernel.arc(arc).enabled);
    const open = sum(enabled, capacity);
    if (this.#amount > open) {
      const text =
        enabled.length === 0
          ? `All ${arcs.length} channels to the ${end} are disabled.`
          : `${arcs.length - enabled.length} of ${arcs.length} channels to ${end} are disabled, leaving capacity only ${open}msat of ${total}msat.`;
      const disabled = this.#whyDisabled(announced);
      return failure('routeNotFound', `${UNUSABLE} ${text}`, { ...binding, disabled }, remedy);
    }
    const usable = sum(enabled, known);
    if (this.#amount > usable) {
      const layers = this.#layersLimiting(enabled);
      const text = `We know from ${listed(layers)} that ${end} has maximum usable capacity ${usable}msat ${among}.`;
      return failure(
        'routeNotFound',
        `${UNUSABLE} ${text}`,
        { ...binding, layers, limit_msat: usable },
        remedy,
      );
    }
    return undefined;
  }

  /** Finds what stands in the way on the path of fewest hops, from the source on. */
  alongShortestPath(source: number, destination: number, remedy: Remedy): RouteFailure {
    const path = this.#kernel.fewestHopPath(source, destination);
    if (path.length === 0) {
      const text = 'There is no connection between source and destination at all';
      return failure('routeNotFound', text, { kind: 'unconnected' });
    }
    const arcs = path.map((arc) => this.#kernel.arc(arc));
    const names = path.map((arc) => this.#channelName(arc)).join('->');
    const amounts = this.#amountsAlong(arcs);
    for (const [index, arc] of path.entries()) {
      const reason = this.#obstacle(arc, arcs[index]!, amounts[index]!);
      if (reason === undefined) continue;
      const text = `${UNUSABLE} The shortest path is ${names}, but ${this.#name(arc)} ${reason.text}`;
      const binding = {
        kind: 'channel',
        short_channel_id_dir: this.#name(arc),
        amount_msat: amounts[index]!,
        ...reason.data,
        ...this.#cut(),
      };
      return failure('routeNotFound', text, binding, remedy);
    }
    const text = `${UNUSABLE} The channels between source and destination cannot pass ${this.#amount}msat together, though the shortest path is ${names}.`;
    return failure('routeNotFound', text, { kind: 'capacity', ...this.#cut() }, remedy);
  }

  /** The directions of a minimum cut, when a maximum flow proved it. */
  #cut(): { cut?: string[] } {
    const { cut } = this.#diagnosis;
    return cut.length > 0 ? { cut: cut.map((arc) => this.#name(arc)) } : {};
  }

  /** The amount that each hop would have to carry. */
  #amountsAlong(arcs: readonly EffectiveArc[]): bigint[] {
    const amounts: bigint[] = [];
    let reach = this.#amount;
    for (const arc of [...arcs].reverse()) {
      amounts.unshift(reach);
      // The fee of such a direction is not known. The direction itself is what stands in the way.
      if (arc.feeBaseMsat === BASE_BEYOND) continue;
      reach += forwardingFeeMsat(arc, reach);
    }
    return amounts;
  }

  #obstacle(arc: number, terms: EffectiveArc, amount: bigint): DirectionFault | undefined {
    if (!terms.known) return { text: 'has no gossip', data: { reason: 'no_gossip' } };
    if (!terms.enabled) return this.#disabled(terms);
    const capacity = this.#kernel.capacityMsat(arc);
    if (amount > capacity) {
      const creator = this.#isCreated(terms)
        ? this.#layerNames((layerSlot) => this.#kernel.layerCreates(layerSlot, terms.shortChannelId)).at(0)
        : undefined;
      const created = creator === undefined ? '' : ` (created by layer ${creator}) `;
      const text = `${created}isn't big enough to carry ${amount}msat.`;
      return {
        text,
        data: { reason: 'capacity', limit_msat: capacity, ...(creator !== undefined && { layer: creator }) },
      };
    }
    if (amount > terms.maxMsat) return this.#constrained(arc, terms);
    if (amount > terms.htlcMaximumMsat) {
      return {
        text: `exceeds htlc_maximum_msat ~${terms.htlcMaximumMsat}msat`,
        data: { reason: 'htlc_maximum', limit_msat: terms.htlcMaximumMsat },
      };
    }
    if (amount < terms.htlcMinimumMsat) {
      return {
        text: `below htlc_minumum_msat ~${terms.htlcMinimumMsat}msat`,
        data: { reason: 'htlc_minimum', limit_msat: terms.htlcMinimumMsat },
      };
    }
    return undefined;
  }

  /** For the first directions that are disabled: what disables them. */
  #whyDisabled(arcs: readonly number[]): object[] {
    const disabled = arcs.filter((arc) => !this.#kernel.arc(arc).enabled).slice(0, DESCRIBED);
    return disabled.map((arc) => ({
      short_channel_id_dir: this.#name(arc),
      ...this.#disabled(this.#kernel.arc(arc)).data,
    }));
  }

  /**
   * What disables a direction. The last word counts, so layers are asked from the last to the first, then
   * gossip.
   */
  #disabled(terms: EffectiveArc): DirectionFault {
    const { stack, layerNames, destination } = this.#query;
    const { shortChannelId, direction, tail, head } = terms;
    if (terms.feeBaseMsat === BASE_BEYOND) {
      return { text: 'asks more than any payment is worth.', data: { reason: 'fee' } };
    }
    const isPayable = this.#kernel.nodeId(head) === destination;
    const creator = stack.findIndex((layerSlot) => this.#kernel.layerCreates(layerSlot, shortChannelId));
    for (let i = stack.length - 1; i >= 0; i--) {
      const [layerSlot, layer] = [stack[i]!, layerNames[i]!];
      if (this.#kernel.layerDisablesNode(layerSlot, head) && !isPayable) {
        return this.#nodeDisabled('leads to', head, layer);
      }
      if (this.#kernel.layerDisablesNode(layerSlot, tail)) return this.#nodeDisabled('leaves', tail, layer);
      if (this.#kernel.layerDisables(layerSlot, shortChannelId, direction) && i >= creator) {
        return { text: `marked disabled by layer ${layer}.`, data: { reason: 'disabled', layer } };
      }
    }
    if (this.#isCreated(terms)) {
      const layer = layerNames[creator]!;
      return {
        text: `was never enabled (created by layer ${layer}).`,
        data: { reason: 'not_enabled', layer },
      };
    }
    return { text: 'marked disabled by gossip message.', data: { reason: 'disabled' } };
  }

  #nodeDisabled(verb: string, node: number, layer: string): DirectionFault {
    return {
      text: `${verb} node disabled by layer ${layer}.`,
      data: { reason: 'node_disabled', layer, node: this.#kernel.nodeId(node) },
    };
  }

  /** Whether gossip does not know the channel, so that a layer must have created it. */
  #isCreated({ shortChannelId }: EffectiveArc): boolean {
    return this.#kernel.exports.findChannel(shortChannelId) >>> 0 === NONE;
  }

  /**
   * Why a direction is constrained. Here only sums of reservations are known; name-reservations.ts adds who
   * reserved them.
   */
  #constrained(arc: number, terms: EffectiveArc): DirectionFault {
    const maximum = this.#unreservedMaximum(arc);
    const limited = this.#layerNames((layerSlot) =>
      this.#kernel.layerLimits(layerSlot, terms.shortChannelId, terms.direction),
    ).at(-1);
    const reserved = this.#reserved(terms);
    const texts: string[] = [];
    if (limited !== undefined) texts.push(`layer ${limited} says max is ${maximum}msat`);
    if (reserved > 0n) texts.push(reservedText(reserved));
    return {
      text: texts.length === 0 ? 'is constrained' : texts.join(' and '),
      data: {
        reason: 'constraint',
        limit_msat: terms.maxMsat,
        ...(limited !== undefined && { layer: limited, maximum_msat: maximum }),
        ...(reserved > 0n && { reserved_msat: reserved }),
      },
    };
  }

  #reserved(terms: EffectiveArc): bigint {
    const layerSlots = new Set([0, ...this.#query.stack]);
    let reserved = 0n;
    for (const layerSlot of layerSlots) {
      reserved += this.#kernel.layerReserves(layerSlot, terms.shortChannelId, terms.direction);
    }
    return reserved;
  }

  /** The most that the direction is known to pass, before reservations are taken off. */
  #unreservedMaximum(arc: number): bigint {
    const terms = this.#kernel.arc(arc);
    return this.#kernel.maximumBeforeReservations(arc, terms, this.#query.stack);
  }

  /** For each direction, the last layer that says something about its maximum. */
  #layersLimiting(arcs: readonly number[]): string[] {
    const names = new Set<string>();
    for (const arc of arcs) {
      const { shortChannelId, direction } = this.#kernel.arc(arc);
      const last = this.#layerNames((layerSlot) =>
        this.#kernel.layerLimits(layerSlot, shortChannelId, direction),
      ).at(-1);
      if (last !== undefined) names.add(last);
    }
    return [...names];
  }

  #layerNames(says: (layerSlot: number) => boolean): string[] {
    const { stack, layerNames } = this.#query;
    return layerNames.filter((_, index) => says(stack[index]!));
  }

  #name(arc: number): string {
    return formatShortChannelIdDir(this.#kernel.arc(arc));
  }

  #channelName(arc: number): string {
    return this.#name(arc).slice(0, -2);
  }
}
