/** Small plugins for tests of the stand-in: executable files with answers defined by a test. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The behaviour of a sample plugin. */
export interface SamplePlugin {
  /** The plugin's answer to `getmanifest`. Default: no options, no methods. */
  readonly manifest?: object;
  /** The plugin's answer to `init`. */
  readonly init?: object;
  /**
   * JavaScript that may define `on[METHOD] = (request) => …` for calls, hooks and notifications. It can use `say` to
   * write a message, and `answer(id, result)`.
   */
  readonly script?: string;
}

/** Writes the plugin into a directory. @returns its path. */
export function writePlugin(directory: string, name: string, plugin: SamplePlugin = {}): string {
  const { manifest = { options: [], rpcmethods: [] }, init = {}, script = '' } = plugin;
  const path = join(directory, name);
  const text = `#!/usr/bin/env node
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n\\n');
const answer = (id, result) => say({ id, result });
const on = {
  getmanifest: ({ id }) => answer(id, ${JSON.stringify(manifest)}),
  init: ({ id }) => answer(id, ${JSON.stringify(init)}),
};
${script}
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  const messages = text.split('\\n\\n');
  text = messages.pop();
  for (const message of messages) {
    const request = JSON.parse(message);
    on[request.method]?.(request);
  }
});
process.stdin.on('end', () => process.exit());
`;
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}
