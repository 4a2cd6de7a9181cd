/**
 * A stand-in for LND, for tests: its gRPC interface over a simulated network in which it is our own node. It
 * is as strict as LND about payments (payment-table.ts), uses LND's messages, and can behave as releases 0.19
 * to 0.22.
 *
 *     client ──gRPC, TLS, macaroon──▶ stand-in ── simulated network
 *
 * Tests can kill, hang or lock it, let it fall behind the chain, end its streams, lose an HTLC between its
 * database and the channel, and delay answers. What LND keeps in its database survives a restart: payments
 * and attempts.
 */
import { toHex } from '../../src/bolt/bytes.ts';
import { msat } from '../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../src/model/node-id.ts';
import type { ShortChannelId } from '../../src/model/short-channel-id.ts';
import { STATUS } from '../../src/network/lnd/client/calls.ts';
import type { Simulation } from '../../src/network/simulated/index.ts';
import { Channeld, type ChannelOutcome } from '../lightningd/channeld.ts';
import { WaitIndexes } from '../lightningd/wait-indexes.ts';
import { failureMessage, localFailure, OWN_UPDATE } from './failure-message.ts';
import { GrpcDoor, type Permissions, type StreamEnd } from './grpc-door.ts';
import { MessageBox } from './message-box.ts';
import { type AttemptRow, type PaymentRow, PaymentTable, REASON, statusOf } from './payment-table.ts';
import { LndRefusal } from './refusal.ts';
import { onionOf, type RouteMessage, requireRoute } from './route-message.ts';

/** Releases as which the stand-in can behave. */
export const LND_RELEASES = ['0.19.3-beta', '0.20.3-beta', '0.21.2-beta', '0.22.0-beta'] as const;

/** `SubscribeStateResponse.state`. */
export const STATE = { none: 0, locked: 1, unlocked: 2, rpc: 3, server: 4, standby: 255 } as const;

/** Options of a stand-in. */
export interface LndStandInOptions {
  readonly simulation: Simulation;
  /** Secret key of the stand-in's node. */
  readonly secretKey: Uint8Array;
  /** Default 0.21.2-beta. */
  readonly release?: string;
  /** The chain's name as LND writes it. Default mainnet. */
  readonly chain?: string;
  /** The answer of `DescribeGraph`. */
  readonly graph?: { readonly nodes: readonly object[]; readonly edges: readonly GraphEdge[] };
}

/** An edge of the graph, with the members of `ChannelEdge`. */
export interface GraphEdge {
  readonly channel_id: string;
  readonly [field: string]: unknown;
}

/** The macaroon (hex) that permits everything. */
export const ADMIN = '0201036c6e64';

/**
 * Our own channel refuses an HTLC unless it expires in more than MIN_BLOCKS and at most MAX_BLOCKS blocks.
 */
const [MIN_BLOCKS, MAX_BLOCKS] = [13, 2_016];

interface SendToRoute {
  readonly payment_hash: Uint8Array;
  readonly route: RouteMessage | null;
  readonly skip_temp_err: boolean;
}

