/**
 * Every reason why there is no route: one row each, from the kernel's status to the text for users. The code refers to
 * a reason by the name of its row. All its other names appear only here: `kind` of `data.binding`, the error, Core
 * Lightning's text, the members of the data, the possible remedies, and the label in metrics.
 *
 * Texts are templates: `{name}` is replaced with a value of the reason. Amounts are in msat, delays in blocks.
 */
import type { ErrorName } from './errors.ts';

/** A query parameter whose change may make an answer possible. */
export type RemedyParameter = 'amountMsat' | 'maxfeeMsat' | 'maxdelay' | 'finalCltv' | 'maxparts';

/** One reason why there is no route. */
export interface RefusalRow {
  /** `kind` of `data.binding`. `{end}` is `source` or `destination`. */
  readonly wire: string;
  /** The error of the answer (errors.ts). */
  readonly error: ErrorName;
  /** The message of the error, in Core Lightning's form where it has one. */
  readonly text: string;
  /** Members of `data.binding` besides `kind`. Members whose name ends with `?` may be absent. */
  readonly members: readonly string[];
  /** The parameters that a remedy may change. Empty if no remedy is offered. */
  readonly remedies: readonly RemedyParameter[];
  /** Label of the search's outcome in `fulgurite_route_search_seconds`. */
  readonly metric: 'no_route' | 'too_expensive' | 'too_slow' | 'undecided' | 'timeout';
  /** Explanation for users. */
  readonly meaning: string;
  /**
   * The numbers in the refusal, if it contains nothing else. Its type, check and text are derived from them. Other
   * refusals of a search are declared in src/engine/question/no-route.ts.
   */
  readonly facts?: Readonly<Record<string, keyof FactTypes>>;
}

/** The types of facts: an amount in msat, or a number of blocks, parts or hops. */
interface FactTypes {
  readonly amount: bigint;
  readonly count: number;
}

const ANY: readonly RemedyParameter[] = ['amountMsat', 'maxfeeMsat', 'maxdelay', 'finalCltv', 'maxparts'];
const NONE: readonly RemedyParameter[] = [];

/** Start of the text for every shortage of capacity, as in Core Lightning. */
const UNUSABLE = 'We could not find a usable set of paths.';

