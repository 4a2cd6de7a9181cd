/**
 * A stand-in for lightningd, for tests: the RPC and plugin sides of a node with a simulated network. It is as
 * strict as the real node, and uses the same messages. Tests can kill, hang, restart or replace it, break its
 * connections, and choose its release.
 *
 *     client ──lightning-rpc──┐
 *                             ├── stand-in ── simulated network
 *     plugin ──stdin/stdout───┘
 *
 * Everything that a real node keeps in its database survives a restart: payments, HTLCs, counters, the
 * datastore.
 */
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeId } from '../../src/model/node-id.ts';
import type { Simulation } from '../../src/network/simulated/index.ts';
import type { JsonToken } from '../../src/rpc/json-token.ts';
import { Channeld } from './channeld.ts';
import { type CoreCommand, coreCommands, helpLine } from './core-commands.ts';
import { Datastore } from './datastore.ts';
import { member } from './json.ts';
import type { PublicDirection } from './node-view.ts';
import { type CallHook, OnionMessages } from './onion-messages.ts';
import { readParameters } from './parameters.ts';
import { type OptionValue, type PluginConfig, PluginHost } from './plugin-host.ts';
import { CODE, Refusal } from './refusal.ts';
import { isSince } from './release.ts';
import { type RpcAnswer, type RpcCall, RpcServer } from './rpc-server.ts';
import { SendPays } from './send-pays.ts';
import { WaitIndexes } from './wait-indexes.ts';

/**
 * Feature bits as a node of v26.06 reports them, reduced to onion messages and the features that channels
 * need.
 */
const FEATURES = { init: '08a8882a8a59a1', node: '88a8882a8a59a1', channel: '', invoice: '02000002024100' };

/** Options of a stand-in. */
export interface StandInOptions {
  /**
   * The network directory. Its `lightning-rpc` is the socket. Keep the path short: sockets allow at most 108 bytes.
   */
  readonly directory: string;
  /** The simulated network, whose own node the stand-in is. */
  readonly simulation: Simulation;
  /** Secret key of the stand-in's node. */
  readonly secretKey: Uint8Array;
  /** The version in `getinfo`. Its release determines which features the node supports. Default v26.06. */
  readonly version?: string;
  /** Whether the node runs with `--developer`, as the nodes of interop tests do. Default true. */
  readonly isDeveloper?: boolean;
  readonly plugins?: readonly PluginConfig[];
  /** Options of plugins, as if from the configuration file. */
  readonly options?: Readonly<Record<string, OptionValue>>;
  /** The public graph, for `listchannels`. */
  readonly graph?: readonly PublicDirection[];
  /** The node's clock in UNIX milliseconds. Default: the clock of this machine. */
  readonly nowMs?: () => number;
  /** Time limit for plugins to start, in milliseconds. Default: the node's own 120 s. */
  readonly pluginStartMs?: number;
  readonly pluginShutdownMs?: number;
}