/** A node that consists of its gRPC interface and a simulated network. */
export class LndStandIn {
  readonly payments = new PaymentTable();
  readonly channeld: Channeld;
  readonly permissions = new Map<string, ReadonlySet<string> | 'all'>([[ADMIN, 'all']]);
  /** All calls, in order: path and request. */
  readonly calls: { readonly method: string; readonly request: unknown }[] = [];
  id: NodeId;
  release: string;
  chain: string;
  state: number = STATE.server;
  isSynced = true;
  /** Whether the next HTLC is recorded, but never sent to its channel. */
  losesNext = false;
  /** Members that override those of every row of `ListChannels`. */
  channelMembers: Readonly<Record<string, unknown>> = {};
  /** The pairs that `QueryMissionControl` returns. `XImportMissionControl` adds to them. */
  missionControl: object[] = [];
  graph: { readonly nodes: readonly object[]; readonly edges: readonly GraphEdge[] };
  /** Called before each call, and awaited. */
  beforeCall: (path: string) => void | Promise<void> = () => undefined;
  readonly #door: GrpcDoor;
  readonly #messages: MessageBox;
  /** Callers that wait for an attempt. They are answered when it ends. */
  readonly #waiters = new Map<string, (attempt: AttemptRow) => void>();
  readonly #attempts = new Map<
    string,
    { row: PaymentRow; attempt: AttemptRow; secrets: readonly Uint8Array[] }
  >();
  readonly #watchers = {
    state: new Set<StreamEnd>(),
    blocks: new Set<StreamEnd>(),
    graph: new Set<StreamEnd>(),
  };
  readonly #events = new Set<StreamEnd>();
  readonly #trackers = new Map<string, Set<StreamEnd>>();
  #isUp = false;

  constructor(options: LndStandInOptions) {
    const { simulation, release = '0.21.2-beta', chain = 'mainnet' } = options;
    this.id = simulation.identity.nodeId;
    this.release = release;
    this.chain = chain;
    this.graph = options.graph ?? { nodes: [], edges: [] };
    this.channeld = new Channeld(simulation, new WaitIndexes(() => 'v26.06'));
    this.channeld.onEnded = (attemptId, outcome) => this.#ended(attemptId, outcome);
    this.channeld.onHeight = (height) =>
      this.#toAll(this.#watchers.blocks, { hash: new Uint8Array(32), height });
    simulation.onOwnChannelsChanged = () => this.#channelsChanged();
    this.#messages = new MessageBox(simulation, options.secretKey);
    this.#door = new GrpcDoor(
      this.#methods(),
      () => this.permissions as Permissions,
      (path) => this.#before(path),
    );
  }

  // ---------------------------------------------------------------- lifecycle

  async start(): Promise<void> {
    if (this.#isUp) return;
    this.#isUp = true;
    await this.#door.open();
    this.payments.restart();
    this.channeld.up();
  }

  /** Ends the node as SIGKILL does. */
  kill(): void {
    this.#isUp = false;
    this.channeld.down();
    this.#door.close();
    this.#waiters.clear();
    this.#trackers.clear();
    this.#events.clear();
    for (const watchers of Object.values(this.#watchers)) watchers.clear();
    this.#messages.forget();
  }

  close(): void {
    this.kill();
    this.channeld.close();
  }

  /** Ends all streams, or all except the state stream, as a proxy between client and LND might. */
  endStreams(but?: 'state'): void {
    const refusal = new LndRefusal(STATUS.unavailable, 'transport is closing');
    this.#door.endStreams(refusal, but === 'state' ? this.#watchers.state : new Set());
  }

  setState(state: number): void {
    this.state = state;
    this.#toAll(this.#watchers.state, { state });
  }

  get address(): string {
    return `127.0.0.1:${this.#door.port}`;
  }

  /** The received requests for this method, in order. */
  called(method: string): unknown[] {
    return this.calls.filter((call) => call.method === method).map(({ request }) => request);
  }

  /** Sends subscribers a change of the graph. */
  tellGraph(update: object): void {
    this.#toAll(this.#watchers.graph, update);
  }

  /** Number of callers that subscribe to changes of the graph. */
  get graphSubscribers(): number {
    return this.#watchers.graph.size;
  }

  /** Number of callers that subscribe to onion messages. */
  get messageSubscribers(): number {
    return this.#messages.subscribers;
  }

  /** The payment with this hash (hex). */
  payment(hash: string): PaymentRow | undefined {
    return this.payments.rows.get(hash);
  }

  // ---------------------------------------------------------------- methods

  get #minor(): number {
    return Number(/^\d+\.(\d+)/.exec(this.release)![1]);
  }

  async #before(path: string): Promise<void> {
    await this.beforeCall(path);
    if (path === '/lnrpc.State/SubscribeState') return;
    if (this.state === STATE.locked)
      throw new LndRefusal(STATUS.unknown, 'wallet locked, unlock it to enable full RPC access');
    if (this.state !== STATE.server) {
      throw new LndRefusal(
        STATUS.unknown,
        'the RPC server is in the process of starting up, but not yet ready to accept calls',
      );
    }
  }

  #methods() {
    const noted =
      <R>(name: string, method: (request: R) => object | Promise<object>) =>
      (request: R): object | Promise<object> => {
        this.calls.push({ method: name, request });
        return method(request);
      };
    const unary: Record<string, (request: never) => object | Promise<object>> = {
      GetInfo: () => this.#info(),
      DescribeGraph: () => this.graph,
      GetChanInfo: ({ chan_id }: { chan_id: string }) => this.#edge(chan_id),
      GetNodeInfo: () => {
        throw new LndRefusal(STATUS.notFound, 'unable to find node');
      },
      ListChannels: () => ({ channels: this.#channels() }),
      ListPeers: () => ({ peers: this.#peers() }),
      SendToRouteV2: (request: SendToRoute) => this.#sendToRoute(request),
      QueryMissionControl: () => ({ pairs: this.missionControl }),
      XImportMissionControl: ({ pairs }: { pairs: object[] }) => {
        if (pairs.length === 0) throw new LndRefusal(STATUS.unknown, 'at least one pair required for import');
        this.missionControl.push(...pairs);
        return {};
      },
      ConnectPeer: ({ addr }: { addr: { pubkey: string } }) => this.#connect(addr.pubkey),
      DisconnectPeer: ({ pub_key }: { pub_key: string }) => {
        throw new LndRefusal(STATUS.unknown, `unable to disconnect peer: peer ${pub_key} is not connected`);
      },
      AddInvoice: () => ({ payment_request: '' }),
      ...(this.#hasMessages && {
        SendOnionMessage: (request: { peer: Uint8Array; path_key: Uint8Array; onion: Uint8Array }) =>
          this.#messages.send(request),
      }),
    };
    const streams: Record<string, (request: never, caller: StreamEnd) => void> = {
      SubscribeState: (_request: never, caller) =>
        this.#watch(this.#watchers.state, caller, { state: this.state }),
      RegisterBlockEpochNtfn: (_request: never, caller) =>
        this.#watch(this.#watchers.blocks, caller, {
          hash: new Uint8Array(32),
          height: this.channeld.height,
        }),
      SubscribeChannelGraph: (_request: never, caller) => this.#watch(this.#watchers.graph, caller),
      SubscribeChannelEvents: (_request: never, caller) => this.#watch(this.#events, caller),
      SubscribePeerEvents: (_request: never, caller) => this.#watch(this.#events, caller),
      TrackPaymentV2: ({ payment_hash }: { payment_hash: Uint8Array }, caller) =>
        this.#track(toHex(payment_hash), caller),
      ...(this.#hasMessages && {
        SubscribeOnionMessages: (_request: never, caller: StreamEnd) => this.#messages.subscribe(caller),
      }),
    };
    const all = Object.entries(unary).map(([name, method]) => [name, noted(name, method as never)]);
    return { unary: Object.fromEntries(all), streams };
  }

  get #hasMessages(): boolean {
    return this.#minor >= 21;
  }

  #info(): object {
    return {
      identity_pubkey: this.id,
      alias: 'stand-in',
      color: '#3399ff',
      version: `${this.release} commit=v${this.release}`,
      block_height: this.channeld.height,
      synced_to_chain: this.isSynced,
      synced_to_graph: true,
      uris: [`${this.id}@[2001:db8::7]:9735`, `${this.id}@${'a'.repeat(56)}.onion:9736`],
      chains: [{ network: this.chain }],
      features: Object.fromEntries(
        [0, 5, 7, 9, 12, 14, 17, ...(this.#hasMessages ? [39] : [])].map((bit) => [bit, { is_known: true }]),
      ),
      ...(this.#minor >= 21 && { graph_cache_status: 2 }),
    };
  }

  #edge(id: string): object {
    const edge = this.graph.edges.find(({ channel_id }) => channel_id === id);
    if (edge === undefined) throw new LndRefusal(STATUS.notFound, 'edge not found');
    return edge;
  }

  #channels(): object[] {
    return this.channeld.records().map((record) => {
      const outgoing = record.htlcs.filter(({ direction }) => direction === 'out');
      const pending = outgoing.reduce((sum, { amountMsat }) => sum + amountMsat, 0n);
      const sat = (amount: bigint): string => String(amount / 1000n);
      const limits = (reserve: bigint, most: bigint) => ({
        csv_delay: 144,
        chan_reserve_sat: sat(reserve),
        dust_limit_sat: '354',
        max_pending_amt_msat: String(most),
        min_htlc_msat: '1',
        max_accepted_htlcs: record.maxAcceptedHtlcs,
      });
      return {
        active: record.usable,
        remote_pubkey: record.peerId,
        channel_point: `${record.fundingTxid}:${record.fundingOutputIndex}`,
        chan_id: String(record.shortChannelId),
        capacity: sat(record.capacityMsat),
        local_balance: sat(record.toUsMsat - pending),
        remote_balance: sat(record.capacityMsat - record.toUsMsat),
        commit_fee: '0',
        commit_weight: '724',
        fee_per_kw: '0',
        pending_htlcs: record.htlcs.map((htlc) => ({
          incoming: htlc.direction === 'in',
          amount: sat(htlc.amountMsat),
          hash_lock: htlc.paymentHash,
          expiration_height: htlc.cltvExpiry,
          htlc_index: String(htlc.id),
        })),
        private: false,
        initiator: true,
        chan_status_flags: 'ChanStatusDefault',
        local_constraints: limits(record.ourReserveMsat, record.theirMaxInFlightMsat ?? record.capacityMsat),
        remote_constraints: limits(record.theirReserveMsat, record.ourMaxInFlightMsat ?? record.capacityMsat),
        ...this.channelMembers,
      };
    });
  }

  #peers(): object[] {
    const ids = new Set(
      this.channeld
        .records()
        .filter(({ usable }) => usable)
        .map(({ peerId }) => peerId),
    );
    const features = { 9: { is_known: true }, 39: { is_known: true } };
    return [...ids].map((pub_key) => ({ pub_key, address: '127.0.0.1:9735', inbound: false, features }));
  }

  #connect(pubkey: string): object {
    const nodeId = nodeIdFromBytes(Uint8Array.from(Buffer.from(pubkey, 'hex')));
    if (this.channeld.simulation.isPeer(nodeId))
      throw new LndRefusal(STATUS.unknown, `already connected to peer: ${pubkey}@127.0.0.1:9735`);
    throw new LndRefusal(STATUS.unknown, 'dial tcp 127.0.0.1:9735: connect: connection refused');
  }

  // ---------------------------------------------------------------- payments

  #sendToRoute({ payment_hash, route, skip_temp_err }: SendToRoute): Promise<object> {
    requireRoute(route);
    const hash = toHex(payment_hash);
    const attempt = this.payments.register(hash, route, skip_temp_err);
    const row = this.payments.rows.get(hash)!;
    const answered = new Promise<object>((resolve) => {
      this.#waiters.set(attempt.attempt_id, (ended) => {
        // Without `skip_temp_err` any failure ends the payment.
        if (ended.status === 2 && !skip_temp_err && row.reason === 0) row.reason = REASON.error;
        resolve(attemptMessage(ended));
      });
    });
    const { packet, sharedSecrets } = onionOf(route, Uint8Array.from(payment_hash));
    this.#attempts.set(attempt.attempt_id, { row, attempt, secrets: sharedSecrets });
    this.#offer(attempt, Uint8Array.from(payment_hash), packet);
    return answered;
  }

  #offer(attempt: AttemptRow, paymentHash: Uint8Array, onion: Uint8Array): void {
    const { total_amt_msat, total_time_lock, hops } = attempt.route;
    const shortChannelId = BigInt(hops[0]!.chan_id) as ShortChannelId;
    const channel = this.channeld.records().find((one) => one.shortChannelId === shortChannelId);
    if (this.losesNext) {
      this.losesNext = false;
      return;
    }
    if (channel === undefined || !channel.usable) {
      setImmediate(() => this.#end(attempt.attempt_id, localFailure('unknown_next_peer')));
      return;
    }
    const blocks = total_time_lock - this.channeld.height;
    if (blocks <= MIN_BLOCKS || blocks > MAX_BLOCKS) {
      const failure =
        blocks > MAX_BLOCKS
          ? localFailure('expiry_too_far')
          : { ...localFailure('expiry_too_soon'), ...OWN_UPDATE };
      setImmediate(() => this.#end(attempt.attempt_id, failure));
      return;
    }
    this.channeld.add({
      ...{ shortChannelId, paymentHash, onion, groupId: 1n, partId: 1, attemptId: attempt.attempt_id },
      ...{ amountMsat: msat(BigInt(total_amt_msat)), cltvExpiry: total_time_lock },
    });
  }

  #ended(attemptId: string, outcome: ChannelOutcome): void {
    const known = this.#attempts.get(attemptId);
    if (known === undefined) return;
    if (outcome.status === 'settled') {
      known.attempt.status = 1;
      known.attempt.preimage = outcome.preimage;
      this.#tell(known.row, known.attempt);
      return;
    }
    this.#end(attemptId, failureMessage(outcome, known.secrets));
  }

  #end(attemptId: string, failure: AttemptRow['failure']): void {
    const { row, attempt } = this.#attempts.get(attemptId)!;
    attempt.status = 2;
    attempt.failure = failure;
    // The recipient's refusal ends the payment even with `skip_temp_err` (mission control's `reason`).
    const isFinal = failure?.failure_source_index === attempt.route.hops.length;
    if (isFinal && row.reason === 0) row.reason = failure.code === 1 ? REASON.details : REASON.error;
    if (failure?.code === 997 && row.reason === 0) row.reason = REASON.error;
    this.#tell(row, attempt);
  }

  #tell(row: PaymentRow, attempt: AttemptRow): void {
    this.#waiters.get(attempt.attempt_id)?.(attempt);
    this.#waiters.delete(attempt.attempt_id);
    for (const tracker of this.#trackers.get(row.payment_hash) ?? []) this.#report(row, tracker);
    this.#channelsChanged();
  }

  #track(hash: string, caller: StreamEnd): void {
    const row = this.payments.rows.get(hash);
    if (row === undefined) {
      caller.end(new LndRefusal(STATUS.notFound, "payment isn't initiated"));
      return;
    }
    const trackers = this.#trackers.get(hash) ?? new Set();
    trackers.add(caller);
    this.#trackers.set(hash, trackers);
    caller.onGone(() => trackers.delete(caller));
    this.#report(row, caller);
  }

  #report(row: PaymentRow, tracker: StreamEnd): void {
    const status = statusOf(row);
    tracker.write({
      payment_hash: row.payment_hash,
      value_msat: String(row.valueMsat),
      payment_preimage: toHex(row.attempts.find((one) => one.status === 1)?.preimage ?? new Uint8Array(32)),
      status,
      creation_time_ns: row.creation_time_ns,
      htlcs: row.attempts.map(attemptMessage),
      payment_index: String(row.index),
      failure_reason: row.reason,
    });
    if (status === 2 || status === 3) tracker.end();
  }

  // ---------------------------------------------------------------- streams

  #watch(watchers: Set<StreamEnd>, caller: StreamEnd, first?: object): void {
    watchers.add(caller);
    caller.onGone(() => watchers.delete(caller));
    if (first !== undefined) caller.write(first);
  }

  #toAll(watchers: ReadonlySet<StreamEnd>, message: object): void {
    for (const caller of watchers) caller.write(message);
  }

  /**
   * Since 0.21, each change of a commitment is an event. In older releases, only opening and closing a
   * channel is.
   */
  #channelsChanged(): void {
    if (this.#minor >= 21) this.#toAll(this.#events, { type: 7 });
  }
}

/** `lnrpc.HTLCAttempt`. LND computes the reported fees from the amounts. */
function attemptMessage({
  attempt_id,
  route,
  status,
  attempt_time_ns,
  failure,
  preimage,
}: AttemptRow): object {
  const arriving = route.hops.map((_, index) =>
    BigInt(route.hops[index - 1]?.amt_to_forward_msat ?? route.total_amt_msat),
  );
  const hops = route.hops.map((hop, index) => ({
    ...hop,
    fee_msat: String(arriving[index]! - BigInt(hop.amt_to_forward_msat)),
  }));
  const total = BigInt(route.total_amt_msat) - BigInt(route.hops.at(-1)!.amt_to_forward_msat);
  return {
    ...{ attempt_id, status, attempt_time_ns, preimage: preimage ?? new Uint8Array(0) },
    route: { ...route, hops, total_fees_msat: String(total) },
    ...(failure !== undefined && { failure }),
  };
}
