/** The lessons of an attempt as JSON objects. `learnedText` shows a lesson as a line of text. */

import type { ChannelGraph } from '../../../model/channel-graph.ts';
import { formatShortChannelIdDir } from '../../../model/short-channel-id.ts';
import type { BoundsChange } from '../../../payments/learn/lesson.ts';
import type { Attempt } from '../../../payments/payment.ts';
import { learnedText } from './attempt-words.ts';

/** The kinds of lessons, with their names in results. */
export const LESSON_KINDS = {
  delivered: 'delivered',
  carried: 'carried',
  blocked: 'blocked',
  refused: 'refused',
  policy: 'policy',
  minimum: 'minimum',
  suspected: 'suspect_channel',
  avoidDirection: 'avoid_channel',
  avoidNode: 'avoid_node',
} as const;

/**
 * A lesson. `before` and `after` are the bounds of the direction in the shared layer before and after the lesson. Only
 * lessons of the kinds `carried` and `blocked` have them, and only for a channel in the graph.
 */
export function lessonJson(learned: Attempt['learned'][number], graph: ChannelGraph) {
  const text = learnedText(learned);
  if (typeof learned === 'string') return { kind: 'other' as const, text };
  const kind = LESSON_KINDS[learned.kind];
  if (learned.kind === 'avoidNode') return { kind, text, node: learned.node };
  const channel = graph.channelIndex(learned.of.shortChannelId);
  const bounds = 'bounds' in learned ? learned.bounds : undefined;
  return {
    kind,
    text,
    short_channel_id_dir: formatShortChannelIdDir(learned.of),
    capacity_msat: channel < 0 ? undefined : graph.capacityMsat[channel],
    amount_msat: 'amountMsat' in learned ? learned.amountMsat : undefined,
    ...(bounds && changeJson(bounds)),
  };
}

const changeJson = ({ before, after }: BoundsChange) => ({
  before: boundsJson(before),
  after: boundsJson(after),
});

const boundsJson = ({ minMsat, maxMsat }: BoundsChange['before']) => ({
  minimum_msat: minMsat,
  maximum_msat: maxMsat,
});
