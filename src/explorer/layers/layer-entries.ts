/** The entries of a layer as one list, with a text for each. Texts are created only for visible entries. */
import type { Amount } from '../event-types.ts';
import { about, grouped } from '../format.ts';
import type { MethodResult } from '../rpc.ts';

/** A layer as `askrene-listlayers` shows it. */
export type WholeLayer = MethodResult<'askrene-listlayers'>['layers'][number];

/** The kinds of entries, in display order. */
export const KINDS = {
  disabledNode: 'node disabled',
  createdChannel: 'channel created',
  channelUpdate: 'terms changed',
  constraint: 'bound',
  impression: 'money moved',
  bias: 'channel preference',
  nodeBias: 'node preference',
} as const;

/** One kind of entry. */
export type EntryKind = keyof typeof KINDS;

/** An entry of a layer: its kind, its subject, and its text. */
export interface ListedEntry {
  readonly kind: EntryKind;
  /** A node id, a channel, or a channel direction. */
  readonly subject: string;
  /** UNIX seconds. Undefined if the layer stores no time. */
  readonly time: number | undefined;
  readonly says: () => string;
}

/** All entries of a layer. */
export function entriesOf(layer: WholeLayer): ListedEntry[] {
  return [
    ...layer.disabled_nodes.map((node) =>
      entry('disabledNode', node, undefined, () => 'no route goes through it'),
    ),
    ...layer.created_channels.map((one) =>
      entry(
        'createdChannel',
        one.short_channel_id,
        undefined,
        () => `${about(one.capacity_msat)} between two nodes`,
      ),
    ),
    ...layer.channel_updates.map((one) =>
      entry('channelUpdate', one.short_channel_id_dir, undefined, () => termsText(one)),
    ),
    ...layer.constraints.map((one) =>
      entry('constraint', one.short_channel_id_dir, one.timestamp, () =>
        boundText(one.minimum_msat, one.maximum_msat),
      ),
    ),
    ...(layer.impressions ?? []).map((one) =>
      entry(
        'impression',
        one.short_channel_id_dir,
        one.timestamp,
        () => `${about(one.amount_msat)} went through`,
      ),
    ),
    ...layer.biases.map((one) =>
      entry('bias', one.short_channel_id_dir, one.timestamp, () => biasText(one.bias, one.description)),
    ),
    ...layer.node_biases.map((one) =>
      entry('nodeBias', one.node, one.timestamp, () =>
        nodeBiasText(one.in_bias, one.out_bias, one.description),
      ),
    ),
  ];
}

const entry = (
  kind: EntryKind,
  subject: string,
  time: number | bigint | undefined,
  says: () => string,
): ListedEntry => ({ kind, subject, time: time === undefined ? undefined : Number(time), says });

function boundText(minimum: Amount | undefined, maximum: Amount | undefined): string {
  if (maximum !== undefined) return `carries at most ${about(maximum)}`;
  return minimum === undefined ? 'no bound' : `carries at least ${about(minimum)}`;
}

interface ChangedTerms {
  readonly enabled?: boolean;
  readonly htlc_minimum_msat?: Amount;
  readonly htlc_maximum_msat?: Amount;
  readonly fee_base_msat?: Amount;
  readonly fee_proportional_millionths?: number;
  readonly cltv_expiry_delta?: number;
}

function termsText(terms: ChangedTerms): string {
  const parts = [
    terms.enabled === undefined ? undefined : terms.enabled ? 'on' : 'off',
    terms.fee_base_msat === undefined ? undefined : `base fee ${grouped(BigInt(terms.fee_base_msat))} msat`,
    terms.fee_proportional_millionths === undefined
      ? undefined
      : `${grouped(terms.fee_proportional_millionths)} ppm`,
    terms.cltv_expiry_delta === undefined ? undefined : `${terms.cltv_expiry_delta} blocks`,
    terms.htlc_minimum_msat === undefined ? undefined : `at least ${about(terms.htlc_minimum_msat)} a part`,
    terms.htlc_maximum_msat === undefined ? undefined : `at most ${about(terms.htlc_maximum_msat)} a part`,
  ];
  return parts.filter((part) => part !== undefined).join(', ') || 'nothing changed';
}

const signed = (bias: Amount): string => (bias > 0 ? `+${bias}` : String(bias));
const noted = (text: string, note: string | undefined): string => (note ? `${text}: “${note}”` : text);

const biasText = (bias: Amount, note: string | undefined): string => noted(`bias ${signed(bias)}`, note);
const nodeBiasText = (into: Amount, out: Amount, note: string | undefined): string =>
  noted(`bias in ${signed(into)}, out ${signed(out)}`, note);

/** The entries of this kind whose subject contains the text. An empty kind or text matches all entries. */
export function filtered(
  entries: readonly ListedEntry[],
  kind: string,
  text: string,
): readonly ListedEntry[] {
  if (kind === '' && text === '') return entries;
  return entries.filter((one) => (kind === '' || one.kind === kind) && one.subject.includes(text));
}
