/**
 * The commands a service has, by name.
 */
import type { Command } from './command.ts';

/** All commands of a service, as the dispatcher and `help` look them up. */
export interface Registry<C> {
  readonly commands: ReadonlyMap<string, Command<C>>;
  /** Names in byte order, as `help` lists them. */
  readonly names: readonly string[];
  /** Whether parameters meant for developers are served. */
  readonly isDeveloper: boolean;
}

/** Makes the registry. @throws Error when two commands have the same name. */
export function createRegistry<C>(list: readonly Command<C>[], isDeveloper = false): Registry<C> {
  const commands = new Map<string, Command<C>>();
  for (const command of list) {
    if (commands.has(command.name)) throw new Error(`two commands called ${command.name}`);
    commands.set(command.name, command);
  }
  return { commands, names: [...commands.keys()].sort(), isDeveloper };
}
