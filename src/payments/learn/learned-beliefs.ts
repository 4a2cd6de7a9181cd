/**
 * Keeps the automatic layer `auto.learned` up to date, so that searches use the results of attempts: the odds of
 * balances, the burden of nodes (odds-model.ts), and the bounds of the shared layer, faded by age.
 *
 * A direction that did not keep its terms gets a bias until it probably keeps them again.
 *
 * If the newest record of a channel is t seconds old, the channel's bounds keep a share of 2^(−t · traffic / h): the
 * minimum falls to 0 and the maximum rises to the capacity. The share is rounded, so a channel changes only a few times
 * until nothing is left, and the layer records when the next change is due. A maximum is dropped once a larger amount
 * has passed, since balances move. h is the learned half-life. Because bounds fade, the shared layer can keep its
 * records for long, and an old failure makes a channel costlier without ruling it out.
 *
 * `refresh` is called before each search. It updates only what is due: changed directions and nodes immediately, odds
 * after some attempts, and entries that fade at intervals, at most NODES_AT_ONCE nodes and CHANNELS_AT_ONCE channels
 * per call.
 */
import { applyFold, type Bounds, type BoundsFold } from '../../layers/bounds-fold.ts';
import { directionKey, type PerDirection } from '../../layers/cell.ts';
import { directionClass } from '../../layers/direction-class.ts';
import type { Layer } from '../../layers/layer.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import { NEVER_DUE } from '../../layers/learned-channels.ts';
import { burdenLevel, credibleShares, ODDS_CELLS, oddsTable, survivalOf } from '../../layers/learned-odds.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Direction, ShortChannelId } from '../../model/short-channel-id.ts';
import { likelyTraffic } from '../plan/known-hops.ts';
import { USUAL_RESERVE } from './balance-prior.ts';
import { SHARED_LAYER } from './learning.ts';
import type { OddsModel } from './odds-model.ts';

/** Minimum seconds between two passes over all learned nodes, and all channels that are due. */
const FADE_EVERY_S = 300;
/**
 * The table of odds is rebuilt when the number of attempts has grown by a sixteenth, but after at most 25 attempts or
 * ten minutes, because each attempt changes odds less than the one before.
 */
const TABLE_GROWTH = 16;
const TABLE_ATTEMPTS = 25;
const TABLE_EVERY_S = 600;
/** Maximum number of fading nodes and channels examined per call. */
const NODES_AT_ONCE = 2_000;
const CHANNELS_AT_ONCE = 500;

/**
 * The share of a bound that is left is rounded to a multiple of 1 / 12. Otherwise each pass would change all bounds, in
 * every kernel. The share becomes 0 after 4.6 half-lives, and then the channel has no bounds in the layer.
 */
const FADE_STEPS = 12;
/** A pass happens at most this many times per half-life. */
const PASSES_PER_HALF_LIFE = 16;
/** Maximum seconds until a channel with a bias is examined again. */
const BIAS_EVERY_S = 3_600;
/** When the learned half-life has changed by this factor since all channels were last examined, a pass examines all. */
const HALF_LIFE_CHANGE = 1.25;

/**
 * Bias of a direction that probably does not keep its terms. It adds a cost of 0.3 % of the delivered amount
 * (prices.ts), the same as three nats at the default price of risk.
 */
const AVOIDED = -30;
const AVOIDED_FROM = 0.5;

/**
 * Price of a second by which a node is slower than the average, in nats. At the default price of risk, it is 0.01 % of
 * the delivered amount.
 */
export const NATS_PER_SECOND = 0.1;

/** What the layer is computed from. */
export interface BeliefSources {
  readonly model: OddsModel;
  readonly book: LayerBook;
  readonly graph: () => ChannelGraph;
  /** Price of a second, in nats. Default: `NATS_PER_SECOND`. */
  readonly natsPerSecond?: number | undefined;
}

/** Writes the lessons of attempts to the layer `auto.learned`. */
export class LearnedBeliefs {
  readonly #sources: BeliefSources;
  readonly #channels = new Set<ShortChannelId>();
  #tableAt = { attempts: -1, revision: -1, seconds: 0 };
  #fadedAt = Number.NEGATIVE_INFINITY;
  /** The learned half-life when all channels were last examined. */
  #halfLifeS: number;
  #nodesLeft: NodeId[] = [];
  #channelsLeft: ShortChannelId[] = [];
  /** Id of the shared layer whose channels were last examined, to notice when that layer is removed. */
  #sharedId: number | undefined;
  readonly #unsubscribe: () => void;

