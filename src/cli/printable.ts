/**
 * Text that is safe on a terminal. What comes from the network (aliases, descriptions, errors of others) may
 * hold control sequences or turn the reading direction; both are shown as `\uXXXX`, which within JSON strings
 * means the same character.
 */

/** C0 and C1 controls, delete, line separators, and the marks that change the reading direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;

/** The text with every unsafe character written as `\uXXXX`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