/** A node that consists of its RPC, its plugins and a simulated network. */
export class StandIn {
  readonly rpcFile: string;
  readonly channeld: Channeld;
  readonly payments: SendPays;
  readonly datastore = new Datastore();
  /** The node's forwards, as `listforwards` shows them. */
  readonly #forwards: object[] = [];
  /** Log entries of the node and its plugins: level and line. */
  readonly logged: { readonly level: string; readonly line: string }[] = [];
  /** All calls, in order, with their parameters as plain JSON. */
  readonly calls: { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[] = [];
  id: NodeId;
  version: string;
  /** The reason why the node's height is unreliable, as in the warning of `getinfo`. */
  warning: string | undefined;
  /** Number of blocks that the node still has to read again. */
  blocksLost = 0;
  /** The node's name for the state of usable channels. */
  normalState = 'CHANNELD_NORMAL';
  /** The chain that the node reports. */
  chain = 'regtest';
  /** Whether the node's signer declines payments. */
  declines = false;
  /** Called before each command, and awaited. */
  beforeCall: (method: string) => void | Promise<void> = () => undefined;
  /** The reason why the node stopped by itself. Undefined if it did not. */
  crashed: string | undefined;
  readonly #options: StandInOptions;
  readonly #indexes = new WaitIndexes(() => this.#release);
  readonly #commands: ReadonlyMap<string, CoreCommand>;
  readonly #server: RpcServer;
  #host: PluginHost;
  #startedAtS = 0;
  #heightWaiters: { height: number; answer: () => void }[] = [];

  constructor(options: StandInOptions) {
    this.#options = options;
    const { simulation, secretKey, directory } = options;
    this.id = simulation.identity.nodeId;
    this.version = options.version ?? 'v26.06';
    this.rpcFile = join(directory, 'lightning-rpc');
    this.channeld = new Channeld(simulation, this.#indexes);
    const node = {
      ...{ secretKey, nodeId: () => this.id, nowS: () => this.#nowS },
      networkHeight: () => simulation.height,
      notify: (topic: string, body: object) => this.#host.notify(topic, body),
    };
    this.payments = new SendPays(node, this.channeld, this.#indexes);
    const callHook: CallHook = (name, payload) => void this.#host.hook(name, payload, '');
    const messages = new OnionMessages(simulation, secretKey, callHook);
    this.channeld.onHeight = (height) => this.#sawBlock(height);
    this.channeld.onPeersChanged = () => void this.#indexes.count('networkevents', 'created', {});
    this.#host = this.#newHost();
    this.#commands = coreCommands({
      ...{ directory, messages, features: FEATURES, graph: options.graph ?? [] },
      ...{
        channeld: this.channeld,
        payments: this.payments,
        forwards: this.#forwards,
        indexes: this.#indexes,
        datastore: this.datastore,
      },
      release: () => this.#release,
      version: () => this.version,
      nodeId: () => this.id,
      warning: () => this.warning,
      blocksLost: () => this.blocksLost,
      normalState: () => this.normalState,
      chain: () => this.chain,
      startedAtS: () => this.#startedAtS,
      declines: () => this.declines,
      plugins: () => this.#host,
      waitHeight: (height, timeoutS) => this.#waitHeight(height, timeoutS),
      usages: (command) => this.#usages(command),
      stop: () => void this.stop(),
    });
    this.#server = new RpcServer(
      this.rpcFile,
      (method) => this.#knows(method),
      (call) => this.#answer(call),
    );
  }

  // ---------------------------------------------------------------- lifecycle

  /**
   * Starts the node process with its plugins. Resolves when it serves requests. Sets `crashed` if it does not start.
   */
  async start(): Promise<void> {
    this.crashed = undefined;
    this.#startedAtS = this.#nowS;
    this.#host = this.#newHost();
    const plugins = this.#host.startAll(this.#options.plugins ?? []);
    // The socket opens before `init`, because plugins call the node from there.
    await this.#server.open();
    this.channeld.up();
    await plugins;
  }

  /** Ends the node as SIGKILL does: answers already written arrive, the rest is lost. */
  async kill(): Promise<void> {
    this.#host.killAll();
    await this.#gone();
  }

  /** Ends the node as `stop` does: plugins that subscribe to `shutdown` are notified and get some time. */
  async stop(): Promise<void> {
    await this.#host.shutDownAll();
    await this.#gone();
  }

  /** Ends the node and its network. */
  async close(): Promise<void> {
    await this.kill();
    this.channeld.close();
  }

  /** Breaks all connections. Requests that have already arrived are still carried out. */
  loseConnections(): void {
    this.#server.loseConnections();
  }

  /** Removes the socket while the node keeps running, so that no client can connect. */
  loseSocket(): void {
    unlinkSync(this.rpcFile);
    this.#server.loseConnections();
  }

  /** Suspends or resumes the node, as SIGSTOP and SIGCONT do. */
  hang(isHung: boolean): void {
    this.#server.hang(isHung);
  }

  /** Adds a forward, in the form that the node lists. */
  addForward(row: object): void {
    this.#forwards.push({ created_index: this.#indexes.count('forwards', 'created', {}), ...row });
  }

  // ---------------------------------------------------------------- for tests

  get plugins(): PluginHost {
    return this.#host;
  }

  get startedAtS(): number {
    return this.#startedAtS;
  }

  /** Parameters of all calls of this method. */
  called(method: string): Readonly<Record<string, unknown>>[] {
    return this.calls.filter((call) => call.method === method).map(({ params }) => params);
  }

  /** Log lines of this level. */
  lines(level: string): string[] {
    return this.logged.filter((one) => one.level === level).map(({ line }) => line);
  }

  /** Sends a notification from the node, as an event would. */
  notify(topic: string, body: object): void {
    this.#host.notify(topic, body);
  }

  // ---------------------------------------------------------------- internals

  get #release(): string {
    return /^v\d+\.\d+/.exec(this.version)?.[0] ?? 'v26.06';
  }

