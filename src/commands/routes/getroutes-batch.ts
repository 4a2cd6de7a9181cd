/**
 * `getroutes-batch`: answers many route requests in a single call. Each is answered as by `getroutes`, in the order of
 * the requests, as soon as its answer and all earlier answers are ready. Consecutive requests with the same amount and
 * source share work in the kernel (assembly/solve/path/kept-tree.ts). So if several answers have the same cost, the
 * batch may return a different one than a single request does.
 */
import { FulguriteError } from '../../model/errors.ts';
import { field, required, withDefault } from '../../rpc/command.ts';
import type { JsonToken } from '../../rpc/json-token.ts';
import { JsonList } from '../../rpc/json-write.ts';
import { arrayOf, BadToken, msat, nodeId, type ParamType, u32 } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { inWords } from '../in-words.ts';
import {
  answerObject,
  checkLimits,
  MAX_LAYERS,
  ROUTE_LIMITS,
  ROUTE_PARAMS,
  routeLayer,
} from './getroutes.ts';

const MAX_REQUESTS = 10_000;
/**
 * Maximum number of requests in progress: enough to keep all workers busy, and few enough that other clients get their
 * turn.
 */
const WINDOW = 32;

/** The members of a request. An absent member has the value given for the whole batch. */
const MEMBERS = {
  source: nodeId,
  destination: nodeId,
  amount_msat: msat,
  maxfee_msat: msat,
  final_cltv: u32,
  maxdelay: u32,
  maxparts: u32,
} as const;

type RequestMembers = { readonly [K in keyof typeof MEMBERS]?: ReturnType<(typeof MEMBERS)[K]['parse']> };

const batchRequest: ParamType<
  RequestMembers & Required<Pick<RequestMembers, 'destination' | 'amount_msat'>>
> = {
  name: 'request',
  schema: {
    type: 'object',
    required: ['destination', 'amount_msat'],
    properties: Object.fromEntries(Object.entries(MEMBERS).map(([name, { schema }]) => [name, schema])),
  },
  kind: 'object',
  parse(token) {
    if (token.kind !== 'object')
      throw new BadToken('should be an object with destination and amount_msat', token);
    const read: Record<string, unknown> = {};
    for (const { key, value } of token.members()) {
      if (!Object.hasOwn(MEMBERS, key)) throw new BadToken(`has the unknown member ${key}`, token);
      if (value.kind !== 'null') read[key] = memberOf(key as keyof typeof MEMBERS, value, token);
    }
    for (const name of ['destination', 'amount_msat']) {
      if (read[name] === undefined) throw new BadToken(`should have a member ${name}`, token);
    }
    return read as ReturnType<(typeof batchRequest)['parse']>;
  },
};

function memberOf(name: keyof typeof MEMBERS, value: JsonToken, whole: JsonToken): unknown {
  try {
    return MEMBERS[name].parse(value, undefined);
  } catch (error) {
    if (!(error instanceof BadToken)) throw error;
    throw new BadToken(`${name}: ${error.reason}`, whole);
  }
}

/** Not in Core Lightning. */
export const getroutesBatch = defineCommand({
  name: 'getroutes-batch',
  summary: 'Find routes for many payments.',
  description:
    'Answers many `getroutes` requests in one call, with different destinations or amounts. Results are in ' +
    'the order of the requests, and each is sent as soon as it is available. A request that fails has an ' +
    '`error`, as `getroutes` would return it. `source` and the limits are defaults for requests that ' +
    'do not give their own; `layers` applies to all requests. Consecutive requests with the same source and amount share work, so group them ' +
    'for speed. If several answers have the same cost, the one returned may differ from that of ' +
    '`getroutes`.',
  category: 'routes',
  readOnly: true,
  since: 'Fulgurite v0.2.0',
  params: {
    source: ROUTE_PARAMS.source,
    requests: required(
      arrayOf(batchRequest, MAX_REQUESTS),
      'Objects with destination, amount_msat, and optionally source, maxfee_msat, final_cltv, maxdelay and ' +
        'maxparts.',
    ),
    layers: required(arrayOf(routeLayer, MAX_LAYERS), 'Names of layers to apply, in order.'),
    maxfee_msat: ROUTE_PARAMS.maxfee_msat,
    final_cltv: withDefault(u32, 18, 'CLTV delta of the final hop, in blocks.'),
    ...ROUTE_LIMITS,
  },
  result: {
    answers: field(
      'array',
      'One object per request: destination, amount_msat, and either probability_ppm, routes and optionally unfinished, ' +
        'as in `getroutes`, or error {code, message, data}.',
    ),
  },
  handler({ requests, layers, ...shared }, context, { session }) {
    const asked = requests.map((request) => ({ ...shared, ...request }));
    asked.forEach(checkOne);
    const answer = async (request: (typeof asked)[number]) => {
      const { source, destination, amount_msat, maxfee_msat, final_cltv, maxdelay, maxparts } = request;
      const limits = { maxfeeMsat: maxfee_msat, finalCltv: final_cltv, maxdelay, maxparts };
      const query = { source, destination, amountMsat: amount_msat, layers, ...limits };
      const options = {
        inBatch: true,
        deprecatedApis: session.deprecations,
        client: session.client ?? session,
      };
      try {
        const found = await context.engine.getroutes(query, options);
        return { destination, amount_msat, ...answerObject(found, session.deprecations) };
      } catch (error) {
        return { destination, amount_msat, error: errorObject(error) };
      }
    };
    return { answers: new JsonList(inOrder(asked, answer)) };
  },
});

/** Checks a request of the batch. @throws FulguriteError that contains the position of the request */
function checkOne(request: Parameters<typeof checkLimits>[0], index: number): void {
  try {
    checkLimits(request);
  } catch (error) {
    if (!(error instanceof FulguriteError)) throw error;
    const data = { ...(error.data as object), parameter: 'requests', request: index };
    throw new FulguriteError(error.name, `requests[${index}]: ${error.message}`, data);
  }
}

/** An error as a member of a result. @throws errors that clients must not see */
function errorObject(error: unknown) {
  const told = inWords(error);
  if (!(told instanceof FulguriteError)) throw error;
  const { code, message, data } = told;
  return { code, message, data };
}

/**
 * The answers in the order of the requests. At most `WINDOW` requests are in progress, and no new requests start if the
 * client stops reading.
 */
async function* inOrder<T, U>(
  requests: readonly T[],
  answer: (request: T) => Promise<U>,
): AsyncGenerator<U, void> {
  const underWay: Promise<U>[] = [];
  for (let next = 0; next < requests.length || underWay.length > 0; ) {
    while (next < requests.length && underWay.length < WINDOW) {
      const answered = answer(requests[next++]!);
      // After the client disconnects, nothing awaits this promise, so its error must be handled here.
      answered.catch(() => undefined);
      underWay.push(answered);
    }
    yield await underWay.shift()!;
  }
}
