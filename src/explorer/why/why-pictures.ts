/**
 * A picture and a sentence for every kind of `binding`. The picture of a cut shows the side of the source in blue and
 * the side of the destination in orange. Every route crosses one of the channels between them, and the cut is a red
 * line through these channels. A refusal without a picture of its own gets a general one, and the sentence in its row
 * of the table (src/model/refusals.ts).
 */
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { filled, REFUSALS, type RefusalName, refusalNamed } from '../../model/refusals.ts';
import type { Amount } from '../event-types.ts';
import { counted, grouped, odds, sat } from '../format.ts';
import { amount, hostile, table, term } from '../pieces.ts';
import { type BindingFacts, type CutMember, sumOf } from './why-facts.ts';

/** The data from which a picture is made. */
export interface WhyFacts {
  readonly binding: BindingFacts;
  readonly remedy: Readonly<Record<string, unknown>> | undefined;
  /** The directions of the binding, with the known facts of each. */
  readonly members: readonly CutMember[];
  readonly amountMsat: bigint;
  /** Names of the source and the destination. */
  readonly from: string;
  readonly to: string;
}

/** The answer in words, the picture, and the content of the picture as text or table. */
export interface WhyPicture {
  readonly sentence: unknown;
  readonly picture: TemplateResult;
  readonly details?: unknown;
}

/** Maximum number of channels drawn. The table has all of them. */
const MAX_DRAWN = 9;
const [WIDTH, TOP, ROW] = [640, 34, 34];

