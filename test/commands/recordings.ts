/**
 * Conversations recorded with a Core Lightning node. They are available only if the shared data beside the
 * repository is.
 */
import { existsSync, readFileSync } from 'node:fs';

const file = new URL('../../../shared/data/cln/transcripts.json', import.meta.url);

/** Advice that lightningd gives to users of its command line. Our client gives that advice itself. */
const CLIENT_ADVICE =
  ', this may be caused by a failure to autodetect key=value-style parameters. ' +
  'Please try using the -k flag and explicit key=value pairs of parameters.';

/** All recordings, without the advice for users of lightning-cli. */
export function recordings<R>(): R[] {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8').replaceAll(CLIENT_ADVICE, '')) : [];
}
