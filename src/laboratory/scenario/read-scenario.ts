/** Reads a scenario in our own format: checks every field, and fills in all defaults. */
import { DEFAULT_OBJECTIVE, type ObjectiveKnobs } from '../../engine/question/objective.ts';
import type { Field, FieldMap } from './fields.ts';
import {
  type Activity,
  type AmountScenario,
  type BalanceScenario,
  type FeeScenario,
  type JammingScenario,
  type LatencyScenario,
  type MeasureScenario,
  type NetworkScenario,
  type NodeChoice,
  type OperatorsScenario,
  type PaymentScenario,
  type ProbeScenario,
  type Range,
  REBALANCING_RULES,
  type RebalanceScenario,
  ROUTER_KINDS,
  type RouterScenario,
  type Scenario,
  type TrafficScenario,
} from './scenario.ts';

const SECOND_US = 1_000_000;
const HOUR_US = 3600 * SECOND_US;
const U64_MAX = 2n ** 64n - 1n;
/** Maximum amount: 21 million bitcoin, in msat. */
const MAX_AMOUNT_MSAT = 2_100_000_000_000_000_000n;
/** Maximum time: a hundred years, in microseconds. */
const MAX_TIME_US = 100 * 365 * 86_400 * SECOND_US;
const MAX_PAYMENTS = 100_000_000;

const amount = (field: Field): bigint => field.bigint(0n, MAX_AMOUNT_MSAT, 'an amount in msat');
const positiveAmount = (field: Field): bigint => field.bigint(1n, MAX_AMOUNT_MSAT, 'an amount in msat');
const time = (field: Field): number => field.integer(0, MAX_TIME_US, 'a time in microseconds');
const texts = (field: Field): string[] => field.list().map((each) => each.text());

/** Reads the map of a scenario. @throws FulguriteError `scenario` */
export function readScenario(root: Field): Scenario {
  const fields = root.map();
  const scenario: Scenario = {
    name: fields.get('name', (field) => field.text(), 'scenario'),
    seed: fields.get('seed', (field) => field.bigint(0n, U64_MAX, 'a seed'), 1n),
    graph: fields.required('graph').text(),
    graphFormat: fields.get(
      'graph_format',
      (field) => field.oneOf('auto', 'channels', 'sim-ln', 'cloth', 'graphml', 'listchannels'),
      'auto',
    ),
    exclude: fields.get('exclude', texts, []),
    only: fields.get('only', texts, []),
    fees: fields.get('fees', fees, { kind: 'announced' }),
    balances: fields.get('balances', balances, { kind: 'uniform' }),
    traffic: traffic(fields.required('traffic')),
    payment: payment(fields.optional('payment')),
    network: network(fields.optional('network')),
    routers: fields.get('routers', routers, [routerOf('fulgurite')]),
    measure: measure(fields.optional('measure')),
  };
  fields.done();
  return scenario;
}

/** Reads a map and refuses unknown fields. */
function mapOf<T>(field: Field, read: (fields: FieldMap) => T): T {
  const fields = field.map();
  const result = read(fields);
  fields.done();
  return result;
}

const scaleOf = (fields: FieldMap): number =>
  fields.get('scale', (each) => each.number(0.0001, 10, 'a share'), 0.1);

function balances(field: Field): BalanceScenario {
  return mapOf(field, (fields): BalanceScenario => {
    const kind = fields.required('kind').oneOf('uniform', 'even', 'bimodal', 'onesided', 'mixture', 'file');
    switch (kind) {
      case 'bimodal':
        return { kind, scale: scaleOf(fields) };
      case 'mixture':
        return { kind, scale: scaleOf(fields), share: fields.get('share', (each) => each.share(), 0.5) };
      case 'onesided':
        return { kind, share: fields.get('share', (each) => each.share(), 1) };
      case 'file':
        return { kind, file: fields.required('file').text() };
      default:
        return { kind };
    }
  });
}

