/**
 * Starts the plugin again after its process was killed. The engine is that process's child and outlives it. lightningd
 * takes a plugin back at any time, and its payers miss the plugin only at their next call. So nothing is lost where the
 * plugin is back before that.
 */
import { fileURLToPath } from 'node:url';
import { toJson } from '../../rpc/json-write.ts';
import { callOverSocket } from '../../rpc/socket-client.ts';

/** Names the script by which lightningd started the plugin. The script of `fulgurite plugin install` sets it. */
export const PLUGIN_FILE_VARIABLE = 'FULGURITE_PLUGIN_FILE';

/** Compiled files lie one folder deeper, in `build/`. */
const root = import.meta.url.endsWith('.ts') ? '../../../' : '../../../../';
/** The script that starts the plugin where nothing else is installed. */
export const PACKAGED_PLUGIN = fileURLToPath(new URL(`${root}bin/fulgurite-plugin`, import.meta.url));

/** The pipe of a process that dies may close before its children have another parent. */
const LOOK_MS = 50;
const LOOKS = 20;
/** How long lightningd may take to start it, in milliseconds. */
const CALL_MS = 120_000;

/** What the revival needs to know of this process. */
export interface Revival {
  /** The process that started this one, as it was at the start. */
  readonly parentPid: number;
  /** The parent at the moment. */
  readonly currentParent: () => number;
  /** The socket of lightningd. */
  readonly nodeSocket: string;
  readonly pluginFile: string;
}

/**
 * To be called when the pipe from the parent has closed. Nothing happens where the parent lives: then it stops on
 * purpose, with the node or by `plugin stop`.
 * @returns whether lightningd was asked to start the plugin, and has done it
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
    // The node is gone as well, or refuses it and says so in its log.
    return false;
  }
}
