/**
 * Lightningd's requirements on a plugin's answer to `getmanifest`, and the messages with which it refuses one
 * (`lightningd/plugin.c`, `plugin_parse_getmanifest_response`).
 */
import type { JsonToken } from '../../src/rpc/json-token.ts';
import { member } from './json.ts';
import { isSince } from './release.ts';

/** Topics that only lightningd itself may send. */
const NATIVE_TOPICS = new Set(
  (
    'balance_snapshot block_added channel_open_failed channel_opened channel_state_changed coin_movement connect ' +
    'custommsg deprecated_oneshot disconnect forward_event invoice_creation invoice_payment log ' +
    'onionmessage_forward_fail openchannel_peer_sigs plugin_started plugin_stopped sendpay_failure ' +
    'sendpay_success shutdown warning'
  ).split(' '),
);

/** Hooks, each with the kind of value that its filters match. */
const HOOKS: Readonly<Record<string, 'none' | 'number' | 'string'>> = {
  commitment_revocation: 'none',
  custommsg: 'number',
  db_write: 'none',
  htlc_accepted: 'none',
  invoice_payment: 'none',
  onion_message_recv: 'none',
  onion_message_recv_secret: 'none',
  openchannel: 'none',
  openchannel2: 'none',
  openchannel2_changed: 'none',
  openchannel2_sign: 'none',
  peer_connected: 'none',
  rbf_channel: 'none',
  recover: 'none',
  rpc_command: 'string',
};

const OPTION_TYPES = ['string', 'string-conceal', 'int', 'bool', 'flag'] as const;
type OptionType = (typeof OPTION_TYPES)[number];

export interface PluginOption {
  readonly name: string;
  readonly type: OptionType;
  readonly isMulti: boolean;
  readonly isDynamic: boolean;
  /** The default as text. Undefined if there is none. */
  readonly byDefault: string | undefined;
}

export interface PluginHook {
  readonly name: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Undefined if the hook is called for everything. */
  readonly filters: readonly string[] | undefined;
}

/** A manifest that the node accepts. */
export interface Manifest {
  readonly isDynamic: boolean;
  readonly canCheck: boolean;
  readonly options: readonly PluginOption[];
  readonly methods: readonly { readonly name: string; readonly usage: string }[];
  readonly subscriptions: readonly string[];
  readonly hooks: readonly PluginHook[];
  readonly topics: readonly string[];
}

/** The node's message when it kills a plugin. */
export class ManifestError extends Error {}

/** The node's state when it reads a manifest. */
export interface ManifestContext {
  readonly release: string;
  /**
   * Name of the plugin that has the method, or `undefined`. A method of lightningd itself makes the real node crash.
   */
  readonly ownerOf: (method: string) => string | undefined;
  readonly isOptionTaken: (name: string) => boolean;
  /** Called when two options have the same name, which stops a node that is starting. */
  readonly onOptionClash: (name: string) => void;
}

/** @returns the manifest, or the reason why the plugin disables itself. @throws ManifestError */
export function readManifest(answer: JsonToken, context: ManifestContext): Manifest | { disable: string } {
  const result = member(answer, 'result');
  if (result?.kind !== 'object') fail(`Invalid/missing result tok in '${answer.raw}'`);
  const disable = member(result, 'disable');
  if (disable !== undefined) return { disable: disable.text };
  const isDynamic = flagOf(result, 'dynamic', 'getmanifest');
  checkFeatures(member(result, 'featurebits'), isDynamic);
  checkCustomMessages(member(result, 'custommessages'));
  const nonNumeric = member(result, 'nonnumericids');
  if (nonNumeric !== undefined && nonNumeric.kind !== 'boolean')
    fail(`Invalid nonnumericids: ${nonNumeric.raw}`);
  if (nonNumeric?.raw === 'false') fail('Plugin does not allow nonnumericids');
  const canCheck = member(result, 'cancheck');
  if (canCheck !== undefined && canCheck.kind !== 'boolean') fail(`Invalid cancheck: ${canCheck.raw}`);
  return {
    isDynamic,
    canCheck: canCheck?.raw === 'true',
    topics: topicsOf(member(result, 'notifications')),
    options: optionsOf(member(result, 'options'), context),
    methods: methodsOf(member(result, 'rpcmethods'), context),
    subscriptions: subscriptionsOf(member(result, 'subscriptions')),
    hooks: hooksOf(member(result, 'hooks'), context),
  };
}

