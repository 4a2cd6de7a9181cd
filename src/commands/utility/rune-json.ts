/** A rune as `decode` shows it, with Core Lightning's members. */
import { toHex } from '../../bolt/bytes.ts';
import { type Restriction, restrictionInEnglish, restrictionText } from '../../runes/restriction.ts';
import { decodeRune, runeName, testedRestrictions } from '../../runes/rune.ts';

/**
 * Decodes a rune. Its authcode is not checked, because only the node that made the rune can do so. Undefined if the
 * text is not a rune.
 */
export function runeJson(text: string) {
  const rune = decodeRune(text);
  if (rune === undefined) return undefined;
  const { uniqueId, version } = runeName(rune) ?? {};
  return {
    type: 'rune',
    unique_id: uniqueId,
    version,
    string: `${toHex(rune.authcode)}:${rune.restrictions.map(restrictionText).join('&')}`,
    restrictions: testedRestrictions(rune).map(restrictionJson),
    valid: true,
  };
}

const restrictionJson = (restriction: Restriction) => ({
  alternatives: restriction.map(({ field, condition, value }) => `${field}${condition}${value}`),
  summary: restrictionInEnglish(restriction),
});
