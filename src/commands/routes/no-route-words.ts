/**
 * Why there is no route, as text and as data. Texts have Core Lightning's form where it has the same error.
 *
 * src/model/refusals.ts lists the kinds of `data.binding`, with their texts and members. Some members have a fixed
 * meaning:
 * - `cut`: the directions of a minimum cut. Routes cannot carry more across the cut than the sum of the directions'
 *   known maxima.
 * - `layers`: the layers whose records limit the source or the destination.
 * - `layer` with `reason` and `short_channel_id_dir` or `node`: the layer entry that disables a direction or a node.
 * - `disabled`: for each disabled direction of the source or the destination, its name, the `reason`, and such an entry
 *   if there is one.
 *
 * `data.remedy` names the parameters to change and their values. It is absent when no remedy was found. It has
 * `minimal: false` when a smaller change may work too.
 */
import {
  type BlockedDirection,
  type Constraint,
  type CountingReservation,
  type Deduction,
  type DirectionFault,
  type EndCapacity,
  errorOf,
  type NoRoute,
  type Remedy,
  type RouteEnd,
} from '../../engine/question/no-route.ts';
import {
  DIRECTION_FAULTS,
  filled,
  LEFT_BELOW_MINIMUM,
  type NumericRefusal,
  REFUSALS,
  type RefusalRow,
  SHORTAGES,
} from '../../model/refusals.ts';
import {
  formatShortChannelId,
  formatShortChannelIdDir,
  type ShortChannelId,
  type ShortChannelIdDir,
} from '../../model/short-channel-id.ts';
import type { ClientError, Data } from '../client-error.ts';

/** The error of a route query that found no route. */
export function noRouteInWords({ binding, remedy }: NoRoute): ClientError & { readonly data: Data } {
  const { message, data } = bindingInWords(binding);
  return {
    error: errorOf(binding),
    message,
    data: { binding: data, ...(remedy !== undefined && { remedy: remedyData(remedy) }) },
  };
}

/** The changes that help, as values of the parameters of `getroutes`. */
export function remedyData({ amountMsat, maxfeeMsat, maxdelay, finalCltv, maxparts, minimal }: Remedy): Data {
  return {
    ...(amountMsat !== undefined && { amount_msat: amountMsat }),
    ...(maxfeeMsat !== undefined && { maxfee_msat: maxfeeMsat }),
    ...(maxdelay !== undefined && { maxdelay }),
    ...(finalCltv !== undefined && { final_cltv: finalCltv }),
    ...(maxparts !== undefined && { maxparts }),
    ...(minimal !== undefined && { minimal }),
  };
}

/** The text of a refusal, and the same information as data. */
interface Words {
  readonly message: string;
  readonly data: Data;
}

function bindingInWords(binding: NoRoute['binding']): Words {
  switch (binding.kind) {
    case 'unknownNode':
      return words(binding, { end: binding.end });
    case 'endCapacity':
      return endInWords(binding);
    case 'direction':
      return directionInWords(binding);
    case 'capacity': {
      const { amountMsat, path, cut } = binding;
      return words({ ...binding, amount: amountMsat, path: pathText(path) }, cutData(cut));
    }
    case 'deduction':
      return deductionInWords(binding);
    case 'deadline': {
      const waited = binding.waited === 'inQueue' ? 'in the queue' : 'for a worker';
      return words(binding, binding.waited !== undefined ? { waited } : {});
    }
    default:
      return words(binding, factsShown(binding));
  }
}

/** The facts of a refusal that the table of refusals lists as members of `data.binding`. */
function factsShown({ kind, ...facts }: NumericRefusal): Data {
  const { members }: RefusalRow = REFUSALS[kind];
  const named = Object.entries(facts).map(([fact, value]) => [fact.replace('Msat', '_msat'), value] as const);
  return Object.fromEntries(named.filter(([name]) => members.includes(name)));
}

/** Fills in the row of a reason: inserts `values` into its text. */
function words(
  values: { readonly kind: NoRoute['binding']['kind'] } & Readonly<Record<string, unknown>>,
  members: Data = {},
): Words {
  const { text, wire } = REFUSALS[values.kind];
  return { message: filled(text, values), data: { kind: filled(wire, values), ...members } };
}

/** The text for every search that timed out. */
export const TIMED_OUT: string = REFUSALS.deadline.text;

function endInWords(binding: EndCapacity): Words {
  const { end, channels, shortage } = binding;
  const { text, data } = shortageInWords(end, channels.length, shortage);
  return words({ ...binding, shortage: text }, { channels: channels.map(formatShortChannelIdDir), ...data });
}

function shortageInWords(
  end: RouteEnd,
  count: number,
  shortage: EndCapacity['shortage'],
): { text: string; data?: Data } {
  const { text } = SHORTAGES[shortage.kind];
  const among = `(in ${count} channels)`;
  switch (shortage.kind) {
    case 'total':
      return { text: filled(text, { end, total: shortage.totalMsat, among }) };
    case 'known':
    case 'usable': {
      const { limitMsat, layers } = shortage;
      return {
        text: filled(text, { layers: listed(layers), end, limit: limitMsat, among }),
        data: { layers, limit_msat: limitMsat },
      };
    }
    case 'gossip': {
      const { announced, announcedMsat, totalMsat } = shortage;
      return { text: filled(text, { end, some: announced, count, left: announcedMsat, total: totalMsat }) };
    }
    case 'disabled': {
      const { enabled, enabledMsat, totalMsat, disabled } = shortage;
      const template = enabled === 0 ? SHORTAGES.allDisabled.text : text;
      const described = disabled.map(({ of, fault }) => ({
        short_channel_id_dir: formatShortChannelIdDir(of),
        ...faultInWords(fault).data,
      }));
      return {
        text: filled(template, { off: count - enabled, count, end, left: enabledMsat, total: totalMsat }),
        data: { disabled: described },
      };
    }
  }
}