/** Pictures by the name of a refusal. */
const PICTURES: Readonly<Partial<Record<RefusalName, (facts: WhyFacts) => WhyPicture>>> = {
  capacity: (facts) => ({
    sentence: html`Every route to ${hostile(facts.to)} crosses ${the(facts.members.length)}, and not enough can pass
      there. This is the ${term('cut', 'cut')}.`,
    ...cutPicture(facts, 'the side of the source', 'the side of the destination'),
  }),
  direction: channelPicture,
  endCapacity: (facts) =>
    facts.binding.kind === filled(REFUSALS.endCapacity.wire, { end: 'source' })
      ? {
          sentence: html`The channels of ${hostile(facts.from)} cannot send this much: ${shortage(facts.binding)}.`,
          ...cutPicture(facts, facts.from, 'all other nodes'),
        }
      : {
          sentence: html`The channels of ${hostile(facts.to)} cannot receive this much: ${shortage(facts.binding)}.`,
          ...cutPicture(facts, 'all other nodes', facts.to),
        },
  unknownNode: ({ binding: { end }, from, to }) => ({
    sentence: html`${hostile(end === 'source' ? from : to)} has no channel that this node knows of, so no route can
      ${end === 'source' ? 'begin' : 'end'} there. Is the id right? A node without public channels can be reached
      with an invoice or an offer that contains a route to it.`,
    picture: islands(from, to, end),
  }),
  unconnected: ({ from, to }) => ({
    sentence: html`There is no route from ${hostile(from)} to ${hostile(to)}: no usable channel connects their
      parts of the network.`,
    picture: islands(from, to, undefined),
  }),
  feeLimit: ({ binding, remedy }) =>
    limitPicture('fee', html`The cheapest route costs more than the ${term('feeLimit', 'fee limit')}.`, {
      allowed: binding.maxfee_msat,
      needed: (remedy?.maxfee_msat ?? remedy?.maxfee) as Amount | undefined,
      text: sat,
    }),
  delayLimit: ({ binding, remedy }) =>
    limitPicture(
      'delay',
      html`Every route locks the money for longer than the ${term('delay', 'longest delay')} allowed.`,
      {
        allowed: binding.maxdelay,
        needed: remedy?.maxdelay as Amount | undefined,
        text: (blocks) => `${grouped(blocks)} blocks`,
      },
    ),
  partsLimit: ({ binding, remedy }) =>
    limitPicture('parts', html`The amount needs more ${term('part', 'parts')} than allowed.`, {
      allowed: binding.maxparts,
      needed: remedy?.maxparts as Amount | undefined,
      text: (parts) => counted(parts, 'part'),
    }),
  hopLimit: ({ binding }) =>
    limitPicture(
      'hops',
      html`Only routes of more than ${binding.maxhops ?? 20} ${term('hop', 'hops')} exist, and a payment
      cannot carry instructions for that many. No parameter changes that.`,
      {
        allowed: binding.maxhops,
        needed: undefined,
        text: (hops) => counted(hops, 'hop'),
      },
    ),
  limits: () => ({
    sentence: html`Every route exceeds one of the limits. The search ended before it found out which one: raise one, or
      try a smaller amount.`,
    picture: clock('limits'),
  }),
  deduction: ({ binding, from, to }) => ({
    sentence: html`The fees are deducted from the amount. That leaves ${amount(binding.amount_msat ?? 0)} for channel
      <code>${binding.short_channel_id_dir}</code>, which forwards at least ${amount(binding.limit_msat ?? 0)}.`,
    picture: chain(from, to, binding.short_channel_id_dir ?? '', 'too little is left'),
  }),
  deadline: ({ binding: { waited } }) => ({
    sentence: html`The time limit was reached${waited === undefined ? '' : ` while the question waited ${waited}`}. So it
      is unknown whether there is a route: ask again.`,
    picture: clock('time over'),
  }),
  effort: () => ({
    sentence: html`${REFUSALS.effort.text}. Fewer limits, a smaller amount or fewer parts make it easier.`,
    picture: clock('not decided'),
  }),
  tried: ({ from, to }) => ({
    sentence: html`Every remaining route has already failed in this payment, and nothing new was learned. Trying one
      again would end the same way.`,
    picture: chain(from, to, 'tried before', 'failed before'),
  }),
  unlikely: ({ binding: { probability_ppm: ppm = 0, least_ppm: least = 0 }, from, to }) => ({
    sentence: html`The remaining routes have odds of ${odds(ppm)}. After a failed attempt, routes with odds below
      ${odds(least)} are not tried. A smaller amount has better odds.`,
    picture: chain(from, to, odds(ppm), 'unlikely to arrive'),
  }),
  blindedPaths: ({ from, to }) => ({
    sentence: html`The recipient is hidden behind blinded paths, and none of them can be used for this amount. Ask for a new invoice.`,
    picture: chain(from, to, 'hidden paths', 'cannot be used'),
  }),
  ownChannel: ({ binding, from, to }) => ({
    sentence: html`Our own channel <code>${binding.short_channel_id_dir}</code> refused:
      ${hostile(binding.words ?? binding.cause ?? '')}.`,
    picture: chain(
      from,
      to,
      binding.short_channel_id_dir ?? '',
      OWN_CAUSES[binding.cause ?? ''] ?? 'refused',
      true,
    ),
  }),
};

const OWN_CAUSES: Readonly<Record<string, string>> = {
  balance: 'balance too low',
  in_flight_limit: 'too much in flight',
  htlc_slots: 'no HTLC slots left',
  dust: 'too much dust',
  too_small: 'too small',
  expiry: 'expiry too near',
  peer_away: 'peer is away',
  never_left: 'never left',
};

/** The picture of a binding. A kind that only a later release knows is shown by its name and a generic sentence. */
export function pictureOf(facts: WhyFacts): WhyPicture {
  const name = refusalNamed(facts.binding.kind);
  const drawn = name && PICTURES[name];
  if (drawn !== undefined) return drawn(facts);
  if (name !== undefined)
    return { sentence: REFUSALS[name].meaning, picture: chain(facts.from, facts.to, '', 'no route') };
  return {
    sentence: html`The node gave the reason <code>${facts.binding.kind}</code>, which this page does not know yet.`,
    picture: clock('?'),
  };
}

const the = (count: number): string =>
  count === 1 ? 'one channel' : `one of these ${grouped(count)} channels`;

function shortage({ layers, limit_msat: limit, disabled }: BindingFacts): unknown {
  if (disabled !== undefined) return html`${counted(disabled.length, 'of them is', 'of them are')} disabled`;
  if (limit !== undefined) {
    const said = layers === undefined || layers.length === 0 ? 'gossip' : layers.join(', ');
    return html`according to ${hostile(said)}, they carry at most ${amount(limit)}`;
  }
  return 'all of them together are too small';
}

