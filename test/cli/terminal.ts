/** What tests of the program on a terminal need. */
import { spawnSync } from 'node:child_process';
import { MAIN } from '../commands/daemon-process.ts';

/**
 * The content of a terminal of unlimited height after output that moves the cursor only up and erases only
 * below it.
 */
export function screenAfter(output: string): string[] {
  const lines = [''];
  let row = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: output to a terminal contains escape sequences
  for (const [piece] of output.matchAll(/\x1b\[\d*[A-Z]|\r|\n|[^\x1b\r\n]+/g)) {
    if (piece === '\n') row++;
    else if (piece === '\x1b[J') lines.splice(row, lines.length - row, '');
    else if (piece.endsWith('A') && piece.startsWith('\x1b')) row -= Number(piece.slice(2, -1));
    else if (piece.startsWith('\x1b')) throw new Error(`not supported here: ${JSON.stringify(piece)}`);
    else if (piece !== '\r') lines[row] += piece;
    if (row < 0) throw new Error('the cursor left the screen');
    while (lines.length <= row) lines.push('');
  }
  return lines;
}

/** Whether `script` of util-linux is there, which runs a program on a pseudo-terminal. */
export const hasScript = spawnSync('script', ['--version']).status === 0;

/** A shell command that runs our program with these arguments, none of which contains a single quote. */
export const shellCommand = (...argv: string[]): string =>
  [process.execPath, MAIN, ...argv].map((word) => `'${word}'`).join(' ');
