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
