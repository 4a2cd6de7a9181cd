/**
 * Solvers on other machines, as seen by the route engine. They run queries for several parts, and other searches when
 * the threads of this process have no capacity (engine.ts). Nothing depends on these solvers: a search that they do not
 * answer is repeated here.
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { RouteReply } from '../question/messages.ts';
import type { Question } from '../question/question.ts';
import type { Lane } from './request-queue.ts';

/** A search to run elsewhere. */
export interface RemoteSearch {
  readonly query: Question;
  readonly lane: Lane;
  /** Time after which the caller stops waiting, in milliseconds of `machineMs`. */
  readonly deadline: number;
  /**
   * Whether a reply can be used. `false`: it violates the query's own terms, so its sender is not trusted. `outdated`:
   * it does not fit the current network.
   */
  readonly judge: (reply: RouteReply) => 'good' | 'false' | 'outdated';
}

/** What the engine needs from solvers on other machines. */
export interface RemoteSolvers {
  /** Whether a solver has capacity for one more search. */
  hasRoom(): boolean;
  /**
   * Sends the search to one solver, and to a second one if the first gives no usable reply. Never rejects.
   * @returns the reply, or `stale` if no solver gave a usable one. The search must then run here
   */
  ask(search: RemoteSearch): Promise<RouteReply>;
  /** Sets the graph for future answers. */
  publish(graph: ChannelGraph): void;
  /** Releases the solvers. Searches in progress end as `stale`. */
  close(): Promise<void>;
}
