/**
 * The parts of a running node that command handlers use. The types of some members have only what the commands need, so
 * that a test can pass a small object.
 */
import type { RouteEngine } from '../engine/host/engine.ts';
import type { OwnInvoice, OwnInvoices } from '../invoices/index.ts';
import type { Layer } from '../layers/layer.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import type { NodeId } from '../model/node-id.ts';
import type { ListedForward, SettledForward } from '../model/own-channel.ts';
import type { NameResolver } from '../names/index.ts';
import type { NetworkPort } from '../network/port.ts';
import type { InvoiceWishes } from '../network/simulated/index.ts';
import type { Offers } from '../offers/index.ts';
import type { BalanceHistory } from '../payments/books/balance-history.ts';
import type { PaymentEngine } from '../payments/payment-engine.ts';
import type { Prober } from '../payments/probes/prober.ts';
import type { QuoteBook } from '../payments/quotes/quote-book.ts';
import type { SequentialTest } from '../payments/trials/sequential-test.ts';
import { type Command, type CommandDefinition, defineCommandFor, type Params } from '../rpc/command.ts';
import type { Log, RecentLog } from '../rpc/log.ts';
import type { ParamType } from '../rpc/param-types.ts';
import type { LinkCodes } from '../runes/link-codes.ts';
import type { RuneBook } from '../runes/rune-book.ts';
import type { SimulatedOffer } from '../simulated-issuers/index.ts';
import type { NamedHosts, Outbox } from '../webhooks/index.ts';
import { inWords } from './in-words.ts';

/** How this node identifies itself to others. */
export interface NodeIdentity {
  readonly id: NodeId;
  readonly alias: string;
  /** Red, green and blue as six hex digits. */
  readonly color: string;
  /** The feature bits (BOLT 9) that we advertise in each context, as hex. */
  readonly features: NodeFeatures;
}

/** Feature bits by context (I, N, C and 9 in BOLT 9), each as hex. */
export interface NodeFeatures {
  readonly init: string;
  readonly node: string;
  readonly channel: string;
  readonly invoice: string;
}

/** An option of the service, as `listconfigs` shows it and `setconfig` changes it. */
export interface Setting {
  /** Undefined if the option is not set and has no default. */
  readonly value: number | string | boolean | readonly string[] | undefined;
  /**
   * Where each value comes from: `default`, `cmdline`, `environment NAME`, `setconfig` (until the service stops), or
   * file and line.
   */
  readonly sources: readonly string[];
  readonly isDynamic: boolean;
}

/** The options that the service was started with, and those that can change while it runs. */
export interface NodeSettings {
  readonly all: ReadonlyMap<string, Setting>;
  /** If `text` is not a valid value of a dynamic option, describes the valid values. Undefined if it is valid. */
  faultOf(name: string, text: string): string | undefined;
  /**
   * Changes a dynamic option.
   * @throws FulguriteError storeFailed when the change cannot be stored; the option then keeps its value
   */
  set(name: string, text: string, isTransient: boolean): Setting;
}

/** The methods that the attached node executes; see `help`. */
export interface ForwardedCommands {
  /** Whether the attached node executes this method, even if we have a method of the same name. */
  takes(method: string): boolean;
  /** The usage lines of the node's commands. @throws FulguriteError nodeAway */
  usages(): Promise<readonly string[]>;
}

/**
 * What every handler receives besides its parameters: the parts of a running node, put together by
 * `src/cli/daemon/daemon.ts`.
 */
