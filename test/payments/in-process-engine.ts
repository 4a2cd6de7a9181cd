/**
 * The route engine without threads: one kernel, called directly by the code that queries, so the order is
 * always the same.
 */

import type { RouteOptions } from '../../src/engine/host/engine-options.ts';
import { LayerFeed } from '../../src/engine/host/layer-feed.ts';
import { NoRouteError } from '../../src/engine/question/no-route.ts';
import { allowedRemedies } from '../../src/engine/question/remedy-rules.ts';
import type { RouteAnswer, RouteQuery } from '../../src/engine/question/route.ts';
import { Kernel } from '../../src/engine/solver/kernel.ts';
import { createSharedKernel, GraphPublisher } from '../../src/engine/solver/kernel-memory.ts';
import { LayerSlots } from '../../src/engine/solver/layer-slots.ts';
import { solveRoute } from '../../src/engine/solver/solve-route.ts';
import type { LayerBook } from '../../src/layers/layer-book.ts';
import { resolveLayers } from '../../src/layers/resolved-layers.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';

/** A kernel over one graph. It may serve several engines, one after the other. */
export class InProcessKernel {
  readonly kernel: Kernel;
  readonly slots: LayerSlots;
  readonly #publisher: GraphPublisher;
  #task = 0;

  constructor(graph: ChannelGraph) {
    const shared = createSharedKernel();
    this.#publisher = new GraphPublisher(shared);
    this.publish(graph);
    this.kernel = new Kernel(shared, 0);
    this.slots = new LayerSlots(this.kernel);
  }

  publish(graph: ChannelGraph): void {
    this.#publisher.publish(graph);
  }

  nextTask(): number {
    return ++this.#task;
  }
}

export class InProcessEngine {
  readonly #book: LayerBook;
  readonly #feed: LayerFeed;
  readonly #kernel: InProcessKernel;
  #at = -1;
  queries = 0;

  readonly #before: () => void;

  constructor(book: LayerBook, kernel: InProcessKernel, before: () => void = () => undefined) {
    this.#book = book;
    this.#before = before;
    this.#feed = new LayerFeed(book);
    this.#kernel = kernel;
  }

  async getroutes(query: RouteQuery, options: RouteOptions = {}): Promise<RouteAnswer> {
    this.queries++;
    this.#before();
    const { kernel, slots } = this.#kernel;
    const delta = this.#feed.since(this.#at);
    this.#at = delta.to;
    this.#feed.trim(this.#at);
    if (!kernel.reading(() => slots.apply(delta))) throw new Error('the layers are out of step');
    kernel.beginTask(this.#kernel.nextTask());
    const { layers, ...rest } = query;
    const resolved = resolveLayers(this.#book, layers, true);
    const outcome = solveRoute(kernel, {
      ...rest,
      includeFees: resolved.includeFees,
      maxhops: options.maxhops ?? 20,
      ...allowedRemedies(options.remedies, resolved.noMpp),
      ...slots.resolve(resolved.layerIds, layers),
    });
    if ('answer' in outcome) return outcome.answer;
    throw new NoRouteError(outcome.noRoute);
  }

  close(): void {
    this.#feed.close();
  }
}
