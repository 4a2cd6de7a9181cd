/**
 * Why there is no route, as text in Core Lightning's forms (where they are true) and as data.
 *
 * `data.binding.kind` is one of:
 *
 *   unknown_node           an end has no channel under these layers
 *   fee_cap, delay_cap, parts_cap, hop_limit    a limit prevents a route
 *   source_capacity, destination_capacity       the channels of an end pass too little
 *   unconnected            no path connects the ends
 *   channel                one direction is blocked
 *   capacity               the network between the ends cannot pass the amount
 *   deduction              fees taken out of the amount leave a hop too little
 *   deadline, effort       the search ended first
 *
 * `cut` lists the directions of a minimum cut: no routes can bring more across the cut than the sum of their known
 * maxima. Layers are named where they matter. `layers`: their records limit an end. `layer` with `reason` and
 * `short_channel_id_dir` or `node`: the entry that disables. `disabled`: the same for each channel of an end.
 * `data.remedy` names the parameters to change and their values. It is absent when no remedy was found. It has
 * `minimal: false` when a lesser change may work too.
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
  formatShortChannelId,
  formatShortChannelIdDir,
  type ShortChannelId,
  type ShortChannelIdDir,
} from '../../model/short-channel-id.ts';
import type { Data, Told } from '../told.ts';

const UNUSABLE = 'We could not find a usable set of paths.';

/** The error of a route query without a route. */
export function noRouteInWords({ binding, remedy }: NoRoute): Told & { readonly data: Data } {
  const { message, data } = bindingInWords(binding);
  return {
    error: errorOf(binding),
    message,
    data: { binding: data, ...(remedy !== undefined && { remedy: remedyData(remedy) }) },
  };
}

/** The changes that help, under the names of the parameters of `getroutes`. */
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

/** A text, and the same as data. */
interface Words {
  readonly message: string;
  readonly data: Data;
}

function bindingInWords(binding: NoRoute['binding']): Words {
  switch (binding.kind) {
    case 'unknownNode': {
      const { end, node } = binding;
      return { message: `Unknown ${end} node ${node}`, data: { kind: 'unknown_node', end } };
    }
    case 'feeLimit':
      return {
        message: 'Could not find route without excessive cost',
        data: { kind: 'fee_cap', maxfee_msat: binding.maxfeeMsat },
      };
    case 'delayLimit':
      return {
        message: 'Could not find route without excessive delays',
        data: { kind: 'delay_cap', maxdelay: binding.maxdelay },
      };
    case 'partsLimit': {
      const { maxparts, needed } = binding;
      return {
        message: `Failed to reduce ${needed} flows down to maxparts (${maxparts})`,
        data: { kind: 'parts_cap', maxparts },
      };
    }
    case 'hopLimit': {
      const { maxhops } = binding;
      return {
        message: `Only paths of more than ${maxhops} hops exist`,
        data: { kind: 'hop_limit', maxhops },
      };
    }
    case 'endCapacity':
      return endInWords(binding);
    case 'unconnected':
      return {
        message: 'There is no connection between source and destination at all',
        data: { kind: 'unconnected' },
      };
    case 'direction':
      return directionInWords(binding);
    case 'capacity': {
      const { amountMsat, path, cut } = binding;
      const message = `${UNUSABLE} The channels between source and destination cannot pass ${amountMsat}msat together, though the shortest path is ${pathText(path)}.`;
      return { message, data: { kind: 'capacity', ...cutData(cut) } };
    }
    case 'deduction':
      return deductionInWords(binding);
    case 'effort':
      return {
        message: 'The search ended before it found a route or proved that there is none',
        data: { kind: 'effort' },
      };
    case 'deadline': {
      const waited = binding.waited === 'inQueue' ? 'in the queue' : 'for a worker';
      return {
        message: TIMED_OUT,
        data: { kind: 'deadline', ...(binding.waited !== undefined && { waited }) },
      };
    }
  }
}

/** The text for every search whose time ran out. */
export const TIMED_OUT = 'linear_routes: timed out after deadline';

function endInWords({ end, channels, shortage }: EndCapacity): Words {
  const { text, data } = shortageInWords(end, channels.length, shortage);
  return {
    message: `${UNUSABLE} ${text}`,
    data: { kind: `${end}_capacity`, channels: channels.map(formatShortChannelIdDir), ...data },
  };
}

function shortageInWords(
  end: RouteEnd,
  count: number,
  shortage: EndCapacity['shortage'],
): { text: string; data?: Data } {
  const among = `(in ${count} channels)`;
  switch (shortage.kind) {
    case 'total':
      return { text: `Total ${end} capacity is only ${shortage.totalMsat}msat ${among}.` };
    case 'known':
    case 'usable': {
      const { limitMsat, layers } = shortage;
      const capacity = shortage.kind === 'known' ? 'maximum capacity' : 'maximum usable capacity';
      return {
        text: `We know from ${listed(layers)} that ${end} has ${capacity} ${limitMsat}msat ${among}.`,
        data: { layers, limit_msat: limitMsat },
      };
    }
    case 'gossip': {
      const { announced, announcedMsat, totalMsat } = shortage;
      return {
        text: `Missing gossip for ${end}: only known ${announced}/${count} channels, leaving capacity only ${announcedMsat}msat of ${totalMsat}msat.`,
      };
    }
    case 'disabled': {
      const { enabled, enabledMsat, totalMsat, disabled } = shortage;
      const text =
        enabled === 0
          ? `All ${count} channels to the ${end} are disabled.`
          : `${count - enabled} of ${count} channels to ${end} are disabled, leaving capacity only ${enabledMsat}msat of ${totalMsat}msat.`;
      const described = disabled.map(({ of, fault }) => ({
        short_channel_id_dir: formatShortChannelIdDir(of),
        ...faultInWords(fault).data,
      }));
      return { text, data: { disabled: described } };
    }
  }
}