export interface NodeContext {
  readonly identity: NodeIdentity;
  /** The chain: bitcoin, testnet, testnet4, signet or regtest. */
  readonly chain: string;
  /** Current block height. It is queried at each read, so two reads may differ. */
  readonly blockheight: number;
  readonly dataDirectory: string;
  readonly version: string;
  /** The public channel graph. It may change while a command runs. */
  readonly graph: ChannelGraph;
  /** Answers route queries on the graph, in worker threads. */
  readonly engine: Pick<RouteEngine, 'getroutes'>;
  /** The layers: information besides the graph that route requests can use. */
  readonly layers: LayerBook;
  /** Resolves when all changes of this persistent layer made so far are on disk. Rejects with storeFailed. */
  readonly layersDurable: (layer: Layer) => Promise<void>;
  /** Whether lists of layers leave out the members that cln-askrene lacks. Set when we replace cln-askrene. */
  readonly listsAsAskrene?: boolean;
  /** The interface to the network: our channels, our peers and the chain. */
  readonly networkPort: NetworkPort;
  /** Makes payments and keeps a record of them. */
  readonly payments: Pick<
    PaymentEngine,
    'check' | 'pay' | 'sendPart' | 'plan' | 'quote' | 'live' | 'nextChange' | 'journal' | 'learnedOdds'
  > &
    Partial<Pick<PaymentEngine, 'doubt' | 'purse' | 'oddsOf' | 'refreshLearned' | 'paysStaticInvoices'>>;
  /** The running trial of payment settings, if any. */
  readonly trial?: SequentialTest | undefined;
  /** Sends probes. Undefined when probing is off. */
  readonly probes?: Pick<Prober, 'figures'> | undefined;
  /** The amounts that each of our nodes could send and receive in the past. Undefined if a single node pays. */
  readonly balances?: BalanceHistory | undefined;
  /** The quotes of payments; see `quote`. */
  readonly quotes: QuoteBook;
  /** Fetches and issues invoices. */
  readonly offers: Offers;
  /** Offers that nodes of a simulated network issue. Empty on a real network. */
  readonly simulatedOffers: readonly SimulatedOffer[];
  /** Lets a node of a simulated network issue a BOLT 11 invoice. Undefined on a real network. */
  readonly simulatedInvoice?: ((nodeId: NodeId, wishes: InvoiceWishes) => Promise<string>) | undefined;
  /** Issues an invoice of our own node. Undefined if that is not possible, or if there are several nodes. */
  readonly makeInvoice?: ((amountMsat: bigint, description: string) => Promise<string>) | undefined;
  /**
   * The payments that our node has forwarded since `sinceS`, in UNIX seconds. Undefined if the network does not report
   * them.
   */
  readonly forwards?: ((sinceS: number) => Promise<readonly SettledForward[]>) | undefined;
  /**
   * Lists our node's forwards, starting at an index (the first is 1). Undefined if the network does not list forwards.
   */
  readonly listForwards?: ((start: number, limit: number) => Promise<readonly ListedForward[]>) | undefined;
  /** Whether the data directory belongs to the simulated network, in which case no money in it is real. */
  readonly isSimulated: boolean;
  /** The runes made by this node. They authorize HTTP requests. */
  readonly runes: RuneBook;
  /** The codes in links to the explorer. Each code is exchanged for a rune. */
  readonly linkCodes: LinkCodes;
  /** Copies the database and the keys to a new directory; see `backup`. */
  readonly backups: { make(destination: string): Promise<{ database: string; bytes: number }> };
  /** The HTTP service, with the URL of the explorer if the page was built. Undefined if HTTP is disabled. */
  readonly httpServer: () => { readonly pageUrl: string | undefined } | undefined;
  /** Events queued for webhooks. */
  readonly webhooks: Outbox;
  /** The hosts to which events may be posted. */
  readonly webhookHosts: NamedHosts;
  /** Invoices of our own node. Undefined if Core Lightning stores them, or if the network cannot issue any. */
  readonly invoices?: OwnInvoices | undefined;
  /** Lets a node of a simulated network pay us. */
  readonly simulatedPayer?:
    | ((
        from: NodeId,
        invoice: OwnInvoice & { readonly amountMsat: bigint },
      ) => Promise<{ readonly feeMsat: bigint }>)
    | undefined;
  /** Resolves names (BIP 353). Undefined if the operator has set no resolver. */
  readonly names?: Pick<NameResolver, 'resolve'> | undefined;
  readonly settings: NodeSettings;
  readonly log: Log;
  /** The last lines of the log; see `getlog`. */
  readonly recentLog: RecentLog;
  /** The methods that the attached node executes. Undefined if no methods are forwarded. */
  readonly forwarded?: ForwardedCommands | undefined;
  /** Returns the metrics in Prometheus' text format; see `getmetrics`. */
  readonly metricsText: () => Promise<string>;
  /**
   * Returns why components of the node are not ready, by component. Components that are ready are absent, as are the
   * graph and the network, which are checked separately.
   */
  readonly notReady: () => Readonly<Record<string, string>>;
  /** Begins an orderly stop. Calls in progress are answered first. */
  readonly requestStop: () => void;
}

const defineNodeCommand = defineCommandFor<NodeContext>();

/**
 * Declares a command of this node; see `CommandDefinition` for its members. Converts the typed reasons that the command
 * throws to errors with texts.
 */
export function defineCommand<const P extends Params<NodeContext>>(
  definition: CommandDefinition<P, NodeContext>,
): CommandDefinition<P, NodeContext> {
  const { handler, check } = definition;
  return defineNodeCommand({
    ...definition,
    handler: givingWords(handler),
    ...(check !== undefined && { check: givingWords(check) }),
  });
}

/** Wraps a function so that every error that it throws or rejects with has a text. */
function givingWords<A extends readonly unknown[], R>(run: (...args: A) => R): (...args: A) => R {
  const fail = (error: unknown): never => {
    throw inWords(error);
  };
  return (...args) => {
    try {
      const result = run(...args);
      return result instanceof Promise ? (result.catch(fail) as R) : result;
    } catch (error) {
      return fail(error);
    }
  };
}

/** A command whose handler receives a `NodeContext`. */
export type NodeCommand = Command<NodeContext>;

/** A parameter type whose parser looks up the value in the node, such as the name of a layer. */
export type NodeParamType<T> = ParamType<T, NodeContext>;