  constructor(sources: BeliefSources) {
    this.#sources = sources;
    const { book, model } = sources;
    this.#halfLifeS = model.halfLifeS;
    this.#unsubscribe = book.subscribe({
      channelChanged: (layerId, channel) => {
        const shared = this.#shared();
        if (layerId !== shared?.id) return;
        this.#sharedId = layerId;
        this.#channels.add(channel);
      },
      nodeChanged: () => undefined,
      layerRemoved: (layerId) => {
        if (layerId === this.#sharedId) this.#listChannels();
      },
    });
    this.#listChannels();
  }

  /** Stops watching the shared layer, and empties the learned layer. */
  close(): void {
    this.#unsubscribe();
    this.#sources.book.learned.clear();
  }

  /** Brings the layer up to date. */
  refresh(): void {
    const { model, book } = this.#sources;
    const now = book.now();
    this.#refreshTable(now);
    for (const node of model.takeChangedNodes()) this.#refreshNode(node);
    for (const direction of model.takeChangedTerms()) this.#channels.add((direction >> 1n) as ShortChannelId);
    // If the clock was set back, what is due then would wait until that time comes again.
    if (now < this.#fadedAt - FADE_EVERY_S) {
      this.#fadedAt = Number.NEGATIVE_INFINITY;
      this.#listChannels();
    }
    if (
      now >= this.#fadedAt + this.#fadeEveryS() &&
      this.#nodesLeft.length + this.#channelsLeft.length === 0
    ) {
      this.#fadedAt = now;
      this.#nodesLeft = [...book.learned.nodeIds()];
      this.#channelsLeft = [...this.#fadingChannels(now)];
    }
    for (const node of this.#nodesLeft.splice(0, NODES_AT_ONCE)) this.#refreshNode(node);
    for (const channel of this.#channelsLeft.splice(0, CHANNELS_AT_ONCE)) this.#channels.add(channel);
    const { halfLifeS } = model;
    for (const channel of this.#channels) this.#refreshChannel(channel, halfLifeS);
    this.#channels.clear();
  }

  #fadeEveryS(): number {
    return Math.max(FADE_EVERY_S, this.#sources.model.halfLifeS / PASSES_PER_HALF_LIFE);
  }

  /** The channels that a pass examines. */
  #fadingChannels(now: number): Iterable<ShortChannelId> {
    const { book, model } = this.#sources;
    const change = model.halfLifeS / this.#halfLifeS;
    if (change < HALF_LIFE_CHANGE && change > 1 / HALF_LIFE_CHANGE) return book.learned.dueChannels(now);
    this.#halfLifeS = model.halfLifeS;
    return book.learned.channelIds();
  }

  #shared(): Layer | undefined {
    return this.#sources.book.layer(SHARED_LAYER);
  }

  /** Queues all channels of the learned layer and of the shared layer for examination. */
  #listChannels(): void {
    this.#sharedId = this.#shared()?.id;
    for (const channel of this.#sources.book.learned.channelIds()) this.#channels.add(channel);
    for (const channel of this.#shared()?.channelIds() ?? []) this.#channels.add(channel);
  }

  #refreshTable(now: number): void {
    const { model, book } = this.#sources;
    const { attempts, revision, seconds } = this.#tableAt;
    if (model.revision === revision) return;
    const growth = Math.min(TABLE_ATTEMPTS, Math.ceil(attempts / TABLE_GROWTH));
    const isDue = attempts < 0 || model.observed >= attempts + growth || now >= seconds + TABLE_EVERY_S;
    if (!isDue && model.observed >= attempts) return;
    this.#tableAt = { attempts: model.observed, revision: model.revision, seconds: now };
    book.learned.setOdds(oddsTable(model.usualBurden, (ofClass) => model.survival(ofClass, ODDS_CELLS)));
  }

  #refreshNode(node: NodeId): void {
    const { model, book, natsPerSecond = NATS_PER_SECOND } = this.#sources;
    const level = burdenLevel(model.burden(node) + natsPerSecond * model.excessSeconds(node));
    book.learned.setBurden(node, level === burdenLevel(model.usualBurden) ? 0 : level);
  }

  #refreshChannel(channel: ShortChannelId, halfLifeS: number): void {
    const { book, graph, model } = this.#sources;
    const index = graph().channelIndex(channel);
    const bias = (direction: Direction): number =>
      model.brokenTermsChance(directionKey(channel, direction)) > AVOIDED_FROM ? AVOIDED : 0;
    if (index < 0) {
      book.learned.setChannel(channel, [undefined, undefined]);
      return;
    }
    const latest = this.#shared()?.latestRecord(channel);
    const age =
      latest === undefined ? undefined : { latest, halfLifeS: halfLifeS / likelyTraffic(graph(), index) };
    const kept = age === undefined ? 0 : keptShare(Math.max(0, book.now() - age.latest) / age.halfLifeS);
    const biases: PerDirection<number> = [bias(0), bias(1)];
    const changesAt =
      age === undefined || kept === 0 ? NEVER_DUE : age.latest + age.halfLifeS * nextStep(kept);
    const isBiased = biases[0] !== 0 || biases[1] !== 0;
    const dueS = isBiased ? Math.min(changesAt, book.now() + BIAS_EVERY_S) : changesAt;
    book.learned.setChannel(channel, this.#boundsOf(channel, index, kept), biases, dueS);
  }

  /** @param kept the share that is left of the bounds' distance from 0 and from the capacity */
  #boundsOf(channel: ShortChannelId, index: number, kept: number): PerDirection<Bounds | undefined> {
    const shared = this.#shared();
    if (shared === undefined || kept === 0) return [undefined, undefined];
    const folds = shared.revisedBounds(channel);
    if (folds === undefined) return [undefined, undefined];
    const moved = shared.movedMsat(channel, 0);
    return [this.#faded(index, 0, folds[0], moved, kept), this.#faded(index, 1, folds[1], -moved, kept)];
  }

  /** @param movedMsat the net amount that records moved out of the direction */
  #faded(
    index: number,
    direction: Direction,
    fold: BoundsFold,
    movedMsat: bigint,
    kept: number,
  ): Bounds | undefined {
    if (fold.length === 0) return undefined;
    const { book, graph } = this.#sources;
    const capacityMsat = graph().capacityMsat[index]!;
    const folded = applyFold(fold, { minMsat: 0n, maxMsat: capacityMsat }, capacityMsat);
    const bounds = fadedBounds(lessReserve(folded, capacityMsat, movedMsat), capacityMsat, kept);
    const moved = (kept * Number(movedMsat)) / Number(capacityMsat);
    if (moved === 0 || book.learned.odds === undefined) return bounds;
    const survival = survivalOf(book.learned.odds, directionClass(graph(), index, direction));
    return credible(bounds, capacityMsat, { survival, moved });
  }
}

