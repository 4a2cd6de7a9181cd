/**
 * The plugin side of lightningd (`lightningd/plugin.c`, `plugin_hook.c`, `plugin_control.c`). It starts plugins by
 * path, requests their manifests, sends `init`, forwards calls, hooks and notifications, and kills plugins.
 *
 *     started ─getmanifest→ needs init ─init→ running ─SIGKILL→ gone          all plugins are asked at once
 *
 * As with the real node, some faults stop the whole node: a plugin that starts too slowly, an option that two
 * plugins declare, an important plugin that is gone, or a hook answered with an error.
 */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import type { JsonToken } from '../../src/rpc/json-token.ts';
import { member, raw } from './json.ts';
import { ManifestError, type PluginHook, type PluginOption, readManifest, whyNotValue } from './manifest.ts';
import { PluginProcess } from './plugin-process.ts';
import { CODE, Refusal } from './refusal.ts';
import { isSince } from './release.ts';

/** A plugin as configured for the node. */
export interface PluginConfig {
  readonly path: string;
  readonly isImportant?: boolean;
}

/** Values of options, as configured: a text, true for a flag, or several texts. */
export type OptionValue = string | true | readonly string[];

/** The functions and data that the host needs from its node. */
export interface HostOptions {
  /** The network directory, in which plugins run. */
  readonly directory: string;
  readonly rpcFile: string;
  readonly network: string;
  readonly release: () => string;
  readonly version: () => string;
  readonly isDeveloper: boolean;
  readonly allowDeprecated: boolean;
  /** Feature bits, as `init` reports them. */
  readonly features: Readonly<Record<string, string>>;
  readonly isCoreMethod: (name: string) => boolean;
  /** Whether lightningd itself has an option of this name. */
  readonly isCoreOption: (name: string) => boolean;
  readonly log: (level: string, line: string) => void;
  /** Stops the node with this message. */
  readonly fatal: (message: string) => void;
  /** Time limit for `getmanifest` and for `init`, each, in milliseconds. The node itself allows 120 s. */
  readonly startMs: number;
  /**
   * How long a plugin that subscribes to `shutdown` may take to end, in milliseconds. The node itself allows 30 s.
   */
  readonly shutdownMs: number;
}

/** Runs the plugins of one node process. */
export class PluginHost {
  readonly #options: HostOptions;
  #plugins: PluginProcess[] = [];
  /** For each hook, its plugins in the order in which they are called. */
  readonly #hookOrder = new Map<string, PluginProcess[]>();
  readonly #values = new Map<string, OptionValue>();
  #isStarting = false;
  #isEnding = false;
  #waiters: (() => void)[] = [];

  constructor(options: HostOptions, values: Readonly<Record<string, OptionValue>>) {
    this.#options = options;
    for (const [name, value] of Object.entries(values)) this.#values.set(name, value);
  }

  /** The plugins, in the order of the configuration. */
  get plugins(): readonly PluginProcess[] {
    return this.#plugins;
  }

  // ---------------------------------------------------------------- start and end

