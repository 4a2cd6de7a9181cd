/**
 * The plugin as the node sees it: a small process that never ends on its own, and answers even if the engine is not
 * running. The engine is a child process, started at `init` and restarted when it dies. So for the node, an engine
 * crash is only a delay.
 *
 *     node ══stdin, stdout══ supervisor ══socket══ engine ══lightning-rpc══ node
 */
import { isAbsolute, join, resolve } from 'node:path';
import { FulguriteError } from '../model/errors.ts';
import { type JsonMember, type JsonToken, parseJson } from '../rpc/json-token.ts';
import { toJson } from '../rpc/json-write.ts';
import { callOverSocket, membersOf, TransportError } from '../rpc/socket-client.ts';
import { CALL_BOUNDS, type CallBounds, CallQueue } from './call-queue.ts';
import { EngineLink } from './engine-link.ts';
import { ENGINE_PAUSES, EngineProcess, type EngineProcessOptions } from './engine-process.ts';
import { type ManifestFacts, manifest, methodsByName } from './manifest.ts';
import { MESSAGE_METHOD, messageLine, PASS_ON } from './onion-messages.ts';
import { OWN_PREFIX, type PluginMethod } from './plugin-methods.ts';
import {
  changedOption,
  DEFAULT_OPTIONS,
  type OptionScope,
  type PluginOptions,
  readOptions,
} from './plugin-options.ts';
import type { NodeListener, NodeLogLevel, NodeRequest, PluginPipe } from './plugin-pipe.ts';
import { parameter } from './short-lived-state.ts';
import { hasHookFilters, hookAnswer } from './take-over.ts';

/** Facts about the node, and settings of the plugin. Times are in milliseconds. */
export interface SupervisorOptions extends ManifestFacts {
  /** Path of the engine's program. */
  readonly program: string;
  readonly version: string;
  readonly pauses?: Omit<EngineProcessOptions, 'program' | 'arguments'>;
  readonly bounds?: CallBounds;
  /** An engine that does not answer for this long is killed. */
  readonly silenceMs?: number;
  /** Ends the process. Called once, when the node stops or has closed the pipe, after the engine has ended. */
  readonly exit: () => void;
}

/** The node's configuration at `init`. */
interface NodeConfiguration {
  /** The node's directory for its chain. */
  readonly directory: string;
  readonly rpcPath: string;
  /** Whether the node itself is starting. */
  readonly isStartup: boolean;
  /** Whether all connections must use a proxy. */
  readonly isProxyForced: boolean;
}

const SILENCE_MS = 60_000;
/**
 * Maximum number of concurrent requests per connection of the engine. It is high, because payments may last for days.
 */
const ENGINE_IN_FLIGHT = 2 * CALL_BOUNDS.mostCalls;
const INFO_COMMAND = 'getinfo';
const SEARCH_COMMAND = 'getroutes';
/** Number of parameters of Core Lightning's `getroutes`. */
const SEARCH_PARAMETERS = 8;
const NO_PARAMS = '{}';

/** Levels of the engine's log as levels of the node's log. */
const LEVELS: Readonly<Record<string, NodeLogLevel>> = {
  DEBUG: 'debug',
  INFO: 'info',
  UNUSUAL: 'warn',
  BROKEN: 'error',
};

