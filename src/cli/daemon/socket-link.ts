/**
 * A second name for the socket: `DIR/<chain>/lightning-rpc`. Core Lightning clients look there when given a directory
 * (`lightning-cli --lightning-dir=DIR`). The second name is a symbolic link, so the permissions of the socket apply.
 */
import { lstatSync, mkdirSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Log } from '../../rpc/log.ts';

const LINK_NAME = 'lightning-rpc';

/**
 * Creates the link. Replaces an existing link, such as one left by an earlier run, but no other file, which may be the
 * socket of a different node. If the link cannot be created, this is logged, and the daemon serves without it.
 * @returns a function that removes the link, unless another program has replaced it
 */
export function linkSocket(directory: string, chain: string, socketPath: string, log: Log): () => void {
  const link = join(directory, chain, LINK_NAME);
  const target = targetOf(link, directory, socketPath);
  try {
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
    const found = lstatSync(link, { throwIfNoEntry: false });
    if (found !== undefined && !found.isSymbolicLink()) throw new Error('this path exists and is not a link');
    // The new link is created under a temporary name and then renamed, so that clients find a link at any moment.
    const unfinished = `${link}.${process.pid}.new`;
    symlinkSync(target, unfinished);
    renameSync(unfinished, link);
  } catch (error) {
    log.unusual(`${link}: cannot create this link to the socket: ${(error as Error).message}`);
    return () => undefined;
  }
  return () => unlinkOurs(link, target);
}

/**
 * The target of the link. It is relative if the socket is inside the data directory, so that the directory can be
 * moved.
 */
function targetOf(link: string, directory: string, socketPath: string): string {
  return dirname(socketPath) === directory ? relative(dirname(link), socketPath) : socketPath;
}

function unlinkOurs(link: string, target: string): void {
  try {
    if (readlinkSync(link) === target) unlinkSync(link);
  } catch {
    // The link is already gone, or is no longer ours.
  }
}
