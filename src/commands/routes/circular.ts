/**
 * Routes from our node back to itself (`auto.allow_circular`): the amount leaves over one of our channels and comes
 * back over a different one.
 *
 * A search uses each of our channels in one direction only (payments/plan/circle.ts), so the outgoing channels are
 * chosen before the search, unless the caller permits each channel in one direction only. For a single part, each
 * channel is tried as the only outgoing channel, which finds the best answer. For several parts, the half of the
 * channels with the largest difference between what they can send and what they can receive is outgoing at first. Then
 * this choice is tried with each single channel reversed, and each channel is tried as the only outgoing one. The
 * cheapest of all answers is used. If there are more than `MAX_TRIED` channels, only that many are tried or reversed.
 */
import type { RouteOptions } from '../../engine/host/engine-options.ts';
import { pricesFor } from '../../engine/question/objective.ts';
import type { RouteAnswer, RouteQuery } from '../../engine/question/route.ts';
import { AUTOMATIC } from '../../layers/automatic.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import { directionFrom, type ShortChannelId } from '../../model/short-channel-id.ts';
import { PrivateLayer } from '../../payments/learn/learning.ts';
import { CIRCLE_END, type Circle, circled, openCircle } from '../../payments/plan/circle.ts';
import { delayOf, priceMsatOf } from '../../payments/plan/route-cost.ts';
import { badParameter } from '../../rpc/params.ts';
import type { NodeContext } from '../context.ts';
import { inWords } from '../in-words.ts';

/**
 * The channels over which the caller permits the amount to leave and to come back. A list that is undefined permits all
 * channels.
 */
export interface CircleChoice {
  readonly out: readonly ShortChannelId[] | undefined;
  readonly in: readonly ShortChannelId[] | undefined;
}

/** Maximum number of own channels that are tried as the only outgoing channel, or reversed one by one. */
const MAX_TRIED = 64;

/** Whether a request asks for a circular route. */
export const isCircular = ({ source, destination, layers }: RouteQuery): boolean =>
  source === destination && layers.includes(AUTOMATIC.allowCircular.name);

/** The best circular route found. @throws FulguriteError as `getroutes`; -32602 when the source is not our node */
export async function circularAnswer(
  query: RouteQuery,
  options: RouteOptions,
  choice: CircleChoice,
  context: NodeContext,
): Promise<RouteAnswer> {
  const ourId = context.networkPort.identity.nodeId;
  if (query.source !== ourId) {
    throw badParameter('source', `circular routes must start at our own node, ${ourId}`, query.source);
  }
  const channels = context.networkPort.ownChannels().channels.filter(isUsable);
  const out = chosen('source_channels', channels, choice.out);
  const into = chosen('destination_channels', channels, choice.in).filter(
    (id) => !isClosedInto(id, ourId, query.layers, context),
  );
  const search = new CircleSearch(query, options, context, channels);
  const both = out.filter((id) => into.includes(id));
  if (both.length === 0) return search.ask(out, into);
  if (query.maxparts === 1)
    return search.best(
      out.slice(0, MAX_TRIED).map((id) => [id]),
      into,
    );
  const canSend = new Map(
    channels.map((one) => [one.shortChannelId, one.spendableMsat - one.receivableMsat]),
  );
  const bySurplus = [...out].sort((a, b) => (canSend.get(b)! > canSend.get(a)! ? 1 : -1));
  const half = bySurplus.slice(0, Math.ceil(bySurplus.length / 2));
  const turned = both
    .slice(0, MAX_TRIED)
    .map((id) => (half.includes(id) ? half.filter((one) => one !== id) : [...half, id]));
  return search.best([half, ...turned, ...out.slice(0, MAX_TRIED).map((id) => [id])], into);
}

type UsableChannel = OwnChannel & { readonly shortChannelId: ShortChannelId };
const isUsable = (channel: OwnChannel): channel is UsableChannel =>
  channel.usable && channel.shortChannelId !== undefined;

function chosen(
  parameter: string,
  channels: readonly UsableChannel[],
  wanted: readonly ShortChannelId[] | undefined,
): readonly ShortChannelId[] {
  const all = channels.map(({ shortChannelId: id }) => id);
  const unknown = wanted?.find((id) => !all.includes(id));
  if (unknown !== undefined)
    throw badParameter(parameter, 'not all of these are usable channels of our node');
  return wanted ?? all;
}