/**
 * The bounds, with a minimum that counts the reserve. If the minimum consists only of amounts that have moved into the
 * direction, part of them may have become the reserve.
 */
function lessReserve({ minMsat, maxMsat }: Bounds, capacityMsat: bigint, movedMsat: bigint): Bounds {
  if (minMsat + movedMsat > 0n) return { minMsat, maxMsat };
  const reserveMsat = BigInt(Math.ceil(Number(capacityMsat) * USUAL_RESERVE));
  return { minMsat: minMsat > reserveMsat ? minMsat - reserveMsat : 0n, maxMsat };
}

/**
 * Bounds that almost certainly contain the balance of a direction through which money has moved. Searches cannot shift
 * the prior (balance-prior.ts), so they get these bounds instead. For example, a channel that was full can still pass
 * nearly all of its remaining balance.
 */
function credible(
  { minMsat, maxMsat }: Bounds,
  capacityMsat: bigint,
  { survival, moved }: { readonly survival: (cell: number) => number; readonly moved: number },
): Bounds {
  const capacity = Number(capacityMsat);
  const known = { least: Number(minMsat) / capacity, most: Number(maxMsat) / capacity };
  const found = credibleShares(survival, known, moved);
  const low = (capacityMsat * BigInt(Math.floor(found.least * CREDIBLE_STEPS))) / BigInt(CREDIBLE_STEPS);
  const high = (capacityMsat * BigInt(Math.floor(found.most * CREDIBLE_STEPS) + 1)) / BigInt(CREDIBLE_STEPS);
  return { minMsat: low > minMsat ? low : minMsat, maxMsat: high < maxMsat ? high : maxMsat };
}

/**
 * Credible bounds are rounded outwards to multiples of the capacity divided by this number, so that they change rarely.
 */
const CREDIBLE_STEPS = 256;

/** The share of a bound that is left after some half-lives, rounded. */
const keptShare = (halfLives: number): number => Math.round(FADE_STEPS * 0.5 ** halfLives) / FADE_STEPS;

/** The number of half-lives after which `keptShare` falls below `kept`. */
const nextStep = (kept: number): number => Math.log2(FADE_STEPS / (FADE_STEPS * kept - 0.5));

/** The share to which bounds have faded is converted to a whole number of these parts. */
const STEPS = 1_000_000n;

/** Faded bounds, which are at `kept` times their original distance from 0 and from the capacity. */
function fadedBounds({ minMsat, maxMsat }: Bounds, capacityMsat: bigint, kept: number): Bounds {
  const share = BigInt(Math.round(kept * Number(STEPS)));
  const above = ((capacityMsat - maxMsat) * share) / STEPS;
  return { minMsat: (minMsat * share) / STEPS, maxMsat: capacityMsat - above };
}