function fail(message: string): never {
  throw new ManifestError(message);
}

function flagOf(object: JsonToken, name: string, what: string): boolean {
  const token = member(object, name);
  if (token === undefined) return false;
  if (token.kind !== 'boolean') fail(`${what}: ${name}: invalid "${name}": ${token.raw}`);
  return token.raw === 'true';
}

function checkFeatures(features: JsonToken | undefined, isDynamic: boolean): void {
  for (const { key, value } of features?.members() ?? []) {
    if (!['init', 'node', 'channel', 'invoice'].includes(key)) continue;
    if (!/^(?:[0-9a-f]{2})*$/i.test(value.text)) {
      fail(`Featurebits returned by plugin is not a valid hexadecimal string: ${value.text}`);
    }
    if (isDynamic && value.text !== '') {
      fail(`Custom featurebits only allows for non-dynamic plugins: dynamic=1, featurebits=${features!.raw}`);
    }
  }
}

function checkCustomMessages(messages: JsonToken | undefined): void {
  if (messages === undefined) return;
  if (messages.kind !== 'array') fail(`custommessages must be array, not '${messages.raw}'`);
  for (const [i, token] of messages.elements().entries()) {
    if (!/^\d+$/.test(token.text) || Number(token.text) > 65_535) {
      fail(`custommessages ${i} not a u16: '${token.raw}'`);
    }
  }
}

function topicsOf(notifications: JsonToken | undefined): string[] {
  if (notifications === undefined) return [];
  if (notifications.kind !== 'array') fail('"result.notifications" is not an array');
  return notifications.elements().map((one, i) => {
    if (one.kind !== 'object') fail(`"result.notifications[${i}]" is not an object`);
    const method = member(one, 'method');
    if (method?.kind !== 'string') fail(`"result.notifications[${i}].name" missing or not a string.`);
    if (NATIVE_TOPICS.has(method.text)) {
      fail(
        `plugin attempted to register a native notification topic "${method.text}", ` +
          'these may however only be sent by lightningd',
      );
    }
    return method.text;
  });
}

function optionsOf(options: JsonToken | undefined, context: ManifestContext): PluginOption[] {
  if (options === undefined) fail('"result.options" was not found in the manifest');
  if (options.kind !== 'array') fail('"result.options" is not an array');
  return options.elements().map((option) => optionOf(option, context));
}

function optionOf(option: JsonToken, { isOptionTaken, onOptionClash }: ManifestContext): PluginOption {
  const [name, type, description] = ['name', 'type', 'description'].map((key) => member(option, key));
  if (name === undefined || type === undefined || description === undefined) {
    fail('An option is missing either "name", "description" or "type"');
  }
  if (!/^[0-9a-z_-]+$/.test(name.text)) fail(`Option "name" must be lowercase alphanumeric, plus _ or -'`);
  if (isOptionTaken(name.text)) {
    onOptionClash(name.text);
    fail(`Option "${name.text}" already registered`);
  }
  checkDeprecated(member(option, 'deprecated'));
  const isMulti = flagOf(option, 'multi', `--${name.text}`);
  const isDynamic = flagOf(option, 'dynamic', `--${name.text}`);
  const kind = OPTION_TYPES.find((one) => one === type.text);
  const byDefault = member(option, 'default');
  if (kind === undefined) fail('Only "string", "int", "bool", and "flag" options are supported');
  if (kind === 'flag') {
    if (byDefault !== undefined && byDefault.raw !== 'false') {
      fail(`--${name.text} type flag default must be 'false' not ${byDefault.raw}`);
    }
    if (isMulti) fail('flag type cannot be multi');
    return { name: name.text, type: kind, isMulti, isDynamic, byDefault: undefined };
  }
  if (kind === 'bool' && isMulti) fail('bool type cannot be multi');
  const text = byDefault === undefined || byDefault.kind === 'null' ? undefined : byDefault.text;
  if (text !== undefined && whyNotValue(kind, text) !== undefined) {
    fail(`Invalid default '${text}': ${whyNotValue(kind, text)}`);
  }
  return { name: name.text, type: kind, isMulti, isDynamic, byDefault: text };
}

