/**
 * The referee: every rule that an answer of `getroutes` must keep, recomputed from the directions themselves.
 * It returns violations as `rule: detail`. The list is empty if there are none.
 *
 * The rules (askrene's interface, and the limits of the wire) are: `path` continuity, `direction` existence,
 * `enabled`, `loop`, `amount` (backward from the delivered amount), `cltv`, `htlc_minimum`, `htlc_maximum`,
 * `hops`, `onion` (BOLT 4: 1300 bytes of payloads), `route probability`, `parts`, `duplicate` (two routes
 * over one path, though a single HTLC could carry both within the fee limit), `capacity` (sum of parts
 * through a direction), `total`, `fee`, `delay`, `probability`.
 */

import type { Route, RouteAnswer, RouteHop, RouteQuery } from '../../src/engine/question/route.ts';
import { formatShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import type { DirectionLookup, PlainDirection } from './direction.ts';
import { amountInMsat, amountOutMsat, sourceFree } from './direction.ts';
import type { Fraction } from './fraction.ts';
import { floorPpm, ONE, passProbability, times } from './fraction.ts';

export const MAXIMUM_HOPS = 20;
const ONION_PAYLOADS_BYTES = 1300;
/** Bytes of a type, a length, and an absolute block height of at most four bytes. */
const CLTV_BYTES = 2 + 4;
/** The engine computes probabilities in doubles, so the last ppm may be rounded either way. */
const PPM_TOLERANCE = 1;

/** The lookup with the changes of the query's automatic layers. The caller applies named layers. */
export function withAutomaticLayers(lookup: DirectionLookup, query: RouteQuery): DirectionLookup {
  if (!query.layers.includes('auto.sourcefree')) return lookup;
  return (name) => {
    const direction = lookup(name);
    return direction === undefined ? undefined : sourceFree(direction, query.source);
  };
}

/** Maximum number of routes that the query allows. */
export function partsAllowed(query: RouteQuery): number {
  return query.layers.includes('auto.no_mpp_support') ? 1 : query.maxparts;
}

const recipientPaysFees = (query: RouteQuery) => query.layers.includes('auto.include_fees');

const hopName = (hop: RouteHop) => formatShortChannelIdDir(hop.shortChannelIdDir);

/** A path as text. Paths are equal if and only if their texts are. */
export function pathName(route: Route): string {
  return route.path.map(hopName).join(' ');
}

/**
 * All violations of `answer` as an answer to `query`.
 * @param lookup every direction, with all layers of the query applied (see `withAutomaticLayers`).
 */
export function referee(lookup: DirectionLookup, query: RouteQuery, answer: RouteAnswer): string[] {
  const violations = answer.routes.flatMap((route, index) =>
    routeViolations(lookup, query, route).map((text) => `${text} (route ${index})`),
  );
  violations.push(...sumViolations(lookup, query, answer));
  return violations;
}

function routeViolations(lookup: DirectionLookup, query: RouteQuery, route: Route): string[] {
  const names = route.path.map(hopName);
  const directions = names.map(lookup);
  const missing = names.filter((_, index) => directions[index] === undefined);
  if (missing.length > 0) return missing.map((name) => `direction: ${name} does not exist`);
  const path = directions as PlainDirection[];
  return [
    ...pathViolations(query, route, path),
    ...amountViolations(query, route, path),
    ...cltvViolations(query, route, path),
    ...limitViolations(route, path),
    ...onionViolations(route),
    ...probabilityViolations('route probability', route.probabilityPpm, routeProbability(route, path)),
  ];
}

function pathViolations(query: RouteQuery, route: Route, path: readonly PlainDirection[]): string[] {
  const violations: string[] = [];
  if (path.length === 0) return ['path: empty'];
  if (path.length > MAXIMUM_HOPS) violations.push(`hops: ${path.length}`);
  const visited = new Set<string>([query.source]);
  let at = query.source;
  path.forEach((direction, index) => {
    const hop = route.path[index]!;
    if (direction.source !== at) violations.push(`path: ${direction.name} does not leave ${at}`);
    if (hop.nodeIdIn !== direction.source || hop.nodeIdOut !== direction.destination) {
      violations.push(`path: ${direction.name} has ends that differ from its hop’s`);
    }
    if (!direction.enabled) violations.push(`enabled: ${direction.name} is not`);
    at = direction.destination;
    if (visited.has(at)) violations.push(`loop: ${at} is visited twice`);
    visited.add(at);
  });
  if (at !== query.destination) violations.push(`path: ends at ${at}`);
  return violations;
}

function amountViolations(query: RouteQuery, route: Route, path: readonly PlainDirection[]): string[] {
  if (path.length === 0) return [];
  if (route.amountMsat <= 0n) return [`amount: the route delivers ${route.amountMsat}`];
  const expected = recipientPaysFees(query)
    ? amountsForward(route.path[0]!.amountInMsat, path)
    : amountsBackward(route.amountMsat, path);
  const violations: string[] = [];
  expected.forEach((amounts, index) => {
    const { amountInMsat: given, amountOutMsat: passed } = route.path[index]!;
    if (given !== amounts.amountIn || passed !== amounts.amountOut) {
      const should = `${amounts.amountIn} in, ${amounts.amountOut} out`;
      violations.push(`amount: ${path[index]!.name} has ${given} in, ${passed} out instead of ${should}`);
    }
  });
  if (route.path.at(-1)!.amountOutMsat !== route.amountMsat) {
    violations.push(
      `amount: the last hop passes ${route.path.at(-1)!.amountOutMsat}, not ${route.amountMsat}`,
    );
  }
  return violations;
}

interface HopAmounts {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** Exact amounts of every hop if `delivered` arrives at the end. */
export function amountsBackward(delivered: bigint, path: readonly PlainDirection[]): HopAmounts[] {
  let amountOut = delivered;
  const hops = path.toReversed().map((direction) => {
    const amountIn = amountInMsat(direction, amountOut);
    const hop = { amountIn, amountOut };
    amountOut = amountIn;
    return hop;
  });
  return hops.reverse();
}

/** Exact amounts of every hop if the first node starts with `sent` and the recipient pays all fees. */
export function amountsForward(sent: bigint, path: readonly PlainDirection[]): HopAmounts[] {
  let amountIn = sent;
  return path.map((direction) => {
    const hop = { amountIn, amountOut: amountOutMsat(direction, amountIn) };
    amountIn = hop.amountOut;
    return hop;
  });
}

function cltvViolations(query: RouteQuery, route: Route, path: readonly PlainDirection[]): string[] {
  const violations: string[] = [];
  if (route.finalCltv !== query.finalCltv) violations.push(`cltv: final is ${route.finalCltv}`);
  let cltv = query.finalCltv;
  for (let index = path.length - 1; index >= 0; index--) {
    const hop = route.path[index]!;
    const cltvIn = cltv + path[index]!.cltvExpiryDelta;
    if (hop.cltvOut !== cltv || hop.cltvIn !== cltvIn) {
      const should = `${cltvIn} in, ${cltv} out`;
      violations.push(
        `cltv: ${path[index]!.name} has ${hop.cltvIn} in, ${hop.cltvOut} out instead of ${should}`,
      );
    }
    cltv = cltvIn;
  }
  if (cltv > query.maxdelay) violations.push(`delay: ${cltv} blocks of ${query.maxdelay}`);
  return violations;
}

function limitViolations(route: Route, path: readonly PlainDirection[]): string[] {
  return path.flatMap((direction, index) => {
    const passed = route.path[index]!.amountOutMsat;
    const violations: string[] = [];
    if (passed < direction.htlcMinimumMsat)
      violations.push(`htlc_minimum: ${direction.name} passes ${passed}`);
    if (passed > direction.htlcMaximumMsat)
      violations.push(`htlc_maximum: ${direction.name} passes ${passed}`);
    return violations;
  });
}

/** Bytes of an integer without its leading zeros (BOLT 1, tu64). */
const truncatedBytes = (value: bigint) => (value === 0n ? 0 : Math.ceil(value.toString(16).length / 2));

/**
 * Payload bytes of BOLT 4: for each hop a length byte, TLVs 2, 4 and 6 (for the recipient 2, 4 and 8), and 32
 * bytes of HMAC.
 */
function onionBytes(route: Route): number {
  const hops = route.path.slice(1).map((hop) => {
    const amount = 2 + truncatedBytes(hop.amountOutMsat);
    return 1 + amount + CLTV_BYTES + 10 + 32;
  });
  const amount = truncatedBytes(route.amountMsat);
  const paymentData = 2 + 32 + 8;
  const recipient = 1 + 2 + amount + CLTV_BYTES + paymentData + 32;
  return hops.reduce((sum, bytes) => sum + bytes, recipient);
}

function onionViolations(route: Route): string[] {
  const bytes = onionBytes(route);
  return bytes > ONION_PAYLOADS_BYTES ? [`onion: ${bytes} bytes`] : [];
}

function routeProbability(route: Route, path: readonly PlainDirection[]): Fraction {
  return path.reduce(
    (product, direction, index) =>
      times(product, passProbability(direction, route.path[index]!.amountOutMsat)),
    ONE,
  );
}

function probabilityViolations(rule: string, given: number, exact: Fraction): string[] {
  const ppm = floorPpm(exact);
  const close = Number.isInteger(given) && Math.abs(given - ppm) <= PPM_TOLERANCE;
  return close ? [] : [`${rule}: ${given} ppm instead of ${ppm}`];
}

function sumViolations(lookup: DirectionLookup, query: RouteQuery, answer: RouteAnswer): string[] {
  const { routes } = answer;
  const violations: string[] = [];
  if (routes.length === 0) violations.push('parts: none');
  if (routes.length > partsAllowed(query))
    violations.push(`parts: ${routes.length} of ${partsAllowed(query)}`);
  const filled = routes.filter((route) => route.path.length > 0);
  const sent = filled.reduce((sum, route) => sum + route.path[0]!.amountInMsat, 0n);
  const delivered = routes.reduce((sum, route) => sum + route.amountMsat, 0n);
  const counted = recipientPaysFees(query) ? sent : delivered;
  if (counted !== query.amountMsat) violations.push(`total: ${counted} instead of ${query.amountMsat}`);
  if (sent - delivered > query.maxfeeMsat) violations.push(`fee: ${sent - delivered} of ${query.maxfeeMsat}`);
  return [
    ...violations,
    ...duplicateViolations(lookup, answer, query.maxfeeMsat - (sent - delivered)),
    ...sharedViolations(lookup, answer),
  ];
}

/**
 * Routes over one path should be one route, unless the HTLC maximum of a hop is below their sum. Joining them
 * turns two roundings of a fee into one, which may cost a little more. So they may stay separate if the fee
 * limit, or the maximum of a hop, leaves no room for that.
 */
function duplicateViolations(lookup: DirectionLookup, answer: RouteAnswer, feeLeftMsat: bigint): string[] {
  const byPath = new Map<string, Route[]>();
  for (const route of answer.routes) {
    byPath.set(pathName(route), [...(byPath.get(pathName(route)) ?? []), route]);
  }
  return [...byPath].flatMap(([name, routes]) => {
    const path = name.split(' ').map(lookup);
    if (routes.length < 2 || path.some((direction) => direction === undefined)) return [];
    const [first, second] = routes.toSorted((a, b) => (a.amountMsat < b.amountMsat ? -1 : 1)) as [
      Route,
      Route,
    ];
    const joined = amountsBackward(first.amountMsat + second.amountMsat, path as PlainDirection[]);
    const others = crossings({ ...answer, routes: answer.routes.filter((r) => r !== first && r !== second) });
    const fits = joined.every(({ amountOut }, index) => {
      const { htlcMaximumMsat, maximumMsat } = path[index]!;
      const besides = others.get(hopName(first.path[index]!)) ?? 0n;
      return amountOut <= htlcMaximumMsat && amountOut + besides <= maximumMsat;
    });
    const apart = first.path[0]!.amountInMsat + second.path[0]!.amountInMsat;
    const affordable = joined[0]!.amountIn - apart <= feeLeftMsat;
    return fits && affordable ? [`duplicate: ${routes.length} routes over ${name}`] : [];
  });
}

/** The amount that crosses each direction over all routes, by its name. */
export function crossings(answer: RouteAnswer): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const route of answer.routes) {
    for (const hop of route.path) {
      const name = hopName(hop);
      sums.set(name, (sums.get(name) ?? 0n) + hop.amountOutMsat);
    }
  }
  return sums;
}

function sharedViolations(lookup: DirectionLookup, answer: RouteAnswer): string[] {
  const violations: string[] = [];
  let probability = ONE;
  for (const [name, sum] of crossings(answer)) {
    const direction = lookup(name);
    if (direction === undefined) continue;
    if (sum > direction.maximumMsat) {
      violations.push(`capacity: ${name} passes ${sum} of ${direction.maximumMsat}`);
    }
    probability = times(probability, passProbability(direction, sum));
  }
  return [...violations, ...probabilityViolations('probability', answer.probabilityPpm, probability)];
}
