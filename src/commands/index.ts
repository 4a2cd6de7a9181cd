/**
 * All commands of the node. A new command is a file of its own and one line here.
 */
import type { NodeCommand } from './context.ts';
import { help } from './help.ts';

export const COMMANDS: readonly NodeCommand[] = [help];