  /** Starts the plugins with the node. Resolves when each one has answered `init` or is gone. */
  async startAll(configs: readonly PluginConfig[]): Promise<void> {
    this.#isStarting = true;
    for (const config of configs) this.#spawn(config);
    await this.#until((one) => one.state !== 'getmanifest');
    this.#orderHooks();
    for (const plugin of this.#plugins) this.#init(plugin);
    await this.#until((one) => one.state === 'running');
    this.#isStarting = false;
  }

  /** Handles `plugin start`. @throws Refusal */
  async start(path: string, values: Readonly<Record<string, OptionValue>>): Promise<object> {
    await access(path, constants.X_OK).catch((error: NodeJS.ErrnoException) => {
      throw new Refusal(CODE.invalidParams, `${path} is not executable: ${error.message}`);
    });
    if (this.#plugins.some((one) => one.path === path)) {
      throw new Refusal(CODE.invalidParams, `${path}: already registered`);
    }
    let reason = '';
    const plugin = this.#spawn({ path }, (why) => {
      reason = why;
    });
    const requireAlive = (): void => {
      if (plugin.state === 'gone') throw new Refusal(CODE.pluginError, `${path}: ${reason}`);
    };
    await this.#until((one) => one.state !== 'getmanifest');
    requireAlive();
    if (!plugin.manifest!.isDynamic) plugin.kill('Not a dynamic plugin', 'info');
    requireAlive();
    for (const [name, value] of Object.entries(values)) {
      if (!plugin.manifest!.options.some((option) => option.name === name)) {
        plugin.kill(`unknown parameter ${name}`);
        requireAlive();
      }
      this.#values.set(name, value);
    }
    this.#orderHooks();
    this.#init(plugin);
    await this.#until((one) => one.state !== 'init');
    requireAlive();
    return this.list('start');
  }

  /** Handles `plugin stop`. @throws Refusal */
  async stop(name: string): Promise<object> {
    const plugin = this.#plugins.find((one) => one.path === name || one.name === name);
    if (plugin === undefined) throw new Refusal(CODE.invalidParams, `Could not find plugin ${name}`);
    if (plugin.manifest?.isDynamic !== true) {
      throw new Refusal(CODE.invalidParams, `${name} cannot be managed when lightningd is up`);
    }
    this.#forgiven.add(plugin);
    await this.#shutDown(plugin);
    plugin.kill('stopped by lightningd via RPC', 'info');
    return { command: 'stop', result: `Successfully stopped ${plugin.name}.` };
  }

  /** Handles `plugin list`. The other subcommands return the same list. */
  list(command: string): object {
    const plugins = this.#plugins.map(({ path, state, manifest }) => ({
      name: path,
      active: state === 'running',
      dynamic: manifest?.isDynamic ?? false,
    }));
    return { command, plugins };
  }

  /**
   * Stops the plugins with the node. Plugins that subscribe to `shutdown` get some time to end; the others
   * are killed at once.
   */
  async shutDownAll(): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#plugins].map((plugin) => this.#shutDown(plugin)));
    this.killAll();
  }

  /**
   * Ends the plugins when the node is killed. Their standard input closes, and the stand-in kills them to be sure.
   */
  killAll(): void {
    this.#isEnding = true;
    for (const plugin of [...this.#plugins]) plugin.end('the node is gone');
    this.#wake();
  }

  // ---------------------------------------------------------------- calls

  /** The plugin that has a method. */
  ownerOf(method: string): PluginProcess | undefined {
    return this.#plugins.find((plugin) => this.#methodOf(plugin, method) !== undefined);
  }

  usageOf(method: string): string | undefined {
    const owner = this.ownerOf(method);
    return owner && this.#methodOf(owner, method)?.usage;
  }

  /** Names and usages of all methods. */
  methods(): { name: string; usage: string }[] {
    return this.#plugins.flatMap(({ manifest }) => [...(manifest?.methods ?? [])]);
  }

  /** Forwards a request to the plugin that has its method. @returns its answer, an object with result or error. */
  forward(
    owner: PluginProcess,
    method: string,
    request: JsonToken,
    from: string,
    notified: (method: string, params: JsonToken) => void,
  ): Promise<JsonToken> {
    return new Promise((answered) => owner.forward(method, request, { answered, notified }, from));
  }

  #methodOf(plugin: PluginProcess, method: string) {
    return plugin.manifest?.methods.find(({ name }) => name === method);
  }

  // ---------------------------------------------------------------- hooks and notifications

  /**
   * Calls a hook on each plugin in turn, until one does not answer `continue`.
   * @param filter compared with the filters of the plugins.
   * @returns the result of the plugin that decided. Undefined if all answered `continue`.
   */
  async hook(name: string, payload: object, filter: string, from?: string): Promise<JsonToken | undefined> {
    let decided: JsonToken | undefined;
    for (const plugin of [...(this.#hookOrder.get(name) ?? [])]) {
      if (plugin.state === 'gone' || !isCalled(plugin, name, filter)) continue;
      const answer = await new Promise<JsonToken>((answered) =>
        plugin.call(name, payload, { answered }, from),
      );
      if ((plugin.state as string) === 'gone') continue;
      const result = member(answer, 'result');
      if (result === undefined) {
        this.#options.fatal(`Plugin ${plugin.name} for ${name} returned non-result response ${answer.raw}`);
        return undefined;
      }
      const verdict = member(result, 'result')?.text;
      if (verdict === 'continue') continue;
      if (decided !== undefined) {
        this.#options.log('unusual', `${name} hook already modified, ignoring.`);
        return decided;
      }
      decided = result;
      // For rpc_command only, the remaining plugins are called as well, but their changes are ignored.
      if (name !== 'rpc_command') return decided;
    }
    return decided;
  }

  /** Sends a notification of the node to its subscribers. */
  notify(topic: string, body: object): void {
    for (const plugin of this.#subscribersOf(topic)) plugin.notify(topic, { [topic]: body });
  }

  #subscribersOf(topic: string): PluginProcess[] {
    return this.#plugins.filter(
      ({ state, manifest }) =>
        state === 'running' && manifest!.subscriptions.some((one) => one === topic || one === '*'),
    );
  }

  /** Forwards a notification of one plugin. Its body was in `payload` until v25.05. */
  #relay(from: PluginProcess, topic: string, params: JsonToken): void {
    if (!from.manifest?.topics.includes(topic)) {
      const undeclared = `Plugin attempted to send a notification to topic "${topic}" it hasn't declared in its manifest`;
      this.#options.log('unusual', `${undeclared}, not forwarding to subscribers.`);
      return;
    }
    const body = isSince(this.#options.release(), 'v25.09') ? 'params' : 'payload';
    for (const plugin of this.#subscribersOf(topic)) {
      plugin.notifyRaw({ jsonrpc: '2.0', method: topic, origin: from.name, [body]: raw(params) });
    }
  }

  // ---------------------------------------------------------------- options

  /** A plugin's option of this name, with the plugin. */
  option(name: string): { plugin: PluginProcess; option: PluginOption } | undefined {
    for (const plugin of this.#plugins) {
      const option = plugin.manifest?.options.find((one) => one.name === name);
      if (option !== undefined) return { plugin, option };
    }
    return undefined;
  }

  /** Rows of `listconfigs`. */
  configs(): Record<string, object> {
    const shown = this.#plugins.flatMap((plugin) =>
      (plugin.manifest?.options ?? []).flatMap((option): [string, object][] => {
        const value = this.#shownValue(option);
        if (value === undefined) return [];
        const source = this.#values.has(option.name) ? 'cmdline' : 'default';
        return [
          [
            option.name,
            { ...value, source, plugin: plugin.path, ...(option.isDynamic && { dynamic: true }) },
          ],
        ];
      }),
    );
    return Object.fromEntries(shown);
  }

  /** Handles `setconfig` for an option of a plugin, or only checks the value. @throws Refusal */
  async setOption(name: string, value: string | undefined, isCheck: boolean): Promise<object> {
    const found = this.option(name);
    if (found === undefined) throw new Refusal(CODE.invalidParams, 'config: Unknown config option');
    const { plugin, option } = found;
    if (!option.isDynamic) throw new Refusal(CODE.invalidParams, 'config: Not a dynamic config option');
    const why = value === undefined ? undefined : whyNotValue(option.type, value);
    if (why !== undefined) throw new Refusal(CODE.invalidParams, `${name}: ${why}`);
    if (isCheck && !plugin.manifest!.canCheck) return { command_to_check: 'setconfig' };
    const params = { config: name, val: option.isMulti ? [value] : value };
    const answer = await new Promise<JsonToken>((answered) => {
      if (isCheck) plugin.call('check', { command_to_check: 'setconfig', ...params }, { answered });
      else plugin.call('setconfig', params, { answered });
    });
    const error = member(answer, 'error');
    if (error !== undefined) {
      throw new Refusal(Number(member(error, 'code')?.text), member(error, 'message')?.text ?? '');
    }
    if (isCheck) return { command_to_check: 'setconfig' };
    this.#values.set(name, value ?? true);
    return { config: { config: name, ...(this.configs()[name] as object) } };
  }

  #shownValue({ name, type, isMulti, byDefault }: PluginOption): object | undefined {
    const value = this.#values.get(name) ?? byDefault;
    if (type === 'flag') return { set: value !== undefined };
    if (value === undefined) return undefined;
    const suffix = type === 'int' ? 'int' : type === 'bool' ? 'bool' : 'str';
    return isMulti
      ? { [`values_${suffix}`]: textsOf(value).map((one) => typed(type, one)) }
      : { [`value_${suffix}`]: typed(type, textsOf(value)[0]!) };
  }

  // ---------------------------------------------------------------- one plugin

  /** Plugins that may end without stopping the node. */
  readonly #forgiven = new Set<PluginProcess>();

  #spawn(
    { path, isImportant = false }: PluginConfig,
    onGone: (reason: string) => void = () => undefined,
  ): PluginProcess {
    const { directory, isDeveloper, version, log, allowDeprecated } = this.#options;
    const args = isDeveloper ? ['--developer'] : [];
    const env = { ...process.env, LIGHTNINGD_PLUGIN: '1', LIGHTNINGD_VERSION: version() };
    const name = basename(path);
    const plugin: PluginProcess = new PluginProcess(
      path,
      { args, cwd: directory, env, isImportant },
      {
        log: (level, line) => log(level, `plugin-${name}: ${line}`),
        notification: (topic, params) => this.#relay(plugin, topic, params),
        gone: (reason) => {
          onGone(reason);
          this.#left(plugin);
        },
      },
    );
    this.#plugins.push(plugin);
    this.#limit(plugin, 'getmanifest');
    const params = { 'allow-deprecated-apis': allowDeprecated };
    plugin.call('getmanifest', params, { answered: (answer) => this.#takeManifest(plugin, answer) });
    return plugin;
  }

  #takeManifest(plugin: PluginProcess, answer: JsonToken): void {
    if (plugin.state === 'gone') return;
    try {
      const manifest = readManifest(answer, {
        release: this.#options.release(),
        ownerOf: (method) => this.#ownerOrCrash(method),
        isOptionTaken: (name) => this.#options.isCoreOption(name) || this.option(name) !== undefined,
        onOptionClash: (name) => {
          if (!this.#isStarting) return;
          const words = `error starting plugin '${plugin.path}': option name '${name}' is already taken`;
          this.#options.fatal(words);
        },
      });
      if ('disable' in manifest) {
        this.#forgiven.add(plugin);
        plugin.kill(`disabled itself: ${manifest.disable}`, 'info');
        return;
      }
      plugin.manifest = manifest;
      plugin.state = 'needsInit';
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      plugin.kill(error.message);
    }
    this.#wake();
  }

  /**
   * A plugin that declares a method of lightningd itself makes the real node crash, since no plugin owns that
   * method.
   */
  #ownerOrCrash(method: string): string | undefined {
    if (!this.#options.isCoreMethod(method)) return this.ownerOf(method)?.path;
    this.#options.fatal(`a plugin wants the method ${method} of lightningd itself`);
    return 'lightningd';
  }

  #init(plugin: PluginProcess): void {
    if (plugin.state !== 'needsInit') return;
    plugin.state = 'init';
    this.#limit(plugin, 'init');
    const { directory, rpcFile, network, features } = this.#options;
    const configuration = {
      'lightning-dir': directory,
      'rpc-file': rpcFile,
      startup: this.#isStarting,
      network,
      feature_set: features,
    };
    const params = { options: this.#optionsFor(plugin), configuration };
    plugin.call('init', params, {
      answered: (answer) => {
        if (plugin.state === 'gone') return;
        const result = member(answer, 'result');
        const disable = result && member(result, 'disable');
        if (disable !== undefined) {
          this.#forgiven.add(plugin);
          plugin.kill(`disabled itself at init: ${disable.text}`, 'debug');
          return;
        }
        plugin.state = 'running';
        this.notify('plugin_started', {
          plugin_name: plugin.name,
          plugin_path: plugin.path,
          methods: plugin.manifest!.methods.map(({ name }) => name),
        });
        this.#wake();
      },
    });
  }

  #optionsFor({ manifest }: PluginProcess): Record<string, unknown> {
    const options: Record<string, unknown> = {};
    for (const { name, type, isMulti, byDefault } of manifest!.options) {
      const value = this.#values.get(name) ?? byDefault;
      if (value === undefined) continue;
      const values = textsOf(value).map((one) => typed(type, one));
      options[name] = isMulti ? values : values[0];
    }
    return options;
  }

  /** Kills a plugin that does not answer in time. This stops a node that is starting. */
  #limit(plugin: PluginProcess, state: 'getmanifest' | 'init'): void {
    const timer = setTimeout(() => {
      if (plugin.state !== state) return;
      plugin.kill(`timed out before replying to ${state}`);
      if (this.#isStarting) this.#options.fatal("Can't recover from plugin failure, terminating.");
    }, this.#options.startMs);
    timer.unref();
  }

  #left(plugin: PluginProcess): void {
    this.#plugins = this.#plugins.filter((one) => one !== plugin);
    for (const [hook, order] of this.#hookOrder) {
      this.#hookOrder.set(
        hook,
        order.filter((one) => one !== plugin),
      );
    }
    this.#wake();
    if (this.#isEnding) return;
    if (plugin.isImportant && !this.#forgiven.has(plugin)) {
      this.#options.log(
        'broken',
        `plugin-${plugin.name}: Plugin marked as important, shutting down lightningd!`,
      );
      this.#options.fatal(`${plugin.name} was important`);
      return;
    }
    this.notify('plugin_stopped', { plugin_name: plugin.name, plugin_path: plugin.path });
  }

  async #shutDown(plugin: PluginProcess): Promise<void> {
    if (!plugin.manifest?.subscriptions.includes('shutdown') || plugin.state !== 'running') return;
    plugin.notify('shutdown', {});
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.shutdownMs);
    });
    await Promise.race([plugin.ended, late]);
    clearTimeout(timer);
  }

  /** Waits until the condition holds for every remaining plugin. */
  async #until(isSo: (plugin: PluginProcess) => boolean): Promise<void> {
    while (!this.#isEnding && !this.#plugins.every(isSo)) {
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  // ---------------------------------------------------------------- order of hooks

  /**
   * Orders the plugins of each hook by their requests to come before or after each other. Plugins in a cycle are
   * killed.
   */
  #orderHooks(): void {
    this.#hookOrder.clear();
    const names = new Set(
      this.#plugins.flatMap(({ manifest }) => manifest?.hooks.map(({ name }) => name) ?? []),
    );
    for (const name of names) {
      const users = this.#plugins.filter((plugin) => hookOf(plugin, name) !== undefined);
      const order: PluginProcess[] = [];
      while (order.length < users.length) {
        const left = users.filter((plugin) => !order.includes(plugin));
        const next = left.find((plugin) => left.every((other) => !comesFirst(other, plugin, name)));
        if (next === undefined) {
          for (const plugin of left) plugin.kill(`Cannot meet required hook dependencies`);
          break;
        }
        order.push(next);
      }
      this.#hookOrder.set(name, order);
    }
  }
}

const hookOf = ({ manifest }: PluginProcess, name: string): PluginHook | undefined =>
  manifest?.hooks.find((hook) => hook.name === name);

/** Whether the first plugin must be called before the second. */
function comesFirst(one: PluginProcess, other: PluginProcess, name: string): boolean {
  if (one === other) return false;
  const means = (plugin: PluginProcess) => (said: string) => said === plugin.name || said === plugin.path;
  return hookOf(one, name)!.before.some(means(other)) || hookOf(other, name)!.after.some(means(one));
}

function isCalled(plugin: PluginProcess, name: string, filter: string): boolean {
  const filters = hookOf(plugin, name)?.filters;
  return filters === undefined || filters.includes(filter);
}

const textsOf = (value: OptionValue): readonly string[] =>
  value === true ? ['true'] : typeof value === 'string' ? [value] : value;

function typed(type: PluginOption['type'], text: string): unknown {
  if (type === 'int') return BigInt(text);
  if (type === 'bool' || type === 'flag') return ['true', '1', 'yes'].includes(text);
  return text;
}
