/**
 * All commands of the node. A new command is a file of its own and a line here.
 */
import { check } from './check.ts';
import { batching, deprecations, notifications } from './connection-flags.ts';
import type { NodeCommand } from './context.ts';
import { getinfo } from './getinfo.ts';
import { help } from './help.ts';
import { listchannels } from './listchannels.ts';
import { listnodes } from './listnodes.ts';
import { rpcDiscover } from './rpc-discover.ts';
import { stop } from './stop.ts';

export const COMMANDS: readonly NodeCommand[] = [
  batching,
  check,
  deprecations,
  getinfo,
  help,
  listchannels,
  listnodes,
  notifications,
  rpcDiscover,
  stop,
];
