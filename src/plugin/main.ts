/**
 * The plugin's process. Standard output belongs to the protocol with the node: any other text there would end the
 * plugin. Errors of this process go to the node's log, and never end the process.
 */
import { fileURLToPath } from 'node:url';
import { VERSION } from '../model/version.ts';
import { childrenOf, isPlaceFree } from './askrene-place.ts';
import { PluginPipe } from './plugin-pipe.ts';
import { Supervisor } from './supervisor.ts';

const ENGINE = fileURLToPath(new URL('../cli/main.js', import.meta.url));

const supervisor = new Supervisor({
  isInPlace: isPlaceFree(childrenOf(process.ppid)),
  isDeveloper: process.argv.includes('--developer'),
  nodeVersion: process.env.LIGHTNINGD_VERSION,
  program: ENGINE,
  version: VERSION,
  exit: () => process.exit(0),
});
const pipe = new PluginPipe(process.stdin, process.stdout, supervisor);
supervisor.attach(pipe);

const survive = (error: unknown): void => {
  pipe.log(
    'error',
    `internal error of the plugin: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
  );
};
process.on('uncaughtException', survive);
process.on('unhandledRejection', survive);
// The node stops us by closing the pipe. A signal to the whole process group is meant for the node.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
for (const name of ['log', 'info', 'debug', 'warn', 'error', 'trace'] as const) {
  console[name] = (...words: unknown[]) => pipe.log('info', words.map(String).join(' '));
}