function nodeChoice(field: Field): NodeChoice {
  return mapOf(field, (fields): NodeChoice => {
    const by = fields.required('by').oneOf('uniform', 'capacity', 'degree', 'list');
    if (by !== 'list') return { by };
    const nodes = fields.required('nodes');
    const list = texts(nodes);
    return list.length > 0 ? { by, nodes: list } : nodes.refuse('at least one node');
  });
}

function amounts(field: Field): AmountScenario {
  return mapOf(field, (fields): AmountScenario => {
    const kind = fields.required('kind').oneOf('fixed', 'lognormal', 'pareto', 'file');
    switch (kind) {
      case 'fixed':
        return { kind, msat: positiveAmount(fields.required('msat')) };
      case 'lognormal':
        return {
          kind,
          meanMsat: positiveAmount(fields.required('mean_msat')),
          sigma: fields.get('sigma', (each) => each.number(0, 10), 1),
        };
      case 'pareto':
        return {
          kind,
          minimumMsat: positiveAmount(fields.required('minimum_msat')),
          alpha: fields.get('alpha', (each) => each.number(0.01, 100), 1.2),
        };
      case 'file':
        return { kind, file: fields.required('file').text() };
    }
  });
}

function range(field: Field, unit: bigint, what: string): Range {
  const one = (each: Field): bigint => each.bigint(0n, MAX_AMOUNT_MSAT, what) * unit;
  if (!field.isList) {
    const value = one(field);
    return { least: value, most: value };
  }
  const ends = field.list();
  if (ends.length !== 2) return field.refuse('a list of two ends, the smaller first');
  const [least, most] = [one(ends[0]!), one(ends[1]!)];
  return least < most ? { least, most } : field.refuse('the smaller end first', `[${least}, ${most}]`);
}

/** Reads an activity of sim-ln, which our format uses too: times in whole seconds, amounts in msat. */
export function readActivity(field: Field): Activity {
  return mapOf(field, (fields): Activity => {
    const amountField = fields.required('amount_msat');
    const amountMsat = range(amountField, 1n, 'an amount in msat');
    if (amountMsat.most === 0n) amountField.refuse('an amount above 0');
    const count = fields.optional('count')?.integer(1, MAX_PAYMENTS);
    return {
      source: fields.required('source').text(),
      destination: fields.required('destination').text(),
      startUs: fields.get('start_secs', (each) => each.integer(0, 0xffff), 0) * SECOND_US,
      intervalUs: range(fields.required('interval_secs'), BigInt(SECOND_US), 'seconds'),
      amountMsat,
      ...(count !== undefined && { count }),
    };
  });
}

function traffic(field: Field): TrafficScenario {
  return mapOf(field, (fields): TrafficScenario => {
    const kind = fields.required('kind').oneOf('random', 'capacity', 'activities', 'file', 'cloth');
    switch (kind) {
      case 'random':
        return {
          kind,
          payments: fields.required('payments').integer(0, MAX_PAYMENTS),
          ratePerS: fields.get('rate_per_s', (each) => each.number(1e-6, 1e6), 10),
          senders: fields.get('senders', nodeChoice, { by: 'capacity' }),
          receivers: fields.get('receivers', nodeChoice, { by: 'capacity' }),
          amount: fields.get('amount', amounts, { kind: 'lognormal', meanMsat: 50_000_000n, sigma: 1 }),
          circularShare: fields.get('circular_share', (each) => each.share(), 0),
          drift: fields.get('drift', (each) => each.share(), 0),
        };
      case 'capacity':
        return {
          kind,
          totalUs: time(fields.required('total_us')),
          expectedMsat: fields.get('expected_msat', positiveAmount, 3_800_000n),
          capacityMultiplier: fields.get('capacity_multiplier', (each) => each.number(1e-6, 1e6), 2),
          exclude: fields.get('exclude', texts, []),
        };
      case 'activities':
        return {
          kind,
          totalUs: time(fields.required('total_us')),
          activities: fields.required('activities').list().map(readActivity),
        };
      default:
        return { kind, file: fields.required('file').text() };
    }
  });
}