function channelPicture(facts: WhyFacts): WhyPicture {
  const { binding, from, to } = facts;
  const scid = binding.short_channel_id_dir ?? '';
  const [word, sentence] = reasonWords(binding);
  const cut = binding.cut ?? [];
  const isCut = cut.length > 1 || (cut.length === 1 && cut[0] !== scid);
  return {
    sentence: html`The shortest route fails at channel <code>${scid}</code>: ${sentence}.
      ${isCut ? html`Other routes do not help: each of them crosses the ${term('cut', 'cut')} below.` : nothing}`,
    picture: html`${chain(from, to, scid, word)}
      ${isCut ? cutPicture({ ...facts, members: facts.members.filter(({ scidDir }) => cut.includes(scidDir)) }, 'the side of the source', 'the side of the destination').picture : nothing}`,
    details: membersTable(facts),
  };
}

/** The reason as a word for the picture, and as the end of a sentence. */
function reasonWords(binding: BindingFacts): readonly [string, unknown] {
  const { reason, layer, limit_msat: limit = 0, node: disabledNode = '' } = binding;
  const by = layer === undefined ? 'gossip' : html`layer ${hostile(layer)}`;
  switch (reason) {
    case 'disabled':
      return ['disabled', html`it is disabled by ${by}`];
    case 'not_enabled':
      return ['never enabled', html`${by} created it and never enabled it`];
    case 'node_disabled':
      return [
        'node disabled',
        html`${by} disables the node <code>${disabledNode.slice(0, 12)}…</code> at its end`,
      ];
    case 'no_gossip':
      return ['terms unknown', 'its policy was not announced'];
    case 'fee':
      return ['charges too much', 'it charges more than any payment is worth'];
    case 'capacity':
      return ['too small', html`its capacity is ${amount(limit)}`];
    case 'htlc_maximum':
      return ['above its maximum', html`it forwards at most ${amount(limit)} in one part`];
    case 'htlc_minimum':
      return ['below its minimum', html`it forwards at least ${amount(limit)}`];
    default: {
      const { maximum_msat: known, reserved_msat: reserved } = binding;
      const parts = [
        ...(known === undefined ? [] : [html`according to ${by}, it carries at most ${amount(known)}`]),
        ...(reserved === undefined
          ? []
          : [html`${amount(reserved)} of it ${term('reservation', 'is reserved')}`]),
      ];
      return ['known to carry less', parts.length === 0 ? 'it is known to carry less' : joined(parts)];
    }
  }
}

const joined = (parts: readonly unknown[]): TemplateResult =>
  html`${parts.map((part, at) => html`${at === 0 ? '' : ', and '}${part}`)}`;

/**
 * The picture of a cut: two sides, the channels between them, and a line through the channels. Below it, the sum of the
 * channels is compared with the amount.
 */
