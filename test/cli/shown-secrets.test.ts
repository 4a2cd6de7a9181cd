/** Secrets in URLs of options, as `listconfigs` displays them. */
import { expect, test } from 'vitest';
import { Settings } from '../../src/cli/daemon/settings.ts';
import { temporaryDirectory } from '../rpc/support.ts';

test.each([
  ['https://blockstream.info/api', 'https://blockstream.info/api'],
  ['https://user:word@host/api', 'https://...@host/api'],
  ['https://host/api?token=abc', 'https://host/api?...'],
  ['https://host/v1/0123456789abcdef/api', 'https://host/v1/.../api'],
  ['127.0.0.1:3010', '127.0.0.1:3010'],
])('%s is shown as %s', (value, shown) => {
  const directory = temporaryDirectory();
  try {
    const given = { values: { esplora: value }, sources: new Map([['esplora', ['cmdline']]]) };
    const settings = new Settings(directory.path, given as never, { all: ['esplora'], secret: [] });
    expect(settings.all.get('esplora')?.value).toBe(shown);
  } finally {
    directory.remove();
  }
});