const DEFAULT_PAYMENT: PaymentScenario = {
  feeLimitPpm: 5000,
  feeLimitBaseMsat: 5000n,
  maxParts: 16,
  maxAttempts: 30,
  timeoutUs: 60 * SECOND_US,
  planUs: 10_000,
  finalCltv: 22,
  maxDelayBlocks: 2016,
  shadow: false,
  noise: true,
};

function payment(field: Field | undefined): PaymentScenario {
  if (field === undefined) return DEFAULT_PAYMENT;
  const d = DEFAULT_PAYMENT;
  return mapOf(field, (fields) => ({
    feeLimitPpm: fields.get('fee_limit_ppm', (each) => each.integer(0, 1e9), d.feeLimitPpm),
    feeLimitBaseMsat: fields.get('fee_limit_base_msat', amount, d.feeLimitBaseMsat),
    maxParts: fields.get('max_parts', (each) => each.integer(1, 100), d.maxParts),
    maxAttempts: fields.get('max_attempts', (each) => each.integer(1, 500), d.maxAttempts),
    timeoutUs: fields.get('timeout_us', time, d.timeoutUs),
    planUs: fields.get('plan_us', time, d.planUs),
    finalCltv: fields.get('final_cltv', (each) => each.integer(0, 2016), d.finalCltv),
    maxDelayBlocks: fields.get('max_delay_blocks', (each) => each.integer(1, 2016), d.maxDelayBlocks),
    shadow: fields.get('shadow', (each) => each.flag(), d.shadow),
    noise: fields.get('noise', (each) => each.flag(), d.noise),
  }));
}

function latency(field: Field): LatencyScenario {
  return mapOf(field, (fields) => ({
    kind: fields.get('kind', (each) => each.oneOf('fixed', 'exponential', 'lognormal', 'poisson'), 'fixed'),
    meanUs: time(fields.required('mean_us')),
    nodeSigma: fields.get('node_sigma', (each) => each.number(0, 5), 0),
    slow: fields.get('slow', (each) => each.share(), 0),
    slowFactor: fields.get('slow_factor', (each) => each.number(1, 1_000), 10),
    reporting: fields.get('reporting', (each) => each.share(), 0),
  }));
}

function rebalance(field: Field): RebalanceScenario {
  return mapOf(field, (fields) => ({
    triggerBelow: fields.get('trigger_below', (each) => each.number(1e-9, 0.499_999, 'a share'), 0.1),
    intervalUs: fields.get('interval_us', (each) => each.integer(1, MAX_TIME_US), 3600 * SECOND_US),
    exclude: fields.get('exclude', texts, []),
  }));
}

function operators(field: Field): OperatorsScenario {
  return mapOf(field, (fields) => ({
    nodes: fields.get('nodes', texts, []),
    count: fields.get('count', (each) => each.integer(1, 10_000), 5),
    intervalUs: fields.get('interval_us', (each) => each.integer(SECOND_US, MAX_TIME_US), 6 * HOUR_US),
    maxfeePpm: fields.get('maxfee_ppm', (each) => each.integer(0, 1e6), 2000),
    leastMsat: fields.get('least_msat', positiveAmount, 10_000_000n),
    earnedUs: fields.get('earned_us', (each) => each.integer(SECOND_US, MAX_TIME_US), 10 * 24 * HOUR_US),
    aheadUs: fields.get('ahead_us', (each) => each.integer(SECOND_US, MAX_TIME_US), 3 * 24 * HOUR_US),
    stepMsat: fields.get('step_msat', positiveAmount, 100_000_000n),
    target: fields.get('target', (each) => each.share(), 0.5),
    depleteTo: fields.get('deplete_to', (each) => each.share(), 0.2),
  }));
}