function cutPicture(facts: WhyFacts, left: string, right: string): Omit<WhyPicture, 'sentence'> {
  const { members, amountMsat } = facts;
  const drawn = members.slice(0, MAX_DRAWN);
  const more = members.length - drawn.length;
  const rows = Math.max(1, drawn.length) + (more > 0 ? 1 : 0);
  const height = TOP + rows * ROW + 12;
  const most = drawn.reduce((max, { mostMsat = 0n }) => (mostMsat > max ? mostMsat : max), 1n);
  const y = (row: number): number => TOP + row * ROW + ROW / 2;
  const middle = WIDTH / 2;
  return {
    picture: html`<svg class="why" viewBox="0 0 ${WIDTH} ${height}" aria-hidden="true">
        <rect class="side source" x="4" y="26" width="130" height=${height - 32} rx="16" />
        <rect class="side goal" x=${WIDTH - 134} y="26" width="130" height=${height - 32} rx="16" />
        <text class="why-word source" x="69" y="16" text-anchor="middle">${short(left)}</text>
        <text class="why-word goal" x=${WIDTH - 69} y="16" text-anchor="middle">${short(right)}</text>
        ${drawn.map(({ scidDir, mostMsat }, row) => {
          const width = 2 + 8 * Math.sqrt(Number(mostMsat ?? 0n) / Number(most));
          return svg`<circle class="why-node source" cx="112" cy=${y(row)} r="6" />
            <circle class="why-node goal" cx=${WIDTH - 112} cy=${y(row)} r="6" />
            <path class=${mostMsat === 0n ? 'cut-channel none' : 'cut-channel'} d=${`M118 ${y(row)}H${WIDTH - 118}`} stroke-width=${width} />
            <text class="why-small" x="150" y=${y(row) - 7}>${scidDir}</text>
            <text class="why-small" x=${WIDTH - 150} y=${y(row) - 7} text-anchor="end">${mostMsat === undefined ? '?' : `≤ ${sat(mostMsat)}`}</text>`;
        })}
        ${more > 0 ? svg`<text class="why-small" x=${middle} y=${y(drawn.length) + 4} text-anchor="middle" dx="80">and ${more} more</text>` : nothing}
        <path class="cut-line" d=${`M${middle} 22V${height - 4}`} />
        <text class="why-word cut" x=${middle} y="16" text-anchor="middle">✂ the cut</text>
      </svg>
      ${sumBar(sumOf(members) ?? limitOf(facts.binding), amountMsat)}`,
    details: membersTable(facts),
  };
}

const limitOf = ({ limit_msat: limit }: BindingFacts): bigint | undefined =>
  limit === undefined ? undefined : BigInt(limit);

const short = (text: string): string => (text.length > 20 ? `${text.slice(0, 19)}…` : text);

/** The sum of the cut compared with the requested amount, as two labelled bars. */
function sumBar(sum: bigint | undefined, amountMsat: bigint): TemplateResult {
  if (sum === undefined) return html``;
  const whole = Number(sum > amountMsat ? sum : amountMsat) || 1;
  const width = (msat: bigint): number => Math.max(1, (600 * Number(msat)) / whole);
  return html`<div class="sum">
    <p><span class="swatch carry" aria-hidden="true"></span> Together at most <strong>${amount(sum)}</strong></p>
    <svg viewBox="0 0 600 14" class="sum-bar" preserveAspectRatio="none" aria-hidden="true"><rect class="carry" width=${width(sum)} height="14" /></svg>
    <p><span class="swatch asked" aria-hidden="true"></span> Requested, plus the fees beyond the cut
      <strong>${amount(amountMsat)}</strong></p>
    <svg viewBox="0 0 600 14" class="sum-bar" preserveAspectRatio="none" aria-hidden="true"><rect class="asked" width=${width(amountMsat)} height="14" /></svg>
  </div>`;
}

/** A table of the channels, each with its limit and the source of the limit. */
function membersTable({ members, binding }: WhyFacts): unknown {
  if (members.length === 0) return nothing;
  const disabledOf = new Map((binding.disabled ?? []).map((one) => [one.short_channel_id_dir, one]));
  return table(
    'Channels in the way',
    [term('direction', 'Channel and direction'), term('bounds', 'Carries at most'), 'Source of the limit'],
    members.map(({ scidDir, mostMsat, saidBy }) => {
      const disabled = disabledOf.get(scidDir);
      return [
        html`<a href="/ui/map?channel=${scidDir.split('/')[0]}"><code>${scidDir}</code></a>`,
        disabled !== undefined
          ? html`<span class="state bad">✕ disabled</span>`
          : mostMsat === undefined
            ? html`<span class="faint">not known</span>`
            : amount(mostMsat),
        hostile(
          disabled === undefined
            ? saidBy
            : disabled.layer === undefined
              ? 'gossip'
              : `layer ${disabled.layer}`,
        ),
      ];
    }),
  );
}

