/**
 * Starts the plugin again after its process was killed. The engine is a child of that process and outlives it.
 * lightningd accepts a plugin again at any time, and the node's payment plugins notice the absence only at their next
 * call. So nothing is lost if the plugin is back by then.
 */
import { fileURLToPath } from 'node:url';
import { toJson } from '../../rpc/json-write.ts';
import { callOverSocket } from '../../rpc/socket-client.ts';

/**
 * Environment variable with the path of the script that started the plugin. The script that `fulgurite plugin install`
 * writes sets it.
 */
export const PLUGIN_FILE_VARIABLE = 'FULGURITE_PLUGIN_FILE';

/** Compiled files are one folder deeper, in `build/`. */
const root = import.meta.url.endsWith('.ts') ? '../../../' : '../../../../';
/** The script that starts the plugin if none was installed. */
export const PACKAGED_PLUGIN = fileURLToPath(new URL(`${root}bin/fulgurite-plugin`, import.meta.url));

/**
 * Milliseconds between checks for a new parent process: the pipe of a dying process may close before its children get a
 * new parent.
 */
const LOOK_MS = 50;
const LOOKS = 20;
/** Timeout in milliseconds for lightningd to start the plugin. */
const CALL_MS = 120_000;

/** The arguments of `revivePlugin`. */
export interface Revival {
  /** Id of the process that started this process. */
  readonly parentPid: number;
  /** Returns the id of the current parent process. */
  readonly currentParent: () => number;
  /** The socket of lightningd. */
  readonly nodeSocket: string;
  readonly pluginFile: string;
}

/**
 * Asks lightningd to start the plugin again. Call this when the pipe from the parent has closed. Does nothing if
 * the parent is alive, because then the parent stops on purpose: the node stops, or the user called `plugin stop`.
 * @returns whether lightningd started the plugin again
 */
export async function revivePlugin({
  parentPid,
  currentParent,
  nodeSocket,
  pluginFile,
}: Revival): Promise<boolean> {
  for (let looks = 0; currentParent() === parentPid; looks++) {
    if (looks >= LOOKS) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  try {
    const params = toJson({ subcommand: 'start', plugin: pluginFile });
    const abort = AbortSignal.timeout(CALL_MS);
    const { error } = await callOverSocket({ path: nodeSocket, method: 'plugin', params, abort });
    return error === undefined;
  } catch {
    // Either the node has stopped too, or it refused to start the plugin and logged the reason.
    return false;
  }
}