/** The reasons, by name. */
export const REFUSALS = {
  unknownNode: {
    wire: 'unknown_node',
    error: 'routeNotFound',
    text: 'Unknown {end} node {node}',
    members: ['end'],
    remedies: NONE,
    metric: 'no_route',
    meaning: 'The source or the destination has no channel under these layers.',
  },
  feeLimit: {
    wire: 'fee_cap',
    error: 'routeTooExpensive',
    text: 'Could not find route without excessive cost',
    members: ['maxfee_msat'],
    remedies: ANY,
    metric: 'too_expensive',
    meaning: 'The cheapest routes cost more than the fee limit.',
    facts: { maxfeeMsat: 'amount' },
  },
  delayLimit: {
    wire: 'delay_cap',
    error: 'routeTooExpensive',
    text: 'Could not find route without excessive delays',
    members: ['maxdelay'],
    remedies: ANY,
    metric: 'too_slow',
    meaning: 'Every route locks money for longer than the delay limit.',
    facts: { maxdelay: 'count' },
  },
  partsLimit: {
    wire: 'parts_cap',
    error: 'routeNotFound',
    text: 'Failed to reduce {needed} flows down to maxparts ({maxparts})',
    members: ['maxparts'],
    remedies: ANY,
    metric: 'no_route',
    meaning: 'The amount needs more parts than allowed.',
    // `needed` is the fewest parts with which a route was found.
    facts: { maxparts: 'count', needed: 'count' },
  },
  hopLimit: {
    wire: 'hop_limit',
    error: 'routeNotFound',
    text: 'Only paths of more than {maxhops} hops exist',
    members: ['maxhops'],
    remedies: NONE,
    metric: 'no_route',
    meaning: 'Every path has more hops than an onion can hold.',
    facts: { maxhops: 'count' },
  },
  limits: {
    wire: 'limits',
    error: 'routeNotFound',
    text: 'No route with at most {maxparts} parts meets all limits. It is not known which limit must change',
    members: ['maxparts', 'maxdelay', 'maxfee_msat'],
    remedies: ANY,
    metric: 'no_route',
    meaning: 'No route meets all limits. The search ended before it determined which limit is too strict.',
    facts: { maxparts: 'count', maxdelay: 'count', maxfeeMsat: 'amount' },
  },
  endCapacity: {
    wire: '{end}_capacity',
    error: 'routeNotFound',
    text: `${UNUSABLE} {shortage}`,
    members: ['channels', 'layers?', 'limit_msat?', 'disabled?'],
    remedies: ANY,
    metric: 'no_route',
    meaning: 'The channels of the source, or of the destination, cannot carry the amount together.',
  },
  unconnected: {
    wire: 'unconnected',
    error: 'routeNotFound',
    text: 'There is no connection between source and destination at all',
    members: [],
    remedies: NONE,
    metric: 'no_route',
    meaning: 'No path connects the source and the destination.',
    facts: {},
  },
  direction: {
    wire: 'channel',
    error: 'routeNotFound',
    text: `${UNUSABLE} The shortest path is {path}, but {direction} {fault}`,
    members: [
      ...['short_channel_id_dir', 'amount_msat', 'reason', 'limit_msat?', 'layer?', 'node?', 'maximum_msat?'],
      ...['reserved_msat?', 'cut?', 'reservations?'],
    ],
    remedies: ANY,
    metric: 'no_route',
    meaning: 'A direction on the shortest path cannot carry the amount.',
  },
  capacity: {
    wire: 'capacity',
    error: 'routeNotFound',
    text: `${UNUSABLE} The channels between source and destination cannot pass {amount}msat together, though the shortest path is {path}.`,
    members: ['cut?'],
    remedies: ANY,
    metric: 'no_route',
    meaning: 'The channels between the two ends cannot carry the amount together.',
  },
  deduction: {
    wire: 'deduction',
    error: 'routeNotFound',
    text: `${UNUSABLE} Fees taken out of the amount leave {amount}msat for {direction}{minimum}`,
    members: ['short_channel_id_dir', 'amount_msat', 'limit_msat'],
    remedies: ANY,
    metric: 'no_route',
    meaning: 'Fees taken out of the amount leave too little for a hop.',
  },
  effort: {
    wire: 'effort',
    error: 'undecided',
    text: 'The search ended before it found a route or proved that there is none',
    members: [],
    remedies: ANY,
    metric: 'undecided',
    meaning: 'The search budget ran out before a route was found or ruled out.',
    facts: {},
  },
  deadline: {
    wire: 'deadline',
    error: 'timedOut',
    text: 'linear_routes: timed out after deadline',
    members: ['waited?'],
    remedies: NONE,
    metric: 'timeout',
    meaning: 'The time limit was reached.',
  },
  tried: {
    wire: 'tried',
    error: 'routeNotFound',
    text: 'All remaining routes have already failed',
    members: [],
    remedies: NONE,
    metric: 'no_route',
    meaning: 'Every remaining route has already failed in this payment.',
  },
  unlikely: {
    wire: 'unlikely',
    error: 'routeNotFound',
    text: 'The remaining routes have a success probability of {ppm} ppm. After a failed attempt the minimum is {least} ppm',
    members: ['probability_ppm', 'least_ppm'],
    remedies: NONE,
    metric: 'no_route',
    meaning: 'After a failed attempt, the remaining routes are too unlikely to succeed.',
  },
  blindedPaths: {
    wire: 'blinded_paths',
    error: 'routeNotFound',
    text: 'No usable blinded paths: {problems}',
    members: [],
    remedies: NONE,
    metric: 'no_route',
    meaning: "None of the invoice's blinded paths can carry the amount.",
  },
  ownChannel: {
    wire: 'own_channel',
    error: 'paymentFailed',
    text: '{words}',
    members: ['short_channel_id_dir', 'cause', 'words?', 'search?'],
    remedies: NONE,
    metric: 'no_route',
    meaning: 'Our own node refused to send over its channel.',
  },
} as const satisfies Record<string, RefusalRow>;