  get #nowS(): number {
    return (this.#options.nowMs?.() ?? Date.now()) / 1000;
  }

  async #gone(): Promise<void> {
    this.channeld.down();
    this.payments.forgetWaiters();
    this.#indexes.forgetWaiters();
    this.#heightWaiters = [];
    await this.#server.close();
  }

  #newHost(): PluginHost {
    const { directory, isDeveloper = true, options = {} } = this.#options;
    return new PluginHost(
      {
        ...{ directory, rpcFile: this.rpcFile, network: 'regtest', isDeveloper, features: FEATURES },
        allowDeprecated: true,
        release: () => this.#release,
        version: () => this.version,
        isCoreMethod: (name) => this.#commands.has(name),
        isCoreOption: (name) => ['network', 'lightning-dir', 'rpc-file', 'plugin', 'alias'].includes(name),
        log: (level, line) => void this.logged.push({ level, line }),
        fatal: (message) => this.#crash(message),
        startMs: this.#options.pluginStartMs ?? 120_000,
        shutdownMs: this.#options.pluginShutdownMs ?? 30_000,
      },
      options,
    );
  }

  /** Makes the node stop by itself, with a message in its log. */
  #crash(message: string): void {
    if (this.crashed !== undefined) return;
    this.crashed = message;
    this.logged.push({ level: 'broken', line: message });
    void this.kill();
  }

  #knows(method: string): boolean {
    if (method === 'check') return true;
    const core = this.#commands.get(method);
    if (core !== undefined) return isSince(this.#release, core.since ?? '');
    return this.#host.ownerOf(method) !== undefined;
  }

  /** Calls the hook `rpc_command`, then carries out the call or its replacement by the hook. */
  async #answer(call: RpcCall): Promise<RpcAnswer> {
    const { method, request, id } = call;
    const members = request.members().map(({ key, value }) => [key, plain(value)]);
    const payload = { rpc_command: Object.fromEntries(members) };
    const decided = await this.#host.hook('rpc_command', payload, method, id);
    if (decided === undefined) return this.#carryOut(method, request, call);
    const replace = member(decided, 'replace');
    if (replace !== undefined) return this.#replaced(replace, call);
    const back = member(decided, 'return');
    if (back !== undefined && (member(back, 'result') ?? member(back, 'error')) !== undefined) {
      return { message: back };
    }
    this.logged.push({ level: 'broken', line: "Bad response to 'rpc_command' hook. " });
    return this.#carryOut(method, request, call);
  }

  #replaced(replace: JsonToken, call: RpcCall): Promise<RpcAnswer> {
    const bad = (why: string): Refusal =>
      new Refusal(CODE.invalidRequest, `Bad response to 'rpc_command' hook: ${why} (${replace.raw})`);
    if (replace.kind !== 'object') throw bad("'replace' must be an object");
    for (const name of ['method', 'params', 'id']) {
      if (member(replace, name) === undefined) throw bad(`missing '${name}'`);
    }
    const method = member(replace, 'method')!.text;
    if (!this.#knows(method)) throw bad(`redirected to unknown method '${method}'`);
    if (member(replace, 'jsonrpc')?.raw !== '"2.0"') {
      throw bad('jsonrpc: "2.0" must be specified in the request');
    }
    return this.#carryOut(method, replace, call);
  }

  async #carryOut(method: string, request: JsonToken, call: RpcCall): Promise<RpcAnswer> {
    const params = member(request, 'params')!;
    this.calls.push({ method, params: plain(params) as Record<string, unknown> });
    await this.beforeCall(method);
    if (method === 'check') return this.#check(request, params, call);
    const owner = this.#host.ownerOf(method);
    if (owner !== undefined) {
      const message = await this.#host.forward(owner, method, request, call.id, call.notified);
      return { message };
    }
    const { signature, run } = this.#commands.get(method)!;
    const values = signature === undefined ? {} : this.#read(signature, params);
    return { result: await run(values, { connection: call.connection, params }) };
  }

  /**
   * Handles `check`: only parses the parameters of the command. Plugins that support it get the request
   * themselves.
   */
  async #check(request: JsonToken, params: JsonToken, call: RpcCall): Promise<RpcAnswer> {
    const named = params.kind === 'array' ? params.elements()[0] : member(params, 'command_to_check');
    if (named === undefined) {
      throw new Refusal(CODE.invalidParams, 'missing required parameter: command_to_check');
    }
    const method = named.text;
    const done = { result: { command_to_check: method } };
    const owner = this.#host.ownerOf(method);
    if (owner !== undefined) {
      if (!owner.manifest!.canCheck) return done;
      return { message: await this.#host.forward(owner, 'check', request, call.id, call.notified) };
    }
    const command = this.#commands.get(method);
    if (command === undefined) {
      throw new Refusal(CODE.unknownMethod, `Unknown command '${method}'`);
    }
    if (method === 'setconfig') {
      const { config, val } = this.#read(
        'command_to_check:text config:text! val:text transient:bool',
        params,
      );
      return { result: await this.#host.setOption(config, val, true) };
    }
    if (command.signature !== undefined) this.#read(`command_to_check:text ${command.signature}`, params);
    return done;
  }

  #read(signature: string, params: JsonToken) {
    const { isDeveloper = true } = this.#options;
    return readParameters(signature, params, { release: this.#release, isDeveloper });
  }

  #usages(command: string | undefined): object[] {
    const core = [...this.#commands].map(
      ([name, one]) => [name, helpLine(name, one, this.#release)] as const,
    );
    const ours = this.#host
      .methods()
      .map(({ name, usage }) => [name, { command: `${name} ${usage}` }] as const);
    const all = [...core, ...ours].filter(([name]) => command === undefined || name === command);
    return all.map(([, line]) => line);
  }

  #sawBlock(height: number): void {
    const served = this.#heightWaiters.filter((one) => one.height <= height);
    this.#heightWaiters = this.#heightWaiters.filter((one) => one.height > height);
    for (const { answer } of served) answer();
    this.#host.notify('block_added', { hash: height.toString(16).padStart(64, '0'), height });
  }

  #waitHeight(height: number, timeoutS: number): Promise<object> {
    const shown = (): object => ({ blockheight: this.channeld.height });
    if (height <= this.channeld.height) return Promise.resolve(shown());
    return new Promise((resolve, reject) => {
      const waiter = { height, answer: () => resolve(shown()) };
      this.#heightWaiters.push(waiter);
      const timer = setTimeout(() => {
        if (!this.#heightWaiters.includes(waiter)) return;
        this.#heightWaiters.splice(this.#heightWaiters.indexOf(waiter), 1);
        reject(new Refusal(CODE.timedOut, 'Timed out.'));
      }, timeoutS * 1000);
      timer.unref();
    });
  }
}

/** A token as plain values; whole numbers become bigints. */
function plain(token: JsonToken): unknown {
  if (token.kind === 'object') {
    return Object.fromEntries(token.members().map(({ key, value }) => [key, plain(value)]));
  }
  if (token.kind === 'array') return token.elements().map(plain);
  if (token.kind === 'number' && /^-?\d+$/.test(token.raw)) return BigInt(token.raw);
  return JSON.parse(token.raw);
}
