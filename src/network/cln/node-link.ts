/** The link to a Core Lightning node over its RPC socket. */
import { setTimeout as sleep } from 'node:timers/promises';
import { FulguriteError } from '../../model/errors.ts';
import type { Log } from '../../rpc/log.ts';
import { KeptLink, type LinkWords } from '../kept-link.ts';
import { slowCallText } from '../slow-calls.ts';
import { type Members, NodeError } from './answer.ts';
import { HeightMemory } from './height-memory.ts';
import { factsOf, type NodeFacts, tooOld } from './node-facts.ts';
import { type NodeCallOptions, type NodeParams, NodeSocket } from './node-socket.ts';
import type { ClnTiming } from './timing.ts';

/** One open connection, and the facts that are valid only while it is open. */
export class NodeConnection {
  readonly socket: NodeSocket;
  readonly #openedAtMs = performance.now();
  readonly #timing: ClnTiming;
  #fence: Promise<void> | undefined;
  #startedAt: Promise<number> | undefined;

  constructor(socket: NodeSocket, timing: ClnTiming) {
    this.socket = socket;
    this.#timing = timing;
  }

  get isOpen(): boolean {
    return this.socket.isOpen;
  }

  get heardAtMs(): number {
    return this.socket.heardAtMs;
  }

  /** Makes a call with the default timeout, unless `options` contains a timeout. */
  call(method: string, params: NodeParams = {}, options: NodeCallOptions = {}): Promise<Members> {
    return this.socket.call(method, params, { timeoutMs: this.#timing.callMs, ...options });
  }

  /**
   * The fence: resolves once no request written to an earlier connection can still be executed. The node reads the rest
   * of a broken connection before it serves new requests on other connections, so waiting for some time and two round
   * trips is enough.
   */
  fence(): Promise<void> {
    this.#fence ??= this.#passFence();
    return this.#fence;
  }

  /** The start time of the node, in UNIX seconds with fractions. It is the creation time of the node's log. */
  startedAt(): Promise<number> {
    if (this.#startedAt !== undefined) return this.#startedAt;
    const asked = this.#askStart();
    this.#startedAt = asked;
    // After a failure, the next call queries the node again.
    asked.catch(() => {
      this.#startedAt = undefined;
    });
    return asked;
  }

  async #askStart(): Promise<number> {
    const log = await this.call('getlog', { level: 'broken' }, { filter: { created_at: true } });
    const startedS = Number.parseFloat(log.get('created_at')?.text ?? '');
    if (!Number.isFinite(startedS))
      throw new FulguriteError('unspecified', 'the node does not report its uptime');
    return startedS;
  }

  async #passFence(): Promise<void> {
    const leftMs = this.#openedAtMs + this.#timing.fenceMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
    for (let trips = 0; trips < 2; trips++) await this.call('getinfo', {}, { filter: { id: true } });
  }
}

/** Options of the link. */
export interface LinkOptions {
  readonly socketPath: string;
  readonly timing: ClnTiming;
  readonly log: Log;
}

const WORDS: LinkWords = {
  node: 'the node',
  factsCall: "the node's getinfo",
  warns: 'the node warns: ',
  away: 'the node is unreachable: ',
};

/** Connects to the same node over successive connections. */
export class NodeLink extends KeptLink<NodeConnection, NodeFacts> {
  readonly #options: LinkOptions;
  readonly #heights = new HeightMemory();

  private constructor(options: LinkOptions, socket: NodeSocket, facts: NodeFacts) {
    super(facts, options, WORDS);
    this.#options = options;
    this.#use(socket, facts);
  }

  /**
   * Connects. @throws FulguriteError nodeAway when the node cannot be reached; notSupported when it is too old, or on
   * an unknown chain
   */
  static async open(options: LinkOptions): Promise<NodeLink> {
    const { socket, facts } = await greet(options);
    return new NodeLink(options, socket, facts);
  }

  /** Makes a call over the current connection. @throws NodeError; FulguriteError nodeAway */
  async call(method: string, params?: NodeParams, options?: NodeCallOptions): Promise<Members> {
    if (this.connection === undefined) throw this.away();
    return this.connection.call(method, params, options);
  }

  override close(): void {
    super.close();
    this.connection?.socket.close();
  }

  #use(socket: NodeSocket, facts: NodeFacts): void {
    const connection = new NodeConnection(socket, this.#options.timing);
    this.connected(connection, facts);
    socket.onClosed = (reason) => this.lost(connection, reason);
    if (socket.isOpen) this.serve(connection);
    else this.lost(connection, 'the node closed the connection');
  }

  protected override note(told: NodeFacts): void {
    const behind = this.#heights.note(told.height, performance.now());
    super.note({ ...told, warning: told.warning ?? behind });
  }

  protected async connectAgain(): Promise<boolean> {
    const { socket, facts } = await greet(this.#options);
    if (this.isClosed) {
      socket.close();
      return true;
    }
    const { nodeId } = this.facts;
    if (facts.nodeId !== nodeId) {
      socket.close();
      this.trouble(
        `${this.#options.socketPath} now belongs to node ${facts.nodeId} instead of ${nodeId}: not used`,
      );
      return false;
    }
    this.isBack(facts);
    this.#use(socket, facts);
    return true;
  }

  protected async askFacts({ socket }: NodeConnection): Promise<NodeFacts> {
    return factsOf(await socket.call('getinfo', {}, { timeoutMs: this.#options.timing.silenceMs }));
  }

  /** Over an open connection, a call fails with `nodeAway` only when its timeout is reached. */
  protected override isLostAnswer(error: unknown): boolean {
    return error instanceof FulguriteError && error.name === 'nodeAway';
  }

  protected whyAway(error: unknown): string {
    if (error instanceof FulguriteError || error instanceof NodeError) return error.message;
    throw error;
  }
}

async function greet({
  socketPath,
  timing,
  log,
}: LinkOptions): Promise<{ socket: NodeSocket; facts: NodeFacts }> {
  const socket = await NodeSocket.open(socketPath, timing.callMs);
  socket.watchSlowCalls(timing.silenceMs, (method, leftMs) =>
    log.unusual(slowCallText('the node', method, timing.silenceMs, leftMs)),
  );
  try {
    const facts = factsOf(await socket.call('getinfo', {}, { timeoutMs: timing.callMs }));
    const old = tooOld(facts.version);
    if (old !== undefined) throw new FulguriteError('notSupported', old);
    return { socket, facts };
  } catch (error) {
    socket.close();
    throw error;
  }
}
