/** The resolved scenario as JSON, which `simulate` can read, and which gives identical results. */
import type { AmountScenario, Range, RouterScenario, Scenario, TrafficScenario } from './scenario.ts';

/** @returns JSON with every default written out */
export function scenarioJson(scenario: Scenario): string {
  const {
    name,
    seed,
    graph,
    graphFormat,
    exclude,
    only,
    fees,
    balances,
    payment,
    network,
    routers,
    measure,
  } = scenario;
  const fields = {
    name,
    seed,
    graph,
    graph_format: graphFormat,
    exclude,
    only,
    fees: snakeKeys(fees),
    balances,
    traffic: trafficFields(scenario.traffic),
    payment: snakeKeys(payment),
    network: {
      ...snakeKeys(network),
      latency: snakeKeys(network.latency),
      jamming: network.jamming.map(snakeKeys),
      ...(network.rebalance !== undefined && { rebalance: snakeKeys(network.rebalance) }),
      ...(network.operators !== undefined && { operators: snakeKeys(network.operators) }),
    },
    routers: routers.map(routerFields),
    measure: snakeKeys(measure),
  };
  return `${toJson(fields, '')}\n`;
}

function routerFields(router: RouterScenario): object {
  const { kind, name, learn, learnedSearch, natsPerSecond, beliefs, objective, rebalances } = router;
  const { probes, socket, createChannels, senders } = router;
  return {
    kind,
    name,
    learn,
    ...(kind === 'fulgurite' && { learned_search: learnedSearch }),
    ...(natsPerSecond !== undefined && { nats_per_second: natsPerSecond }),
    ...(beliefs !== undefined && { beliefs }),
    objective: snakeKeys(objective),
    rebalances,
    ...(probes !== undefined && { probes: snakeKeys(probes) }),
    ...(socket !== undefined && { socket }),
    ...(createChannels !== undefined && { create_channels: createChannels }),
    ...(senders !== undefined &&
      ('share' in senders ? { share: senders.share } : { senders: senders.nodes })),
  };
}

function trafficFields(traffic: TrafficScenario): object {
  if (traffic.kind === 'random')
    return { ...snakeKeys(traffic), amount: snakeKeys<AmountScenario>(traffic.amount) };
  if (traffic.kind !== 'activities') return snakeKeys(traffic);
  const activities = traffic.activities.map(
    ({ source, destination, startUs, intervalUs, amountMsat, count }) => ({
      source,
      destination,
      start_secs: startUs / 1e6,
      interval_secs: rangeField({ least: intervalUs.least / 1_000_000n, most: intervalUs.most / 1_000_000n }),
      amount_msat: rangeField(amountMsat),
      ...(count !== undefined && { count }),
    }),
  );
  return { kind: traffic.kind, total_us: traffic.totalUs, activities };
}

const rangeField = ({ least, most }: Range): bigint | bigint[] => (least === most ? least : [least, most]);

/** Copies an object, and changes the names of its members to lower case with underscores. */
function snakeKeys<T extends object>(value: T): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      each,
    ]),
  );
}

/** JSON with 64-bit integers as numbers, indented by two spaces per level. */
function toJson(value: unknown, indent: string): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => `${inner}${toJson(each, inner)}`)
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => `${inner}${JSON.stringify(key)}: ${toJson(each, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}
