/**
 * Positional arguments followed by named ones: `keysend NODE 1000sat maxfee=5sat`. Without this, `maxfee=5sat` would be
 * the third positional argument, a label, and the payment would have no such limit.
 */
import { nearest } from '../options/nearest.ts';
import { jsonArgument, UsageError } from './client-arguments.ts';

const NAMED = /^([a-z]\w*)=(.*)$/s;

/**
 * The parameters as a JSON object, if an argument after the first one begins with the name of a parameter and `=`.
 * Undefined if there is none; then all arguments are positional.
 * @param names the names of the method's parameters, in positional order
 * @param others the names of the parameters of all methods
 * @throws UsageError for a positional argument after a named one, for a parameter that is given twice, for too many
 *   positional arguments, and for a name that is nearly the name of a parameter, or one of a different method
 */
export function mixedParams(
  args: readonly string[],
  names: readonly string[],
  others: ReadonlySet<string>,
): string | undefined {
  const first = args.findIndex((arg) => names.includes(nameIn(arg) ?? ''));
  requireNoMistake(first < 0 ? args : args.slice(0, first), names, others);
  if (first < 0) return undefined;
  if (first > names.length) throw new UsageError(`Too many positional arguments before '${args[first]}'`);
  const members = args.slice(0, first).map((arg, index) => [names[index]!, arg] as const);
  for (const arg of args.slice(first)) {
    const [, name, value] = NAMED.exec(arg) ?? [];
    if (name === undefined) throw new UsageError(`Positional argument '${arg}' after '${args[first]}'`);
    if (members.some(([given]) => given === name)) throw new UsageError(`Parameter ${name} is given twice`);
    members.push([name, value!]);
  }
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${jsonArgument(value)}`).join(',')}}`;
}

const nameIn = (arg: string): string | undefined => NAMED.exec(arg)?.[1];

function requireNoMistake(
  positional: readonly string[],
  names: readonly string[],
  others: ReadonlySet<string>,
): void {
  for (const arg of positional.slice(1)) {
    const name = nameIn(arg);
    if (name === undefined) continue;
    const meant = nearest(name, names);
    if (meant === undefined && !others.has(name)) continue;
    const hint = meant === undefined ? '' : `Did you mean ${meant}? `;
    throw new UsageError(`Unknown parameter ${name}. ${hint}If '${arg}' is a value, add -o`);
  }
}
