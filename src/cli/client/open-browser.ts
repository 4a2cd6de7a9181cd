/**
 * Opens a link in the user's browser. The link may contain a secret, and other users of the machine can read the
 * arguments of programs. So the browser opens a file that only the user can read and that redirects to the link. The
 * file is removed after the browser has had time to read it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};
const USUAL = ['xdg-open'];
/** Milliseconds after which the file is removed. The browser must have read the file by then. */
const READ_WITHIN_MS = 3000;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;' };
const escaped = (text: string): string => text.replace(/[&"<]/g, (found) => ESCAPES[found]!);

/** An HTML document that redirects to the URL. */
export const leadingTo = (url: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
  `<meta http-equiv="refresh" content="0;url=${escaped(url)}"><a href="${escaped(url)}">Fulgurite</a>\n`;

/**
 * Opens a link in the browser. Resolves after the file is removed.
 * @returns whether a browser was started
 */
export async function openInBrowser(url: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'fulgurite-'));
  try {
    const file = join(folder, 'explorer.html');
    writeFileSync(file, leadingTo(url), { mode: 0o600 });
    const [program = '', ...words] = OPENERS[process.platform] ?? USUAL;
    const isStarted = await new Promise<boolean>((resolve) => {
      const opener = spawn(program, [...words, file], { stdio: 'ignore', detached: true });
      opener.once('error', () => resolve(false));
      opener.once('spawn', () => resolve(true));
      opener.unref();
    });
    if (isStarted) await new Promise((resolve) => setTimeout(resolve, READ_WITHIN_MS));
    return isStarted;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
