/** The command line that makes the same call as a page. */

/** Characters that need no quoting in a POSIX shell. */
const PLAIN = /^[\w@%+=:,./-]+$/;

const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/**
 * `fulgurite -k METHOD name=value …`, or `fulgurite METHOD` without parameters. Lists and objects are written as JSON.
 * Undefined members are left out.
 */
export function terminalCommand(method: string, params: object): string {
  const words = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => quoted(`${name}=${valueText(value)}`));
  const keywords = words.length > 0 ? ['-k'] : [];
  return ['fulgurite', ...keywords, method, ...words].join(' ');
}

function valueText(value: unknown): string {
  if (typeof value === 'object') {
    return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? member.toString() : member));
  }
  return String(value);
}
