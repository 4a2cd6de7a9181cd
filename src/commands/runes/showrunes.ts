/** `showrunes`: shows the runes made by this node, or the details of one. */
import { field, optional } from '../../rpc/command.ts';
import { JsonText } from '../../rpc/json-token.ts';
import { type Alternative, inEnglish, restrictionInEnglish } from '../../runes/restriction.ts';
import { decodeRune, testedRestrictions } from '../../runes/rune.ts';
import type { RuneBook } from '../../runes/rune-book.ts';
import { uniqueIdOf } from '../../runes/rune-check.ts';
import { defineCommand } from '../context.ts';
import { type GivenRune, runeParam } from './rune-params.ts';

const NS_PER_SECOND = 1_000_000_000n;

/** Matches Core Lightning's command. */
export const showrunes = defineCommand({
  name: 'showrunes',
  summary: 'Show the runes that this node created, or one rune.',
  description:
    'Without a parameter, shows all runes that `createrune` stored. Each is a secret. With a rune, shows ' +
    'what it permits, even if another node created it.',
  category: 'utility',
  readOnly: true,
  since: 'Core Lightning v23.08',
  params: { rune: optional(runeParam, 'The only rune to show.') },
  result: {
    runes: field(
      'array',
      'Objects with rune, unique_id, restrictions (each with its alternatives) and restrictions_as_english; last_used (in seconds) ' +
        'and blacklisted if they apply; stored and our_rune only if `false`.',
    ),
  },
  handler({ rune }, { runes }) {
    const shown =
      rune === undefined ? runes.list().map(({ text }) => ({ text, rune: decodeRune(text)! })) : [rune];
    return { runes: shown.map((one) => runeObject(one, runes)) };
  },
});

function runeObject({ rune, text }: GivenRune, runes: RuneBook) {
  const { isOurs, isBlacklisted, isStored, lastUsedNs } = runes.standing(rune, text);
  const restrictions = testedRestrictions(rune);
  return {
    rune: text,
    stored: isStored ? undefined : false,
    blacklisted: isBlacklisted ? true : undefined,
    our_rune: isOurs ? undefined : false,
    last_used: lastUsedNs === undefined ? undefined : new JsonText(inSeconds(lastUsedNs)),
    unique_id: String(uniqueIdOf(rune)),
    restrictions: restrictions.map((alternatives) => ({
      alternatives: alternatives.map(alternativeObject),
      english: restrictionInEnglish(alternatives),
    })),
    restrictions_as_english: restrictions.map(restrictionInEnglish).join(' AND '),
  };
}

function alternativeObject(alternative: Alternative) {
  const { field: fieldname, value, condition } = alternative;
  return { fieldname, value, condition, english: inEnglish(alternative) };
}

/** A time in nanoseconds as seconds with nine decimals. */
function inSeconds(ns: bigint): string {
  return `${ns / NS_PER_SECOND}.${String(ns % NS_PER_SECOND).padStart(9, '0')}`;
}
