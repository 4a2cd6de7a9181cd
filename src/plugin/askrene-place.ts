/**
 * Determines whether cln-askrene runs in this node. If it does, its names and options are in use, and another plugin
 * that declares them prevents the node from starting. The node starts all its plugins, built-in ones first, before it
 * asks for manifests. So at that point cln-askrene is either a child process of the node, or disabled.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Name of the process that we can replace. */
export const ASKRENE_PROCESS = 'cln-askrene';

/** Names of the child processes of a process. Undefined if the system does not show them. */
export function childrenOf(parentPid: number): readonly string[] | undefined {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => childInProc(pid, parentPid));
  } catch {
    return childrenByPs(parentPid);
  }
}

/** The name of a process, if it is a child of the parent; otherwise nothing. The process may end during the check. */
function childInProc(pid: string, parentPid: number): string[] {
  try {
    // The format is `pid (name) state ppid …`. The name itself may contain brackets and spaces.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const end = stat.lastIndexOf(')');
    const [, parent] = stat.slice(end + 2).split(' ');
    return Number(parent) === parentPid ? [stat.slice(stat.indexOf('(') + 1, end)] : [];
  } catch {
    return [];
  }
}

function childrenByPs(parentPid: number): readonly string[] | undefined {
  try {
    const list = execFileSync('ps', ['-A', '-o', 'ppid=', '-o', 'comm='], { encoding: 'utf8' });
    return [...list.matchAll(/^\s*(\d+)\s+(.*)$/gm)]
      .filter(([, parent]) => Number(parent) === parentPid)
      .map(([, , path = '']) => path.slice(path.lastIndexOf('/') + 1));
  } catch {
    return undefined;
  }
}

/**
 * Whether we can take the place of cln-askrene, because it is not running in the node that is our parent. If the child
 * processes are unknown, cln-askrene counts as running, so that our names cannot clash with its names.
 */
export function isPlaceFree(children: readonly string[] | undefined): boolean {
  return children !== undefined && !children.includes(ASKRENE_PROCESS);
}