/** Handles the node's messages, and keeps an engine running. */
export class Supervisor implements NodeListener {
  readonly #options: SupervisorOptions;
  readonly #methods: ReadonlyMap<string, PluginMethod>;
  /** Set by `attach`, before the first message is read. */
  #pipe!: PluginPipe;
  #calls!: CallQueue;
  #configuration: NodeConfiguration | undefined;
  #values: PluginOptions = DEFAULT_OPTIONS;
  #engine: EngineProcess | undefined;
  #link: EngineLink | undefined;
  #watch: NodeJS.Timeout | undefined;
  #servesDeprecated = true;
  /** Whether the node permits deprecated commands for the next call. Undefined if only the general setting applies. */
  #deprecatedOnce: boolean | undefined;
  #isEnding = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#methods = methodsByName(options);
  }

  /** Sets the pipe to the node, and prepares the queue of its calls. Call this before the first message is read. */
  attach(pipe: PluginPipe): void {
    this.#pipe = pipe;
    this.#calls = new CallQueue(pipe, DEFAULT_OPTIONS.maxThreads, this.#options.bounds);
  }

  request(request: NodeRequest): void {
    try {
      this.#serve(request);
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      this.#pipe.error(request.id, error);
    }
  }

  notification(method: string, params: JsonToken | undefined): void {
    if (method === 'shutdown') this.ended('the node is stopping');
    else if (method === 'deprecated_oneshot' && params !== undefined) {
      const { deprecated_oneshot: once } = membersOf(params);
      const isOk = once === undefined ? undefined : membersOf(once).deprecated_ok?.raw;
      this.#deprecatedOnce = isOk === undefined ? undefined : isOk === 'true';
    }
  }

  /** Stops the engine, and then this process. */
  ended(reason: string): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearInterval(this.#watch);
    this.#pipe.log('debug', reason);
    const stopped = this.#engine?.stop() ?? Promise.resolve();
    void stopped.finally(() => this.#options.exit());
  }

  #serve(request: NodeRequest): void {
    const { id, params } = request;
    switch (request.method) {
      case 'getmanifest':
        this.#servesDeprecated = memberText(params, 'allow-deprecated-apis') !== 'false';
        this.#pipe.result(id, manifest(this.#options));
        return;
      case 'init':
        this.#init(params);
        this.#pipe.result(id, {});
        return;
      case 'setconfig':
        this.#change(this.#changed(params));
        this.#pipe.result(id, {});
        return;
      case 'rpc_command':
        this.#pipe.result(id, hookAnswer(params, this.#taken));
        return;
      case MESSAGE_METHOD:
        this.#pipe.result(id, PASS_ON);
        this.#engine?.tell(messageLine(params));
        return;
      case 'check':
        this.#check(request);
        return;
      default:
        this.#call(request);
    }
  }

  /**
   * The commands that the engine runs in place of the node. Empty while there is no engine, so that the node runs them
   * itself.
   */
  get #taken(): ReadonlySet<string> {
    return this.#calls.whyAway === undefined ? this.#values.takeOver : new Set();
  }

  #init(params: JsonToken | undefined): void {
    const { options, configuration } = params === undefined ? {} : membersOf(params);
    const { isInPlace } = this.#options;
    this.#configuration = configurationOf(configuration);
    this.#change(
      readOptions(options, this.#scope, (why) => this.#pipe.log('warn', `using the default: ${why}`)),
    );
    const where = isInPlace
      ? 'replacing cln-askrene'
      : 'alongside cln-askrene, which serves getroutes and askrene-* (disable it with ' +
        'disable-plugin=cln-askrene)';
    this.#pipe.log('info', `Fulgurite ${this.#options.version} ${where}`);
    this.#startEngine();
    if (isInPlace && !this.#configuration.isStartup) void this.#lookForXpay();
  }

  #startEngine(): void {
    const pauses = this.#options.pauses ?? ENGINE_PAUSES;
    const engine = new EngineProcess(
      { ...pauses, program: this.#options.program, arguments: () => this.#engineArguments() },
      {
        up: (path) => void this.#reach(path),
        down: (reason) => {
          this.#link?.close();
          this.#calls.engineDown(reason);
          this.#pipe.log('warn', `${reason}; restarting it`);
        },
        line: (text) => this.#passOn(text),
      },
    );
    this.#engine = engine;
    engine.start();
    const silenceMs = this.#options.silenceMs ?? SILENCE_MS;
    this.#watch = setInterval(() => void this.#feel(silenceMs), silenceMs / 2);
  }

  #engineArguments(): string[] {
    const { directory, rpcPath, isProxyForced } = this.#configuration!;
    const { isInPlace, isDeveloper } = this.#options;
    const { workers, timeoutS } = this.#values;
    return [
      'start',
      ...['--network', 'cln', '--lightning-rpc-file', rpcPath],
      ...['--data-dir', resolve(directory, this.#values.directory)],
      ...['--log-level', 'info', '--max-in-flight', String(ENGINE_IN_FLIGHT)],
      ...['--askrene-timeout', String(timeoutS)],
      ...['--node-messages', '--stop-on-eof'],
      ...(workers === undefined ? [] : ['--workers', String(workers)]),
      ...(isInPlace ? ['--replace-askrene'] : []),
      ...(isDeveloper ? ['--developer'] : []),
      ...(isProxyForced ? ['--fetchinvoice-noconnect'] : []),
    ];
  }

  /** Connects to an engine that is ready. An engine whose connection breaks is restarted. */
  async #reach(path: string): Promise<void> {
    const calls = this.#calls;
    try {
      this.#link = await EngineLink.open(path, {
        answered: (id, answer) => calls.answered(id, answer),
        notified: (id, method, params) => calls.notified(id, method, params),
        lost: (reason) => {
          calls.lost(reason);
          this.#engine?.kill();
        },
      });
      await calls.engineUp(this.#link);
      this.#pipe.log('info', `the engine is ready at ${path}`);
    } catch (error) {
      this.#pipe.log('warn', `cannot connect to the engine: ${(error as Error).message}`);
      this.#engine?.kill();
    }
  }

  /** Pings the engine, and kills it if it does not answer within `silenceMs`. */
  async #feel(silenceMs: number): Promise<void> {
    if (this.#calls.whyAway !== undefined) return;
    const engine = this.#engine;
    const pid = engine?.pid;
    const silence = setTimeout(() => {
      if (engine?.pid !== pid) return;
      this.#pipe.log('warn', `the engine has not responded for ${silenceMs / 1000} s; killing it`);
      engine?.kill();
    }, silenceMs);
    await this.#calls.ask('notifications', '{"enable":true}');
    clearTimeout(silence);
  }

  /** If the node has xpay, creates the layer of cln-xpay, which cln-xpay itself creates only when it starts. */
  async #lookForXpay(): Promise<void> {
    const path = this.#configuration!.rpcPath;
    try {
      const { result } = await callOverSocket({ path, method: 'help', params: '{"command":"xpay"}' });
      if (result !== undefined) this.#calls.requireXpayLayer();
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      this.#pipe.log('warn', `cannot determine whether the node has xpay: ${error.message}`);
    }
  }

  #passOn(line: string): void {
    const [, level = '', message = ''] = /^\S+ ([A-Z]+) (.*)$/.exec(line) ?? [];
    const known = LEVELS[level];
    if (known !== undefined) this.#pipe.log(known, message);
    else this.#pipe.log('warn', line);
  }

  get #scope(): OptionScope {
    const { isInPlace, nodeVersion } = this.#options;
    return { isInPlace, mayTakeOver: hasHookFilters(nodeVersion) };
  }

  #changed(params: JsonToken | undefined): PluginOptions {
    const name = memberText(params, 'config') ?? '';
    return changedOption(this.#values, this.#scope, name, memberText(params, 'val') ?? '');
  }

  /** Applies new values. Of those for the engine, a running one gets only the timeout, and a later one gets all. */
  #change(values: PluginOptions): void {
    const before = this.#values;
    this.#values = values;
    this.#calls.mostSearches = values.maxThreads;
    if (before.timeoutS === values.timeoutS || this.#engine === undefined) return;
    const val = String(values.timeoutS);
    void this.#calls.ask('setconfig', toJson({ config: 'askrene-timeout', val, transient: true }));
  }

  #call({ id, method: name, params, filter }: NodeRequest): void {
    const method = this.#methods.get(name);
    if (method === undefined) throw unknownMethod(name);
    const { command, readOnly = false } = method;
    const paramsText = params?.raw ?? NO_PARAMS;
    this.#pipe.log('trace', `json_${command.replaceAll('-', '_')} called: ${paramsText}`);
    if (command === INFO_COMMAND && this.#calls.whyAway !== undefined) {
      this.#pipe.result(id, { plugin: this.#state });
      return;
    }
    this.#calls.accept({
      id,
      method: command,
      params: paramsText,
      filter: filter?.raw,
      mayDeprecated: this.#mayDeprecated(),
      readOnly,
      ...(filter === undefined && this.#changeOf(name, params)),
    });
  }

  /** The function that converts a method's result for the node. Undefined if the result stays as it is. */
  #changeOf(name: string, params: JsonToken | undefined): { onResult?: (result: string) => string } {
    if (name === `${OWN_PREFIX}${INFO_COMMAND}`)
      return { onResult: (result) => withMember(result, 'plugin', this.#state) };
    // For `getroutes`, Core Lightning's schema of the result applies, which allows no other members.
    if (name === SEARCH_COMMAND && !asksForFront(params))
      return { onResult: (result) => withoutMember(result, 'unfinished') };
    return {};
  }

  /** Runs `check` for a change of an option, or for one of our methods, given by its name in the node. */
  #check(request: NodeRequest): void {
    const { id, params = parseJson(NO_PARAMS), filter } = request;
    const name = parameter(params, COMMAND_TO_CHECK, 0)?.text ?? '';
    if (name === 'setconfig') {
      this.#changed(params);
      this.#pipe.result(id, { [COMMAND_TO_CHECK]: name });
      return;
    }
    const method = this.#methods.get(name);
    if (method === undefined) throw unknownMethod(name);
    this.#calls.accept({
      id,
      method: 'check',
      params: withCommand(params, method.command),
      filter: filter?.raw,
      mayDeprecated: this.#mayDeprecated(),
      readOnly: true,
      onResult: () => toJson({ [COMMAND_TO_CHECK]: name }),
    });
  }

  #mayDeprecated(): boolean {
    const may = this.#deprecatedOnce ?? this.#servesDeprecated;
    this.#deprecatedOnce = undefined;
    return may;
  }

  /** The plugin's part of `fulgurite-getinfo`. */
  get #state(): object {
    const { isInPlace, version } = this.#options;
    const away = this.#calls.whyAway;
    return {
      version,
      replaces_cln_askrene: isInPlace,
      takes_over: [...this.#values.takeOver],
      engine: away === undefined ? 'up' : 'away',
      ...(away !== undefined && { warning_engine: away }),
      engine_restarts: this.#engine?.restarts ?? 0,
    };
  }
}

