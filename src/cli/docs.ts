/**
 * Writes the reference: one page per command, the table of errors, and the OpenRPC document.
 *
 *     docs DIRECTORY
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../commands/index.ts';
import { commandMarkdown, errorsMarkdown, openRpc } from '../rpc/describe.ts';
import { toJson } from '../rpc/json-write.ts';
import { createRegistry } from '../rpc/registry.ts';
import { VERSION } from './version.ts';

const directory = process.argv[2] ?? 'build/docs';
const registry = createRegistry(COMMANDS);
mkdirSync(directory, { recursive: true });
for (const [name, command] of registry.commands) {
  writeFileSync(join(directory, `${name}.md`), commandMarkdown(command));
}
const index = registry.names.map(
  (name) => `- [${name}](${name}.md): ${registry.commands.get(name)!.summary}`,
);
writeFileSync(join(directory, 'README.md'), `# Commands\n\n${index.join('\n')}\n\n[Errors](errors.md)\n`);
writeFileSync(join(directory, 'errors.md'), errorsMarkdown());
writeFileSync(join(directory, 'openrpc.json'), `${toJson(openRpc(registry, VERSION))}\n`);