function fees(field: Field): FeeScenario {
  return mapOf(field, (fields) => {
    const kind = fields.required('kind').oneOf('announced', 'flat', 'lognormal');
    if (kind === 'announced') return { kind };
    const baseMsat = fields.get('base_msat', (each) => each.integer(0, 1e6), 0);
    const ppm = (each: Field): number => each.integer(0, 1e6);
    if (kind === 'flat') return { kind, baseMsat, ppm: fields.get('ppm', ppm, 200) };
    const sigma = fields.get('sigma', (each) => each.number(0, 5), 1);
    return { kind, baseMsat, meanPpm: fields.get('mean_ppm', ppm, 400), sigma };
  });
}

function jamming(field: Field): JammingScenario {
  return mapOf(field, (fields) => ({
    sender: fields.required('sender').text(),
    receiver: fields.required('receiver').text(),
    ratePerS: fields.required('rate_per_s').number(1e-6, 1e5),
    amountMsat: positiveAmount(fields.required('amount_msat')),
    holdUs: time(fields.required('hold_us')),
  }));
}

const DEFAULT_NETWORK: NetworkScenario = {
  latency: { kind: 'lognormal', meanUs: 150_000, nodeSigma: 0, slow: 0, slowFactor: 10, reporting: 0 },
  offline: 0,
  offlineUs: 0,
  stuck: 0,
  stuckUs: 300 * SECOND_US,
  faulty: 0,
  faultyUs: 3 * SECOND_US,
  unreportedFees: 0,
  feeChangeUs: 0,
  slots: 483,
  maxInFlight: 1,
  reserve: 0.01,
  blockUs: 600 * SECOND_US,
  jamming: [],
};

function network(field: Field | undefined): NetworkScenario {
  if (field === undefined) return DEFAULT_NETWORK;
  const d = DEFAULT_NETWORK;
  return mapOf(field, (fields) => {
    const rebalancing = fields.optional('rebalance');
    const operating = fields.optional('operators');
    return {
      latency: fields.get('latency', latency, d.latency),
      offline: fields.get('offline', (each) => each.share(), d.offline),
      offlineUs: fields.get('offline_us', time, d.offlineUs),
      stuck: fields.get('stuck', (each) => each.share(), d.stuck),
      stuckUs: fields.get('stuck_us', time, d.stuckUs),
      faulty: fields.get('faulty', (each) => each.share(), d.faulty),
      faultyUs: fields.get('faulty_us', time, d.faultyUs),
      unreportedFees: fields.get('unreported_fees', (each) => each.share(), d.unreportedFees),
      feeChangeUs: fields.get('fee_change_us', time, d.feeChangeUs),
      slots: fields.get('slots', (each) => each.integer(1, 483), d.slots),
      maxInFlight: fields.get('max_in_flight', (each) => each.share(), d.maxInFlight),
      reserve: fields.get('reserve', (each) => each.number(0, 0.5, 'a share'), d.reserve),
      blockUs: fields.get('block_us', time, d.blockUs),
      jamming: fields.get('jamming', (each) => each.list().map(jamming), d.jamming),
      ...(rebalancing !== undefined && { rebalance: rebalance(rebalancing) }),
      ...(operating !== undefined && { operators: operators(operating) }),
    };
  });
}

/** A router of this kind with all defaults. */
export const routerOf = (kind: RouterScenario['kind']): RouterScenario => ({
  kind,
  name: kind,
  learn: kind !== 'cheapest' && kind !== 'shortest' && kind !== 'oracle',
  learnedSearch: kind === 'fulgurite',
  objective: {},
  rebalances: 'none',
});

/** The fields of `objective`, with their names in scenarios. */
const OBJECTIVE_FIELDS: readonly [field: string, knob: keyof ObjectiveKnobs][] = [
  ['risk_ppm_per_nat', 'riskPpmPerNat'],
  ['risk_base_msat_per_nat', 'riskBaseMsatPerNat'],
  ['delay_billionths_per_block', 'delayBillionthsPerBlock'],
  ['part_ppm', 'partPpm'],
  ['part_base_msat', 'partBaseMsat'],
];

