/** `backup`: makes a consistent copy of the database and the keys while the service runs. */
import { isAbsolute } from 'node:path';
import { field, required } from '../../rpc/command.ts';
import { atMost, BadToken, MAX_TEXT_BYTES, type ParamType } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

const absolutePath: ParamType<string> = {
  name: 'path',
  schema: { type: 'string' },
  parse(token) {
    if (!isAbsolute(token.text) || token.text.includes('\0'))
      throw new BadToken('should be an absolute path', token);
    return token.text;
  },
};

/** Not in Core Lightning. @throws FulguriteError -32602, -32001, -32003 or -32005, as the description says */
export const backup = defineCommand({
  name: 'backup',
  summary: 'Copy the database and the keys to a new directory while the service runs.',
  description:
    'Creates the directory and writes a consistent copy of the database (payments, layers, offers, runes), the ' +
    'node key and the rune secret into it, readable by the owner only. To restore a backup, start with `--data-dir` ' +
    'of the copy and `--recover`. The copy lacks payments made after the backup, so repeated requests with their ' +
    'idempotency keys would pay again. Errors: -32602 the destination already exists, or its parent directory does not. -32001 another ' +
    'backup is running. -32003 the copy could not be written and was removed. -32005 the payments are in a ' +
    'PostgreSQL database; use pg_dump.',
  category: 'utility',
  params: {
    destination: required(atMost(absolutePath, MAX_TEXT_BYTES), 'Absolute path of the directory to create.'),
  },
  result: {
    database: field('string', 'Path of the copy of the database.'),
    bytes: field('u64', 'Size of the copy of the database, in bytes.'),
  },
  handler: ({ destination }, { backups }) => backups.make(destination),
});