/** A list of layers as text: `a`, or `layers a, b and c`. An empty list becomes `gossip`. */
function listed(layers: readonly string[]): string {
  if (layers.length <= 1) return layers[0] ?? 'gossip';
  return `layers ${layers.slice(0, -1).join(', ')} and ${layers.at(-1)}`;
}

function directionInWords(binding: BlockedDirection): Words {
  const { of, amountMsat, fault, path, cut } = binding;
  const direction = formatShortChannelIdDir(of);
  const { text, data, later } = faultInWords(fault, amountMsat);
  return words(
    { kind: binding.kind, path: pathText(path), direction, fault: text },
    { short_channel_id_dir: direction, amount_msat: amountMsat, ...data, ...cutData(cut), ...later },
  );
}

const pathText = (path: readonly ShortChannelId[]): string => path.map(formatShortChannelId).join('->');

const cutData = (cut: readonly ShortChannelIdDir[]): Data =>
  cut.length > 0 ? { cut: cut.map(formatShortChannelIdDir) } : {};

/**
 * What is wrong with a direction. The message has `text` after the name of the direction, and `data` has the members
 * that follow `short_channel_id_dir`. `later` has the members that follow `cut`.
 */
interface FaultWords {
  readonly text: string;
  readonly data: Data;
  readonly later?: Data;
}

/**
 * Describes what is wrong with a direction.
 * @param amountMsat the amount that the direction would have to carry, if it matters for the fault
 */
function faultInWords(fault: DirectionFault, amountMsat = 0n): FaultWords {
  switch (fault.kind) {
    case 'noGossip':
    case 'fee':
      return faultWords(fault);
    case 'disabled': {
      const { layer } = fault;
      const by = layer === undefined ? 'gossip message' : `layer ${layer}`;
      return faultWords({ ...fault, by }, layer !== undefined ? { layer } : {});
    }
    case 'neverEnabled':
      return faultWords(fault, { layer: fault.layer });
    case 'nodeDisabled': {
      const { side, layer, node } = fault;
      return faultWords({ ...fault, verb: side === 'head' ? 'leads to' : 'leaves' }, { layer, node });
    }
    case 'capacity': {
      const { layer, limitMsat } = fault;
      const created = layer === undefined ? '' : ` (created by layer ${layer}) `;
      return faultWords(
        { ...fault, created, amount: amountMsat },
        { limit_msat: limitMsat, ...(layer !== undefined && { layer }) },
      );
    }
    case 'htlcMaximum':
    case 'htlcMinimum':
      return faultWords({ ...fault, limit: fault.limitMsat }, { limit_msat: fault.limitMsat });
    case 'constraint':
      return constraintInWords(fault);
  }
}

/** Fills in the row of a fault: inserts `values` into its text. */
function faultWords(
  values: { readonly kind: DirectionFault['kind'] } & Readonly<Record<string, unknown>>,
  members: Data = {},
): FaultWords {
  const { text, wire } = DIRECTION_FAULTS[values.kind];
  return { text: filled(text, values), data: { reason: wire, ...members } };
}

function constraintInWords({ kind, limitMsat, known, reservedMsat, reservations }: Constraint): FaultWords {
  const texts: string[] = [];
  if (known !== undefined) texts.push(`layer ${known.layer} says max is ${known.maximumMsat}msat`);
  if (reservations !== undefined) {
    const { first, more } = reservations;
    const others = more > 0 ? ` and ${more} more` : '';
    texts.push(`already reserved ${first.map(reservationText).join(', ')}${others}`);
  } else if (reservedMsat > 0n) texts.push(`already reserved ${reservedMsat}msat`);
  const limits = texts.length === 0 ? 'is constrained' : texts.join(' and ');
  const members = {
    limit_msat: limitMsat,
    ...(known !== undefined && { layer: known.layer, maximum_msat: known.maximumMsat }),
    ...(reservedMsat > 0n && { reserved_msat: reservedMsat }),
  };
  return {
    ...faultWords({ kind, limits }, members),
    ...(reservations !== undefined && { later: { reservations: reservations.first.map(reservationData) } }),
  };
}

function reservationText({ amountMsat, commandId, ageS }: CountingReservation): string {
  return `${amountMsat}msat by command ${commandId}${ageS >= 1 ? ` (${ageS} seconds ago)` : ''}`;
}

function reservationData({ amountMsat, commandId, ageS, layer }: CountingReservation): Data {
  return {
    amount_msat: amountMsat,
    command_id: commandId,
    age_in_seconds: ageS,
    ...(layer !== undefined && { layer }),
  };
}

/**
 * The error of a search with `auto.include_fees`: after the fees are deducted, some hop gets less than its minimum, or
 * nothing.
 */
function deductionInWords({ kind, of, amountMsat, leastMsat, htlcMinimumMsat }: Deduction): Words {
  const direction = formatShortChannelIdDir(of);
  const minimum = amountMsat === 0n ? '.' : filled(LEFT_BELOW_MINIMUM, { minimum: htlcMinimumMsat });
  return words(
    { kind, amount: amountMsat, direction, minimum },
    { short_channel_id_dir: direction, amount_msat: amountMsat, limit_msat: leastMsat },
  );
}
