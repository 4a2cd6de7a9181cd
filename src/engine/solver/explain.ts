/**
 * Explains why there is no route. It turns the diagnosis into data (no-route.ts), with what the layers and the graph
 * say.
 *
 * When capacity is lacking, both ends are examined first, in Core Lightning's order. Then the path of fewest hops is
 * searched for the first direction that cannot pass the amount it would have to carry. Every reason that comes from a
 * layer names that layer.
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

/** Maximum number of channels of an end described one by one. */
const DESCRIBED = 20;

/** The reason that the caller gets, from the diagnosis of the query. */
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

class Explainer {
  readonly #kernel: Kernel;
  readonly #query: Question;
  readonly #diagnosis: Diagnosis;
  readonly #amount: bigint;

  constructor(kernel: Kernel, query: Question, diagnosis: Diagnosis) {
    this.#kernel = kernel;
    this.#query = query;
    this.#diagnosis = diagnosis;
    this.#amount = query.amountMsat;
  }

  /** What the channels of an end lack; undefined when they can pass the amount. */
  atEnd(end: RouteEnd, node: number): Binding | undefined {
    const arcs = this.#kernel.arcsOf(node, end === 'source');
    const shortage = this.#shortageOf(arcs);
    if (shortage === undefined) return undefined;
    return { kind: 'endCapacity', end, channels: arcs.map((arc) => this.#direction(arc)), shortage };
  }

  /**
   * Asks five questions about the channels of one end, in Core Lightning's order. The first that applies is
   * the explanation.
   */
  #shortageOf(arcs: readonly number[]): EndShortage | undefined {
    const capacity = (arc: number): bigint => this.#kernel.capacityMsat(arc);
    const sum = (list: readonly number[], of: (arc: number) => bigint): bigint =>
      list.reduce((total, arc) => total + of(arc), 0n);
    const known = (arc: number): bigint => this.#unreservedMaximum(arc);
    const totalMsat = sum(arcs, capacity);
    if (this.#amount > totalMsat) return { kind: 'total', totalMsat };
    const limitMsat = sum(arcs, known);
    if (this.#amount > limitMsat) return { kind: 'known', limitMsat, layers: this.#layersLimiting(arcs) };
    const announced = arcs.filter((arc) => this.#kernel.arc(arc).known);
    const announcedMsat = sum(announced, capacity);
    if (this.#amount > announcedMsat) {
      return { kind: 'gossip', announced: announced.length, announcedMsat, totalMsat };
    }
    const enabled = announced.filter((arc) => this.#kernel.arc(arc).enabled);
    const enabledMsat = sum(enabled, capacity);
    if (this.#amount > enabledMsat) {
      const disabled = this.#whyDisabled(announced);
      return { kind: 'disabled', enabled: enabled.length, enabledMsat, totalMsat, disabled };
    }
    const usableMsat = sum(enabled, known);
    if (this.#amount > usableMsat) {
      return { kind: 'usable', limitMsat: usableMsat, layers: this.#layersLimiting(enabled) };
    }
    return undefined;
  }

  /** Finds what blocks the path of fewest hops, from the source on. */
  alongShortestPath({ source, destination }: Ends): Binding {
    const indexes = this.#kernel.fewestHopPath(source, destination);
    if (indexes.length === 0) return { kind: 'unconnected' };
    const arcs = indexes.map((index) => this.#kernel.arc(index));
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
      // The base fee of such a direction is not known, so it is not added. The direction itself is blocked.
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

  /** For the first directions that are disabled: what disables them. */
  #whyDisabled(arcs: readonly number[]): { of: ShortChannelIdDir; fault: DisabledFault }[] {
    const disabled = arcs.filter((arc) => !this.#kernel.arc(arc).enabled).slice(0, DESCRIBED);
    return disabled.map((arc) => ({
      of: this.#direction(arc),
      fault: this.#disabled(this.#kernel.arc(arc)),
    }));
  }

  /**
   * What disables a direction. In a list of layers the last one that says something counts. So layers are asked from
   * the last to the first, and gossip comes after them.
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

  /** Whether gossip does not know the channel, so that a layer must have created it. */
  #isCreated({ shortChannelId }: EffectiveArc): boolean {
    return this.#kernel.exports.findChannel(shortChannelId) >>> 0 === NONE;
  }

  /**
   * Why a direction is constrained. Here only sums of reservations are known; name-reservations.ts adds who
   * reserved them.
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

  /** The maximum that the direction is known to pass, before reservations are taken off. */
  #unreservedMaximum(arc: number): bigint {
    const terms = this.#kernel.arc(arc);
    return this.#kernel.maximumBeforeReservations(arc, terms, this.#query.layerIds);
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
    const { layerIds: stack, layerNames } = this.#query;
    return layerNames.filter((_, index) => says(stack[index]!));
  }

  #direction(arc: number): ShortChannelIdDir {
    const { shortChannelId, direction } = this.#kernel.arc(arc);
    return { shortChannelId, direction };
  }
}
