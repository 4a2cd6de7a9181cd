/**
 * Writes the reference documentation: one page per command, the table of errors, the OpenRPC document, manual pages and
 * shell completions.
 *
 *     docs DIRECTORY
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../commands/index.ts';
import { VERSION } from '../model/version.ts';
import { commandMarkdown, errorsMarkdown, openRpc } from '../rpc/describe.ts';
import { toJson } from '../rpc/json-write.ts';
import { createRegistry } from '../rpc/registry.ts';
import { completionScript, SHELLS } from './client/completion.ts';
import { referenceIndex } from './client/help-pages.ts';
import { commandManPage, programManPage } from './client/man.ts';
import { START_USAGE } from './options/start-usage.ts';
import { USAGE } from './options/usage.ts';

const directory = process.argv[2] ?? 'build/docs';
const registry = createRegistry(COMMANDS);
mkdirSync(directory, { recursive: true });
for (const [name, command] of registry.commands) {
  writeFileSync(join(directory, `${name}.md`), commandMarkdown(command));
}
writeFileSync(join(directory, 'README.md'), referenceIndex(COMMANDS));
writeFileSync(join(directory, 'errors.md'), errorsMarkdown());
writeFileSync(join(directory, 'openrpc.json'), `${toJson(openRpc(registry, VERSION))}\n`);

const manual = join(directory, 'man');
mkdirSync(manual, { recursive: true });
const commands = registry.names.map((name) => registry.commands.get(name)!);
for (const command of commands) {
  writeFileSync(join(manual, `fulgurite-${command.name}.7`), commandManPage(command));
}
writeFileSync(join(manual, 'fulgurite.1'), programManPage(USAGE, START_USAGE, commands));

const completions = join(directory, 'completion');
mkdirSync(completions, { recursive: true });
for (const shell of SHELLS) {
  const name = { bash: 'fulgurite', zsh: '_fulgurite', fish: 'fulgurite.fish' }[shell];
  writeFileSync(join(completions, name), completionScript(shell, commands));
}
