/**
 * Solvers that may become available later. A daemon that starts while the bus is down searches locally. Once the bus
 * responds, searches go to solvers as well.
 */

import type { RemoteSearch, RemoteSolvers } from '../engine/host/remote-solvers.ts';
import type { RouteReply } from '../engine/question/messages.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';

/** Placeholder for the solvers of a bus that may not be connected yet. */
export class LateSolvers implements RemoteSolvers {
  #solvers: RemoteSolvers | undefined;
  #graph: ChannelGraph | undefined;
  #isClosed = false;

  /** Uses these solvers from now on. */
  async give(solvers: RemoteSolvers): Promise<void> {
    if (this.#isClosed) return solvers.close();
    this.#solvers = solvers;
    if (this.#graph !== undefined) solvers.publish(this.#graph);
  }

  hasRoom(): boolean {
    return this.#solvers?.hasRoom() ?? false;
  }

  async ask(search: RemoteSearch): Promise<RouteReply> {
    return this.#solvers?.ask(search) ?? { stale: true };
  }

  publish(graph: ChannelGraph): void {
    this.#graph = graph;
    this.#solvers?.publish(graph);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#solvers?.close();
  }
}
