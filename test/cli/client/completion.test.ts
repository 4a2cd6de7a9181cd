/** Completion in shells. The shells themselves run the scripts. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript, isShell, SHELLS } from '../../../src/cli/client/completion.ts';
import { COMMANDS } from '../../../src/commands/index.ts';
import { describeNeeding } from '../../needs.ts';
import { temporaryDirectory } from '../../rpc/support.ts';

const directory = temporaryDirectory();
const fileOf = (shell: string): string => join(directory.path, shell);
beforeAll(() => {
  for (const shell of SHELLS) writeFileSync(fileOf(shell), completionScript(shell, COMMANDS));
});
afterAll(() => directory.remove());

/** Lines, and what is offered at their ends: parameters that have no value yet, neither by position nor by name. */
const WITH_VALUES: readonly [line: string, offered: readonly string[]][] = [
  ['fulgurite disconnect ', ['id=', 'force=']],
  ['fulgurite disconnect 02aa ', ['force=']],
  ['fulgurite disconnect -J 02aa --data-dir /tmp/x ', ['force=']],
  ['fulgurite disconnect force=true ', ['id=']],
  ['fulgurite disconnect 02aa force=true ', []],
  ['fulgurite keysend 02aa 1000sat maxfee=5sat maxf', ['maxfeepercent=']],
  ['fulgurite askrene-inform-channel inform=constrained info', []],
];

/** Whether a program is installed. */
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('every script', () => {
  it.each(SHELLS)('of %s names every command and every shell', (shell) => {
    const script = completionScript(shell, COMMANDS);
    for (const word of [...COMMANDS.map(({ name }) => name), 'start', ...SHELLS])
      expect(script).toContain(word);
    expect(script).toContain('amount_msat=');
  });

  it('exists only for known shells', () => {
    expect([isShell('bash'), isShell('tcsh'), isShell(undefined)]).toEqual([true, false, false]);
  });
});

describeNeeding('bash', has('bash'), 'bash', () => {
  /** The completions that bash offers when Tab is pressed at the end of the line. */
  function offered(line: string): string[] {
    const script = `source ${fileOf('bash')}
      COMP_LINE=$1 COMP_POINT=\${#1}; _fulgurite 2>&1; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', line], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  }

  it('completes commands, also behind options', () => {
    expect(offered('fulgurite key')).toEqual(['keysend']);
    expect(offered('fulgurite --data-dir /tmp/x -J xk')).toEqual(['xkeysend']);
    expect(offered('fulgurite sta')).toEqual(['start']);
    expect(offered('fulgurite help getr')).toEqual(['getroute', 'getroutes', 'getroutes-batch']);
    expect(offered('fulgurite ')).toEqual(expect.arrayContaining(['start', 'getinfo', 'xpay', '--data-dir']));
  });

  it('completes parameters and their values', () => {
    expect(offered('fulgurite keysend dest')).toEqual(['destination=']);
    expect(offered('fulgurite askrene-inform-channel inform=c')).toEqual(['constrained']);
    expect(offered('fulgurite completion z')).toEqual(['zsh']);
  });

  it.each(WITH_VALUES)('offers parameters without a value: %s', (line, words) => {
    expect(offered(line)).toEqual(words);
  });

  it('completes options of the client and of start', () => {
    expect(offered('fulgurite getinfo --raw')).toEqual(['--raw']);
    expect(offered('fulgurite start --askrene-t')).toEqual(['--askrene-timeout']);
  });
});

describeNeeding('zsh', has('zsh'), 'zsh', () => {
  /** The words that the function gives to zsh for the end of the line. Only there, zsh defines the builtin `compadd`. */
  function offered(line: string): string[] {
    const script = `compadd() { while [[ $1 != -- ]] shift; shift; print -l -- \${(M)@:#$PREFIX*} }
      line=$1 words=(\${(z)1}); [[ $line == *' ' ]] && words+=('')
      CURRENT=$#words PREFIX=$words[-1]; source ${fileOf('zsh')}`;
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', script, 'zsh', line], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  }

  it.each(WITH_VALUES)('offers parameters without a value: %s', (line, words) => {
    expect(offered(line)).toEqual(words);
  });

  it('is found by the completion system, which then calls it for the program', () => {
    const script = `fpath=(${directory.path}/functions $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[fulgurite]`;
    mkdirSync(join(directory.path, 'functions'));
    writeFileSync(join(directory.path, 'functions/_fulgurite'), completionScript('zsh', COMMANDS));
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', script], { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['_fulgurite\n', '']);
  });

  it('accepts the script', () => {
    expect(spawnSync('zsh', ['-n', fileOf('zsh')], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});

describeNeeding('fish', has('fish'), 'fish', () => {
  /** The completions that fish offers when Tab is pressed at the end of the line. */
  function offered(line: string): string[] {
    const script = `source ${fileOf('fish')}; complete -C $argv[1]`;
    const home = { ...process.env, HOME: directory.path };
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script, line], {
      encoding: 'utf8',
      env: home,
    });
    expect(stderr).toBe('');
    // A tab separates the word from its description.
    return stdout
      .split('\n')
      .filter((one) => one !== '')
      .map((one) => one.split('\t')[0]!);
  }

  it('completes commands, options, parameters and their values', () => {
    expect(offered('fulgurite keyse')).toEqual(['keysend']);
    expect(offered('fulgurite getinfo --ra')).toContain('--raw');
    expect(offered('fulgurite start --askrene-t')).toEqual(['--askrene-timeout']);
    expect(offered('fulgurite completion z')).toEqual(['zsh']);
    expect(offered('fulgurite keysend dest')).toEqual(['destination=']);
  });

  it.each(WITH_VALUES)('offers parameters without a value: %s', (line, words) => {
    // Fish offers files too.
    const parameters = offered(line).filter((word) => /^\w+=\S*$/.test(word) && !word.includes('.'));
    expect(parameters.toSorted()).toEqual(words.toSorted());
  });

  it('accepts the script', () => {
    expect(spawnSync('fish', ['-n', fileOf('fish')], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});