/** A picture that compares a limit with what is needed. */
function limitPicture(
  what: string,
  sentence: unknown,
  {
    allowed = 0,
    needed,
    text,
  }: { allowed: Amount | undefined; needed: Amount | undefined; text: (value: Amount) => string },
): WhyPicture {
  const most = Number(needed ?? Number(allowed) * 1.35) || 1;
  const at = (value: Amount): number => 20 + (580 * Number(value)) / most;
  return {
    sentence,
    picture: html`<svg class="why" viewBox="0 0 640 110" aria-hidden="true">
      <rect class="gauge-all" x="20" y="44" width="580" height="18" rx="9" />
      <rect class="gauge-allowed" x="20" y="44" width=${Math.max(9, at(allowed) - 20)} height="18" rx="9" />
      <path class="cut-line" d=${`M${at(allowed)} 30V76`} />
      <text class="why-word cut" x=${Math.min(560, Math.max(70, at(allowed)))} y="22" text-anchor="middle">allowed ${text(allowed)}</text>
      ${
        needed === undefined
          ? svg`<text class="why-small" x="600" y="96" text-anchor="end">needed: more ${what} than that</text>`
          : svg`<circle class="gauge-needed" cx=${at(needed)} cy="53" r="10" />
            <text class="why-word" x="620" y="98" text-anchor="end">needed ${text(needed)}</text>`
      }
    </svg>
    <p class="unseen">Allowed: ${text(allowed)}. ${needed === undefined ? '' : `Needed: ${text(needed)}.`}</p>`,
  };
}

/** A picture of a path with a cross where it fails: on the first channel if `isFirst`, otherwise in the middle. */
function chain(from: string, to: string, label: string, word: string, isFirst = false): TemplateResult {
  const at = isFirst ? 170 : 330;
  return html`<svg class="why" viewBox="0 0 640 110" aria-hidden="true">
    <path class="chain" d="M60 58H580" />
    ${[60, 200, 440, 580].map((x, place) => svg`<circle class=${place === 0 ? 'why-node source' : place === 3 ? 'why-node goal' : 'why-node'} cx=${x} cy="58" r="9" />`)}
    <path class="cross" d=${`M${at - 13} 45l26 26m0 -26l-26 26`} />
    <text class="why-small" x=${at} y="34" text-anchor="middle">${label}</text>
    <text class="why-word cut" x=${at} y="98" text-anchor="middle">${word}</text>
    <text class="why-word source" x="60" y="30" text-anchor="middle">${short(from)}</text>
    <text class="why-word goal" x="580" y="30" text-anchor="middle">${short(to)}</text>
  </svg>`;
}

/** A picture of two parts of the network without a connection. @param missing the end that is not in the graph */
function islands(from: string, to: string, missing: string | undefined): TemplateResult {
  const island = (x: number, kind: string, isMissing: boolean): unknown =>
    isMissing
      ? svg`<circle class=${`lost ${kind}`} cx=${x} cy="66" r="34" /><text class="why-word" x=${x} y="73" text-anchor="middle">?</text>`
      : svg`<rect class=${`side ${kind}`} x=${x - 110} y="24" width="220" height="84" rx="40" />
        ${[-60, -15, 35, 70].map((dx, place) => svg`<circle class=${`why-node ${kind}`} cx=${x + dx} cy=${50 + ((place * 23) % 40)} r="6" />`)}
        <path class="chain" d=${`M${x - 60} 50L${x - 15} 73L${x + 35} 56L${x + 70} 79`} />`;
  return html`<svg class="why" viewBox="0 0 640 140" aria-hidden="true">
    ${island(150, 'source', missing === 'source')} ${island(490, 'goal', missing === 'destination')}
    <path class="cut-line" d="M320 14V122" />
    <text class="why-word source" x="150" y="130" text-anchor="middle">${short(from)}</text>
    <text class="why-word goal" x="490" y="130" text-anchor="middle">${short(to)}</text>
  </svg>`;
}

/** A picture of a search that ended without a verdict. */
function clock(word: string): TemplateResult {
  return html`<svg class="why" viewBox="0 0 640 110" aria-hidden="true">
    <circle class="clock" cx="320" cy="50" r="34" /><path class="clock" d="M320 28V50L336 60" />
    <text class="why-word" x="320" y="104" text-anchor="middle">${word}</text>
  </svg>`;
}