/** The name of a reason. */
export type RefusalName = keyof typeof REFUSALS;

/** A refusal that contains only numbers: its name, and the facts of its row. */
export type NumericRefusal = {
  [K in RefusalName]: (typeof REFUSALS)[K] extends { readonly facts: infer F }
    ? { readonly kind: K } & { readonly [M in keyof F]: FactTypes[F[M] & keyof FactTypes] }
    : never;
}[RefusalName];

/**
 * What the channels of the source or the destination lack (`EndShortage`): the text, and whether the error is
 * `sourceCapacity` or `destinationCapacity` instead of the error of the row.
 */
export const SHORTAGES = {
  total: { text: 'Total {end} capacity is only {total}msat {among}.', isOfEnd: true },
  known: {
    text: 'We know from {layers} that {end} has maximum capacity {limit}msat {among}.',
    isOfEnd: true,
  },
  gossip: {
    text: 'Missing gossip for {end}: only known {some}/{count} channels, leaving capacity only {left}msat of {total}msat.',
    isOfEnd: false,
  },
  disabled: {
    text: '{off} of {count} channels to {end} are disabled, leaving capacity only {left}msat of {total}msat.',
    isOfEnd: false,
  },
  allDisabled: { text: 'All {count} channels to the {end} are disabled.', isOfEnd: false },
  usable: {
    text: 'We know from {layers} that {end} has maximum usable capacity {limit}msat {among}.',
    isOfEnd: false,
  },
} as const;

/** The misspelling is Core Lightning's. */
const BELOW_MINIMUM = 'below htlc_minumum_msat';

/** Appended to the text of a `deduction` that leaves a hop less than its HTLC minimum. */
export const LEFT_BELOW_MINIMUM = `, ${BELOW_MINIMUM} ~{minimum}msat`;

/**
 * The reasons why a direction does not carry an amount (`DirectionFault`), with `reason` of `data.binding` and the text
 * of each.
 */
export const DIRECTION_FAULTS = {
  noGossip: { wire: 'no_gossip', text: 'has no gossip' },
  fee: { wire: 'fee', text: 'charges more than any payment is worth.' },
  disabled: { wire: 'disabled', text: 'marked disabled by {by}.' },
  neverEnabled: { wire: 'not_enabled', text: 'was never enabled (created by layer {layer}).' },
  nodeDisabled: { wire: 'node_disabled', text: '{verb} node disabled by layer {layer}.' },
  capacity: { wire: 'capacity', text: "{created}isn't big enough to carry {amount}msat." },
  htlcMaximum: { wire: 'htlc_maximum', text: 'exceeds htlc_maximum_msat ~{limit}msat' },
  htlcMinimum: { wire: 'htlc_minimum', text: `${BELOW_MINIMUM} ~{limit}msat` },
  constraint: { wire: 'constraint', text: '{limits}' },
} as const;

/** Fills in a template. @throws Error if a value is missing */
export function filled(template: string, values: Readonly<Record<string, unknown>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!(name in values)) throw new Error(`no value for {${name}} of "${template}"`);
    return String(values[name]);
  });
}

/** Names of reasons, by `kind` of `data.binding`. */
const NAMES: ReadonlyMap<string, RefusalName> = new Map(
  (Object.keys(REFUSALS) as RefusalName[]).flatMap((name) =>
    ['source', 'destination'].map((end) => [filled(REFUSALS[name].wire, { end }), name] as const),
  ),
);

/** The name of the reason for a `kind` of `data.binding`. Undefined if only a later release has this kind. */
export const refusalNamed = (wire: string): RefusalName | undefined => NAMES.get(wire);
