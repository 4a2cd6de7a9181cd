/** The commands of lightningd itself that the stand-in answers, with their parameters and effects. */

import { toHex } from '../../src/bolt/bytes.ts';
import { sha256 } from '../../src/bolt/crypto/hashes.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import type { JsonToken } from '../../src/rpc/json-token.ts';
import type { Channeld } from './channeld.ts';
import type { Datastore } from './datastore.ts';
import { member } from './json.ts';
import {
  channelRows,
  FEATURES,
  graphRows,
  htlcRows,
  infoOf,
  type PublicDirection,
  peersOf,
} from './node-view.ts';
import type { OnionMessages } from './onion-messages.ts';
import { parametersOf, type Values } from './parameters.ts';
import type { OptionValue, PluginHost } from './plugin-host.ts';
import { CODE, Refusal } from './refusal.ts';
import type { RpcConnection } from './rpc-server.ts';
import type { SendPays } from './send-pays.ts';
import type { WaitIndexes } from './wait-indexes.ts';

/** The parts of the node that the commands use. */
export interface CoreParts {
  readonly release: () => string;
  readonly version: () => string;
  readonly nodeId: () => NodeId;
  readonly directory: string;
  readonly warning: () => string | undefined;
  /** Number of blocks that the node still has to read again. */
  readonly blocksLost: () => number;
  /** The node's name for the state of usable channels. */
  readonly normalState: () => string;
  readonly chain: () => string;
  /** UNIX seconds with fractions. */
  readonly startedAtS: () => number;
  /** Whether the node's signer declines payments. */
  readonly declines: () => boolean;
  readonly features: Readonly<Record<string, string>>;
  readonly graph: readonly PublicDirection[];
  readonly channeld: Channeld;
  readonly payments: SendPays;
  /** The node's forwards, as `listforwards` shows them. */
  readonly forwards: readonly object[];
  readonly indexes: WaitIndexes;
  readonly datastore: Datastore;
  readonly messages: OnionMessages;
  readonly plugins: () => PluginHost;
  readonly waitHeight: (height: number, timeoutS: number) => Promise<object>;
  readonly usages: (command: string | undefined) => object[];
  readonly stop: () => void;
}

/** One command. */
export interface CoreCommand {
  /** The signature of the command's parameters (parameters.ts). Undefined if the command reads them itself. */
  readonly signature: string | undefined;
  /** The first release with this command. Undefined if all have it. */
  readonly since?: string;
  readonly run: (
    values: Values,
    context: { connection: RpcConnection; params: JsonToken },
  ) => object | Promise<object>;
}

/** The commands by name. */
export function coreCommands(node: CoreParts): ReadonlyMap<string, CoreCommand> {
  const commands = new Map<string, CoreCommand>();
  const add: Add = (name, signature, run, since) => {
    commands.set(name, { signature, run, ...(since && { since }) });
  };
  addNodeCommands(node, add);
  addChannelCommands(node, add);
  addPaymentCommands(node, add);
  addStoreCommands(node, add);
  addPluginCommands(node, add);
  return commands;
}

type Add = (name: string, signature: string | undefined, run: CoreCommand['run'], since?: string) => void;

function addNodeCommands(node: CoreParts, add: Add): void {
  const { channeld } = node;
  add('getinfo', '', () => {
    const { directory, features } = node;
    const facts = {
      directory,
      features,
      id: node.nodeId(),
      version: node.version(),
      warning: node.warning(),
      chain: node.chain(),
    };
    return infoOf({ ...facts, height: channeld.height - node.blocksLost() }, channeld.records());
  });
  add('getlog', 'level:text', () => {
    const created_at = node.startedAtS().toFixed(9);
    return { created_at, bytes_used: 0, bytes_max: 1, log: [] };
  });
  // In the real node, a plugin (the chain backend) answers this. Here both heights are that of the tip.
  add('getchaininfo', 'last_height:any', () => {
    const { height } = channeld;
    return { chain: 'regtest', headercount: height, blockcount: height, ibd: false };
  });
  add('waitblockheight', 'blockheight:number! timeout:number', ({ blockheight, timeout = 60 }) =>
    node.waitHeight(blockheight, timeout),
  );
  add('wait', 'subsystem:subsystem! indexname:index! nextvalue:u64!', (values) =>
    node.indexes.wait(values.subsystem, values.indexname, values.nextvalue),
  );
  add('makesecret', 'hex:hex string:text', ({ hex, string }) => {
    if (hex !== undefined && string !== undefined) throw invalid('Cannot have both hex and string');
    const data = hex === undefined ? string : Buffer.from(hex, 'hex');
    if (data === undefined) throw invalid('Must have either hex or string');
    const seed = Buffer.from(`the stand-in ${node.nodeId()} `, 'utf8');
    return { secret: toHex(sha256(Uint8Array.from([...seed, ...Buffer.from(data)]))) };
  });
  add('help', 'command:text', ({ command }) => {
    const help = node.usages(command);
    if (help.length === 0) throw new Refusal(CODE.unknownMethod, `Unknown command ${command}`);
    return { help, 'format-hint': 'simple' };
  });
  add('notifications', 'enable:bool!', ({ enable }, { connection }) => {
    connection.wantsNotifications = enable;
    return {};
  });
  add('stop', '', () => {
    setImmediate(node.stop);
    return { result: 'Shutdown complete' };
  });
}

