/**
 * A kernel that answers the questions of a simulation, in a separate thread or in the simulation's thread.
 *
 * Nodes and channels have the same numbers in the kernel's memory and in the graph, because layers create no channels
 * except the artificial last hops of payments to oneself. So routes are returned as direction indexes.
 */

import { unpackCell } from '../../engine/question/messages.ts';
import type { RouteAnswer } from '../../engine/question/route.ts';
import { Kernel } from '../../engine/solver/kernel.ts';
import type { SharedKernel } from '../../engine/solver/kernel-memory.ts';
import { findRoute } from '../../engine/solver/solve-route.ts';
import { ODDS_CELLS, type OddsTable, oddsTable } from '../../layers/learned-odds.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import { OddsModel } from '../../payments/learn/odds-model.ts';
import { CIRCLE_END, inboundIndexOf } from '../../payments/plan/circle.ts';
import { NO_ROUTE, type Plan, type PlannedRoute } from '../routers/router.ts';
import type { KernelPlace, KernelQuestion, SlotChange } from './messages.ts';

/** Maximum hops of a route, as in the daemon. */
const MAX_HOPS = 20;
/** Spread of the noise of a search in ppm, as in the daemon (src/payments/plan/planner.ts). */
const SPREAD_PPM = 350_000;

/** Layers with fewer entries than this are left out of kept stacks, because applying them again is cheap. */
const KEPT_LAYER_LEAST = 16;

let untrained: OddsTable | undefined;

function untrainedOdds(): OddsTable {
  if (untrained === undefined) {
    const model = new OddsModel(() => 0);
    untrained = oddsTable(model.usualBurden, (ofClass) => model.survival(ofClass, ODDS_CELLS));
  }
  return untrained;
}

/** The parts of the graph that a host reads: the ids of nodes and the indexes of channels. */
export type GraphNames = Pick<ChannelGraph, 'nodeId' | 'channelIndex'>;

/** Applies changes and answers questions, one by one. */
export class KernelHost {
  readonly #kernel: Kernel;
  readonly #graph: GraphNames;
  #slots = 1;
  /** Learned odds, by slot. */
  readonly #odds = new Map<number, OddsTable>();
  /** Number of the current question, from 1. */
  #task = 0;

  constructor(shared: SharedKernel, { index, keptStacksBytes }: KernelPlace, graph: GraphNames) {
    this.#kernel = new Kernel(shared, index);
    this.#kernel.exports.reserveShelves(keptStacksBytes, KEPT_LAYER_LEAST);
    this.#graph = graph;
  }

  answer(question: KernelQuestion): Plan {
    const kernel = this.#kernel;
    kernel.reading(() => {
      for (const change of question.changes) this.#apply(change);
    });
    this.#task = (this.#task + 1) & 0x7fff_ffff || 1;
    kernel.beginTask(this.#task);
    const { noise, oddsSlot } = question;
    const odds = oddsSlot === undefined ? undefined : this.#odds.get(oddsSlot);
    const answer = findRoute(kernel, {
      source: this.#graph.nodeId(question.source),
      destination: question.comesBackBy === undefined ? this.#graph.nodeId(question.destination) : CIRCLE_END,
      amountMsat: msat(question.amountMsat),
      maxfeeMsat: msat(question.maxfeeMsat),
      finalCltv: question.finalCltv,
      maxdelay: question.maxdelay,
      maxparts: question.maxparts,
      maxhops: MAX_HOPS,
      layerIds: question.stack,
      layerNames: [],
      includeFees: false,
      knobs: question.knobs,
      ...(odds !== undefined && { odds }),
      ...(noise !== undefined && { randomize: { seed: noise, spreadPpm: SPREAD_PPM } }),
    });
    return answer === undefined ? NO_ROUTE : this.#plan(answer, question.comesBackBy);
  }

  #plan({ routes, probabilityPpm }: RouteAnswer, comesBackBy: readonly number[] | undefined): Plan {
    return {
      probabilityPpm,
      routes: routes.map(
        ({ path, probabilityPpm: ofRoute }): PlannedRoute => ({
          directions: path.map((hop) => {
            // Only a circle ends at a made-up node. The network of a scenario may have a node with the same id.
            const back = comesBackBy && inboundIndexOf(hop);
            if (back !== undefined) return comesBackBy![back]!;
            const { shortChannelId, direction } = hop.shortChannelIdDir;
            return 2 * this.#graph.channelIndex(shortChannelId) + direction;
          }),
          amountsMsat: path.map(({ amountOutMsat }) => amountOutMsat),
          expiries: path.map(({ cltvOut }) => cltvOut),
          probabilityPpm: ofRoute,
        }),
      ),
    };
  }

  #apply(change: SlotChange): void {
    const [kind, slot] = change;
    if (slot >= this.#slots) {
      this.#slots = Math.max(slot + 1, 2 * this.#slots);
      this.#kernel.ensureLayerSlots(this.#slots);
    }
    if (kind === 'clear') {
      this.#kernel.clearLayer(slot);
      this.#odds.delete(slot);
    } else if (kind === 'odds') this.#odds.set(slot, change[2] ?? untrainedOdds());
    else if (kind === 'channel')
      this.#kernel.setChannelCell(slot, change[2], change[3] === null ? undefined : unpackCell(change[3]));
    else this.#kernel.setNodeCell(slot, change[2] as NodeId, change[3] ?? undefined);
  }
}