/**
 * Whether the caller's layers disable a channel for incoming payments. The last layer that enables or disables the
 * incoming direction decides. The search itself cannot know this, because a made-up channel replaces this channel.
 */
function isClosedInto(
  id: ShortChannelId,
  ourId: NodeId,
  layers: readonly string[],
  { layers: book, networkPort }: NodeContext,
): boolean {
  const { channels } = networkPort.ownChannels();
  const peerId = channels.find(({ shortChannelId }) => shortChannelId === id)!.peerId;
  const direction = directionFrom(peerId, ourId);
  const told = layers.map((name) => book.layer(name)?.channelUpdate(id, direction)?.update.enabled);
  return told.findLast((enabled) => enabled !== undefined) === false;
}

class CircleSearch {
  readonly #query: RouteQuery;
  readonly #options: RouteOptions;
  readonly #context: NodeContext;
  readonly #channels: readonly OwnChannel[];

  constructor(
    query: RouteQuery,
    options: RouteOptions,
    context: NodeContext,
    channels: readonly OwnChannel[],
  ) {
    this.#query = query;
    this.#options = options;
    this.#context = context;
    this.#channels = channels;
  }

  /**
   * The best answer over several sets of outgoing channels. @throws FulguriteError of the first set, when none has an
   * answer
   */
  async best(
    outs: readonly (readonly ShortChannelId[])[],
    into: readonly ShortChannelId[],
  ): Promise<RouteAnswer> {
    let best: { readonly answer: RouteAnswer; readonly cost: number } | undefined;
    let refused: readonly [out: readonly ShortChannelId[], back: readonly ShortChannelId[]] | undefined;
    for (const out of outs) {
      const back = into.filter((id) => !out.includes(id));
      if (out.length === 0 || back.length === 0) continue;
      try {
        const answer = await this.ask(out, back, false);
        const cost = this.#costOf(answer);
        if (best === undefined || cost < best.cost) best = { answer, cost };
      } catch (error) {
        if (!(error instanceof FulguriteError)) throw error;
        refused ??= [out, back];
      }
    }
    if (best !== undefined) return best.answer;
    if (refused !== undefined) return this.ask(...refused);
    throw new FulguriteError('routeNotFound', 'A circular route needs two usable channels of our node');
  }

  /**
   * Searches with one set of outgoing channels.
   * @param explains whether to look for a remedy if there is no route, which takes longer
   */
  async ask(
    out: readonly ShortChannelId[],
    into: readonly ShortChannelId[],
    explains = true,
  ): Promise<RouteAnswer> {
    const { layers: book, engine } = this.#context;
    const ourId = this.#query.source;
    const circle: Circle = {
      out: out.map((shortChannelId) => ({ shortChannelId })),
      in: into.map((shortChannelId) => ({ shortChannelId })),
    };
    const layer = new PrivateLayer(book, 'circle');
    try {
      openCircle(book, layer.layer, ourId, this.#channels, circle);
      const query = {
        ...this.#query,
        destination: CIRCLE_END,
        layers: [...this.#query.layers, ...layer.names],
      };
      const answer = await engine.getroutes(
        query,
        explains ? this.#options : { ...this.#options, remedies: false },
      );
      return { ...answer, routes: circled(answer.routes, circle, ourId) };
    } catch (error) {
      throw withOurId(inWords(error), ourId);
    } finally {
      layer.remove();
    }
  }

  #costOf(answer: RouteAnswer): number {
    const { routes } = answer;
    const { amountMsat } = this.#query;
    const { delayRate, partPriceMsat } = pricesFor(amountMsat);
    const delay = delayOf(routes) * delayRate * Number(amountMsat);
    return priceMsatOf(answer, amountMsat) + delay + (routes.length - 1) * partPriceMsat;
  }
}

/** Replaces the made-up end of the circle in an error by our node's id. */
function withOurId(error: unknown, ourId: string): unknown {
  if (!(error instanceof FulguriteError)) return error;
  const named = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(CIRCLE_END, ourId);
    if (Array.isArray(value)) return value.map(named);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one)]));
  };
  const data = error.data && (named(error.data) as typeof error.data);
  return new FulguriteError(error.name, String(named(error.message)), data);
}
