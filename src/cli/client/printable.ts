/**
 * Text that is safe on a terminal. Text from the network (aliases, descriptions, error messages) may contain control
 * sequences and marks that change the reading direction. These characters are shown as `\uXXXX`, as in JSON strings.
 */

/** C0 and C1 controls, delete, line separators, lone surrogates, and the marks that change the reading direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;

/** Whether the text is free of unsafe characters. */
export const isPrintable = (text: string): boolean => text.search(UNSAFE) < 0;

/** The text with every unsafe character written as `\uXXXX`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