function objective(field: Field): Partial<ObjectiveKnobs> {
  return mapOf(field, (fields) =>
    Object.fromEntries(
      OBJECTIVE_FIELDS.flatMap(([name, knob]) => {
        const value = fields.optional(name)?.number(0, 1e12);
        return value === undefined || value === DEFAULT_OBJECTIVE[knob] ? [] : [[knob, value]];
      }),
    ),
  );
}

const probes = (field: Field): ProbeScenario =>
  mapOf(field, (fields) => ({
    perPayment: fields.required('per_payment').integer(1, 100),
    choice: fields.get('choice', (each) => each.oneOf('informed', 'random'), 'informed'),
  }));

function router(field: Field): RouterScenario {
  if (field.isText) return routerOf(field.oneOf(...ROUTER_KINDS));
  return mapOf(field, (fields) => {
    const kind = fields.required('kind').oneOf(...ROUTER_KINDS);
    const plain = routerOf(kind);
    const natsPerSecond = fields.optional('nats_per_second')?.number(0, 100);
    const socket = fields.optional('socket')?.text();
    const createChannels = fields.optional('create_channels')?.flag();
    const probed = fields.optional('probes');
    const believed = fields.optional('beliefs');
    if (believed !== undefined && kind !== 'fulgurite')
      believed.refuse('beliefs only for the router fulgurite');
    const share = fields.optional('share')?.share();
    const nodes = fields.get<string[] | undefined>('senders', texts, undefined);
    const senders = share !== undefined ? { share } : nodes !== undefined ? { nodes } : undefined;
    return {
      kind,
      name: fields.get('name', (each) => each.text(), plain.name),
      learn: fields.get('learn', (each) => each.flag(), plain.learn),
      learnedSearch: fields.get('learned_search', (each) => each.flag(), plain.learnedSearch),
      objective: fields.get('objective', objective, {}),
      rebalances: fields.get('rebalances', (each) => each.oneOf(...REBALANCING_RULES), plain.rebalances),
      ...(natsPerSecond !== undefined && { natsPerSecond }),
      ...(believed !== undefined && { beliefs: believed.text() }),
      ...(probed !== undefined && { probes: probes(probed) }),
      ...(socket !== undefined && { socket }),
      ...(createChannels !== undefined && { createChannels }),
      ...(senders !== undefined && { senders }),
    };
  });
}

function routers(field: Field): RouterScenario[] {
  const list = field.list();
  if (list.length === 0) field.refuse('at least one router');
  const read = list.map(router);
  const seen = new Set<string>();
  for (const [index, { name }] of read.entries()) {
    if (seen.has(name)) list[index]!.refuse('routers with different names', `${name} twice`);
    seen.add(name);
  }
  return read;
}

const DEFAULT_MEASURE: MeasureScenario = {
  warmUpUs: 0,
  batches: 30,
  snapshotUs: 0,
  attempts: true,
  channels: true,
  possible: true,
  privacy: 100,
  privacyNodes: 10,
};

function measure(field: Field | undefined): MeasureScenario {
  if (field === undefined) return DEFAULT_MEASURE;
  const d = DEFAULT_MEASURE;
  return mapOf(field, (fields) => ({
    warmUpUs: fields.get('warm_up_us', time, d.warmUpUs),
    batches: fields.get('batches', (each) => each.integer(2, 1000), d.batches),
    snapshotUs: fields.get('snapshot_us', time, d.snapshotUs),
    attempts: fields.get('attempts', (each) => each.flag(), d.attempts),
    channels: fields.get('channels', (each) => each.flag(), d.channels),
    possible: fields.get('possible', (each) => each.flag(), d.possible),
    privacy: fields.get('privacy', (each) => each.integer(0, 100_000), d.privacy),
    privacyNodes: fields.get('privacy_nodes', (each) => each.integer(1, 100_000), d.privacyNodes),
  }));
}
