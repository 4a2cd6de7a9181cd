/**
 * Solvers on other machines, as the route engine sees them. They take searches for which the threads of this process
 * have no time. Nothing depends on them: a search that none of them answers is made here.
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { RouteReply } from '../question/messages.ts';
import type { Question } from '../question/question.ts';
import type { Lane } from './request-queue.ts';

/** A search to be made elsewhere. */
export interface RemoteSearch {
  readonly query: Question;
  readonly lane: Lane;
  /** UNIX milliseconds. The caller stops waiting then. */
  readonly deadline: number;
  /**
   * Whether a reply can be used. `false`: it breaks the query's own terms, so its sender is not to be trusted.
   * `outdated`: it does not fit the network as it is now.
   */
  readonly judge: (reply: RouteReply) => 'good' | 'false' | 'outdated';
}

/** What the engine asks of solvers on other machines. */
export interface RemoteSolvers {
  /** Whether one of them is known to have room for one more search. */
  hasRoom(): boolean;
  /**
   * Asks one of them, and a second one if the first does not answer. Never rejects.
   * @returns the answer or the reason why there is none; `stale` without a reply, so that the search must run here.
   */
  ask(search: RemoteSearch): Promise<RouteReply>;
  /** Takes the graph on which answers must be from now on. */
  publish(graph: ChannelGraph): void;
  /** Lets them go. Searches that are in progress end as `stale`. */
  close(): Promise<void>;
}