function addChannelCommands(node: CoreParts, add: Add): void {
  const { channeld } = node;
  const rows = () =>
    channelRows(node.nodeId(), channeld.records(), node.normalState()) as Record<string, unknown>[];
  const signature = 'id:nodeId short_channel_id:scid@v25.05 channel_id:sha256@v26.04';
  add('listpeerchannels', signature, ({ id, short_channel_id, channel_id }) => {
    const isWanted = (row: Record<string, unknown>): boolean =>
      (id === undefined || row.peer_id === id) &&
      (short_channel_id === undefined || row.short_channel_id === short_channel_id) &&
      (channel_id === undefined || row.channel_id === channel_id);
    return { channels: rows().filter(isWanted) };
  });
  add('listpeers', 'id:nodeId level:text', ({ id }) => peersOf(channeld.records(), id));
  add('listhtlcs', 'id:text index:index@v25.05 start:u64@v25.05 limit:u32@v25.05', (values) => {
    const { id, index, start = 0n, limit } = values;
    const order = ({
      created_index,
      updated_index = 0n,
    }: {
      created_index: bigint;
      updated_index?: bigint | undefined;
    }) => (index === 'updated' ? updated_index : created_index);
    const htlcs = channeld
      .everHtlcs()
      .filter((htlc) => (id === undefined || htlc.short_channel_id === id) && order(htlc) >= start);
    return { htlcs: htlcRows(htlcs.slice(0, limit), node.release()) };
  });
  add('listclosedchannels', 'id:nodeId', () => ({
    closedchannels: rows().filter(({ state }) => state === 'ONCHAIN'),
  }));
  add('listchannels', 'short_channel_id:scid source:nodeId destination:nodeId', () => ({
    channels: graphRows(node.graph),
  }));
  add('listnodes', 'id:nodeId', () => {
    const ids = [...new Set(node.graph.map(({ source }) => source))];
    return { nodes: ids.map((nodeid) => ({ nodeid })) };
  });
  add('connect', 'id:text! host:text port:u16', ({ id }) => connect(node, id.split('@')[0]));
  add('disconnect', 'id:nodeId! force:bool', ({ id, force = false }) => {
    const own = rows().filter((row) => row.peer_id === id);
    if (own.length === 0) throw invalid(`id: Unknown peer: invalid token '"${id}"'`);
    if (!own.some((row) => row.peer_connected)) throw new Refusal(CODE.lightningd, 'Peer not connected');
    if (!force) {
      const words = 'Peer has (at least one) channel in state CHANNELD_NORMAL';
      throw new Refusal(CODE.lightningd, words);
    }
    channeld.simulation.setTrait(id, 'offline', true);
    channeld.onPeersChanged();
    return {};
  });
}

function connect(node: CoreParts, id: string): object {
  if (!/^0[23][0-9a-f]{64}$/.test(id)) throw invalid(`id: should be a node id: invalid token '"${id}"'`);
  const { simulation } = node.channeld;
  const peer = id as NodeId;
  if (!simulation.isOnline(peer)) {
    const words = `Unable to connect, no address known for peer`;
    throw new Refusal(CODE.noAddress, words);
  }
  simulation.connect(peer);
  node.channeld.onPeersChanged();
  const address = { type: 'ipv4', address: '127.0.0.1', port: 9735 };
  return { id, features: FEATURES, direction: 'out', address };
}

