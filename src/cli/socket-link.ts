/**
 * A second name for the socket: `DIR/<chain>/lightning-rpc`, where clients of Core Lightning look when they are told
 * a directory (`lightning-cli --lightning-dir=DIR`). It is a symbolic link, so who may use it is decided by the socket.
 */
import { lstatSync, mkdirSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Log } from '../rpc/log.ts';

const LINK_NAME = 'lightning-rpc';

/**
 * Makes the link, in the place of one that an earlier run left. What is there and is no link stays: it may be the
 * socket of another node. A directory in which no link can be made is no reason not to serve; the log says so.
 * @returns a function that takes the link away again, unless somebody else has replaced it.
 */
export function linkSocket(directory: string, chain: string, socketPath: string, log: Log): () => void {
  const link = join(directory, chain, LINK_NAME);
  const target = targetOf(link, directory, socketPath);
  try {
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
    const found = lstatSync(link, { throwIfNoEntry: false });
    if (found !== undefined && !found.isSymbolicLink()) throw new Error('it exists and is no link');
    // Under another name first: at no moment do clients find nothing.
    const unfinished = `${link}.${process.pid}.new`;
    symlinkSync(target, unfinished);
    renameSync(unfinished, link);
  } catch (error) {
    log.unusual(`${link}: no second name for the socket: ${(error as Error).message}`);
    return () => undefined;
  }
  return () => unlinkOurs(link, target);
}

/** Relative inside the data directory, so that the directory can be moved. */
function targetOf(link: string, directory: string, socketPath: string): string {
  return dirname(socketPath) === directory ? relative(dirname(link), socketPath) : socketPath;
}

function unlinkOurs(link: string, target: string): void {
  try {
    if (readlinkSync(link) === target) unlinkSync(link);
  } catch {
    // It is gone already, or no link of ours any more.
  }
}
