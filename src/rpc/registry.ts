/** The commands of a service, by name. */
import type { Command, Registry } from './command.ts';

/** Makes the registry. @throws Error when two commands have the same name. */
export function createRegistry<C>(list: readonly Command<C>[], isDeveloper = false): Registry<C> {
  const commands = new Map<string, Command<C>>();
  for (const command of list) {
    if (commands.has(command.name)) throw new Error(`two commands are named ${command.name}`);
    commands.set(command.name, command);
  }
  return { commands, names: [...commands.keys()].sort(), isDeveloper };
}
