/** What commands work with: the rooms of one running node, as narrow as the commands need them. */
import type { RouteEngine } from '../engine/engine.ts';
import type { Layer } from '../layers/layer.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import type { NodeId } from '../model/node-id.ts';
import type { NetworkPort } from '../network/port.ts';
import type { Offers } from '../offers/index.ts';
import type { PaymentEngine } from '../payments/payment-engine.ts';
import { type Command, type CommandDefinition, defineCommandFor, type Params } from '../rpc/command.ts';
import type { Log } from '../rpc/log.ts';
import type { ParamType } from '../rpc/param-types.ts';
import type { SimulatedOffer } from '../simulated-issuers/index.ts';

/** Who this node is, as it tells others. */
export interface NodeIdentity {
  readonly id: NodeId;
  readonly alias: string;
  /** Red, green, blue as six hex digits. */
  readonly color: string;
  /** Feature bits (BOLT 9) that we set in each place, as hex. */
  readonly features: NodeFeatures;
}

export interface NodeFeatures {
  readonly init: string;
  readonly node: string;
  readonly channel: string;
  readonly invoice: string;
}

/** An option of the service. */
export interface Setting {
  /** Undefined when it was not given and has no default to show. */
  readonly value: number | string | boolean | readonly string[] | undefined;
  /** `default`, `cmdline`, `setconfig` (until the service stops), or file and line. */
  readonly source: string;
  readonly isDynamic: boolean;
}

/** What the service was started with, and what of it can be changed. */
export interface NodeSettings {
  /** By name. */
  readonly all: ReadonlyMap<string, Setting>;
  /** The value that a text means for a dynamic option; undefined when it means none. */
  parse(name: string, text: string): number | undefined;
  /** Changes a dynamic option. @throws FulguriteError storeFailed; nothing is changed then. */
  set(name: string, value: number, isTransient: boolean): Setting;
}

export interface NodeContext {
  readonly identity: NodeIdentity;
  /** The chain: bitcoin, testnet, testnet4, signet or regtest. */
  readonly chain: string;
  /** Of the chain's tip; read anew by each call. */
  readonly blockheight: number;
  readonly dataDirectory: string;
  readonly version: string;
  /** The public channel graph, kept up to date by its source. */
  readonly graph: ChannelGraph;
  /** Answers route queries on that graph. */
  readonly engine: Pick<RouteEngine, 'getroutes'>;
  /** What route requests may assume beyond the graph. */
  readonly layers: LayerBook;
  /** Resolves once every change of this persistent layer made so far is on disk; rejects with storeFailed. */
  readonly layersDurable: (layer: Layer) => Promise<void>;
  /** What stands behind us: our channels, our peers, the chain. */
  readonly networkPort: NetworkPort;
  /** Pays, and remembers what was paid. */
  readonly payments: Pick<PaymentEngine, 'check' | 'pay' | 'plan' | 'live' | 'nextChange' | 'journal'>;
  /** Fetches invoices, and issues them. */
  readonly offers: Offers;
  /** Offers that nodes of a simulated network issue; empty on a real one. */
  readonly simulatedOffers: readonly SimulatedOffer[];
  /** Whether the network behind us is the simulated one, whose money is not real. */
  readonly isSimulated: boolean;
  /** Copies the database and the key to a new directory; see `backup`. */
  readonly backups: { make(destination: string): Promise<{ database: string; bytes: number }> };
  readonly settings: NodeSettings;
  readonly log: Log;
  /** Begins an orderly stop: running calls are answered first. */
  readonly requestStop: () => void;
}

/** Declares a command of this node; see `CommandDefinition`. */
export const defineCommand: <const P extends Params<NodeContext>>(
  definition: CommandDefinition<P, NodeContext>,
) => CommandDefinition<P, NodeContext> = defineCommandFor<NodeContext>();

export type NodeCommand = Command<NodeContext>;

/** A parameter type that looks things up in the node, such as the name of a layer. */
export type NodeParamType<T> = ParamType<T, NodeContext>;
