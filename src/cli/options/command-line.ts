/** Reads command lines of options and other words, with the same errors for all commands. */
import { parseArgs } from 'node:util';
import { UsageError } from '../client/client-arguments.ts';
import { nearest } from './nearest.ts';

/** The kind of each option: one value, several values, or a switch. */
export type OptionKinds = Readonly<
  Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: true }>
>;

/** The values of given options by name: a text, several texts, or `true` for a switch. */
export type OptionValues<O extends OptionKinds> = {
  -readonly [N in keyof O]?: O[N]['type'] extends 'boolean'
    ? boolean
    : O[N] extends { readonly multiple: true }
      ? string[]
      : string;
};

/** An option as given: its name without dashes, and its value; undefined for a switch. */
export interface GivenOption {
  readonly name: string;
  readonly value: string | undefined;
}

/** The options of a command line in order, and its other words. @throws UsageError */
export function readCommandLine(
  kinds: OptionKinds,
  argv: readonly string[],
): { options: readonly GivenOption[]; words: readonly string[] } {
  const { tokens } = parseArgs({
    args: [...argv],
    options: { ...kinds },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options: GivenOption[] = [];
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const kind = Object.hasOwn(kinds, token.name) ? kinds[token.name] : undefined;
    if (kind === undefined) throw new UsageError(unknownName(token.rawName, token.name, kinds, '--'));
    if (kind.type === 'boolean' && token.value !== undefined) {
      throw new UsageError(`--${token.name} takes no value`);
    }
    // A value that looks like an option probably means that the value was forgotten.
    const isForgotten = token.value === undefined || (!token.inlineValue && token.value.startsWith('-'));
    if (kind.type === 'string' && isForgotten) throw new UsageError(`--${token.name} needs a value`);
    options.push({ name: token.name, value: token.value });
  }
  return { options, words };
}

/** The values of a command's options, and the words between them. @throws UsageError */
export function parseOptions<O extends OptionKinds>(
  argv: readonly string[],
  kinds: O,
): { values: OptionValues<O>; positionals: string[] } {
  readCommandLine(kinds, argv);
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { ...kinds },
    allowPositionals: true,
  });
  return { values: values as OptionValues<O>, positionals };
}

/** The values of the options of a command that takes options only. @throws UsageError */
export function parseOnlyOptions<O extends OptionKinds>(argv: readonly string[], kinds: O): OptionValues<O> {
  const { values, positionals } = parseOptions(argv, kinds);
  if (positionals.length > 0) throw new UsageError(`only options are allowed, not ${positionals[0]}`);
  return values;
}

/** The text of the error about an unknown option, with the option that is probably meant. */
export function unknownName(written: string, name: string, kinds: OptionKinds, before: string): string {
  const meant = nearest(name, Object.keys(kinds));
  const hint = meant === undefined ? '' : `; did you mean ${before}${meant}?`;
  return `unknown option ${written}${hint}`;
}
