/** `backup`: a consistent copy of the database, and the key, made while the service works. */
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

export const backup = defineCommand({
  name: 'backup',
  summary: 'Copy the database and the key to a new directory while the service works.',
  description:
    'Makes the directory, which nobody else can enter, and writes into it a consistent copy of the database ' +
    '(payments, layers, offers) and the node key, each for the owner only. To go on from a backup, start with ' +
    '`--data-dir` of the copy and `--recover`: payments made after the backup are unknown to it, and their ' +
    'idempotency keys pay again. Errors: -32602 there is something at the destination, or no directory above it; ' +
    '-32001 another backup is being made; -32003 it could not be written, and nothing is left of it.',
  category: 'utility',
  params: {
    destination: required(atMost(absolutePath, MAX_TEXT_BYTES), 'Absolute path of the directory to make.'),
  },
  result: {
    database: field('string', 'Path of the copy of the database.'),
    bytes: field('u64', 'Its size.'),
  },
  handler: ({ destination }, { backups }) => backups.make(destination),
});
