/**
 * Scripts that let a shell complete commands, options, names of parameters, and parameter values. They are generated
 * from the declarations of the commands and are self-contained: pressing Tab never calls a daemon.
 */
import type { Params } from '../../rpc/command.ts';
import { START_OPTION_NAMES } from '../options/start-option-table.ts';
import { LOCAL_COMMANDS } from './advice.ts';
import { CLIENT_OPTIONS, VALUED_OPTIONS } from './client-arguments.ts';
import type { NamedCommand } from './help-pages.ts';

/** What `fulgurite completion --help` prints. */
export const COMPLETION_USAGE = `Usage:
  fulgurite completion bash > ~/.local/share/bash-completion/completions/fulgurite
  fulgurite completion zsh > ~/.zfunc/_fulgurite        (a folder of $fpath)
  fulgurite completion fish > ~/.config/fish/completions/fulgurite.fish
`;

/** The supported shells. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** A supported shell. */
export type Shell = (typeof SHELLS)[number];

/** Whether this is the name of a supported shell. */
export const isShell = (name: string | undefined): name is Shell =>
  (SHELLS as readonly (string | undefined)[]).includes(name);

/** A command and the words that can follow it. */
interface Completions {
  readonly name: string;
  readonly summary: string;
  /**
   * `NAME=` for each parameter, in positional order. For a parameter that accepts only certain words, `NAME=WORD` for
   * each of them instead.
   */
  readonly params: readonly string[];
}

/** The script for a shell. It ends with a newline. */
export function completionScript(shell: Shell, commands: readonly NamedCommand[]): string {
  const words = commands.map(wordsOf).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (shell === 'bash') return bashScript(words);
  return shell === 'zsh' ? zshScript(words) : fishScript(words);
}

function wordsOf({ name, summary, params }: NamedCommand): Completions {
  const named = Object.entries(params as Params<unknown>).flatMap(([param, { type, forDevelopers }]) => {
    if (forDevelopers === true) return [];
    const choices = type.schema.enum as readonly string[] | undefined;
    return choices === undefined ? [`${param}=`] : choices.map((choice) => `${param}=${choice}`);
  });
  return { name, summary, params: named };
}

const START_OPTIONS = START_OPTION_NAMES.map((name) => `--${name}`);
const LOCAL: Readonly<Record<(typeof LOCAL_COMMANDS)[number], string>> = {
  start: 'Run the daemon.',
  completion: 'Print a script that completes commands.',
};
/** Commands that take the name of a command as their argument. */
const ABOUT_COMMANDS = ['help', 'check'];

const namesOf = (words: readonly Completions[]): string[] => [
  ...LOCAL_COMMANDS,
  ...words.map(({ name }) => name),
];

/** The branches of a shell's `case` statement over `$method`. Each lists the words that can follow one command. */
const branches = (words: readonly Completions[], set: (list: readonly string[]) => string): string =>
  [
    `    start) ${set(START_OPTIONS)} ;;`,
    `    completion) ${set(SHELLS)} ;;`,
    `    ${ABOUT_COMMANDS.join('|')}) ${set(words.map(({ name }) => name))} ;;`,
    ...words
      .filter(({ name, params }) => params.length > 0 && !ABOUT_COMMANDS.includes(name))
      .map(({ name, params }) => `    ${name}) ${set(params)} ;;`),
  ].join('\n');

/**
 * Bash or zsh code that reads the words before the cursor: the command into `$method`, the number of its positional
 * arguments into `$positional`, and the names of the others into `$given`. `first` is the array index of the first word
 * after the program's name.
 */
const readWords = (
  array: string,
  first: number,
  cursor: string,
): string => `  local method="" positional=0 given=" " word i skip=""
  for ((i = ${first}; i < ${cursor}; i++)); do
    word="\${${array}[i]}"
    if [[ -n "$skip" ]]; then skip=""; continue; fi
    case "$word" in
      ${VALUED_OPTIONS.join('|')}) skip=1 ;;
      -*) ;;
      *=*) given+="\${word%%=*} " ;;
      *) if [[ -z "$method" ]]; then method="$word"; else ((++positional)); fi ;;
    esac
  done`;

/** Bash or zsh code that copies the words of `$known` to `$left`, except parameters that already have a value. */
const LEAVE_OUT_GIVEN = `  local -a left=()
  local name seen=" " index=0
  for word in $known; do
    name="\${word%%=*}"
    [[ "$seen" == *" $name "* ]] || { seen+="$name "; ((++index)); }
    [[ "$word" == *=* ]] && { ((index <= positional)) || [[ "$given" == *" $name "* ]]; } && continue
    left+=("$word")
  done`;

