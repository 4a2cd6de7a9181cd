/**
 * The network port for a simulation in a separate thread, in real time, so that the main thread never peels onions. If
 * the thread dies, all pending and later calls are rejected with `workerDied`. A simulation in another process may be
 * unreachable for a while: calls are then rejected with `nodeAway`, until the connection is back and all HTLCs without
 * an outcome have been offered again. The network accepts each attempt once.
 */
import type { Worker } from 'node:worker_threads';
import type { OnionMessage } from '../../bolt/onion/onion-message.ts';
import { type ErrorName, FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { prepareThread, startThread } from '../../model/threads/early-thread.ts';
import type { OnionBuilder } from '../onions/onion-builder.ts';
import { OnionPool } from '../onions/onion-pool.ts';
import type {
  HtlcKey,
  HtlcState,
  NetworkIdentity,
  NetworkPort,
  NodeBehind,
  OutgoingHtlc,
  OwnChannelReport,
  Peer,
  SentHtlc,
  TakenHtlc,
} from '../port.ts';
import { type HtlcOffer, offerOf } from './htlc.ts';
import {
  type ControlName,
  decodeFromNetwork,
  encodeToNetwork,
  type FromNetwork,
  type NetworkThreadData,
  plainMessage,
  plainOutcome,
  type ToNetwork,
} from './messages.ts';
import type { NetworkMap } from './network-map.ts';
import type { SimulationOptions } from './options.ts';
import { type ShownChannel, shownChannel } from './own/channel-row.ts';
import type { DescribedChannel } from './own/described-channel.ts';
import { simulatedPeer } from './simulated-peer.ts';
import { SimulatedPort } from './simulated-port.ts';
import type { Simulation } from './simulation.ts';

/** What to simulate, and the path of the network's journal. */
export interface SimulatedNetworkOptions {
  readonly map: NetworkMap;
  readonly simulation: Omit<SimulationOptions, 'onEvent'>;
  /** Where the network stores outcomes and balance changes. Without it, every start begins with a fresh network. */
  readonly journalPath?: string;
  /**
   * Whether to continue with a damaged journal: it is copied to `.bad`, and its intact frames are kept. If false, a
   * damaged journal is refused.
   */
  readonly recover?: boolean;
  /**
   * URL of a module that answers messages on behalf of the nodes. Its default export is a `MessageHandler`, or its
   * export `open` makes one for the network.
   */
  readonly messageHandlerModule?: string;
  /** Key of our node, for decrypting onion messages. Without it, there are no onion messages. */
  readonly secretKey?: Uint8Array;
  /** Builds the onions. Default: a pool of one thread, which is closed with the network. */
  readonly onions?: OnionBuilder;
  /** Called once if the thread ends without having been closed. The thread is not restarted. */
  readonly onDied?: (error: FulguriteError) => void;
}

/** Where the simulation runs, from its port's view: a thread, or a connection to another process. */
export interface NetworkThread {
  /**
   * Whether the connection may be lost and come back. The events are then `lost`, and `renewed` with a first report.
   */
  readonly renews?: boolean;
  on(event: 'lost', listener: (why: string) => void): unknown;
  on(event: 'renewed', listener: (first: FromNetwork) => void): unknown;
  on(event: 'message', listener: (bytes: Uint8Array) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  once(event: 'exit', listener: (code: unknown) => void): unknown;
  postMessage(message: Uint8Array | 'close', transfer?: readonly ArrayBuffer[]): void;
}

/** Timeout in milliseconds. No operation takes nearly this long, so a missing answer must be lost. */
const CONTROL_TIMEOUT_MS = 30_000;

interface PendingReply<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

interface PendingControl extends PendingReply<unknown> {
  readonly timer: NodeJS.Timeout;
}

/** Starts the thread. Resolves once the network is ready. @throws FulguriteError when it cannot be created. */
export async function openSimulatedNetwork(options: SimulatedNetworkOptions): Promise<WorkerPort> {
  const data: NetworkThreadData = {
    handlerModule: options.messageHandlerModule,
    map: options.map,
    options: options.simulation,
    journalPath: options.journalPath,
    recover: options.recover ?? false,
  };
  const worker = startThread(workerFile(), data);
  const first = await firstReport(worker);
  return new WorkerPort(worker as NetworkThread, first, options);
}

/** Threads run compiled code, even when this file is run from its source. */
function workerFile(): URL {
  const compiled = import.meta.url.endsWith('.js');
  return new URL(
    compiled ? './worker.js' : '../../../build/program/network/simulated/worker.js',
    import.meta.url,
  );
}

/** Starts the thread of a network that will be opened later. */
export const prepareSimulatedNetwork = (): void => prepareThread(workerFile());

function firstReport(worker: Worker): Promise<FromNetwork> {
  return new Promise((resolve, reject) => {
    const ready = (bytes: Uint8Array): void => settle(() => resolve(decodeFromNetwork(bytes)));
    const failed = (error: Error): void => settle(() => reject(startError(error)));
    const gone = (): void => failed(new Error('it did not start'));
    const settle = (act: () => void): void => {
      worker.off('message', ready).off('error', failed).off('exit', gone);
      act();
    };
    worker.on('message', ready).on('error', failed).on('exit', gone);
  });
}

/** The network port on a simulation in another thread. */
export class WorkerPort extends SimulatedPort implements NetworkPort {
  readonly identity: NetworkIdentity;
  private readonly worker: NetworkThread;
  private readonly onions: OnionBuilder;
  private channels: OwnChannelReport = { revision: 0, channels: [] };
  private height = 0;
  /** HTLCs that the network has not accepted yet. */
  private readonly sends = new Map<string, PendingReply<TakenHtlc>[]>();
  private readonly controls = new Map<number, PendingControl>();
  private nextControl = 1;
  private readonly connected = new Set<NodeId>();
  /** Our peers. Undefined after a change, until they are needed. */
  private knownPeers: readonly Peer[] | undefined;
  private outbox: ToNetwork[] = [];
  private ended: FulguriteError | undefined;
  /** Why the network is unreachable at the moment. */
  private away: FulguriteError | undefined;
  /** Attempts without an outcome. Empty unless the connection may be lost. */
  private readonly underWay = new Map<string, HtlcOffer>();

  constructor(
    worker: NetworkThread,
    first: FromNetwork,
    { onDied, secretKey, onions }: Pick<SimulatedNetworkOptions, 'onDied' | 'secretKey' | 'onions'>,
  ) {
    super(secretKey);
    const die = (why: string): void => {
      if (this.ended !== undefined) return;
      const error = new FulguriteError('workerDied', why);
      this.end(error);
      onDied?.(error);
    };
    this.worker = worker;
    this.onions = onions ?? new OnionPool();
    this.identity = first.identity as NetworkIdentity;
    this.receive(first);
    worker.on('message', (bytes: Uint8Array) => this.receive(decodeFromNetwork(bytes)));
    worker.on('error', (error) => die(`simulated network: ${error.message}`));
    worker.on('exit', () => die('the simulated network has ended'));
    if (worker.renews !== true) return;
    worker.on('lost', (why) => this.lose(why));
    worker.on('renewed', (report) => this.renew(report));
  }

  /** Undefined while the network responds, as in any simulated network. While it does not, our node with the reason. */
  override nodeBehind(): NodeBehind | undefined {
    if (this.away === undefined) return undefined;
    const { nodeId } = this.identity;
    const unknown = { alias: '', color: '000000', version: '' };
    return { nodeId, ...unknown, problem: this.away.message, details: async () => ({}) };
  }

  blockHeight(): number {
    return this.height;
  }

  ownChannels(): OwnChannelReport {
    return this.channels;
  }

  async ownChannelRecords(): Promise<readonly ShownChannel[]> {
    const channels: readonly DescribedChannel[] = await this.control('ownChannelRecords');
    return channels.map((channel) => shownChannel(this.identity.nodeId, channel));
  }

  async send(htlc: OutgoingHtlc): Promise<TakenHtlc> {
    const { attemptId } = htlc;
    const offer = offerOf(htlc, htlc.onion ?? (await this.onions.build(htlc)));
    this.post(['offer', offer]);
    if (this.worker.renews === true) this.underWay.set(attemptId, offer);
    return new Promise((resolve, reject) => {
      const waiting = this.sends.get(attemptId) ?? [];
      waiting.push({ resolve, reject });
      this.sends.set(attemptId, waiting);
    });
  }

  async outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    const ids = keys.map(({ attemptId }) => attemptId);
    const states = await this.control('lookUpHtlcs', ids);
    const plain = (state: HtlcState): HtlcState =>
      state.status === 'settled' || state.status === 'failed' ? plainOutcome(state) : state;
    return new Map(ids.map((attemptId, i) => [attemptId, plain(states[i]!)]));
  }

  async sentHtlcs(): Promise<readonly SentHtlc[]> {
    const htlcs = await this.control('sentHtlcs');
    return htlcs.map((htlc) => ({ ...htlc, paymentHash: Uint8Array.from(htlc.paymentHash) }));
  }

  async connect(nodeId: NodeId): Promise<Peer> {
    if (!(await this.control('connect', nodeId))) {
      throw new FulguriteError('unspecified', `cannot connect to ${nodeId}`, { node_id: nodeId });
    }
    this.connected.add(nodeId);
    this.knownPeers = undefined;
    return simulatedPeer(nodeId, true);
  }

  peers(): readonly Peer[] {
    this.knownPeers ??= this.describePeers();
    return this.knownPeers;
  }

  private describePeers(): readonly Peer[] {
    const connected = new Map<NodeId, boolean>();
    for (const { peerId, usable } of this.channels.channels)
      connected.set(peerId, usable || connected.get(peerId) === true);
    for (const nodeId of this.connected) connected.set(nodeId, true);
    return [...connected].map(([nodeId, isConnected]) => simulatedPeer(nodeId, isConnected));
  }

  /** Calls a method of the simulation in its thread. */
  control<K extends ControlName>(
    name: K,
    ...args: Parameters<Simulation[K]>
  ): Promise<ReturnType<Simulation[K]>> {
    return new Promise((resolve, reject) => {
      const id = this.nextControl++;
      const timer = setTimeout(() => {
        this.controls.delete(id);
        reject(new FulguriteError('timedOut', `the simulated network does not answer ${name}`));
      }, CONTROL_TIMEOUT_MS);
      this.controls.set(id, { resolve: resolve as (value: unknown) => void, reject, timer });
      try {
        this.post(['control', id, name, args]);
      } catch (error) {
        this.controls.delete(id);
        clearTimeout(timer);
        reject(error as Error);
      }
    });
  }

  async close(): Promise<void> {
    if (this.ended !== undefined) return this.onions.close();
    this.flush();
    this.end(new FulguriteError('shuttingDown', 'the network is closed'));
    this.forgetListeners();
    // Registered early, because a dying thread may be gone before the onions are closed, and reports its exit only
    // once.
    const exit = new Promise((resolve) => this.worker.once('exit', resolve));
    await this.onions.close();
    this.worker.postMessage('close');
    await exit;
  }

  protected hand(to: NodeId, message: OnionMessage): void {
    const isPeer = this.connected.has(to) || this.channels.channels.some(({ peerId }) => peerId === to);
    if (!isPeer) throw new FulguriteError('unspecified', `not connected to ${to}`, { node_id: to });
    this.post(['message', to, message]);
  }

  /** Posts a request. All requests of one turn of the event loop go in one message. */
  private post(request: ToNetwork): void {
    if (this.ended !== undefined) throw this.ended;
    if (this.away !== undefined) throw this.away;
    this.outbox.push(request);
    if (this.outbox.length === 1) queueMicrotask(() => this.flush());
  }

  private flush(): void {
    if (this.outbox.length === 0 || this.ended !== undefined) return;
    const bytes = encodeToNetwork(this.outbox);
    this.outbox = [];
    this.worker.postMessage(bytes, [bytes.buffer]);
  }

  private receive(report: FromNetwork): void {
    if (report.height !== this.height) {
      this.height = report.height;
      this.tellBlock(report.height);
    }
    if (report.channels !== undefined) {
      this.channels = report.channels;
      this.knownPeers = undefined;
      this.tellChannels(report.channels);
    }
    for (const [attemptId, channelsRevision] of report.taken)
      this.settleSends(attemptId, { channelsRevision });
    for (const [attemptId, outcome] of report.outcomes) {
      this.underWay.delete(attemptId);
      this.tellOutcome(attemptId, plainOutcome(outcome));
    }
    for (const [from, message] of report.messages) this.messages?.receive(from, plainMessage(message));
    for (const [id, result, error, message] of report.replies) this.answer(id, result, error, message);
  }

  private settleSends(attemptId: string, taken: TakenHtlc): void {
    const waiting = this.sends.get(attemptId) ?? [];
    this.sends.delete(attemptId);
    for (const { resolve } of waiting) resolve(taken);
  }

  private answer(id: number, result: unknown, error?: ErrorName, message = ''): void {
    const waiting = this.controls.get(id);
    if (waiting === undefined) return;
    this.controls.delete(id);
    clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new FulguriteError(error, message));
  }

  /** Rejects all calls because the connection is lost. Callers query the state of their HTLCs later. */
  private lose(why: string): void {
    if (this.ended !== undefined) return;
    this.away = new FulguriteError('nodeAway', why);
    this.outbox = [];
    this.rejectAll(this.away);
  }

  /**
   * Handles the return of the connection. Outcomes may have been missed, so all HTLCs without an outcome are offered
   * again. The network sends each attempt at most once, and reports its outcome again.
   */
  private renew(first: FromNetwork): void {
    if (this.ended !== undefined) return;
    this.away = undefined;
    this.receive(first);
    for (const offer of this.underWay.values()) this.post(['offer', offer]);
  }

  private end(error: FulguriteError): void {
    if (this.ended !== undefined) return;
    this.ended = error;
    this.underWay.clear();
    this.rejectAll(error);
  }

  private rejectAll(error: FulguriteError): void {
    for (const waiting of [...this.sends.values()].flat()) waiting.reject(error);
    for (const { reject, timer } of this.controls.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.sends.clear();
    this.controls.clear();
  }
}

/** Restores one of our errors. Errors lose their class between threads, but keep their name and members. */
function startError(error: Error & { readonly data?: object; readonly problem?: string }): FulguriteError {
  const { problem } = error;
  const known = (['graphSource', 'invalidParams', 'storeFailed'] as const).find(
    (name) => name === error.name,
  );
  return new FulguriteError(
    known ?? (problem === undefined ? 'internal' : 'storeFailed'),
    `simulated network: ${error.message}`,
    { ...error.data, ...(problem !== undefined && { problem }) },
  );
}
