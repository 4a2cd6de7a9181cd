/**
 * Explains why there is no route. It turns the diagnosis into data (no-route.ts), with details from the layers and the
 * graph.
 *
 * If capacity is missing, both ends are examined first, in Core Lightning's order. Then the path with the fewest hops
 * is searched for the first direction that cannot carry its amount. A reason that comes from a layer contains the
 * layer's name.
 */
import { forwardingFeeMsat } from '../../model/policy.ts';
import { REFUSALS } from '../../model/refusals.ts';
import type { ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type {
  Binding,
  Constraint,
  DirectionFault,
  DisabledFault,
  EndShortage,
  NoRoute,
  RouteEnd,
} from '../question/no-route.ts';
import type { Question } from '../question/question.ts';
import type { Ends } from './ask.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Kernel } from './kernel.ts';
import { BASE_BEYOND, NONE } from './kernel-layout.ts';
import type { EffectiveArc } from './solution.ts';

/** Maximum number of an end's channels that are described individually. */
const DESCRIBED = 20;

/** Turns the diagnosis of a query into the reason that the caller receives. */
export function explainFailure(kernel: Kernel, query: Question, diagnosis: Diagnosis, ends: Ends): NoRoute {
  const binding = bindingOf(kernel, query, diagnosis, ends);
  const { remedy } = diagnosis;
  const mayHelp = REFUSALS[binding.kind].remedies.length > 0;
  return { binding, ...(remedy !== undefined && mayHelp && { remedy }) };
}

function bindingOf(kernel: Kernel, query: Question, diagnosis: Diagnosis, ends: Ends): Binding {
  const { maxfeeMsat, maxdelay, maxparts, maxhops } = query;
  switch (diagnosis.binding) {
    case 'deadline':
    case 'effort':
      return { kind: diagnosis.binding };
    case 'feeLimit':
      return { kind: 'feeLimit', maxfeeMsat };
    case 'delayLimit':
      return { kind: 'delayLimit', maxdelay };
    case 'partsLimit':
      return { kind: 'partsLimit', maxparts, needed: diagnosis.remedy?.maxparts ?? diagnosis.parts! };
    case 'hopLimit':
      return { kind: 'hopLimit', maxhops };
    case 'limits':
      return { kind: 'limits', maxparts, maxdelay, maxfeeMsat };
    case 'deduction':
      return { kind: 'deduction', ...diagnosis.shortfall! };
    case 'capacity': {
      const explainer = new Explainer(kernel, query, diagnosis);
      return (
        explainer.atEnd('source', ends.source) ??
        explainer.atEnd('destination', ends.destination) ??
        explainer.alongShortestPath(ends)
      );
    }
  }
}

const sum = (arcs: readonly number[], of: (arc: number) => bigint): bigint =>
  arcs.reduce((total, arc) => total + of(arc), 0n);

class Explainer {
  readonly #kernel: Kernel;
  readonly #query: Question;
  readonly #diagnosis: Diagnosis;
  readonly #amount: bigint;
  readonly #arcs = new Map<number, EffectiveArc>();

  constructor(kernel: Kernel, query: Question, diagnosis: Diagnosis) {
    this.#kernel = kernel;
    this.#query = query;
    this.#diagnosis = diagnosis;
    this.#amount = query.amountMsat;
  }

  /** What is wrong with an end's channels; undefined when they can carry the amount. */
  atEnd(end: RouteEnd, node: number): Binding | undefined {
    const arcs = this.#kernel.arcsOf(node, end === 'source');
    const shortage = this.#shortageOf(arcs);
    if (shortage === undefined) return undefined;
    return { kind: 'endCapacity', end, channels: arcs.map((arc) => this.#direction(arc)), shortage };
  }

  /**
   * Makes five checks of one end's channels, in Core Lightning's order. The first that applies is the explanation. For
   * most ends, the first channels show that none applies.
   */
  #shortageOf(arcs: readonly number[]): EndShortage | undefined {
    const capacity = (arc: number): bigint => this.#kernel.capacityMsat(arc);
    const known = (arc: number): bigint => this.#unreservedMaximum(arc);
    const isAnnounced = (arc: number): boolean => this.#arc(arc).known;
    const isEnabled = (arc: number): boolean => isAnnounced(arc) && this.#arc(arc).enabled;
    if (!this.#isEnough(arcs, capacity)) return { kind: 'total', totalMsat: sum(arcs, capacity) };
    if (!this.#isEnough(arcs, known))
      return { kind: 'known', limitMsat: sum(arcs, known), layers: this.#layersLimiting(arcs) };
    if (!this.#isEnough(arcs, capacity, isAnnounced)) {
      const announced = arcs.filter(isAnnounced);
      const [announcedMsat, totalMsat] = [sum(announced, capacity), sum(arcs, capacity)];
      return { kind: 'gossip', announced: announced.length, announcedMsat, totalMsat };
    }
    if (!this.#isEnough(arcs, capacity, isEnabled)) {
      const enabled = arcs.filter(isEnabled);
      const [enabledMsat, totalMsat] = [sum(enabled, capacity), sum(arcs, capacity)];
      const disabled = this.#whyDisabled(arcs.filter(isAnnounced));
      return { kind: 'disabled', enabled: enabled.length, enabledMsat, totalMsat, disabled };
    }
    if (!this.#isEnough(arcs, known, isEnabled)) {
      const enabled = arcs.filter(isEnabled);
      return { kind: 'usable', limitMsat: sum(enabled, known), layers: this.#layersLimiting(enabled) };
    }
    return undefined;
  }

  /** Whether the sum over the arcs that count reaches the amount. Reads no further arcs once it does. */
  #isEnough(
    arcs: readonly number[],
    of: (arc: number) => bigint,
    counts: (arc: number) => boolean = () => true,
  ): boolean {
    let left = this.#amount;
    for (const arc of arcs) {
      if (left <= 0n) return true;
      if (counts(arc)) left -= of(arc);
    }
    return left <= 0n;
  }

  /** The terms of an arc, read once. */
  #arc(arc: number): EffectiveArc {
    let terms = this.#arcs.get(arc);
    if (terms === undefined) {
      terms = this.#kernel.arc(arc);
      this.#arcs.set(arc, terms);
    }
    return terms;
  }

  /** Finds what blocks the path with the fewest hops, starting at the source. */
  alongShortestPath({ source, destination }: Ends): Binding {
    const indexes = this.#kernel.fewestHopPath(source, destination);
    if (indexes.length === 0) return { kind: 'unconnected' };
    const arcs = indexes.map((index) => this.#arc(index));
    const path = arcs.map(({ shortChannelId }) => shortChannelId);
    const cut = this.#diagnosis.cut.map((arc) => this.#direction(arc));
    const amounts = this.#amountsAlong(arcs);
    for (const [hop, index] of indexes.entries()) {
      const amountMsat = amounts[hop]!;
      const fault = this.#faultOf(index, arcs[hop]!, amountMsat);
      if (fault !== undefined) {
        return { kind: 'direction', of: this.#direction(index), amountMsat, fault, path, cut };
      }
    }
    return { kind: 'capacity', amountMsat: this.#amount, path, cut };
  }

  /** The amount that each hop would have to carry. */
  #amountsAlong(arcs: readonly EffectiveArc[]): bigint[] {
    const amounts: bigint[] = [];
    let reach = this.#amount;
    for (const arc of [...arcs].reverse()) {
      amounts.unshift(reach);
      // A base fee that exceeds 32 bits is not stored, so it cannot be added. Its direction is disabled anyway.
      if (arc.feeBaseMsat === BASE_BEYOND) continue;
      reach += forwardingFeeMsat(arc, reach);
    }
    return amounts;
  }

  #faultOf(arc: number, terms: EffectiveArc, amount: bigint): DirectionFault | undefined {
    if (!terms.known) return { kind: 'noGossip' };
    if (!terms.enabled) return this.#disabled(terms);
    const capacity = this.#kernel.capacityMsat(arc);
    if (amount > capacity) {
      const creator = this.#isCreated(terms)
        ? this.#layerNames((layerSlot) => this.#kernel.layerCreates(layerSlot, terms.shortChannelId)).at(0)
        : undefined;
      return { kind: 'capacity', limitMsat: capacity, ...(creator !== undefined && { layer: creator }) };
    }
    if (amount > terms.maxMsat) return this.#constrained(arc, terms);
    if (amount > terms.htlcMaximumMsat) return { kind: 'htlcMaximum', limitMsat: terms.htlcMaximumMsat };
    if (amount < terms.htlcMinimumMsat) return { kind: 'htlcMinimum', limitMsat: terms.htlcMinimumMsat };
    return undefined;
  }

  /** The first disabled directions, each with the reason why it is disabled. */
  #whyDisabled(arcs: readonly number[]): { of: ShortChannelIdDir; fault: DisabledFault }[] {
    const disabled = arcs.filter((arc) => !this.#arc(arc).enabled).slice(0, DESCRIBED);
    return disabled.map((arc) => ({
      of: this.#direction(arc),
      fault: this.#disabled(this.#arc(arc)),
    }));
  }

  /**
   * What disables a direction. The last layer in the list that mentions the direction counts, so layers are checked
   * from last to first, and gossip after them.
   */
  #disabled(terms: EffectiveArc): DisabledFault {
    const { layerIds: stack, layerNames, destination } = this.#query;
    const { shortChannelId, direction, tail, head } = terms;
    if (terms.feeBaseMsat === BASE_BEYOND) return { kind: 'fee' };
    const isPayable = this.#kernel.nodeId(head) === destination;
    const creator = stack.findIndex((layerSlot) => this.#kernel.layerCreates(layerSlot, shortChannelId));
    for (let i = stack.length - 1; i >= 0; i--) {
      const [layerSlot, layer] = [stack[i]!, layerNames[i]!];
      if (this.#kernel.layerDisablesNode(layerSlot, head) && !isPayable) {
        return { kind: 'nodeDisabled', side: 'head', node: this.#kernel.nodeId(head), layer };
      }
      if (this.#kernel.layerDisablesNode(layerSlot, tail)) {
        return { kind: 'nodeDisabled', side: 'tail', node: this.#kernel.nodeId(tail), layer };
      }
      if (this.#kernel.layerDisables(layerSlot, shortChannelId, direction) && i >= creator) {
        return { kind: 'disabled', layer };
      }
    }
    if (this.#isCreated(terms)) return { kind: 'neverEnabled', layer: layerNames[creator]! };
    return { kind: 'disabled' };
  }

  /** Whether gossip does not have the channel, so that a layer must have created it. */
  #isCreated({ shortChannelId }: EffectiveArc): boolean {
    return this.#kernel.exports.findChannel(shortChannelId) >>> 0 === NONE;
  }

  /**
   * Why a direction is constrained. Only sums of reservations are known here; name-reservations.ts adds which requests
   * made them.
   */
  #constrained(arc: number, terms: EffectiveArc): Constraint {
    const maximumMsat = this.#unreservedMaximum(arc);
    const layer = this.#layerNames((layerSlot) =>
      this.#kernel.layerLimits(layerSlot, terms.shortChannelId, terms.direction),
    ).at(-1);
    return {
      kind: 'constraint',
      limitMsat: terms.maxMsat,
      ...(layer !== undefined && { known: { layer, maximumMsat } }),
      reservedMsat: this.#reserved(terms),
    };
  }

  #reserved(terms: EffectiveArc): bigint {
    const layerSlots = new Set([0, ...this.#query.layerIds]);
    let reserved = 0n;
    for (const layerSlot of layerSlots) {
      reserved += this.#kernel.layerReserves(layerSlot, terms.shortChannelId, terms.direction);
    }
    return reserved;
  }

  /** The known maximum of the direction, before subtracting reservations. */
  #unreservedMaximum(arc: number): bigint {
    const terms = this.#arc(arc);
    return this.#kernel.maximumBeforeReservations(arc, terms, this.#query.layerIds);
  }

  /** For each direction, the last layer that limits its maximum. */
  #layersLimiting(arcs: readonly number[]): string[] {
    const names = new Set<string>();
    for (const arc of arcs) {
      const { shortChannelId, direction } = this.#arc(arc);
      const last = this.#layerNames((layerSlot) =>
        this.#kernel.layerLimits(layerSlot, shortChannelId, direction),
      ).at(-1);
      if (last !== undefined) names.add(last);
    }
    return [...names];
  }

  #layerNames(says: (layerSlot: number) => boolean): string[] {
    const { layerIds: stack, layerNames } = this.#query;
    return layerNames.filter((_, index) => says(stack[index]!));
  }

  #direction(arc: number): ShortChannelIdDir {
    const { shortChannelId, direction } = this.#arc(arc);
    return { shortChannelId, direction };
  }
}
