/**
 * Asks a running LND node for routes (`QueryRoutes`) and for its graph, over gRPC. Only what the benchmark needs.
 *
 * Field numbers: lnrpc/lightning.proto of LND 0.21.
 */
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { fromJSON, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import type { RouteQuery } from '../src/engine/question/route.ts';
import { ChannelGraph } from '../src/model/channel-graph.ts';
import { msat } from '../src/model/msat.ts';
import type { Direction } from '../src/model/short-channel-id.ts';
import type { RoutingPolicy } from '../src/network/lnd/answers.ts';
import { type LndPlace, readCredentials } from '../src/network/lnd/client/credentials.ts';
import { nameOption } from '../src/network/lnd/client/grpc-client.ts';
import { describedParts } from '../src/network/lnd/graph/described-graph.ts';

const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

type Fields = Readonly<
  Record<string, { readonly type: string; readonly id: number; readonly rule?: string }>
>;

const message = (fields: Fields) => ({ fields: { ...fields } });
const MESSAGES = {
  GetInfoRequest: message({}),
  GetInfoAnswer: message({ version: { type: 'string', id: 14 } }),
  GraphRequest: message({}),
  GraphAnswer: message({}),
  FeeLimit: message({ fixed_msat: { type: 'int64', id: 3 } }),
  RouteRequest: message({
    pub_key: { type: 'string', id: 1 },
    final_cltv_delta: { type: 'int32', id: 4 },
    fee_limit: { type: 'FeeLimit', id: 5 },
    source_pub_key: { type: 'string', id: 8 },
    cltv_limit: { type: 'uint32', id: 11 },
    amt_msat: { type: 'int64', id: 12 },
  }),
  Hop: message({ chan_id: { type: 'uint64', id: 1 }, pub_key: { type: 'string', id: 8 } }),
  Route: message({ hops: { type: 'Hop', id: 4, rule: 'repeated' } }),
  RouteAnswer: message({ routes: { type: 'Route', id: 1, rule: 'repeated' } }),
};
const METHODS = {
  GetInfo: { requestType: 'GetInfoRequest', responseType: 'GetInfoAnswer' },
  DescribeGraph: { requestType: 'GraphRequest', responseType: 'GraphAnswer' },
  QueryRoutes: { requestType: 'RouteRequest', responseType: 'RouteAnswer' },
};

/** A hop of a route: the channel's short channel id as a number, and the node at its end. */
export interface LndHop {
  readonly chan_id: string;
  readonly pub_key: string;
}

interface RouteAnswer {
  readonly routes: readonly { readonly hops: readonly LndHop[] }[];
}

/** A running LND node. */
export class LndRouter {
  readonly #client: Client;
  readonly #metadata = new Metadata();
  readonly #methods: ServiceDefinition;

  constructor(place: LndPlace) {
    const { address, cert, macaroon } = readCredentials(place);
    this.#metadata.set('macaroon', macaroon);
    this.#client = new Client(address, credentials.createSsl(Buffer.from(cert)), {
      'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
      ...nameOption(cert, address),
    });
    const nested: Record<string, object> = {
      lnrpc: { nested: { ...MESSAGES, Lightning: { methods: METHODS } } },
    };
    const loaded = fromJSON({ nested }, { keepCase: true, longs: String, arrays: true });
    this.#methods = loaded['lnrpc.Lightning'] as ServiceDefinition;
  }

  close(): void {
    this.#client.close();
  }

  /** The node's version, without the commit. */
  async version(): Promise<string> {
    const { version } = await this.#call<{ readonly version: string }>('GetInfo', {});
    return version.split(' ', 1)[0]!;
  }

  /** The public graph that the node knows. */
  async graph(): Promise<ChannelGraph> {
    const bytes = await this.#call<Buffer>('DescribeGraph', {}, (answer) => answer);
    const graph = new ChannelGraph();
    for (const part of describedParts(bytes)) {
      if (part.kind === 'node') continue;
      const { channel_id, node1_pub, node2_pub, capacity, node1_policy, node2_policy } = part.edge;
      const ends = [node1_pub, node2_pub].map((id) => graph.internNode(Buffer.from(id, 'hex')));
      const channel = graph.addChannel(BigInt(channel_id), ends[0]!, ends[1]!, BigInt(capacity) * 1000n);
      setPolicy(graph, channel, 0, node1_policy);
      setPolicy(graph, channel, 1, node2_policy);
    }
    return graph;
  }

  /** The route of lowest cost by LND's default parameters, without mission control. Undefined if there is none. */
  async route(query: RouteQuery): Promise<readonly LndHop[] | undefined> {
    const request = {
      ...{ pub_key: query.destination, source_pub_key: query.source, amt_msat: `${query.amountMsat}` },
      ...{ final_cltv_delta: query.finalCltv, cltv_limit: query.maxdelay },
      fee_limit: { fixed_msat: `${query.maxfeeMsat}` },
    };
    const { routes } = await this.#call<RouteAnswer>('QueryRoutes', request).catch((error: Error) => {
      if (/unable to find a path|insufficient|no route/i.test(error.message)) return { routes: [] };
      throw error;
    });
    return routes[0]?.hops;
  }

  #call<T>(name: keyof typeof METHODS, request: object, read?: (answer: Buffer) => T): Promise<T> {
    const method = this.#methods[name] as MethodDefinition<object, object>;
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest<object, T>(
        method.path,
        method.requestSerialize,
        read ?? ((bytes) => method.responseDeserialize(bytes) as T),
        request,
        this.#metadata,
        (error, answer) => (error === null ? resolve(answer as T) : reject(error)),
      );
    });
  }
}

function setPolicy(
  graph: ChannelGraph,
  channel: number,
  direction: Direction,
  policy: RoutingPolicy | null,
): void {
  if (policy === null) return;
  graph.setPolicy(channel, direction, {
    enabled: !policy.disabled,
    htlcMinimumMsat: msat(BigInt(policy.min_htlc)),
    htlcMaximumMsat: msat(BigInt(policy.max_htlc_msat)),
    feeBaseMsat: Number(policy.fee_base_msat),
    feeProportionalMillionths: Number(policy.fee_rate_milli_msat),
    cltvExpiryDelta: policy.time_lock_delta,
  });
}