/** The reason why an option of this type does not accept a text. */
export function whyNotValue(type: OptionType, text: string): string | undefined {
  if (type === 'int' && !/^-?\d+$/.test(text)) return `${text} does not parse as type int`;
  if (type === 'bool' && !['true', 'false', '0', '1', 'yes', 'no'].includes(text)) {
    return `'${text}' is not a valid bool`;
  }
  return undefined;
}

function checkDeprecated(deprecated: JsonToken | undefined): void {
  if (deprecated === undefined || deprecated.kind === 'boolean') return;
  const versions = deprecated.elements();
  if (versions.length < 1 || versions.length > 2) {
    fail(`"deprecated" must be an array of 1 or 2 elements, not ${deprecated.raw}`);
  }
  const bad = versions.findIndex(({ text }) => !/^v\d+\.\d+/.test(text));
  if (bad >= 0) fail(`invalid "deprecated" ${bad === 0 ? 'start' : 'end'} version ${versions[bad]!.text}`);
}

function methodsOf(methods: JsonToken | undefined, { ownerOf }: ManifestContext) {
  if (methods === undefined) fail('"result.rpcmethods" missing');
  if (methods.kind !== 'array') fail('"result.rpcmethods" is not an array');
  const names = new Set<string>();
  return methods.elements().map((method) => {
    const [name, usage] = [member(method, 'name'), member(method, 'usage')];
    if (name?.kind !== 'string') fail(`rpcmethod does not have a string "name": ${method.raw}`);
    if (usage === undefined) fail('"usage" not provided by plugin');
    if (usage.kind !== 'string') fail(`"usage" is not a string: ${method.raw}`);
    checkDeprecated(member(method, 'deprecated'));
    const owner = names.has(name.text) ? 'itself' : ownerOf(name.text);
    if (owner !== undefined) {
      fail(
        `Could not register method "${name.text}", a method with that name is already registered by plugin ${owner}`,
      );
    }
    names.add(name.text);
    return { name: name.text, usage: usage.text };
  });
}

function subscriptionsOf(subscriptions: JsonToken | undefined): string[] {
  if (subscriptions === undefined) return [];
  if (subscriptions.kind !== 'array') fail('"result.subscriptions" is not an array');
  return subscriptions.elements().map((topic, i) => {
    if (topic.kind !== 'string') fail(`result.subscriptions[${i}] is not a string: '${topic.raw}'`);
    return topic.text;
  });
}

function hooksOf(hooks: JsonToken | undefined, { release }: ManifestContext): PluginHook[] {
  const names = new Set<string>();
  return (hooks?.elements() ?? []).map((hook) => {
    const name = hook.kind === 'object' ? member(hook, 'name')?.text : hook.text;
    if (name === undefined) fail(`no name in hook obj ${hook.raw}`);
    const filterKind = HOOKS[name];
    if (filterKind === undefined) fail(`Unknown hook name ${name}`);
    if (names.has(name)) fail(`Registered for hook ${name} multiple times`);
    names.add(name);
    const listed = (key: string) =>
      (hook.kind === 'object' ? member(hook, key)?.elements() : undefined) ?? [];
    const texts = (key: string) => listed(key).map(({ text }) => text);
    // Releases before v25.12 ignore the member, because they have no filters.
    const given = isSince(release, 'v25.12') && hook.kind === 'object' ? member(hook, 'filters') : undefined;
    return {
      name,
      before: texts('before'),
      after: texts('after'),
      filters: filtersOf(name, filterKind, given),
    };
  });
}

function filtersOf(hook: string, kind: 'none' | 'number' | 'string', filters: JsonToken | undefined) {
  if (filters === undefined) return undefined;
  if (kind === 'none') fail(`Hook ${hook} does not allow filters`);
  if (filters.kind !== 'array') fail('filters token must be an array');
  return filters.elements().map((one) => {
    if (kind === 'string' && one.kind !== 'string')
      fail(`filters must be array of strings, not '${one.raw}'`);
    if (kind === 'number' && !/^\d+$/.test(one.text)) {
      fail(`filters must be array of unsigned integers, not '${one.raw}'`);
    }
    return one.text;
  });
}