const bashScript = (words: readonly Completions[]): string => `# Completion of fulgurite for bash.
_fulgurite() {
  local line="\${COMP_LINE:0:COMP_POINT}" current known
  # The shell would split words at "=" and ":". This reads the words as typed.
  local -a typed
  read -r -a typed <<<"$line"
  [[ "$line" == *' ' ]] && typed+=("")
  current="\${typed[-1]}"
${readWords('typed', 1, `\${#typed[@]} - 1`)}
  case "$method" in
    "") known="${namesOf(words).join(' ')} ${CLIENT_OPTIONS.join(' ')}" ;;
${branches(words, (list) => `known="${list.join(' ')}"`)}
    *) known="" ;;
  esac
  [[ -n "$method" && "$method" != start && "$current" == -* ]] && known="${CLIENT_OPTIONS.join(' ')}"
${LEAVE_OUT_GIVEN}
  mapfile -t COMPREPLY < <(compgen -W "\${left[*]}" -- "$current")
  # The shell replaces only the text after the last "=" or ":".
  local prefix="\${current%"\${current##*[=:]}"}"
  COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")
  [[ "\${#COMPREPLY[@]}" == 1 && "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o bashdefault -o default -F _fulgurite fulgurite
`;

const zshScript = (words: readonly Completions[]): string => `#compdef fulgurite
# Completion of fulgurite for zsh.
_fulgurite() {
${readWords('words', 2, 'CURRENT')}
  local -a known
  case "$method" in
    "")
      local -a commands
      commands=(
${Object.entries(LOCAL)
  .map(([name, summary]) => ({ name, summary }))
  .concat(words)
  .map(({ name, summary }) => `        ${quoted(`${name.replaceAll(':', '\\:')}:${summary}`)}`)
  .join('\n')}
      )
      _describe command commands
      compadd -- ${CLIENT_OPTIONS.join(' ')}
      return
      ;;
${branches(words, (list) => `known=(${list.join(' ')})`)}
  esac
  if [[ "$method" != start && "$PREFIX" == -* ]]; then
    compadd -- ${CLIENT_OPTIONS.join(' ')}
    return
  fi
${LEAVE_OUT_GIVEN}
  if (( \${#known} )); then compadd -S '' -- $left; else _files; fi
}
_fulgurite "$@"
`;

const fishScript = (words: readonly Completions[]): string => {
  const add = (condition: string, word: string, summary = ''): string =>
    `complete -c fulgurite -n ${quoted(condition)} -a ${quoted(word)}${summary === '' ? '' : ` -d ${quoted(summary)}`}`;
  const after = (name: string): string => `__fulgurite_method ${name}`;
  return `${[
    '# Completion of fulgurite for fish.',
    '# Prints the command and its arguments without options.',
    'function __fulgurite_words',
    '  set -l skip 0',
    '  for word in (commandline -opc)[2..]',
    '    if test $skip = 1',
    '      set skip 0',
    '      continue',
    '    end',
    `    if contains -- $word ${VALUED_OPTIONS.join(' ')}`,
    '      set skip 1',
    '    else if not string match -q -- "-*" $word',
    '      echo -- $word',
    '    end',
    '  end',
    'end',
    '# Whether the command is the one named by the argument; without an argument, whether there is none.',
    'function __fulgurite_method',
    '  set -l words (__fulgurite_words)',
    '  test "$words[1]" = "$argv[1]"',
    'end',
    '# Prints those of the parameters that have no value yet.',
    'function __fulgurite_left',
    '  set -l positional 0',
    '  set -l given',
    '  for word in (__fulgurite_words)[2..]',
    '    if string match -q -- "*=*" $word',
    '      set -a given (string split -m 1 = -- $word)[1]',
    '    else',
    '      set positional (math $positional + 1)',
    '    end',
    '  end',
    '  set -l seen',
    '  for word in $argv',
    '    set -l name (string split -m 1 = -- $word)[1]',
    '    contains -- $name $seen; or set -a seen $name',
    '    test (count $seen) -gt $positional; and not contains -- $name $given; and echo -- $word',
    '  end',
    'end',
    ...Object.entries(LOCAL).map(([name, summary]) => add('__fulgurite_method', name, summary)),
    ...words.map(({ name, summary }) => add('__fulgurite_method', name, summary)),
    ...CLIENT_OPTIONS.map((option) => add(`not ${after('start')}`, option)),
    ...START_OPTIONS.map((option) => add(after('start'), option)),
    ...SHELLS.map((shell) => add(after('completion'), shell)),
    ...ABOUT_COMMANDS.flatMap((about) => words.map(({ name }) => add(after(about), name))),
    ...words
      .filter(({ name, params }) => params.length > 0 && !ABOUT_COMMANDS.includes(name))
      .map(({ name, params }) => add(after(name), `(__fulgurite_left ${params.join(' ')})`)),
  ].join('\n')}\n`;
};

/** A word in single quotes. A quote within it is written as a closing quote, an escaped quote and an opening quote. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
