/**
 * A second name for the socket: `DIR/<chain>/lightning-rpc`. Clients of Core Lightning look there when they
 * are given a directory (`lightning-cli --lightning-dir=DIR`). It is a symbolic link, so the socket itself
 * decides who may use it.
 */
import { lstatSync, mkdirSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Log } from '../../rpc/log.ts';

const LINK_NAME = 'lightning-rpc';

/**
 * Makes the link. It replaces one that an earlier run left. Anything that is no link stays, because it may be
 * the socket of another node. If no link can be made, the log says so, and the node serves without it.
 * @returns a function that removes the link, unless someone else has replaced it.
 */
export function linkSocket(directory: string, chain: string, socketPath: string, log: Log): () => void {
  const link = join(directory, chain, LINK_NAME);
  const target = targetOf(link, directory, socketPath);
  try {
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
    const found = lstatSync(link, { throwIfNoEntry: false });
    if (found !== undefined && !found.isSymbolicLink()) throw new Error('it exists and is no link');
    // The link is made under another name first. So clients find one at every moment.
    const unfinished = `${link}.${process.pid}.new`;
    symlinkSync(target, unfinished);
    renameSync(unfinished, link);
  } catch (error) {
    log.unusual(`${link}: no second name for the socket: ${(error as Error).message}`);
    return () => undefined;
  }
  return () => unlinkOurs(link, target);
}

/** The target, relative if it is inside the data directory, so that the directory can be moved. */
function targetOf(link: string, directory: string, socketPath: string): string {
  return dirname(socketPath) === directory ? relative(dirname(link), socketPath) : socketPath;
}

function unlinkOurs(link: string, target: string): void {
  try {
    if (readlinkSync(link) === target) unlinkSync(link);
  } catch {
    // The link is gone already, or is no longer ours.
  }
}
