/** Options of the route engine and of a request, and the engine's report about itself. */
import type { LayerBook } from '../../layers/layer-book.ts';
import type { ObjectiveKnobs } from '../question/objective.ts';
import type { RemedyRules } from '../question/remedy-rules.ts';
import type { SearchReport } from '../question/search-report.ts';
import type { LocalSolversOptions } from './local-solvers.ts';
import type { RemoteSolvers } from './remote-solvers.ts';
import type { Lane } from './request-queue.ts';
import type { Solvers } from './solver-link.ts';

/** Options of the route engine, including the solvers that it uses. */
export interface EngineOptions extends LocalSolversOptions {
  readonly book: LayerBook;
  /** The solvers. Default: threads of this process, as set by the other options. The engine closes the solvers. */
  readonly solvers?: Solvers;
  /** Solvers on other machines. Default: none. The engine closes them. */
  readonly fleet?: RemoteSolvers;
  /** Maximum number of queued queries, and of queued payment searches. Default 20,000. */
  readonly queueSize?: number;
  /**
   * Called for each request without its own deadline. Returns its time limit in milliseconds. Default 10,000, like
   * askrene-timeout.
   */
  readonly deadlineMs?: () => number;
  /** Called for every finished search, except for those whose outcome `searchPacked` returns. Default: no listener. */
  readonly onSearch?: (search: SearchReport) => void;
}

/** The requesting client. Clients are distinguished by identity. */
export interface Client {
  /** Whether the client has disconnected, so that its queries need no answer. */
  readonly isClosed?: boolean;
}

/** Options of one request besides the query. */
export interface RouteOptions {
  readonly deadlineMs?: number;
  /** `payment` if a payment is waiting for the answer. Default `query`. */
  readonly lane?: Lane;
  /**
   * The client that asks. Clients take turns, so a client with many requests delays only itself. A query of a
   * disconnected client is dropped when its turn comes. A payment continues without its client. All requests without a
   * client count as one client.
   */
  readonly client?: Client;
  /** Whether deprecated automatic layers are accepted. Default true. */
  readonly deprecatedApis?: boolean;
  /** Maximum number of hops that fit in the onion. Default 20. */
  readonly maxhops?: number;
  readonly knobs?: ObjectiveKnobs;
  /** Whether the query is one of a batch whose searches share work. Default false. */
  readonly inBatch?: boolean;
  /** What a remedy may change. False means that no remedy is searched for. Default: every parameter of `getroutes`. */
  readonly remedies?: RemedyRules | false;
}

/** Options of a resolved request. */
export interface ResolvedOptions {
  readonly lane?: Lane | undefined;
  readonly client?: Client | undefined;
  /** Deadline in milliseconds of `machineMs`. */
  readonly deadline: number;
  /** Packed changes of layers that apply only to this request; see `RouteRequest`. */
  readonly own?: Uint8Array | undefined;
}

/** Statistics of an engine for logs and benchmarks. `replaced` counts workers that died or had to be terminated. */
export interface EngineStats {
  readonly workers: number;
  readonly queued: number;
  readonly running: number;
  /** Number of searches in progress on other machines. */
  readonly outside: number;
  readonly answered: number;
  readonly replaced: number;
  readonly memoryBytes: number;
}