/** A list in words: `layer a`, or `layers a, b and c`. */
function listed(layers: readonly string[]): string {
  if (layers.length <= 1) return layers[0] ?? 'gossip';
  return `layers ${layers.slice(0, -1).join(', ')} and ${layers.at(-1)}`;
}

function directionInWords({ of, amountMsat, fault, path, cut }: BlockedDirection): Words {
  const name = formatShortChannelIdDir(of);
  const { text, data, later } = faultInWords(fault, amountMsat);
  return {
    message: `${UNUSABLE} The shortest path is ${pathText(path)}, but ${name} ${text}`,
    data: {
      kind: 'channel',
      short_channel_id_dir: name,
      amount_msat: amountMsat,
      ...data,
      ...cutData(cut),
      ...later,
    },
  };
}

const pathText = (path: readonly ShortChannelId[]): string => path.map(formatShortChannelId).join('->');

const cutData = (cut: readonly ShortChannelIdDir[]): Data =>
  cut.length > 0 ? { cut: cut.map(formatShortChannelIdDir) } : {};

/**
 * What is wrong with a direction. `text` and `data` follow the direction's name in the message and in the data.
 * `later` are members that come after those of the cut.
 */
interface FaultWords {
  readonly text: string;
  readonly data: Data;
  readonly later?: Data;
}

/** @param amountMsat what the direction would have to pass, if that matters */
function faultInWords(fault: DirectionFault, amountMsat = 0n): FaultWords {
  switch (fault.kind) {
    case 'noGossip':
      return { text: 'has no gossip', data: { reason: 'no_gossip' } };
    case 'fee':
      return { text: 'asks more than any payment is worth.', data: { reason: 'fee' } };
    case 'disabled': {
      const { layer } = fault;
      const by = layer === undefined ? 'gossip message' : `layer ${layer}`;
      return {
        text: `marked disabled by ${by}.`,
        data: { reason: 'disabled', ...(layer !== undefined && { layer }) },
      };
    }
    case 'neverEnabled': {
      const { layer } = fault;
      return {
        text: `was never enabled (created by layer ${layer}).`,
        data: { reason: 'not_enabled', layer },
      };
    }
    case 'nodeDisabled': {
      const { side, layer, node } = fault;
      const verb = side === 'head' ? 'leads to' : 'leaves';
      return {
        text: `${verb} node disabled by layer ${layer}.`,
        data: { reason: 'node_disabled', layer, node },
      };
    }
    case 'capacity': {
      const { layer, limitMsat } = fault;
      const created = layer === undefined ? '' : ` (created by layer ${layer}) `;
      return {
        text: `${created}isn't big enough to carry ${amountMsat}msat.`,
        data: { reason: 'capacity', limit_msat: limitMsat, ...(layer !== undefined && { layer }) },
      };
    }
    case 'htlcMaximum':
      return {
        text: `exceeds htlc_maximum_msat ~${fault.limitMsat}msat`,
        data: { reason: 'htlc_maximum', limit_msat: fault.limitMsat },
      };
    case 'htlcMinimum':
      return {
        text: `${BELOW_MINIMUM} ~${fault.limitMsat}msat`,
        data: { reason: 'htlc_minimum', limit_msat: fault.limitMsat },
      };
    case 'constraint':
      return constraintInWords(fault);
  }
}

/** Spelled as Core Lightning spells it. */
const BELOW_MINIMUM = 'below htlc_minumum_msat';

function constraintInWords({ limitMsat, known, reservedMsat, reservations }: Constraint): FaultWords {
  const texts: string[] = [];
  if (known !== undefined) texts.push(`layer ${known.layer} says max is ${known.maximumMsat}msat`);
  if (reservations !== undefined) {
    const { first, more } = reservations;
    const others = more > 0 ? ` and ${more} more` : '';
    texts.push(`already reserved ${first.map(reservationText).join(', ')}${others}`);
  } else if (reservedMsat > 0n) texts.push(`already reserved ${reservedMsat}msat`);
  return {
    text: texts.length === 0 ? 'is constrained' : texts.join(' and '),
    data: {
      reason: 'constraint',
      limit_msat: limitMsat,
      ...(known !== undefined && { layer: known.layer, maximum_msat: known.maximumMsat }),
      ...(reservedMsat > 0n && { reserved_msat: reservedMsat }),
    },
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

/** With `auto.include_fees`: the fees leave some hop less than it passes on, or nothing. */
function deductionInWords({ of, amountMsat, leastMsat, htlcMinimumMsat }: Deduction): Words {
  const name = formatShortChannelIdDir(of);
  const left = `${UNUSABLE} Fees taken out of the amount leave ${amountMsat}msat for ${name}`;
  return {
    message: amountMsat === 0n ? `${left}.` : `${left}, ${BELOW_MINIMUM} ~${htlcMinimumMsat}msat`,
    data: { kind: 'deduction', short_channel_id_dir: name, amount_msat: amountMsat, limit_msat: leastMsat },
  };
}