const COMMAND_TO_CHECK = 'command_to_check';

const unknownMethod = (name: string): FulguriteError =>
  new FulguriteError('unknownMethod', `Unknown command '${name}'`);

function memberText(params: JsonToken | undefined, name: string): string | undefined {
  return params === undefined ? undefined : membersOf(params)[name]?.text;
}

/** The same parameters, with a different command to check. */
function withCommand(params: JsonToken, command: string): string {
  if (params.kind === 'array') {
    const [, ...rest] = params.elements().map(({ raw }) => raw);
    return `[${[toJson(command), ...rest].join(',')}]`;
  }
  const members = params.members().map(({ key, value }) => {
    return `${toJson(key)}:${key === COMMAND_TO_CHECK ? toJson(command) : value.raw}`;
  });
  return `{${members.join(',')}}`;
}

/**
 * Whether the call may request a Pareto front: by name, or with more positional parameters than Core Lightning's
 * `getroutes` has.
 */
const asksForFront = (params: JsonToken | undefined): boolean =>
  params !== undefined &&
  (params.members().some(({ key }) => key === 'pareto') || params.elements().length > SEARCH_PARAMETERS);

/** The JSON text of an object with an additional member at its end. */
function withMember(object: string, name: string, value: object): string {
  const members = membersText(parseJson(object).members());
  return `{${[...members, `${toJson(name)}:${toJson(value)}`].join(',')}}`;
}

/** The JSON text of an object without one of its members. */
function withoutMember(object: string, name: string): string {
  const members = parseJson(object).members();
  if (!members.some(({ key }) => key === name)) return object;
  return `{${membersText(members.filter(({ key }) => key !== name)).join(',')}}`;
}

const membersText = (members: readonly JsonMember[]): string[] =>
  members.map(({ key, value: { raw } }) => `${toJson(key)}:${raw}`);

function configurationOf(token: JsonToken | undefined): NodeConfiguration {
  const members = token === undefined ? {} : membersOf(token);
  const directory = members['lightning-dir']?.text ?? process.cwd();
  const rpcFile = members['rpc-file']?.text ?? 'lightning-rpc';
  return {
    directory,
    rpcPath: isAbsolute(rpcFile) ? rpcFile : join(directory, rpcFile),
    isStartup: members.startup?.raw !== 'false',
    isProxyForced: members.always_use_proxy?.raw === 'true',
  };
}