function addPaymentCommands(node: CoreParts, add: Add): void {
  const { payments } = node;
  add('preapproveinvoice', 'bolt11:text!', () => {
    if (node.declines()) throw new Refusal(CODE.invoiceDeclined, 'invoice was declined');
    return {};
  });
  add('preapprovekeysend', 'destination:nodeId! payment_hash:sha256! amount_msat:msat!', () => {
    if (node.declines()) throw new Refusal(CODE.keysendDeclined, 'keysend was declined');
    return {};
  });
  const part = 'partid:u64 groupid:u64';
  const onion =
    'onion:hex! first_hop:routeHop! payment_hash:sha256! label:string shared_secrets:any partid:u64 bolt11:text ' +
    'amount_msat:msat destination:nodeId localinvreqid:sha256 groupid:u64 description:text ' +
    'total_amount_msat:msat@v25.05';
  add('sendonion', onion, (values) => payments.sendonion(values));
  add('waitsendpay', `payment_hash:sha256! timeout:number ${part}`, (values) => payments.waitsendpay(values));
  const inject =
    'onion:hex! payment_hash:sha256! amount_msat:msat! cltv_expiry:u32! partid:nonZero! groupid:u64! blinding:hex ' +
    'label:string invstring:text localinvreqid:sha256 destination_msat:msat destination:nodeId@v26.06';
  add('injectpaymentonion', inject, (values) => payments.injectpaymentonion(values));
  const list = 'bolt11:text payment_hash:sha256 status:status index:index start:u64 limit:u32';
  add('listsendpays', list, (values) => payments.listsendpays(values));
  add('listforwards', 'status:text index:index start:u64 limit:u32', ({ start = 0n, limit }) => {
    const first = start === 0n ? 0 : Number(start) - 1;
    return { forwards: node.forwards.slice(first, limit === undefined ? undefined : first + limit) };
  });
  add('delpay', `payment_hash:sha256! status:ended! ${part}`, (values) => payments.delpay(values));
  const moves = 'index:index start:u64 limit:u32';
  add('listchannelmoves', moves, (values) => payments.listchannelmoves(values), 'v25.09');
  add('injectonionmessage', 'path_key:hex! message:hex!', ({ path_key, message }) =>
    node.messages.inject(path_key, message),
  );
}

function addStoreCommands({ datastore }: CoreParts, add: Add): void {
  add('datastore', 'key:strings! string:string hex:hex mode:mode generation:u64', (values) =>
    datastore.put(values),
  );
  add('listdatastore', 'key:strings', (values) => datastore.list(values));
  add('deldatastore', 'key:strings! generation:u64', (values) => datastore.delete(values));
}

function addPluginCommands(node: CoreParts, add: Add): void {
  add('listconfigs', 'config:text', ({ config }) => {
    const configs = node.plugins().configs();
    if (config === undefined) return { configs };
    if (!(config in configs)) throw invalid(`config: Unknown config option: invalid token '"${config}"'`);
    return { configs: { [config]: configs[config] } };
  });
  add('setconfig', 'config:text! val:text transient:bool', ({ config, val }) =>
    node.plugins().setOption(config, val, false),
  );
  add('plugin', undefined, (_values, { params }) => pluginCommand(node.plugins(), params));
}

/** Handles `plugin start|stop|list`, whose parameters depend on the subcommand. */
function pluginCommand(plugins: PluginHost, params: JsonToken): object | Promise<object> {
  const given = params.kind === 'array' ? params.elements() : [];
  const at = (i: number, name: string) => (params.kind === 'array' ? given[i] : member(params, name));
  const subcommand = at(0, 'subcommand')?.text;
  const name = at(1, subcommand === 'start' || subcommand === 'stop' ? 'plugin' : '')?.text;
  if (subcommand === 'list') return plugins.list('list');
  if (subcommand !== 'start' && subcommand !== 'stop') {
    throw invalid(
      subcommand === undefined
        ? 'missing required parameter: subcommand'
        : `Unknown subcommand '${subcommand}'`,
    );
  }
  if (name === undefined) throw invalid('missing required parameter: plugin');
  return subcommand === 'stop' ? plugins.stop(name) : plugins.start(name, startOptions(params));
}

/** The options given with `plugin start`: as extra members, or in `options` as `name=value`. */
function startOptions(params: JsonToken): Record<string, OptionValue> {
  const values: [string, OptionValue][] = [];
  for (const { key, value } of params.members()) {
    if (key === 'subcommand' || key === 'plugin') continue;
    if (key !== 'options') values.push([key, value.text]);
    for (const { text } of value.elements()) {
      const [name, ...rest] = text.split('=');
      values.push([name!, rest.length === 0 ? true : rest.join('=')]);
    }
  }
  return Object.fromEntries(values);
}

/** The usage line of a command, as `help` shows it. */
export function helpLine(name: string, { signature }: CoreCommand, release: string): object {
  const usage = parametersOf(signature ?? 'subcommand:text!', release)
    .map((one) => (one.isRequired ? one.name : `[${one.name}]`))
    .join(' ');
  return { command: `${name} ${usage}` };
}

const invalid = (message: string): Refusal => new Refusal(CODE.invalidParams, message);
